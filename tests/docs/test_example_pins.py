"""The examples' pages, read as a builder reads them, against the settings: a second way from the same file.

The pages are made by `pi_app/plans/wiring`. Nothing of it is used here, so that a mistake there is not made twice.
"""

from __future__ import annotations

import pytest

from pi_app.settings import load as settings
from pi_app.settings.model import Settings
from tests.docs.pages import Rows, blocks, tables, text

HEADER_GPIO = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""Board pin -> GPIO of the Pi's 40-pin header."""
HEADER = {
    **dict.fromkeys((1, 17), "3.3 V"),
    **dict.fromkeys((2, 4), "5 V"),
    **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "ground"),
    **{pin: f"GPIO {gpio}" for pin, gpio in HEADER_GPIO.items()},
}
BUS_LINES = {"/dev/i2c-1": (2, 3), "/dev/i2c-6": (22, 23), "/dev/i2c-4": (8, 9)}
"""SDA and SCL on a Pi 4, by the overlays' documentation."""

each_size = pytest.mark.parametrize("size", settings.EXAMPLES)


def example(size: str) -> Settings:
    return settings.load(settings.example_path(size))


def pins(size: str) -> Rows:
    (rows,) = tables(f"wiring_docs/examples/{size}/pins.md", "board pin", "name", "wire", "goes to", "its pin", "lead")
    return rows


def ends(size: str) -> dict[tuple[str, str], str]:
    """(part, its pin) -> what the Pi calls its own, through the strips in between."""
    at_pi = {(row["goes to"], row["its pin"]): row["name"] for row in pins(size) if row["lead"]}
    through = dict(at_pi)
    for row in (row for table in _strips(size) for row in table):
        name = at_pi.get((row["strip"], row["pin"]))
        if name is not None and row["goes to"] != "Raspberry Pi":
            through[row["goes to"], row["its pin"]] = name
    return through


def _strips(size: str) -> list[Rows]:
    """The tables of strips, each row with the strip's name."""
    page = f"wiring_docs/examples/{size}/pins.md"
    if "strip" not in text(page):
        return []
    found = tables(page, "pin", "wire", "goes to", "its pin", "lead")
    titles = [line.removeprefix("## ") for line in text(page).splitlines() if line.startswith("## ")][2:]
    return [
        [{**row, "strip": title[:1].lower() + title[1:]} for row in rows]
        for title, rows in zip(titles, found, strict=True)
        if title.endswith("strip")
    ]


@each_size
def test_a_pin_of_the_header_is_what_the_page_calls_it(size: str) -> None:
    rows = pins(size)
    assert [int(row["board pin"]) for row in rows] == list(range(1, 41))
    for row in rows:
        assert row["name"] == HEADER[int(row["board pin"])]
        if row["name"] == "5 V":
            assert row["goes to"].startswith("**never**")
            assert not row["lead"]


@each_size
def test_a_wire_has_its_colour(size: str) -> None:
    by_pin = {"SDA": "blue", "SCL": "yellow", "RESET": "white", "1": "green", "+": "orange"}
    for row in pins(size):
        if row["lead"]:
            plain = {"3.3 V": "red", "ground": "black"}.get(row["name"])
            assert row["wire"] == (plain or by_pin[row["its pin"]]), row


@each_size
def test_every_signal_wire_is_that_of_the_settings(size: str) -> None:
    read, wanted = example(size), {}

    def both_lines(part: str, bus: str) -> None:
        sda, scl = BUS_LINES[read.buses[bus].device]
        wanted[part, "SDA"], wanted[part, "SCL"] = f"GPIO {sda}", f"GPIO {scl}"

    for name, bus in read.buses.items():
        for mux in bus.mux:
            part = f"mux 0x{mux.address:02X} of bus {name}"
            both_lines(part, name)
            wanted[part, "RESET"] = f"GPIO {mux.reset_gpio}"
    for label, square in read.squares.items():
        if square.bus is not None and square.mux is None:
            both_lines(f"tile {label}", square.bus)
    for key, seat in read.seats.items():
        if seat.screen is not None:
            both_lines(f"screen of seat {key}", seat.screen.bus)
        wanted[f"button of seat {key}", "1"] = f"GPIO {seat.button_gpio}"
        wanted[f"lamp of seat {key}", "+"] = f"GPIO {seat.lamp_gpio}"
    drawn = {end: name for end, name in ends(size).items() if name.startswith("GPIO") and "strip" not in end[0]}
    assert drawn == wanted


@each_size
def test_every_part_has_its_power(size: str) -> None:
    reached = ends(size)
    for part in {
        part for part, _ in reached if part.startswith(("mux", "screen of", "tile ")) and "of hub" not in part
    }:
        assert "3.3 V" in {reached.get((part, "VCC")), reached.get((part, "VIN"))}, part
        assert reached[part, "GND"] == "ground", part


@each_size
def test_the_parts_suffice(size: str) -> None:
    found = tables(f"wiring_docs/examples/{size}/parts.md", "how many", "part", "order", "for", "note", "price")
    rows = [row for section in found for row in section if row["how many"]]
    count = {row["part"].split(",")[0]: int(row["how many"].removesuffix(" g")) for row in rows}
    read = example(size)
    squares, seats = len(read.squares), len(read.seats)
    screens = sum(seat.screen is not None for seat in read.seats.values())
    assert (count["AS5600 board"], count["magnet"], count["printed trap square"]) == (squares, squares, squares)
    assert (count["screw M2.5 x 16"], count["screw M2.5 x 5"]) == (4 * squares, 2 * squares)
    assert (count.get("OLED 128x64", 0), count["push button"], count["LED"]) == (screens, seats, seats)
    muxes = sum(len(bus.mux) for bus in read.buses.values()) + len(read.hubs)
    assert count.get("TCA9548A board", 0) == muxes


@each_size
def test_config_txt_sets_the_speeds_of_the_example(size: str) -> None:
    wanted = set()
    for bus in example(size).buses.values():
        number = bus.device.rpartition("-")[2]
        arm = f"dtparam=i2c_arm=on,i2c_arm_baudrate={bus.speed_hz}"
        wanted.add(arm if number == "1" else f"dtoverlay=i2c{number},baudrate={bus.speed_hz}")
    (block,) = blocks(f"wiring_docs/examples/{size}/buses.md", "ini")
    assert set(block.splitlines()) == wanted
