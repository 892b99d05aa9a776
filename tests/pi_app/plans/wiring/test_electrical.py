"""Electrical limits: golden figures, calculated by hand from the sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.bus import Read, Write, wire_bits
from hardware.encoders import ENCODERS
from pi_app.plans.wiring import electrical
from pi_app.plans.wiring.header import PI_PULL_UP_OHM
from pi_app.settings.model import MuxSettings, ScreenSettings

OHMS = st.integers(1, 100_000)


def clash_at(address: int) -> electrical.Clash | None:
    return next((clash for clash in electrical.CLASHES if address in clash.addresses), None)


@pytest.mark.parametrize(
    ("ohm", "most_pf"),
    [
        (4700, (251, 75, 30)),
        (2200, (536, 161, 64)),
        (1800, (656, 197, 79)),
        (967, (1220, 366, 146)),
    ],
)
def test_the_longest_line_that_a_pull_up_lifts_in_time(ohm: int, most_pf: tuple[int, int, int]) -> None:
    speeds = (100_000, 400_000, 1_000_000)
    assert [round(electrical.most_pf(ohm, speed), 1) for speed in speeds] == pytest.approx(most_pf, abs=0.7)


def test_the_smallest_pull_up_is_967_ohm() -> None:
    assert round(electrical.LEAST_OHM) == 967
    volts = electrical.RAIL_V - electrical.LOW_V
    assert 1000 * volts / electrical.LEAST_OHM == pytest.approx(3)
    assert 1000 * volts / PI_PULL_UP_OHM == pytest.approx(1.61, abs=0.005)


def test_eight_boards_with_pull_ups_beside_the_pi_are_too_many() -> None:
    ohm = electrical.parallel_ohm([1800, *[10_000] * 8])
    assert ohm == pytest.approx(738, abs=0.5)
    assert ohm is not None
    assert ohm < electrical.LEAST_OHM
    assert electrical.parallel_ohm([]) is None


def test_a_rise_is_from_three_tenths_to_seven_tenths() -> None:
    assert round(electrical.RISE_FACTOR, 4) == 0.8473
    assert electrical.rise_ns(4700, 100) == pytest.approx(398.2, abs=0.05)


@pytest.mark.parametrize(
    ("speed_hz", "limit_ns"),
    [(10_000, 1000), (100_000, 1000), (100_001, 300), (400_000, 300), (400_001, 120), (1_000_000, 120)],
)
def test_a_faster_class_must_rise_faster(speed_hz: int, limit_ns: int) -> None:
    assert electrical.most_rise_ns(speed_hz) == limit_ns


@given(st.lists(OHMS, min_size=1, max_size=9), OHMS)
def test_one_more_pull_up_never_makes_more_ohms(ohms: list[int], more: int) -> None:
    before, after = electrical.parallel_ohm(ohms), electrical.parallel_ohm([*ohms, more])
    assert before is not None
    assert after is not None
    assert after < before
    assert electrical.rise_ns(after, 100) < electrical.rise_ns(before, 100)


def test_a_lamp_takes_four_milliamperes_through_330_ohm() -> None:
    assert electrical.lamp_ma(330) == pytest.approx(3.94, abs=0.005)


def test_the_bits_of_a_hubs_sample() -> None:
    """A hub opens a channel, reads STATUS and RAW ANGLE by register, and closes it: 97 bits on the hub page."""
    opened = wire_bits((Write(0x70, b"\x01"),))
    read = wire_bits((Write(0x36, b"\x0b"), Read(0x36, 3)))
    assert opened + read + opened == electrical.HUB_BITS


@pytest.mark.parametrize(
    ("address", "ours", "other"),
    [
        (0x36, "AS5600", "seesaw"),
        (0x3C, "a screen", "seventh"),
        (0x3D, "a screen", "seesaw"),
        (0x40, "AS5600L", "INA219"),
        (0x43, "AS5048B", "PCA9685"),
        (0x50, "24AA02UID", "EEPROM"),
        (0x70, "mux", "all-call"),
        (0x77, "mux", "HT16K33"),
    ],
)
def test_well_known_clashes(address: int, ours: str, other: str) -> None:
    clash = clash_at(address)
    assert clash is not None
    assert ours in clash.ours
    assert other in clash.others


def test_every_shared_address_is_in_the_catalogue() -> None:
    fixed = {address for kind in ENCODERS.values() if len(kind.addresses) < 8 for address in kind.addresses}
    screens = {ScreenSettings(bus="x").address, 0x3D}
    muxes = {MuxSettings(address=address).address for address in range(0x70, 0x78)}
    assert {address for address in fixed | screens | muxes if clash_at(address) is None} == {0x06}
    assert clash_at(0x20) is None
