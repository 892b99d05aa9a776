"""`[wiring]` and the lengths of single leads: their values, and every refusal as a whole sentence."""

from __future__ import annotations

import pytest

from pi_app.settings.wiring_section import WiringSettings
from tests.pi_app.settings.good import BUS, GOOD, HEAD, changed, errors, good, warnings

WIRING = "[wiring]\n"
LENGTH = "must be metres from 0.02 to 10"
OHM = "must be whole ohms up to 100000, or 0 for none"


def with_wiring(*lines: str) -> str:
    return changed(BUS, WIRING + "".join(f"{line}\n" for line in lines) + BUS)


def test_without_a_section_everything_has_its_default() -> None:
    read = good(GOOD)
    assert read.wiring == WiringSettings()
    assert {read.squares["T01"].lead_m, read.seats["ANN"].lead_m} == {None}
    assert warnings(with_wiring()) == []


def test_what_is_written_is_read() -> None:
    chosen = good(with_wiring('pi = "5"', 'supply = "regulator"', "lead_m = 1", "tile_pull_up_ohm = 10000")).wiring
    assert chosen == WiringSettings(pi="5", supply="regulator", lead_m=1.0, tile_pull_up_ohm=10_000)


def test_a_square_a_seat_and_a_screen_may_have_a_lead_of_another_length() -> None:
    text = GOOD.replace("channel = 1\n", "channel = 1\nlead_m = 0.8\n")
    text = text.replace("button_gpio = 26\n", "button_gpio = 26\nlead_m = 1.2\n")
    text = text.replace('bus = "screens"\n', 'bus = "screens"\nlead_m = 0.25\n')
    read = good(text)
    assert [square.lead_m for square in read.squares.values()] == [0.8, None]
    assert [seat.lead_m for seat in read.seats.values()] == [None, 1.2]
    assert read.seats["ANN"].screen is not None
    assert read.seats["ANN"].screen.lead_m == 0.25


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('pi = "2"', "t.toml [wiring] pi = '2': must be 'zero2', '3', '4' or '5'"),
        ("pi = 4", "t.toml [wiring] pi = 4: must be 'zero2', '3', '4' or '5'"),
        ('supply = "usb"', "t.toml [wiring] supply = 'usb': must be 'pi' or 'regulator'"),
        ("supply_ma = 20", "t.toml [wiring] supply_ma = 20: must be whole milliamperes from 50 to 10000"),
        ("lead_m = 0", f"t.toml [wiring] lead_m = 0: {LENGTH}"),
        ("lead_m = 50", f"t.toml [wiring] lead_m = 50: {LENGTH}"),
        ('trunk_m = "10 cm"', f"t.toml [wiring] trunk_m = '10 cm': {LENGTH}"),
        ("usb_m = nan", f"t.toml [wiring] usb_m = nan: {LENGTH}"),
        (
            "cable_pf_per_m = 5",
            "t.toml [wiring] cable_pf_per_m = 5: must be whole picofarads per metre from 10 to 500",
        ),
        ("bus_pull_up_ohm = -1", f"t.toml [wiring] bus_pull_up_ohm = -1: {OHM}"),
        ("bus_pull_up_ohm = 4.7", f"t.toml [wiring] bus_pull_up_ohm = 4.7: {OHM}"),
        ("lamp_ohm = 0", "t.toml [wiring] lamp_ohm = 0: must be whole ohms from 100 to 10000"),
        ('hot_plug = "yes"', "t.toml [wiring] hot_plug = 'yes': must be true or false"),
        ("bus_pullup_ohm = 1", "t.toml [wiring]: there is no key 'bus_pullup_ohm'; did you mean 'bus_pull_up_ohm'?"),
    ],
)
def test_each_refusal_is_one_sentence(line: str, message: str) -> None:
    assert errors(with_wiring(line)) == [message]


def test_wiring_is_a_section() -> None:
    text = changed("[table]", "wiring = 4\n[table]")
    assert errors(text) == ["t.toml wiring = 4: must be a section that begins with [wiring]"]


def test_what_has_no_lead_of_its_own_has_no_length() -> None:
    assert errors(changed("address = 0x70\n", "address = 0x70\nlead_m = 0.5\n")) == [
        "t.toml [[bus.dials.mux]]: there is no key 'lead_m'; there is 'address', 'reset_gpio' or 'deselect_between'"
    ]
    (said,) = errors(changed(HEAD, HEAD + "lead_m = 0.5\n"))
    assert said.startswith("t.toml [table]: there is no key 'lead_m'; there is 'name', ")


@pytest.mark.parametrize(
    ("old", "place"),
    [
        ("channel = 1\n", "[square.T01]"),
        ("button_gpio = 26\n", "[seat.BEN]"),
        ('bus = "screens"\n', "[seat.ANN.screen]"),
    ],
)
def test_a_single_length_is_checked_too(old: str, place: str) -> None:
    assert errors(changed(old, old + "lead_m = 0.01\n")) == [f"t.toml {place} lead_m = 0.01: {LENGTH}"]
