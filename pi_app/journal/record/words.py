"""Describe a verdict in sentences: what the record proves, what it does not, and where the first damage is."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from pi_app.journal.record.verdict import GameSeen, RecordState, RecordVerdict, fingerprint
from pi_app.text.language import count_entries
from pi_app.text.printed import shown

_HEADLINES = {
    RecordState.WHOLE: "WHOLE",
    RecordState.INTERRUPTED: "INTERRUPTED",
    RecordState.DAMAGED: "DAMAGED",
    RecordState.FORKED: "FORKED",
}


def sentences(name: str, verdict: RecordVerdict) -> Iterator[str]:
    """Yield sentences about the record in a file, the most important first: one line each, whatever is in the file."""
    yield from map(shown, _sentences(name, verdict))


def _sentences(name: str, verdict: RecordVerdict) -> Iterator[str]:
    cut_off = verdict.missing and verdict.state is RecordState.DAMAGED
    yield f"{name}: {'CUT OFF' if cut_off else _HEADLINES[verdict.state]}. {_in_short(verdict)}"
    yield from verdict.against
    for game in verdict.games:
        yield _game(game)
    yield from _proven(verdict)


def _in_short(verdict: RecordVerdict) -> str:
    count = count_entries(verdict.size)
    damage = verdict.damage
    if damage is not None:
        place = "The file" if damage.seq == 0 else f"Entry {damage.seq}"
        before = "" if damage.seq <= 1 else f" The {damage.seq - 1} before it are bound to each other."
        return f"{place} {damage.seen}.{before}"
    if verdict.exported is not None:
        return _exported(verdict, verdict.exported)
    if verdict.state is RecordState.FORKED:
        return f"It is consistent in itself ({count}), but a witness saw another record."
    if verdict.state is RecordState.INTERRUPTED:
        return f"{count}, all bound to each other; the last game has no end: interrupted after entry {verdict.size}."
    return f"{count}, all bound to each other, every game with its beginning and its end."


def _exported(verdict: RecordVerdict, exported: int) -> str:
    here = f"{exported:,} of {count_entries(verdict.size)}, each proven to be in the record under its head"
    if verdict.state is RecordState.FORKED:
        return f"{here}; a witness saw another record."
    if verdict.state is RecordState.INTERRUPTED:
        return f"{here}; a game that is here has no end."
    return f"{here}, every game that is here with its beginning and its end."


def _game(game: GameSeen) -> str:
    where = f"entries {game.first} to {game.last}"
    if game.deleted:
        return f"Game {game.game} ({where}) was deleted on purpose; an entry records it."
    if game.key is None:
        return f"Game {game.game} ({where}) has no end: interrupted after {game.entries}; what is sealed stays sealed."
    if game.opened:
        return (
            f"Game {game.game} ({where}): all {game.opened} sealed halves open with its key; trap tables, rules and "
            "start positions match its commitments."
        )
    return f"Game {game.game} ({where}) has ended; its sealed halves were not opened."


def _proven(verdict: RecordVerdict) -> Iterator[str]:
    if verdict.device is not None and verdict.state in (RecordState.WHOLE, RecordState.INTERRUPTED):
        yield f"Signed by the device {fingerprint(verdict.device)}."
    if verdict.state in (RecordState.DAMAGED, RecordState.FORKED):
        return
    if verdict.follows is not None:
        yield (
            f"It continues the record of the device {fingerprint(verdict.follows.device)} after its "
            f"{count_entries(verdict.follows.size)}; that device vouches for this one."
        )
    if verdict.continues:
        sizes = " and ".join(filter(None, (", ".join(map(str, verdict.continues[:-1])), str(verdict.continues[-1]))))
        heads = "an older head" if len(verdict.continues) == 1 else "older heads"
        yield f"It proves that the record continues {heads} of {sizes} entries; compare a witness's head with that."
    if verdict.exported is not None and verdict.witnesses and not verdict.good_until:
        yield (
            f"No witness saw exactly {count_entries(verdict.size)}: an older head can be compared with the record, or "
            "with an export that was made with it."
        )
    if verdict.good_until:
        yield (
            f"Up to entry {verdict.good_until} it is what a witness saw: it has not been changed since, not even with "
            "the device's key."
        )
    if verdict.good_until < verdict.size:
        rest = f"entries {verdict.good_until + 1} to {verdict.size}" if verdict.good_until else "it"
        yield (
            f"No witness was named for {rest}: the holder of the device's key could have rewritten it, and an older "
            "copy would look as good."
        )
        if verdict.hint:
            yield verdict.hint
    yield "It does not prove what happened beside the table: see `trapdial docs journal_format`."


LAST_DATE_S = 253_402_300_799
"""The last second of the year 9999."""


def when(time_s: int) -> str:
    """Write a POSIX time as date and time, UTC; one that no calendar has as its number."""
    if not 0 <= time_s <= LAST_DATE_S:
        return f"second {time_s} of 1970"
    return f"{datetime.datetime.fromtimestamp(time_s, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"
