"""The places of everything on the sheet: boxes, the path of each wire, sleeves with the leads' labels, and components
in wires. A value computed from the wiring alone; `paint` draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.pictures.marks import Point, Rect
from pi_app.plans.wiring.drawing.boxes import SMALL, PartBox, Row, Side
from pi_app.plans.wiring.drawing.columns import in_order
from pi_app.plans.wiring.drawing.heights import Heights, heights_of
from pi_app.plans.wiring.drawing.paths import Lane, Port, RoutingPlan, planned
from pi_app.plans.wiring.drawing.strands import Strand
from pi_app.plans.wiring.drawing.style import HALF, PITCH, text_width
from pi_app.plans.wiring.drawing.tracks import TrackRun, tracks_of
from pi_app.plans.wiring.values import Wiring

TRACK: Final = 6.0
"""Distance between wires in a gap."""
MARGIN: Final = 5.0
CODE: Final = 18.0
"""Length of wire beside its box for the letters of its colour."""
SERIES: Final = 42.0
"""Length of wire for a component."""
SLEEVE: Final = 10.0
"""Width of a sleeve beyond its text."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part's box and its place."""

    box: PartBox
    rect: Rect

    def row_y(self, n: int) -> float:
        return self.rect.y + self.box.row_y(n)

    def edge(self, side: Side) -> float:
        return self.rect.x if side == "left" else self.rect.right


@dataclass(frozen=True, slots=True)
class Routed:
    """A wire and its corners, from the near pin to the far one."""

    strand: Strand
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sleeve:
    """A label around the wires of a lead at a part."""

    lead: str
    part: str
    rect: Rect
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coded:
    """The places of a wire's colour letters and of the components in it."""

    strand: Strand
    rect: Rect
    series: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawingLayout:
    """The size and content of the drawing."""

    width: float
    height: float
    boxes: Mapping[str, Placed]
    wires: tuple[Routed, ...]
    sleeves: tuple[Sleeve, ...]
    codes: tuple[Coded, ...]


def laid_out(wiring: Wiring, said: Mapping[str, str] | None = None) -> DrawingLayout:
    """Lay out a wiring, without frame. `said`: one more line in a part's box."""
    order = in_order(wiring)
    plan = planned(wiring, order, said or {})
    heights = heights_of(plan, order)
    gaps = [tracks_of(runs) for runs in _runs(plan, heights)]
    stubs = _Stubs(plan)
    columns, starts, width = _across(plan, gaps, stubs)
    boxes = {part: _placed(plan, part, heights.tops[part], columns) for part in plan.boxes}
    wires = tuple(_routed(plan, n, heights, boxes, gaps, starts) for n in range(len(plan.strands)))
    sleeves, codes = stubs.placed(boxes)
    height = max(_lowest(heights), *(placed.rect.bottom for placed in boxes.values()))
    return DrawingLayout(width, height, boxes, wires, sleeves, codes)


def _lowest(heights: Heights) -> float:
    return max((heights.tops[lane] + len(rows) * PITCH for lane, rows in heights.rows.items()), default=0.0)


def _runs(plan: RoutingPlan, heights: Heights) -> list[list[TrackRun]]:
    """The wires in each gap, including the outermost ones."""
    found: list[list[TrackRun]] = [[] for _ in range(len(plan.kinds) + 1)]
    for number, hops in enumerate(plan.hops):
        for hop in hops:
            ends = (heights.of(hop.one, number), hop.one_left), (heights.of(hop.other, number), hop.other_left)
            found[hop.gap].append(TrackRun(number, plan.strands[number].lead.label, ends))
    return found


