from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.tca9548a import Tca9548aTwin
from tests.hardware.sims.rig import Echo, Rig, sent, wanted


def muxed(*answers: int, kind: str = "bcm2835") -> tuple[Rig, Tca9548aTwin]:
    rig = Rig(kind)
    mux = Tca9548aTwin()
    rig.wire.trunk.hang(mux)
    for channel, answer in enumerate(answers):
        mux.channels[channel].hang(Echo(rig.clock, 0x36, answer))
    return rig, mux


def test_nothing_is_selected_after_power_up() -> None:
    rig, mux = muxed(0x11)
    assert mux.register == 0
    assert rig.read(0x70, 1) == b"\x00"
    with pytest.raises(OSError, match="Remote I/O"):
        rig.read(0x36, 1)


def test_one_bit_joins_one_channel_and_a_new_write_replaces_it() -> None:
    rig, _ = muxed(0x11, 0x22, 0x33)
    for channel, answer in ((0, b"\x11"), (2, b"\x33"), (1, b"\x22")):
        rig.write(0x70, 1 << channel)
        assert rig.read(0x36, 1) == answer
        assert rig.read(0x70, 1) == bytes([1 << channel])


def test_it_switches_at_stop_not_at_a_repeated_start() -> None:
    rig, mux = muxed(0x11, 0x22)
    rig.write(0x70, 0x01)
    rig.call(sent(0x70, 0x02), late := wanted(0x36, 1))
    assert bytes(late.buffer) == b"\x11", "the old channel was still joined"
    assert mux.register == 0x02
    assert rig.read(0x36, 1) == b"\x22"


def test_a_control_byte_survives_a_repeated_start_to_the_mux_itself() -> None:
    rig, mux = muxed(0x11)
    assert rig.ask(0x70, 0x01, 1) == b"\x00"
    assert mux.register == 0x01


def test_the_last_of_several_bytes_wins() -> None:
    rig, mux = muxed()
    rig.write(0x70, 0x01, 0x80, 0x04)
    assert mux.register == 0x04


def test_a_write_without_a_byte_changes_nothing() -> None:
    rig, mux = muxed()
    rig.write(0x70, 0x10)
    rig.write(0x70)
    assert mux.register == 0x10


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), min_size=8, max_size=8), st.integers(1, 255))
def test_any_mask_is_the_wired_and_of_its_channels(answers: list[int], mask: int) -> None:
    rig, _ = muxed(*answers)
    rig.write(0x70, mask)
    expected = 0xFF
    for channel in range(8):
        if mask >> channel & 1:
            expected &= answers[channel]
    assert rig.read(0x36, 1) == bytes([expected])


def test_two_muxes_left_open_answer_together() -> None:
    rig, _ = muxed(0xF0)
    other = Tca9548aTwin(0x71)
    rig.wire.trunk.hang(other)
    other.channels[5].hang(Echo(rig.clock, 0x36, 0x3C))
    rig.write(0x70, 0x01)
    rig.write(0x71, 0x20)
    assert rig.read(0x36, 1) == b"\x30"
    rig.write(0x70, 0x00)
    assert rig.read(0x36, 1) == b"\x3c"


def test_a_mux_behind_a_mux() -> None:
    rig, mux = muxed()
    inner = Tca9548aTwin(0x71)
    mux.channels[3].hang(inner)
    inner.channels[7].hang(Echo(rig.clock, 0x36, 0x77))
    with pytest.raises(OSError, match="Remote I/O"):
        rig.write(0x71, 0x80)
    rig.write(0x70, 0x08)
    rig.write(0x71, 0x80)
    assert rig.read(0x36, 1) == b"\x77"
    rig.write(0x70, 0x00)
    with pytest.raises(OSError, match="Remote I/O"):
        rig.read(0x36, 1)


def test_a_hung_channel_blocks_the_mux_itself_until_reset() -> None:
    rig, mux = muxed(0x11, 0x22)
    rig.adapter.set_timeout_ms(50)
    mux.channels[1].held = True
    rig.write(0x70, 0x01)
    assert rig.read(0x36, 1) == b"\x11"
    rig.write(0x70, 0x02)
    with pytest.raises(TimeoutError):
        rig.read(0x36, 1)
    with pytest.raises(TimeoutError):
        rig.write(0x70, 0x00)
    mux.reset()
    assert mux.register == 0
    rig.write(0x70, 0x01)
    assert rig.read(0x36, 1) == b"\x11"


def test_a_mux_without_power_is_silent_and_comes_back_with_nothing_selected() -> None:
    rig, mux = muxed(0x11)
    rig.write(0x70, 0x01)
    mux.unplug()
    for address in (0x70, 0x36):
        with pytest.raises(OSError, match="Remote I/O"):
            rig.read(address, 1)
    mux.plug_in()
    assert rig.read(0x70, 1) == b"\x00"


def test_a_kept_bit_can_be_read_back() -> None:
    rig, mux = muxed(0x0F, 0x3C)
    mux.keeps = 0x02
    rig.write(0x70, 0x01)
    assert rig.read(0x70, 1) == b"\x03"
    assert rig.read(0x36, 1) == b"\x0c"


@pytest.mark.parametrize("address", [0x6F, 0x78])
def test_impossible_addresses_are_refused(address: int) -> None:
    with pytest.raises(ValueError, match=f"^a TCA9548A has an address from 0x70 to 0x77, not 0x{address:02X}$"):
        Tca9548aTwin(address)
