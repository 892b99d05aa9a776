"""A dial's shape, and which detents an angle has reached. Pure."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

FASTEST_TURNS_PER_S: Final = 14.25
"""171 clicks/s of 12: the best published effort by hand, on a bare shaft."""

SEATED_PITCH: Final = 90 / (4096 / 12)
HYSTERESIS_PITCH: Final = 0.1


@dataclass(frozen=True, slots=True)
class DialShape:
    """A dial's shape and the settings to follow it with; raises ValueError for a dial that cannot work.

    `centres`: the raw angle of each position, 0 to clicks-1, as the chip gives it; left out, position k is at
    k*counts_per_turn/clicks, counted the other way round if `invert`. `invert`: the counts fall when the dial is
    turned counter-clockwise. Left out, `hysteresis_counts` is a tenth of a pitch, `seated_counts` 90 at 12 clicks.
    `in_steps`: it counts steps that are not much smaller than a click, which hide a path or a swing.
    `top_speed_turns_per_s`: the guarantee holds up to it; a gap limit above 35 ms promises also that no gap hides half
    a turn.
    """

    clicks: int = 12
    counts_per_turn: int = 4096
    centres: tuple[float, ...] | None = None
    invert: bool = False
    in_steps: bool = False
    hysteresis_counts: float | None = None
    seated_counts: float | None = None
    gap_limit_ms: float = 35
    rest_ms: float = 600
    top_speed_turns_per_s: float = FASTEST_TURNS_PER_S

    def __post_init__(self) -> None:
        if not 2 <= self.clicks <= 100:
            raise ValueError(f"a dial has 2 to 100 clicks, not {self.clicks}")
        if self.counts_per_turn < 32 * self.clicks:
            raise ValueError(f"{self.counts_per_turn} counts are too coarse for {self.clicks} clicks")
        for name in ("gap_limit_ms", "rest_ms", "top_speed_turns_per_s"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.centres is not None and len(self.centres) != self.clicks:
            raise ValueError(f"{self.clicks} clicks need {self.clicks} centres, not {len(self.centres)}")
        self._check_seats()

    def _check_seats(self) -> None:
        gaps = self.gaps()
        if min(gaps) <= 0 or abs(sum(gaps) - self.counts_per_turn) > 0.5:
            raise ValueError("the centres do not go once round counter-clockwise (is `invert` right?)")
        if self.hysteresis <= 0 or self.seated <= 0:
            raise ValueError("hysteresis_counts and seated_counts must be above 0")
        if self.seated + self.hysteresis > min(gaps) / 2:
            raise ValueError(
                f"seated_counts {self.seated:.0f} and hysteresis_counts {self.hysteresis:.0f} do not fit "
                f"between two detents {min(gaps):.0f} counts apart"
            )

    @property
    def pitch(self) -> float:
        """Counts from detent to detent with even spacing."""
        return self.counts_per_turn / self.clicks

    @property
    def hysteresis(self) -> float:
        """A dial farther than these counts from where it rested has moved."""
        return self.pitch * HYSTERESIS_PITCH if self.hysteresis_counts is None else self.hysteresis_counts

    @property
    def seated(self) -> float:
        """A dial within these counts of a centre is seated."""
        return self.pitch * SEATED_PITCH if self.seated_counts is None else self.seated_counts

    def ccw_centres(self) -> tuple[float, ...]:
        """Return the centres in counts that grow counter-clockwise."""
        if self.centres is None:
            return tuple(k * self.pitch for k in range(self.clicks))
        if self.invert:
            return tuple((self.counts_per_turn - centre) % self.counts_per_turn for centre in self.centres)
        return self.centres

    def gaps(self) -> tuple[float, ...]:
        """Return the counts from each position to the next counter-clockwise, 0 to counts_per_turn-1."""
        centres = self.ccw_centres()
        return tuple((centres[(k + 1) % self.clicks] - centres[k]) % self.counts_per_turn for k in range(self.clicks))


@dataclass(frozen=True, slots=True)
class Seated:
    """The dial stands in the detent of `position`, 0 to clicks-1."""

    position: int


@dataclass(frozen=True, slots=True)
class Between:
    """The dial stands between two detents; `high` is the next one counter-clockwise from `low`."""

    low: int
    high: int


Stand = Seated | Between


def wrapped(counts: int, turn: int) -> int:
    """Return a difference of angles the short way round: -half to half-1."""
    return (counts + turn // 2) % turn - turn // 2


Tables = tuple[int, Sequence[int], Sequence[int]]
"""The count where a turn begins, and for each count from there on the detents that `Detents.around` returns."""


@lru_cache(maxsize=128)
def _tables(centres: tuple[float, ...], turn: int, seated: float) -> Tables:
    zero = math.floor(centres[0])
    ways = [(centre - zero) % turn for centre in centres]
    ways.append(ways[0] + turn)
    counts = range(turn)
    up = array("b", (bisect_right(ways, count + seated) - 1 for count in counts))
    return zero, up, array("b", (bisect_left(ways, count - seated) for count in counts))


class Detents:
    """Looks up which detents an unwrapped angle has reached. Detent numbers grow from turn to turn.

    Dials of one shape share their tables: a byte for each count, since a dial has at most 100 clicks.
    """

    __slots__ = ("_clicks", "_down", "_turn", "_up", "_zero")

    def __init__(self, shape: DialShape) -> None:
        self._clicks, self._turn = shape.clicks, shape.counts_per_turn
        self._zero, self._up, self._down = _tables(shape.ccw_centres(), shape.counts_per_turn, shape.seated)

    def around(self, angle: int) -> tuple[int, int]:
        """Return the last detent reached from below, and from above; the same one if the angle is at its seat."""
        turns, count = divmod(angle - self._zero, self._turn)
        return turns * self._clicks + self._up[count], turns * self._clicks + self._down[count]

    def named(self, around: tuple[int, int]) -> Stand:
        """Return where a dial stands that has reached these two."""
        low, high = around[0] % self._clicks, around[1] % self._clicks
        return Seated(low) if around[0] == around[1] else Between(low, high)

    def stand_at(self, angle: int) -> Stand:
        """Return where a dial stands that rests at this angle."""
        return self.named(self.around(angle))

    def stand_of_pair(self, before: int, angle: int) -> Stand:
        """Return where a dial stands by its last two samples: seated only if both say so."""
        stand, earlier = self.stand_at(angle), self.stand_at(before)
        if isinstance(stand, Between) or earlier == stand:
            return stand
        if isinstance(earlier, Between):
            return earlier
        low, high = (0, 1) if angle < before else (-1, 0)
        return Between((stand.position + low) % self._clicks, (stand.position + high) % self._clicks)
