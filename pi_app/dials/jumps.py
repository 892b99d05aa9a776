"""Moves that no sample showed on their way: a crisp click between two samples, or an encoder that glitches. Pure.

A printed dial with a little grease snaps into its next detent in 3 to 8 ms and stands there without ringing, so at 100
samples a second an ordinary click often shows as one jump. A glitching encoder shows a jump too. `Jumps` says which
moves were jumps and which evidence speaks against a hand; `pi_app.dials.evidence` and `pi_app.dials.tracker` decide.

- A **jump** begins where the dial stood still for two samples and ends, within JUMP_NS, in two samples that agree on
  another place. `jumped`: the dial stands where a jump took it, and nothing has shown yet that a hand moved it.
- FLOWING small steps in a row in one direction show a hand (`seen`): a glitching encoder makes large steps. So do
  MANY_PLACES different places, since it jumps among few. One sample on the way shows less: the dial then has to hold
  its place as after a jump, but its path is known.
- A jump is `implausible` if it is longer than the top speed allows between the samples around it (one of them may be
  bad) and longer than one click, which a detent can pull faster than any finger. No hand did it. It stays implausible
  until the dial is seen moving.
- A jump is `far` if it is longer than detents and fingers make it: more than one click at once, and faster than 60
  clicks a second. It may have been a hand on a bare shaft, so its path stays unknown.
- A jump back to where an earlier one began, within RETURN_NS, is a `quick_return`: fingers take longer to reverse. The
  encoder is `glitching` after three of them in one movement, or an implausible jump.

One stray sample is no movement and ends no standing still. Samples farther apart than JUMP_NS show no jump: a move
between them is an unknown path unless the gap limit says otherwise, and shows no hand.

An encoder that counts in steps of nearly a click shows no intermediate angles, and its swings are whole steps: only its
implausible jumps count, and quick returns over more than a click.
"""

from __future__ import annotations

from collections import deque
from typing import Final

JUMP_NS: Final = 35_000_000
JUMP_CLICK: Final = 0.1
"""A dial this far from its rest has left it."""

SWING_CLICK: Final = 0.5
"""A move longer than this is no swing."""

STILL_TURN: Final = 8 / 4096
"""Ten times the noise of a sensor at rest (0.07 degrees)."""

RETURN_NS: Final = 60_000_000
"""Fingers reverse no faster: tapping and twisting reach 6 to 8 reversals a second, 60 to 80 ms for one."""

GLITCH_RETURNS: Final = 3
"""This many quick returns in one movement are a fault of the encoder, which must be repaired."""

ORDINARY_CLICKS: Final = 1.35
ORDINARY_CLICKS_PER_S: Final = 60
"""A detented dial under a hand: one click at once (and the error of an eccentric magnet), and up to 60 a second. A
longer jump comes from a bare shaft, or is a glitch."""

FLOWING: Final = 3
"""No glitching encoder was reported to make this many small steps in a row."""

MANY_PLACES: Final = 7
"""No encoder was reported to glitch among this many places: four at the most."""

PLACES: Final = 4
"""Places that it jumped from to remember: as many as an encoder was reported to glitch among."""

FEWEST_SECTORS: Final = 8
"""For the longest snap, a click of a dial with fewer detents counts as an eighth of a turn."""


def longest_snap(counts_per_turn: int, clicks: int) -> float:
    """Return how far a detent alone can pull a dial between two samples, in counts."""
    return counts_per_turn / max(clicks, FEWEST_SECTORS)


