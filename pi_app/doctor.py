"""Finds each part that the settings name and says what answered, what did not, and what to try.

It stops at nothing: what cannot be looked at is said to be so, and the next part is looked at. Chips are asked by
reads, never by an empty write, which some controllers answer for a chip that is not there (raspberrypi/linux#5464).
What is said here anybody may read, so it holds no angle and no position.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from hardware.bus import Bus, Read, Write
from hardware.chips.as5600 import ADDRESS, RAW_ANGLE, As5600
from hardware.chips.dial_chip import DialChip, set_up
from hardware.chips.known_tile import TileRegister
from hardware.chips.tca9548a import ADDRESSES, ADVICE, ALL_CLOSED, CHANNELS, Tca9548a
from hardware.chips.tile_memory import TileMemory
from hardware.clock import Clock
from hardware.errors import BusStuck, HardwareError, NoAnswer, NoBus, NoPins, WrongChip
from hardware.kernel_mux import I2cTree
from hardware.readings import Reading
from pi_app import doctor_machine as machine
from pi_app.dial_setups import calibrations
from pi_app.doctor_hubs import examine_hubs
from pi_app.doctor_machine import Check, Sign
from pi_app.errors import UserFileError
from pi_app.host import Host
from pi_app.house import House, Wires, kernel_problems, register, seat_lamp
from pi_app.parts import Lent, Parts
from pi_app.settings import ScreenSettings, SeatSettings, Settings
from pi_app.tile_record import unpack

if TYPE_CHECKING:
    from hardware.panel import Button
    from hardware.scan import Scan

ALARM_PER_S: Final = 60.0
"""Fewer whole looks than this and a fast hand with one lost look is no longer followed."""

WAKING_S: Final = 0.3
SCAN_S: Final = 1.0

NOT_TRIED: Final = "was not looked at"

UNPLUG: Final = "Unplug this tile: it holds its lead down. Then look for a short between its wires."


def examine(settings: Settings, parts: Parts, host: Host, *, seconds: float = SCAN_S) -> Iterator[Check]:
    """Every part of the house, one Check each as soon as it is known. `seconds`: how long each bus is scanned.

    Raises nothing for a part that fails; the caller closes `parts`.
    """
    if not parts.simulated:
        yield from machine.machine(host)
        yield from machine.spi_pins(host, [pin for seat in settings.seats.values() for pin in seat.gpios])
    yield machine.disk(host, settings.beside(settings.table.journal).parent)
    yield from _calibration(settings)
    with contextlib.ExitStack() as closing:
        panel = _Panel(settings, parts, closing)
        yield from panel.pins_and_lamps()
        panel.first_look()
        for name in settings.buses:
            yield from _Bus(settings, name, parts, host, panel.usable, seconds).examine()
        yield from examine_hubs(settings, parts, seconds)
        yield from panel.buttons()


def before_play(settings: Settings, parts: Parts, host: Host) -> Iterator[Check]:
    """What must be right before a game: the pins, the buses and what hangs on them; quicker than `examine`, since
    nothing is timed. The caller closes `parts`."""
    yield from _calibration(settings)
    tree = I2cTree(host.root / "sys/bus/i2c/devices")
    unsafe = [] if parts.simulated else kernel_problems(settings, tree)
    for problem in unsafe:
        yield replace(_failing(problem), refuses=True)
    shared = {problem.place for problem in unsafe}
    with contextlib.ExitStack() as closing:
        panel = _Panel(settings, parts, closing)
        yield from panel.pins_and_lamps()
        for name, bus in settings.buses.items():
            if bus.device not in shared:
                yield from _Bus(settings, name, parts, host, panel.usable, None).examine()
        yield from examine_hubs(settings, parts, None)


def failed(checks: Sequence[Check]) -> bool:
    """Whether any part fails."""
    return any(check.sign is Sign.FAILS for check in checks)


def _calibration(settings: Settings) -> Iterator[Check]:
    named = settings.table.calibration
    if not named:
        yield Check(Sign.GOOD, "calibration", "settings", "none, so detents are taken to be even")
        return
    path = settings.beside(named)
    learn = "Run trapdial calibrate."
    try:
        known = calibrations(path)
    except UserFileError as error:
        yield Check(Sign.FAILS, "calibration", str(path), error.problems[0].rstrip("."), learn, refuses=True)
        return
    missing = [label for label, square in settings.squares.items() if square.kind.absolute and label not in known]
    if missing:
        yield Check(Sign.UNSURE, "calibration", str(path), f"does not know {', '.join(missing)}", learn)
    else:
        yield Check(Sign.GOOD, "calibration", str(path), "knows every square")


def _register(settings: Settings) -> TileRegister:
    """Which tile belongs where; nothing if the calibration cannot be read, which is a line of its own."""
    try:
        return register(calibrations(settings.beside(settings.table.calibration)))
    except UserFileError:
        return register({})


# -------------------------------------------------------------------------------------------- lamps and buttons


class _Panel:
    """The pins: a lamp and a button per seat. A button is looked at first and last, with the scans in between."""

    def __init__(self, settings: Settings, parts: Parts, closing: contextlib.ExitStack) -> None:
        self._seats, self._parts, self._closing = settings.seats, parts, closing
        self._buttons: dict[str, Button] = {}
        self._down: dict[str, bool] = {}
        self._pins: Any = None

    @property
    def usable(self) -> bool:
        """Whether pins can be had at all."""
        return self._pins is not None

    def pins_and_lamps(self) -> Iterator[Check]:
        """The pins themselves, each lamp's pin, and of the buttons those whose pin cannot be had."""
        try:
            self._pins = self._parts.pins()
        except HardwareError as error:
            yield _failing(error)
        else:
            yield Check(Sign.GOOD, "pins", "GPIO", _which_pins(self._pins, self._parts.simulated))
        for key, seat in self._seats.items():
            if seat.lamp_gpio is not None or seat.lamp is not None:
                yield self._lamp(key, seat)
            yield from self._button(key, seat.button_gpio)

    def _lamp(self, key: str, seat: SeatSettings) -> Check:
        pins = [gpio for gpio in seat.gpios if gpio != seat.button_gpio]
        part, place = f"lamp of seat {key}", ", ".join(f"GPIO{gpio}" for gpio in pins)
        if self._pins is None:
            return _not_tried(part, place, "the pins cannot be used")
        try:
            lamp = seat_lamp(self._pins, seat)
        except HardwareError as error:
            return _failing(error, part)
        if lamp is not None:
            lamp.close()
        had = "its pin" if len(pins) == 1 else "its pins"
        return Check(Sign.GOOD, part, place, f"{had} can be had; whether it shines only eyes can tell")

    def _button(self, key: str, gpio: int) -> Iterator[Check]:
        from hardware.panel import Button

        part = f"button of seat {key}"
        if self._pins is None:
            yield _not_tried(part, f"GPIO{gpio}", "the pins cannot be used")
            return
        try:
            button = Button(self._pins, gpio)
        except HardwareError as error:
            yield _failing(error, part)
            return
        self._closing.callback(button.close)
        self._buttons[key] = button

    def first_look(self) -> None:
        """Which buttons are down now."""
        self._down = {key: button.pressed for key, button in self._buttons.items()}

    def buttons(self) -> Iterator[Check]:
        """The second look: who was down and still is, is stuck."""
        for key, button in self._buttons.items():
            part, place = f"button of seat {key}", f"GPIO{self._seats[key].button_gpio}"
            if self._down[key] and button.pressed:
                yield Check(
                    Sign.FAILS,
                    part,
                    place,
                    "was down all the time",
                    "Let go of it; if nobody holds it, its two wires touch, or it is wired to the wrong pin.",
                )
            else:
                yield Check(Sign.GOOD, part, place, "is up, as it should be while nobody presses it")


