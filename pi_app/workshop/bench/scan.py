"""How near the scan comes to what the wire can carry, and what it costs in our own computing.

The wire is simulated bit by bit on a virtual clock (START, STOP and repeated START one bit, a byte nine, tBUF after
each STOP), so these figures are the same on every machine. The drivers and the scan above it are the real ones.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.adapter import I2C_FUNC_I2C, I2C_M_RD, KernelMessage
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.clock import Clock, MachineClock
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.screens import FRAME_BYTES, Screen
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.ssd1306 import Ssd1306Twin
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.wire import BusSegment, SimWire
from pi_app.play.wires import TableWires
from pi_app.settings.model import Settings
from pi_app.workshop.bench import Bench, Figure, machine
from pi_app.workshop.doctor.pace import scans_for

DIALS: Final = (1, 8, 16, 64)
SPEEDS_HZ: Final = (100_000, 400_000)
SCREENS: Final = 4
PER_MUX: Final = 8
FIRST_MUX: Final = 0x70
SCREEN_ADDRESS: Final = 0x3C
RESTS_AT: Final = 5
"""The detent at which the dials stand: any but 0, which is a case of its own (`Setup.at_zero`)."""

LEAST_PERCENT: Final = 95.0
LONGEST_GAP_MS: Final = 35.0
GAP_DIALS: Final = 8
MOST_CPU_US: Final = 10.0

PLANNED_CALL_NS: Final = 80_000
"""The middle of what one kernel call is planned to cost on a Pi, beside its bits."""

WAKING_NS: Final = 30_000_000_000
SETTLING_S: Final = 0.3
"""Scanned before it counts, so that the screens are in the middle of a picture."""

READS_PER_ROUND: Final = 10_000


@dataclass(frozen=True, slots=True)
class Setup:
    """One simulated bus to scan. `screens` hang on it and are redrawn all the time. `at_zero`: every dial rests just
    where an encoder that forgot its pointer would say that it stands, so that no look may be the cheapest one."""

    dials: int
    speed_hz: int
    screens: int = SCREENS
    adapter: str = "bcm2835"
    call_cost_ns: int = 0
    at_zero: bool = False

    @property
    def name(self) -> str:
        """In words, for a table."""
        dials = "1 dial" if self.dials == 1 else f"{self.dials} dials"
        screens = f"{self.screens} screens on the same bus" if self.screens else "screens on a bus of their own"
        cost = f", {self.adapter}, {self.call_cost_ns // 1000} us per call" if self.call_cost_ns else ""
        zero = ", all at raw zero" if self.at_zero else ""
        return f"{dials}, {self.speed_hz // 1000} kHz, {screens}{cost}{zero}"


@dataclass(frozen=True, slots=True)
class Measured:
    """A bus that was scanned flat out. `limit_per_s`: what its bits and bus-free times would allow at most."""

    scans_per_s: float
    limit_per_s: float
    longest_gap_ms: float
    screens_percent: float

    @property
    def percent(self) -> float:
        """How much of the wire's own limit was reached."""
        return 100 * self.scans_per_s / self.limit_per_s


def run(
    *,
    dials: Sequence[int] = DIALS,
    speeds_hz: Sequence[int] = SPEEDS_HZ,
    seconds: float = 5.0,
    cpu_rounds: int = 20,
    told: Callable[[str], None] = lambda setup: None,
) -> Bench:
    """Every number of dials at every speed for so many virtual seconds each, then the variants, then the CPU.
    `told` hears what is measured next."""
    figures: list[Figure] = []
    for setup in _grid(dials, speeds_hz):
        told(setup.name)
        figures += _figures(setup, measure(setup, seconds))
    for setup in _variants(max(dials), speeds_hz):
        told(setup.name)
        figures.append(_for_information(setup, measure(setup, seconds)))
    from pi_app.workshop.bench import costs

    figures += costs.figures(speeds_hz, seconds, told)
    for count in sorted({min(GAP_DIALS, max(dials)), max(dials)}):
        told(f"our own CPU, {count} dials")
        figures.append(cpu_figure(count, cpu_rounds))
    return Bench("scan", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "The wire, the chips and the time are simulated; drivers, scan and screens are the real program.",
    "The limit is what the wire could carry if nothing but the cheapest legal looks went over it, without a pause.",
    "Screens: SSD1306 behind mux channels, given a new random picture as soon as the last one is out.",
    "Flat out they get only the share that the scan keeps for them; at 100 looks a second they get all that is left.",
    "Variants with a cost per call are not the wire's: they say what to expect on a Pi.",
    "A dead tile does not answer, a hanging one holds the bus while its channel is open; the count begins when it "
    "goes bad, and the others are compared with a table that never had it.",
    "CPU: the adapter is a stub that answers at once; the kernel's own share comes on top.",
)


