"""Every kind of encoder with its twin, on one bus, behind one door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.bus import Bus
from hardware.bus_linux import LinuxBus
from hardware.chips.dial_chip import Complaint, DialChip, ReadMode, read_once, start_up
from hardware.encoders import ENCODERS, EncoderKind, EncoderPlace
from hardware.readings import Reading
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import EncoderTwin, TwinPlace
from hardware.sims.encoders import encoder_twin
from hardware.sims.wire import SimWire

Angle = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its name in `hardware.encoders`, and how many bytes ask it for something."""

    name: str
    register_bytes: int = 1

    @property
    def listed(self) -> EncoderKind:
        return ENCODERS[self.name]

    @property
    def address(self) -> int:
        """The address that it has here: the one after its usual one, if it can have several."""
        above = (address for address in self.listed.addresses if address > self.listed.address)
        return next(above, self.listed.address)

    def chip(self, bus: Bus) -> DialChip:
        """Its driver on a bus."""
        return self.listed.driver(EncoderPlace(bus, self.address))

    def twin(self, clock: VirtualClock, angle: Angle) -> EncoderTwin:
        return encoder_twin(self.name, TwinPlace(clock, angle, angle, self.address))


KINDS = tuple(Kind(name, register_bytes=2 if name == "seesaw" else 1) for name in ENCODERS)


def still(turned: float) -> Angle:
    """A dial that stands."""
    return lambda _ns: turned


class Rig:
    """One twin and one driver on a bus of their own; `turned` is where the dial stands, in 4096ths of a turn."""

    def __init__(self, kind: Kind, turned: float = 1234) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.turned = turned
        self.twin = kind.twin(self.clock, lambda _ns: self.turned)
        self.wire.trunk.hang(self.twin)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.chip = kind.chip(self.bus)
        self.clock.advance(50_000_000)

    def started(self) -> Rig:
        start_up(self.chip, self.clock)
        return self

    def read(self, read: ReadMode | None = None) -> Reading | Complaint | None:
        """What this look gives, or the one that is due."""
        due = read or self.chip.due
        return self.chip.decode(due, read_once(self.chip, due, self.clock), self.clock.now_ns())

    def accepted(self) -> Reading | Complaint:
        """What a scan would hand up: in doubt it looks again at once, proven."""
        verdict = self.read() or self.read(ReadMode.VERIFIED)
        assert verdict is not None
        return verdict

    def reads(self) -> int:
        verdict = self.accepted()
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
