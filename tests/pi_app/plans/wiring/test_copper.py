"""Properties of every table: adding parts never reduces capacitance, rise time or current."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.plans.wiring.check import WiringCheck
from pi_app.plans.wiring.checks import checks
from pi_app.plans.wiring.copper import ohm_of, pf_of, place
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import CopperSegment, Wiring
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import any_settings, example, read, text_of

GROWING = ("capacitance", "rise time", "supply", "pin current", "I2C leads")


def worst(table: Settings) -> dict[str, float]:
    """The largest value of each kind of check, of any sign."""
    drawn = wired(table)
    stretches = [(pf_of(drawn, each), ohm_of(each) or 0) for each in drawn.segments]
    told = {"pf": max(pf for pf, _ in stretches), "pf x ohm": max(pf * ohm for pf, ohm in stretches)}
    for check in checks(drawn, table):
        if check.part in GROWING:
            told[check.part] = max(told.get(check.part, 0), check.value)
    return told


def grew(before: Settings, after: Settings) -> None:
    old, new = worst(before), worst(after)
    assert {part: new[part] >= value - 1e-9 for part, value in old.items()} == dict.fromkeys(old, True)


BIG = read(text_of(64, 4, hub_tiles=16))


def part_of(tiles: int, seats: int, hub_tiles: int) -> Settings:
    """The first tiles and seats of a big table."""
    squares = {
        label: square
        for label, square in BIG.squares.items()
        if int(label[1:]) < (tiles if square.hub is None else hub_tiles)
    }
    chosen = dict(list(BIG.seats.items())[:seats])
    return replace(BIG, squares=MappingProxyType(squares), seats=MappingProxyType(chosen))


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(1, 63), st.integers(1, 4), st.integers(0, 15))
def test_one_more_tile_reduces_no_value(tiles: int, seats: int, hub_tiles: int) -> None:
    before = part_of(tiles, seats, hub_tiles)
    grew(before, part_of(tiles + 1, seats, hub_tiles))
    grew(before, part_of(tiles, seats, hub_tiles + 1))


@settings(max_examples=20)
@given(
    st.sampled_from(["lead_m", "trunk_m", "screen_m", "seat_m", "cable_pf_per_m"]),
    st.integers(10, 100),
    st.integers(0, 100),
    st.integers(1, 20),
)
def test_a_longer_lead_reduces_no_value(key: str, least: int, more: int, tiles: int) -> None:
    table = part_of(tiles, 2, 0)

    def of(value: int) -> Settings:
        written = value if key == "cable_pf_per_m" else value / 100
        return replace(table, wiring=msgspec.structs.replace(table.wiring, **{key: written}))

    grew(of(least), of(least + more))


@pytest.mark.slow
@settings(max_examples=8)
@given(any_settings())
def test_every_line_of_any_table_has_value_limit_source_and_advice(table: Settings) -> None:
    for check in checks(wired(table), table):
        assert check.source
        assert bool(check.advice) is (check.sign.value != "ok")
        assert str(check).startswith(f"{check.sign.value}  {check.part} ({check.place}): ")
        assert f"({check.source})" in check.seen
        assert "\n" not in str(check)


@settings(max_examples=8)
@given(any_settings())
def test_every_stretch_is_at_least_its_trunk(table: Settings) -> None:
    """A channel adds to the trunk, so it has more capacitance and stronger pull-ups."""
    drawn = wired(table)
    trunks = {(each.host, each.bus): each for each in drawn.segments if each.mux is None}
    for each in drawn.segments:
        trunk = trunks[each.host, each.bus]
        assert pf_of(drawn, each) >= pf_of(drawn, trunk)
        ohm, of_trunk = ohm_of(each), ohm_of(trunk)
        assert of_trunk is None or (ohm is not None and ohm <= of_trunk)


@pytest.mark.parametrize(
    ("mux", "channel", "pf"),
    [
        (None, None, 10 + 28 + 10),  # the Pi, the mux, 0.1 m of 100 pF/m
        (0x70, 0, 10 + 28 + 7.5 + 10 + 60),  # and a channel, an AS5600, 0.5 m
        (0x70, 7, 10 + 28 + 7.5 + 10 + 90),
    ],
)
def test_capacitance_is_cables_pins_and_muxes(mux: int | None, channel: int | None, pf: float) -> None:
    drawn = example("8x4")
    assert pf_of(drawn, stretch(drawn, mux, channel)) == pytest.approx(pf)


def test_a_memory_is_one_more_chip_on_its_lead() -> None:
    text = text_of(1, 1)
    with_memory = read(text.replace("channel = 0\n", 'channel = 0\nmemory = "24aa025e48"\n'))
    before, after = (wired(table) for table in (read(text), with_memory))
    assert pf_of(after, stretch(after, 0x70, 0)) == pf_of(before, stretch(before, 0x70, 0)) + 10
    assert supply_of(with_memory).value == pytest.approx(supply_of(read(text)).value + 3)


def stretch(drawn: Wiring, mux: int | None, channel: int | None) -> CopperSegment:
    (found,) = [s for s in drawn.segments if (s.bus, s.mux, s.channel) == ("dials", mux, channel)]
    return found


def supply_of(table: Settings) -> WiringCheck:
    return checks(wired(table), table)[0]


@pytest.mark.parametrize(
    ("channels", "words"),
    [
        ([(None, None)], "bus dials"),
        ([(0x70, 3)], "bus dials mux 0x70 channel 3"),
        ([(0x70, 0), (0x70, 1), (0x70, 2), (0x70, 5)], "bus dials mux 0x70 channels 0 to 2, 5"),
        ([(0x70, 0), (0x71, 0), (0x73, 0)], "bus dials mux 0x70 to 0x71, 0x73 channel 0"),
        ([(0x70, 0), (0x70, 1), (0x71, 0)], "bus dials mux 0x70 channels 0 to 1, mux 0x71 channel 0"),
    ],
)
def test_where_stretches_are(channels: list[tuple[int | None, int | None]], words: str) -> None:
    (line, *_) = example("2x2").buses
    alike = [CopperSegment("pi", "dials", 100_000, 1, 1, (), (), mux, channel) for mux, channel in channels]
    assert place(line, alike) == words