class _Stubs:
    """Everything on wires between a box and the tracks: letters, components, the lead's label."""

    def __init__(self, plan: RoutingPlan) -> None:
        self._plan = plan
        self._groups = {part: list(_groups(box, plan.strands)) for part, box in plan.boxes.items()}

    def width(self, column: int, side: Side) -> float:
        """The width that boxes of one column need on one side."""
        needed = [
            self._before(part, rows) + self._sleeve_width(rows)
            for part, groups in self._groups.items()
            if self._plan.column[part] == column
            for at, rows in groups
            if at == side
        ]
        return max(needed, default=0.0)

    def _before(self, part: str, rows: Sequence[tuple[int, Row]]) -> float:
        """Distance from a box to the sleeve of these rows."""
        return CODE + SERIES * max(len(self._series(part, row)) for _, row in rows)

    def _series(self, part: str, row: Row) -> Sequence[object]:
        strand = None if row.strand is None else self._plan.strands[row.strand]
        return strand.series if strand is not None and strand.near.part == part else ()

    def _sleeve_width(self, rows: Sequence[tuple[int, Row]]) -> float:
        return max(text_width(line, SMALL, bold=not n) for n, line in enumerate(self._lines(rows))) + SLEEVE

    def _lines(self, rows: Sequence[tuple[int, Row]]) -> tuple[str, ...]:
        lead = self._plan.strands[rows[0][1].strand or 0].lead
        return (lead.label,) if len(rows) == 1 else (lead.label, f"{lead.length_m:g} m")

    def placed(self, boxes: Mapping[str, Placed]) -> tuple[tuple[Sleeve, ...], tuple[Coded, ...]]:
        """Sleeves and letters at every box."""
        sleeves, codes = [], []
        for part, groups in self._groups.items():
            for side, rows in groups:
                sleeves.append(self._sleeve(boxes[part], side, rows))
                codes += [self._coded(boxes[part], side, n, row) for n, row in rows]
        return tuple(sleeves), tuple(codes)

    def _sleeve(self, placed: Placed, side: Side, rows: Sequence[tuple[int, Row]]) -> Sleeve:
        part = placed.box.part.id
        before, width = self._before(part, rows), self._sleeve_width(rows)
        x = placed.edge(side) + before if side == "right" else placed.edge(side) - before - width
        top, bottom = placed.row_y(rows[0][0]) - HALF + 1, placed.row_y(rows[-1][0]) + HALF - 1
        lead = self._plan.strands[rows[0][1].strand or 0].lead
        return Sleeve(lead.label, part, Rect(x, top, width, bottom - top), self._lines(rows))

    def _coded(self, placed: Placed, side: Side, n: int, row: Row) -> Coded:
        edge, y, strand = placed.edge(side), placed.row_y(n), self._plan.strands[row.strand or 0]
        many = range(len(self._series(placed.box.part.id, row)))
        if side == "right":
            series = tuple(Rect(edge + CODE + SERIES * k + 2, y - 5, SERIES - 6, 10) for k in many)
            return Coded(strand, Rect(edge + 3, y - 5, CODE - 6, 10), series)
        series = tuple(Rect(edge - CODE - SERIES * (k + 1) + 4, y - 5, SERIES - 6, 10) for k in many)
        return Coded(strand, Rect(edge - CODE + 3, y - 5, CODE - 6, 10), series)


def _groups(box: PartBox, strands: Sequence[Strand]) -> Iterator[tuple[Side, list[tuple[int, Row]]]]:
    """Adjacent rows of one side that belong to one lead."""
    group: list[tuple[int, Row]] = []
    at: tuple[Side, int, str] | None = None
    for side, n, row in box.rows():
        if row.strand is None:
            continue
        lead = strands[row.strand].lead.label
        if group and at != (side, n - 1, lead):
            assert at is not None
            yield at[0], group
            group = []
        group.append((n, row))
        at = side, n, lead
    if group and at is not None:
        yield at[0], group


def _across(
    plan: RoutingPlan, gaps: Sequence[Mapping[int, int]], stubs: _Stubs
) -> tuple[list[tuple[float, float]], list[float], float]:
    """Left edge and width of each column, the start of each gap's tracks, and the total width."""
    x = 0.0
    columns: list[tuple[float, float]] = []
    starts: list[float] = []
    for n, tracks in enumerate(gaps):
        if n:
            x += stubs.width(n - 1, "right")
        starts.append(x + MARGIN)
        x += TRACK * (max(tracks.values()) + 1) + MARGIN if tracks else 0.0
        x += MARGIN if tracks else 0.0
        if n < len(plan.kinds):
            x += stubs.width(n, "left")
            width = max(box.width for part, box in plan.boxes.items() if plan.column[part] == n)
            columns.append((x, width))
            x += width
    return columns, starts, x


def _placed(plan: RoutingPlan, part: str, top: float, columns: Sequence[tuple[float, float]]) -> Placed:
    box = plan.boxes[part]
    x, width = columns[plan.column[part]]
    sides = {side for side, _, _ in box.rows()}
    if sides == {"left"}:
        return Placed(box, Rect(x, top, box.width, box.height))
    if sides == {"right"}:
        return Placed(box, Rect(x + width - box.width, top, box.width, box.height))
    return Placed(box, Rect(x, top, width, box.height))


def _routed(
    plan: RoutingPlan,
    number: int,
    heights: Heights,
    boxes: Mapping[str, Placed],
    gaps: Sequence[Mapping[int, int]],
    starts: Sequence[float],
) -> Routed:
    hops = plan.hops[number]
    strand = plan.strands[number]
    points: list[Point] = [_at_port(hops[0].one, number, heights, boxes)]
    for hop in hops:
        x = starts[hop.gap] + TRACK * gaps[hop.gap][number]
        points += [(x, heights.of(hop.one, number)), (x, heights.of(hop.other, number))]
    points.append(_at_port(hops[-1].other, number, heights, boxes))
    return Routed(strand, tuple(points))


def _at_port(stop: Port | Lane, number: int, heights: Heights, boxes: Mapping[str, Placed]) -> Point:
    """The end point of a wire, which is at a part and never in a lane."""
    assert isinstance(stop, Port)
    return boxes[stop.part].edge(stop.side), heights.of(stop, number)
