"""Expected tables of the builder's pages, from the wiring of an example and the header's pins."""

from __future__ import annotations

from functools import cache

from pi_app.plans.wiring import header
from pi_app.plans.wiring.nets import mux_straps, wired
from pi_app.plans.wiring.values import MEANING, PartKind, PartPin, Wiring
from pi_app.settings.load import example_path, load

Row = tuple[str, ...]


@cache
def wiring(size: str) -> Wiring:
    """The wiring of an example."""
    return wired(load(example_path(size)))


def place(table: Wiring, pin: PartPin) -> str:
    """A pin as text: `Pi pin 3 (GPIO 2)`, `supply strip, 3.3 V`."""
    part = table.part(pin.part)
    if part.kind is PartKind.PI:
        return f"Pi pin {pin.name} ({pin.called})"
    return f"{'mux' if part.kind is PartKind.MUX else part.name}, {pin.name}"


def pins(size: str, part: str) -> list[Row]:
    """Each wire of a part: its pin, its colour, the other end."""
    table = wiring(size)
    found: list[Row] = []
    for lead in table.leads:
        for wire in lead.wires:
            if wire.far.part == part:
                found.append((wire.far.name, str(wire.colour), place(table, wire.near)))
    return found


def beside(size: str, part: str) -> list[Row]:
    """Components at a part: value, from, to, purpose. Of a mux only those of its first channel."""
    table = wiring(size)
    at = table.part(part).name
    return [
        (one.value, place(table, one.ends[0]), place(table, one.ends[1]), one.why)
        for one in table.fitted
        if at in (one.at, table.part(one.ends[1].part).name)
        and not any(end.name in {f"S{line}{channel}" for line in "DC" for channel in range(1, 8)} for end in one.ends)
    ]


def straps() -> list[Row]:
    """The straps of each mux address."""
    return [(f"0x{address:02X}", mux_straps(address)) for address in range(0x70, 0x78)]


def colours() -> list[Row]:
    """The meaning of each wire colour."""
    return [(str(colour), meaning) for colour, meaning in MEANING.items()]


def forty_pins() -> list[Row]:
    """The Pi's header, two pins per row as on the board."""
    names = dict.fromkeys(header.V33_PINS, "3.3 V") | dict.fromkeys(header.V5_PINS, "**5 V: never**")
    names |= dict.fromkeys(header.GROUND_PINS, "ground")
    names |= {pin: f"GPIO {gpio}" for gpio, pin in header.BOARD_PIN.items()}
    return [(names[odd], str(odd), str(odd + 1), names[odd + 1]) for odd in range(1, 40, 2)]


def buses() -> list[Row]:
    """Every bus that a Pi's own controllers can have on pins of the header, with its line of config.txt at 400 kHz.
    Bus 0 is left out: it belongs to HATs."""
    fours = [("Pi 4", "4", number, pins) for number, pins in header.BCM_BUSES.items()]
    fives = [("Pi 5", "5", number, pins) for number, pairs in header.RP1_BUSES.items() for pins in pairs]
    every = [("any", "4", 1, header.PULLED_UP), *fours, *fives]
    return [
        (told, f"`/dev/i2c-{number}`", *(f"{gpio} (pin {header.BOARD_PIN[gpio]})" for gpio in pins), f"`{line}`")
        for told, model, number, pins in every
        if number and (told == "any" or pins != header.PULLED_UP)
        for line in [header.config_line(model, number, pins, 400_000)]
    ]


def pico() -> list[Row]:
    """The wires from a Pico to its mux: pin of the mux, colour, pin of the Pico, its name."""
    return [
        ("VIN", "red", str(header.PICO_V33_PINS[0]), "3V3(OUT)"),
        ("GND", "black", str(header.PICO_GROUND_PINS[0]), "GND"),
        *(
            (name, colour, str(header.PICO_PIN[gp]), f"GP{gp}")
            for name, colour, gp in (
                ("SDA", "blue", header.PICO_SDA),
                ("SCL", "yellow", header.PICO_SCL),
                ("RESET", "white", header.PICO_RESET),
            )
        ),
    ]
