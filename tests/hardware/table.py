"""Shared by these tests: a table of twins with the real bus, drivers and scan above them."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading, Sample
from hardware.scan import Scan, ScanDial, SliceSource
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire

PER_MUX = 8


class Table:
    """`dials` encoders, eight per mux from 0x70 on (or all alone on the trunk), at `raws` counts."""

    def __init__(
        self,
        dials: int,
        kind: str = "bcm2835",
        speed_hz: int = 100_000,
        *,
        muxed: bool = True,
        reset: bool = True,
        screens: Sequence[SliceSource] = (),
    ) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock, speed_hz)
        self.adapter = SimAdapter(self.wire, self.clock, kind)
        self.bus = LinuxBus(self.adapter)
        self.raws: list[float] = [1000.0 + 100 * n for n in range(dials)]
        self.twins: list[As5600Twin] = []
        self.mux_twins: list[Tca9548aTwin] = []
        self.muxes: list[Tca9548a] = []
        self.chips: list[As5600] = []
        for n in range(dials):
            self._hang(n, muxed, reset)
        self.scan = Scan(
            "/dev/i2c-1", [ScanDial(f"T{n:02}", chip) for n, chip in enumerate(self.chips)], self.clock, screens
        )

    def _hang(self, n: int, muxed: bool, reset: bool) -> None:
        twin = As5600Twin(self.clock, lambda _ns: self.raws[n])
        self.twins.append(twin)
        if not muxed:
            self.wire.trunk.hang(twin)
            self.chips.append(As5600(self.bus))
            return
        number, channel = divmod(n, PER_MUX)
        if channel == 0:
            self.mux_twins.append(Tca9548aTwin(0x70 + number))
            self.wire.trunk.hang(self.mux_twins[-1])
            self.muxes.append(Tca9548a(self.bus, 0x70 + number, self.mux_twins[-1].reset if reset else None))
        self.mux_twins[number].channels[channel].hang(twin)
        self.chips.append(As5600(self.muxes[number].channel(channel)))

    def settled(self) -> Table:
        """Scan until every dial reads and was read in full once, and a few times more."""
        self.scan_until_all_read()
        while not self.scan.settled:
            self.scan.scan()
        for _ in range(4):
            self.scan.scan()
        return self

    def scan_until_all_read(self, most_ms: int = 10_000) -> None:
        """Fail if some dial still does not read after so long."""
        until_ns = self.clock.now_ns() + most_ms * 1_000_000
        while not all(isinstance(sample, Reading) for sample in self.scan.scan()):
            assert self.clock.now_ns() < until_ns, [s for s in self.scan.scan() if not isinstance(s, Reading)]

    def cost_of_scan(self) -> tuple[int, Sequence[Sample]]:
        """Bits on the wire of one scan, and its samples."""
        before = self.wire.bits
        samples = self.scan.scan()
        return self.wire.bits - before, samples
