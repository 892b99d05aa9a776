"""Checks before power: each one passed, unsure and failing, as the whole sentence that a builder reads."""

from __future__ import annotations

import json

import pytest

from pi_app.plans.wiring.checks import failed, json_lines, noticed, table
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.wiring.checked import EXAMPLES, TEXTS, bad, found
from tests.pi_app.plans.wiring.tables import read, text_of


def changed(size: str, *changes: tuple[str, str]) -> Settings:
    """An example with changes."""
    text = TEXTS[size]
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return read(text)


def wiring(**chosen: object) -> tuple[str, str]:
    """Change one line of [wiring]."""
    ((key, value),) = chosen.items()
    return f"\n{key} = ", f"\n{key} = {value} # "


# -------------------------------------------------------------------------------------------------- all is well


def test_the_small_example_passes_every_check() -> None:
    assert table(found(EXAMPLES["2x2"])) == [
        "ok  supply (3.3 V of the Pi): 61 mA for 2 encoders, 2 screens, 1 mux, 2 lamps, at most 500 mA (supply_ma of "
        "[wiring])",
        "ok  pin current (each lamp's pin): 3.94 mA through 330 Ohm, at most 16 mA (Raspberry Pi documentation, GPIO)",
        "ok  pin current (all lamps' pins): 7.88 mA for 2 of them, at most 50 mA (Raspberry Pi documentation, GPIO)",
        "ok  levels (5 V pins): 0 of 33 wires on 5 V, at most 0 (Raspberry Pi documentation, GPIO)",
        "ok  addresses (all buses): 0 of 5 chips answer together with another, at most 0 (NXP UM10204 section 3.1.10)",
        "ok  channels (all muxes): 0 of 2 used twice with one address, at most 0 (TI SCPS207)",
        "ok  pins (Pi and hubs): 0 of 9 in use have two jobs, at most 0 (Raspberry Pi documentation, GPIO)",
        "ok  pins of the serial console (GPIO 14, GPIO 15): 0 of 2 in use, at most 0 (Raspberry Pi documentation, "
        "GPIO)",
        "ok  pins of the ID EEPROM (GPIO 0, GPIO 1): 0 of 2 in use, at most 0 (Raspberry Pi documentation, GPIO)",
        "ok  lamps at rest (all lamps' pins): 0 of 2 pulled to the level that lights their lamp, at most 0 (BCM2835 "
        "ARM "
        "Peripherals, table 6-31)",
        "ok  resets (all muxes): 0 of 1 have no RESET line, at most 0 (TI SCPS207)",
        "ok  screens (all buses): 0 of 2 on a bus with dials, at most 0 (Solomon Systech SSD1306, 1025 bytes a "
        "picture)",
        "ok  clock (bus dials): 100 kHz, at most 400 kHz (TI SCPS207)",
        "ok  pull-ups (bus dials mux 0x70 channels 0 to 1): 1302 Ohm (1800 beside 4700), at least 967 Ohm (NXP UM10204 "
        "section 7.1)",
        "ok  capacitance (bus dials mux 0x70 channel 1): 116 pF with 0.6 m of cable and 3 chips, at most 400 pF (NXP "
        "UM10204 section 6.1)",
        "ok  rise time (bus dials mux 0x70 channel 1): 127 ns with 1302 Ohm and 116 pF at 100 kHz, at most 1000 ns "
        "(NXP UM10204 section 6.1)",
        "ok  clock (bus screens): 400 kHz, at most 400 kHz (Solomon Systech SSD1306)",
        "ok  pull-ups (bus screens): 2200 Ohm, at least 967 Ohm (NXP UM10204 section 7.1)",
        "ok  capacitance (bus screens): 115 pF with 0.85 m of cable and 3 chips, at most 400 pF (NXP UM10204 section "
        "6.1)",
        "ok  rise time (bus screens): 214 ns with 2200 Ohm and 115 pF at 400 kHz, at most 300 ns (NXP UM10204 section "
        "6.1)",
        "ok  I2C leads (the longest of 6): 0.5 m, at most 2 m (TI SCPS145)",
        "ok  samples per second (bus dials): 632 to 820 for 2 dials at 100 kHz, at least 100 (UM10204's bits and 60 to "
        "150 us a transfer)",
        "22 ok, 0 failing, 0 to check",
    ]


