"""Checks over all sections of the settings: what hangs where, and whether it can work there.

Works on the good values of each section, so that one bad value does not hide the other problems. Facts
about chips: TI SCPS207F (TCA9548A), ams AS5600 datasheet v1-06; pins: Raspberry Pi GPIO header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from hardware.encoders import ENCODERS, EncoderKind
from pi_app.text.user_file import Complaints, seen_as

MEMORY_ADDRESS: Final = 0x50
MEMORY_ALSO: Final = tuple(range(0x51, 0x58))

MUX_PART: Final = "mux"

LAST_CHANNEL: Final = 7
"""Of a mux."""

SELECT_BITS: Final = 20
"""Bit times of switching a TCA9548A: START, address, mask, STOP."""

SAFE_GAP_MS: Final = 35
"""The fastest hand on record turns 171 clicks of a 12-click dial in a second; half a turn takes this long."""

BUS_PINS: Final[Mapping[str, tuple[int, ...]]] = {"/dev/i2c-0": (0, 1), "/dev/i2c-1": (2, 3)}
"""Pins that surely belong to a bus, on every Pi."""
LIKELY_BUS_PINS: Final[Mapping[str, tuple[int, ...]]] = {
    "/dev/i2c-2": (4, 5, 12, 13),
    "/dev/i2c-3": (4, 5, 6, 7, 22, 23),
    "/dev/i2c-4": (8, 9),
    "/dev/i2c-5": (12, 13),
    "/dev/i2c-6": (22, 23),
}
"""Pins that such a bus uses on one model of Pi or another, depending on its overlay."""
CONSOLE_PINS: Final = (14, 15)


class _Mux(Protocol):
    @property
    def address(self) -> int: ...
    @property
    def reset_gpio(self) -> int | None: ...


def lines_of(device: str | None, scl_gpio: int | None, sda_gpio: int | None) -> tuple[int, int] | None:
    """SCL and SDA of a bus: what the settings say, else what is so on every Pi; None if neither is known."""
    sda_known, scl_known = BUS_PINS.get(device or "", (None, None))
    scl, sda = (scl_known if scl_gpio is None else scl_gpio), (sda_known if sda_gpio is None else sda_gpio)
    return None if scl is None or sda is None else (scl, sda)


@dataclass(frozen=True, slots=True)
class Wire:
    """One bus of the settings, as far as it could be read."""

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
class Chip:
    """An encoder (`kind` says which) or a screen: the section that names it, and where it hangs."""

    place: str
    part: str
    address: int
    bus: str
    mux: int | None
    channel: int | None
    kind: EncoderKind | None = None
    is_screen: bool = False
    also: Sequence[int] = ()
    """Other addresses that it answers to."""

    @property
    def segment(self) -> str:
        if self.mux is None:
            return f"bus {self.bus}"
        return f"bus {self.bus} mux 0x{self.mux:02X} channel {self.channel}"


@dataclass(frozen=True, slots=True)
class Pin:
    """A GPIO that a section uses under a key. `line_of` is the bus whose own line it is."""

    gpio: int
    place: str
    key: str
    line_of: str = ""


# ------------------------------------------------------------------------------------- from sections to facts


def wires_of(buses: Mapping[str, Mapping[str, object]]) -> dict[str, Wire]:
    """The buses by name."""
    return {name: _wire(name, good) for name, good in buses.items()}


def _wire(name: str, good: Mapping[str, object]) -> Wire:
    device, speed, muxes = good.get("device"), good.get("speed_hz", 100_000), good.get("mux", ())
    return Wire(
        name,
        device if isinstance(device, str) else None,
        speed if isinstance(speed, int) else None,
        muxes if isinstance(muxes, tuple) else (),
        good.get("clear") is True,
        *(_gpio(good, key) for key in ("scl_gpio", "sda_gpio", "power_gpio")),
    )


def _gpio(good: Mapping[str, object], key: str) -> int | None:
    gpio = good.get(key)
    return gpio if isinstance(gpio, int) else None


def encoder(place: str, good: Mapping[str, object], complaints: Complaints) -> Chip | None:
    """Where a square's encoder hangs, or None if its section does not say; complains of an address that it cannot
    have."""
    kind = ENCODERS.get(str(good.get("chip", "as5600")))
    if kind is None:
        return None
    address = good.get("address")
    if not isinstance(address, int):
        return _chip(place, kind.part, kind.address, good, kind)
    if address not in kind.addresses:
        only = f"0x{kind.addresses[0]:02X}"
        could = only if len(kind.addresses) == 1 else f"from {only} to 0x{kind.addresses[-1]:02X}"
        complaints.error(place, f"address = 0x{address:02X}", f"the address of an {kind.part} is {could}")
        return None
    return _chip(place, kind.part, address, good, kind)


def screen(place: str, good: object) -> Chip | None:
    """Where a seat's screen hangs, or None if its section does not say."""
    if not isinstance(good, dict):
        return None
    address = good.get("address", 0x3C)
    chip = _chip(place, "screen", address, good) if isinstance(address, int) else None
    return chip if chip is None else replace(chip, is_screen=True)


