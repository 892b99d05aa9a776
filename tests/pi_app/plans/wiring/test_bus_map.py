"""The list of addresses."""

from __future__ import annotations

from pi_app.plans.wiring.bus_map import bus_map, config_txt, page
from pi_app.plans.wiring.nets import wired
from tests.pi_app.plans.wiring.tables import example, read, text_of


def test_muxes_come_before_the_chips_behind_them() -> None:
    assert bus_map(example("2x2")).rows == (
        ("dials", "/dev/i2c-1", "100 kHz", "", "", "0x70", "TCA9548A", "mux 0x70 of bus dials"),
        ("dials", "/dev/i2c-1", "100 kHz", "0x70", "0", "0x36", "AS5600", "tile T01"),
        ("dials", "/dev/i2c-1", "100 kHz", "0x70", "1", "0x36", "AS5600", "tile T02"),
        ("screens", "/dev/i2c-6", "400 kHz", "", "", "0x3C", "SSD1306", "screen of seat ANN"),
        ("screens", "/dev/i2c-6", "400 kHz", "", "", "0x3D", "SSD1306", "screen of seat BEN"),
    )


def test_channels_are_sorted_whatever_the_settings_order() -> None:
    text = text_of(9, 1).replace("channel = 0\n", "channel = last\n", 1).replace("channel = 7\n", "channel = 0\n")
    text = text.replace("channel = last\n", "channel = 7\n")
    rows = [row for row in bus_map(wired(read(text))).rows if row[0] == "dials"]
    assert [(row[3], row[4]) for row in rows] == [
        ("", ""),
        *(("0x70", str(channel)) for channel in range(8)),
        ("", ""),
        ("0x71", "0"),
    ]
    assert rows[8][7] == "tile T00"


def test_a_hubs_bus_is_its_own() -> None:
    rows = [row for row in bus_map(example("16x4")).rows if row[0] == "of hub west"]
    assert rows[0] == ("of hub west", "", "400 kHz", "", "", "0x70", "TCA9548A", "mux 0x70 of hub west")
    assert len(rows) == 9


def test_lines_of_config_txt() -> None:
    wiring = example("8x4")
    assert config_txt(wiring) == (
        "dtparam=i2c_arm=on,i2c_arm_baudrate=100000\ndtoverlay=i2c6,baudrate=400000\ndtoverlay=i2c4,baudrate=400000\n"
    )
    assert config_txt(wiring) in page(wiring)
