"""The wiring that the settings describe: buses, the chips on them, and the pins in use.

It is built from the valid values of each section, so that one bad value does not hide the other problems. Facts
about chips: TI SCPS207F (TCA9548A), ams AS5600 datasheet v1-06; pins: Raspberry Pi GPIO header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from hardware.encoders import ENCODERS, EncoderKind
from hardware.errors import with_article
from pi_app.text.user_file import Complaints, seen_as

MEMORY_ADDRESS: Final = 0x50
MEMORY_ALSO: Final = tuple(range(0x51, 0x58))

MUX_PART: Final = "mux"

LAST_CHANNEL: Final = 7
"""The highest channel of a mux."""

SELECT_BITS: Final = 20
"""Bit times of one switch of a TCA9548A: START, address, mask, STOP."""

BUS_PINS: Final[Mapping[str, tuple[int, ...]]] = {"/dev/i2c-0": (0, 1), "/dev/i2c-1": (2, 3)}
"""Pins that belong to this bus on every Pi."""
LIKELY_BUS_PINS: Final[Mapping[str, tuple[int, ...]]] = {
    "/dev/i2c-2": (4, 5, 12, 13),
    "/dev/i2c-3": (4, 5, 6, 7, 22, 23),
    "/dev/i2c-4": (8, 9),
    "/dev/i2c-5": (12, 13),
    "/dev/i2c-6": (22, 23),
}
"""Pins that this bus may use, depending on the model of Pi and on its overlay."""
CONSOLE_PINS: Final = (14, 15)


Section = Mapping[str, object]
"""The valid values of one section, by key."""


class _Mux(Protocol):
    @property
    def address(self) -> int: ...
    @property
    def reset_gpio(self) -> int | None: ...


def lines_of(device: str | None, scl_gpio: int | None, sda_gpio: int | None) -> tuple[int, int] | None:
    """Return SCL and SDA of a bus: those in the settings, else those of every Pi; None if neither is known."""
    sda_known, scl_known = BUS_PINS.get(device or "", (None, None))
    scl, sda = (scl_known if scl_gpio is None else scl_gpio), (sda_known if sda_gpio is None else sda_gpio)
    return None if scl is None or sda is None else (scl, sda)


@dataclass(frozen=True, slots=True)
class WiredBus:
    """One bus of the settings. A value that could not be read is None."""

    name: str
    device: str | None
    speed_hz: int | None
    muxes: tuple[_Mux, ...]
    clear: bool = False
    scl_gpio: int | None = None
    sda_gpio: int | None = None
    power_gpio: int | None = None

    @property
    def place(self) -> str:
        return f"[bus.{self.name}]"


@dataclass(frozen=True, slots=True)
class WiredChip:
    """A chip on a bus: the section that names it, and its address there. `kind` is set for an encoder."""

    place: str
    part: str
    address: int
    bus: str
    mux: int | None
    channel: int | None
    kind: EncoderKind | None = None
    is_screen: bool = False
    also: Sequence[int] = ()
    """Other addresses at which it answers."""

    @property
    def segment(self) -> str:
        if self.mux is None:
            return f"bus {self.bus}"
        return f"bus {self.bus} mux 0x{self.mux:02X} channel {self.channel}"


@dataclass(frozen=True, slots=True)
class UsedPin:
    """A GPIO that a section uses under a key. `line_of` names the bus if it is SCL or SDA."""

    gpio: int
    place: str
    key: str
    line_of: str = ""


# ------------------------------------------------------------------------------------- from sections to facts


def wires_of(buses: Mapping[str, Section]) -> dict[str, WiredBus]:
    """Return the buses by name."""
    return {name: _wire(name, good) for name, good in buses.items()}


def _wire(name: str, good: Section) -> WiredBus:
    device, speed, muxes = good.get("device"), good.get("speed_hz", 100_000), good.get("mux", ())
    return WiredBus(
        name,
        device if isinstance(device, str) else None,
        speed if isinstance(speed, int) else None,
        muxes if isinstance(muxes, tuple) else (),
        good.get("clear") is True,
        *(_gpio(good, key) for key in ("scl_gpio", "sda_gpio", "power_gpio")),
    )


def _gpio(good: Section, key: str) -> int | None:
    gpio = good.get(key)
    return gpio if isinstance(gpio, int) else None


def encoder(place: str, good: Section, complaints: Complaints) -> WiredChip | None:
    """Return a square's encoder, or None if its section names no place; report an address that it cannot have."""
    kind = ENCODERS.get(str(good.get("chip", "as5600")))
    if kind is None:
        return None
    address = good.get("address")
    if not isinstance(address, int):
        return _chip(place, kind.part, kind.address, good, kind)
    if address not in kind.addresses:
        only = f"0x{kind.addresses[0]:02X}"
        could = only if len(kind.addresses) == 1 else f"from {only} to 0x{kind.addresses[-1]:02X}"
        complaints.error(place, f"address = 0x{address:02X}", f"the address of {with_article(kind.part)} is {could}")
        return None
    return _chip(place, kind.part, address, good, kind)


def screen(place: str, good: object) -> WiredChip | None:
    """Return a seat's screen, or None if its section names no place."""
    if not isinstance(good, dict):
        return None
    address = good.get("address", 0x3C)
    chip = _chip(place, "screen", address, good) if isinstance(address, int) else None
    return chip if chip is None else replace(chip, is_screen=True)


