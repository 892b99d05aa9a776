"""Open the sealed halves of games that have published their keys, and compare them with the commitments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart
from pi_app.journal.record.limits import LONGEST_COMMITTED
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
        text = bytes(hidden.event)
        if not text.isascii():
            text.decode()  # msgspec does not check the text of unknown names
        event = _event_decoder.decode(text)
        if read_event is not None:
            read_event(part.play, text)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise WrongRowError("has a sealed half that cannot be read") from error
    if _value(event.kind) != part.kind:
        raise WrongRowError(f"says '{part.kind}' outside and something else inside")
    for name in ("square", "seat", "grade"):
        told = getattr(part, name)
        if told is not None and _value(getattr(event, name)) != told:
            raise WrongRowError(f"names another {name} outside than inside")
    if part.kind in (rec.STARTED, rec.SETUP_CHECKED):
        _kept(game, part, event, hidden.salts)


def _kept(game: GameSeen, part: PublicPart, event: _Event, salts: dict[str, str]) -> None:
    """Compare the event with the commitments."""
    if part.kind == rec.STARTED and game.opening is not None:
        tables = _tables(event.squares)
        if set(tables) != set(game.opening.squares):
            raise WrongRowError("began with squares that do not match its commitments")
        for label, promise in game.opening.squares.items():
            if not rec.keeps(promise, salts.get(f"square {label}"), _value(tables[label])):
                raise WrongRowError(f"began with a trap table under {label} that does not match its commitment")
        if not rec.keeps(game.opening.ruleset, salts.get("ruleset"), _value(event.ruleset)):
            raise WrongRowError("began with rules that do not match its commitment")
    if part.kind == rec.SETUP_CHECKED and not rec.keeps(part.stands or "", salts.get("stands"), _value(event.stands)):
        raise WrongRowError("has dial positions that do not match its commitment")


def _tables(squares: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """Return each square's trap table from an unchecked event."""
    try:
        found = _squares_decoder.decode(squares)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise WrongRowError("has malformed squares in its sealed half") from error
    tables = {one.label: one.table for one in found}
    if len(tables) != len(found):
        raise WrongRowError("has malformed squares in its sealed half")
    return tables


def _value(text: msgspec.Raw) -> object:
    """Decode one value of an event. Raises WrongRowError."""
    if len(bytes(text)) > LONGEST_COMMITTED:
        raise WrongRowError(f"has a value of more than {LONGEST_COMMITTED:,} bytes in its sealed half")
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WrongRowError("has a sealed half that cannot be read") from error


_NULL: Final = msgspec.Raw(b"null")


class _Event(msgspec.Struct, frozen=True):
    """What of an event is compared. Its values are decoded one by one: together they may take much memory."""

    kind: msgspec.Raw = _NULL
    square: msgspec.Raw = _NULL
    seat: msgspec.Raw = _NULL
    grade: msgspec.Raw = _NULL
    squares: msgspec.Raw = _NULL
    ruleset: msgspec.Raw = _NULL
    stands: msgspec.Raw = _NULL


class _Square(msgspec.Struct, frozen=True):
    label: str
    table: msgspec.Raw = _NULL


_event_decoder = msgspec.json.Decoder(_Event)
_squares_decoder = msgspec.json.Decoder(list[_Square])