def _grid(dials: Sequence[int], speeds_hz: Sequence[int]) -> Iterator[Setup]:
    for count in dials:
        for speed_hz in speeds_hz:
            yield Setup(count, speed_hz)


def _variants(most: int, speeds_hz: Sequence[int]) -> Iterator[Setup]:
    """The usual table, as a Pi would do it."""
    for speed_hz in speeds_hz:
        count = min(GAP_DIALS, most)
        yield Setup(count, speed_hz, screens=0)
        yield Setup(count, speed_hz, screens=0, at_zero=True)
        yield Setup(count, speed_hz, call_cost_ns=PLANNED_CALL_NS)
        yield Setup(count, speed_hz, screens=0, call_cost_ns=PLANNED_CALL_NS)
        yield Setup(count, speed_hz, screens=0, adapter="i2c-gpio", call_cost_ns=PLANNED_CALL_NS)


def _figures(setup: Setup, got: Measured) -> list[Figure]:
    of_limit = (
        f"{got.scans_per_s:.1f} of {got.limit_per_s:.1f} scans/s; screens had {got.screens_percent:.1f} % of the time"
    )
    gap_target = LONGEST_GAP_MS if setup.dials == GAP_DIALS else None
    return [
        Figure(f"{setup.name}: of the wire's limit", got.percent, "%", LEAST_PERCENT, at_most=False, note=of_limit),
        Figure(f"{setup.name}: longest gap", got.longest_gap_ms, "ms", gap_target),
    ]


def _for_information(setup: Setup, got: Measured) -> Figure:
    note = f"{got.percent:.1f} % of the wire's limit, longest gap {got.longest_gap_ms:.1f} ms"
    return Figure(f"{setup.name}: scans", got.scans_per_s, "scans/s", note=note)


# ------------------------------------------------------------------------------------------ the simulated bus


class Bus:
    """A simulated bus with its dials behind muxes, and its screens behind channels of the first mux."""

    def __init__(self, setup: Setup, seed: int = 7) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, setup.speed_hz)
        bus = LinuxBus(SimAdapter(self.wire, self.clock, setup.adapter, setup.call_cost_ns))
        self._draw = random.Random(f"screens {seed}")
        dials: list[ScanDial] = []
        self._screens: list[BusyScreen] = []
        self.tiles: list[Tile] = []
        for first in range(0, setup.dials, PER_MUX):
            address = FIRST_MUX + first // PER_MUX
            channels = range(min(PER_MUX, setup.dials - first))
            position = 0 if setup.at_zero else RESTS_AT
            tiles = tiles_on_mux(self.wire, address, channels, seed=seed, position=position, ideal=setup.at_zero)
            self.tiles += tiles.tiles
            mux = Tca9548a(bus, address, tiles.mux.reset)
            dials += [
                ScanDial(f"T{first + tile.channel + 1:02}", As5600(mux.channel(tile.channel))) for tile in tiles.tiles
            ]
            if first == 0:
                self._hang_screens(mux, tiles.mux.channels, setup)
        self.scan = Scan("simulated", dials, self.clock, self._screens)

    def _hang_screens(self, mux: Tca9548a, channels: Sequence[BusSegment], setup: Setup) -> None:
        for number in range(setup.screens):
            channels[number].hang(Ssd1306Twin(SCREEN_ADDRESS))
            screen = Screen(mux.channel(number), "ssd1306", SCREEN_ADDRESS, clock=self.clock, speed_hz=setup.speed_hz)
            self._screens.append(BusyScreen(screen, self.clock, self._draw))

    def wake(self) -> None:
        """Scan until every dial is identified and read; many dials on a slow wire take a second or two."""
        while not self.scan.settled:
            self.scan.scan()
            if self.clock.now_ns() > WAKING_NS:
                raise RuntimeError("a simulated dial cannot be read, which must not happen on a sound wire")

    def flat_out(self, seconds: float) -> int:
        """Scan without ever resting for so long; how many whole scans that were."""
        until_ns = self.clock.now_ns() + round(seconds * 1e9)
        scans = 0
        while self.clock.now_ns() < until_ns:
            self.scan.scan()
            scans += 1
            self.scan.use_gap(self.clock.now_ns())
        return scans

    @property
    def screens_ns(self) -> int:
        """The time that screens had so far."""
        return sum(screen.spent_ns for screen in self._screens)


