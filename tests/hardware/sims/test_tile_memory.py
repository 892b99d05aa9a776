"""The memory's twin, byte by byte against the datasheets (Microchip DS20005202A, DS20002124H)."""

from __future__ import annotations

import pytest

from hardware.sims.clock import VirtualClock
from hardware.sims.tile_memory import TileMemoryTwin
from hardware.sims.wire import SimWire, TransferGlitch


class Rig:
    def __init__(self, kind: str = "24aa02uid") -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.twin = TileMemoryTwin(self.clock, kind)
        self.twin.hang_on(self.wire.trunk)

    def write(self, *data: int, address: int = 0x50, stop: bool = True) -> list[bool]:
        acks = [self.wire.start(address, False)]
        acks += [self.wire.write(byte) for byte in data] if acks[0] else []
        if stop:
            self.wire.stop()
        return acks

    def read(self, count: int, address: int = 0x50) -> list[int]:
        assert self.wire.start(address, True)
        got = [self.wire.read() for _ in range(count)]
        self.wire.stop()
        return got

    def wait(self) -> None:
        self.clock.advance(5_000_000)


def test_a_byte_is_written_at_the_stop_and_takes_its_time() -> None:
    rig = Rig()
    assert rig.write(0x10, 0xAB) == [True, True, True]
    assert rig.write(0x10) == [False]
    rig.clock.advance(4_000_000)
    assert rig.write(0x10) == [False]
    rig.clock.advance(1_000_000)
    assert rig.write(0x10, stop=False) == [True, True]
    assert rig.read(2) == [0xAB, 0xFF]


@pytest.mark.parametrize(("kind", "page"), [("24aa02uid", 8), ("24aa025e48", 16)])
def test_a_page_wraps_to_its_own_beginning(kind: str, page: int) -> None:
    rig = Rig(kind)
    rig.write(0x20 + page - 1, 1, 2)
    rig.wait()
    assert (rig.twin.bytes[0x20 + page - 1], rig.twin.bytes[0x20], rig.twin.bytes[0x20 + page]) == (1, 2, 0xFF)


def test_the_upper_half_is_acknowledged_and_stays() -> None:
    rig = Rig()
    assert rig.write(0xFC, 0) == [True, True, True]
    assert rig.twin.writes == 0
    rig.write(0xFA, stop=False)
    assert rig.read(8) == [0x29, 0x41, 0x12, 0x34, 0x56, 0x78, 0xFF, 0xFF]  # and on from 0x00


def test_without_a_stop_nothing_is_written() -> None:
    rig = Rig()
    rig.write(0x00, 1, 2, stop=False)
    rig.write(0x00, stop=False)
    assert rig.read(2) == [0xFF, 0xFF]


def test_only_the_one_without_address_pins_answers_everywhere() -> None:
    assert [Rig().wire.start(address, True) for address in range(0x4F, 0x59)] == [False, *[True] * 8, False]
    assert [Rig("24aa025e48").wire.start(address, True) for address in (0x50, 0x51)] == [True, False]


def test_power_lost_in_a_write_leaves_half_of_it() -> None:
    rig = Rig()
    rig.write(0x00, 1, 2, 3, 4)
    rig.clock.advance(1_000_000)
    rig.twin.unplug()
    assert rig.write(0x00) == [False]
    rig.twin.plug_in()
    assert list(rig.twin.bytes[:5]) == [1, 2, 0xFF, 0xFF, 0xFF]


def test_a_write_that_is_over_survives_the_plug() -> None:
    rig = Rig()
    rig.write(0x00, 1, 2)
    rig.wait()
    rig.twin.unplug()
    rig.twin.plug_in()
    assert list(rig.twin.bytes[:2]) == [1, 2]


def test_a_glitch() -> None:
    rig = Rig()
    rig.twin.glitch_once()
    with pytest.raises(TransferGlitch):
        rig.wire.start(0x50, False)
    assert rig.wire.start(0x50, False)
