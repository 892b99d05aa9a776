"""The parts list and the cable list."""

from __future__ import annotations

from hypothesis import given, settings

from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.parts_list import cable_list, metres_of_wire, parts_list, runs
from pi_app.plans.wiring.values import PartKind
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import any_settings, example, read, text_of


def test_parts_of_the_small_table() -> None:
    rows = {row[1]: row for row in parts_list(example("2x2")).rows}
    assert {part: row[0] for part, row in rows.items()} == {
        "Raspberry Pi 4": "1",
        "TCA9548A board": "1",
        "AS5600 board": "2",
        "magnet, disc 6 x 2.5 mm, N35H": "2",
        "printed trap square": "2",
        "OLED 128x64, SSD1306": "2",
        "push button": "2",
        "LED": "2",
        "terminal strip": "1",
        "2.2 kOhm": "2",
        "10 kOhm": "1",
        "4.7 kOhm": "4",
        "100 nF": "2",
        "10 uF": "2",
        "330 Ohm": "2",
        "lead of 2 wires, 0.05 m": "2",
        "lead of 4 wires, 0.3 m": "1",
        "lead of 4 wires, 0.4 m": "4",
        "lead of 4 wires, 0.5 m": "1",
        "lead of 5 wires, 0.1 m": "1",
    }
    assert rows["OLED 128x64, SSD1306"][3] == ("I2C, four pins; 0x3C at screen of seat ANN; 0x3D at screen of seat BEN")


def test_parts_of_special_tables() -> None:
    more = '[wiring]\nsupply = "regulator"\nhot_plug = true\n'
    text = text_of(4, 1, hub_tiles=1, more=more).replace("channel = 1\n", 'channel = 1\nmemory = "24aa02uid"\n', 1)
    parts = {row[1]: row[0] for row in parts_list(wired(read(text))).rows}
    assert parts["3.3 V regulator for 500 mA or more"] == "1"
    assert parts["TVS array for 4 lines, 3.3 V"] == "3"
    assert parts["100 Ohm"] == "10"
    assert parts["24AA02UID"] == "1"
    assert parts["Raspberry Pi Pico"] == "1"
    assert parts["USB cable that carries data, micro-B, 1.5 m"] == "1"


def test_names_that_count_up_are_shortened() -> None:
    assert runs(["T01", "T02", "T03", "T05", "X", "T09", "T10"]) == "T01 to T03, T05, X, T09, T10"
    assert runs(["A9", "A10", "A11"]) == "A9 to A11"
    assert runs([]) == ""


def test_the_cable_list() -> None:
    rows = {row[0]: row[1:] for row in cable_list(example("16x4")).rows}
    assert rows["D-T01"] == (
        "dials mux 0x70 channel 0 and supply strip",
        "tile T01",
        "0.5 m",
        "lead of 4 wires",
        "red, black, blue, yellow",
        "blue with black; yellow with red",
    )
    assert rows["U-west"] == ("Raspberry Pi", "hub west", "1.5 m", "USB cable that carries data, micro-B", "", "")


def test_metres_of_each_colour() -> None:
    assert ("green", "0.9 m") in metres_of_wire(example("2x2")).rows


@given(any_settings())
@settings(max_examples=6, deadline=None)
def test_nothing_is_missing(given_settings: Settings) -> None:
    wiring = wired(given_settings)
    counts = [(int(row[0]), row[1]) for row in parts_list(wiring).rows]
    cables = sum(count for count, part in counts if part.startswith(("lead of", "USB cable")))
    assert cables == len(wiring.leads) == len(cable_list(wiring).rows)
    boards = sum(count for count, part in counts if part.endswith(" board"))
    assert boards == len(wiring.of(PartKind.MUX, PartKind.TILE))
    soldered = [each for each in wiring.fitted if not each.value.startswith("TVS")]
    assert sum(count for count, part in counts if part.endswith(("Ohm", "nF", "uF"))) == len(soldered)
