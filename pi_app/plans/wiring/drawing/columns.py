"""Column and order of each part in the drawing: on one side the parts with a cable of their own to the Pi (seats,
hubs), then the Pi and all strips, then muxes, and dials on the other side."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from pi_app.plans.wiring.drawing.boxes import Side
from pi_app.plans.wiring.drawing.strands import USB, Strand
from pi_app.plans.wiring.values import Part, PartKind, PartPin, Wiring


class Column(enum.IntEnum):
    """From left to right, or in a mirrored drawing from right to left."""

    EDGE = 0
    HOSTS = 1
    MUXES = 2
    CHANNEL_STRIPS = 3
    TILES = 4


def columns_of(wiring: Wiring, strands: Sequence[Strand]) -> dict[str, Column]:
    """The column of every part, by id."""
    found = {part.id: _plain(part) for part in wiring.parts if part.kind is not PartKind.STRIP}
    for part in wiring.of(PartKind.STRIP):
        feeds = {strand.near.part for strand in strands if strand.far.part == part.id}
        at_a_mux = any(found.get(feed) is Column.MUXES for feed in feeds)
        found[part.id] = Column.CHANNEL_STRIPS if at_a_mux else Column.HOSTS
    return found


def _plain(part: Part) -> Column:
    match part.kind:
        case PartKind.HUB:
            return Column.EDGE
        case PartKind.MUX:
            return Column.MUXES
        case PartKind.TILE:
            return Column.TILES
        case PartKind.SCREEN:
            return Column.EDGE if part.mux is None else Column.TILES
        case PartKind.BUTTON | PartKind.LAMP:
            return Column.EDGE
        case _:
            return Column.HOSTS


def in_order(wiring: Wiring) -> dict[str, tuple[object, ...]]:
    """A sort key for each part within its column: by seat, or by host, bus, mux and channel."""
    hosts = {part.id: n for n, part in enumerate(wiring.of(PartKind.PI, PartKind.HUB))}
    buses = {(bus.host, bus.name): n for n, bus in enumerate(wiring.buses)}
    seats = {_seat(part): n for n, part in enumerate(wiring.of(PartKind.BUTTON))}
    at_seats = (PartKind.SCREEN, PartKind.LAMP, PartKind.BUTTON)
    found: dict[str, tuple[object, ...]] = {}
    for n, part in enumerate(wiring.parts):
        if part.kind is PartKind.HUB:
            found[part.id] = (1, hosts[part.id], 0, 0, 0, n)
            continue
        bus = buses.get((part.host, part.bus), 0)
        if part.kind in at_seats and part.mux is None:
            found[part.id] = (0, seats.get(_seat(part), 0), at_seats.index(part.kind), 0, 0, n)
        else:
            mux = part.chips[0].address if part.kind is PartKind.MUX and part.chips else part.mux
            channel = -1 if part.channel is None else part.channel
            found[part.id] = (hosts.get(part.host, 0), bus, -1 if mux is None else mux, channel, 0, n)
    return found


def group_of(part: Part) -> tuple[object, ...]:
    """The group of a part; parts of one group are drawn close together."""
    if part.kind in (PartKind.BUTTON, PartKind.LAMP) or (part.kind is PartKind.SCREEN and part.mux is None):
        return ("seat", _seat(part))
    return (part.kind, part.host, part.bus, part.mux) if part.kind in (PartKind.TILE, PartKind.SCREEN) else (part.id,)


def _seat(part: Part) -> str:
    return part.id.rpartition(" ")[2]


def side_at(
    end: PartPin, other: PartPin, parts: Mapping[str, Part], columns: Mapping[str, Column], *, mirrored: bool
) -> Side:
    """The side where a wire leaves its part: fixed for a header's pins, towards the other end for others."""
    if (lying := _lies(end, parts, mirrored=mirrored)) is not None:
        return lying
    if columns[other.part] == columns[end.part]:
        return _lies(other, parts, mirrored=mirrored) or "right"
    return "right" if (columns[other.part] > columns[end.part]) is not mirrored else "left"


def _lies(pin: PartPin, parts: Mapping[str, Part], *, mirrored: bool) -> Side | None:
    kind = parts[pin.part].kind
    if pin.name == USB:
        return "right" if mirrored and kind is PartKind.PI else "left"
    if kind is PartKind.PI:
        return "left" if int(pin.name) % 2 else "right"
    if kind is PartKind.HUB:
        return "left" if int(pin.name) <= 20 else "right"
    return None
