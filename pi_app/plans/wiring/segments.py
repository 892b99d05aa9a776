"""Find the cables and chips of each stretch of SDA and SCL by following the blue wires."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from pi_app.plans.wiring.header import PI_PULL_UP_OHM
from pi_app.plans.wiring.hosts import HostBus
from pi_app.plans.wiring.values import Colour, CopperSegment, Lead, Part, PartKind, PartPin, PullUp
from pi_app.settings.wiring_section import WiringSettings


def segments_of(
    bus: HostBus, parts: Mapping[str, Part], leads: Sequence[Lead], chosen: WiringSettings
) -> Iterator[CopperSegment]:
    """The trunk of this bus with all its muxes closed, then with each used channel open; nothing for an empty bus."""
    ways = _ways(leads)
    trunk = _reached(bus.line.sda, ways)
    on_trunk = _made(bus, trunk, (), parts, leads, chosen)
    if len(on_trunk.parts) == 1:
        return
    yield on_trunk
    for mux in on_trunk.parts:
        if parts[mux].kind is not PartKind.MUX:
            continue
        for channel in range(8):
            branch = _reached(PartPin(mux, f"SD{channel}"), ways)
            if len(branch) > 1:
                yield _made(bus, trunk, branch, parts, leads, chosen, parts[mux], channel)


def _ways(leads: Sequence[Lead]) -> Mapping[PartPin, set[PartPin]]:
    """The pins at the other ends of each pin's blue wires."""
    ways = defaultdict(set)
    for lead in leads:
        for wire in lead.wires:
            if wire.colour is Colour.BLUE:
                ways[wire.near].add(wire.far)
                ways[wire.far].add(wire.near)
    return ways


def _reached(start: PartPin, ways: Mapping[PartPin, set[PartPin]]) -> frozenset[PartPin]:
    """All pins that blue wires join with this one, including itself."""
    reached, ahead = {start}, [start]
    while ahead:
        new = ways.get(ahead.pop(), set()) - reached
        reached |= new
        ahead += new
    return frozenset(reached)


def _made(
    bus: HostBus,
    trunk: Collection[PartPin],
    branch: Collection[PartPin],
    parts: Mapping[str, Part],
    leads: Sequence[Lead],
    chosen: WiringSettings,
    mux: Part | None = None,
    channel: int | None = None,
) -> CopperSegment:
    pins = {*trunk, *branch}
    on_it = [lead for lead in leads if any(wire.far in pins and wire.colour is Colour.BLUE for wire in lead.wires)]
    loading = [id_ for id_ in parts if id_ in {pin.part for pin in pins} and parts[id_].kind is not PartKind.STRIP]
    return CopperSegment(
        host=bus.line.host,
        bus=bus.name,
        speed_hz=bus.line.speed_hz,
        length_m=round(sum(lead.length_m for lead in on_it), 3),
        chips=sum(len(parts[id_].chips) or 1 for id_ in loading),
        parts=tuple(loading),
        pull_ups=tuple(_pull_ups(bus, loading, parts, chosen, mux, channel)),
        mux=None if mux is None else mux.chips[0].address,
        channel=channel,
    )


def _pull_ups(
    bus: HostBus,
    loading: Sequence[str],
    parts: Mapping[str, Part],
    chosen: WiringSettings,
    mux: Part | None,
    channel: int | None,
) -> Iterator[PullUp]:
    if bus.pulled_up:
        yield PullUp(PI_PULL_UP_OHM, "the Pi itself")
    elif chosen.bus_pull_up_ohm:
        yield PullUp(chosen.bus_pull_up_ohm, f"bus {bus.name}")
    if mux is not None and chosen.channel_pull_up_ohm:
        yield PullUp(chosen.channel_pull_up_ohm, f"{mux.name} channel {channel}")
    carried = {
        PartKind.MUX: chosen.mux_pull_up_ohm,
        PartKind.TILE: chosen.tile_pull_up_ohm,
        PartKind.SCREEN: chosen.screen_pull_up_ohm,
    }
    for id_ in loading:
        if ohm := carried.get(parts[id_].kind, 0):
            yield PullUp(ohm, parts[id_].name)
