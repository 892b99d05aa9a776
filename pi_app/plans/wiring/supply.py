"""Checks of supply and levels: the load of each 3.3 V rail and of the Pi's pins, and no wire on 5 V."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pi_app.plans.wiring import electrical, header
from pi_app.plans.wiring.check import Limit, LimitKind, WiringCheck, counted, measured
from pi_app.plans.wiring.values import Colour, Part, PartKind, Wiring
from pi_app.settings.model import Settings

LEGS: Final = (Colour.ORANGE, Colour.VIOLET, Colour.GREY)
"""Wires of lamps that a pin drives."""

BIGGER: Final = 'Use a larger regulator: supply = "regulator" in [wiring], with its supply_ma.'
FEWER: Final = "Connect some of its dials to another hub."
DIMMER: Final = "Use larger resistors: lamp_ohm in [wiring]."
NEVER_5V: Final = "Move this wire to a 3.3 V pin: 5 V on any signal destroys the Pi's pins."


def supply(wiring: Wiring, settings: Settings) -> Iterator[WiringCheck]:
    """Each rail, each driven pin and all together, and the 5 V pins."""
    yield from rails(wiring, settings)
    yield from pins(wiring)
    yield levels(wiring)


def rails(wiring: Wiring, settings: Settings) -> Iterator[WiringCheck]:
    """The load of each rail with everything on at once."""
    chosen = wiring.chosen
    for host in wiring.of(PartKind.PI, PartKind.HUB):
        fed = [part for part in wiring.parts if part.host == host.id]
        loads = {
            "encoders": [_tile_ma(part, settings) for part in fed if part.kind is PartKind.TILE],
            "screens": [electrical.SCREEN_MA for part in fed if part.kind is PartKind.SCREEN],
            "muxes": [electrical.MUX_MA for part in fed if part.kind is PartKind.MUX],
            "lamps": [_lamp_ma(wiring, part) for part in fed if part.kind is PartKind.LAMP and _on_rail(wiring, part)],
        }
        how = f" for {_listed(loads)}" if any(loads.values()) else ""
        value = sum(sum(each) for each in loads.values())
        if host.kind is PartKind.HUB:
            limit, source, where, advice = (
                electrical.PICO_RAIL_MA,
                electrical.PICO_SOURCE,
                f"3V3(OUT) of {host.name}",
                FEWER,
            )
        else:
            by = "the Pi" if chosen.supply == "pi" else "the regulator"
            limit, source, where, advice = chosen.supply_ma, "supply_ma of [wiring]", f"3.3 V of {by}", BIGGER
        yield measured("supply", where, value, Limit(LimitKind.AT_MOST, limit, "mA", source), advice, how)


def _tile_ma(part: Part, settings: Settings) -> float:
    memory = electrical.MEMORY_MA if len(part.chips) > 1 else 0
    return settings.squares[part.id].kind.most_ma + memory


def _lamp_ma(wiring: Wiring, lamp: Part) -> float:
    return _legs(wiring, lamp.id) * electrical.lamp_ma(wiring.chosen.lamp_ohm)


def _on_rail(wiring: Wiring, lamp: Part) -> bool:
    """A regulator feeds only lamps with a leg at 3.3 V; the Pi's pins feed the others."""
    red = any(wire.far.part == lamp.id and wire.colour is Colour.RED for lead in wiring.leads for wire in lead.wires)
    return wiring.chosen.supply == "pi" or red


def _legs(wiring: Wiring, lamp: str) -> int:
    return sum(wire.colour in LEGS and wire.far.part == lamp for lead in wiring.leads for wire in lead.wires)


def _listed(loads: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{len(each)} {name if len(each) > 1 else _ONE[name]}" for name, each in loads.items() if each)


_ONE: Final = {"encoders": "encoder", "screens": "screen", "muxes": "mux", "lamps": "lamp"}


def pins(wiring: Wiring) -> Iterator[WiringCheck]:
    """The current of the lamps from the Pi's pins if all are lit at once."""
    lamps = wiring.of(PartKind.LAMP)
    if not lamps:
        return
    chosen, source = wiring.chosen, electrical.PI_SOURCE
    each = electrical.lamp_ma(chosen.lamp_ohm)
    how = f" through {chosen.lamp_ohm} Ohm"
    one, all_ = (Limit(LimitKind.AT_MOST, limit, "mA", source) for limit in (electrical.PIN_MA, electrical.PINS_MA))
    yield measured("pin current", "each lamp's pin", each, one, DIMMER, how)
    legs = sum(_legs(wiring, lamp.id) for lamp in lamps)
    total = f" for {legs} of them"
    yield measured("pin current", "all lamps' pins", legs * each, all_, DIMMER, total)


FIVE_VOLTS: Final[Mapping[PartKind, frozenset[str]]] = {
    PartKind.PI: frozenset(map(str, header.V5_PINS)),
    PartKind.HUB: frozenset({"39", "40"}),
}
"""Pins that carry 5 V: of a Pi's header (Raspberry Pi documentation), and VSYS and VBUS of a Pico (its datasheet)."""


def levels(wiring: Wiring) -> WiringCheck:
    """Everything runs on 3.3 V: no wire may start at a 5 V pin."""
    kinds = {part.id: part.kind for part in wiring.parts}
    wires = [(lead.label, wire) for lead in wiring.leads for wire in lead.wires]
    bad = [
        label
        for label, wire in wires
        if any(end.name in FIVE_VOLTS.get(kinds[end.part], ()) for end in (wire.near, wire.far))
    ]
    where = ", ".join(dict.fromkeys(bad)) or "5 V pins"
    how = f" of {len(wires)} wires on 5 V"
    return counted("levels", where, len(bad), electrical.PI_SOURCE, NEVER_5V, how)
