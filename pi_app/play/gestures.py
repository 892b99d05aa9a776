"""One button per seat: how presses become gestures. Tap. Turn. Hold.

    tap   a press shorter than `hold_ms`: claim the next dial that moves, or take the claim back
    hold  a press of at least `hold_ms`: look, for as long as it is held

Pure: levels and times in, gestures out. The level is polled, so a press cannot be lost between two edges.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Gesture(enum.Enum):
    """What a seat's thumb has just done."""

    TAP = "tap"
    HOLD = "hold"
    LET_GO = "let go"


BOUNCE_MS = 15
"""A contact that opens and closes faster than this is one press (cheap tactile switches bounce 5 to 10 ms)."""


@dataclass(slots=True)
class Thumb:
    """The presses of one button. Feed it the level as often as you like; it says when a gesture happened."""

    hold_ms: int = 400
    _down_ns: int | None = None
    _changed_ns: int | None = None
    _held: bool = False

    def feed(self, pressed: bool, now_ns: int) -> Gesture | None:
        """The gesture that this level completes at this moment, if any."""
        if self._changed_ns is not None and now_ns - self._changed_ns < BOUNCE_MS * 1_000_000:
            return None
        if pressed and self._down_ns is None:
            self._down_ns = self._changed_ns = now_ns
            return None
        if self._down_ns is None:
            return None
        if not pressed:
            return self._released(now_ns)
        if not self._held and now_ns - self._down_ns >= self.hold_ms * 1_000_000:
            self._held = True
            return Gesture.HOLD
        return None

    def _released(self, now_ns: int) -> Gesture:
        was_held, self._held = self._held, False
        self._down_ns, self._changed_ns = None, now_ns
        return Gesture.LET_GO if was_held else Gesture.TAP
