"""Vertical positions of boxes and lanes: near their wires' other ends, in order, without overlap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

from pi_app.plans.wiring.drawing.columns import Column, group_of
from pi_app.plans.wiring.drawing.paths import Lane, Port, RoutingPlan
from pi_app.plans.wiring.drawing.style import HALF, PITCH
from pi_app.plans.wiring.values import PartKind

SWEEPS: Final = 5
GROUP_GAP: Final = 2 * PITCH
GAP: Final = PITCH


@dataclass(slots=True)
class Heights:
    """`tops` of boxes and lanes; `rows`: the wires of each lane from top to bottom. Alternate columns are offset by
    half a row, so that wire ends on the two sides of a gap never have equal heights. `room`: height of the fullest
    column."""

    plan: RoutingPlan
    tops: dict[str | Lane, float] = field(default_factory=dict)
    rows: dict[Lane, list[int]] = field(default_factory=dict)
    room: float = 0

    def of(self, stop: Port | Lane, strand: int) -> float:
        """The height of a wire at its box or in its lane."""
        if isinstance(stop, Port):
            return self.tops[stop.part] + self.plan.boxes[stop.part].row_y(stop.row)
        return self.tops[stop] + self.rows[stop].index(strand) * PITCH + HALF


Order = Mapping[str, tuple[Any, ...]]


def heights_of(plan: RoutingPlan, order: Order) -> Heights:
    """Stack the columns, then move everything in them towards its wires' other ends."""
    found = Heights(plan, rows=plan.lanes())
    columns = range(len(plan.kinds))
    stacks = [sorted((p for p, at in plan.column.items() if at == n), key=lambda p: order[p]) for n in columns]
    lanes = [[lane for lane in found.rows if lane.column == n] for n in columns]
    found.room = max(_total(found, [*stack, *passing]) for stack, passing in zip(stacks, lanes, strict=True))
    for stack, passing in zip(stacks, lanes, strict=True):
        top = (found.room - _total(found, stack)) / 2
        for item, step in zip(stack, _steps(found, stack), strict=True):
            found.tops[item] = top + step
        found.tops |= dict.fromkeys(passing, 0.0)
    ends = _ends(plan)
    for _ in range(SWEEPS):
        for n in (*reversed(columns), *columns):
            _sweep(found, n, stacks[n], lanes[n], ends, order)
    lifted = PITCH * (min(found.tops.values()) // PITCH)
    found.tops = {item: top - lifted for item, top in found.tops.items()}
    return found


End = tuple[int, Port | Lane, Port | Lane]
Ends = Mapping[str | Lane, Sequence[End]]
"""The wires of each box and lane: the strand, its stop here, and its target: the other end of the wire for a box, the
neighbouring stops for a lane."""


def _ends(plan: RoutingPlan) -> Ends:
    found: dict[str | Lane, list[tuple[int, Port | Lane, Port | Lane]]] = {}
    for number, hops in enumerate(plan.hops):
        near, far = hops[0].one, hops[-1].other
        pairs = [(near, far), (far, near)]
        for hop in hops:
            pairs += [pair for pair in ((hop.one, hop.other), (hop.other, hop.one)) if isinstance(pair[0], Lane)]
        for here, there in pairs:
            found.setdefault(here.part if isinstance(here, Port) else here, []).append((number, here, there))
    return found


def _sweep(found: Heights, n: int, stack: Sequence[str], lanes: Sequence[Lane], ends: Ends, order: Order) -> None:
    """Move the items of one column towards their wires' targets."""
    for lane in lanes:
        found.rows[lane].sort(key=partial(_wanted_at, found, ends[lane]))
    standing: list[str | Lane] = [*stack, *lanes]
    wanted = {item: _wanted(found, item, ends) for item in standing}
    middles = {item: wanted[item] + _height(found, item) / 2 for item in wanted}
    boxes = list(stack)
    if found.plan.kinds[n] == Column.HOSTS:
        boxes.sort(
            key=lambda item: (order[item][0], found.plan.boxes[item].part.kind is not PartKind.PI, middles[item])
        )
    for above, below in pairwise(boxes):
        middles[below] = max(middles[below], middles[above] + 0.01)
    items: list[str | Lane] = sorted([*boxes, *lanes], key=lambda item: middles[item])
    _settle(found, n, items, [wanted[item] for item in items])


def _wanted_at(found: Heights, at_lane: Sequence[End], strand: int) -> float:
    """The best height of a wire in a lane."""
    return fmean(found.of(there, strand) for number, _, there in at_lane if number == strand)


def _wanted(found: Heights, item: str | Lane, ends: Ends) -> float:
    """The top at which its wires are straightest on average. Muxes and the lanes beside them follow their dials, so
    that the many leads of dials go straight."""
    wires = ends.get(item, ())
    column = _column(found, item)
    if found.plan.kinds[column] in (Column.MUXES, Column.CHANNEL_STRIPS):
        wires = [wire for wire in wires if (_column(found, wire[2]) > column) is not found.plan.mirrored] or wires
    if not wires:
        return found.tops[item]
    return fmean(found.of(there, number) - (found.of(here, number) - found.tops[item]) for number, here, there in wires)


def _column(found: Heights, item: str | Lane | Port) -> int:
    if isinstance(item, Lane):
        return item.column
    return found.plan.column[item.part if isinstance(item, Port) else item]


def _height(found: Heights, item: str | Lane) -> float:
    if isinstance(item, Lane):
        return len(found.rows[item]) * PITCH
    return found.plan.boxes[item].height


def _settle(found: Heights, n: int, items: Sequence[str | Lane], wanted: Sequence[float]) -> None:
    """Stack items as close as possible to their wanted tops (least squares, pool adjacent violators), on the rows of
    this column. Seats and dials stay close together."""
    steps = _steps(found, items)
    pools: list[tuple[float, int]] = []
    together = found.plan.kinds[n] in (Column.EDGE, Column.TILES)
    for want, step in zip(wanted, steps, strict=True):
        pools.append((want - step, 1))
        while len(pools) > 1 and (together or pools[-2][0] > pools[-1][0]):
            (upper, many), (lower, more) = pools[-2:]
            pools[-2:] = [((upper * many + lower * more) / (many + more), many + more)]
    spare = max(0.0, found.room - _total(found, items))
    levels = [min(max(mean, 0.0), spare) for mean, many in pools for _ in range(many)]
    phase = HALF * (n % 2)
    for item, level, step in zip(items, levels, steps, strict=True):
        found.tops[item] = PITCH * math.floor((level + step - phase) / PITCH + 0.5) + phase


def _steps(found: Heights, items: Sequence[str | Lane]) -> list[float]:
    """Distance of each item below the first in a tight stack."""
    steps = [0.0][: len(items)]
    for above, below in pairwise(items):
        steps.append(steps[-1] + _height(found, above) + _gap(found, above, below))
    return steps


def _total(found: Heights, items: Sequence[str | Lane]) -> float:
    return _steps(found, items)[-1] + _height(found, items[-1]) if items else 0.0


def _gap(found: Heights, above: str | Lane, below: str | Lane) -> float:
    if isinstance(above, Lane) or isinstance(below, Lane):
        return 0 if isinstance(above, Lane) and isinstance(below, Lane) else GAP
    parts = found.plan.boxes[above].part, found.plan.boxes[below].part
    return GAP if group_of(parts[0]) == group_of(parts[1]) else GROUP_GAP
