"""Turns the presses of a seat's button into gestures. Tap. Turn. Hold.

    tap   a press shorter than `hold_ms`: claim the next dial that moves, or take the claim back
    hold  a press of at least `hold_ms`: look, for as long as it lasts

Pure: levels and times in, gestures out. The level is polled, so a press cannot be lost between two edges.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Gesture(enum.Enum):
    """A completed gesture."""

    TAP = "tap"
    HOLD = "hold"
    LET_GO = "let go"


BOUNCE_MS = 15
"""Contact changes faster than this are bounce (cheap tactile switches bounce 5 to 10 ms)."""


@dataclass(slots=True)
class ButtonGestures:
    """The gestures of one button. Feed it the level as often as you like."""

    hold_ms: int = 400
    _down_ns: int | None = None
    _changed_ns: int | None = None
    _held: bool = False

    @property
    def pressed(self) -> bool:
        """Whether the button is down."""
        return self._down_ns is not None

    def feed(self, pressed: bool, now_ns: int) -> Gesture | None:
        """Return the gesture that this level completes, if any."""
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
