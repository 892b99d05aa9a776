"""Holding a button with a key. A terminal never says that a key was let go; it only repeats one held down. Pure.

A single press holds until the second press, or until the time is out. A key that is really held down holds for just as
long: its repeats come quickly, and when they stop the thumb is up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REPEATS_NS: Final = 120_000_000
"""Repeats of a held key come faster than this (terminals do 25 to 35 a second), two presses of a finger do not."""

FIRST_REPEAT_NS: Final = 800_000_000
"""A held key's first repeat comes within this; so may a second press, and only what follows tells which it was."""

QUIET_NS: Final = 250_000_000


@dataclass(slots=True)
class HoldKey:
    """One seat's thumb. Each method says whether the thumb goes down (True), up (False), or stays (None)."""

    at_most_ns: int
    held: bool = False
    _since_ns: int = 0
    _last_ns: int = 0
    _repeats: bool = False
    _unsure: bool = False

    def pressed(self, now_ns: int) -> bool | None:
        """The key came."""
        since_last_ns, self._last_ns = now_ns - self._last_ns, now_ns
        if not self.held:
            self.held, self._since_ns = True, now_ns
            self._repeats = self._unsure = False
            return True
        if since_last_ns < REPEATS_NS:
            self._repeats, self._unsure = True, False
        elif self._repeats or self._unsure or since_last_ns >= FIRST_REPEAT_NS:
            return self.let_go()
        else:
            self._unsure = True
        return None

    def passed(self, now_ns: int) -> bool | None:
        """Nothing came until now."""
        if not self.held:
            return None
        quiet_ns = now_ns - self._last_ns
        stopped = (self._repeats and quiet_ns > QUIET_NS) or (self._unsure and quiet_ns > REPEATS_NS)
        return self.let_go() if stopped or now_ns - self._since_ns > self.at_most_ns else None

    def let_go(self) -> bool:
        """The thumb goes up."""
        self.held = False
        return False
