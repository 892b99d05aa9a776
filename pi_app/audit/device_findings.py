"""Findings about the device itself, from an ended game: magnets, glitches, swapped tiles, drift. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec import UnsetType

from pi_app.audit import values as av
from pi_app.audit.stamps import Times
from pi_app.game import events as ev
from pi_app.journal.record.entry import PublicPart

Opened = tuple[PublicPart, ev.AnyEvent]
"""An entry's public half, and its event."""

DRIFT_DEG: Final = 2.0
"""A calibrated dial that rests this far from its centres, all detents taken together, has drifted: four times the
chance error of one that was calibrated today."""

DRIFT_RESTS: Final = 4
"""The fewest rests that show drift."""

_CONDITIONS: Final[Mapping[ev.Condition, tuple[av.Kind, str, str, ev.Condition]]] = {
    "magnet too weak": ("magnet weakened", av.MAGNET, "the magnet was too far from its chip", "magnet good"),
    "magnet too strong": ("magnet too near", av.MAGNET, "the magnet was too near to its chip", "magnet good"),
    "angle hops": ("angle hops", av.HOPS, "the angle jumped although no hand did it", "angle stands still"),
}

_TILES: Final[Mapping[ev.Condition, str]] = {
    "leads likely swapped": "The leads of {square} and {other} were likely swapped: each dial rested where the other "
    "one should.",
    "another tile": "{square} had the tile of another square on its lead; its moves were not counted.",
    "tile does not fit": "The tile on the lead of {square} was likely that of {other}; no player was shown its trap.",
    "tile accepted": "At the table, the tile on the lead of {square} was confirmed as the right one.",
}
"""A tile that was verified again is no finding."""


def conditions(entries: Sequence[Opened]) -> Iterator[av.FindingSeen]:
    """Yield what the dials' parts reported about themselves."""
    times = Times(entries[0][0])
    at = [times.at(part) for part, _ in entries]
    for number, (part, event) in enumerate(entries):
        if not isinstance(event, ev.DialNoted):
            continue
        if event.condition in _CONDITIONS:
            kind, rule, words, good = _CONDITIONS[event.condition]
            words = f"{event.square}: {words}, {_until(entries, at, number, event, good)}{_again(event.times)}."
            yield av.FindingSeen.about(part, at[number], kind, rule, words, square=event.square)
        elif event.condition in _TILES:
            words = _TILES[event.condition].format(square=event.square, other=event.other or "another square")
            words = words.removesuffix(".") + _again(event.times) + "."
            yield av.FindingSeen.about(part, at[number], "tile swapped", av.TILE, words, square=event.square)


def unread(event: ev.DialLost | ev.DialBack) -> str:
    """Return how long a dial was not read, or how often it was lost and found again."""
    if event.times == 1:
        return f"{event.unseen_s} s" if isinstance(event, ev.DialBack) else ""
    often = f"{event.times} times in {event.over_s} s"
    return f"{often}, for {event.unseen_s} s in all" if isinstance(event, ev.DialBack) else f"{often} so far"


def _until(entries: Sequence[Opened], at: Sequence[float], number: int, event: ev.DialNoted, good: ev.Condition) -> str:
    for later in range(number + 1, len(entries)):
        other = entries[later][1]
        if isinstance(other, ev.DialNoted) and (other.square, other.condition) == (event.square, good):
            lasted = f"for {at[later] - at[number]:.0f} s, until entry {entries[later][0].seq}"
            return f"{lasted}{_again(other.times)}"
    return "until the end of the game"


def _again(times: int | UnsetType) -> str:
    return "" if isinstance(times, UnsetType) else f"; it was so {times} times"


def drifts(
    squares: Mapping[str, ev.SquareSetup], rests: Sequence[av.RestSeen], entries: Sequence[Opened]
) -> Iterator[av.FindingSeen]:
    """Yield the calibrated dials that rested beside their centres."""
    parts = {part.seq: part for part, _ in entries}
    by_square: dict[str, list[av.RestSeen]] = defaultdict(list)
    for rest in rests:
        by_square[rest.square].append(rest)
    for label, its in by_square.items():
        dial = squares[label].dial
        off = drift_deg([rest.error_deg for rest in its])
        if dial is None or not dial.calibrated or off is None:
            continue
        detents = len({rest.of_dial for rest in its})
        words = (
            f"{label} rested {abs(off):.1f} degrees {'counter-clockwise' if off > 0 else 'clockwise'} of its "
            f"calibrated centres: the median of {len(its)} rests in {detents} detent{'s' * (detents != 1)}. "
            "Calibrate this dial again."
        )
        last = its[-1]
        yield av.FindingSeen.about(parts[last.entry], last.at_s, "calibration drift", av.DRIFT, words, square=label)


def drift_deg(errors: Sequence[float]) -> float | None:
    """Return how far a dial has drifted from its calibration by the errors of its rests, in degrees; None if it has
    not, or for too few rests."""
    if len(errors) < DRIFT_RESTS:
        return None
    middle = median(errors)
    return middle if abs(middle) > DRIFT_DEG else None
