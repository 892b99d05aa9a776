"""Every dial of a table read by us and by the libraries that people use today, side by side.

All libraries read the same eight simulated AS5600 behind one TCA9548A, over the same wire, adapter and virtual clock,
and pay the same for a call of the adapter. Their own computing is measured in processor time up to the same place: the
call of the kernel.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hardware.bus import Read, Transaction, Write, wire_bits
from hardware.clock import MachineClock
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import BUS_FREE_NS, SimWire
from pi_app.workshop.bench import Bench, Figure, Progress, machine, no_progress
from pi_app.workshop.bench.peer_drivers import (
    ADAFRUIT,
    ADAFRUIT_SEESAWS,
    ADAFRUIT_SEESAWS_BEHIND_MUX,
    ADAFRUIT_WITH_STATUS,
    ENCODER,
    FIRST_SEESAW,
    LIBRARIES,
    MUX,
    OUR_SEESAWS,
    OURS,
    OURS_WITH_STATUS,
    Library,
    ReadAll,
    SharedBus,
    adafruit_alone,
    peers_at_work,
)
from pi_app.workshop.bench.peer_kernel import PeerKernel, StubKernel
from pi_app.workshop.bench.stub_adapter import StubAdapter

DIALS: Final = 8
SPEEDS_HZ: Final = (100_000, 400_000)
TARGET_HZ: Final = 400_000
SEED: Final = 7
RESTS_AT: Final = 5

CALL_US: Final = (60, 105, 150)
"""The planned time of one call on a Pi beside its bits: 60 to 150 us. The middle one has the target."""

TIMES_ADAFRUIT: Final = 1.7
TIMES_WITH_STATUS: Final = 2.0
TIMES_IN_ONE_CALL: Final = 3.8
TIMES_SEESAW: Final = 60.0
MOST_OF_ADAFRUITS_CPU: Final = 0.1

STUB_SCANS: Final = 250


@dataclass(frozen=True, slots=True)
class ReadCost:
    """The average cost of reading all dials once. `ns` is virtual time: the wire's and the calls'."""

    bits: float
    calls: float
    ns: float

    @property
    def per_s(self) -> float:
        """Reads of all dials per second, with no computing in between."""
        return 1e9 / self.ns


def run(
    *,
    speeds_hz: Sequence[int] = SPEEDS_HZ,
    scans: int = 2_000,
    cpu_rounds: int = 20,
    progress: Progress = no_progress,
) -> Bench:
    """Measure all libraries at every speed, then with a cost per call, then their computing.

    `scans`: reads of all dials that count. Raises BrokenInstallationError if the peers are not installed.
    """
    progress("the computing of all libraries")
    cpu_us = cpu_per_dial(LIBRARIES, cpu_rounds)
    figures: list[Figure] = []
    for speed_hz in speeds_hz:
        progress(f"all libraries at {speed_hz // 1000} kHz")
        got = {library.name: measure(library, speed_hz, scans) for library in LIBRARIES}
        figures += [_row(library, speed_hz, got[library.name], cpu_us[library.name]) for library in LIBRARIES]
        figures += _ratios(speed_hz, got)
        figures += _seesaws(speed_hz, max(1, scans // 20), got[OURS.name])
    progress("all libraries with a cost per call")
    figures += _call_ratios(max(speeds_hz), scans)
    figures += _cpu_figures(cpu_us)
    return Bench("peers", machine(), tuple(figures), EXPLAINS)


EXPLAINS: Final = (
    "Wire, chips and time are SIMULATED and the same for all; all drivers are the real ones, the peers' unmodified.",
    "Adafruit's run with Blinka's Linux layer and PureIO, smbus2 as scripts use it (select, then read); their calls "
    "of the kernel end where ours do.",
    "Each transfer costs the same; choosing an address (I2C_SLAVE) is a call too, and costs the peers nothing here.",
    "With `status each time`, each read has STATUS and angle; else Trapdial reads the status of one dial after the "
    "other and verifies one dial after the other, and its figures include that.",
    "Target of 60: our reads of eight AS5600 behind a mux against those of Adafruit's seesaw driver of eight seesaw "
    "boards behind its mux: other chips on the same wires. With seesaw boards on both sides no driver can reach it: "
    "the note of that row has the wire's limit.",
    "The optimum is the fewest bits of a read: select the channel, read two bytes (with status: name the register, "
    "read three).",
    "With computing: the processor time of this machine added, never overlapped with the wire.",
)


# ------------------------------------------------------------------------------------------------ the same wire


class SameBus:
    """Eight dials behind a mux: one such bus for each library, all alike."""

    def __init__(self, speed_hz: int, adapter: str = "bcm2835", call_cost_ns: int = 0) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, speed_hz)
        tiles = tiles_on_mux(self.wire, MUX, range(DIALS), seed=SEED, position=RESTS_AT, ideal=True)
        self.tiles: Sequence[Tile] = tiles.tiles
        self.adapter = SimAdapter(self.wire, self.clock, adapter, call_cost_ns)
        self.kernel = PeerKernel(self.adapter)

    @property
    def truth(self) -> list[int]:
        """The true angles of the dials."""
        now_ns = self.clock.now_ns()
        return [round(tile.encoder.angle_at(now_ns)) & 0x0FFF for tile in self.tiles]


def measure(
    library: Library, speed_hz: int, scans: int, *, adapter: str = "bcm2835", call_cost_ns: int = 0
) -> ReadCost:
    """Let one library read all dials so many times. Raises RuntimeError if an angle was wrong."""
    bus = SameBus(speed_hz, adapter, call_cost_ns)
    with peers_at_work(bus.clock):
        read_all = library.build(SharedBus(DIALS, bus.adapter, bus.kernel, bus.clock))
        read_all()
        bits, calls, began_ns = bus.wire.bits, _calls(bus), bus.clock.now_ns()
        for _ in range(scans):
            got = read_all()
            if list(got) != bus.truth:
                raise RuntimeError(f"{library.name}: a dial was read wrong, which must not happen on a sound wire")
    return ReadCost(
        (bus.wire.bits - bits) / scans, (_calls(bus) - calls) / scans, (bus.clock.now_ns() - began_ns) / scans
    )


def _calls(bus: SameBus) -> int:
    """Return the calls of the kernel; ours are those of the adapter."""
    return bus.kernel.calls or bus.adapter.calls


def measure_seesaws(library: Library, speed_hz: int, scans: int, *, muxed: bool = False) -> ReadCost:
    """Let one library read eight seesaw boards so many times, all on one bus or each behind its channel of a mux.
    Adafruit's driver sleeps 8 ms in each read, in virtual time.

    Raises RuntimeError if the angle of a board at rest changed.
    """
    clock = VirtualClock()
    wire = SimWire(clock, speed_hz)
    mux = Tca9548aTwin(MUX)
    if muxed:
        wire.trunk.hang(mux)
    for number in range(DIALS):
        place, address = (mux.channels[number], FIRST_SEESAW) if muxed else (wire.trunk, FIRST_SEESAW + number)
        place.hang(SeesawTwin(clock, lambda at_ns: 0.0, address=address))
    adapter = SimAdapter(wire, clock)
    kernel = PeerKernel(adapter)
    with peers_at_work(clock):
        read_all = library.build(SharedBus(DIALS, adapter, kernel, clock))
        at_first = list(read_all())
        bits, calls, began_ns = wire.bits, kernel.calls or adapter.calls, clock.now_ns()
        for _ in range(scans):
            if list(read_all()) != at_first or -1 in at_first:
                raise RuntimeError(f"{library.name}: a board was read wrong, which must not happen on a sound wire")
    calls = (kernel.calls or adapter.calls) - calls
    return ReadCost((wire.bits - bits) / scans, calls / scans, (clock.now_ns() - began_ns) / scans)


def seesaw_optimum_ns(speed_hz: int) -> float:
    """Return the least time for eight boards on the wire: ask all of them, then read all of them."""
    free_ns = next(free_ns for up_to_hz, free_ns in BUS_FREE_NS if speed_hz <= up_to_hz)
    bits = wire_bits((Write(FIRST_SEESAW, bytes(2)),)) + wire_bits((Read(FIRST_SEESAW, 4),))
    return DIALS * (bits * 1e9 / speed_hz + 2 * free_ns)


def _seesaws(speed_hz: int, scans: int, our_dials: ReadCost) -> list[Figure]:
    """Compare their seesaw driver with our scan of AS5600, which has the target, and with our own seesaw driver."""
    ours, theirs = (measure_seesaws(library, speed_hz, scans) for library in (OUR_SEESAWS, ADAFRUIT_SEESAWS))
    muxed = measure_seesaws(ADAFRUIT_SEESAWS_BEHIND_MUX, speed_hz, scans, muxed=True)
    figures = [
        Figure(
            f"{_khz(speed_hz)}: {library.name}",
            got.per_s,
            "scans/s",
            note=f"{100 * seesaw_optimum_ns(speed_hz) / got.ns:.1f} % of the optimum; "
            f"per board {got.bits / DIALS:.1f} bits, {got.calls / DIALS:.2f} calls",
        )
        for library, got in ((OUR_SEESAWS, ours), (ADAFRUIT_SEESAWS, theirs))
    ]
    return [
        *figures,
        Figure(
            f"{_khz(speed_hz)}: {ADAFRUIT_SEESAWS_BEHIND_MUX.name}",
            muxed.per_s,
            "scans/s",
            note=f"per board {muxed.bits / DIALS:.1f} bits, {muxed.calls / DIALS:.2f} calls",
        ),
        _times(
            f"{_khz(speed_hz)}: scans, Trapdial's AS5600 to those seesaws",
            our_dials.per_s / muxed.per_s,
            TIMES_SEESAW if speed_hz == TARGET_HZ else None,
            f"at best {muxed.ns / optimum_ns(speed_hz):.1f}; to Adafruit's seesaws on the bare bus "
            f"{our_dials.per_s / theirs.per_s:.1f}",
        ),
        _times(
            f"{_khz(speed_hz)}: scans, Trapdial's seesaws to Adafruit's",
            ours.per_s / theirs.per_s,
            None,
            f"at best {theirs.ns / seesaw_optimum_ns(speed_hz):.1f}, the wire's limit",
        ),
    ]


def optimum_ns(speed_hz: int, *, status: bool = False) -> float:
    """Return the least time on the wire to read all dials once."""
    free_ns = next(free_ns for up_to_hz, free_ns in BUS_FREE_NS if speed_hz <= up_to_hz)
    read_all: Transaction = (Write(ENCODER, b"\x0b"), Read(ENCODER, 3)) if status else (Read(ENCODER, 2),)
    bits = wire_bits((Write(MUX, b"\x01"),)) + wire_bits(read_all)
    return DIALS * (bits * 1e9 / speed_hz + 2 * free_ns)


def _row(library: Library, speed_hz: int, got: ReadCost, cpu_us: float) -> Figure:
    with_cpu = 1e9 / (got.ns + DIALS * cpu_us * 1e3)
    of_optimum = 100 * optimum_ns(speed_hz, status=library.status) / got.ns
    note = (
        f"{with_cpu:.1f} with computing; {of_optimum:.1f} % of the optimum; per dial {got.bits / DIALS:.1f} bits, "
        f"{got.calls / DIALS:.2f} calls"
    )
    return Figure(f"{_khz(speed_hz)}: {library.name}", got.per_s, "scans/s", note=note)


def _ratios(speed_hz: int, got: dict[str, ReadCost]) -> list[Figure]:
    """Compare ours with Adafruit's; the figures at 400 kHz have the targets."""
    held = speed_hz == TARGET_HZ
    return [
        _times(
            f"{_khz(speed_hz)}: scans, Trapdial to Adafruit",
            got[OURS.name].per_s / got[ADAFRUIT.name].per_s,
            TIMES_ADAFRUIT if held else None,
            f"at best {got[ADAFRUIT.name].ns / optimum_ns(speed_hz):.2f}",
        ),
        _times(
            f"{_khz(speed_hz)}: scans, Trapdial to Adafruit, status each time",
            got[OURS_WITH_STATUS.name].per_s / got[ADAFRUIT_WITH_STATUS.name].per_s,
            TIMES_WITH_STATUS if held else None,
            f"at best {got[ADAFRUIT_WITH_STATUS.name].ns / optimum_ns(speed_hz, status=True):.2f}",
        ),
    ]


