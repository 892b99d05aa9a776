"""Paths of a detented dial, integrated once and kept as tables. Pure: the same request always has the same table.

A table counts from the middle of the detent that the dial leaves, upwards in the direction of the turn, so it applies
to every detent and both directions. Some dozens of drawn variants represent all dials and fingers of a kind; a turn of
more than four clicks repeats its middle clicks.
"""

from __future__ import annotations

import math
import random
from array import array
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from hardware.sims.detent import SAMPLE_S, Detent, Finger, Path, run
from hardware.sims.hand_kinds import BARE, HANDS, TWIST, cam

COUNTS_PER_TURN = 4096
VARIANTS: Final = 24
PACED_VARIANTS: Final = 6
"""Variants of a request at a given pace: there are many paces."""
ATTEMPTS: Final = 60
"""Draws per request: one that runs on into another detent, or sticks beside a top, is dropped."""
EXACT_CLICKS: Final = 4
"""Turns of so many clicks are integrated whole."""
PACES_PER_DECADE: Final = 20
FASTEST_PRINTED_HZ: Final = 60.0
"""Clicks a second of a printed dial; above, it is a bare shaft."""
TWIST_TORQUE: Final = 0.15
"""The least torque of two fingers that twist, in N m."""
STARTS: Final = 16
"""A turn from between two detents starts at the nearest of so many places in a click."""
KEPT_TABLES: Final = 8192


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A turn of a dial. `pace`: click gaps of 10 ** (pace / 20) ms; None is the kind's natural pace."""

    kind: str
    clicks: int
    """Of the dial's turn."""
    count: int
    """Clicks of this request."""
    direction: int
    pace: int | None = None
    start: int = 0
    """Beside the middle of the detent, in sixteenths of a click."""

    @property
    def seed(self) -> str:
        """What its draws are seeded with. Recorded hands depend on this text."""
        return (
            f"Order(kind={self.kind!r}, clicks={self.clicks}, count={self.count}, direction={self.direction}, "
            f"pace={self.pace}, start={self.start})"
        )


@dataclass(frozen=True, slots=True)
class AngleTable:
    """Counts from the middle of the first detent, one every `SAMPLE_S`."""

    counts: array[float]
    tops_s: tuple[float, ...]
    arrives_s: float
    """When the dial first reaches its final position: the next request may begin."""

    @property
    def rests_s(self) -> float:
        return (len(self.counts) - 1) * SAMPLE_S


def pace_of(gap_ms: float) -> int:
    """The nearest pace."""
    return round(PACES_PER_DECADE * math.log10(gap_ms))


def gap_of(pace: int) -> float:
    """The gap of a pace, in ms."""
    return float(10 ** (pace / PACES_PER_DECADE))


@lru_cache(KEPT_TABLES)
def angle_table(order: TurnRequest, variant: int) -> AngleTable:
    """The table of a request; integrated when it is first needed."""
    if order.count > EXACT_CLICKS:
        return _longer(angle_table(replace(order, count=EXACT_CLICKS), variant), order)
    path, pitch = _path(order, variant)
    scale = COUNTS_PER_TURN / order.clicks / pitch
    counts = array("f", (angle * scale for angle in path.angles))
    goal, near = counts[-1], COUNTS_PER_TURN / order.clicks / 60
    first = math.ceil(path.tops_s[-1] / SAMPLE_S) if path.tops_s else 0
    arrives = next(place for place in range(first, len(counts)) if abs(counts[place] - goal) <= near)
    return AngleTable(counts, path.tops_s, max(1, arrives) * SAMPLE_S)


def _path(order: TurnRequest, variant: int) -> tuple[Path, float]:
    """The first draw that fulfils the request, and the pitch of its dial."""
    pitch = cam(order.clicks).pitch
    tops = order.count - (abs(order.start) > STARTS / 2)
    for attempt in range(ATTEMPTS):
        draw = random.Random(f"{order.seed} {variant} {attempt}")
        detent, finger = _drawn(order, draw, firmer=attempt / 20)
        path = run(detent, finger, order.count, _start(order, detent, draw))
        rests = abs(path.angles[-1] - order.count * pitch) <= cam(order.clicks).most_beside
        if rests and len(path.tops_s) == tops and min(path.tops_s, default=1.0) > 0:
            return path, pitch
    raise RuntimeError(f"no dial of the kind {order.kind!r} does {order}")