class BusyScreen:
    """A screen that is given another random picture as soon as the last one is out, and counts its time."""

    def __init__(self, screen: Screen, clock: Clock, draw: random.Random) -> None:
        self._screen, self._clock, self._draw = screen, clock, draw
        self.spent_ns = 0

    def waiting(self) -> bool:
        if not self._screen.waiting():
            self._screen.show(self._draw.randbytes(FRAME_BYTES), whole=True)
        return self._screen.waiting()

    def slice_cost_ns(self) -> int:
        return self._screen.slice_cost_ns()

    def send_slice(self) -> None:
        began_ns = self._clock.now_ns()
        self._screen.send_slice()
        self.spent_ns += self._clock.now_ns() - began_ns


def limit_ns(bus: Bus) -> int:
    """What one scan of this bus takes at least: its cheapest bits, and the bus-free time after each STOP."""
    scan, wire = bus.scan, bus.wire
    return scan.wire_bits_per_scan() * wire.bit_ns + scan.transactions_per_scan() * wire.bus_free_ns


def measure(setup: Setup, seconds: float) -> Measured:
    """Scan one simulated bus flat out for so many virtual seconds, after it has settled.

    Raises RuntimeError if a dial could not be read: then the figures would mean nothing.
    """
    bus = Bus(setup)
    bus.wake()
    bus.flat_out(SETTLING_S)
    bus.scan.reset_counts()
    began_ns, screens_ns = bus.clock.now_ns(), bus.screens_ns
    scans = bus.flat_out(seconds)
    took_ns = bus.clock.now_ns() - began_ns
    counts = [bus.scan.counts(dial) for dial in bus.scan.dials]
    if any(count.reads < scans for count in counts):
        raise RuntimeError(f"{setup.name}: a dial was lost, which must not happen on a sound wire")
    longest_ns = max(count.longest_gap_ns for count in counts)
    return Measured(
        scans * 1e9 / took_ns, 1e9 / limit_ns(bus), longest_ns / 1e6, 100 * (bus.screens_ns - screens_ns) / took_ns
    )


# -------------------------------------------------------------------------------------- a table's own wires


def run_on(settings: Settings, wires: TableWires, clock: Clock, seconds: float, *, simulated: bool) -> Bench:
    """The table's own buses flat out, one after the other: real wires, or their twins. Nothing has a target but the
    rate that a hand needs, since the real speed of a Pi's bus is seldom the one that was asked for."""
    figures: list[Figure] = []
    for scan in wires.scans:
        if scan.dials:
            figures += _wire_figures(scan, clock, settings.buses[scan.bus_name].speed_hz, seconds)
    what = "SIMULATED: twins of this table's wires." if simulated else "The real wires of this table, flat out."
    return Bench("scan", machine(), tuple(figures), (what, "No pictures were sent."))


NEEDED_PER_S: Final = 60.0
WAKING_S: Final = 0.5