def muxes(wires: Mapping[str, Wire]) -> list[Chip]:
    """The muxes, as chips that answer right on their bus."""
    return [
        Chip(f"[[bus.{wire.name}.mux]]", MUX_PART, mux.address, wire.name, None, None)
        for wire in wires.values()
        for mux in wire.muxes
    ]


def chips_of(
    squares: Mapping[str, Mapping[str, object]],
    seats: Mapping[str, Mapping[str, object]],
    wires: Mapping[str, Wire],
    complaints: Complaints,
) -> list[Chip]:
    """Every mux, encoder, screen and memory that hangs where it can; complains of the others."""
    chips = [encoder(f"[square.{label}]", good, complaints) for label, good in squares.items()]
    chips += [screen(f"[seat.{key}.screen]", good["screen"]) for key, good in seats.items() if "screen" in good]
    chips += [memory(f"[square.{label}]", good) for label, good in squares.items() if good.get("memory")]
    placed = [chip for chip in chips if chip is not None and check_place(chip, wires, complaints)]
    return [*muxes(wires), *placed]


def memory(place: str, good: Mapping[str, object]) -> Chip | None:
    """Where a tile's memory hangs: on the lead of its encoder. A 24AA02UID has no address pins and answers at eight
    addresses (Microchip DS20005202A)."""
    name = str(good["memory"])
    chip = _chip(place, name.upper(), MEMORY_ADDRESS, good)
    return chip if chip is None else replace(chip, also=MEMORY_ALSO if name == "24aa02uid" else ())


def _chip(
    place: str, part: str, address: int, good: Mapping[str, object], kind: EncoderKind | None = None
) -> Chip | None:
    bus, mux, channel = good.get("bus"), good.get("mux"), good.get("channel")
    if not isinstance(bus, str):
        return None
    return Chip(
        place,
        part,
        address,
        bus,
        mux if isinstance(mux, int) else None,
        channel if isinstance(channel, int) else None,
        kind,
    )


def pins_of(wires: Mapping[str, Wire], seats: Mapping[str, Mapping[str, object]]) -> list[Pin]:
    """Every GPIO that the settings give a job, but for those of the buses themselves."""
    resets = [
        Pin(gpio, f"[[bus.{wire.name}.mux]]", "reset_gpio")
        for wire in wires.values()
        for gpio in dict.fromkeys(mux.reset_gpio for mux in wire.muxes)  # muxes of one bus may share a RESET wire
        if gpio is not None
    ]
    of_buses = [
        Pin(gpio, wire.place, key, "" if key == "power_gpio" else wire.name)
        for wire in wires.values()
        for key in ("scl_gpio", "sda_gpio", "power_gpio")
        if (gpio := getattr(wire, key)) is not None
    ]
    at_seats = [
        Pin(gpio, f"[seat.{key}]", job)
        for key, good in seats.items()
        for job in ("button_gpio", "lamp_gpio")
        if isinstance(gpio := good.get(job), int)
    ]
    colours = [
        Pin(gpio, f"[seat.{key}.lamp]", job)
        for key, good in seats.items()
        if isinstance(lamp := good.get("lamp"), dict)
        for job in ("red_gpio", "green_gpio", "blue_gpio")
        if isinstance(gpio := lamp.get(job), int)
    ]
    return resets + of_buses + at_seats + colours


# ------------------------------------------------------------------------------------------------ the checks