def _which_pins(pins: Any, simulated: bool) -> str:
    if simulated:
        return "SIMULATED"
    chip = getattr(pins, "chip", None)
    return "can be used, by lgpio" if chip is None else f"can be used, by lgpio, on gpiochip{chip}"


# -------------------------------------------------------------------------------------------------------- a bus


@dataclass(frozen=True, slots=True)
class _Screen:
    """A seat's screen on this bus."""

    seat: str
    wanted: ScreenSettings


class _Bus:
    """One bus and everything on it."""

    def __init__(
        self, settings: Settings, name: str, parts: Parts, host: Host, pins: bool, seconds: float | None
    ) -> None:
        self._settings, self._name, self._host, self._seconds = settings, name, host, seconds
        self._parts = Lent(parts)
        self._bus = settings.buses[name]
        self._clock = parts.clock
        self._pins = pins
        self._squares = {label: square for label, square in settings.squares.items() if square.bus == name}
        self._screens = [
            _Screen(key, seat.screen)
            for key, seat in settings.seats.items()
            if seat.screen is not None and seat.screen.bus == name
        ]
        self._held = ""
        self._failed_muxes: list[int] = []
        self._on_trunk: set[int] = set()
        self._answering: list[str] = []
        self._tiles = _register(settings)

    def examine(self) -> Iterator[Check]:
        """The bus, then what hangs on it from the trunk outwards, then all of it at full speed."""
        with House(self._alone(), self._parts) as house:
            try:
                wires = house.wires()
            except HardwareError as error:
                yield self._no_bus(error)
                yield from self._nothing_tried("its bus cannot be used")
                return
            yield from self._opened(wires)
            yield from self._lines(house)
            for address in (mux.address for mux in self._bus.mux):
                checks = self._guarded(wires, _mux_part(address), self._place(address), self._mux(wires, address))
                for check in checks:
                    if check.refuses:
                        self._failed_muxes.append(address)
                    yield check
            yield from self._strangers(wires)
            for label, chip in wires.chips.items():
                if (mux := self._squares[label].mux) in self._failed_muxes:
                    yield _not_tried(f"encoder of {label}", chip.bus.name, f"mux 0x{mux:02X} on the way to it fails")
                    continue
                yield from self._guarded(wires, f"encoder of {label}", chip.bus.name, self._encoder(label, chip))
                if label in wires.memories:
                    checks = self._memory(label, wires.memories[label])
                    yield from self._guarded(wires, f"memory of {label}", chip.bus.name, checks)
            yield from self._unnamed(wires)
            for screen in self._screens:
                yield from self._guarded(
                    wires,
                    f"screen of seat {screen.seat}",
                    self._place(screen.wanted.address),
                    self._screen(wires, screen),
                )
            if self._seconds is not None:
                yield from self._pace(wires, self._seconds)

    def _alone(self) -> Settings:
        """The settings with nothing but this bus; without RESET lines if there are no pins."""
        muxes = self._bus.mux
        if not self._pins:
            from msgspec.structs import replace as changed

            muxes = tuple(changed(mux, reset_gpio=None) for mux in muxes)
            bus = changed(self._bus, mux=muxes, clear=False, power_gpio=None)
        else:
            bus = self._bus
        return replace(
            self._settings,
            buses=MappingProxyType({self._name: bus}),
            squares=MappingProxyType(self._squares),
            seats=MappingProxyType({}),
            hubs=MappingProxyType({}),
        )

    def _place(self, address: int) -> str:
        return f"{self._bus.device} 0x{address:02X}"

    # ------------------------------------------------------------------ the bus itself

    def _no_bus(self, error: HardwareError) -> Check:
        return replace(self._why_no_bus(error), refuses=True)

    def _why_no_bus(self, error: HardwareError) -> Check:
        part = f"bus {self._name}"
        cause = error.__cause__
        if isinstance(cause, OSError) and cause.errno == errno.EWOULDBLOCK:
            return Check(
                Sign.FAILS,
                part,
                self._bus.device,
                "is in use: a game, or another trapdial, is running on it",
                "End that one first. Nothing was read, so it was not disturbed.",
            )
        advice = error.advice
        if isinstance(error, NoBus) and isinstance(cause, FileNotFoundError):
            there = ", ".join(machine.devices(self._host)) or "none at all; sudo modprobe i2c-dev if I2C is on"
            advice = f"{advice} I2C devices that are there: {there}."
        return Check(Sign.FAILS, part, self._bus.device, error.seen, advice)

    def _nothing_tried(self, why: str) -> Iterator[Check]:
        for mux in self._bus.mux:
            yield _not_tried(_mux_part(mux.address), self._place(mux.address), why)
        for label in self._squares:
            yield _not_tried(f"encoder of {label}", self._bus.device, why)
        for screen in self._screens:
            yield _not_tried(f"screen of seat {screen.seat}", self._place(screen.wanted.address), why)

    def _opened(self, wires: Wires) -> Iterator[Check]:
        many = getattr(wires.buses[self._name], "batching", False)
        how = "many transactions per call" if many else "one transaction per call"
        simulated = "SIMULATED; " if self._parts.simulated else ""
        yield Check(Sign.GOOD, f"bus {self._name}", self._bus.device, f"{simulated}opened; {how}")
        if not getattr(wires.buses[self._name], "bounded", True):
            yield Check(
                Sign.UNSURE,
                f"time-out of bus {self._name}",
                self._bus.device,
                "cannot be shortened on this controller, so a hung tile stops its dials for a second at a time",
                "Wire RESET, or use one of the Pi's own controllers.",
            )
        if self._parts.simulated:
            return
        yield from machine.kernel_owns(self._host, self._bus.device, self._named_addresses())
        yield from machine.bus_speed(self._host, self._name, self._bus.device, self._bus.speed_hz)

    def _lines(self, house: House) -> Iterator[Check]:
        """Whether the bus's pins could be taken and given back, if the settings want that."""
        pins = house.bus_pins(self._name)
        if pins is None:
            return
        part, place = f"lines of bus {self._name}", f"GPIO{pins.scl_gpio}, GPIO{pins.sda_gpio}"
        try:
            pins.functions()
        except HardwareError as error:
            yield _failing(error, part)
        else:
            yield Check(Sign.GOOD, part, place, "can be driven by hand, and given back by pinctrl")

    def _named_addresses(self) -> Mapping[int, str]:
        named = {mux.address: _mux_part(mux.address) for mux in self._bus.mux}
        for screen in self._screens:
            if screen.wanted.mux is None:
                named[screen.wanted.address] = f"screen of seat {screen.seat}"
        for label, square in self._squares.items():
            if square.mux is None:
                named[square.address] = f"encoder of {label}"
                if square.memory is not None:
                    named |= dict.fromkeys(MEMORY_ADDRESSES[square.memory], f"memory of {label}")
        return named

    def _guarded(self, wires: Wires, part: str, place: str, checks: Iterator[Check]) -> Iterator[Check]:
        """Checks of one part. Trouble becomes a line, and a part that holds the bus costs the others nothing if a
        RESET is wired."""
        self._let_go(wires)
        if self._held:
            yield _not_tried(part, place, f"{self._held} holds the bus")
            return
        try:
            yield from checks
        except BusStuck as error:
            self._held = part
            alone = " channel " in place
            yield replace(_failing(error, part, place), advice=UNPLUG if alone else error.advice)
        except HardwareError as error:
            yield _failing(error, part, place)

    def _let_go(self, wires: Wires) -> None:
        """After a hung segment: pulse every RESET there is. With none, the bus stays held."""
        resets = [mux.pulse_reset() for mux in wires.muxes.values()] if self._held else []
        if any(resets):
            self._held = ""

    # ------------------------------------------------------------------ muxes

    def _mux(self, wires: Wires, address: int) -> Iterator[Check]:
        mux = wires.muxes[self._name, address]
        part, place = _mux_part(address), self._place(address)
        bus = wires.buses[self._name]
        try:
            bus.transfer((mux.read_back,))
        except NoAnswer as error:
            raise NoAnswer(part, error.place, error.seen, ADVICE) from error
        mux.put(ALL_CLOSED)
        mux.verify()
        spare = self._spare_channel(address)
        if not _switches(bus, mux, spare):
            yield Check(
                Sign.FAILS,
                part,
                place,
                "answers, but does not switch as a TCA9548A does",
                f"Look for another chip with this address: {KNOWN[address]}.",
                refuses=True,
            )
            return
        if not _has_reset(self._settings, self._name, address):
            yield Check(Sign.GOOD, part, place, "answers and switches; its RESET is not wired")
        elif not self._pins:
            yield Check(Sign.UNSURE, part, place, "answers and switches; RESET was not tried, since there are no pins")
        elif _resets(bus, mux, spare):
            yield Check(Sign.GOOD, part, place, "answers and switches; RESET works")
        else:
            yield Check(
                Sign.FAILS,
                part,
                place,
                "answers and switches, but RESET does not reach it",
                "Check the wire from its RESET to the GPIO that the settings name.",
            )
        mux.put(ALL_CLOSED)

    def _spare_channel(self, address: int) -> int:
        """A channel to try the mux with: if there is one, with nothing behind it that could hold the bus."""
        used = {square.channel for square in self._squares.values() if square.mux == address}
        used |= {screen.wanted.channel for screen in self._screens if screen.wanted.mux == address}
        return next((number for number in CHANNELS if number not in used), 0)

    # ------------------------------------------------------------------ who else is there

    def _strangers(self, wires: Wires) -> Iterator[Check]:
        """All muxes closed, whatever else answers on the trunk: it would answer together with every channel."""
        if self._held:
            return
        named = self._named_addresses()
        bus = wires.buses[self._name]
        for address in ANY_ADDRESS:
            if address in named:
                continue
            try:
                (answer,) = bus.transfer((Read(address, 1),))
            except BusStuck as error:
                yield _failing(error, f"bus {self._name}", self._bus.device)
                self._held = "something"
                return
            except HardwareError:
                continue
            self._on_trunk.add(address)
            yield self._stranger(address, answer)

    def _stranger(self, address: int, answer: int) -> Check:
        part, place = f"stranger 0x{address:02X}", self._place(address)
        what = f"something answers that the settings do not name ({KNOWN.get(address, 'not a chip of ours')})"
        behind_muxes = {square.address for square in self._squares.values() if square.mux is not None}
        behind_muxes |= {screen.wanted.address for screen in self._screens if screen.wanted.mux is not None}
        if address in behind_muxes:
            return Check(
                Sign.FAILS,
                part,
                place,
                f"{what}, at the address of chips behind a mux: it answers together with them",
                "Take it off the bus, or put it behind a channel of its own.",
                refuses=True,
            )
        if address in ADDRESSES and answer:
            return Check(
                Sign.FAILS,
                part,
                place,
                f"{what}; if it is a mux, it has channels open",
                f"Add a [[bus.{self._name}.mux]] for it, or take it off the bus.",
                refuses=True,
            )
        return Check(Sign.UNSURE, part, place, what, "Name it in the settings, or take it off the bus.")

    def _unnamed(self, wires: Wires) -> Iterator[Check]:
        """Encoders on channels where the settings have no square: often a plug in the wrong socket."""
        used = {(square.mux, square.channel) for square in self._squares.values()}
        for (_, address), mux in wires.muxes.items():
            for number in CHANNELS:
                self._let_go(wires)
                if (address, number) in used or self._held:
                    continue
                try:
                    mux.channel(number).transfer((Read(ADDRESS, 1),))
                except HardwareError:
                    continue
                yield Check(
                    Sign.UNSURE,
                    "encoder without a square",
                    mux.channel(number).name,
                    "answers, and no square of the settings is there",
                    "If a square is silent, its plug is in the wrong socket; else give this one a section.",
                )

    # ------------------------------------------------------------------ encoders and screens

    def _encoder(self, label: str, chip: DialChip) -> Iterator[Check]:
        part, place = f"encoder of {label}", chip.bus.name
        try:
            set_up(chip, self._clock)
        except NoAnswer as error:
            yield self._another_encoder(label, chip) or _failing(error, part, place)
            return
        health = chip.health()
        self._answering.append(label)
        yield machine.field(part, place, health.magnet, health.words)

    def _another_encoder(self, label: str, chip: DialChip) -> Check | None:
        """Whether in place of a silent encoder one of another kind answers, where no other square has one."""
        square = self._squares[label]
        place = (square.mux, square.channel)
        taken = {other.address for other in self._squares.values() if (other.mux, other.channel) == place}
        taken |= self._on_trunk | set(self._named_addresses())
        for address, kind in ENCODERS.items():
            if address not in taken and _answers(chip.bus, address):
                return Check(
                    Sign.FAILS,
                    f"encoder of {label}",
                    chip.bus.name,
                    f"nothing answers at 0x{chip.address:02X}, and something does at 0x{address:02X} ({kind})",
                    f"Plug the right tile in, or write its `chip` and `address` into [square.{label}].",
                    refuses=True,
                )
        return None

    def _memory(self, label: str, memory: TileMemory) -> Iterator[Check]:
        """Whose tile is on this lead, and whether its calibration can be read."""
        part, place = f"memory of {label}", memory.bus.name
        tile = memory.number()
        refusal = self._tiles.refusal(label, tile)
        if refusal is not None:
            yield Check(Sign.FAILS, part, place, *refusal)
            return
        held = unpack(memory.read(), memory.of_its_kind(tile))
        advice = f"Write it anew with `trapdial calibrate --square {label}`."
        if held.newest is not None:
            words = f"{tile}, with its calibration (revision {held.newest.revision})"
            yield Check(Sign.GOOD, part, place, words, "")
        elif held.spoilt:
            yield Check(Sign.UNSURE, part, place, f"{tile}, and its calibration is spoilt", advice)
        else:
            yield Check(Sign.GOOD, part, place, f"{tile}, with no calibration in it", "")

    def _screen(self, wires: Wires, screen: _Screen) -> Iterator[Check]:
        wanted = screen.wanted
        bus = (
            wires.buses[self._name]
            if wanted.mux is None or wanted.channel is None
            else (wires.muxes[self._name, wanted.mux].channel(wanted.channel))
        )
        part, place = f"screen of seat {screen.seat}", f"{bus.name} 0x{wanted.address:02X}"
        try:
            bus.transfer((Read(wanted.address, 1),))
        except NoAnswer as error:
            other = next(address for address in SCREEN_ADDRESSES if address != wanted.address)
            advice = "Check its plug, then its power, then SDA and SCL."
            if _answers(bus, other) and other not in [each.wanted.address for each in self._screens]:
                advice = f"A screen answers at 0x{other:02X}: say so in the settings, or change its solder bridge."
            yield Check(Sign.FAILS, part, place, error.seen, advice)
            return
        yield Check(Sign.GOOD, part, place, f"answers; {wanted.chip} or not, it does not say")

    # ------------------------------------------------------------------ how fast

    def _pace(self, wires: Wires, seconds: float) -> Iterator[Check]:
        self._let_go(wires)
        if not self._squares:
            return
        part = f"scan of bus {self._name}"
        if self._held or not self._answering:
            yield _not_tried(part, self._bus.device, f"{self._held} holds the bus" if self._held else "no dial answers")
            yield from self._unmeasured()
            return
        repeating = [chip for label in self._answering if isinstance(chip := wires.chips[label], As5600)]
        for chip in repeating[:1]:
            yield from self._speed(chip)
        (scan,) = wires.scans
        yield from self._rate(scan, part, seconds)
        for label in self._answering:
            counts = scan.counts(label)
            if counts.retries or counts.losses:
                yield Check(
                    Sign.UNSURE,
                    f"wire of {label}",
                    wires.chips[label].bus.name,
                    f"{counts.retries} second tries and {counts.losses} losses in {counts.reads} looks",
                    "A wire that needs second tries today is broken next month: check its plug and lead.",
                )

    def _speed(self, chip: As5600) -> Iterator[Check]:
        """Pi 3 and 4 often run their bus slower than asked (raspberrypi/firmware#1281)."""
        try:
            real_hz = speed_hz(chip, self._clock)
        except HardwareError:
            return
        asked_hz = self._bus.speed_hz
        if real_hz < 0.8 * asked_hz:
            yield Check(
                Sign.UNSURE,
                f"speed of bus {self._name}",
                self._bus.device,
                f"runs at about {real_hz / 1000:.0f} kHz, not at {asked_hz / 1000:.0f} kHz",
                "On a Pi 3 or 4 the bus follows the core's clock: write core_freq=250 into config.txt.",
            )

    def _unmeasured(self) -> Iterator[Check]:
        """Where the settings' speed is only a wish and nothing could be measured."""
        if not self._parts.simulated and machine.follows_the_core(self._host):
            yield Check(
                Sign.UNSURE,
                f"speed of bus {self._name}",
                self._bus.device,
                "was not measured, and on this model it is often half of what config.txt asks for",
                "Ask the doctor again when a dial answers: then it measures.",
            )

    def _rate(self, scan: Scan, part: str, seconds: float) -> Iterator[Check]:
        scans_for(scan, self._clock, WAKING_S)
        scan.reset_counts()
        began_ns = self._clock.now_ns()
        scans, read = scans_for(scan, self._clock, seconds)
        per_s = scans * 1e9 / (self._clock.now_ns() - began_ns)
        wanted = self._settings.table.scan_hz
        gap_ms = max(scan.counts(label).longest_gap_ns for label in self._answering) / 1e6
        limit_ms = self._settings.table.gap_limit_ms
        seen = (
            f"{per_s:.0f} looks per second where {wanted} are asked for, {read} of {len(self._squares)} dials "
            f"read, longest gap {gap_ms:.0f} ms"
        )
        advice = "Mend what fails above first; then a faster or a second bus."
        if per_s < ALARM_PER_S:
            yield Check(Sign.FAILS, part, self._bus.device, seen, advice)
        elif per_s < wanted or gap_ms > limit_ms:
            yield Check(Sign.UNSURE, part, self._bus.device, seen, advice)
        else:
            yield Check(Sign.GOOD, part, self._bus.device, seen)


