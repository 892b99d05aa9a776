"""Checks of the wiring that the settings describe: addresses, pins, and whether a bus is fast enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pi_app.settings.wiring import (
    BUS_PINS,
    CONSOLE_PINS,
    LIKELY_BUS_PINS,
    MUX_PART,
    Section,
    UsedPin,
    WiredBus,
    WiredChip,
    chips_of,
    lines_of,
    pins_of,
    scan_work,
    screens_among_dials,
    wires_of,
)
from pi_app.text.user_file import Complaints, seen_as

SAFE_GAP_MS: Final = 35
"""The fastest hand on record turns 171 clicks of a 12-click dial in a second; half a turn takes this long."""


def check_wiring(
    table: Section,
    buses: Mapping[str, Section],
    squares: Mapping[str, Section],
    seats: Mapping[str, Section],
    complaints: Complaints,
) -> None:
    """Report every problem of the wiring that these sections describe."""
    wires = wires_of(buses)
    _check_wires(wires, complaints)
    chips = chips_of(squares, seats, wires, complaints)
    check_clashes(chips, complaints)
    _check_screens(chips, complaints)
    _check_pins(pins_of(wires, seats), wires, complaints)
    _check_sampling(table, wires, chips, complaints)
    _check_memories(table, squares, complaints)


def _check_wires(wires: Mapping[str, WiredBus], complaints: Complaints) -> None:
    """Refuse two sections for one device and two muxes at one address; warn of a mux without a reset line."""
    devices: dict[str, WiredBus] = {}
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
                reason = "has no reset_gpio; a stuck tile can then hold the whole bus until you switch the power off"
                complaints.warning(f"[[bus.{wire.name}.mux]]", f"address = 0x{mux.address:02X}", reason)


def check_clashes(chips: Sequence[WiredChip], complaints: Complaints) -> None:
    """Refuse two chips at one address that share a line: both answer at once, and the wired-AND of two angles looks
    like an angle. A chip on the bus itself answers through every channel of its muxes."""
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
                    f"{earlier.place} at {earlier.segment}; move one behind its own mux channel"
                )
            complaints.error(chip.place, "", reason)
            break
    _check_wakers(chips, complaints)


def _together(one: WiredChip, other: WiredChip) -> bool:
    shared = {one.address, *one.also} & {other.address, *other.also}
    return bool(shared) and _joined(one, other)


def _joined(one: WiredChip, other: WiredChip) -> bool:
    """Return whether the two chips can be on one line at a time."""
    if one.bus != other.bus:
        return False
    return one.mux is None or other.mux is None or (one.mux, one.channel) == (other.mux, other.channel)


def _check_wakers(chips: Sequence[WiredChip], complaints: Complaints) -> None:
    """Refuse a chip at the address where another one wakes up before it is moved to its own."""
    for at, chip in enumerate(chips):
        wakes_at = None if chip.kind is None else chip.kind.wakes_at
        if wakes_at is None or wakes_at == chip.address:
            continue
        for other in chips:
            if other is not chip and other.address == wakes_at and _joined(chip, other):
                reason = (
                    f"every {chip.part} wakes up at 0x{wakes_at:02X}, which is the address of {other.place}; "
                    "both would answer until it is moved"
                )
                complaints.error(chip.place, f"address = 0x{chip.address:02X}", reason)
                break
        if any(other.kind is chip.kind and _joined(chip, other) for other in chips[:at]):
            reason = (
                f"two {chip.part} on one line wake up at 0x{wakes_at:02X} together and cannot be told apart; "
                "after a power cut, plug them in one after the other, or give each its own mux channel"
            )
            complaints.warning(chip.place, f"address = 0x{chip.address:02X}", reason)


def _check_screens(chips: Sequence[WiredChip], complaints: Complaints) -> None:
    """Warn of a screen on a bus that has dials."""
    for chip in screens_among_dials(chips):
        reason = "dials hang on this bus too; a screen slows their scan, and is better on its own bus"
        complaints.warning(chip.place, seen_as("bus", chip.bus), reason)


def _check_memories(table: Section, squares: Mapping[str, Section], complaints: Complaints) -> None:
    """Warn of memories without a calibration file: that file says which tile belongs to which square."""
    named = [label for label, good in squares.items() if good.get("memory")]
    if named and not table.get("calibration"):
        reason = "Trapdial does not know which tile belongs to which square; name a `calibration` in [table]"
        complaints.warning(f"[square.{named[0]}]", seen_as("memory", squares[named[0]]["memory"]), reason)


def _check_pins(pins: Sequence[UsedPin], wires: Mapping[str, WiredBus], complaints: Complaints) -> None:
    """Refuse a pin that is used twice or is a line of a bus in use."""
    jobs: dict[int, UsedPin] = {}
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
                reason = f"on some models of Pi this is a line of {wire.place} {wire.device}; check its overlay"
                complaints.warning(pin.place, seen, reason)
        if pin.gpio in CONSOLE_PINS:
            reason = "this is the serial console's pin; switch the console off or use another pin"
            complaints.warning(pin.place, seen, reason)


def _check_sampling(
    table: Section, wires: Mapping[str, WiredBus], chips: Sequence[WiredChip], complaints: Complaints
) -> None:
    """Check that samples come often enough to follow a dial, and that each bus is fast enough for them."""
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
        reason = f"{between}, so no turn can be followed; raise scan_hz"
        complaints.error("[table]", f"gap_limit_ms = {gap_ms}", reason)
    elif scan_hz * gap_ms < 2000:
        reason = "a single failed read makes the path unknown; 100 or more is better"
        complaints.warning("[table]", f"scan_hz = {scan_hz}", reason)
    if gap_ms > SAFE_GAP_MS:
        reason = f"above {SAFE_GAP_MS} ms a fast hand could turn a dial of 12 clicks half a turn between two samples"
        complaints.warning("[table]", f"gap_limit_ms = {gap_ms}", reason)


def _check_wire_time(wire: WiredBus, scan_ms: float, gap_ms: int, scan_hz: int, complaints: Complaints) -> None:
    seen = f"speed_hz = {wire.speed_hz}"
    if scan_ms > gap_ms:
        reason = f"one scan of all its dials takes {scan_ms:.0f} ms, longer than gap_limit_ms = {gap_ms}"
        complaints.error(wire.place, seen, f"{reason}; use a faster or a second bus")
    elif scan_ms * scan_hz > 1000:
        reason = f"its dials can be sampled {1000 / scan_ms:.0f} times a second at most, not {scan_hz}"
        complaints.warning(wire.place, seen, reason)