def _start(order: TurnRequest, detent: Detent, draw: random.Random) -> float:
    """The starting angle. On top of a lobe it is a little before it, so that the finger pushes the dial over."""
    if order.start == 0:
        return detent.play * draw.uniform(-1, 1)
    part = order.start - 0.5 if 2 * order.start == STARTS else order.start
    return detent.pitch * part / STARTS


def _drawn(order: TurnRequest, draw: random.Random, firmer: float) -> tuple[Detent, Finger]:
    kind = HANDS[order.kind]
    if kind.dial is None or kind.touch is None:
        raise ValueError(f"the kind {order.kind!r} has no dial to integrate")
    if order.pace is None:
        detent = kind.dial.drawn(draw, order.clicks)
        return detent, kind.touch.drawn(draw, detent, order.direction)
    gap_s = gap_of(order.pace) / 1e3
    detent = (kind.dial if gap_s * FASTEST_PRINTED_HZ >= 1 else BARE).drawn(draw, order.clicks)
    finger = TWIST.drawn(draw, detent, order.direction)
    return detent, replace(
        finger,
        speed=detent.pitch / gap_s,
        stiffness=finger.stiffness * (1 + firmer),
        damping=finger.damping * (1 + firmer),
        limit=max(finger.limit, TWIST_TORQUE),
    )


def _longer(four: AngleTable, order: TurnRequest) -> AngleTable:
    """A turn of more clicks: the part between the second and the third top is repeated."""
    step = COUNTS_PER_TURN / order.clicks
    first, second = (round(top / SAMPLE_S) for top in four.tops_s[-3:-1])
    lasts, more = second - first, order.count - EXACT_CLICKS
    drift = (four.counts[second] - four.counts[first] - step) / lasts
    middle = [four.counts[first + place] - drift * place for place in range(lasts)]
    counts = four.counts[:first]
    for repeat in range(more):
        counts.extend(count + repeat * step for count in middle)
    counts.extend(count + more * step for count in four.counts[first:])
    later_s = lasts * SAMPLE_S
    tops = (
        *four.tops_s[:-2],
        *(four.tops_s[-3] + later_s * repeat for repeat in range(1, more + 1)),
        *(top + later_s * more for top in four.tops_s[-2:]),
    )
    return AngleTable(counts, tops, four.arrives_s + later_s * more)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A table at an angle and a time. `bend` leads from the dial's real angle to the table, and ends at `pivot`."""

    start_ns: int
    end_ns: int
    """When the next request may begin."""
    rest_ns: int
    base_counts: float
    direction: int
    counts: array[float]
    samples_per_ns: float
    bend: float
    pivot: float
    to_counts: float
    tops_ns: tuple[int, ...]

    def counts_at(self, t_ns: int) -> float:
        """The dial's angle at `t_ns`, at or after the start."""
        at = (t_ns - self.start_ns) * self.samples_per_ns
        place = int(at)
        counts = self.counts
        if place + 1 >= len(counts):
            return self.to_counts
        here = counts[place]
        here += (counts[place + 1] - here) * (at - place)
        if self.bend and here < self.pivot:
            here += self.bend * (self.pivot - here)
        return self.base_counts + self.direction * here


def trajectory(
    order: TurnRequest, variant: int, start_ns: int, detent: int, from_counts: float, stretch: float = 1.0
) -> Trajectory:
    """The dial's path from `from_counts` in or beside `detent`, begun at `start_ns`; `stretch`: its time over the
    table's."""
    kept = angle_table(order, variant)
    step = COUNTS_PER_TURN / order.clicks
    base = detent * step
    beside = (from_counts - base) * order.direction
    pivot = step / 2 if order.start < STARTS / 2 else step * order.count
    bend = (beside - kept.counts[0]) / (pivot - kept.counts[0])
    to_counts = base + order.direction * kept.counts[-1]
    return Trajectory(
        start_ns=start_ns,
        end_ns=start_ns + max(1, round(kept.arrives_s * stretch * 1e9)),
        rest_ns=start_ns + max(1, round(kept.rests_s * stretch * 1e9)),
        base_counts=base,
        direction=order.direction,
        counts=kept.counts,
        samples_per_ns=1e-9 / (SAMPLE_S * stretch),
        bend=bend,
        pivot=pivot,
        to_counts=to_counts,
        tops_ns=tuple(start_ns + round(top * stretch * 1e9) for top in kept.tops_s),
    )
