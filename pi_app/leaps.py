"""Leaps of an angle: a broken encoder hops between values, and nothing lies between. Pure.

A hand is seen at work: it takes 15 ms and more for a click, begins slowly, and the dial swings for a while where it
stops. So a leap is this: where a dial stood dead still (two looks), the next look, within LEAP_NS, shows it off that
place. And a dial `landed` if the look after that agrees, and none since then shows it swing: nobody saw it turn.

- A hand may have done it between two looks, so its path is unknown, and it must stand much longer to rest.
- It is `barred` if the top speed does not reach so far, even if one of the two looks there, or the last one before, was
  bad: no hand did it, however long it then stands, until the dial is seen moving.
- Where it leaps back to where it leapt from, one look there counts: no hand did that. `hopping` is what does it again
  and again, or is barred.

One stray look is no movement and ends no standing still. Slower looks than LEAP_NS show no landing; what happens
between them is an unknown path in any case, unless the gap limit says otherwise. But a dial that stood still before
such a gap and after it was not seen turning either.

An encoder that counts in steps of nearly a click shows no way and no swing: of its leaps only those count that no hand
is fast enough for, and those back.
"""

from __future__ import annotations

from collections import deque
from typing import Final

LEAP_NS: Final = 35_000_000
LEAP_CLICK: Final = 0.1
"""As far as a dial must come to have left its rest."""

SWING_CLICK: Final = 0.5
"""Farther away than this is no swing."""

STILL_TURN: Final = 8 / 4096
"""Ten times the noise of a sensor at rest (0.07 degrees)."""

HOPPING: Final = 3
"""So many in one movement are a fault of the encoder's, which somebody must mend."""

PLACES: Final = 4
"""So many that it leapt from are remembered: as many as anybody saw an encoder hop between."""


class Leaps:
    """Watches one dial while it is away from its rest.

    `count`: how often it leapt back. `landed`: it stands where a leap took it. `barred`: and no hand is so fast.
    `leapt`: it landed, or came there in a gap, and was seen to swing at most. `moved`: it was seen on its way.
    """

    __slots__ = (
        "_at_ns",
        "_error",
        "_half",
        "_home",
        "_in_steps",
        "_leap",
        "_left",
        "_off",
        "_place",
        "_run",
        "_seen_ns",
        "_speed",
        "_still",
        "_swing",
        "_turn",
        "barred",
        "count",
        "landed",
        "leapt",
        "moved",
    )

    def __init__(
        self,
        counts_per_turn: int,
        clicks: int,
        top_counts_per_s: float,
        error_counts: float,
        *,
        in_steps: bool = False,
    ) -> None:
        self._turn, self._half = counts_per_turn, counts_per_turn // 2
        self._leap = counts_per_turn / clicks * LEAP_CLICK
        self._swing = counts_per_turn / clicks * SWING_CLICK
        self._still = max(2.0, counts_per_turn * STILL_TURN)
        self._speed, self._error = top_counts_per_s / 1e9, error_counts
        self._in_steps = in_steps
        self._left: deque[int] = deque(maxlen=PLACES)
        self._forget()

    def _forget(self) -> None:
        self._at_ns: int | None = None
        self._home = self._place = self._run = self.count = 0
        self._seen_ns = (0, 0)
        self._off: tuple[int, int, int] | None = None
        self._left.clear()
        self.landed = self.barred = self.leapt = self.moved = False

    @property
    def hopping(self) -> bool:
        """Whether the encoder is broken or wired wrong."""
        return self.barred or self.count >= HOPPING

    @property
    def doubtful(self) -> bool:
        """Whether the way cannot be known for the leaps in it."""
        return self.landed or self.count > 0

    def rest(self) -> None:
        """The dial is at its rest again."""
        if self._at_ns is not None:
            self._forget()

    def see(self, at_ns: int, raw: int, rest: int, rested_ns: tuple[int, int]) -> None:
        """The next look at a dial away from its rest. For the first look: where it rested, and when it was last seen
        there, twice."""
        if self._at_ns is None:
            self._at_ns, self._place, self._home = rested_ns[1], rest, rest
            self._seen_ns, self._run = rested_ns, 2
            if rested_ns[0] == rested_ns[1]:  # it has only just come to rest
                self._seen_ns = (rested_ns[0] - LEAP_NS, rested_ns[1])
        passed_ns, self._at_ns = at_ns - self._at_ns, at_ns
        off, self._off = self._off, None
        if self._apart(raw, self._place) <= self._still:
            self._stand(self._place, (self._seen_ns[1], at_ns), self._run + 1)
        elif self._run < 2:
            self._move(raw, (at_ns, at_ns), 1)
        elif off is None or (self._is_back(raw, passed_ns) and not self._is_between(off[0], raw)):
            self._note_off(raw, at_ns, passed_ns)
        elif self._apart(raw, off[0]) > self._still:
            self._move(raw, (at_ns, at_ns), 1)
        elif off[2] <= LEAP_NS and self._apart(off[0], self._place) >= self._least():
            self._land(off[0], (off[1], at_ns))
        else:
            self._find(off[0], (off[1], at_ns), in_gap=off[2] > LEAP_NS)

    def _least(self) -> float:
        """How far is a leap: off its rest, and later on what is no swing."""
        return self._swing if self.moved or self._left else self._leap

    def _note_off(self, raw: int, at_ns: int, passed_ns: int) -> None:
        """One look away: a swing, a leap back, or anything."""
        self._off = (raw, at_ns, passed_ns)
        self.count += self._is_back(raw, passed_ns)
        if self._apart(raw, self._place) < self._swing:
            self.landed = self.barred

    def _is_back(self, raw: int, passed_ns: int) -> bool:
        return passed_ns <= LEAP_NS and any(self._apart(raw, left) <= 2 * self._still for left in self._left)

    def _is_between(self, off: int, raw: int) -> bool:
        """Whether one look lies on the way from where it stood to another, or with that one."""
        return self._apart(self._place, off) + self._apart(off, raw) <= self._apart(self._place, raw) + 2 * self._still

    def _stand(self, raw: int, seen_ns: tuple[int, int], run: int) -> None:
        self._place, self._seen_ns, self._run = raw, seen_ns, run

    def _move(self, raw: int, seen_ns: tuple[int, int], run: int) -> None:
        """It was seen on its way: from here on it is as good as any other."""
        self._stand(raw, seen_ns, run)
        self._left.clear()
        self.landed, self.barred, self.leapt, self.moved = False, False, False, True

    def _find(self, raw: int, seen_ns: tuple[int, int], *, in_gap: bool) -> None:
        """It stands dead still elsewhere, and that was no leap: it slipped a little, or came there in a gap."""
        leapt = self.leapt or (in_gap and not self._in_steps)
        if in_gap or not leapt:
            self._move(raw, seen_ns, 2)
        self._stand(raw, seen_ns, 2)
        self.leapt = leapt

    def _land(self, raw: int, seen_ns: tuple[int, int]) -> None:
        """Two looks agree on a place that it leapt to. One of them may be bad, or the last one where it was."""
        far = self._apart(raw, self._place)
        longest_ns = max(after - before for before, after in zip(self._seen_ns, seen_ns, strict=True))
        self.barred = far > longest_ns * self._speed + self._error
        if far >= self._swing:
            self._left.append(self._place)
        self.leapt, self.moved = self.barred or not self._in_steps, False
        self.landed = self.leapt and self._apart(raw, self._home) > 2 * self._still
        self._stand(raw, seen_ns, 2)

    def _apart(self, one: int, other: int) -> int:
        return abs((one - other + self._half) % self._turn - self._half)
