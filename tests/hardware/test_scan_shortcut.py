"""The shortcut of a scan is only shorter: whatever happens, it says, sends and counts what the long way would."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.adapter import KernelMessage
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.dial_chip import PROVEN, QUICK, DialChip
from hardware.chips.mt6701 import Mt6701
from hardware.chips.seesaw import Seesaw
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading
from hardware.scan import Scan, ScanDial
from hardware.scan_plan import Plan
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.as5600 import As5600Twin, Field
from hardware.sims.clock import VirtualClock
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.table import Encoder
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import Wire

MS = 1_000_000
BUS = LinuxBus(SimAdapter(Wire(VirtualClock()), VirtualClock()))
MT6701_AT, SEESAW_AT, DIALS = 8, 9, 10


class LongWay(Scan):
    """Hears every look by itself."""

    def _hear_straight(self, plan: Plan, began_ns: int, share_ns: int) -> int:
        for planned in plan.looks:
            self._hear(planned, plan.run.outcomes(), began_ns + share_ns * planned.share)
        return 0


class Thorough(As5600):
    """Asks everything of every angle."""

    def hear_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        raw = int.from_bytes(answer, "big")
        if raw in self._forgotten:
            self.due = PROVEN
            return None
        return self._hear_calm(raw, at_ns, QUICK)


class Listened(SimAdapter):
    """An adapter that writes down when what was called, and how it ended."""

    def __init__(self, wire: Wire, clock: VirtualClock, kind: str) -> None:
        super().__init__(wire, clock, kind)
        self.heard: list[object] = []

    def prepare(self, messages: Sequence[KernelMessage]) -> Callable[[], int]:
        call = super().prepare(messages)

        def listened() -> int:
            began_ns = self.clock.now_ns()
            ended: object = None
            try:
                ended = call()
            except OSError as error:
                ended = error.errno
                raise
            finally:
                said = [(m.address, m.flags, bytes(m.buffer)) for m in messages]
                self.heard.append((began_ns, said, ended))
            return ended

        return listened


class World:
    """Two muxes: eight AS5600, an MT6701 and a seesaw board."""

    def __init__(self, kind: str, scan: type[Scan], as5600: type[As5600]) -> None:
        self.clock = VirtualClock()
        self.wire = Wire(self.clock, 400_000)
        self.adapter = Listened(self.wire, self.clock, kind)
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

    def happen(self, what: str, n: int, dice: random.Random) -> None:
        twin, mux = self.twins[n], self.mux_twins[n % 2]
        happenings: dict[str, Callable[[], object]] = {
            "nudge": lambda: self._turn(n, self.raws[n] + dice.randint(-90, 90)),
            "turn": lambda: self._turn(n, dice.randrange(4096)),
            "turn near zero": lambda: self._turn(n, dice.randint(-70, 70)),
            "unplug": twin.unplug,
            "plug in": twin.plug_in,
            "nack": twin.nack_once,
            "spoil": twin.spoil_once,
            "zero": twin.zero_once,
            "hang": twin.hang_once,
            "lift": lambda: self._field(n, Field.MISSING),
            "put back": lambda: self._field(n, Field.GOOD),
            "mux out": mux.unplug,
            "mux in": mux.plug_in,
            "mux reset": mux.reset,
            "hold": lambda: setattr(mux.channels[n // 2], "held", True),
            "let go": lambda: setattr(mux.channels[n // 2], "held", False),
            "wait": lambda: self.clock.advance(50 * MS),
            "health": self.chips[n].distrust,
        }
        happenings[what]()

    def _turn(self, n: int, raw: float) -> None:
        self.raws[n] = raw % 4096

    def _field(self, n: int, field: Field) -> None:
        if n != SEESAW_AT:  # that has no magnet
            self.twins[n].field = field

    def told(self) -> object:
        """Everything that can be seen of one more scan."""
        self.adapter.heard.clear()
        samples = self.scan.scan()
        dials = self.scan.dials
        known = [(self.scan.counts(dial), self.scan.rung(dial), self.scan.age_ns(dial)) for dial in dials]
        return (
            list(samples),
            list(self.adapter.heard),
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
    "spoil",
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
def test_with_and_without_the_shortcut_everything_is_the_same(
    kind: str, tape: list[tuple[str, int]], seed: int
) -> None:
    short, long = World(kind, Scan, As5600), World(kind, LongWay, Thorough)
    for _ in range(40):
        assert short.told() == long.told()
    dice, same_dice, pace = random.Random(seed), random.Random(seed), random.Random(seed)
    for what, n in tape:
        short.happen(what, n, dice)
        long.happen(what, n, same_dice)
        for _ in range(pace.randint(1, 8)):
            assert short.told() == long.told()


@pytest.mark.parametrize("forgotten", [0, 300, 4093])
@pytest.mark.parametrize("last", [None, 0, 5, 66, 1000, 4031, 4090, 4095])
def test_an_angle_is_believed_at_once_only_if_thinking_it_over_gives_the_same(last: int | None, forgotten: int) -> None:
    quick, thorough = As5600(BUS), Thorough(BUS)
    quick._expect_forgotten(forgotten)
    thorough._expect_forgotten(forgotten)
    for raw in (*range(4200), 0xF000, 0xFFFF):
        heard = []
        for chip in (quick, thorough):
            chip._last, chip.due = last, QUICK
            heard.append((chip.hear_quick(raw.to_bytes(2, "big"), 7), chip.due, chip._last))
        assert heard[0] == heard[1], raw


def test_nearly_every_look_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the property above would compare the long way with itself."""
    world = World("bcm2835", Scan, As5600)
    for _ in range(200):
        world.told()
    heard = 0
    long_way = Scan._weigh

    def counted(self: Scan, *args: object) -> None:
        nonlocal heard
        heard += 1
        long_way(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Scan, "_weigh", counted)
    for _ in range(200):
        world.told()
    assert 0 < heard < 0.02 * 200 * DIALS
