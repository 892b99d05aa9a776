"""Every recovery stage on a stuck bus, and every fault on every shape of bus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from hardware.bus import Bus
from hardware.bus_clear import BusPins, Pinctrl
from hardware.bus_linux import LinuxBus
from hardware.bus_recovery import RecoveryActions
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.errors import BusStuck
from hardware.panel import bus_line
from hardware.readings import Reading, Sample, Trouble, TroubleKind
from hardware.recovery_stages import LONGEST_PROBE_NS, MS, RecoveryStage
from hardware.scan import Scan, ScanDial
from hardware.sims import faults
from hardware.sims.adapter import CONTROLLERS, SimAdapter, SimKernelMux
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.faults import FAULTS
from hardware.sims.hand import SimHand
from hardware.sims.pins import SimPinctrl, bus_line_pins
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.wire import SimWire

PERIOD_NS = 10 * MS
WITHIN_NS = 1_000 * MS


@dataclass(frozen=True)
class Shape:
    """A possible wiring of a bus: the controller, the driver of the mux, the number of muxes, whether they can be
    reset. `ours` and `kernel` are muxes with a few dials each; `none` is one dial on the bus itself."""

    controller: str = "bcm2835"
    driven: str = "ours"
    muxes: int = 1
    reset: bool = True

    def __str__(self) -> str:
        return f"{self.controller}-{self.driven}-{self.muxes}-{'reset' if self.reset else 'bare'}"


@dataclass
class Power:
    """A switch of all tiles' supply: off is pulling every lead, on is putting it back."""

    tiles: Sequence[Tile]
    clock: VirtualClock
    switched: list[tuple[bool, int]] = field(default_factory=list)

    def off(self) -> None:
        self.switched.append((False, self.clock.now_ns()))
        for tile in self.tiles:
            tile.unplug()

    def on(self) -> None:
        self.switched.append((True, self.clock.now_ns()))
        for tile in self.tiles:
            tile.plug_in()


