"""The wiring as a file for WireViz 0.4 (its documentation, syntax.md)."""

from __future__ import annotations

from typing import Any, Final

import yaml

from pi_app.plans.wiring.parts_list import cores
from pi_app.plans.wiring.values import Colour, Conductor, Lead, Part, PartPin, Wiring

COLOURS: Final[dict[Colour, str]] = {
    Colour.RED: "RD",
    Colour.BLACK: "BK",
    Colour.BLUE: "BU",
    Colour.YELLOW: "YE",
    Colour.WHITE: "WH",
    Colour.GREEN: "GN",
    Colour.ORANGE: "OG",
    Colour.VIOLET: "VT",
    Colour.GREY: "GY",
    Colour.BROWN: "BN",
}
"""IEC 60757."""
USB: Final = "USB"
DUMPER: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""libyaml if PyYAML was built with it: five times as fast, the same text."""


def wireviz_yaml(wiring: Wiring) -> str:
    """The file's text."""
    harness = {
        "metadata": {"title": wiring.name},
        "connectors": {part.id: _connector(part, wiring) for part in wiring.parts},
        "cables": {lead.label: _cable(lead) for lead in wiring.leads},
        "connections": [run for lead in wiring.leads for run in _connections(lead)],
    }
    text: str = yaml.dump(
        harness, Dumper=DUMPER, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
    )
    return text


def _connector(part: Part, wiring: Wiring) -> dict[str, Any]:
    pins = list(dict.fromkeys(pin for lead in wiring.leads for pin in _ends(lead) if pin.part == part.id))
    fields: dict[str, Any] = {"type": part.model, "pins": [_pin(pin) for pin in pins]}
    if any(pin.called for pin in pins):
        fields["pinlabels"] = [pin.called for pin in pins]
    if part.set_to:
        fields["notes"] = part.set_to
    return fields


def _ends(lead: Lead) -> list[PartPin]:
    if lead.usb:
        return [PartPin(_USB_HOST, USB), PartPin(lead.far, USB)]
    return [end for wire in lead.wires for end in (wire.near, wire.far)]


_USB_HOST: Final = "pi"


def _pin(pin: PartPin) -> str | int:
    """WireViz reads digits as numbers and a hyphen as a range."""
    return int(pin.name) if pin.name.isdigit() else {"+": "plus", "-": "minus"}.get(pin.name, pin.name)


def _cable(lead: Lead) -> dict[str, Any]:
    if lead.usb:
        return {"type": cores(lead), "length": lead.length_m, "wirecount": 1}
    return {"length": lead.length_m, "colors": [COLOURS[wire.colour] for wire in lead.wires]}


def _connections(lead: Lead) -> list[list[dict[str, Any]]]:
    """One run per pair of parts that the lead joins."""
    if lead.usb:
        return [[{_USB_HOST: [USB]}, {lead.label: [1]}, {lead.far: [USB]}]]
    runs: dict[tuple[str, str], list[tuple[int, Conductor]]] = {}
    for number, wire in enumerate(lead.wires, 1):
        runs.setdefault((wire.near.part, wire.far.part), []).append((number, wire))
    return [
        [
            {near: [_pin(wire.near) for _, wire in run]},
            {lead.label: [number for number, _ in run]},
            {far: [_pin(wire.far) for _, wire in run]},
        ]
        for (near, far), run in runs.items()
    ]
