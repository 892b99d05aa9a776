"""The bus of `pi_app.workshop.bench.hands`: twins under the real scan, or only the pace of such a bus.

Twins answer at the level of START, bytes and STOP, which is exact and slow. For a million turns the pace is enough: the
time of a scan is measured on the twins once, the time that moving dials add follows from the bits of their reads, and
each dial in use is sampled at its own share of that time. Noise, eccentricity and counts are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hardware.bus import wire_bits
from hardware.bus_linux import LinuxBus
from hardware.chips.dial_chip import ReadMode
from hardware.chips.tca9548a import Tca9548a
from hardware.encoders import ENCODERS, STEPS_PER_TURN, EncoderPlace
from hardware.readings import DialSource, Proof, Reading, Sample
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import TwinPlace
from hardware.sims.encoders import encoder_twin
from hardware.sims.hand import COUNTS_PER_TURN
from hardware.sims.tca9548a import CHANNELS, Tca9548aTwin
from hardware.sims.wire import SimWire
from hardware.verification import FAR_TURN, FULL_AFTER_NS, FULL_AGAIN_NS, FULLS_AFTER_A_MOVE

CALL_COST_NS: Final = 80_000
"""The time of a kernel call beside its bits: the middle of what is planned for a Pi."""

HUB: Final = "hub"
"""AS5600s on a hub, in place of an encoder on the Pi's own bus."""

FIRST_MUX: Final = 0x70
SCREEN_SLICE_BITS: Final = 308

Angle = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Rig:
    """One kind of hand on one kind of encoder and bus."""

    hand: str
    chip: str
    speed_hz: int
    dials: int
    screens: bool

    @property
    def column(self) -> str:
        """The encoder and the wire, as a table's heading."""
        return f"{self.chip} {self.speed_hz // 1000} kHz"


@dataclass(slots=True)
class TurnedDial:
    """One dial: the angles of its magnet and of its shaft, in counts of 4096."""

    name: str
    magnet: Angle
    shaft: Angle
    last: int | None = None
    full_ns: list[int] = field(default_factory=list)


class EndlessScreen:
    """A screen that always has another slice to send."""

    def __init__(self, clock: VirtualClock, speed_hz: int) -> None:
        self._clock, self._cost_ns = clock, SCREEN_SLICE_BITS * 1_000_000_000 // speed_hz

    def waiting(self) -> bool:
        return True

    def send_slice(self) -> None:
        self._clock.advance(self._cost_ns)

    def slice_cost_ns(self) -> int:
        return self._cost_ns


def twins(rig: Rig, clock: VirtualClock, dials: Sequence[TurnedDial]) -> Scan:
    """Build the real scan and drivers above twins."""
    kind, wire = ENCODERS[rig.chip], SimWire(clock, rig.speed_hz)
    bus = LinuxBus(SimAdapter(wire, clock, "bcm2835", call_cost_ns=CALL_COST_NS), timeout_ms=20)
    scanned: list[ScanDial] = []
    for first in range(0, len(dials), CHANNELS):
        twin = Tca9548aTwin(FIRST_MUX + first // CHANNELS)
        wire.trunk.hang(twin)
        mux = Tca9548a(bus, twin.address)
        for channel, dial in enumerate(dials[first : first + CHANNELS]):
            place = TwinPlace(clock, dial.magnet, dial.shaft, kind.address)
            twin.channels[channel].hang(encoder_twin(rig.chip, place))
            scanned.append(ScanDial(dial.name, kind.driver(EncoderPlace(mux.channel(channel), kind.address))))
    return Scan("dials", scanned, clock, screens=[EndlessScreen(clock, rig.speed_hz)] if rig.screens else [])


@functools.cache
def calm_scan_ns(chip: str, speed_hz: int, dials: int) -> int:
    """Measure a scan of so many dials at rest on twins."""
    clock = VirtualClock()
    still = [TurnedDial(f"T{n:02}", lambda _: 100.0, lambda _: 100.0) for n in range(dials)]
    scan = twins(Rig("", chip, speed_hz, dials, screens=False), clock, still)
    while not scan.settled:
        scan.scan()
    began_ns = clock.now_ns()
    for _ in range(50):
        scan.scan()
    return (clock.now_ns() - began_ns) // 50


class Paced:
    """A source of samples at the pace of such a scan. The rig's other dials rest, and only take their time."""

    def __init__(self, rig: Rig, clock: VirtualClock, dials: Sequence[TurnedDial]) -> None:
        kind = ENCODERS[rig.chip]
        self._clock, self._dials, self._counts = clock, dials, kind.counts_per_turn
        self._in_steps, self._screens = not kind.absolute, rig.screens
        self._calm_ns = calm_scan_ns(rig.chip, rig.speed_hz, rig.dials)
        bus = LinuxBus(SimAdapter(SimWire(clock, rig.speed_hz), clock, "bcm2835"))
        chip = kind.driver(EncoderPlace(bus, kind.address))
        bits = {mode: sum(map(wire_bits, chip.transactions(mode))) for mode in (ReadMode.QUICK, ReadMode.VERIFIED)}
        calls = len(chip.transactions(ReadMode.VERIFIED)) - len(chip.transactions(ReadMode.QUICK)) + 2
        self._far_ns = (
            bits[ReadMode.VERIFIED] - bits[ReadMode.QUICK]
        ) * 1_000_000_000 // rig.speed_hz + calls * CALL_COST_NS
        self._moving = 0

    @property
    def dials(self) -> Sequence[str]:
        return [dial.name for dial in self._dials]

    @property
    def calm(self) -> bool:
        return not self._moving

    def scan(self) -> Sequence[Sample]:
        began_ns = self._clock.now_ns()
        takes_ns, each = self._calm_ns + self._moving * self._far_ns, len(self._dials)
        self._moving = 0
        samples = [self._sample(dial, began_ns + takes_ns * (n + 1) // each) for n, dial in enumerate(self._dials)]
        self._clock.sleep_until(began_ns + takes_ns)
        return samples

    def _sample(self, dial: TurnedDial, at_ns: int) -> Reading:
        raw = self._raw(dial, at_ns)
        turn, last = self._counts, raw if dial.last is None else dial.last
        if abs((raw - last + turn // 2) % turn - turn // 2) > turn * FAR_TURN:
            self._moving += 1
            dial.full_ns = [at_ns + FULL_AFTER_NS + n * FULL_AGAIN_NS for n in range(FULLS_AFTER_A_MOVE)]
        dial.last = raw
        if dial.full_ns and dial.full_ns[0] <= at_ns:
            del dial.full_ns[0]
            return Reading(raw, at_ns, proof=Proof(None, None))
        return Reading(raw, at_ns)

    def _raw(self, dial: TurnedDial, at_ns: int) -> int:
        if self._in_steps:
            steps = round(dial.shaft(at_ns) * STEPS_PER_TURN / COUNTS_PER_TURN) % STEPS_PER_TURN
            return steps * (self._counts // STEPS_PER_TURN)
        return round(dial.magnet(at_ns) * self._counts / COUNTS_PER_TURN) % self._counts

    def use_gap(self, until_ns: int) -> None:
        if self._screens:
            self._clock.sleep_until(until_ns)


def source(rig: Rig, clock: VirtualClock, dials: Sequence[TurnedDial], *, wired: bool) -> DialSource:
    """Return the source of a rig's samples: twins, or their pace."""
    return twins(rig, clock, dials) if wired else Paced(rig, clock, dials)
