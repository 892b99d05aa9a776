"""The times of a game's entries: how far into the game each one is, their correct dates, and steps of the wall clock.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pi_app.audit.values import CLOCK, FindingSeen, clock_text
from pi_app.journal.record.entry import CLOCK_SOURCES, PublicPart

STEP_S: Final = 2.0
"""A wall clock that differs from the monotonic one by more than this was set."""

SLEW: Final = 0.001
"""And by more than this part of the time that passed: twice the most that a clock is slewed by."""

SIMULATED: Final = "simulated "
"""Prefix of a simulated table's boot. Its monotonic time is virtual and cannot be compared with a wall clock."""

FAR: Final = 2**63
"""A file may claim any number; this is the limit of a clock."""

CORRECTED: Final = "clock corrected"
"""The kind of an entry that gives the error of earlier dates of its boot."""


class Times:
    """Seconds since the game began, across restarts of the machine: the wall clock gives the time that it was off, if
    both dates have a source and it did not go back."""

    def __init__(self, first: PublicPart) -> None:
        self._last, self._at_s = first, 0.0

    def at(self, part: PublicPart) -> float:
        """Return the time of the next entry; call it for each in order."""
        if part.boot == self._last.boot and part.mono_ns >= self._last.mono_ns:
            self._at_s += _passed_s(self._last, part)
        elif not part.boot.startswith(SIMULATED) and "none" not in (part.clock, self._last.clock):
            self._at_s += max(0.0, _wall_s(self._last, part) or 0.0)
        self._last = part
        return self._at_s

    def of(self, at_ns: int) -> float:
        """Return the time of a moment before the last entry, on the same machine's clock; otherwise the entry's own."""
        if not 0 < at_ns <= self._last.mono_ns:
            return self._at_s
        return max(0.0, self._at_s - min(self._last.mono_ns - at_ns, FAR) / 1e9)


def dated(parts: Sequence[PublicPart]) -> list[PublicPart]:
    """Return the entries with their dates corrected by later `clock corrected` entries; `clock` is then the source of
    the correct date. An unreadable date stays."""
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
    """Yield the steps of the wall clock, from the dates as recorded; many small steps add up. A correction is no step:
    the date now has a better source, and an entry gives its error. Only times are used, which everyone may read."""
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
            yield FindingSeen.about(part, at_s, "clock stepped", CLOCK, words)
        if words is not None or part.boot != since.boot:
            since = part
        before = part


def _came_right(before: PublicPart, part: PublicPart) -> bool:
    if part.kind != CORRECTED or part.add_ms is None or part.boot != before.boot:
        return False
    witnessed = part.witnessed is not None and part.add_ms > 0
    better = witnessed or CLOCK_SOURCES.index(part.clock) > CLOCK_SOURCES.index(before.clock)
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
        return f"The date of entry {part.seq} or {before.seq} is invalid."
    source = "" if before.clock == part.clock else f"; its source went from {before.clock} to {part.clock}"
    if before.boot != part.boot:
        back = f"The machine was restarted {where}, and its date went back by {_s(-wall_s)}{source}."
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
