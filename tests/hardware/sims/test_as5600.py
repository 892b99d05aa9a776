from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.as5600 import As5600Twin
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.wire import TwinError
from tests.hardware.sims.rig import Rig

AT_REST_MS = 20_000_000


class Fixture:
    """An encoder alone on a wire; `counts`: the magnet's angle."""

    def __init__(self, counts: float = 0x0ABC, conf_factory_bits: int = 0) -> None:
        self.rig = Rig()
        self.counts = counts
        self.chip = As5600Twin(self.rig.clock, lambda _: self.counts, conf_factory_bits=conf_factory_bits)
        self.rig.wire.trunk.hang(self.chip)

    def ask(self, register: int, length: int = 2) -> bytes:
        return self.rig.ask(0x36, register, length)

    def sticky(self, length: int = 2) -> bytes:
        return self.rig.read(0x36, length)


def test_raw_angle_is_two_bytes_high_first() -> None:
    assert Fixture(0x0ABC).ask(0x0C) == b"\x0a\xbc"


@settings(deadline=None)
@given(st.floats(-1e6, 1e6))
def test_raw_angle_wraps_any_angle_to_12_bits(counts: float) -> None:
    assert int.from_bytes(Fixture(counts).ask(0x0C), "big") == round(counts) % 4096


def test_a_sticky_pointer_repeats_without_a_new_one() -> None:
    f = Fixture(0x0123)
    assert f.ask(0x0C) == b"\x01\x23"
    f.counts = 0x0456
    assert f.sticky() == b"\x04\x56"
    assert f.sticky(1) == b"\x04"
    assert f.sticky(1) == b"\x04", "a read of one byte leaves the pointer at the high byte"
    assert f.sticky(4) == b"\x04\x56\x04\x56"


@pytest.mark.parametrize(("register", "answer"), [(0x0C, b"\x01\x23"), (0x0E, b"\x01\x23"), (0x1B, b"\x08\x66")])
def test_the_three_sticky_registers(register: int, answer: bytes) -> None:
    f = Fixture(0x0123)
    assert [f.ask(register), f.sticky(), f.sticky()] == [answer] * 3


def test_status_and_angle_come_in_one_read_of_three_bytes() -> None:
    f = Fixture(0x0123)
    assert f.ask(0x0B, 3) == b"\x20\x01\x23"
    assert f.chip.pointer == 0x0E, "this pointer was not set to a high byte: it went on"


def test_other_registers_advance_the_pointer() -> None:
    f = Fixture()
    assert f.ask(0x07, 1) == b"\x00"
    assert f.chip.pointer == 0x08
    f.sticky(1)
    assert f.chip.pointer == 0x09


def test_single_byte_reads_tear() -> None:
    f = Fixture(0x01FF)
    high = f.ask(0x0C, 1)
    f.counts = 0x0200
    assert high + f.ask(0x0D, 1) == b"\x01\x00", "255 counts away from both"


def test_one_transaction_does_not_tear() -> None:
    rig = Rig()
    chip = As5600Twin(rig.clock, lambda t_ns: 0x01FF if t_ns < 300_000 else 0x0200)
    rig.wire.trunk.hang(chip)
    assert rig.ask(0x36, 0x0C, 2) == b"\x01\xff", "the high byte is taken at 290 us, the low one sent at 380 us"


def test_the_angle_is_the_one_at_the_bit() -> None:
    rig = Rig()
    asked: list[int] = []
    chip = As5600Twin(rig.clock, lambda t_ns: asked.append(t_ns) or 7.0)  # type: ignore[func-returns-value]
    rig.wire.trunk.hang(chip)
    rig.ask(0x36, 0x0C, 2)
    assert asked == [290_000]


def test_settings_are_written_and_read_back() -> None:
    f = Fixture()
    f.rig.write(0x36, 0x07, 0x02, 0x04)
    assert f.ask(0x07) == b"\x02\x04"
    assert f.chip.conf == 0x0204
    assert not f.chip.blank_bits_changed


def test_factory_bits_of_conf_are_noticed_when_overwritten() -> None:
    f = Fixture(conf_factory_bits=0x80)
    assert f.ask(0x07) == b"\x80\x00"
    f.rig.write(0x36, 0x07, 0x82, 0x04)
    assert not f.chip.blank_bits_changed
    f.rig.write(0x36, 0x07, 0x02, 0x04)
    assert f.chip.blank_bits_changed


def test_a_replugged_chip_has_forgotten_pointer_and_settings() -> None:
    f = Fixture(0x0ABC)
    f.rig.write(0x36, 0x07, 0x02, 0x04)
    f.ask(0x0C)
    f.chip.unplug()
    with pytest.raises(OSError, match="Remote I/O"):
        f.sticky()
    f.chip.plug_in()
    assert f.sticky() == b"\x00\x00", "ZMCO and ZPOS, which look like an angle near 0"
    assert f.chip.pointer == 2
    assert f.ask(0x07) == b"\x00\x00"


def test_trusting_the_old_pointer_runs_through_the_settings_without_an_error() -> None:
    f = Fixture(0x0ABC)
    f.ask(0x0C)
    f.chip.plug_in()
    f.rig.clock.sleep_until(AT_REST_MS)
    assert b"".join(f.sticky() for _ in range(7)) == bytes(11) + b"\x20" + b"\x0a\xbc"


def test_there_is_no_angle_in_the_first_ten_milliseconds() -> None:
    f = Fixture(0x0ABC)
    f.chip.plug_in()
    assert f.ask(0x0B, 3) == b"\x00\x00\x00"
    f.rig.clock.sleep_until(AT_REST_MS)
    assert f.ask(0x0B, 3) == b"\x20\x0a\xbc"


