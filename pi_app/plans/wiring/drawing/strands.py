"""All wires of a wiring, each with its lead and the components in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.plans.wiring.values import Colour, Fitted, Lead, PartPin, Wiring

USB: Final = "USB"


@dataclass(frozen=True, slots=True)
class Strand:
    """One wire from pin to pin, or a whole USB cable, which has no `colour`. `series`: resistors in it, at its near
    end."""

    lead: Lead
    near: PartPin
    far: PartPin
    colour: Colour | None
    series: tuple[Fitted, ...] = ()


def strands_of(wiring: Wiring) -> tuple[Strand, ...]:
    """Every wire of every lead, once, in the order of the leads."""
    soldered: dict[tuple[PartPin, PartPin], list[Fitted]] = {}
    for one in wiring.fitted:
        soldered.setdefault(one.ends, []).append(one)
    found: list[Strand] = []
    called = {part.name: part.id for part in wiring.parts} | {part.id: part.id for part in wiring.parts}
    for lead in wiring.leads:
        if lead.usb:
            found.append(Strand(lead, PartPin(called[lead.near], USB), PartPin(called[lead.far], USB), None))
        for wire in lead.wires:
            series = tuple(soldered.get((wire.near, wire.far), ()))
            found.append(Strand(lead, wire.near, wire.far, wire.colour, series))
    return tuple(found)


def beside(wiring: Wiring, strands: Sequence[Strand]) -> tuple[Fitted, ...]:
    """Components between two pins that are not in a wire."""
    in_wires = {(strand.near, strand.far) for strand in strands}
    return tuple(one for one in wiring.fitted if one.ends not in in_wires)
