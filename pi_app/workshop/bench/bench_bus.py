"""A simulated bus of AS5600 dials and screens behind muxes, and the limit of its wire."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.clock import Clock
from hardware.scan import Scan, ScanDial
from hardware.screens import FRAME_BYTES, Screen
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.ssd1306 import Ssd1306Twin
from hardware.sims.table import Tile, tiles_on_mux
from hardware.sims.wire import BusSegment, SimWire

SCREENS: Final = 4
PER_MUX: Final = 8
FIRST_MUX: Final = 0x70
SCREEN_ADDRESS: Final = 0x3C
RESTS_AT: Final = 5
"""The detent at which the dials rest: any but 0, which is a case of its own (`BusSetup.at_zero`)."""

WAKING_NS: Final = 30_000_000_000


@dataclass(frozen=True, slots=True)
class BusSetup:
    """One simulated bus to scan. `screens` hang on it and are redrawn all the time. `at_zero`: every dial rests at the
    angle that an encoder with a lost register pointer would give, so that no read may be the cheapest one."""

    dials: int
    speed_hz: int
    screens: int = SCREENS
    adapter: str = "bcm2835"
    call_cost_ns: int = 0
    at_zero: bool = False

    @property
    def name(self) -> str:
        """The setup in words, for a figure."""
        dials = "1 dial" if self.dials == 1 else f"{self.dials} dials"
        screens = f"{self.screens} screens on the same bus" if self.screens else "screens on a bus of their own"
        cost = f", {self.adapter}, {self.call_cost_ns // 1000} us per call" if self.call_cost_ns else ""
        zero = ", all at raw zero" if self.at_zero else ""
        return f"{dials}, {self.speed_hz // 1000} kHz, {screens}{cost}{zero}"


class BenchBus:
    """Dials behind muxes on a simulated wire, with screens behind channels of the first mux."""

    def __init__(self, setup: BusSetup, seed: int = 7) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, setup.speed_hz)
        bus = LinuxBus(SimAdapter(self.wire, self.clock, setup.adapter, setup.call_cost_ns))
        self._draw = random.Random(f"screens {seed}")
        dials: list[ScanDial] = []
        self._screens: list[RedrawnScreen] = []
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

    def _hang_screens(self, mux: Tca9548a, channels: Sequence[BusSegment], setup: BusSetup) -> None:
        for number in range(setup.screens):
            channels[number].hang(Ssd1306Twin(SCREEN_ADDRESS))
            screen = Screen(mux.channel(number), "ssd1306", SCREEN_ADDRESS, clock=self.clock, speed_hz=setup.speed_hz)
            self._screens.append(RedrawnScreen(screen, self.clock, self._draw))

    def wake(self) -> None:
        """Scan until every dial is identified and read: many dials on a slow wire take a second or two."""
        while not self.scan.settled:
            self.scan.scan()
            if self.clock.now_ns() > WAKING_NS:
                raise RuntimeError("a simulated dial cannot be read, which must not happen on a sound wire")

    def flat_out(self, seconds: float) -> int:
        """Scan without a pause for so long; return the number of whole scans."""
        until_ns = self.clock.now_ns() + round(seconds * 1e9)
        scans = 0
        while self.clock.now_ns() < until_ns:
            self.scan.scan()
            scans += 1
            self.scan.use_gap(self.clock.now_ns())
        return scans

    @property
    def screens_ns(self) -> int:
        """The time that the screens have taken so far."""
        return sum(screen.spent_ns for screen in self._screens)

    @property
    def limit_ns(self) -> int:
        """The least time for one scan: its cheapest bits, and the bus-free time after each STOP."""
        scan, wire = self.scan, self.wire
        return scan.wire_bits_per_scan() * wire.bit_ns + scan.transactions_per_scan() * wire.bus_free_ns


class RedrawnScreen:
    """A screen that gets another random picture as soon as the last one is out, and counts its time."""

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