ANY_ADDRESS: Final = range(0x08, 0x78)
"""Those that a chip may have (NXP UM10204 table 4)."""

SCREEN_ADDRESSES: Final = (0x3C, 0x3D)

MEMORY_ADDRESSES: Final[Mapping[str, Sequence[int]]] = {"24aa02uid": range(0x50, 0x58), "24aa025e48": (0x50,)}
"""What each kind of tile's memory answers to."""

ENCODERS: Final[Mapping[int, str]] = {
    0x06: "an MT6701",
    ADDRESS: "an AS5600, or a seesaw encoder",
    0x40: "an AS5600L or an AS5048B",
    **dict.fromkeys(range(0x41, 0x44), "an AS5048B"),
    **dict.fromkeys(range(0x37, 0x3C), "a seesaw encoder"),
}
"""Where each kind of encoder answers, but for addresses that screens have too."""

KNOWN: Final[Mapping[int, str]] = {
    **dict.fromkeys(range(0x37, 0x3C), "a seesaw encoder"),
    ADDRESS: "an AS5600, or a seesaw encoder",
    **dict.fromkeys(SCREEN_ADDRESSES, "a screen, or a seesaw encoder"),
    0x40: "an AS5600L, an AS5048B, a PCA9685 or an INA219",
    **dict.fromkeys(range(0x49, 0x50), "a quad seesaw encoder"),
    0x50: "an EEPROM, or a quad seesaw encoder",
    0x68: "a real-time clock",
    **dict.fromkeys(ADDRESSES, "a mux, or an HT16K33 display"),
    0x70: "a mux, an HT16K33 display, an SHTC3, or the all-call of a PCA9685",
}


