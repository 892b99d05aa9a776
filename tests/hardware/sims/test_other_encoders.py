"""The other encoders' twins, byte by byte from their datasheets."""

from __future__ import annotations

import pytest

from hardware.sims.as5048b import As5048bTwin
from hardware.sims.as5600l import As5600LTwin
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.wire import TwinError
from tests.contract.encoders import still
from tests.hardware.sims.rig import Rig


def test_mt6701_angle() -> None:
    rig = Rig()
    twin = Mt6701Twin(rig.clock, lambda _ns: 2048.25)
    rig.wire.trunk.hang(twin)
    assert rig.ask(0x06, 0x03, 2) == b"\x80\x04", "8193 = 0x80 << 6 | 0x01"
    assert rig.ask(0x06, 0x30, 2) == b"\x03\xff"
    rig.write(0x06, 0x0A, 0x05)
    assert twin.burn_commands == [0x05]


def test_mt6701_low_byte_alone_belongs_to_another_measurement() -> None:
    rig = Rig()
    at = [1000.0]
    rig.wire.trunk.hang(Mt6701Twin(rig.clock, lambda _ns: at[0]))
    high = rig.ask(0x06, 0x03, 1)
    at[0] = 1001.0
    low = rig.ask(0x06, 0x04, 1)
    assert (high[0] << 6 | low[0] >> 2) == 4004
    assert rig.ask(0x06, 0x03, 2) == bytes((4004 >> 6, (4004 & 0x3F) << 2))


def test_as5048b_registers() -> None:
    rig = Rig()
    twin = As5048bTwin(rig.clock, lambda _ns: 2048.25, address=0x41)
    rig.wire.trunk.hang(twin)
    assert rig.ask(0x41, 0xFA, 6) == b"\x80\x01\x3e\x20\x80\x01", "gain, OCF, magnitude 4000, angle 8193"
    twin.field = MagnetField.MISSING
    assert rig.ask(0x41, 0xFB, 1) == b"\x0b"
    twin.plug_in()
    assert rig.ask(0x41, 0xFB, 1) == b"\x0a", "no OCF while it starts"
    rig.write(0x41, 0x03, 0x08)
    assert twin.burn_commands == [0x08]
    with pytest.raises(ValueError, match="from 0x40 to 0x43, not 0x44"):
        As5048bTwin(rig.clock, lambda _ns: 0.0, address=0x44)


def test_as5600l_moves_on_command_and_forgets_without_power() -> None:
    rig = Rig()
    twin = As5600LTwin(rig.clock, lambda _ns: 0x0ABC)
    rig.wire.trunk.hang(twin)
    rig.write(0x40, 0x20, 0x82)
    assert rig.ask(0x40, 0x0C, 2) == b"\x0a\xbc", "nothing has changed yet"
    rig.write(0x40, 0x21, 0x82)
    assert rig.ask(0x41, 0x0C, 2) == b"\x0a\xbc"
    with pytest.raises(OSError, match="121"):
        rig.read(0x40, 1)
    twin.unplug()
    twin.plug_in()
    assert rig.ask(0x40, 0x20, 1) == b"\x80"
    with pytest.raises(OSError, match="121"):
        rig.read(0x41, 1)
    assert twin.burn_commands == []


def test_two_as5600l_at_0x40_answer_together() -> None:
    rig = Rig()
    for counts in (0x0F0, 0x3C0):
        rig.wire.trunk.hang(As5600LTwin(rig.clock, still(counts)))
    assert rig.ask(0x40, 0x0C, 2) == b"\x00\xc0"
    rig.write(0x40, 0x20, 0x82)
    rig.write(0x40, 0x21, 0x82)
    assert rig.ask(0x41, 0x0C, 2) == b"\x00\xc0", "both have moved"


@pytest.mark.parametrize("register", [0x00, 0x05, 0xFF])
def test_registers_without_a_name(register: int) -> None:
    rig = Rig()
    rig.wire.trunk.hang(Mt6701Twin(rig.clock, lambda _ns: 0.0))
    with pytest.raises(TwinError, match=f"MT6701: the datasheet names no register 0x{register:02X}"):
        rig.write(0x06, register)
