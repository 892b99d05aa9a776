"""Boards that need time between request and answer: all requests, then the other dials, then all answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.dial_chip import DialChip
from hardware.chips.seesaw import WAIT_NS, Seesaw
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading, Sample, Trouble
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.table import Encoder
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire

STEP = 4096 / 24


class Boards:
    """`counting` seesaws and `absolute` AS5600s, a channel each (or, not `muxed`, seesaws alone on the trunk)."""

    def __init__(
        self, counting: int, absolute: int = 0, kind: str = "bcm2835", speed_hz: int = 400_000, *, muxed: bool = True
    ) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, speed_hz)
        bus = LinuxBus(SimAdapter(self.wire, self.clock, kind))
        self.turned = [0.0] * (counting + absolute)
        self.twins: list[Encoder] = []
        self.mux_twin = Tca9548aTwin(0x70)
        if muxed:
            self.wire.trunk.hang(self.mux_twin)
        mux = Tca9548a(bus, 0x70, self.mux_twin.reset) if muxed else None
        dials: list[ScanDial] = []
        for n in range(counting + absolute):
            place = bus if mux is None else mux.channel(n)
            address = 0x36 if muxed else 0x36 + n
            chip: DialChip = Seesaw(place, address) if n < counting else As5600(place)
            self.twins.append(self.make_twin(n, address, counting=n < counting))
            (self.mux_twin.channels[n] if muxed else self.wire.trunk).hang(self.twins[-1])
            dials.append(ScanDial(f"T{n:02}", chip))
        self.scan = Scan("/dev/i2c-1", dials, self.clock)

    def make_twin(self, n: int, address: int, *, counting: bool) -> Encoder:
        if counting:
            return SeesawTwin(self.clock, lambda _ns: self.turned[n], address=address)
        return As5600Twin(self.clock, lambda _ns: self.turned[n])

    def settled(self) -> Boards:
        self.until_read()
        for _ in range(20):
            self.scan.scan()
        return self

    def until_read(self, patience_s: int = 2) -> list[Sample]:
        until_ns = self.clock.now_ns() + patience_s * 1_000_000_000
        samples = list(self.scan.scan())
        while not all(isinstance(sample, Reading) for sample in samples):
            assert self.clock.now_ns() < until_ns, samples
            samples = list(self.scan.scan())
        return samples


def raws(samples: list[Sample]) -> list[int | None]:
    return [sample.raw if isinstance(sample, Reading) else None for sample in samples]


@pytest.mark.parametrize("muxed", [True, False])
@pytest.mark.parametrize("kind", CONTROLLERS)
def test_every_board_gives_its_own_count(kind: str, muxed: bool) -> None:
    boards = Boards(8, kind=kind, muxed=muxed).settled()
    for n in range(8):
        boards.turned[n] = (n + 1) * STEP
    assert raws(boards.until_read()) == [128 * (n + 1) for n in range(8)]


@pytest.mark.parametrize("speed_hz", [100_000, 400_000])
@pytest.mark.parametrize("muxed", [True, False])
def test_eight_boards_cost_no_wait_since_each_answer_waits_for_its_own_request(muxed: bool, speed_hz: int) -> None:
    boards = Boards(8, speed_hz=speed_hz, muxed=muxed).settled()
    began_ns, scans = boards.clock.now_ns(), 50
    for _ in range(scans):
        boards.scan.scan()
    wire_ns = boards.scan.wire_bits_per_scan() * boards.wire.bit_ns
    frees_ns = boards.scan.transactions_per_scan() * boards.wire.bus_free_ns
    assert boards.clock.now_ns() - began_ns < 1.01 * scans * (wire_ns + frees_ns)


class WatchedTwin(SeesawTwin):
    """A board that records the time from each request to its read."""

    def __init__(self, clock: VirtualClock, angle_at: Callable[[int], float], address: int) -> None:
        self.asked_ns: int | None = None
        self.waits_ns: list[int] = []
        super().__init__(clock, angle_at, address=address)

    def begins(self, reading: bool) -> None:
        super().begins(reading)
        if reading and self.asked_ns is not None:
            self.waits_ns.append(self._clock.now_ns() - self.asked_ns)

    def stop(self) -> None:
        super().stop()
        if not self._reading:
            self.asked_ns = self._clock.now_ns()


class WatchedBoards(Boards):
    """The same, with every board watched."""

    def make_twin(self, n: int, address: int, *, counting: bool) -> Encoder:
        if not counting:
            return super().make_twin(n, address, counting=counting)
        return WatchedTwin(self.clock, lambda _ns: self.turned[n], address)

    def shortest_wait_ns(self) -> int:
        """Of all boards and answers so far."""
        return min(wait_ns for twin in self.twins if isinstance(twin, WatchedTwin) for wait_ns in twin.waits_ns)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 8),
    st.integers(0, 4),
    st.sampled_from(sorted(CONTROLLERS)),
    st.sampled_from([50_000, 100_000, 400_000, 1_000_000]),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(["nack_once", "glitch_once", "hang_once"]), st.integers(0, 7)), max_size=6),
)
def test_no_answer_is_ever_read_sooner_than_its_board_needs(
    counting: int, absolute: int, kind: str, speed_hz: int, muxed: bool, faults: list[tuple[str, int]]
) -> None:
    absolute = min(absolute, 8 - counting) if muxed else 0
    boards = WatchedBoards(counting, absolute, kind, speed_hz, muxed=muxed)
    boards.until_read()
    for fault, n in faults:
        getattr(boards.twins[n % counting], fault)()
        for _ in range(3):
            boards.scan.scan()
    boards.until_read(patience_s=20)  # six faults may be pending for one board, each a probe apart
    assert boards.shortest_wait_ns() >= WAIT_NS


def test_the_wait_is_spent_on_reading_the_others() -> None:
    boards = Boards(1, 7, speed_hz=100_000).settled()
    idle_before_ns = boards.clock.now_ns() - boards.wire.busy_ns
    for _ in range(50):
        boards.scan.scan()
    assert boards.clock.now_ns() - boards.wire.busy_ns - idle_before_ns < 1000


def test_a_single_board_is_waited_for() -> None:
    boards = Boards(1).settled()
    for _ in range(50):
        assert isinstance(boards.scan.scan()[0], Reading)


@pytest.mark.parametrize("lost", range(4))
def test_a_lost_board_costs_the_others_nothing_and_comes_back_with_a_new_life(lost: int) -> None:
    boards = Boards(2, 2).settled()
    boards.turned = [STEP, 2 * STEP, 300.0, 400.0]
    stands = raws(boards.until_read())
    boards.twins[lost].unplug()
    for _ in range(30):
        samples = list(boards.scan.scan())
        assert [raw for n, raw in enumerate(raws(samples)) if n != lost] == [*stands[:lost], *stands[lost + 1 :]]
    assert isinstance(samples[lost], Trouble)
    boards.twins[lost].plug_in()
    back = boards.until_read()[lost]
    assert isinstance(back, Reading)
    assert (back.raw, back.life) == ((0, 2) if lost < 2 else (stands[lost], 0))


@pytest.mark.parametrize("fault", ["nack_once", "glitch_once", "zero_once", "hang_once", "lose_arbitration_once"])
def test_a_single_fault_never_loses_the_count(fault: str) -> None:
    boards = Boards(3).settled()
    boards.turned = [5 * STEP, 6 * STEP, 7 * STEP]
    boards.until_read()
    for n in range(3):
        getattr(boards.twins[n], fault)()
        for _ in range(40):
            for raw, stands in zip(raws(list(boards.scan.scan())), (640, 768, 896), strict=True):
                assert raw in (None, stands)
        samples = boards.until_read()
        assert [sample.life for sample in samples if isinstance(sample, Reading)] == [1, 1, 1]


def test_a_stuck_board_is_the_only_one_that_is_lost_for_long() -> None:
    boards = Boards(4).settled()
    boards.mux_twin.channels[2].held = True
    for _ in range(20):
        samples = boards.scan.scan()
    assert [isinstance(sample, Reading) for sample in samples] == [True, True, False, True]
    boards.mux_twin.channels[2].held = False
    assert [sample.life for sample in boards.until_read() if isinstance(sample, Reading)] == [1, 1, 1, 1]


def test_a_mux_that_forgets_never_mixes_two_counts_up() -> None:
    boards = Boards(4).settled()
    boards.turned = [STEP * n for n in range(4)]
    stands = raws(boards.until_read())
    for _ in range(20):
        boards.mux_twin.reset()
        for raw, at in zip(raws(list(boards.scan.scan())), stands, strict=True):
            assert raw in (None, at)
    assert raws(boards.until_read()) == stands