def _mux_part(address: int) -> str:
    return f"mux 0x{address:02X}"


def _not_tried(part: str, place: str, why: str) -> Check:
    return Check(Sign.UNSURE, part, place, f"{NOT_TRIED}, because {why}")


def _failing(error: HardwareError, part: str = "", place: str = "") -> Check:
    """Trouble as a line. If it was another part that failed on the way, its own words tell of it."""
    own = not part or error.part.startswith("chip ") or error.part == part
    seen = error.seen if own or not place else f"cannot be reached: {error.part} {error.seen}"
    refuses = isinstance(error, (NoBus, NoPins, WrongChip)) or part.startswith("mux ")
    return Check(Sign.FAILS, part or error.part, place or error.place, seen, error.advice, refuses)


def _has_reset(settings: Settings, bus: str, address: int) -> bool:
    return any(mux.address == address and mux.reset_gpio is not None for mux in settings.buses[bus].mux)


def _switches(bus: Bus, mux: Tca9548a, channel: int) -> bool:
    """Whether the register holds what is written to it. The channel is open for a moment; nothing is sent to it."""
    mux.put(1 << channel)
    return bus.transfer((mux.read_back,)) == bytes((1 << channel,))


def _resets(bus: Bus, mux: Tca9548a, channel: int) -> bool:
    mux.put(1 << channel)
    mux.pulse_reset()
    return bus.transfer((mux.read_back,)) == b"\x00"


