"""The movements of one dial in order of time, and its angle at any moment. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.sims.clock import NEVER_NS
from hardware.sims.trajectories import Trajectory

RING_PERIOD_NS = 12_000_000
RING_DECAY_NS = 8_000_000
RING_OVER_NS = 8 * RING_DECAY_NS
"""After eight decay times the ring is below a tenth of a count."""

KEPT_MOVES = 64
"""Moves kept behind the cursor, which bounds the memory of a demo that runs for days."""


def _first_swing() -> float:
    """The height of the first swing of a damped sine of amplitude 1."""
    omega, decay = 2 * math.pi / RING_PERIOD_NS, 1 / RING_DECAY_NS
    peak_ns = math.atan(omega / decay) / omega
    return math.exp(-decay * peak_ns) * math.sin(omega * peak_ns)


FIRST_SWING = _first_swing()


@dataclass(frozen=True, slots=True)
class Move:
    """One movement: from `start_ns` to `end_ns` from one angle to another, and how far it overshoots.

    It accelerates out of the detent, unless it is `spinning`: then its speed is constant.
    """

    start_ns: int
    end_ns: int
    from_counts: float
    to_counts: float
    overshoot_counts: float = 0.0
    spinning: bool = False

    @property
    def rest_ns(self) -> int:
        """When it has rung down."""
        return self.end_ns + (RING_OVER_NS if self.overshoot_counts else 0)

    def counts_at(self, t_ns: int) -> float:
        """The dial's angle at `t_ns`, at or after the start."""
        if t_ns < self.end_ns:
            done = (t_ns - self.start_ns) / (self.end_ns - self.start_ns)
            way = done if self.spinning else done * done
            return self.from_counts + (self.to_counts - self.from_counts) * way
        since_ns = t_ns - self.end_ns
        if since_ns >= RING_OVER_NS or not self.overshoot_counts:
            return self.to_counts
        swing = math.exp(-since_ns / RING_DECAY_NS) * math.sin(2 * math.pi * since_ns / RING_PERIOD_NS)
        return self.to_counts + self.overshoot_counts / FIRST_SWING * swing

    def passes_ns(self, counts: float) -> int:
        """When it passes an angle; its start if the angle lies behind it."""
        part = (counts - self.from_counts) / (self.to_counts - self.from_counts)
        done = max(0.0, part) if self.spinning else math.sqrt(max(0.0, part))
        return self.start_ns + round(done * (self.end_ns - self.start_ns))


class DialMotion:
    """Moves in order of time, and the angle at any moment; a look-up at rest is cheap."""

    __slots__ = ("_cursor", "_moves", "_starts_ns", "_still_counts", "_still_from_ns", "_still_until_ns")

    def __init__(self, at_counts: float = 0.0) -> None:
        self._moves: list[Move | Trajectory] = [Move(-NEVER_NS, -NEVER_NS, at_counts, at_counts)]
        self._starts_ns = [-NEVER_NS]
        self._cursor = 0
        self._still_counts = at_counts
        self._still_from_ns, self._still_until_ns = -NEVER_NS, NEVER_NS

    @property
    def moves(self) -> Sequence[Move | Trajectory]:
        """The moves so far (the oldest ones of a long run are dropped)."""
        return tuple(self._moves[1:])

    @property
    def free_from_ns(self) -> int:
        """When the last move has reached its goal: the next one may start then."""
        return self._moves[-1].end_ns

    @property
    def at_rest_from_ns(self) -> int:
        """When the last move has rung down."""
        return self._moves[-1].rest_ns

    @property
    def goal_counts(self) -> float:
        """The angle after the last move."""
        return self._moves[-1].to_counts

    def add(self, move: Move | Trajectory) -> None:
        """Append a move. Raises ValueError if it starts before the last one has ended, or ends at once."""
        if not self.free_from_ns <= move.start_ns < move.end_ns:
            raise ValueError(
                f"a move from {move.start_ns} to {move.end_ns} ns cannot follow one that ends at {self.free_from_ns} ns"
            )
        self._forget_long_past()
        self._moves.append(move)
        self._starts_ns.append(move.start_ns)
        self._still_until_ns = min(self._still_until_ns, move.start_ns)

    def angle_counts(self, t_ns: int) -> float:
        """The dial's angle in counts, not wrapped. Raises ValueError for a time before the kept moves."""
        if self._still_from_ns <= t_ns < self._still_until_ns:
            return self._still_counts
        place = self._place(t_ns)
        move = self._moves[place]
        if t_ns >= move.rest_ns:
            self._still_from_ns, self._still_until_ns = move.rest_ns, self._start_after(place)
            self._still_counts = move.to_counts
            return move.to_counts
        return move.counts_at(t_ns)

    def still_until_ns(self, t_ns: int) -> int:
        """How long the dial rests from `t_ns` on; `t_ns` itself while it moves."""
        place = self._place(t_ns)
        return t_ns if t_ns < self._moves[place].rest_ns else self._start_after(place)

    def counts_after_all(self, t_ns: int) -> float:
        """The angle at a time after all moves, which may lie far ahead of the other look-ups."""
        return self._moves[-1].counts_at(t_ns)

    def _place(self, t_ns: int) -> int:
        """The index of the move at `t_ns`: mostly the one at the cursor or the next."""
        for place in (self._cursor, self._cursor + 1):
            if place < len(self._starts_ns) and self._starts_ns[place] <= t_ns < self._start_after(place):
                self._cursor = place
                return place
        place = bisect_right(self._starts_ns, t_ns) - 1
        if place < 0:
            raise ValueError(f"the movement at {t_ns} ns is no longer kept")
        self._cursor = place
        return place

    def _start_after(self, place: int) -> int:
        return self._starts_ns[place + 1] if place + 1 < len(self._starts_ns) else NEVER_NS

    def _forget_long_past(self) -> None:
        if self._cursor > 2 * KEPT_MOVES:
            del self._moves[:KEPT_MOVES], self._starts_ns[:KEPT_MOVES]
            self._cursor -= KEPT_MOVES
