"""How near the scan comes to the limit of the wire, and the processor time that it takes.

The wire is simulated bit by bit on a virtual clock (START, STOP and repeated START one bit, a byte nine, tBUF after
each STOP), so these figures are the same on every machine. The drivers and the scan above it are the real ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.clock import Clock, MachineClock
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from pi_app.play.wires import TableWires
from pi_app.settings.model import Settings
from pi_app.workshop.bench import Bench, Figure, Progress, bad_tile, machine, no_progress
from pi_app.workshop.bench.bench_bus import FIRST_MUX, PER_MUX, BenchBus, BusSetup
from pi_app.workshop.bench.stub_adapter import StubAdapter
from pi_app.workshop.doctor.pace import scans_for

DIALS: Final = (1, 8, 16, 64)
SPEEDS_HZ: Final = (100_000, 400_000)

LEAST_PERCENT: Final = 95.0
LONGEST_GAP_MS: Final = 35.0
GAP_DIALS: Final = 8
MOST_CPU_US: Final = 10.0

PLANNED_CALL_NS: Final = 80_000
"""The planned time of one kernel call on a Pi, beside its bits: the middle of the range."""

SETTLING_S: Final = 0.3
"""Scan for so long before counting, so that the screens are in the middle of a picture."""

READS_PER_ROUND: Final = 10_000


@dataclass(frozen=True, slots=True)
class ScanResult:
    """A bus that was scanned flat out. `limit_per_s`: the most that its bits and bus-free times allow."""

    scans_per_s: float
    limit_per_s: float
    longest_gap_ms: float
    screens_percent: float

    @property
    def percent(self) -> float:
        """The share of the wire's limit."""
        return 100 * self.scans_per_s / self.limit_per_s


def run(
    *,
    dials: Sequence[int] = DIALS,
    speeds_hz: Sequence[int] = SPEEDS_HZ,
    seconds: float = 5.0,
    cpu_rounds: int = 20,
    progress: Progress = no_progress,
) -> Bench:
    """Measure every number of dials at every speed for so many virtual seconds, then the variants, then the CPU."""
    figures: list[Figure] = []
    for setup in _grid(dials, speeds_hz):
        progress(setup.name)
        figures += _figures(setup, measure(setup, seconds))
    for setup in _variants(max(dials), speeds_hz):
        progress(setup.name)
        figures.append(_for_information(setup, measure(setup, seconds)))
    figures += bad_tile.figures(speeds_hz, seconds, progress)
    for count in sorted({min(GAP_DIALS, max(dials)), max(dials)}):
        progress(f"CPU time, {count} dials")
        figures.append(cpu_figure(count, cpu_rounds))
    return Bench("scan", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "The wire, the chips and the time are simulated; drivers, scan and screens are the real program.",
    "The limit of the wire: only the cheapest legal reads, without a pause.",
    "Screens: SSD1306 behind mux channels, given a new random picture as soon as the last one is out.",
    "Flat out they get only the share that the scan keeps for them; at 100 samples a second they get all the rest.",
    "Variants with a cost per call show what to expect on a Pi.",
    "A dead tile does not answer, a hung one holds the bus while its channel is open; the count begins when it "
    "goes bad, and the others are compared with a table that never had it.",
    "CPU: the adapter is a stub that answers at once; the kernel's share comes on top.",
)


def _grid(dials: Sequence[int], speeds_hz: Sequence[int]) -> Iterator[BusSetup]:
    for count in dials:
        for speed_hz in speeds_hz:
            yield BusSetup(count, speed_hz)


def _variants(most: int, speeds_hz: Sequence[int]) -> Iterator[BusSetup]:
    """The usual table on a Pi."""
    for speed_hz in speeds_hz:
        count = min(GAP_DIALS, most)
        yield BusSetup(count, speed_hz, screens=0)
        yield BusSetup(count, speed_hz, screens=0, at_zero=True)
        yield BusSetup(count, speed_hz, call_cost_ns=PLANNED_CALL_NS)
        yield BusSetup(count, speed_hz, screens=0, call_cost_ns=PLANNED_CALL_NS)
        yield BusSetup(count, speed_hz, screens=0, adapter="i2c-gpio", call_cost_ns=PLANNED_CALL_NS)