class Bench:
    """A scan of such a bus as at a real table: a hundred scans a second."""

    def __init__(
        self, shape: Shape, *, clear: Callable[[SimWire], None] | None = None, power: bool = False, screens: int = 0
    ) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, 100_000)
        self.adapter = SimAdapter(self.wire, self.clock, shape.controller)
        bus: Bus = LinuxBus(self.adapter)
        self.tiles: list[Tile] = []
        self._dials: list[list[ScanDial]] = [[]]
        if shape.driven == "none":
            self._hang_on_the_trunk(bus)
        for n in range(0 if shape.driven == "none" else shape.muxes):
            made = tiles_on_mux(self.wire, 0x70 + n, range(4 - shape.muxes // 2), seed=n, position=3, ideal=True)
            self.tiles += made.tiles
            if shape.driven == "ours":
                mux = Tca9548a(bus, 0x70 + n, made.mux.reset if shape.reset else None)
                self._dials[0] += [ScanDial(f"T{n}{t.channel}", As5600(mux.channel(t.channel))) for t in made.tiles]
            else:
                self._hang_on_kernel_channels(SimKernelMux(self.adapter, 0x70 + n, closes_when_idle=True), made.tiles)
        self.power = Power(self.tiles, self.clock)
        self.restarted: list[int] = []
        actions = RecoveryActions(
            clear=None if clear is None else lambda: clear(self.wire),
            power=self.power if power else None,
            restarted=lambda: self.restarted.append(self.clock.now_ns()),
        )
        self.scans = [Scan("main", dials, self.clock, actions=actions) for dials in self._dials if dials]
        self.scan = self.scans[0]
        self.notices: list[str] = []
        self.last: Sequence[Sample] = []
        self.until_all_read()
        self.run(100 * MS)
        assert self.all_read

    def _hang_on_the_trunk(self, bus: Bus) -> None:
        hand = SimHand(1, 12, 3)
        encoder = As5600Twin(self.clock, hand.angle_counts)
        self.wire.trunk.hang(encoder)
        self.tiles.append(Tile(0, encoder, hand, self.wire.trunk, None, self.wire))
        self._dials[0].append(ScanDial("T00", As5600(bus)))

    def _hang_on_kernel_channels(self, mux: SimKernelMux, tiles: Sequence[Tile]) -> None:
        for tile in tiles:
            channel = mux.channel(tile.channel, f"/dev/i2c-{10 + len(self._dials)}")
            self._dials.append([ScanDial(f"K{len(self._dials)}", As5600(LinuxBus(channel)))])

    def once(self) -> None:
        began_ns = self.clock.now_ns()
        self.last = [sample for scan in self.scans for sample in scan.scan()]
        self.notices += [sample.notice for sample in self.last if isinstance(sample, Trouble) and sample.notice]
        self.clock.sleep_until(began_ns + PERIOD_NS)

    def run(self, for_ns: int) -> None:
        until_ns = self.clock.now_ns() + for_ns
        while self.clock.now_ns() < until_ns:
            self.once()

    def until_all_read(self, most_ns: int = WITHIN_NS) -> int:
        """The time until every dial reads; fail beyond `most_ns`."""
        began_ns = self.clock.now_ns()
        self.once()
        while not self.all_read:
            assert self.clock.now_ns() - began_ns < most_ns, [s for s in self.last if isinstance(s, Trouble)]
            self.once()
        return self.clock.now_ns() - began_ns

    @property
    def all_read(self) -> bool:
        return all(isinstance(sample, Reading) for sample in self.last)

    @property
    def words(self) -> list[str]:
        return [sample.words for sample in self.last if isinstance(sample, Trouble)]


# --- any fault, any shape

SHAPES = [
    *(
        Shape(controller, "ours", muxes, reset)
        for controller in CONTROLLERS
        for muxes in (1, 2)
        for reset in (True, False)
    ),
    *(Shape(controller, "none", reset=False) for controller in CONTROLLERS),
    *(Shape("bcm2835", "kernel", muxes, reset=False) for muxes in (1, 2)),
]


NEED_A_MUX = {"two-channels-open", "leads-swapped", "mux-hung", "mux-not-switched", "mux-reset", "mux-silent"}


def recovers(fault: str, shape: Shape, lasting_ms: int = 1_300) -> None:
    """Strike, wait, mend; within a second of the end all dials read and are healthy."""
    table = Bench(shape)
    tile = table.tiles[min(1, len(table.tiles) - 1)]
    if tile.mux is None and fault in NEED_A_MUX:
        with pytest.raises(ValueError, match="needs a tile behind a mux"):
            faults.strike(tile, fault)
        return
    faults.strike(tile, fault)
    if FAULTS[fault].mend is not None:
        table.run(lasting_ms * MS)
        faults.mend(tile, fault)
    table.until_all_read()
    table.run(200 * MS)
    assert table.all_read
    for scan in table.scans:
        assert [scan.stage(dial) for dial in scan.dials] == [RecoveryStage.HEALTHY] * len(scan.dials)
        assert not scan.given_up


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_from_any_single_fault_it_is_back_within_a_second_of_its_end(fault: str) -> None:
    recovers(fault, Shape())


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_on_any_bus_a_hung_and_a_dead_tile_are_back_within_a_second(shape: Shape) -> None:
    for fault in ("stuck-low", "unplugged"):
        recovers(fault, shape)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_from_any_single_fault_on_any_bus_it_is_back_within_a_second_of_its_end(fault: str, shape: Shape) -> None:
    recovers(fault, shape, lasting_ms=3_700)


@pytest.mark.parametrize("after_ms", [1, 170, 700, 5_000])
@pytest.mark.parametrize("reset", [True, False])
def test_however_long_it_hung_it_is_back_within_a_second(after_ms: int, reset: bool) -> None:
    table = Bench(Shape(reset=reset))
    faults.strike(table.tiles[2], "stuck-low")
    table.run(after_ms * MS)
    faults.mend(table.tiles[2], "stuck-low")
    table.until_all_read()


@pytest.mark.parametrize("after_ms", [1, 300, 5_000, 30_000])
def test_however_long_its_trunk_was_held_a_bus_is_back_within_a_second(after_ms: int) -> None:
    table = Bench(Shape(muxes=2), clear=lambda wire: None)
    table.wire.trunk.held = True
    table.run(after_ms * MS)
    table.wire.trunk.held = False
    table.until_all_read()


# --- the steps


def test_step_1_a_glitch_is_retried_in_the_same_scan() -> None:
    table = Bench(Shape())
    faults.strike(table.tiles[1], "eio-once")
    table.once()
    assert table.all_read
    assert table.scan.counts("T01").retries == 1


def test_step_2_after_three_misses_the_angle_is_stale_and_keeps_its_age() -> None:
    table = Bench(Shape())
    faults.strike(table.tiles[1], "unplugged")
    stages = []
    for _ in range(12):
        table.once()
        stages.append(table.scan.stage("T01"))
    assert stages == sorted(stages)
    assert set(stages) == {RecoveryStage.RETRIED, RecoveryStage.STALE}
    age_ns = table.scan.age_ns("T01")
    assert age_ns is not None
    assert 110 * MS < age_ns < 140 * MS


def test_step_3_a_time_out_pulses_every_reset_and_the_others_are_read_in_the_same_scan() -> None:
    table = Bench(Shape())
    faults.strike(table.tiles[2], "stuck-low")
    table.once()
    assert [isinstance(sample, Reading) for sample in table.last] == [True, True, False, True]
    assert table.scan.stage("T02") is RecoveryStage.RESET
    assert table.wire.timeouts == 1


def test_step_4_a_tile_that_hangs_again_is_quarantined_and_probed_alone_behind_the_others() -> None:
    table = Bench(Shape())
    faults.strike(table.tiles[2], "stuck-low")
    table.run(4_000 * MS)
    assert table.scan.stage("T02") is RecoveryStage.QUARANTINE
    assert table.words == [
        "dial T02 (simulated /dev/i2c-1 mux 0x70 channel 2, chip 0x36) never ended a transfer (errno 110). It is "
        "set aside and retried now and then; the others are read without it. Pull the plug of T02, look for a short "
        "between its wires, and plug it in again."
    ]
    before = table.wire.timeouts
    table.run(10 * LONGEST_PROBE_NS)
    assert table.wire.timeouts - before in (9, 10)
    assert table.scan.counts("T01").losses == 0
    assert table.notices == []


def test_two_tiles_that_hang_share_the_probes() -> None:
    table = Bench(Shape())
    faults.strike(table.tiles[0], "stuck-low")
    faults.strike(table.tiles[2], "stuck-low")
    table.run(4_000 * MS)
    before = table.wire.timeouts
    table.run(10 * LONGEST_PROBE_NS)
    assert table.wire.timeouts - before in (9, 10)
    for tile in (table.tiles[0], table.tiles[2]):
        faults.mend(tile, "stuck-low")
    table.until_all_read()


@pytest.mark.slow
def test_with_an_adapters_own_time_out_a_hung_tile_is_probed_more_rarely() -> None:
    table = Bench(Shape())
    table.adapter.set_timeout_ms(1_000)
    faults.strike(table.tiles[2], "stuck-low")
    table.run(60_000 * MS)
    before, began_ns = table.wire.timeouts, table.clock.now_ns()
    table.run(60_000 * MS)
    lost_ns = (table.wire.timeouts - before) * 1_000 * MS
    assert 0 < lost_ns / (table.clock.now_ns() - began_ns) <= 0.1


def by_clocks(wire: SimWire) -> None:
    """The pins in short: after nine clocks the line must be up."""
    for _ in range(9):
        wire.pulse_clock()
    if wire.sda_held:
        raise BusStuck("bus main", "GPIO2", "is still held after nine clocks", "Unplug tile after tile.")


def test_step_5_nine_clocks_free_a_chip_that_stopped_in_the_middle_of_a_byte() -> None:
    table = Bench(Shape(), clear=by_clocks)
    table.wire.trunk.hold_until(clocks=7)
    table.run(1_000 * MS)
    assert table.all_read
    assert table.notices == [
        "bus main (simulated /dev/i2c-1) blocked every dial, so nine clock pulses were sent to free its lines. "
        "No action needed yet."
    ]


def test_step_6_a_power_cycle_restarts_everything() -> None:
    table = Bench(Shape(reset=False), clear=by_clocks, power=True)
    faults.strike(table.tiles[1], "stuck-low")
    table.run(1_500 * MS)
    assert table.all_read
    assert table.notices == [
        "bus main (GPIO2) is still held after nine clocks. Unplug tile after tile.",
        "bus main (simulated /dev/i2c-1) blocked every dial, so the power of its tiles is off for 0.3 s. "
        "Everything on it restarts automatically.",
    ]
    (off, off_ns), (on, on_ns) = table.power.switched
    assert (off, on) == (False, True)
    assert 300 * MS <= on_ns - off_ns <= 310 * MS
    assert table.restarted == [on_ns]
    assert [tile.encoder.conf for tile in table.tiles] == [0x0204] * 4


def test_after_a_power_cycle_a_dial_without_a_magnet_is_not_reported_as_reset() -> None:
    table = Bench(Shape(reset=False), power=True)
    faults.strike(table.tiles[0], "magnet-missing")
    table.run(100 * MS)
    faults.strike(table.tiles[1], "stuck-low")
    seen: set[str] = set()
    for _ in range(200):
        table.once()
        seen.update(table.words)
    assert len(table.power.switched) == 2
    assert not [words for words in seen if "forgot" in words]
    faults.mend(table.tiles[0], "magnet-missing")
    table.until_all_read()


def test_while_the_power_is_off_nothing_is_sent() -> None:
    table = Bench(Shape(), power=True)
    table.wire.trunk.held = True
    while not table.power.switched:
        table.once()
    bits = table.wire.bits
    table.run(290 * MS)
    assert (table.wire.bits, len(table.words)) == (bits, 4)


def test_step_7_a_bus_beyond_recovery_is_given_up_reported_once_and_still_probed() -> None:
    table = Bench(Shape(), clear=by_clocks, power=True)
    table.wire.trunk.held = True
    table.run(6_000 * MS)
    assert table.scan.given_up
    assert table.notices[-1] == (
        "bus main (simulated /dev/i2c-1) still blocks every dial, after nine clock pulses and a power "
        "cycle: it is left alone and retried now and then; the game goes on without it. Pull the plug of T03, whose "
        "channel was open then; if that does not help, switch the power of mux 0x70 off and on."
    )
    assert len(table.notices) == 3
    before = table.wire.timeouts
    table.run(10 * LONGEST_PROBE_NS)
    assert 9 <= table.wire.timeouts - before <= 14  # with one more round among them
    assert all(isinstance(s, Trouble) and s.kind is TroubleKind.STUCK for s in table.last)
    table.wire.trunk.held = False
    table.until_all_read()
    assert not table.scan.given_up


def test_from_a_held_line_over_the_pins_to_a_reading() -> None:
    table = Bench(Shape(), clear=lambda wire: pins_of(wire).clear())
    table.wire.trunk.hold_until(clocks=9)
    table.run(1_000 * MS)
    assert table.all_read


def pins_of(wire: SimWire) -> BusPins:
    """The lines of a simulated Pi 5's /dev/i2c-1."""
    pinctrl = SimPinctrl({3: "SCL1", 2: "SDA1"}, "a3")
    return BusPins("main", 3, 2, lambda: bus_line_pins(wire, 3, 2), bus_line, Pinctrl(pinctrl.run))
