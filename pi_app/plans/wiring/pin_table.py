"""The wires at each pin of the Pi's header, by board pin and by GPIO, and of every hub, strip, mux and switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.plans.wiring import header
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.values import Conductor, Lead, Part, PartKind, PartPin, Wiring

FREE: Final = "free"
NEVER: Final = "**never**: 5 V"


def by_board_pin(wiring: Wiring) -> TextTable:
    """All forty pins of the Pi's header in order, with their wires."""
    used = {int(wire.near.name): (lead, wire) for lead, wire in _at(wiring, "pi")}
    rows = []
    for number in range(1, 41):
        found = used.get(number)
        if found is None:
            rows.append((str(number), pi_pin(number), "", NEVER if number in header.V5_PINS else FREE, "", ""))
        else:
            lead, wire = found
            rows.append((str(number), pi_pin(number), wire.colour.value, *_other(wiring, wire.far), lead.label))
    return TextTable(("board pin", "name", "wire", "goes to", "its pin", "lead"), tuple(rows))


def by_gpio(wiring: Wiring) -> TextTable:
    """The used GPIOs, by number."""
    used = sorted(
        (int(wire.near.called.removeprefix("GPIO ")), lead, wire)
        for lead, wire in _at(wiring, "pi")
        if wire.near.called.startswith("GPIO ")
    )
    rows = tuple(
        (f"GPIO {gpio}", wire.near.name, wire.colour.value, *_other(wiring, wire.far), lead.label)
        for gpio, lead, wire in used
    )
    return TextTable(("name", "board pin", "wire", "goes to", "its pin", "lead"), rows)


def pi_pin(number: int) -> str:
    """The name of a pin of the header."""
    if number in header.V33_PINS:
        return "3.3 V"
    if number in header.V5_PINS:
        return "5 V"
    if number in header.GROUND_PINS:
        return "ground"
    return next(f"GPIO {gpio}" for gpio, pin in header.BOARD_PIN.items() if pin == number)


def of_part(wiring: Wiring, part: Part) -> TextTable:
    """Every wired pin of a part, its wires in the order of the leads."""
    order = {pin: place for place, pin in enumerate(_pins(part))}
    ends = [(wire.near, wire.far, wire, lead) for lead, wire in _wires(wiring) if wire.near.part == part.id]
    ends += [(wire.far, wire.near, wire, lead) for lead, wire in _wires(wiring) if wire.far.part == part.id]
    ends.sort(key=lambda end: order.get(end[0].name, len(order)))
    rows = tuple(
        (_called(own), wire.colour.value, *_other(wiring, other), lead.label) for own, other, wire, lead in ends
    )
    return TextTable(("pin", "wire", "goes to", "its pin", "lead"), rows)


_MUX_PINS: Final = (
    *("VIN", "GND", "SDA", "SCL", "RESET", "A0", "A1", "A2"),
    *(f"{line}{channel}" for channel in range(8) for line in ("SD", "SC")),
)


def _pins(part: Part) -> Sequence[str]:
    if part.kind is PartKind.MUX:
        return _MUX_PINS
    if part.kind is PartKind.HUB:
        return [str(number) for number in range(1, 41)]
    return ("3.3 V", "ground", "SDA", "SCL")


def _called(pin: PartPin) -> str:
    return f"{pin.name} ({pin.called})" if pin.called else pin.name


def _other(wiring: Wiring, pin: PartPin) -> tuple[str, str]:
    return wiring.part(pin.part).name, _called(pin)


def _wires(wiring: Wiring) -> Iterator[tuple[Lead, Conductor]]:
    for lead in wiring.leads:
        for wire in lead.wires:
            yield lead, wire


def _at(wiring: Wiring, part: str) -> Iterator[tuple[Lead, Conductor]]:
    return ((lead, wire) for lead, wire in _wires(wiring) if wire.near.part == part)


def pages(wiring: Wiring) -> str:
    """All tables as a Markdown page."""
    lines = [f"# Pins of {wiring.name}", "", "## The Pi, by board pin", "", by_board_pin(wiring).markdown()]
    lines += ["", "## The Pi, by GPIO", "", by_gpio(wiring).markdown()]
    for part in wiring.of(PartKind.STRIP, PartKind.REGULATOR, PartKind.SWITCH, PartKind.HUB, PartKind.MUX):
        lines += ["", f"## {part.name[:1].upper()}{part.name[1:]}", ""]
        if part.set_to:
            lines += [f"{part.model}: {part.set_to}.", ""]
        lines.append(of_part(wiring, part).markdown())
    return "\n".join(lines) + "\n"
