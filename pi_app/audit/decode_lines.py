"""Prints a turn for `trapdial decode`: one line for a person, or one JSON object. Pure.

A turn may be ambiguous or merged, and its line says so. `why` gives the reason for an unknown path; a turn that began
between two detents has a range of clicks; and a dial that stood still on the way, for less than a rest, may have been
turned twice.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.dials.detents import Between, Detents, DialShape, wrapped
from pi_app.dials.tracker import Turn

PAUSE_PART: Final = 1 / 3
LEAST_PAUSE_NS: Final = 100_000_000
"""A dial that stands still for this part of `rest_ms`, and this long, may have been turned twice."""

MOST_PAUSES: Final = 8


@dataclass(frozen=True, slots=True)
class Pause:
    """The dial stood still within a turn. `position` is None between two detents."""

    start_ns: int
    for_ns: int
    position: int | None


class Pauses:
    """Finds where a dial stands still. Feed it all samples around a turn; it keeps the last few pauses."""

    def __init__(self, shape: DialShape) -> None:
        self._detents, self._invert = Detents(shape), shape.invert
        self._turn, self._near = shape.counts_per_turn, shape.hysteresis
        self._least_ns = max(LEAST_PAUSE_NS, shape.rest_ms * 1e6 * PAUSE_PART)
        self._since_ns = self._last_ns = 0
        self._raw: int | None = None
        self._found: deque[Pause] = deque(maxlen=MOST_PAUSES)

    def see(self, times: Sequence[int], angles: Sequence[int | None]) -> None:
        """Take samples in order; None is a failed read."""
        for at_ns, raw in zip(times, angles, strict=True):
            if raw is None:
                continue
            if self._raw is None or abs(wrapped(raw - self._raw, self._turn)) > self._near:
                self._end()
                self._since_ns, self._raw = at_ns, raw
            self._last_ns = at_ns

    def within(self, turn: Turn) -> tuple[Pause, ...]:
        """Return the pauses after the turn's start and before its end; forget earlier ones."""
        found = tuple(
            pause
            for pause in self._found
            if turn.start_ns <= pause.start_ns and pause.start_ns + pause.for_ns < turn.end_ns
        )
        while self._found and self._found[0].start_ns < turn.end_ns:
            self._found.popleft()
        return found

    def _end(self) -> None:
        for_ns = self._last_ns - self._since_ns
        if self._raw is not None and for_ns >= self._least_ns:
            angle = (self._turn - self._raw) % self._turn if self._invert else self._raw
            stand = self._detents.stand_at(angle)
            self._found.append(Pause(self._since_ns, for_ns, None if isinstance(stand, Between) else stand.position))


def why(turn: Turn, gap_limit_ms: float = 35) -> str | None:
    """Return why the path of a turn is unknown; None for a path that was followed."""
    if turn.path == "followed":
        return None
    if turn.left_ns == turn.start_ns:
        return "the dial was moving when the trace began"
    if turn.longest_gap_ns > gap_limit_ms * 1e6:
        return f"no good sample for {turn.longest_gap_ns / 1e6:.1f} ms while it may have moved"
    if turn.unseen:
        return "the angle jumped, and nothing proved that a hand turned the dial"
    return "half a turn or more may have passed between two samples"


# -------------------------------------------------------------------------------------------- lines out


def as_json(turn: Turn, pauses: Sequence[Pause] = (), gap_limit_ms: float = 35) -> str:
    """Return one JSON object: start_ns, end_ns, from, to, clicks, path; the others only where they apply."""
    fields: dict[str, object] = {
        "start_ns": turn.start_ns,
        "end_ns": turn.end_ns,
        "from": turn.from_position,
        "to": turn.to_position,
        "clicks": turn.clicks,
        "path": turn.path,
    }
    if turn.clicks_range is not None:
        fields["clicks_range"] = list(turn.clicks_range)
        fields["passed"] = turn.passed
    reason = why(turn, gap_limit_ms)
    if reason is not None:
        fields["why"] = reason
    if turn.unseen:
        fields["unseen"] = True
    if pauses:
        fields["pauses"] = [
            {"start_ns": pause.start_ns, "for_ns": pause.for_ns, "position": pause.position} for pause in pauses
        ]
    if turn.between is not None:
        fields["between"] = list(turn.between)
    if turn.cut:
        fields["cut"] = True
    return json.dumps(fields)


def as_text(turn: Turn, pauses: Sequence[Pause] = (), gap_limit_ms: float = 35) -> str:
    """Return one line for a person."""
    cut = ", cut off by the end of the trace" if turn.cut else ""
    return (
        f"{turn.start_ns / 1e9:.3f} s to {turn.end_ns / 1e9:.3f} s: from {_begin(turn)} to {_end(turn)}, "
        f"{_clicks(turn, gap_limit_ms)} ({counted(turn.samples, 'sample')}, {turn.failed} failed, "
        f"longest gap {turn.longest_gap_ns / 1e6:.1f} ms{cut}){_paused(pauses)}"
    )


def _begin(turn: Turn) -> str:
    if turn.from_position is not None:
        return str(turn.from_position)
    return "an unknown place" if turn.clicks_range is None else "between two detents"


def _end(turn: Turn) -> str:
    if turn.to_position is not None:
        return str(turn.to_position)
    return "an unknown place" if turn.between is None else "between {} and {}".format(*turn.between)


def _clicks(turn: Turn, gap_limit_ms: float) -> str:
    unseen = ", but too few samples show a hand at work" if turn.unseen else ""
    if turn.clicks is not None:
        return f"{_signed(turn.clicks)} click{'s' * (abs(turn.clicks) != 1)}{unseen}"
    if turn.clicks_range is not None:
        low, high = turn.clicks_range
        joint = "or" if high - low == 1 else "to"
        return f"{_signed(low)} {joint} {_signed(high)} clicks, since it began between two detents{unseen}"
    return f"path unknown: {why(turn, gap_limit_ms)}"


def _paused(pauses: Sequence[Pause]) -> str:
    if not pauses:
        return ""
    where = " and ".join(
        f"{pause.for_ns / 1e6:.0f} ms {'between two detents' if pause.position is None else f'at {pause.position}'}"
        for pause in pauses
    )
    return f"; it stood still for {where} on the way: perhaps more than one turn"


def _signed(clicks: int) -> str:
    return f"{clicks:+d}" if clicks else "0"


def counted(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
