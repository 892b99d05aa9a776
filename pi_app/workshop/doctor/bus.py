"""Checks one bus and everything on it, from the trunk outwards, then all of it at full speed.

If a part holds the bus, a wired RESET frees it; without one, the other parts are reported as not checked.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hardware.chips.dial_chip import DialChip, start_up
from hardware.chips.tca9548a import CHANNELS
from hardware.errors import BusStuck, HardwareError, NoAnswer, NoBus
from hardware.host import Host
from hardware.kernel_mux import I2cTree, number_of
from pi_app.plans.check import Check, Sign, failing, field, not_tried
from pi_app.plans.config_txt import bus_speed, devices, kernel_owns
from pi_app.play.build import TableBuilder
from pi_app.play.parts import Parts
from pi_app.play.wires import TableWires
from pi_app.settings.model import Settings
from pi_app.workshop.doctor.bus_wiring import PI, BusWiring, mux_part
from pi_app.workshop.doctor.encoders import another_kind, examine_memory, tile_register
from pi_app.workshop.doctor.muxes import examine_mux
from pi_app.workshop.doctor.pace import examine_pace, scan_part, unmeasured
from pi_app.workshop.doctor.screens import examine_screen
from pi_app.workshop.doctor.strangers import encoder_without_square, stranger, unnamed_answers

UNPLUG: Final = "Unplug this tile: it holds its lead down. Then check for a short between its wires."

IN_USE: Final = "is in use by a game or another trapdial"
"""What is seen of a bus that another process has: nothing of it is known then."""


class BusDoctor:
    """Checks one bus. `pins`: whether the Pi's pins can be used. `seconds`: how long it is scanned, or None if nothing
    is timed."""

    def __init__(
        self, settings: Settings, name: str, parts: Parts, host: Host, pins: bool, seconds: float | None
    ) -> None:
        self._wiring = BusWiring(settings, name, pins)
        self._parts, self._host, self._seconds = parts, host, seconds
        self._tiles = tile_register(settings)
        self._held = ""
        """The part that holds the bus, if one does."""
        self._failing = False
        """Whether any part of it fails so far."""
        self._failed_muxes: list[int] = []
        self._on_trunk: set[int] = set()
        """Addresses of unnamed chips that answer."""
        self._answering: list[str] = []

    def examine(self) -> Iterator[Check]:
        """Check the bus, then its parts. A part that fails raises nothing."""
        for check in self._examined():
            self._failing = self._failing or check.sign is Sign.FAILS
            yield check

    def _examined(self) -> Iterator[Check]:
        with TableBuilder(self._wiring.alone(), self._parts, borrowed=True) as builder:
            try:
                wires = builder.wires()
            except HardwareError as error:
                yield self._no_bus(error)
                yield from self._nothing_tried("its bus cannot be used")
                return
            yield from self._opened(wires)
            yield from self._lines(builder)
            yield from self._muxes(wires)
            yield from self._strangers(wires)
            yield from self._tiles_on_it(wires)
            yield from self._unnamed(wires)
            for screen in self._wiring.screens:
                place = self._wiring.place(screen.wanted.address)
                checks = examine_screen(self._wiring, wires, screen)
                yield from self._guarded(wires, screen.about, screen.part, place, checks)
            if self._seconds is not None:
                yield from self._pace(wires, self._seconds)

    # ------------------------------------------------------------------ a part that holds the bus

    def _guarded(
        self, wires: TableWires, about: str, part: str, place: str, checks: Iterator[Check]
    ) -> Iterator[Check]:
        """Run the checks of one part, `about` its id. An error becomes a line."""
        for check in self._tried(wires, part, place, checks):
            yield replace(check, about=about)

    def _tried(self, wires: TableWires, part: str, place: str, checks: Iterator[Check]) -> Iterator[Check]:
        self._let_go(wires)
        if self._held:
            yield not_tried(part, place, f"{self._held} holds the bus")
            return
        try:
            yield from checks
        except BusStuck as error:
            self._held = part
            alone = " channel " in place
            yield replace(failing(error, part, place), advice=UNPLUG if alone else error.advice)
        except HardwareError as error:
            yield failing(error, part, place)

    def _let_go(self, wires: TableWires) -> None:
        """Pulse every RESET after a hung segment. Without one, the bus stays held."""
        resets = [mux.pulse_reset() for mux in wires.muxes.values()] if self._held else []
        if any(resets):
            self._held = ""

    # ------------------------------------------------------------------ the bus itself

    def _no_bus(self, error: HardwareError) -> Check:
        part, device, cause = f"bus {self._wiring.name}", self._wiring.device, error.__cause__
        if isinstance(cause, OSError) and cause.errno == errno.EWOULDBLOCK:
            return Check(
                Sign.FAILS,
                part,
                device,
                IN_USE,
                "End that one first. Nothing was read, so it was not disturbed.",
                refuses=True,
                about=PI,
            )
        advice = error.advice
        if isinstance(error, NoBus) and isinstance(cause, FileNotFoundError):
            there = ", ".join(devices(self._host)) or "none; sudo modprobe i2c-dev if I2C is on"
            advice = f"{advice} Available I2C devices: {there}."
        return Check(Sign.FAILS, part, device, error.seen, advice, refuses=True, about=PI)

    def _nothing_tried(self, why: str) -> Iterator[Check]:
        for mux in self._wiring.bus.mux:
            part, about = mux_part(mux.address), self._wiring.mux_id(mux.address)
            yield not_tried(part, self._wiring.place(mux.address), why, about)
        for label in self._wiring.squares:
            yield not_tried(f"encoder of {label}", self._wiring.device, why, label)
        for screen in self._wiring.screens:
            yield not_tried(screen.part, self._wiring.place(screen.wanted.address), why, screen.about)

    def _opened(self, wires: TableWires) -> Iterator[Check]:
        name, device, bus = self._wiring.name, self._wiring.device, wires.buses[self._wiring.name]
        how = "many transactions per call" if getattr(bus, "batching", False) else "one transaction per call"
        simulated = "SIMULATED; " if self._parts.simulated else ""
        yield Check(Sign.GOOD, f"bus {name}", device, f"{simulated}opened; {how}", about=PI)
        if not getattr(bus, "bounded", True):
            yield Check(
                Sign.UNSURE,
                f"time-out of bus {name}",
                device,
                "cannot be shortened on this controller, so a hung tile stops its dials for a second at a time",
                "Wire RESET, or use one of the Pi's own controllers.",
            )
        if self._parts.simulated:
            return
        yield from kernel_owns(self._host, device, self._wiring.on_trunk())
        yield from bus_speed(self._host, name, device, self._wiring.bus.speed_hz)

    def _lines(self, builder: TableBuilder) -> Iterator[Check]:
        """Check that the bus's pins can be taken and returned, if the settings want that."""
        pins = builder.bus_pins(self._wiring.name)
        if pins is None:
            return
        part, place = f"lines of bus {self._wiring.name}", f"GPIO{pins.scl_gpio}, GPIO{pins.sda_gpio}"
        try:
            pins.functions()
        except HardwareError as error:
            yield failing(error, part)
        else:
            yield Check(Sign.GOOD, part, place, "can be driven as GPIOs, and returned by pinctrl")

    # ------------------------------------------------------------------ what hangs on it

    def _muxes(self, wires: TableWires) -> Iterator[Check]:
        for address in (mux.address for mux in self._wiring.bus.mux):
            checks = examine_mux(self._wiring, wires, address)
            about, place = self._wiring.mux_id(address), self._wiring.place(address)
            for check in self._guarded(wires, about, mux_part(address), place, checks):
                if check.refuses:
                    self._failed_muxes.append(address)
                yield check

    def _strangers(self, wires: TableWires) -> Iterator[Check]:
        """Search the trunk for other chips while all muxes are closed."""
        if self._held:
            return
        known = {*self._wiring.on_trunk(), *self._kernel_muxes()}
        try:
            for address, answer in unnamed_answers(wires.buses[self._wiring.name], known):
                self._on_trunk.add(address)
                yield stranger(self._wiring, address, answer)
        except BusStuck as error:
            yield replace(failing(error, f"bus {self._wiring.name}", self._wiring.device), about=PI)
            self._held = "something"

    def _kernel_muxes(self) -> frozenset[int]:
        """Return the addresses of the muxes that this bus is a channel of, if the kernel drives them."""
        return I2cTree(self._host.root / "sys/bus/i2c/devices").joined(number_of(self._wiring.device))

    def _tiles_on_it(self, wires: TableWires) -> Iterator[Check]:
        for label, chip in wires.chips.items():
            part, place = f"encoder of {label}", chip.bus.name
            if (mux := self._wiring.squares[label].mux) in self._failed_muxes:
                yield not_tried(part, place, f"mux 0x{mux:02X} before it fails", label)
                continue
            yield from self._guarded(wires, label, part, place, self._encoder(label, chip))
            if label in wires.memories:
                checks = examine_memory(self._tiles, label, wires.memories[label])
                yield from self._guarded(wires, label, f"memory of {label}", place, checks)

    def _encoder(self, label: str, chip: DialChip) -> Iterator[Check]:
        part, place = f"encoder of {label}", chip.bus.name
        try:
            start_up(chip, self._parts.clock)
        except NoAnswer as error:
            yield another_kind(self._wiring, label, chip, self._on_trunk) or failing(error, part, place)
            return
        health = chip.health()
        self._answering.append(label)
        yield field(part, place, health.magnet, health.words)

    def _unnamed(self, wires: TableWires) -> Iterator[Check]:
        """Search for encoders on channels where the settings have no square."""
        used = {(square.mux, square.channel) for square in self._wiring.squares.values()}
        for (_, address), mux in wires.muxes.items():
            for number in CHANNELS:
                self._let_go(wires)
                if (address, number) in used or self._held:
                    continue
                check = encoder_without_square(mux.channel(number))
                if check is not None:
                    yield replace(check, about=self._wiring.mux_id(address))

    # ------------------------------------------------------------------ how fast

    def _pace(self, wires: TableWires, seconds: float) -> Iterator[Check]:
        self._let_go(wires)
        if not self._wiring.squares:
            return
        if self._held or not self._answering:
            why = f"{self._held} holds the bus" if self._held else "no dial answers"
            yield not_tried(scan_part(self._wiring), self._wiring.device, why)
            if not self._parts.simulated:
                yield from unmeasured(self._wiring, self._host)
            return
        yield from examine_pace(self._wiring, wires, self._answering, self._parts.clock, seconds, failing=self._failing)