def _wire_figures(scan: Scan, clock: Clock, speed_hz: int, seconds: float) -> list[Figure]:
    scans_for(scan, clock, WAKING_S)
    scan.reset_counts()
    began_ns = clock.now_ns()
    scans, answered = scans_for(scan, clock, seconds)
    took_ns = clock.now_ns() - began_ns
    counts = [scan.counts(dial) for dial in scan.dials]
    note = f"{answered} of {len(scan.dials)} dials answered, {sum(count.retries for count in counts)} second tries"
    limit = speed_hz / scan.wire_bits_per_scan()
    return [
        Figure(f"bus {scan.bus_name}: scans", scans * 1e9 / took_ns, "scans/s", NEEDED_PER_S, at_most=False, note=note),
        Figure(
            f"bus {scan.bus_name}: of the wire's limit",
            100 * scans * 1e9 / took_ns / limit,
            "%",
            note=f"at {speed_hz} Hz, bus-free time not counted",
        ),
        Figure(
            f"bus {scan.bus_name}: longest gap",
            max(count.longest_gap_ns for count in counts) / 1e6,
            "ms",
            LONGEST_GAP_MS,
        ),
    ]


# ------------------------------------------------------------------------------------------------ our own CPU


class StubAdapter:
    """An adapter without wires: an AS5600 that never moves answers at once on every channel, and each mux holds what
    was last written to it. What is left is our own computing."""

    name = "stub"

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def functions(self) -> int:
        return I2C_FUNC_I2C

    def set_timeout_ms(self, timeout_ms: int) -> None:
        """Nothing is ever late."""

    def close(self) -> None:
        """Nothing is open."""

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], None]:
        last = messages[-1]
        if last.address >= FIRST_MUX:
            return self._mux(last)
        if last.flags & I2C_M_RD:
            register = messages[0].buffer[0] if len(messages) > 1 else _RAW_ANGLE
            last.buffer[:] = _REGISTERS[register : register + len(last.buffer)]
        return _nothing

    def _mux(self, message: KernelMessage) -> Callable[[], None]:
        masks, address, buffer = self._masks, message.address, message.buffer

        def select() -> None:
            masks[address] = buffer[0]

        def read_back() -> None:
            buffer[0] = masks.get(address, 0)

        return read_back if message.flags & I2C_M_RD else select


_RAW_ANGLE: Final = 0x0C
_REGISTERS: Final = bytes.fromhex("00 00 00 00 00 00 00 02 04 00 00 20 08 00 08 00") + bytes(10) + b"\x40\x08\x66"
"""AS5600 registers 0x00 to 0x1C: CONF as the driver wants it, a magnet, half a turn, a good gain and field."""


def _nothing() -> None:
    """A transfer that took no time."""


def cpu_figure(dials: int, rounds: int) -> Figure:
    """Our own computing per dial read. The fastest of several rounds counts: the others were disturbed."""
    scan = _stubbed_scan(dials)
    per_round = max(1, READS_PER_ROUND // dials)
    times_ns = [_cpu_round_ns(scan, per_round) for _ in range(max(1, rounds))]
    best_us = min(times_ns) / (per_round * dials) / 1e3
    slowest_us = max(times_ns) / (per_round * dials) / 1e3
    return Figure(
        f"our own CPU per dial read, {dials} dials, bus stubbed",
        best_us,
        "us",
        MOST_CPU_US,
        note=f"slowest of {len(times_ns)} rounds {slowest_us:.2f} us",
    )


def _stubbed_scan(dials: int) -> Scan:
    bus = LinuxBus(StubAdapter())
    muxes = [Tca9548a(bus, FIRST_MUX + n) for n in range(-(-dials // PER_MUX))]
    chips = [As5600(muxes[n // PER_MUX].channel(n % PER_MUX)) for n in range(dials)]
    clock = MachineClock()
    scan = Scan("stub", [ScanDial(f"T{n + 1:02}", chip) for n, chip in enumerate(chips)], clock)
    while not all(isinstance(sample, Reading) for sample in scan.scan()):
        clock.sleep_until(clock.now_ns() + 1_000_000)
    return scan


def _cpu_round_ns(scan: Scan, scans: int) -> int:
    began_ns = time.process_time_ns()
    for _ in range(scans):
        scan.scan()
    return time.process_time_ns() - began_ns