def _answers(bus: Bus, address: int) -> bool:
    try:
        bus.transfer((Read(address, 1),))
    except HardwareError:
        return False
    return True


LONG_READ: Final = 34
SHORT_READ: Final = 2
BITS_BETWEEN: Final = 9 * (LONG_READ - SHORT_READ)
TRIES: Final = 5


def speed_hz(chip: As5600, clock: Clock) -> float:
    """How fast the bus really is: a long read and a short one differ by bits alone, whatever a call costs.

    The chip repeats RAW ANGLE for as long as it is read (AS5600 datasheet v1-06 p.13). Raises HardwareError.
    """

    def took_ns(length: int) -> int:
        began_ns = clock.now_ns()
        chip.bus.transfer((Write(chip.address, bytes((RAW_ANGLE,))), Read(chip.address, length)))
        return clock.now_ns() - began_ns

    chip.distrust()
    took_ns(SHORT_READ)
    longer_ns = min(took_ns(LONG_READ) for _ in range(TRIES)) - min(took_ns(SHORT_READ) for _ in range(TRIES))
    return BITS_BETWEEN * 1e9 / max(1, longer_ns)


def scans_for(scan: Scan, clock: Clock, seconds: float) -> tuple[int, int]:
    """Scan flat out for so long: how many scans that were, and how many dials answered in the last one."""
    until_ns = clock.now_ns() + round(seconds * 1e9)
    scans = answered = 0
    while clock.now_ns() < until_ns:
        answered = sum(isinstance(sample, Reading) for sample in scan.scan())
        scans += 1
    return scans, answered


__all__ = ["Check", "Host", "Sign", "before_play", "examine", "failed", "scans_for", "speed_hz"]