@pytest.mark.parametrize(("size", "lines"), [("2x2", 22), ("8x4", 26), ("16x4", 33)])
def test_every_example_passes(size: str, lines: int) -> None:
    assert bad(EXAMPLES[size]) == []
    assert table(found(EXAMPLES[size]))[-1] == f"{lines} ok, 0 failing, 0 to check"
    assert not failed(found(EXAMPLES[size]))
    assert noticed(EXAMPLES[size]) == ()


def test_a_hub_has_its_own_rail_bus_cable_and_samples() -> None:
    lines = [str(check) for check in found(EXAMPLES["16x4"]) if "hub west" in check.place or "USB" in check.part]
    assert lines == [
        "ok  supply (3V3(OUT) of hub west): 52.1 mA for 8 encoders, 1 mux, at most 300 mA (Raspberry Pi Pico "
        "datasheet)",
        "ok  clock (hub west): 400 kHz, at most 400 kHz (TI SCPS207)",
        "ok  pull-ups (hub west mux 0x70 channels 0 to 7): 1499 Ohm (2200 beside 4700), at least 967 Ohm (NXP UM10204 "
        "section 7.1)",
        "ok  capacitance (hub west mux 0x70 channels 0 to 7): 116 pF with 0.6 m of cable and 3 chips, at most 400 pF "
        "(NXP UM10204 section 6.1)",
        "ok  rise time (hub west mux 0x70 channels 0 to 7): 147 ns with 1499 Ohm and 116 pF at 400 kHz, at most 300 ns "
        "(NXP UM10204 section 6.1)",
        "ok  USB cables (the longest of 1): 1.5 m, at most 5 m (USB 2.0 section 7.1.16)",
        "ok  samples per second (hub west): 214 to 256 for 8 dials at 400 kHz, at least 100 (UM10204's bits and 245 to "
        "340 us a dial)",
    ]


def test_a_regulator_has_its_own_limit_and_feeds_no_lamp_that_a_pin_feeds() -> None:
    settings = changed("2x2", wiring(supply='"regulator"'), wiring(supply_ma=1000))
    assert str(found(settings)[0]) == (
        "ok  supply (3.3 V of the regulator): 53.1 mA for 2 encoders, 2 screens, 1 mux, at most 1000 mA (supply_ma of "
        "[wiring])"
    )


# ------------------------------------------------------------------------------------------ unsure, and failing


RGB = ("lamp_gpio = 20 ", "lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 7, common = 'anode'} ")
FOUR_RGB = (
    RGB,
    ("lamp_gpio = 21\n", "lamp = {red_gpio = 12, green_gpio = 10, blue_gpio = 11}\n"),
    ("lamp_gpio = 24\n", "lamp = {red_gpio = 20, green_gpio = 21, blue_gpio = 24}\n"),
    ("lamp_gpio = 27\n", "lamp = {red_gpio = 18, green_gpio = 13, blue_gpio = 27}\n"),
)
L_ON_ONE_LINE = (
    ('channel = 1\nchip = "as5600"', 'channel = 0\nchip = "as5600l"\naddress = 0x41'),
    ('chip = "as5600"            #', 'chip = "as5600l"\naddress = 0x42 #'),
)

