"""Why a centre does not sign the date of its machine. Pure.

A cosignature says when entries were there, so a wrong date makes wrong evidence, and a date in the future keeps the
centre from signing right ones later. What is ordinary needs no person: a centre that was off for months, a start
without a network, a date that the network corrects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Final

from pi_app.centre.clock.machine import ClockReading
from pi_app.centre.store.clock_rows import ClockAnchor
from pi_app.journal.record.words import when
from pi_app.play.power import Date, may_be, year_of

DRIFT_S: Final = 300
"""A clock that no network keeps stays right for the boot in which it was right, up to this difference."""

BEHIND_S: Final = 60
"""The clock may be this much before the newest cosignature: the network may correct it by some seconds."""

AHEAD_S: Final = 400 * 86_400
"""A centre that was off for longer than this, and has no date from the network, may have a clock that jumped."""

FEWEST_TABLES: Final = 3
TABLES_S: Final = 1_800
"""The date of a table that plays is within minutes of the centre's, as a rule."""

DAY_S: Final = 86_400
ACCEPT: Final = "trapdial centre clock --accept"


class DoubtKind(Enum):
    """Why a clock is in doubt."""

    YEAR = "year"
    SOURCE = "source"
    BEHIND = "behind"
    AHEAD = "ahead"
    TABLES = "tables"


@dataclass(frozen=True, slots=True)
class ClockDoubt:
    """A reason not to sign the date. `words`: whole sentences about it, after one that names the date."""

    kind: DoubtKind
    words: str


def fits(anchor: ClockAnchor | None, clock: ClockReading) -> bool:
    """Return whether the clock was right in this boot, and has run on since."""
    return anchor is not None and anchor.boot == clock.boot and abs(clock.began_s - anchor.began_s) <= DRIFT_S


def find_doubts(
    clock: ClockReading, newest_s: int, anchor: ClockAnchor | None, tables: Sequence[float]
) -> tuple[ClockDoubt, ...]:
    """Return all doubts about a clock. `newest_s`: the latest time that a cosignature of the centre names, 0 for none;
    `anchor`: when the clock was right in this boot; `tables`: when the machine started by the date of each table that
    plays now, POSIX seconds."""
    if clock.source is Date.WRONG:
        words = "That cannot be right: set the date, or connect the machine to the network."
        return (ClockDoubt(DoubtKind.YEAR, words),)
    anchored = fits(anchor, clock)
    accepted = anchored and anchor is not None and anchor.by_person
    return tuple(_found(clock, newest_s, tables, anchored=anchored, accepted=accepted))


def _found(
    clock: ClockReading, newest_s: int, tables: Sequence[float], *, anchored: bool, accepted: bool
) -> Iterable[ClockDoubt]:
    if clock.source is Date.UNSET and clock.keeps_none and not anchored:
        words = "Nothing has set the date since this machine started: connect it to the network."
        yield ClockDoubt(DoubtKind.SOURCE, words)
    if newest_s - clock.now_s > BEHIND_S:
        yield ClockDoubt(DoubtKind.BEHIND, _behind(newest_s, newest_s - clock.now_s))
    if may_be(year_of(newest_s)) and clock.now_s - newest_s > AHEAD_S and not (clock.from_network or accepted):
        words = f"The newest cosignature is {long(clock.now_s - newest_s)} older, and no network confirms the date."
        yield ClockDoubt(DoubtKind.AHEAD, words)
    apart = [began_s - clock.began_s for began_s in tables]
    far = [each for each in apart if abs(each) > TABLES_S]
    if len(far) >= FEWEST_TABLES and 2 * len(far) > len(apart) and not accepted:
        words = f"The dates of {len(far)} of {len(apart)} tables that play now are {_apart(median(far))}."
        yield ClockDoubt(DoubtKind.TABLES, words)


def _behind(newest_s: int, wait_s: float) -> str:
    words = f"The newest cosignature names {when(newest_s)}, which is {long(wait_s)} later."
    return words if wait_s > DAY_S else f"{words} The centre goes on when that time is over, or the date is corrected."


def _apart(difference_s: float) -> str:
    return f"{long(abs(difference_s))} {'later' if difference_s > 0 else 'earlier'}"


def long(span_s: float) -> str:
    """Write a span of time in one unit."""
    for size_s, unit in ((365 * DAY_S, "year"), (DAY_S, "day"), (3_600, "hour"), (60, "minute")):
        if span_s >= size_s:
            count = int(span_s // size_s)
            return f"{count:,} {unit}{'s' * (count != 1)}"
    count = int(span_s)
    return f"{count} second{'s' * (count != 1)}"


def in_doubt(doubts: Sequence[ClockDoubt], clock: ClockReading) -> str:
    """Write doubts about a clock as sentences, with what to do; empty for none."""
    if not doubts:
        return ""
    seen = f"It shows {when(int(clock.now_s))}. {' '.join(each.words for each in doubts)}"
    accept = "" if doubts[0].kind is DoubtKind.YEAR else f" If the date is right, type: {ACCEPT}"
    return f"This centre does not cosign: its clock is in doubt. {seen}{accept}"