class Jumps:
    """Watches one dial while it is away from its rest.

    `quick_returns`: how often it jumped back too soon for a hand. `jumped`: it stands where a jump took it; `returned`:
    jumps took it back to where it was. `implausible`: and no hand is so fast. `moved`: it was sampled on its way.
    `seen`: samples showed a hand at work, or the evidence did (`accept`).
    """

    __slots__ = (
        "_at_ns",
        "_back_ns",
        "_error",
        "_flows",
        "_half",
        "_in_steps",
        "_jump",
        "_last",
        "_left",
        "_off",
        "_origin",
        "_pitch",
        "_place",
        "_run",
        "_seen_ns",
        "_snap",
        "_speed",
        "_still",
        "_swing",
        "_turn",
        "_upward",
        "_visited",
        "far",
        "implausible",
        "jumped",
        "jumped_ns",
        "moved",
        "quick_returns",
        "returned",
        "seen",
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
        self._jump = counts_per_turn / clicks * JUMP_CLICK
        self._swing = counts_per_turn / clicks * SWING_CLICK
        self._still = max(2.0, counts_per_turn * STILL_TURN)
        self._speed, self._error = top_counts_per_s / 1e9, error_counts
        self._snap = longest_snap(counts_per_turn, clicks)
        self._pitch = counts_per_turn / clicks
        self._in_steps = in_steps
        self._left: deque[int] = deque(maxlen=PLACES)
        self._visited: list[int] = []
        self._forget()

    def _forget(self) -> None:
        self._at_ns: int | None = None
        self._origin = self._place = self._last = self._run = self.quick_returns = 0
        self._seen_ns = (0, 0)
        self._back_ns = self.jumped_ns = self._flows = 0
        self._off: tuple[int, int, int] | None = None
        self._left.clear()
        self._visited.clear()
        self._upward = False
        self.jumped = self.returned = self.implausible = self.far = self.moved = False
        self.seen = self._in_steps

    @property
    def glitching(self) -> bool:
        """Whether the encoder is broken or wired wrong."""
        return self.implausible or self.quick_returns >= GLITCH_RETURNS

    @property
    def doubtful(self) -> bool:
        """Whether jumps hide the path."""
        return self.jumped or self.quick_returns > 0

    @property
    def undecided(self) -> bool:
        """Whether the dial stands where no sample showed it going, and no evidence speaks against a hand yet."""
        if self.seen and not self.jumped:
            return False
        return not (self.implausible or self.far or self.returned or self.quick_returns)

    def rest(self) -> None:
        """Note that the dial is at its rest again."""
        if self._at_ns is not None:
            self._forget()

    def is_origin(self, raw: int) -> bool:
        """Whether the dial was here before any sign of a hand: its return proves none."""
        return self._apart(raw, self._origin) <= 2 * self._still

    def accept(self) -> None:
        """Accept that a hand turned the dial to where it stands."""
        self._left.clear()
        self.jumped, self.returned, self.seen, self.moved = False, False, True, True

    def see(self, at_ns: int, raw: int, rest: int, rested_ns: tuple[int, int], origin: int | None = None) -> None:
        """Take the next sample of a dial away from its rest. The first one needs the dial's rest, and when it was last
        sampled there, twice; and its `origin`, if a jump that was never accepted took it from there."""
        if self._at_ns is None:
            self._at_ns, self._place, self._origin = rested_ns[1], rest, rest if origin is None else origin
            self._last = rest
            self._seen_ns, self._run = rested_ns, 2
            if rested_ns[0] == rested_ns[1]:  # it has just come to rest
                self._seen_ns = (rested_ns[0] - JUMP_NS, rested_ns[1])
        passed_ns, self._at_ns = at_ns - self._at_ns, at_ns
        self._flow(raw, passed_ns)
        off, self._off = self._off, None
        if self._apart(raw, self._place) <= self._still:
            self._stand(self._place, (self._seen_ns[1], at_ns), self._run + 1)
            if self.seen and not self.jumped:
                self._origin = self._place  # a hand took it here: a return to it is no jump
        elif self._run < 2:
            self._move(raw, (at_ns, at_ns), 1)
        elif off is None or (self._is_back(raw, passed_ns) and not self._is_between(off[0], raw)):
            self._note_off(raw, at_ns, passed_ns)
        elif self._apart(raw, off[0]) > self._still:
            self._move(raw, (at_ns, at_ns), 1)
        elif off[2] <= JUMP_NS and self._apart(off[0], self._place) >= self._least():
            self._jump_to(off[0], (off[1], at_ns))
        else:
            self._find(off[0], (off[1], at_ns), in_gap=off[2] > JUMP_NS)

    def _flow(self, raw: int, passed_ns: int) -> None:
        """Count small steps in one direction, which no encoder makes up. A dial that rings widely seems to jump back to
        where it reversed; its next small steps show that it rang."""
        step, self._last = self._wrap(raw - self._last), raw
        if passed_ns > JUMP_NS or abs(step) >= self._swing:
            self._flows = 0
        elif abs(step) > self._still:
            self._flows = self._flows + 1 if (step > 0) is self._upward else 1
            self._upward = step > 0
        if not self.seen and all(self._apart(raw, place) > 2 * self._still for place in self._visited):
            self._visited.append(raw)
        if self._flows >= FLOWING or len(self._visited) >= MANY_PLACES:
            self._show_a_hand()

    def _show_a_hand(self) -> None:
        self.seen = True
        self._visited.clear()
        if self.quick_returns < GLITCH_RETURNS:
            self.quick_returns = 0

    def _least(self) -> float:
        """Return how far a jump goes at least: off its rest; later, farther than a swing."""
        return self._swing if self.moved or self._left else self._jump

    def _note_off(self, raw: int, at_ns: int, passed_ns: int) -> None:
        """Note one sample away: a swing, a jump back, or a spike."""
        self._off = (raw, at_ns, passed_ns)
        self.quick_returns += self._is_back(raw, passed_ns) and at_ns - self._back_ns <= RETURN_NS
        if self._apart(raw, self._place) < self._swing:
            self.jumped = self.implausible

    def _is_back(self, raw: int, passed_ns: int) -> bool:
        if self._in_steps and self._apart(raw, self._place) <= self._pitch:
            return False
        return passed_ns <= JUMP_NS and any(self._apart(raw, left) <= 2 * self._still for left in self._left)

    def _is_between(self, off: int, raw: int) -> bool:
        """Whether one sample lies between where the dial stood and another sample, or at that one."""
        return self._apart(self._place, off) + self._apart(off, raw) <= self._apart(self._place, raw) + 2 * self._still

    def _stand(self, raw: int, seen_ns: tuple[int, int], run: int) -> None:
        self._place, self._seen_ns, self._run = raw, seen_ns, run

    def _move(self, raw: int, seen_ns: tuple[int, int], run: int) -> None:
        """It was sampled on its way: its path from here on is known."""
        self._stand(raw, seen_ns, run)
        self._left.clear()
        self.jumped, self.returned, self.implausible, self.far, self.moved = False, False, False, False, True

    def _find(self, raw: int, seen_ns: tuple[int, int], *, in_gap: bool) -> None:
        """It stands still elsewhere without a jump: it slipped a little, or moved in a gap."""
        if in_gap or self.moved:
            self._move(raw, seen_ns, 2)
        self._stand(raw, seen_ns, 2)
        if in_gap:
            self.seen = self._in_steps
        self.jumped_ns = seen_ns[0]

    def _jump_to(self, raw: int, seen_ns: tuple[int, int]) -> None:
        """Two samples agree on a place that it jumped to. One of them may be bad, or the last one before."""
        far = self._apart(raw, self._place)
        longest_ns = max(after - before for before, after in zip(self._seen_ns, seen_ns, strict=True))
        away = not self.is_origin(raw)
        self.implausible = away and far > max(longest_ns * self._speed, self._snap) + self._error
        ordinary_clicks = ORDINARY_CLICKS + (seen_ns[0] - self._seen_ns[1]) / 1e9 * ORDINARY_CLICKS_PER_S
        self.far = self.far or far > ordinary_clicks * self._pitch
        if far >= self._swing:
            self._left.append(self._place)
        self._back_ns = self.jumped_ns = seen_ns[0]
        self._flows = 0
        jumped = self.implausible or not self._in_steps
        self.seen, self.moved = not jumped, False
        self.jumped, self.returned = jumped and away, jumped and not away
        self._stand(raw, seen_ns, 2)

    def _wrap(self, counts: int) -> int:
        return (counts + self._half) % self._turn - self._half

    def _apart(self, one: int, other: int) -> int:
        return abs(self._wrap(one - other))