UNSURE = [
    (
        "2x2",
        [wiring(supply_ma=65)],
        "??  supply (3.3 V of the Pi): 61 mA for 2 encoders, 2 screens, 1 mux, 2 lamps, at most 65 mA (supply_ma of "
        '[wiring]). Near the limit. Use a larger regulator: supply = "regulator" in [wiring], with its '
        "supply_ma.",
    ),
    (
        "8x4",
        FOUR_RGB,
        "??  pin current (all lamps' pins): 47.3 mA for 12 of them, at most 50 mA (Raspberry Pi documentation, GPIO). "
        "Near the limit. Use larger resistors: lamp_ohm in [wiring].",
    ),
    (
        "2x2",
        L_ON_ONE_LINE,
        "??  addresses ([square.T02]): 1 of 5 chips wake up together with another, at most 0 (NXP UM10204 section "
        "3.1.10). Two AS5600L on one line wake up at 0x40 together and cannot be told apart; after a power cut, plug "
        "them in one after "
        "the other, or give each its own mux channel.",
    ),
    (
        "2x2",
        [("lamp_gpio = 21", "lamp_gpio = 14")],
        "??  pins of the serial console (GPIO 14): 1 of 2 in use, at most 0 (Raspberry Pi documentation, GPIO). "
        "Switch the serial console off (sudo raspi-config, Interface), or use other pins.",
    ),
    (
        "2x2",
        [("button_gpio = 26", "button_gpio = 0")],
        "??  pins of the ID EEPROM (GPIO 0): 1 of 2 in use, at most 0 (Raspberry Pi documentation, GPIO). They "
        "belong to the ID EEPROM of a HAT: fine without a HAT, otherwise use other pins.",
    ),
    (
        "2x2",
        [("lamp_gpio = 21", "lamp_gpio = 8"), ("lamp_gpio = 20 ", "lamp_gpio = 4 ")],
        "??  lamps at rest (GPIO 4, GPIO 8): 2 of 2 pulled to the level that lights their lamp, at most 0 (BCM2835 ARM "
        "Peripherals, table 6-31). Move them, so that they are dark before the program starts and after it ends: a "
        "lamp to ground belongs on one of GPIO 9 to 27, which the Pi pulls down; one with a common anode on one of "
        "GPIO 0 to 8, which it pulls up.",
    ),
    (
        "2x2",
        [("lamp_gpio = 20 ", "lamp = {red_gpio = 5, green_gpio = 9, blue_gpio = 6, common = 'anode'} ")],
        "??  lamps at rest (GPIO 9): 1 of 4 pulled to the level that lights their lamp, at most 0 (BCM2835 ARM "
        "Peripherals, "
        "table 6-31). Move them, so that they are dark before the program starts and after it ends: a lamp to ground "
        "belongs on one of GPIO 9 to 27, which the Pi pulls down; one with a common anode on one of GPIO 0 to 8, which "
        "it pulls up.",
    ),
    (
        "2x2",
        [("reset_gpio = 17", "# reset_gpio = 17")],
        "??  resets (mux 0x70 of bus dials): 1 of 1 have no RESET line, at most 0 (TI SCPS207). Wire RESET to a free "
        "GPIO, with 10 kOhm to 3.3 V, and set its reset_gpio: otherwise a stuck tile can hold the bus until the power "
        "is "
        "cut.",
    ),
    (
        "2x2",
        [('bus = "screens"', 'bus = "dials"')],
        "??  screens ([seat.ANN.screen], [seat.BEN.screen]): 2 of 2 on a bus with dials, at most 0 (Solomon Systech "
        "SSD1306, 1025 bytes a picture). Give the screens a bus of their own: a whole picture takes 93 ms at 100 kHz, "
        "23 ms at 400 kHz.",
    ),
    (
        "2x2",
        [wiring(screen_pull_up_ohm=4000)],
        "??  pull-ups (bus screens): 1048 Ohm (2200 beside 4000 beside 4000), at least 967 Ohm (NXP UM10204 section "
        "7.1). Near the limit. Too many boards carry pull-ups: open the solder bridges of some, and set the rest in "
        "[wiring].",
    ),
    (
        "2x2",
        [wiring(bus_pull_up_ohm=3000)],
        "??  rise time (bus screens): 292 ns with 3000 Ohm and 115 pF at 400 kHz, at most 300 ns (NXP UM10204 section "
        "6.1). Near the limit. Use shorter leads, a slower bus, or pull-ups of 3079 Ohm or less in total.",
    ),
    (
        "2x2",
        [("speed_hz = 400000", "speed_hz = 100000"), wiring(cable_pf_per_m=400)],
        "??  capacitance (bus screens): 370 pF with 0.85 m of cable and 3 chips, at most 400 pF (NXP UM10204 section "
        "6.1). Near the limit. Use shorter leads, or give each tile or screen a channel or a bus of its own.",
    ),
    (
        "8x4",
        [("lead_m = 0.8 ", "lead_m = 1.9 ")],
        "??  I2C leads (D-T08): 1.9 m, at most 2 m (TI SCPS145). Near the limit. Move the mux or the Pi closer, "
        "connect the far tiles to a hub, or put a P82B715 at each end of the lead.",
    ),
    (
        "16x4",
        [wiring(usb_m=4.8)],
        "??  USB cables (U-west): 4.8 m, at most 5 m (USB 2.0 section 7.1.16). Near the limit. Move the hub closer, or "
        "put a powered USB hub in between.",
    ),
    (
        "2x2",
        [("scan_hz = 100", "scan_hz = 700")],
        "??  samples per second (bus dials): 632 to 820 for 2 dials at 100 kHz, at least 700 (UM10204's bits and 60 to "
        "150 us a transfer). Use a faster bus, a second bus, or a hub for some of the dials.",
    ),
]

