"""The pages of the two tables that are wired by hand agree with the examples."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pi_app import settings, settings_wiring
from tests.docs.pages import Rows, blocks, tables

HEADER_3V3, HEADER_5V, HEADER_GROUND = (1, 17), (2, 4), (6, 9, 14, 20, 25, 30, 34, 39)
HEADER_GPIO = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""Board pin -> GPIO of the Pi's 40-pin header."""
HEADER = {
    **dict.fromkeys(HEADER_3V3, ("3.3 V", "3.3")),
    **dict.fromkeys(HEADER_5V, ("5 V", "5")),
    **dict.fromkeys(HEADER_GROUND, ("ground", "0")),
    **{pin: (f"GPIO {gpio}", "3.3") for pin, gpio in HEADER_GPIO.items()},
}
BUS_LINES = {"/dev/i2c-1": (2, 3), "/dev/i2c-6": (22, 23), "/dev/i2c-4": (8, 9)}
"""SDA and SCL on a Pi 4, by the overlays' documentation."""

TABLES = {"wiring_docs/two_squares.md": "2x2", "wiring_docs/eight_squares.md": "8x4"}
each_table = pytest.mark.parametrize("page", TABLES)


def example(page: str) -> settings.Settings:
    return settings.load(settings.example_path(TABLES[page]))


def pi_rows(page: str) -> Rows:
    found = tables(page, "part", "its pin", "wire", "Pi pin", "Pi name", "volts")
    return [row for rows in found for row in rows]


def test_the_header_has_forty_pins() -> None:
    assert sorted(HEADER) == list(range(1, 41))
    assert sorted(HEADER_GPIO.values()) == list(range(28))
    for device, lines in BUS_LINES.items():
        known = {**settings_wiring.BUS_PINS, **settings_wiring.LIKELY_BUS_PINS}[device]
        assert set(lines) <= set(known)


@each_table
def test_a_pi_pin_is_what_the_page_calls_it(page: str) -> None:
    for row in pi_rows(page):
        assert HEADER[int(row["Pi pin"])] == (row["Pi name"], row["volts"]), row
        assert row["Pi name"] != "5 V"


def colour(row: Mapping[str, str]) -> str:
    plain = {"3.3 V": "red", "ground": "black"}.get(row["Pi name"])
    signal = {"SDA": "blue", "SCL": "yellow", "RESET": "white", "one leg": "green"}.get(row["its pin"], "orange")
    return plain or signal


@each_table
def test_a_wire_has_its_colour(page: str) -> None:
    for row in pi_rows(page):
        assert row["wire"] == colour(row), row


def wires(page: str) -> set[tuple[str, str, int]]:
    """(part, its pin, GPIO) of every signal wire to the Pi, from the example's settings."""
    read = example(page)
    wanted = set()
    for bus in read.buses.values():
        for mux in bus.mux:
            part = f"mux 0x{mux.address:02X}"
            wanted |= {(part, pin, gpio) for pin, gpio in zip(("SDA", "SCL"), BUS_LINES[bus.device], strict=True)}
            assert mux.reset_gpio is not None
            wanted.add((part, "RESET", mux.reset_gpio))
    for key, seat in read.seats.items():
        assert seat.screen is not None
        assert seat.lamp_gpio is not None
        part = f"screen {key} 0x{seat.screen.address:02X}"
        lines = BUS_LINES[read.buses[seat.screen.bus].device]
        wanted |= {(part, pin, gpio) for pin, gpio in zip(("SDA", "SCL"), lines, strict=True)}
        wanted.add((f"button {key}", "one leg", seat.button_gpio))
        wanted.add((f"lamp {key}", "long leg, through 330 Ohm", seat.lamp_gpio))
    return wanted


@each_table
def test_the_wires_agree_with_the_example(page: str) -> None:
    rows = [row for row in pi_rows(page) if row["Pi name"].startswith("GPIO")]
    drawn = [(row["part"], row["its pin"], int(row["Pi name"].removeprefix("GPIO "))) for row in rows]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == wires(page)


@each_table
def test_every_part_has_its_power(page: str) -> None:
    for part in {part for part, _, _ in wires(page)}:
        names = {row["Pi name"] for row in pi_rows(page) if row["part"] == part}
        assert "ground" in names, part
        assert "3.3 V" in names or part.startswith(("button", "lamp")), part


@each_table
def test_the_tiles_agree_with_the_example(page: str) -> None:
    (rows,) = tables(page, "square", "encoder pin", "wire", "mux pin", "volts")
    assert [tuple(row.values()) for row in rows] == [
        (label, line, wire, f"{pin}{square.channel}", "3.3")
        for label, square in example(page).squares.items()
        for line, wire, pin in (("SDA", "blue", "SD"), ("SCL", "yellow", "SC"))
    ]


@each_table
def test_the_parts_suffice(page: str) -> None:
    (rows,) = tables(page, "how many", "part")
    count = {row["part"].split(",")[0].split(" ")[0]: int(row["how many"]) for row in rows if "kOhm" not in row["part"]}
    read = example(page)
    squares, seats = len(read.squares), len(read.seats)
    assert (count["AS5600"], count["magnet"], count["lead"]) == (squares, squares, squares)
    assert (count["OLED"], count["button"], count["LED"]) == (seats, seats, seats)
    assert count["TCA9548A"] == sum(len(bus.mux) for bus in read.buses.values())


@each_table
def test_config_txt_sets_the_speeds_of_the_example(page: str) -> None:
    wanted = set()
    for bus in example(page).buses.values():
        number = bus.device.rpartition("-")[2]
        arm = f"dtparam=i2c_arm=on,i2c_arm_baudrate={bus.speed_hz}"
        wanted.add(arm if number == "1" else f"dtoverlay=i2c{number},baudrate={bus.speed_hz}")
    (block,) = blocks(page, "ini")
    assert set(block.splitlines()) == wanted