def _call_ratios(speed_hz: int, scans: int) -> list[Figure]:
    """Compare both on an adapter that takes many dials in one call, where the cost of a call decides."""
    figures = []
    for cost_us in CALL_US:
        ours, theirs = (
            measure(library, speed_hz, scans, adapter="i2c-gpio", call_cost_ns=cost_us * 1_000)
            for library in (OURS, ADAFRUIT)
        )
        held = speed_hz == TARGET_HZ and cost_us == CALL_US[1]
        note = f"{ours.per_s:.1f} and {theirs.per_s:.1f} scans/s; {ours.calls:.2f} and {theirs.calls:.0f} calls a scan"
        figures.append(
            _times(
                f"{_khz(speed_hz)}: many dials in one call, {cost_us} us a call",
                ours.per_s / theirs.per_s,
                TIMES_IN_ONE_CALL if held else None,
                note,
            )
        )
    return figures


def _times(name: str, value: float, target: float | None, note: str) -> Figure:
    return Figure(name, value, "times", target, at_most=False, note=note)


def _khz(speed_hz: int) -> str:
    return f"{speed_hz // 1000} kHz"


# ------------------------------------------------------------------------------------------------ computing alone


ALONE: Final = Library("Adafruit's drivers alone, without Blinka", adafruit_alone)