FAILING = [
    (
        "2x2",
        [wiring(supply_ma=50)],
        "!!  supply (3.3 V of the Pi): 61 mA for 2 encoders, 2 screens, 1 mux, 2 lamps, at most 50 mA (supply_ma of "
        '[wiring]). Use a larger regulator: supply = "regulator" in [wiring], with its supply_ma.',
    ),
    (
        "8x4",
        [*FOUR_RGB, wiring(lamp_ohm=220)],
        "!!  pin current (all lamps' pins): 70.9 mA for 12 of them, at most 50 mA (Raspberry Pi documentation, GPIO). "
        "Use larger resistors: lamp_ohm in [wiring].",
    ),
    (
        "2x2",
        [wiring(bus_pull_up_ohm=0)],
        "!!  pull-ups (bus screens): 0 from each line to 3.3 V, at least 1 (NXP UM10204 section 7.1). Solder one from "
        "SDA and one from SCL to 3.3 V: 2200 Ohm suit most tables.",
    ),
    (
        "8x4",
        [wiring(channel_pull_up_ohm=0)],
        "!!  pull-ups (bus dials mux 0x70 channels 0 to 7): 0 on the channel itself, whose lines float while it is "
        "closed, at least 1 (TI SCPS207). Solder one from SDA and one from SCL to 3.3 V: 2200 Ohm suit most tables.",
    ),
    (
        "8x4",
        [wiring(tile_pull_up_ohm=4700), wiring(mux_pull_up_ohm=4700)],
        "!!  pull-ups (bus dials mux 0x70 channels 0 to 7): 838 Ohm (1800 beside 4700 beside 4700 beside 4700), at "
        "least 967 Ohm (NXP UM10204 section 7.1). Too many boards carry pull-ups: open the solder bridges of some, and "
        "set the rest in [wiring].",
    ),
    (
        "2x2",
        [wiring(bus_pull_up_ohm=4700)],
        "!!  rise time (bus screens): 458 ns with 4700 Ohm and 115 pF at 400 kHz, at most 300 ns (NXP UM10204 section "
        "6.1). Use shorter leads, a slower bus, or pull-ups of 3079 Ohm or less in total.",
    ),
    (
        "2x2",
        [("speed_hz = 400000", "speed_hz = 100000"), wiring(cable_pf_per_m=500)],
        "!!  capacitance (bus screens): 455 pF with 0.85 m of cable and 3 chips, at most 400 pF (NXP UM10204 section "
        "6.1). Use shorter leads, or give each tile or screen a channel or a bus of its own.",
    ),
    (
        "8x4",
        [("lead_m = 0.5 ", "lead_m = 2.5 "), ("lead_m = 0.8 ", "lead_m = 1.7 ")],
        "!!  I2C leads (D-T01, D-T02, D-T03, D-T04, D-T05, D-T06, D-T07): 2.5 m, at most 2 m (TI SCPS145). Move the "
        "mux or the Pi closer, connect the far tiles to a hub, or put a P82B715 at each end of the lead.",
    ),
    (
        "16x4",
        [wiring(usb_m=6)],
        "!!  USB cables (U-west): 6 m, at most 5 m (USB 2.0 section 7.1.16). Move the hub closer, or put a powered "
        "USB hub in between.",
    ),
]


@pytest.mark.parametrize(("size", "changes", "line"), [*UNSURE, *FAILING])
def test_each_problem_is_one_sentence(size: str, changes: list[tuple[str, str]], line: str) -> None:
    settings = changed(size, *changes)
    assert bad(settings) == [line]
    assert failed(found(settings)) is line.startswith("!!")


def test_a_fast_bus_is_too_fast_for_a_mux_and_its_leads() -> None:
    assert bad(changed("8x4", ("speed_hz = 100000", "speed_hz = 1000000"))) == [
        "!!  clock (bus dials): 1000 kHz, at most 400 kHz (TI SCPS207). Set speed_hz = 400000, and the same in "
        "config.txt.",
        "!!  rise time (bus dials mux 0x70 channels 0 to 6): 127 ns with 1302 Ohm and 116 pF at 1000 kHz, at most 120 "
        "ns (NXP UM10204 section 6.1). Use shorter leads, a slower bus, or pull-ups of 1226 Ohm or less "
        "in total.",
        "!!  rise time (bus dials mux 0x70 channel 7): 160 ns with 1302 Ohm and 146 pF at 1000 kHz, at most 120 ns "
        "(NXP UM10204 section 6.1). Use shorter leads, a slower bus, or pull-ups of 973 Ohm or less in total.",
    ]


