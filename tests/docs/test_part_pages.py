"""The pages of the things that one can hold: their tables are the wiring's, their quotes are the doctor's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec
import pytest

from firmware_host.board import board
from hardware.encoders import ENCODERS
from pi_app.plans.wiring import electrical, header
from pi_app.plans.wiring.fitting import ohms
from pi_app.plans.wiring.header import PI_NAMES
from pi_app.settings.wiring_section import WiringSettings
from tests.docs import part_tables as wanted
from tests.docs.pages import blocks, said, tables, text
from tests.docs.part_tables import Row
from tests.docs.scenes import SCENES, Scene
from tests.docs.sections import CHIPS, SECTIONS

THINGS = ("pi", "mux", "dial_tile", "lamp_and_button", "screen", "hub", "cable")
HEADS = ("What it is", "What to buy", "Its pins", "How it is set", "What the doctor says", "What breaks it")


def page(thing: str) -> str:
    return f"wiring_docs/{thing}.md"


def cells(thing: str, *heads: str) -> list[list[Row]]:
    """Every table of a page with these heads."""
    return [[tuple(row.values()) for row in rows] for rows in tables(page(thing), *heads)]


@pytest.mark.parametrize("thing", THINGS)
def test_each_page_answers_the_same_questions_in_the_same_order(thing: str) -> None:
    heads = re.findall(r"^## (.+)$", text(page(thing)), re.MULTILINE)
    assert tuple(heads[: len(HEADS)]) == HEADS


@pytest.mark.parametrize(
    ("thing", "parts"),
    [
        ("mux", ["mux dials 0x70"]),
        ("dial_tile", ["T01"]),
        ("lamp_and_button", ["button ANN", "lamp ANN"]),
        ("screen", ["screen ANN"]),
        ("cable", ["T01"]),
    ],
)
def test_the_pins_are_the_examples_own(thing: str, parts: list[str]) -> None:
    assert cells(thing, "its pin", "wire", "goes to") == [wanted.pins("2x2", part) for part in parts]


@pytest.mark.parametrize(
    ("thing", "part"),
    [("mux", "mux dials 0x70"), ("dial_tile", "T01"), ("lamp_and_button", "lamp ANN"), ("screen", "screens strip")],
)
def test_what_is_soldered_beside_it_is_the_wirings_own(thing: str, part: str) -> None:
    assert cells(thing, "part", "from", "to", "why") == [wanted.beside("2x2", part)]


def test_the_straps_of_a_tile_are_the_wirings_own() -> None:
    assert f"**{wanted.wiring('2x2').part('T01').set_to}**" in text(page("dial_tile"))


def test_the_straps_of_a_mux_make_its_address() -> None:
    assert cells("mux", "address", "straps") == [wanted.straps()]


def test_colours_mean_what_the_drawing_means() -> None:
    assert cells("cable", "colour", "means") == [wanted.colours()]


def test_the_header_is_the_codes_own() -> None:
    assert cells("pi", "inner row", "pin", "pin beside it", "outer row") == [wanted.forty_pins()]


def test_the_header_has_forty_pins() -> None:
    plain = [*header.V33_PINS, *header.V5_PINS, *header.GROUND_PINS]
    assert sorted([*plain, *header.BOARD_PIN.values()]) == list(range(1, 41))
    assert sorted(header.BOARD_PIN) == list(range(28))


def test_buses_are_switched_on_by_these_lines() -> None:
    heads = ("Pi", "device", "SDA: GPIO", "SCL: GPIO", "line of `config.txt`")
    assert cells("pi", *heads) == [wanted.buses()]


def test_config_txt_is_that_of_the_example() -> None:
    (block,) = blocks(page("pi"), "ini")
    assert block.splitlines() == [bus.config for bus in wanted.wiring("2x2").buses]


def test_the_pis_are_those_that_the_settings_know() -> None:
    (rows,) = cells("pi", "`pi` in `[wiring]`", "board", "good for")
    assert [(name.strip("`"), board_) for name, board_, _ in rows] == list(PI_NAMES.items())


def test_a_hub_is_wired_as_the_code_and_its_board_file_say() -> None:
    assert cells("hub", "mux pin", "wire", "Pico pin", "Pico name") == [wanted.pico()]
    assert (board.SDA, board.SCL, board.SPEED_HZ) == (header.PICO_SDA, header.PICO_SCL, header.PICO_SPEED_HZ)
    assert f"`MUX_RESET = {header.PICO_RESET}`" in text(page("hub"))
    leaving = {
        (str(wire.colour), wire.near.name, wire.near.called)
        for lead in wanted.wiring("16x4").leads
        for wire in lead.wires
        if wire.near.part == "hub west"
    }
    assert leaving == {row[1:] for row in wanted.pico()}
    (rows,) = tables(page("hub"), "name", "at first", "means")
    first = {row["name"].strip("`"): row["at first"].strip("`") for row in rows}
    assert {name: eval(value) for name, value in first.items()} == {name: getattr(board, name) for name in first}


def test_pull_ups_are_what_the_wiring_takes() -> None:
    chosen = WiringSettings()
    bus, channel, own = ohms(chosen.bus_pull_up_ohm), ohms(chosen.channel_pull_up_ohm), ohms(header.PI_PULL_UP_OHM)
    (rows,) = tables("wiring_docs/power.md", "stretch", "pull-ups")
    assert [re.findall(r"[0-9.]+ kOhm", row["pull-ups"]) for row in rows] == [[own], [bus], [bus], [channel]]
    assert [re.findall(r"[0-9.]+ kOhm", row["part"]) for row in tables(page("hub"), "how many", "part")[0][-3:]] == [
        ["10 kOhm"],
        [bus],
        [channel],
    ]


def test_lamps_have_the_resistor_of_the_wiring() -> None:
    ohm = WiringSettings().lamp_ohm
    milliamperes = round(electrical.lamp_ma(ohm))
    assert f"With {ohm} Ohm a lamp takes about\n{milliamperes} mA" in text(page("lamp_and_button"))
    assert f"{milliamperes} mA with {ohm} Ohm" in text("wiring_docs/power.md")


def test_supplies_give_and_parts_take_what_the_checks_reckon_with(tmp_path: Path) -> None:
    power = text("wiring_docs/power.md")
    (rows,) = tables("wiring_docs/power.md", "supply", "feeds", "gives", "take another when")
    gives = [re.findall(r"[0-9]+(?= mA (?:at most|,))|(?<=with )[0-9]+(?= mA,)", row["gives"]) for row in rows]
    limits = [WiringSettings().supply_ma, electrical.PICO_RAIL_MA, round(electrical.PIN_MA)]
    assert [int(number) for numbers in gives for number in numbers] == limits
    assert f"{ENCODERS['as5600'].most_ma} mA for an AS5600, {electrical.SCREEN_MA:g} mA for a screen" in power
    assert 900 < electrical.LEAST_OHM < 1000, "`below 1 kOhm`"
    example, check = blocks("wiring_docs/power.md", "sh")[0].splitlines()
    toml = said(example.partition(" > ")[0])
    (tmp_path / "trapdial.toml").write_text("\n".join(toml), encoding="utf-8")
    printed = said(f"{check} -s {tmp_path / 'trapdial.toml'}")
    assert set(blocks("wiring_docs/power.md", "text")[0].splitlines()) <= set(printed)


def keys() -> set[str]:
    """Every key that the settings or a hub's board file know."""
    kinds: set[type[msgspec.Struct]] = {*SECTIONS.values(), WiringSettings}
    return {field.name for kind in kinds for field in msgspec.structs.fields(kind)} | set(vars(board)) | {"lamp"}


