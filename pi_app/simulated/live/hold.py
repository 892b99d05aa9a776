"""Holds a button with a key. A terminal never reports that a key was released; it only repeats one held down. Pure.

A single press holds until the next press, or until the time is out. A key that is held down repeats quickly, and holds
the button until the repeats stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REPEATS_NS: Final = 120_000_000
"""Repeats of a held key come faster than this (terminals send 25 to 35 a second), two presses do not."""

FIRST_REPEAT_NS: Final = 800_000_000
"""A held key's first repeat comes within this time. So can a second press; the next one decides which it was."""

QUIET_NS: Final = 250_000_000


@dataclass(slots=True)
class HoldKey:
    """The button of one seat. Each method returns True to press it, False to release it, None to leave it."""

    at_most_ns: int
    held: bool = False
    _since_ns: int = 0
    _last_ns: int = 0
    _repeats: bool = False
    _unsure: bool = False

    def pressed(self, now_ns: int) -> bool | None:
        """Handle the key."""
        since_last_ns, self._last_ns = now_ns - self._last_ns, now_ns
        if not self.held:
            self.held, self._since_ns = True, now_ns
            self._repeats = self._unsure = False
            return True
        if since_last_ns < REPEATS_NS:
            self._repeats, self._unsure = True, False
        elif self._repeats or self._unsure or since_last_ns >= FIRST_REPEAT_NS:
            return self.release()
        else:
            self._unsure = True
        return None

    def passed(self, now_ns: int) -> bool | None:
        """Handle the passing of time."""
        if not self.held:
            return None
        quiet_ns = now_ns - self._last_ns
        stopped = (self._repeats and quiet_ns > QUIET_NS) or (self._unsure and quiet_ns > REPEATS_NS)
        return self.release() if stopped or now_ns - self._since_ns > self.at_most_ns else None

    def release(self) -> bool:
        """Release the button."""
        self.held = False
        return False
