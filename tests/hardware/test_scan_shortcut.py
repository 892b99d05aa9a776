"""The scan's fast path gives the same samples, transfers and counts as the slow path, whatever happens."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.adapter import KernelMessage
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.dial_chip import QUICK, VERIFIED, DialChip
from hardware.chips.mt6701 import Mt6701
from hardware.chips.seesaw import Seesaw
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.scan_plan import RunPlan
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.table import Encoder
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire

MS = 1_000_000
BUS = LinuxBus(SimAdapter(SimWire(VirtualClock()), VirtualClock()))
MT6701_AT, SEESAW_AT, DIALS = 8, 9, 10


class SlowPath(Scan):
    """Decodes every read on its own."""

    def decode_run(self, plan: RunPlan, began_ns: int, share_ns: int) -> int:
        for planned in plan.reads:
            self.decode_read(planned, plan.run.outcomes(), began_ns + share_ns * planned.share)
        return 0


class Thorough(As5600):
    """Applies every check to every angle."""

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        raw = int.from_bytes(answer, "big")
        if raw in self.lost_pointer:
            self.due = VERIFIED
            return None
        return self.decode_near(raw, at_ns, QUICK)


class RecordingAdapter(SimAdapter):
    """An adapter that records each call, its time and its outcome."""

    def __init__(self, wire: SimWire, clock: VirtualClock, kind: str) -> None:
        super().__init__(wire, clock, kind)
        self.calls_seen: list[object] = []

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        call = super().prepare(messages)

        def recorded() -> int:
            began_ns = self.clock.now_ns()
            ended: object = None
            try:
                ended = call()
            except OSError as error:
                ended = error.errno
                raise
            finally:
                sent = [(m.address, m.flags, bytes(m.buffer)) for m in messages]
                self.calls_seen.append((began_ns, sent, ended))
            return ended

        return recorded


class World:
    """Two muxes: eight AS5600, an MT6701 and a seesaw board."""

    def __init__(self, kind: str, scan: type[Scan], as5600: type[As5600]) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, 400_000)
        self.adapter = RecordingAdapter(self.wire, self.clock, kind)
        bus = LinuxBus(self.adapter)
        self.raws = [1000.0 + 100 * n for n in range(DIALS)]
        self.mux_twins = [Tca9548aTwin(0x70), Tca9548aTwin(0x71)]
        for mux_twin in self.mux_twins:
            self.wire.trunk.hang(mux_twin)
        self.muxes = [Tca9548a(bus, 0x70 + n, mux_twin.reset) for n, mux_twin in enumerate(self.mux_twins)]
        self.twins: list[Encoder] = []
        self.chips: list[DialChip] = []
        for n in range(DIALS):
            self._hang(n, as5600)
        self.scan = scan("bus", [ScanDial(f"T{n}", chip) for n, chip in enumerate(self.chips)], self.clock)

    def _hang(self, n: int, as5600: type[As5600]) -> None:
        def turned(_at_ns: int) -> float:
            return self.raws[n]

        place = self.muxes[n % 2].channel(n // 2)
        if n == MT6701_AT:
            self.twins.append(Mt6701Twin(self.clock, turned))
            self.chips.append(Mt6701(place))
        elif n == SEESAW_AT:
            self.twins.append(SeesawTwin(self.clock, turned))
            self.chips.append(Seesaw(place))
        else:
            self.twins.append(As5600Twin(self.clock, turned))
            self.chips.append(as5600(place))
        self.mux_twins[n % 2].channels[n // 2].hang(self.twins[-1])

    def apply(self, what: str, n: int, dice: random.Random) -> None:
        twin, mux = self.twins[n], self.mux_twins[n % 2]
        events: dict[str, Callable[[], object]] = {
            "nudge": lambda: self._turn(n, self.raws[n] + dice.randint(-90, 90)),
            "turn": lambda: self._turn(n, dice.randrange(4096)),
            "turn near zero": lambda: self._turn(n, dice.randint(-70, 70)),
            "unplug": twin.unplug,
            "plug in": twin.plug_in,
            "nack": twin.nack_once,
            "glitch": twin.glitch_once,
            "zero": twin.zero_once,
            "hang": twin.hang_once,
            "lift": lambda: self._field(n, MagnetField.MISSING),
            "put back": lambda: self._field(n, MagnetField.GOOD),
            "mux out": mux.unplug,
            "mux in": mux.plug_in,
            "mux reset": mux.reset,
            "hold": lambda: setattr(mux.channels[n // 2], "held", True),
            "let go": lambda: setattr(mux.channels[n // 2], "held", False),
            "wait": lambda: self.clock.advance(50 * MS),
            "health": self.chips[n].invalidate,
        }
        events[what]()

    def _turn(self, n: int, raw: float) -> None:
        self.raws[n] = raw % 4096

    def _field(self, n: int, field: MagnetField) -> None:
        if n != SEESAW_AT:  # that has no magnet
            self.twins[n].field = field

    def observed(self) -> object:
        """Everything observable about one more scan."""
        self.adapter.calls_seen.clear()
        samples = self.scan.scan()
        dials = self.scan.dials
        known = [(self.scan.counts(dial), self.scan.stage(dial), self.scan.age_ns(dial)) for dial in dials]
        return (
            list(samples),
            list(self.adapter.calls_seen),
            known,
            [chip.due for chip in self.chips],
            [mux.mask for mux in self.muxes],
            self.clock.now_ns(),
        )


WHAT = (
    "nudge",
    "turn",
    "turn near zero",
    "unplug",
    "plug in",
    "nack",
    "glitch",
    "zero",
    "hang",
    "lift",
    "put back",
    "mux out",
    "mux in",
    "mux reset",
    "hold",
    "let go",
    "wait",
    "health",
)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(CONTROLLERS)),
    st.lists(st.tuples(st.sampled_from(WHAT), st.integers(0, DIALS - 1)), max_size=25),
    st.integers(0, 2**16),
)
@pytest.mark.slow
def test_the_fast_path_and_the_slow_path_give_the_same(kind: str, tape: list[tuple[str, int]], seed: int) -> None:
    short, long = World(kind, Scan, As5600), World(kind, SlowPath, Thorough)
    for _ in range(40):
        assert short.observed() == long.observed()
    dice, same_dice, pace = random.Random(seed), random.Random(seed), random.Random(seed)
    for what, n in tape:
        short.apply(what, n, dice)
        long.apply(what, n, same_dice)
        for _ in range(pace.randint(1, 8)):
            assert short.observed() == long.observed()


@pytest.mark.parametrize("forgotten", [0, 300, 4093])
@pytest.mark.parametrize("last", [None, 0, 5, 66, 1000, 4031, 4090, 4095])
def test_an_angle_is_accepted_at_once_only_if_every_check_accepts_it(last: int | None, forgotten: int) -> None:
    quick, thorough = As5600(BUS), Thorough(BUS)
    quick.expect_lost_pointer(forgotten)
    thorough.expect_lost_pointer(forgotten)
    for raw in (*range(4200), 0xF000, 0xFFFF):
        results = []
        for chip in (quick, thorough):
            chip.last, chip.due = last, QUICK
            results.append((chip.decode_quick(raw.to_bytes(2, "big"), 7), chip.due, chip.last))
        assert results[0] == results[1], raw


def test_nearly_every_read_takes_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the property above would compare the slow path with itself."""
    world = World("bcm2835", Scan, As5600)
    for _ in range(200):
        world.observed()
    slow = 0
    slow_path = Scan.accept

    def counted(self: Scan, *args: object, **more: object) -> None:
        nonlocal slow
        slow += 1
        slow_path(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Scan, "accept", counted)
    for _ in range(200):
        world.observed()
    assert 0 < slow < 0.02 * 200 * DIALS


def test_a_step_that_a_quick_read_accepts_requests_no_full_read_on_either_path() -> None:
    """A board that counts steps accepts one or two at once, which is more than other chips do."""
    fast, slow = World("bcm2835", Scan, As5600), World("bcm2835", SlowPath, Thorough)
    for world in (fast, slow):
        for _ in range(200):
            world.observed()
        world.raws[SEESAW_AT] += 4096 / 24
    for _ in range(40):
        assert fast.observed() == slow.observed()