def check_wires(wires: Mapping[str, Wire], complaints: Complaints) -> None:
    """No two sections for one device; no two muxes at one address; a mux without reset is only warned of."""
    devices: dict[str, Wire] = {}
    for wire in wires.values():
        if wire.device is not None and (first := devices.setdefault(wire.device, wire)) is not wire:
            seen = seen_as("device", wire.device)
            complaints.error(wire.place, seen, f"is already the device of {first.place}; write one section")
        addresses = [mux.address for mux in wire.muxes]
        for address in sorted({address for address in addresses if addresses.count(address) > 1}):
            reason = "two muxes have this address; set A2, A1 and A0 differently on one of them"
            complaints.error(f"[[bus.{wire.name}.mux]]", f"address = 0x{address:02X}", reason)
        if wire.clear and wire.device is not None and lines_of(wire.device, wire.scl_gpio, wire.sda_gpio) is None:
            reason = f"needs scl_gpio and sda_gpio beside it: which pins {wire.device} has depends on its overlay"
            complaints.error(wire.place, "clear = true", reason)
        for mux in wire.muxes:
            if mux.reset_gpio is None:
                reason = "has no reset_gpio; a stuck tile can then hold the whole bus until the power is cut"
                complaints.warning(f"[[bus.{wire.name}.mux]]", f"address = 0x{mux.address:02X}", reason)


def check_place(chip: Chip, wires: Mapping[str, Wire], complaints: Complaints) -> bool:
    """Whether the bus and the mux that a chip names are there, and mux and channel go together."""
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


def check_clashes(chips: Sequence[Chip], complaints: Complaints) -> None:
    """Two chips at one address answer together if one line reaches both: a wired-AND of two angles looks
    like an angle. What hangs on the bus itself is reached through every channel of its muxes."""
    for at, chip in enumerate(chips):
        for earlier in chips[:at]:
            if not _together(chip, earlier) or chip.part == MUX_PART:
                continue
            if earlier.part == MUX_PART:
                reason = f"the mux at {earlier.segment} has this address and would answer too; change one of them"
                complaints.error(chip.place, f"address = 0x{chip.address:02X}", reason)
                break
            if chip.segment == earlier.segment:
                reason = f"0x{chip.address:02X} at {chip.segment} is already used by {earlier.place}; move one"
            else:
                reason = (
                    f"{chip.part} 0x{chip.address:02X} at {chip.segment} would answer together with "
                    f"{earlier.place} at {earlier.segment}; move one behind a mux channel of its own"
                )
            complaints.error(chip.place, "", reason)
            break
    _check_wakers(chips, complaints)


def _together(one: Chip, other: Chip) -> bool:
    shared = {one.address, *one.also} & {other.address, *other.also}
    return bool(shared) and _joined(one, other)


def _joined(one: Chip, other: Chip) -> bool:
    """Whether one line can reach both."""
    if one.bus != other.bus:
        return False
    return one.mux is None or other.mux is None or (one.mux, one.channel) == (other.mux, other.channel)


def _check_wakers(chips: Sequence[Chip], complaints: Complaints) -> None:
    """A chip that wakes up elsewhere than where it is kept needs that address for itself."""
    for at, chip in enumerate(chips):
        wakes_at = None if chip.kind is None else chip.kind.wakes_at
        if wakes_at is None or wakes_at == chip.address:
            continue
        for other in chips:
            if other is not chip and other.address == wakes_at and _joined(chip, other):
                reason = (
                    f"every {chip.part} wakes up at 0x{wakes_at:02X}, where {other.place} is; "
                    "they would answer together until it is moved"
                )
                complaints.error(chip.place, f"address = 0x{chip.address:02X}", reason)
                break
        if any(other.kind is chip.kind and _joined(chip, other) for other in chips[:at]):
            reason = (
                f"two {chip.part} on one line wake up at 0x{wakes_at:02X} together and cannot be told apart then; "
                "after a power cut plug them in one after the other, or give each a mux channel of its own"
            )
            complaints.warning(chip.place, f"address = 0x{chip.address:02X}", reason)


def screens_among_dials(chips: Sequence[Chip]) -> list[Chip]:
    """Screens on a bus that has dials too."""
    dials = {chip.bus for chip in chips if chip.kind is not None}
    return [chip for chip in chips if chip.is_screen and chip.bus in dials]


def check_screens(chips: Sequence[Chip], complaints: Complaints) -> None:
    """A screen beside dials is only warned of."""
    for chip in screens_among_dials(chips):
        reason = "dials hang on this bus too; screens slow their scan, a bus of its own is better"
        complaints.warning(chip.place, seen_as("bus", chip.bus), reason)


def check_memories(
    table: Mapping[str, object], squares: Mapping[str, Mapping[str, object]], complaints: Complaints
) -> None:
    """Which tile belongs to which square is kept in the calibration file."""
    named = [label for label, good in squares.items() if good.get("memory")]
    if named and not table.get("calibration"):
        reason = "nobody knows which tile belongs to which square; name a `calibration` in [table]"
        complaints.warning(f"[square.{named[0]}]", seen_as("memory", squares[named[0]]["memory"]), reason)


