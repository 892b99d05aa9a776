"""Every kind of encoder with its twin, on one bus, behind one door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.bus import Bus
from hardware.bus_linux import LinuxBus
from hardware.chips.as5048b import As5048b
from hardware.chips.as5600 import As5600
from hardware.chips.as5600l import As5600L
from hardware.chips.dial_chip import Complaint, DialChip, Look, set_up, taken
from hardware.chips.mt6701 import Mt6701
from hardware.chips.seesaw import Seesaw
from hardware.readings import Reading
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5048b import As5048bTwin
from hardware.sims.as5600 import As5600Twin
from hardware.sims.as5600l import As5600LTwin
from hardware.sims.clock import VirtualClock
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.table import Encoder
from hardware.sims.wire import Wire

Angle = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its name in `hardware.encoders`, its driver, its twin."""

    name: str
    chip: Callable[[Bus], DialChip]
    twin: Callable[[VirtualClock, Angle], Encoder]
    tells_magnet: bool = True
    register_bytes: int = 1
    wakes_at: int | None = None


KINDS = (
    Kind("as5600", As5600, As5600Twin),
    Kind("as5600l", lambda bus: As5600L(bus, 0x41), As5600LTwin, wakes_at=0x40),
    Kind("mt6701", Mt6701, Mt6701Twin, tells_magnet=False),
    Kind("as5048b", lambda bus: As5048b(bus, 0x42), lambda clock, angle: As5048bTwin(clock, angle, address=0x42)),
    Kind("seesaw", Seesaw, SeesawTwin, tells_magnet=False, register_bytes=2),
)


def still(turned: float) -> Angle:
    """A dial that stands."""
    return lambda _ns: turned


class Rig:
    """One twin and one driver on a bus of their own; `turned` is where the dial stands, in 4096ths of a turn."""

    def __init__(self, kind: Kind, turned: float = 1234) -> None:
        self.clock = VirtualClock()
        self.wire = Wire(self.clock)
        self.turned = turned
        self.twin = kind.twin(self.clock, lambda _ns: self.turned)
        self.wire.trunk.hang(self.twin)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.chip = kind.chip(self.bus)
        self.clock.advance(50_000_000)

    def started(self) -> Rig:
        set_up(self.chip, self.clock)
        return self

    def look(self, look: Look | None = None) -> Reading | Complaint | None:
        """What this look gives, or the one that is due."""
        due = look or self.chip.due
        return self.chip.hear(due, taken(self.chip, due, self.clock), self.clock.now_ns())

    def believed(self) -> Reading | Complaint:
        """What a scan would hand up: in doubt it looks again at once, proven."""
        verdict = self.look() or self.look(Look.PROVEN)
        assert verdict is not None
        return verdict

    def reads(self) -> int:
        verdict = self.believed()
        assert isinstance(verdict, Reading), verdict
        return verdict.raw


class Stranger:
    """Something else that answers at an address: the same bytes over and over, whatever it is asked."""

    def __init__(self, address: int, answers: Sequence[int]) -> None:
        self.address = address
        self.heard: list[list[int]] = []
        self._answers, self._next = answers, 0

    def start(self, reading: bool) -> bool:
        if not reading:
            self.heard.append([])
        return True

    def write(self, byte: int) -> bool:
        self.heard[-1].append(byte)
        return True

    def read(self) -> int:
        self._next += 1
        return self._answers[(self._next - 1) % len(self._answers)]

    def stop(self) -> None:
        pass
