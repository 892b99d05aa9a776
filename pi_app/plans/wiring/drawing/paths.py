"""Route each wire: out of a box into the gap between two columns, and through other columns in a lane beside their
boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pi_app.plans.wiring.drawing.boxes import PartBox, Side, box_of, saying
from pi_app.plans.wiring.drawing.columns import columns_of, side_at
from pi_app.plans.wiring.drawing.strands import Strand, beside, strands_of
from pi_app.plans.wiring.values import Part, PartPin, Wiring


@dataclass(frozen=True, slots=True)
class Port:
    """The end of a wire at its part: a row of a box."""

    part: str
    side: Side
    row: int


@dataclass(frozen=True, slots=True)
class Lane:
    """The passage of a lead's wires through a column."""

    column: int
    lead: str


@dataclass(frozen=True, slots=True)
class Hop:
    """A wire's way through one gap between columns: gap n is left of column n. `one_left`, `other_left`: whether that
    end comes from the column on the gap's left."""

    gap: int
    one: Port | Lane
    one_left: bool
    other: Port | Lane
    other_left: bool


@dataclass(frozen=True, slots=True)
class RoutingPlan:
    """The column of each part (from the left, none empty), and the way of each wire from gap to gap."""

    strands: tuple[Strand, ...]
    boxes: Mapping[str, PartBox]
    column: Mapping[str, int]
    kinds: tuple[int, ...]
    """Which `Column` each of them is."""
    hops: tuple[tuple[Hop, ...], ...]
    """Of each strand, from near to far end."""
    mirrored: bool = False
    """Whether the dials are on the left, where the header's pins for I2C are."""

    def around_headers(self) -> int:
        """The number of wires that leave a header on one side and run around it to a part on the other."""
        headers = {part: at for part, at in self.column.items() if self.boxes[part].form == "header"}
        return sum(
            any(Lane(headers[pin.part], strand.lead.label) == hop.other for hop in hops[:-1])
            for strand, hops in zip(self.strands, self.hops, strict=True)
            for pin in (strand.near, strand.far)
            if pin.part in headers
        )

    def lanes(self) -> dict[Lane, list[int]]:
        """The wires in each lane."""
        found: dict[Lane, list[int]] = {}
        for number, hops in enumerate(self.hops):
            for hop in hops[:-1]:
                if isinstance(hop.other, Lane):
                    found.setdefault(hop.other, []).append(number)
        return found


def planned(wiring: Wiring, order: Mapping[str, tuple[object, ...]], said: Mapping[str, str]) -> RoutingPlan:
    """Make boxes for all parts and route each wire, with the dials on that side where fewer wires run around a header;
    on the right if there is no difference. `said`: one more line in a part's box."""
    return min((_planned(wiring, order, said, mirrored=way) for way in (False, True)), key=RoutingPlan.around_headers)


def _planned(
    wiring: Wiring, order: Mapping[str, tuple[object, ...]], said: Mapping[str, str], *, mirrored: bool
) -> RoutingPlan:
    strands = strands_of(wiring)
    columns = columns_of(wiring, strands)
    kinds = tuple(sorted(set(columns.values()), reverse=mirrored))
    column = {part: kinds.index(kind) for part, kind in columns.items()}
    parts = {part.id: part for part in wiring.parts}
    wired: dict[str, dict[tuple[str, Side], list[int]]] = {part: {} for part in parts}
    pins: dict[str, dict[str, PartPin]] = {part: {} for part in parts}
    for number, strand in enumerate(strands):
        for end, other in ((strand.near, strand.far), (strand.far, strand.near)):
            side = side_at(end, other, parts, columns, mirrored=mirrored)
            wired[end.part].setdefault((end.name, side), []).append(number)
            pins[end.part].setdefault(end.name, end)
    _sort_strips(wired, strands, order)
    fitted, names = beside(wiring, strands), _names(wiring)

    def boxed(part: Part) -> PartBox:
        def rank(number: int) -> tuple[object, ...]:
            return (*order[_other(strands[number], part.id)], number)

        return box_of(part, wired[part.id], list(pins[part.id].values()), fitted, names, rank)

    boxes = {id_: saying(boxed(part), said.get(id_, "")) for id_, part in parts.items()}
    ports = _ports(boxes, strands)
    hops = tuple(_hops(strand, *ports[number], column) for number, strand in enumerate(strands))
    return RoutingPlan(strands, boxes, column, kinds, hops, mirrored)


def _names(wiring: Wiring) -> dict[str, str]:
    """Short names of the parts, for parts of the same host."""
    hosts = {part.id: part.name for part in wiring.parts}
    own = {part.id: part.name.removeprefix(f"{hosts.get(part.host, '')} ") for part in wiring.parts}
    return {part: name.removesuffix(" strip") for part, name in own.items()}


def _sort_strips(
    wired: Mapping[str, dict[tuple[str, Side], list[int]]],
    strands: Sequence[Strand],
    order: Mapping[str, tuple[object, ...]],
) -> None:
    """Sort the wires at each pin by the order of their other ends."""
    for part, pins in wired.items():
        for numbers in pins.values():
            numbers.sort(key=lambda n: order[_other(strands[n], part)])


def _other(strand: Strand, part: str) -> str:
    return strand.far.part if strand.near.part == part else strand.near.part


def _ports(boxes: Mapping[str, PartBox], strands: Sequence[Strand]) -> list[tuple[Port, Port]]:
    """The near and the far port of each strand."""
    found: dict[tuple[int, str], Port] = {}
    for part, box in boxes.items():
        for side, n, row in box.rows():
            if row.strand is not None:
                strand = strands[row.strand]
                end = "near" if (strand.near.part, strand.near.name) == (part, row.pin.name) else "far"
                found[row.strand, end] = Port(part, side, n)
    return [(found[n, "near"], found[n, "far"]) for n in range(len(strands))]


def _hops(strand: Strand, near: Port, far: Port, column: Mapping[str, int]) -> tuple[Hop, ...]:
    start, end = (column[port.part] + (port.side == "right") for port in (near, far))
    to_right = end > start
    passed = range(start, end) if to_right else range(start - 1, end - 1, -1)
    stops: list[Port | Lane] = [near, *(Lane(each, strand.lead.label) for each in passed), far]
    gaps = [start, *(each + to_right for each in passed)]
    hops = []
    for n, gap in enumerate(gaps):
        one_left = near.side == "right" if n == 0 else to_right
        other_left = far.side == "right" if n == len(gaps) - 1 else not to_right
        hops.append(Hop(gap, stops[n], one_left, stops[n + 1], other_left))
    return tuple(hops)