def muxes(wires: Mapping[str, WiredBus]) -> list[WiredChip]:
    """Return the muxes as chips on their buses."""
    return [
        WiredChip(f"[[bus.{wire.name}.mux]]", MUX_PART, mux.address, wire.name, None, None)
        for wire in wires.values()
        for mux in wire.muxes
    ]


def chips_of(
    squares: Mapping[str, Section],
    seats: Mapping[str, Section],
    wires: Mapping[str, WiredBus],
    complaints: Complaints,
) -> list[WiredChip]:
    """Return every mux, encoder, screen and memory with a valid place; report the others."""
    chips = [encoder(f"[square.{label}]", good, complaints) for label, good in squares.items()]
    chips += [screen(f"[seat.{key}.screen]", good["screen"]) for key, good in seats.items() if "screen" in good]
    chips += [memory(f"[square.{label}]", good) for label, good in squares.items() if good.get("memory")]
    placed = [chip for chip in chips if chip is not None and check_place(chip, wires, complaints)]
    return [*muxes(wires), *placed]


def memory(place: str, good: Section) -> WiredChip | None:
    """Return a tile's memory, which hangs on the lead of its encoder. A 24AA02UID has no address pins and answers at
    eight addresses (Microchip DS20005202A)."""
    name = str(good["memory"])
    chip = _chip(place, name.upper(), MEMORY_ADDRESS, good)
    return chip if chip is None else replace(chip, also=MEMORY_ALSO if name == "24aa02uid" else ())


def _chip(place: str, part: str, address: int, good: Section, kind: EncoderKind | None = None) -> WiredChip | None:
    bus, mux, channel = good.get("bus"), good.get("mux"), good.get("channel")
    if not isinstance(bus, str):
        return None
    return WiredChip(
        place,
        part,
        address,
        bus,
        mux if isinstance(mux, int) else None,
        channel if isinstance(channel, int) else None,
        kind,
    )


def pins_of(wires: Mapping[str, WiredBus], seats: Mapping[str, Section]) -> list[UsedPin]:
    """Return every GPIO that the settings name."""
    resets = [
        UsedPin(gpio, f"[[bus.{wire.name}.mux]]", "reset_gpio")
        for wire in wires.values()
        for gpio in dict.fromkeys(mux.reset_gpio for mux in wire.muxes)  # muxes of one bus may share a RESET wire
        if gpio is not None
    ]
    of_buses = [
        UsedPin(gpio, wire.place, key, "" if key == "power_gpio" else wire.name)
        for wire in wires.values()
        for key in ("scl_gpio", "sda_gpio", "power_gpio")
        if (gpio := getattr(wire, key)) is not None
    ]
    at_seats = [
        UsedPin(gpio, f"[seat.{key}]", job)
        for key, good in seats.items()
        for job in ("button_gpio", "lamp_gpio")
        if isinstance(gpio := good.get(job), int)
    ]
    colours = [
        UsedPin(gpio, f"[seat.{key}.lamp]", job)
        for key, good in seats.items()
        if isinstance(lamp := good.get("lamp"), dict)
        for job in ("red_gpio", "green_gpio", "blue_gpio")
        if isinstance(gpio := lamp.get(job), int)
    ]
    return resets + of_buses + at_seats + colours


def check_place(chip: WiredChip, wires: Mapping[str, WiredBus], complaints: Complaints) -> bool:
    """Return whether the settings have the bus, the mux and the channel that a chip names; report it if not."""
    wire = wires.get(chip.bus)
    if wire is None:
        known = ", ".join(f"[bus.{name}]" for name in wires) or "none"
        complaints.error(chip.place, seen_as("bus", chip.bus), f"there is no such bus; there is {known}")
        return False
    if (chip.mux is None) != (chip.channel is None):
        seen, other = (
            (f"channel = {chip.channel}", "mux") if chip.mux is None else (f"mux = 0x{chip.mux:02X}", "channel")
        )
        complaints.error(chip.place, seen, f"needs {other!r} beside it")
        return False
    if chip.channel is not None and chip.channel > LAST_CHANNEL:
        complaints.error(chip.place, f"channel = {chip.channel}", "must be from 0 to 7; a mux has eight channels")
        return False
    if chip.mux is not None and chip.mux not in [mux.address for mux in wire.muxes]:
        reason = f"there is no [[bus.{chip.bus}.mux]] with this address; write one, or name the mux that is there"
        complaints.error(chip.place, f"mux = 0x{chip.mux:02X}", reason)
        return False
    return True


def screens_among_dials(chips: Sequence[WiredChip]) -> list[WiredChip]:
    """Return the screens on a bus that also has dials."""
    dials = {chip.bus for chip in chips if chip.kind is not None}
    return [chip for chip in chips if chip.is_screen and chip.bus in dials]


@dataclass(frozen=True, slots=True)
class ScanWork:
    """The cost of one scan of a bus: bit times and transfers."""

    dials: int
    bits: int
    transfers: int


def scan_work(wire: WiredBus, chips: Sequence[WiredChip]) -> ScanWork:
    """Return the cost of a scan. With several muxes, each is closed before the next one is opened."""
    dials = [(chip.kind, chip) for chip in chips if chip.kind is not None and chip.bus == wire.name]
    channels = {(chip.mux, chip.channel) for _, chip in dials if chip.mux is not None}
    muxes = {mux for mux, _ in channels}
    switched = len(channels) + (len(muxes) if len(muxes) > 1 else 0)
    bits = sum(kind.read_bits for kind, _ in dials) + SELECT_BITS * switched
    return ScanWork(len(dials), bits, len(dials) + switched)
