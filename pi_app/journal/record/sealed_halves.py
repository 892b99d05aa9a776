"""Open the sealed halves of games that have published their keys, and compare them with the commitments."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.row_checks import WrongRowError, read_part
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.verdict import Damage, GameSeen

OpensEvent = Callable[[str | None, bytes], object]
"""Decode an event of the game of this name; raises msgspec.MsgspecError for one that the game does not know."""


def open_up(games: dict[str, GameSeen], rows: Iterable[RawRow], read_event: OpensEvent | None) -> Damage | None:
    """Open the sealed halves of checked rows, and count them in each game."""
    for seq, public, sealed, _, _ in rows:
        if not isinstance(public, bytes) or not isinstance(sealed, bytes) or not sealed or not isinstance(seq, int):
            continue
        try:
            part = read_part(public)
            game = games[part.game]
            if game.key is not None:
                _open(game, game.key, part, public, sealed, read_event)
                game.opened += 1
        except WrongRowError as wrong:
            return Damage(seq, str(wrong))
    return None


def _open(
    game: GameSeen, key: bytes, part: PublicPart, public: bytes, sealed: bytes, read_event: OpensEvent | None
) -> None:
    try:
        hidden = rec.read_sealed(sealed, key, public)
        if hidden is None:
            raise WrongRowError("has a sealed half that the game's own key does not open")
        event = msgspec.json.decode(hidden.event)
        if read_event is not None:
            read_event(part.play, bytes(hidden.event))
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise WrongRowError("has a sealed half that cannot be read") from error
    if not isinstance(event, dict) or event.get("kind") != part.kind:
        raise WrongRowError(f"says '{part.kind}' outside and something else inside")
    for name in ("square", "seat", "grade"):
        told = getattr(part, name)
        if told is not None and event.get(name) != told:
            raise WrongRowError(f"names another {name} outside than inside")
    if part.kind in (rec.STARTED, rec.SETUP_CHECKED):
        _kept(game, part, event, hidden.salts)


def _kept(game: GameSeen, part: PublicPart, event: dict[str, object], salts: dict[str, str]) -> None:
    """Compare the event with the commitments."""
    if part.kind == rec.STARTED and game.opening is not None:
        tables = _tables(event.get("squares"))
        if set(tables) != set(game.opening.squares):
            raise WrongRowError("began with squares that do not match its commitments")
        for label, promise in game.opening.squares.items():
            if not rec.keeps(promise, salts.get(f"square {label}"), tables[label]):
                raise WrongRowError(f"began with a trap table under {label} that does not match its commitment")
        if not rec.keeps(game.opening.ruleset, salts.get("ruleset"), event.get("ruleset")):
            raise WrongRowError("began with rules that do not match its commitment")
    if part.kind == rec.SETUP_CHECKED and not rec.keeps(part.stands or "", salts.get("stands"), event.get("stands")):
        raise WrongRowError("has dial positions that do not match its commitment")


def _tables(squares: object) -> dict[str, object]:
    """Return each square's trap table from an unchecked event."""
    if not isinstance(squares, list) or not all(isinstance(one, dict) for one in squares):
        raise WrongRowError("has malformed squares in its sealed half")
    tables = {one.get("label"): one.get("table") for one in squares if isinstance(one.get("label"), str)}
    if len(tables) != len(squares):
        raise WrongRowError("has malformed squares in its sealed half")
    return tables
