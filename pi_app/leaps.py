"""Leaps of an angle that are taken back: a broken encoder hops between two values, and nothing lies between. Pure.

Where a dial that stood dead still is dead still again at least half a click away, within LEAP_NS and with no swing, and
then goes all the way back in the same manner, no hand turned it: a click takes 15 ms and more, begins slowly, and the
dial swings for a while where it stops. The way is then unknown: samples that agree with each other do not prove that a
dial was turned. One such step alone is believed, since nothing else speaks against it; and a single spike is not
counted: what leaps must be seen there twice before it leaps back.

It asks for looks at least every 20 ms. When they come more slowly nothing is said.
"""

from __future__ import annotations

from typing import Final

LEAP_NS: Final = 20_000_000
LEAP_CLICK: Final = 0.5

STILL_TURN: Final = 8 / 4096
"""Ten times the noise of a sensor at rest (0.07 degrees)."""

HOPPING: Final = 3
"""So many in one movement are a fault of the encoder's, which somebody must mend."""


class Leaps:
    """Counts the leaps of one dial that were taken back, while it is away from its rest."""

    __slots__ = ("_at_ns", "_from", "_half", "_leap", "_raw", "_seen", "_still", "_turn", "count")

    def __init__(self, counts_per_turn: int, clicks: int) -> None:
        self._turn, self._half = counts_per_turn, counts_per_turn // 2
        self._leap = counts_per_turn / clicks * LEAP_CLICK
        self._still = max(2.0, counts_per_turn * STILL_TURN)
        self.count = 0
        self._at_ns: int | None = None
        self._raw = 0
        self._from: int | None = None
        self._seen = 2

    @property
    def hopping(self) -> bool:
        """Whether there were so many that the encoder is broken or wired wrong."""
        return self.count >= HOPPING

    def rest(self) -> None:
        """The dial is at its rest again."""
        if self._at_ns is not None:
            self._at_ns, self._from, self._seen, self.count = None, None, 2, 0

    def see(self, at_ns: int, raw: int, left: tuple[int, int]) -> None:
        """The next look at a dial away from its rest; `left` is the last one at the rest, for the first look.

        `_from` is where the last leap began, `_seen` how many looks in a row it was dead still since."""
        before_ns, before = (self._at_ns, self._raw) if self._at_ns is not None else left
        self._at_ns, self._raw = at_ns, raw
        step = self._apart(raw, before)
        if step <= self._still:
            self._seen += 1
        elif step < self._leap or at_ns - before_ns > LEAP_NS or self._seen < 2:
            self._from, self._seen = None, 1
        else:
            if self._from is not None and self._apart(raw, self._from) <= 2 * self._still:
                self.count += 1
            self._from, self._seen = before, 1

    def _apart(self, one: int, other: int) -> int:
        return abs((one - other + self._half) % self._turn - self._half)
