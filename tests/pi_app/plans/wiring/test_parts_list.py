"""The parts list and the cable list."""

from __future__ import annotations

from typing import get_args, get_type_hints

from hypothesis import given, settings

from hardware.encoders import ENCODERS
from pi_app.plans.wiring.header import PI_NAMES
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.order import ORDER, SUPPLIES, TOOLS
from pi_app.plans.wiring.parts_list import PartRow, cable_list, metres_of_wire, parts_list, rows_of, runs, totals
from pi_app.plans.wiring.values import PartKind, Wiring
from pi_app.settings.model import MemoryChip, ScreenSettings, Settings
from tests.pi_app.plans.wiring.tables import any_settings, example, read, text_of


def listed(wiring: Wiring) -> dict[str, PartRow]:
    return {row.part: row for row in rows_of(wiring)}


def test_parts_of_the_small_table() -> None:
    rows = listed(example("2x2"))
    assert {part: row.number for part, row in rows.items() if row.section != "Tools"} == {
        "Raspberry Pi 4": "1",
        "power supply of the Pi": "1",
        "microSD card": "1",
        "TCA9548A board": "1",
        "AS5600 board": "2",
        "OLED 128x64, SSD1306": "2",
        "push button": "2",
        "LED": "2",
        "magnet, disc 6 x 2.5 mm, N35H": "2",
        "screw M2.5 x 16, countersunk": "8",
        "screw M2.5 x 5, pan head": "4",
        "screw M2 x 8 with nut": "8",
        "printed trap square": "2",
        "printed hood": "2",
        "printed comb and gauge": "1",
        "PLA filament, 1.75 mm": "106 g",
        "PETG filament, 1.75 mm": "17 g",
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
        "plug with its socket, 4 pins, for tiles and screens": "4",
        "plug with its socket, 4 pins, for seats": "2",
        "socket of 2 x 20 pins, 2.54 mm": "1",
    }
    assert rows["OLED 128x64, SSD1306"].note == "0x3C at screen of seat ANN; 0x3D at screen of seat BEN"
    assert rows["100 nF"].note == "one at each tile; none where a board carries its own"
    assert set(listed(example("2x2"))) > {what for what, _ in TOOLS}


def test_parts_of_special_tables() -> None:
    more = '[wiring]\nsupply = "regulator"\nhot_plug = true\n'
    text = text_of(4, 1, hub_tiles=1, more=more).replace("channel = 1\n", 'channel = 1\nmemory = "24aa02uid"\n', 1)
    parts = {part: row.number for part, row in listed(wired(read(text))).items()}
    assert parts["3.3 V regulator for 500 mA or more"] == "1"
    assert parts["TVS array for 4 lines, 3.3 V"] == "3"
    assert parts["100 Ohm"] == "10"
    assert parts["24AA02UID"] == "1"
    assert parts["Raspberry Pi Pico"] == "1"
    assert parts["USB cable that carries data, micro-B, 1.5 m"] == "1"


BY_ITS_NAME = ("screw ", "printed ", "PLA ", "PETG ")
"""The parts whose names say everything."""


@given(any_settings())
@settings(max_examples=6, deadline=None)
def test_every_part_can_be_ordered(given_settings: Settings) -> None:
    """And the column for the price is empty, in the page and in the spreadsheet."""
    table = parts_list(wired(given_settings))
    for row in table.rows[:-1]:
        _, _, part, order, _, _, price = row
        assert price == ""
        assert order or row[0] == "Tools" or part.startswith(BY_ITS_NAME), part
    assert (table.rows[-1][2], table.rows[-1][-1]) == ("sum", "")
    assert table.columns[-1] == "price"


def test_each_kind_of_pi_and_chip_has_a_name_in_a_shop() -> None:
    assert set(PI_NAMES.values()) <= set(ORDER)
    assert set(PI_NAMES.values()) == set(SUPPLIES)
    assert {f"{kind.part} board" for kind in ENCODERS.values()} <= set(ORDER)
    assert {chip.upper() for chip in get_args(MemoryChip)} <= set(ORDER)
    assert {f"OLED 128x64, {chip.upper()}" for chip in get_args(get_type_hints(ScreenSettings)["chip"])} <= set(ORDER)


def test_totals_by_the_size_of_the_table() -> None:
    table = totals({size: example(size) for size in ("starter", "16x4")})
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.columns == ("part", "starter", "16x4")
    assert rows["TCA9548A board"] == ("", "2")
    assert rows["screw M2.5 x 16, countersunk"] == ("4", "64")
    assert rows["PLA filament, 1.75 mm"] == ("59 g", "617 g")
    assert rows["terminal strip"] == ("", "4")
    assert rows["wire, all colours"] == ("2 m", "56 m")


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
    counts = [(row.number, row.part) for row in rows_of(wiring)]
    cables = sum(int(count) for count, part in counts if part.startswith(("lead of", "USB cable")))
    assert cables == len(wiring.leads) == len(cable_list(wiring).rows)
    boards = sum(int(count) for count, part in counts if part.endswith(" board"))
    assert boards == len(wiring.of(PartKind.MUX, PartKind.TILE))
    soldered = [each for each in wiring.fitted if not each.value.startswith("TVS")]
    assert sum(int(count) for count, part in counts if part.endswith(("Ohm", "nF", "uF"))) == len(soldered)
