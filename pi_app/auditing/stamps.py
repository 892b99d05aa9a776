"""The times of a game's entries: how far into the game each one is, and where the wall clock was stepped. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from pi_app.auditing.values import CLOCK, Found, clock_text
from pi_app.record.entry import PublicPart

STEP_S: Final = 2.0
"""A wall clock that leaves the monotonic one by more than this between two entries was set."""

SLEW: Final = 0.001
"""And by more than this part of the time between them: what a clock is slewed by at most, twice."""

SIMULATED: Final = "simulated "
"""How the boot of a simulated table begins. Its monotonic time is virtual, and compares with no wall clock."""


class Times:
    """Seconds since the game began, over new starts of the machine too: there the wall clock says how long it was off,
    if it did not go back."""

    def __init__(self, first: PublicPart) -> None:
        self._last, self._at_s = first, 0.0

    def at(self, part: PublicPart) -> float:
        """Of the next entry; must be asked of each in its order."""
        if part.boot == self._last.boot and part.mono_ns >= self._last.mono_ns:
            self._at_s += (part.mono_ns - self._last.mono_ns) / 1e9
        elif not part.boot.startswith(SIMULATED):
            self._at_s += max(0.0, _wall_s(self._last, part) or 0.0)
        self._last = part
        return self._at_s

    def of(self, at_ns: int) -> float:
        """Of a moment before the last entry, on the same machine's clock; the entry's own if that cannot be."""
        if not 0 < at_ns <= self._last.mono_ns:
            return self._at_s
        return max(0.0, self._at_s - (self._last.mono_ns - at_ns) / 1e9)


def clock_steps(parts: Iterable[PublicPart]) -> Iterator[Found]:
    """Where the wall clock was stepped. Nobody's fault by itself: a Pi without a battery has no date until the network
    gives it one. It tells nothing but times, which anybody may read."""
    times: Times | None = None
    for before, part in pairwise(parts):
        times = times or Times(before)
        at_s = times.at(part)
        words = _stepped(before, part)
        if words is not None:
            yield Found(
                kind="clock stepped",
                rule=CLOCK,
                square=None,
                seat=None,
                claim=None,
                entry=part.seq,
                wall=part.wall,
                clock=part.clock,
                at_s=round(at_s, 3),
                words=words,
            )


def _stepped(before: PublicPart, part: PublicPart) -> str | None:
    if part.boot.startswith(SIMULATED) or before.boot.startswith(SIMULATED):
        return None
    wall_s = _wall_s(before, part)
    where = f"between entries {before.seq} and {part.seq}"
    if wall_s is None:
        return f"The date of entry {part.seq} or {before.seq} is none."
    source = "" if before.clock == part.clock else f"; its source went from {before.clock} to {part.clock}"
    if before.boot != part.boot:
        back = f"The machine was started anew {where}, and its date went back by {_s(-wall_s)}{source}."
        return back if wall_s < 0 else None
    passed_s = (part.mono_ns - before.mono_ns) / 1e9
    step_s = wall_s - passed_s
    if abs(step_s) <= STEP_S + SLEW * passed_s:
        return None
    way = "forward" if step_s > 0 else "back"
    return f"The date was set {way} by {_s(abs(step_s))} {where}{source}."


def _s(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else clock_text(seconds)


def _wall_s(before: PublicPart, part: PublicPart) -> float | None:
    try:
        passed: timedelta = datetime.fromisoformat(part.wall) - datetime.fromisoformat(before.wall)
    except (TypeError, ValueError):
        return None
    return passed.total_seconds()
