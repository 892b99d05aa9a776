"""AS5600, AS5600L and MT6701 on one mux channel: one selection, three dials, and none of them confused."""

from __future__ import annotations

import pytest

from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import As5600
from hardware.chips.as5600l import As5600L
from hardware.chips.mt6701 import Mt6701
from hardware.chips.tca9548a import Tca9548a
from hardware.readings import Reading, Sample, Trouble
from hardware.scan import Scan, ScanDial
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.as5600l import As5600LTwin
from hardware.sims.clock import VirtualClock
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire
from tests.contract.encoders import still

CHANNELS = (0, 3)


class Mixed:
    """Two channels with three dials each: at 100, 200, 300 and at 400, 500, 600 4096ths of a turn."""

    def __init__(self, kind: str = "bcm2835") -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock, kind))
        mux_twin = Tca9548aTwin(0x70)
        self.wire.trunk.hang(mux_twin)
        mux = Tca9548a(self.bus, 0x70, mux_twin.reset)
        self.twins: list[As5600Twin | Mt6701Twin] = []
        dials: list[ScanDial] = []
        for channel in CHANNELS:
            bus = mux.channel(channel)
            for make, chip in ((As5600Twin, As5600(bus)), (As5600LTwin, As5600L(bus, 0x41)), (Mt6701Twin, Mt6701(bus))):
                n = len(self.twins) + 1
                self.twins.append(make(self.clock, still(100.0 * n)))
                mux_twin.channels[channel].hang(self.twins[-1])
                dials.append(ScanDial(f"T{n:02}", chip))
        self.scan = Scan("/dev/i2c-1", dials, self.clock)

    def until_read(self) -> list[Sample]:
        until_ns = self.clock.now_ns() + 1_000_000_000
        samples = list(self.scan.scan())
        while None in raws(samples):
            assert self.clock.now_ns() < until_ns, samples
            samples = list(self.scan.scan())
        return samples


def raws(samples: list[Sample]) -> list[int | None]:
    return [sample.raw if isinstance(sample, Reading) else None for sample in samples]


STANDS = [100, 200, 1200, 400, 500, 2400]


@pytest.mark.parametrize("kind", CONTROLLERS)
def test_every_dial_gives_its_own_angle(kind: str) -> None:
    mixed = Mixed(kind)
    assert raws(mixed.until_read()) == STANDS
    for _ in range(50):
        assert raws(list(mixed.scan.scan())) == STANDS


def test_a_channel_is_selected_once_for_its_three_dials() -> None:
    mixed = Mixed()
    mixed.until_read()
    assert mixed.scan.wire_bits_per_scan() == 2 * 20 + 2 * (29 + 29 + 48)
    for _ in range(10):
        mixed.scan.scan()
    before = mixed.wire.bits
    mixed.scan.scan()
    assert mixed.wire.bits - before <= 1.05 * mixed.scan.wire_bits_per_scan() + 200


@pytest.mark.parametrize("lost", range(6))
def test_an_unplugged_dial_costs_its_neighbours_nothing(lost: int) -> None:
    mixed = Mixed()
    mixed.until_read()
    mixed.twins[lost].unplug()
    for _ in range(30):
        samples = list(mixed.scan.scan())
        assert [raw for n, raw in enumerate(raws(samples)) if n != lost] == [*STANDS[:lost], *STANDS[lost + 1 :]]
    assert isinstance(samples[lost], Trouble)
    mixed.twins[lost].plug_in()
    assert raws(mixed.until_read()) == STANDS


def test_after_a_power_cut_every_dial_returns_with_its_own_angle() -> None:
    mixed = Mixed()
    mixed.until_read()
    for twin in mixed.twins:
        twin.plug_in()
    for _ in range(400):
        for raw, stands in zip(raws(list(mixed.scan.scan())), STANDS, strict=True):
            assert raw in (None, stands)
    assert raws(mixed.until_read()) == STANDS