def _figures(setup: BusSetup, got: ScanResult) -> list[Figure]:
    note = (
        f"{got.scans_per_s:.1f} of {got.limit_per_s:.1f} scans/s; screens took {got.screens_percent:.1f} % of the time"
    )
    gap_target = LONGEST_GAP_MS if setup.dials == GAP_DIALS else None
    return [
        Figure(f"{setup.name}: share of the wire's limit", got.percent, "%", LEAST_PERCENT, at_most=False, note=note),
        Figure(f"{setup.name}: longest gap", got.longest_gap_ms, "ms", gap_target),
    ]


def _for_information(setup: BusSetup, got: ScanResult) -> Figure:
    note = f"{got.percent:.1f} % of the wire's limit, longest gap {got.longest_gap_ms:.1f} ms"
    return Figure(f"{setup.name}: scans", got.scans_per_s, "scans/s", note=note)


def measure(setup: BusSetup, seconds: float) -> ScanResult:
    """Scan one simulated bus flat out for so many virtual seconds, after it has settled.

    Raises RuntimeError if a dial could not be read.
    """
    bus = BenchBus(setup)
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
    return ScanResult(
        scans * 1e9 / took_ns, 1e9 / bus.limit_ns, longest_ns / 1e6, 100 * (bus.screens_ns - screens_ns) / took_ns
    )


# -------------------------------------------------------------------------------------- a table's own wires


def run_on(settings: Settings, wires: TableWires, clock: Clock, seconds: float, *, simulated: bool) -> Bench:
    """Scan the table's own buses flat out, one after the other: real wires, or their twins. Only the rate that a hand
    needs has a target, since the real speed of a Pi's bus seldom is the requested one."""
    figures: list[Figure] = []
    for scan in wires.scans:
        if scan.dials:
            figures += _wire_figures(scan, clock, settings.buses[scan.bus_name].speed_hz, seconds)
    what = "SIMULATED: twins of this table's wires." if simulated else "The real wires of this table, flat out."
    return Bench("scan", machine(), tuple(figures), (what, "No pictures were sent to screens."))


NEEDED_PER_S: Final = 60.0
WAKING_S: Final = 0.5


def _wire_figures(scan: Scan, clock: Clock, speed_hz: int, seconds: float) -> list[Figure]:
    scans_for(scan, clock, WAKING_S)
    scan.reset_counts()
    began_ns = clock.now_ns()
    scans, answered = scans_for(scan, clock, seconds)
    took_ns = clock.now_ns() - began_ns
    counts = [scan.counts(dial) for dial in scan.dials]
    note = f"{answered} of {len(scan.dials)} dials answered, {sum(count.retries for count in counts)} retries"
    limit = speed_hz / scan.wire_bits_per_scan()
    return [
        Figure(f"bus {scan.bus_name}: scans", scans * 1e9 / took_ns, "scans/s", NEEDED_PER_S, at_most=False, note=note),
        Figure(
            f"bus {scan.bus_name}: share of the wire's limit",
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


# -------------------------------------------------------------------------------------------------- CPU time


def cpu_figure(dials: int, rounds: int) -> Figure:
    """Measure our processor time per dial read. The fastest of several rounds counts: the others were disturbed."""
    scan = stubbed_scan(dials)
    per_round = max(1, READS_PER_ROUND // dials)
    times_ns = [_cpu_round_ns(scan, per_round) for _ in range(max(1, rounds))]
    best_us = min(times_ns) / (per_round * dials) / 1e3
    slowest_us = max(times_ns) / (per_round * dials) / 1e3
    return Figure(
        f"CPU time per dial read, {dials} dials, bus stubbed",
        best_us,
        "us",
        MOST_CPU_US,
        note=f"slowest of {len(times_ns)} rounds {slowest_us:.2f} us",
    )


def stubbed_scan(dials: int) -> Scan:
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