def check_pins(pins: Sequence[Pin], wires: Mapping[str, Wire], complaints: Complaints) -> None:
    """No pin has two jobs, and none is a line of a bus in use."""
    jobs: dict[int, Pin] = {}
    for pin in pins:
        seen = f"{pin.key} = {pin.gpio}"
        first = jobs.setdefault(pin.gpio, pin)
        if first is not pin:
            complaints.error(pin.place, seen, f"GPIO {pin.gpio} is already {first.key} of {first.place}; move one")
        for wire in wires.values():
            if pin.line_of == wire.name:
                continue
            if pin.gpio in BUS_PINS.get(wire.device or "", ()):
                complaints.error(pin.place, seen, f"GPIO {pin.gpio} is a line of {wire.place} {wire.device}")
            if pin.gpio in LIKELY_BUS_PINS.get(wire.device or "", ()):
                reason = f"on some Pi this is a line of {wire.place} {wire.device}; compare with its overlay"
                complaints.warning(pin.place, seen, reason)
        if pin.gpio in CONSOLE_PINS:
            reason = "this is the serial console's pin; switch the console off or take another"
            complaints.warning(pin.place, seen, reason)


def check_pace(
    table: Mapping[str, object], wires: Mapping[str, Wire], chips: Sequence[Chip], complaints: Complaints
) -> None:
    """Looks must come often enough to follow a dial, and the wire must be able to carry them."""
    gap_ms, scan_hz = table.get("gap_limit_ms", SAFE_GAP_MS), table.get("scan_hz", 100)
    if not isinstance(gap_ms, int) or not isinstance(scan_hz, int):
        return
    _check_gap(gap_ms, scan_hz, complaints)
    for wire in wires.values():
        if wire.speed_hz is not None:
            scan_ms = 1000 * scan_work(wire, chips).bits / wire.speed_hz
            _check_wire_time(wire, scan_ms, gap_ms, scan_hz, complaints)


def _check_gap(gap_ms: int, scan_hz: int, complaints: Complaints) -> None:
    if scan_hz * gap_ms < 1000:
        between = f"scan_hz = {scan_hz} leaves {1000 / scan_hz:.0f} ms between two samples"
        reason = f"{between}, so no turn could be followed; raise scan_hz"
        complaints.error("[table]", f"gap_limit_ms = {gap_ms}", reason)
    elif scan_hz * gap_ms < 2000:
        reason = "one failed look already makes the path unknown; 100 or more is better"
        complaints.warning("[table]", f"scan_hz = {scan_hz}", reason)
    if gap_ms > SAFE_GAP_MS:
        reason = f"above {SAFE_GAP_MS} ms a fast hand could turn a dial of 12 clicks half round unseen"
        complaints.warning("[table]", f"gap_limit_ms = {gap_ms}", reason)


@dataclass(frozen=True, slots=True)
class ScanWork:
    """What one look at every dial of a bus costs: bit times, and how many transfers they are in."""

    dials: int
    bits: int
    transfers: int


def scan_work(wire: Wire, chips: Sequence[Chip]) -> ScanWork:
    """With several muxes each is closed before the next one is opened."""
    dials = [(chip.kind, chip) for chip in chips if chip.kind is not None and chip.bus == wire.name]
    channels = {(chip.mux, chip.channel) for _, chip in dials if chip.mux is not None}
    muxes = {mux for mux, _ in channels}
    switched = len(channels) + (len(muxes) if len(muxes) > 1 else 0)
    bits = sum(kind.read_bits for kind, _ in dials) + SELECT_BITS * switched
    return ScanWork(len(dials), bits, len(dials) + switched)


def _check_wire_time(wire: Wire, scan_ms: float, gap_ms: int, scan_hz: int, complaints: Complaints) -> None:
    seen = f"speed_hz = {wire.speed_hz}"
    if scan_ms > gap_ms:
        reason = f"one look at all its dials takes {scan_ms:.0f} ms, longer than gap_limit_ms = {gap_ms}"
        complaints.error(wire.place, seen, f"{reason}; use a faster or a second bus")
    elif scan_ms * scan_hz > 1000:
        reason = f"its dials can be sampled {1000 / scan_ms:.0f} times a second at most, not {scan_hz}"
        complaints.warning(wire.place, seen, reason)
