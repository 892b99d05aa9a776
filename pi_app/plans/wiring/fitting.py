"""The resistors and capacitors of a table, each between two pins and with its purpose.

Facts: NXP UM10204 (pull-ups), TI SCPS207 (RESET), ams AS5600 datasheet v1-06 (100 nF at its supply).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pi_app.plans.wiring.hosts import WiringHost
from pi_app.plans.wiring.joints import Joined
from pi_app.plans.wiring.values import Colour, Conductor, Fitted, Lead, Part, PartKind, PartPin
from pi_app.settings.wiring_section import WiringSettings

RESET_OHM: Final = 10_000
SERIES_OHM: Final = 100


def ohms(ohm: int) -> str:
    """As on a shopping list: `330 Ohm`, `4.7 kOhm`."""
    return f"{ohm} Ohm" if ohm < 1000 else f"{ohm / 1000:g} kOhm"


def fitted(host: WiringHost, parts: Mapping[str, Part], join: Joined, chosen: WiringSettings) -> Iterator[Fitted]:
    """All components to solder beside the boards of this host."""
    supply = join.at.get(host.v33)
    for bus in host.buses:
        used = any(wire.near == join.at[bus.sda] for lead in join.leads for wire in lead.wires)
        if used and not bus.pulled_up and chosen.bus_pull_up_ohm and supply is not None:
            for source in (bus.sda, bus.scl):
                line = join.at[source]
                at = parts[line.part].name
                yield Fitted(ohms(chosen.bus_pull_up_ohm), (line, supply), at, f"pull-up of {source.rail}")
    for part in parts.values():
        if part.kind is PartKind.MUX:
            yield from _at_mux(part, join, chosen)
        elif part.kind is PartKind.TILE:
            supply_pins = PartPin(part.id, "VCC"), PartPin(part.id, "GND")
            yield Fitted("100 nF", supply_pins, part.name, "keeps its supply steady")
            yield Fitted("10 uF", supply_pins, part.name, "keeps its supply steady")
    yield from _at_lamps(parts, join, chosen)


def _at_mux(mux: Part, join: Joined, chosen: WiringSettings) -> Iterator[Fitted]:
    vin = PartPin(mux.id, "VIN")
    if any(wire.far == PartPin(mux.id, "RESET") for lead in join.leads for wire in lead.wires):
        yield Fitted(ohms(RESET_OHM), (PartPin(mux.id, "RESET"), vin), mux.name, "keeps RESET high")
    for lead, wire in _wires(join, mux.id):
        if wire.colour not in (Colour.BLUE, Colour.YELLOW):
            continue
        line = "SDA" if wire.colour is Colour.BLUE else "SCL"
        if chosen.channel_pull_up_ohm:
            yield Fitted(ohms(chosen.channel_pull_up_ohm), (wire.near, vin), mux.name, f"pull-up of {line}")
        if chosen.hot_plug:
            why = f"{line} of {lead.far} may be plugged while it runs"
            yield Fitted(ohms(SERIES_OHM), (wire.near, wire.far), mux.name, why)
            yield Fitted("TVS diode, 3.3 V", (wire.near, PartPin(mux.id, "GND")), mux.name, f"takes static on {line}")


def _wires(join: Joined, part: str) -> Iterator[tuple[Lead, Conductor]]:
    """Wires whose near end is at this part."""
    for lead in join.leads:
        for wire in lead.wires:
            if wire.near.part == part:
                yield lead, wire


def _at_lamps(parts: Mapping[str, Part], join: Joined, chosen: WiringSettings) -> Iterator[Fitted]:
    for lead in join.leads:
        for wire in lead.wires:
            lamp = parts.get(wire.far.part)
            if lamp is not None and lamp.kind is PartKind.LAMP and wire.far.name in ("+", "R", "G", "B"):
                at, why = parts[wire.near.part].name, f"limits the current of the {lamp.name}"
                yield Fitted(ohms(chosen.lamp_ohm), (wire.near, wire.far), at, why)