def test_long_leads_at_400_khz_can_be_beyond_any_pull_up() -> None:
    (line,) = bad(changed("2x2", wiring(cable_pf_per_m=500), wiring(screen_m=0.38)))[1:]
    assert line == (
        "!!  rise time (bus screens): 811 ns with 2200 Ohm and 435 pF at 400 kHz, at most 300 ns (NXP UM10204 section "
        "6.1). No pull-up is strong enough: use shorter leads or a slower bus."
    )


def test_a_tile_may_have_the_pull_ups_of_its_channel() -> None:
    assert bad(changed("8x4", wiring(channel_pull_up_ohm=0), wiring(tile_pull_up_ohm=10_000))) == []


def test_spi_takes_pins_away() -> None:
    assert bad(EXAMPLES["8x4"], spi=True) == [
        "!!  pins of SPI (GPIO 8, GPIO 9): 2 of 5 in use, at most 0 (Raspberry Pi documentation, GPIO). Remove "
        "dtparam=spi=on from config.txt, or use other pins."
    ]
    assert bad(EXAMPLES["2x2"], spi=True) == []


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            text_of(16, 1).replace("400000", "100000"),
            "??  samples per second (bus dials): 74 to 97 for 16 dials at 100 kHz, at least 100 (UM10204's bits and 60 "
            "to 150 us a transfer). Use a faster bus, a second bus, or a hub for some of the dials.",
        ),
        (
            text_of(24, 1).replace("400000", "100000").replace('name = "Any"', 'name = "Any"\nscan_hz = 40'),
            "??  samples per second (bus dials): 49 to 65 for 24 dials at 100 kHz, at least 60 (UM10204's bits and 60 "
            "to 150 us a transfer). Use a faster bus, a second bus, or a hub for some of the dials.",
        ),
        (
            text_of(64, 1).replace("400000", "100000"),
            "!!  samples per second (bus dials): 18 to 24 for 64 dials at 100 kHz, at least 60 (UM10204's bits and 60 "
            "to 150 us a transfer). Use a faster bus, a second bus, or a hub for some of the dials.",
        ),
        (
            text_of(1, 1, hub_tiles=16).replace('name = "Any"', 'name = "Any"\nscan_hz = 150'),
            "??  samples per second (hub west): 107 to 128 for 16 dials at 400 kHz, at least 150 (UM10204's bits and "
            "245 to 340 us a dial). Connect some of its dials to a second hub.",
        ),
    ],
)
def test_many_dials_are_sampled_less_often(settings: str, line: str) -> None:
    assert bad(read(settings))[-1] == line


def test_eight_equal_muxes_are_one_line() -> None:
    (line,) = [line for line in bad(read(text_of(64, 1))) if "capacitance" in line]
    assert line.startswith("??  capacitance (bus dials mux 0x70 to 0x77 channels 0 to 7): 386 pF with 1.35 m of cable")


# ------------------------------------------------------------------------------------------ a game, and JSON


def test_before_a_game_known_warnings_are_not_repeated() -> None:
    """Loading the settings has already warned of the reset and the screens."""
    settings = changed("2x2", ("reset_gpio = 17", "# reset_gpio = 17"), wiring(bus_pull_up_ohm=4700))
    (line,) = noticed(settings)
    assert line.startswith("rise time (bus screens): 458 ns with 4700 Ohm")
    warned = [problem.reason for problem in changed("2x2", ("reset_gpio = 17", "")).warnings]
    assert any("has no reset_gpio" in reason for reason in warned)


def test_a_bus_with_unknown_pins_is_refused() -> None:
    with pytest.raises(UserFileError, match="the pins of this bus on a Raspberry Pi 4"):
        noticed(changed("2x2", ("/dev/i2c-6", "/dev/i2c-11")))


def test_facts_for_programs() -> None:
    lines = json_lines(found(changed("2x2", wiring(bus_pull_up_ohm=4700))))
    (facts,) = [fact for fact in map(json.loads, lines) if fact["sign"] == "!!"]
    assert facts == {
        "sign": "!!",
        "part": "rise time",
        "place": "bus screens",
        "value": 457.964,
        "bound": "at most",
        "limit": 300,
        "unit": "ns",
        "how": "with 4700 Ohm and 115 pF at 400 kHz",
        "source": "NXP UM10204 section 6.1",
        "try": "Use shorter leads, a slower bus, or pull-ups of 3079 Ohm or less in total.",
    }
