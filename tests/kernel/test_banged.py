"""The chips' side of two bare lines, with a controller in these tests that bit-bangs as specified."""

from __future__ import annotations

import pytest

from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import SimWire
from tests.kernel.banged import BangedWire


class Controller:
    """SDA and SCL, bit-banged (UM10204 section 3.1)."""

    def __init__(self, bus: BangedWire) -> None:
        self.bus = bus
        self.sda = self.scl = 1

    def line(self, *, sda: int | None = None, scl: int | None = None) -> None:
        self.sda, self.scl = self.sda if sda is None else sda, self.scl if scl is None else scl
        self.bus.drive(self.sda, self.scl)

    def start(self) -> None:
        self.line(sda=1)
        self.line(scl=1)
        self.line(sda=0)
        self.line(scl=0)

    def stop(self) -> None:
        self.line(sda=0)
        self.line(scl=1)
        self.line(sda=1)

    def bit(self, out: int) -> int:
        self.line(sda=out)
        self.line(scl=1)
        seen = self.sda & self.bus.answer
        self.line(scl=0)
        return seen

    def send(self, byte: int) -> bool:
        for n in range(7, -1, -1):
            self.bit(byte >> n & 1)
        return self.bit(1) == 0

    def receive(self, more: bool) -> int:
        byte = 0
        for _ in range(8):
            byte = byte << 1 | self.bit(1)
        self.bit(0 if more else 1)
        return byte


@pytest.fixture
def controller() -> Controller:
    clock = VirtualClock(1_000_000_000)
    wire = SimWire(clock)
    wire.trunk.hang(As5600Twin(clock, lambda _ns: 0x5A3))
    clock.advance(20_000_000)
    return Controller(BangedWire(wire))


def test_a_register_is_read_with_a_repeated_start(controller: Controller) -> None:
    for _ in range(2):
        controller.start()
        assert controller.send(0x36 << 1)
        assert controller.send(0x0C)
        controller.start()
        assert controller.send(0x36 << 1 | 1)
        assert [controller.receive(True), controller.receive(False)] == [0x05, 0xA3]
        controller.stop()
    assert (controller.bus.starts, controller.bus.stops, controller.bus.wire.transactions) == (4, 2, 2)


def test_without_an_acknowledge_the_line_is_free_again(controller: Controller) -> None:
    controller.start()
    assert not controller.send(0x37 << 1)
    assert controller.bus.answer == 1
    controller.stop()
    controller.bus.wire.trunk.held = True
    controller.start()
    assert not controller.send(0x36 << 1)
    controller.stop()