def test_a_chip_that_loses_power_in_a_transfer_releases_the_line() -> None:
    f = Fixture(0x0000)
    f.rig.clock.at(300_000, f.chip.unplug)
    assert f.ask(0x0C, 2) == b"\x00\xff"


@pytest.mark.parametrize(
    ("field", "status", "gain", "magnitude"),
    [
        (MagnetField.GOOD, 0x20, 64, 2150),
        (MagnetField.WEAK, 0x30, 128, 640),
        (MagnetField.STRONG, 0x28, 0, 3900),
        (MagnetField.MISSING, 0x10, 128, 24),
    ],
)
def test_the_magnet_in_registers(field: MagnetField, status: int, gain: int, magnitude: int) -> None:
    f = Fixture()
    f.chip.field = field
    assert f.ask(0x0B, 1) == bytes([status])
    assert f.ask(0x1A, 1) == bytes([gain])
    assert f.ask(0x1B) == magnitude.to_bytes(2, "big")


def test_without_a_magnet_the_angle_is_garbage_that_looks_like_angles() -> None:
    f = Fixture(1000)
    f.chip.field = MagnetField.MISSING
    seen = {f.ask(0x0C) for _ in range(20)}
    assert len(seen) > 10
    assert all(int.from_bytes(raw, "big") < 4096 for raw in seen)
    f.chip.field = MagnetField.GOOD
    assert f.ask(0x0C) == (1000).to_bytes(2, "big")


def test_faults_that_happen_once() -> None:
    f = Fixture(1000)
    f.ask(0x0C)
    f.chip.spike_once(-569)
    assert [int.from_bytes(f.sticky(), "big") for _ in range(2)] == [431, 1000]
    f.counts = 1500
    f.chip.repeat_once()
    assert [int.from_bytes(f.sticky(), "big") for _ in range(2)] == [1000, 1500]
    f.chip.nack_once()
    with pytest.raises(OSError, match="Remote I/O"):
        f.sticky()
    f.chip.glitch_once()
    with pytest.raises(OSError, match="Input/output error"):
        f.sticky()
    assert f.sticky() == (1500).to_bytes(2, "big")


def test_a_fault_that_strikes_in_the_middle_of_a_read_is_kept_for_the_next_one() -> None:
    f = Fixture(1000)
    f.chip.spike_once(5)
    f.rig.clock.at(300_000, f.chip.nack_once)  # STATUS is on its way, RAW ANGLE is taken at 380 us
    assert f.ask(0x0B, 3) == b"\x20" + (1005).to_bytes(2, "big")
    with pytest.raises(OSError, match="Remote I/O"):
        f.ask(0x0C)
    assert f.ask(0x0C) == (1000).to_bytes(2, "big")


def test_burning_is_noted() -> None:
    f = Fixture()
    assert f.chip.burn_commands == []
    f.rig.write(0x36, 0xFF, 0x80)
    f.rig.write(0x36, 0xFF, 0x40)
    assert f.chip.burn_commands == [0x80, 0x40]


@pytest.mark.parametrize("register", [0x09, 0x0A, 0x10, 0x19, 0x1D, 0x20, 0xFE])
def test_a_register_without_a_name_raises(register: int) -> None:
    with pytest.raises(TwinError, match=f"^AS5600: the datasheet names no register 0x{register:02X}$"):
        Fixture().ask(register)


@pytest.mark.parametrize("register", [0x00, 0x0B, 0x0C, 0x1A])
def test_a_read_only_register_raises(register: int) -> None:
    with pytest.raises(TwinError, match=f"^AS5600: register 0x{register:02X} cannot be written$"):
        Fixture().rig.write(0x36, register, 0x00)


def angle(f: Fixture) -> int:
    return int.from_bytes(f.ask(0x0E), "big")


def test_angle_lags_ten_lsb_at_the_wrap_and_raw_does_not() -> None:
    f = Fixture(4090)
    assert angle(f) == 4090
    for counts, seen in (
        (4098, 4095),
        (4096 + 9, 4095),
        (4096 + 10, 10),
        (4096 + 2, 2),
        (4090, 0),
        (4086, 0),
        (4085, 4085),
    ):
        f.counts = counts
        assert angle(f) == seen, counts
        assert int.from_bytes(f.ask(0x0C), "big") == counts % 4096


def test_angle_follows_zero_and_span_and_raw_does_not() -> None:
    f = Fixture(1000)
    f.rig.write(0x36, 0x01, 0x03, 0xE8)
    assert angle(f) == 0
    assert f.ask(0x0C) == b"\x03\xe8"
    f.rig.write(0x36, 0x05, 0x04, 0x00)  # MANG: a quarter turn is the whole range
    f.counts = 1000 + 512
    assert angle(f) == 2047
    f.counts = 1000 + 1100
    assert angle(f) == 4095
    f.counts = 990
    assert angle(f) == 0


@settings(deadline=None)
@given(st.lists(st.sampled_from(["sticky", "ask", "burst", "status"]), max_size=12))
def test_any_order_of_reads_gives_the_same_angle(order: list[str]) -> None:
    f = Fixture(0x0ABC)
    f.ask(0x0C)
    for look in order:
        if look == "ask":
            assert f.ask(0x0C) == b"\x0a\xbc"
        elif look == "burst":
            assert f.ask(0x0B, 3) == b"\x20\x0a\xbc"
            f.ask(0x0C)
        elif look == "status":
            assert f.ask(0x0B, 1) == b"\x20"
            f.ask(0x0C, 1)
        else:
            assert f.sticky() == b"\x0a\xbc"