@pytest.mark.parametrize("name", [*map(page, THINGS), "wiring_docs/power.md", CHIPS])
def test_settings_that_a_page_names_are_there(name: str) -> None:
    told = re.findall(r"`(?:\w+ = \{)?(\w+) = [^`]+`", text(name))
    assert set(told) <= keys()


# ------------------------------------------------------------------------------------------------ what the doctor says


def quotes() -> list[tuple[str, str, str]]:
    """Page, what is so, and the line that is quoted."""
    return [
        (thing, what, line.strip("` "))
        for thing in THINGS
        for rows in cells(thing, "what is so", "the doctor says")
        for what, line in rows
    ]


@cache
def lines(scene: Scene, folder: Path) -> frozenset[str]:
    return frozenset(scene(folder))


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stage")


@pytest.mark.parametrize("thing", THINGS)
def test_the_doctor_says_that(thing: str, stage: Path) -> None:
    for told, what, line in quotes():
        if told == thing:
            scene = SCENES[thing, what]
            folder = stage / str(list(SCENES.values()).index(scene))
            folder.mkdir(exist_ok=True)
            assert line in lines(scene, folder), (what, *sorted(lines(scene, folder)))


def test_every_scene_is_told_on_its_page() -> None:
    assert list(dict.fromkeys((thing, what) for thing, what, _ in quotes())) == sorted_like_pages(SCENES)


def sorted_like_pages(scenes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """In the order of the pages, and within a page as they stand."""
    return sorted(scenes, key=lambda scene: THINGS.index(scene[0]))