def cpu_per_dial(libraries: Sequence[Library], rounds: int) -> dict[str, float]:
    """Return microseconds of processor time per dial, by name, with the kernel stubbed: the least of several rounds, in
    which the libraries take turns, so that other programs disturb all of them alike."""
    with peers_at_work(MachineClock()):
        readers = {library.name: library.build(_stubbed()) for library in (*libraries, ALONE)}
        least: dict[str, float] = {}
        for _ in range(max(1, rounds)):
            for name, read_all in readers.items():
                took_us = _round_ns(read_all) / (STUB_SCANS * DIALS) / 1e3
                least[name] = min(took_us, least.get(name, took_us))
    return least


def _stubbed() -> SharedBus:
    return SharedBus(DIALS, StubAdapter(), StubKernel(), MachineClock())


def _round_ns(read_all: ReadAll) -> int:
    began_ns = time.process_time_ns()
    for _ in range(STUB_SCANS):
        read_all()
    return time.process_time_ns() - began_ns


def _cpu_figures(cpu_us: dict[str, float]) -> list[Figure]:
    figures = [Figure(f"computing per dial: {name}", value, "us") for name, value in cpu_us.items()]
    for ours, theirs, name in (
        (OURS, ADAFRUIT, "computing, Trapdial to Adafruit"),
        (OURS_WITH_STATUS, ADAFRUIT_WITH_STATUS, "computing, Trapdial to Adafruit, status each time"),
    ):
        figures.append(Figure(name, cpu_us[ours.name] / cpu_us[theirs.name], "parts", MOST_OF_ADAFRUITS_CPU))
    return figures
