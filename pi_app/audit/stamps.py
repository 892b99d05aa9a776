"""The times of a game's entries: how far into the game each one is, their right dates, and where the wall clock was
stepped. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pi_app.audit.values import CLOCK, FindingSeen, clock_text
from pi_app.journal.record.entry import CLOCK_SOURCES, PublicPart

STEP_S: Final = 2.0
"""A wall clock that leaves the monotonic one by more than this was set."""

SLEW: Final = 0.001
"""And by more than this part of the time that passed: what a clock is slewed by at most, twice."""

SIMULATED: Final = "simulated "
"""How the boot of a simulated table begins. Its monotonic time is virtual, and compares with no wall clock."""

FAR: Final = 2**63
"""A file may claim any number; no clock counts further."""

CORRECTED: Final = "clock corrected"
"""The kind of an entry that says by how much earlier dates of its boot were off."""


class Times:
    """Seconds since the game began, over new starts of the machine too: there the wall clock says how long it was off,
    if both dates came from somewhere and it did not go back."""

    def __init__(self, first: PublicPart) -> None:
        self._last, self._at_s = first, 0.0

    def at(self, part: PublicPart) -> float:
        """Of the next entry; must be asked of each in its order."""
        if part.boot == self._last.boot and part.mono_ns >= self._last.mono_ns:
            self._at_s += _passed_s(self._last, part)
        elif not part.boot.startswith(SIMULATED) and "none" not in (part.clock, self._last.clock):
            self._at_s += max(0.0, _wall_s(self._last, part) or 0.0)
        self._last = part
        return self._at_s

    def of(self, at_ns: int) -> float:
        """Of a moment before the last entry, on the same machine's clock; the entry's own if that cannot be."""
        if not 0 < at_ns <= self._last.mono_ns:
            return self._at_s
        return max(0.0, self._at_s - min(self._last.mono_ns - at_ns, FAR) / 1e9)


def dated(parts: Sequence[PublicPart]) -> list[PublicPart]:
    """The same entries with the dates that later `clock corrected` entries give them; `clock` is then where those dates
    come from. A date that cannot be added to stays."""
    right: list[PublicPart] = []
    add_ms, clock, boot = 0, None, None
    for part in reversed(parts):
        if part.boot != boot:
            add_ms, clock, boot = 0, None, part.boot
        wall = _later(part.wall, add_ms)
        known = clock is not None and wall is not None
        right.append(msgspec.structs.replace(part, wall=wall, clock=clock) if known else part)
        if part.kind == CORRECTED and part.add_ms is not None:
            add_ms, clock = add_ms + part.add_ms, clock or part.clock
    return right[::-1]


def _later(wall: str, add_ms: int) -> str | None:
    try:
        return (datetime.fromisoformat(wall) + timedelta(milliseconds=add_ms)).isoformat()
    except (ValueError, OverflowError):
        return None


def clock_steps(parts: Sequence[PublicPart]) -> Iterator[FindingSeen]:
    """Where the wall clock was stepped, from the dates as they were recorded; many small steps count together. A clock
    that came right (its date comes from a better source now, and an entry says by how much it was off) was not. It
    tells nothing but times, which anybody may read."""
    times: Times | None = None
    since = before = None
    for part, right in zip(parts, dated(parts), strict=True):
        times = times or Times(right)
        at_s = times.at(right)
        if since is None or before is None or _came_right(before, part):
            since = before = part
            continue
        words = _stepped(before, part) or _stepped(since, part)
        if words is not None:
            yield FindingSeen(
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
        if words is not None or part.boot != since.boot:
            since = part
        before = part


def _came_right(before: PublicPart, part: PublicPart) -> bool:
    if part.kind != CORRECTED or part.add_ms is None or part.boot != before.boot:
        return False
    better = CLOCK_SOURCES.index(part.clock) > CLOCK_SOURCES.index(before.clock)
    step_s = _step_s(before, part)
    return better and step_s is not None and abs(step_s - min(max(part.add_ms, -FAR), FAR) / 1000) <= STEP_S


def _step_s(before: PublicPart, part: PublicPart) -> float | None:
    wall_s = _wall_s(before, part)
    return None if wall_s is None else wall_s - _passed_s(before, part)


def _stepped(before: PublicPart, part: PublicPart) -> str | None:
    if part.boot.startswith(SIMULATED) or before.boot.startswith(SIMULATED):
        return None
    wall_s, step_s = _wall_s(before, part), _step_s(before, part)
    where = f"between entries {before.seq} and {part.seq}"
    if wall_s is None or step_s is None:
        return f"The date of entry {part.seq} or {before.seq} is none."
    source = "" if before.clock == part.clock else f"; its source went from {before.clock} to {part.clock}"
    if before.boot != part.boot:
        back = f"The machine was started anew {where}, and its date went back by {_s(-wall_s)}{source}."
        return back if wall_s < 0 and "none" not in (before.clock, part.clock) else None
    if abs(step_s) <= STEP_S + SLEW * _passed_s(before, part):
        return None
    way = "forward" if step_s > 0 else "back"
    return f"The date was set {way} by {_s(abs(step_s))} {where}{source}."


def _passed_s(before: PublicPart, part: PublicPart) -> float:
    return min(max(part.mono_ns - before.mono_ns, -FAR), FAR) / 1e9


def _s(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else clock_text(seconds)


def _wall_s(before: PublicPart, part: PublicPart) -> float | None:
    try:
        passed: timedelta = datetime.fromisoformat(part.wall) - datetime.fromisoformat(before.wall)
    except (TypeError, ValueError, OverflowError):
        return None
    return passed.total_seconds()
