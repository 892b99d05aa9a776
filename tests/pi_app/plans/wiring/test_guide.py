"""The guide for one table."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given, settings

from pi_app.plans.printed.table import STEPS
from pi_app.plans.wiring.guide import guide
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import PartKind
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import Settings
from tests.docs.pages import ROOT
from tests.pi_app.plans.wiring.tables import any_settings, read, text_of


def of(given_settings: Settings, *there: str) -> str:
    return guide(wired(given_settings), given_settings, "trapdial.toml", there=there)


def headings(text: str) -> list[str]:
    return re.findall(r"^## \d+\. (.*)$", text, re.MULTILINE)


def test_the_order_of_work() -> None:
    assert headings(of(load(example_path("16x4")))) == [
        "On paper",
        "The Pi",
        "The squares",
        "The leads",
        "Power",
        "Strips of the buses",
        "Mux 0x70 of bus dials",
        "The tiles, one by one",
        "The screens",
        "Buttons and lamps",
        "Hub west",
        "Calibrate and play",
    ]


def test_every_step_ends_with_a_check() -> None:
    """The last box of each step is a check by the program, a meter or by eye."""
    told = of(load(example_path("16x4")))
    steps = re.split(r"^## \d+\. ", told, flags=re.MULTILINE)[1:]
    seen = re.compile(r"The doctor reports|Meter on|`ok`|is right|printed|able to see|by eye|answers")
    for step in steps:
        last = [line for line in step.splitlines() if line.startswith("- [ ]")][-1]
        assert seen.search(last), f"{step.splitlines()[0]}: {last}"


def test_only_strips_with_pull_ups_are_checked_for_their_level() -> None:
    bare = "[wiring]\nbus_pull_up_ohm = 0\nscreen_pull_up_ohm = 4700\n"
    held = "the pull-ups hold SDA and SCL"
    assert held in of(read(text_of(1, 2)))
    assert held not in of(read(text_of(1, 2, more=bare)))


def test_only_parts_of_the_table() -> None:
    text = text_of(1, 1).split("[seat.S0.screen]")[0]
    small = of(read(text))
    assert headings(small)[2:] == [
        "The square",
        "The leads",
        "Power",
        "Mux 0x70 of bus dials",
        "The tile",
        "Buttons and lamps",
        "Calibrate and play",
    ]
    assert "screen of" not in small
    assert "hub" not in small


def test_the_square_is_built_with_its_picture_and_its_steps() -> None:
    told = of(load(example_path("starter")), "square.svg", "faces_1.svg")
    square = told.partition("## 3. The square\n")[2].partition("\n## ")[0]
    assert "![The parts of a square in the order of assembly, upside down](square.svg)" in square
    assert "The paper faces: [faces_1.svg](faces_1.svg)." in square
    assert "`trapdial wiring -o DIR --printed` writes the parts to print into DIR" in square
    boxes = [line.removeprefix("- [ ] ") for line in told.splitlines() if line.startswith("- [ ] ")]
    built = [step for step in STEPS if any(one.startswith(step) for one in boxes)]
    assert [step for step in STEPS if step not in built] == [STEPS[6], STEPS[10]], "the guide has them in other words"
    assert "Put the board into the carrier's frame, chip towards the magnet." in boxes
    assert "Many boards carry both already" in told


def test_the_square_links_its_printed_parts_if_they_are_there_and_no_missing_picture() -> None:
    told = of(
        load(example_path("2x2")), "printed/8_clicks/parts.md", "printed/8_clicks/top.stl", "printed/12_clicks/parts.md"
    )
    assert (
        "The parts to print are in [printed/12_clicks](printed/12_clicks/parts.md), "
        "[printed/8_clicks](printed/8_clicks/parts.md): `first.3mf` once, then `square.3mf` for each square."
    ) in told
    assert "--printed" not in told
    assert "![" not in told


def test_squares_that_are_bought_are_not_printed() -> None:
    text = re.sub(r"(\[square\.T\w+\]\n)", r'\1chip = "seesaw"\n', text_of(1, 1))
    told = of(read(text))
    assert "The square" not in headings(told)
    assert "carrier" not in told


def test_the_capacitors_are_explained_once_wherever_the_first_tile_is() -> None:
    on_pi, on_hub = of(load(example_path("16x4"))), of(read(text_of(0, 1, hub_tiles=2)))
    for told in (on_pi, on_hub):
        assert told.count("**Capacitors.**") == 1
        assert told.index("**Capacitors.**") < told.index("### Tile ")


def test_hoods_and_plugs() -> None:
    small, starter = (of(load(example_path(size))) for size in ("2x2", "starter"))
    assert (
        "- [ ] Press each lamp into the tube of a hood, and screw a screen to the back of the same hood's plate with "
        "four M2 screws and nuts."
    ) in small
    assert "- [ ] Press each lamp into the tube of a hood.\n" in starter
    assert "- [ ] The leads of tiles and screens and seats have a latched plug and socket" in small
    assert "screen" not in starter


def test_a_table_without_strips_only_measures_its_supply() -> None:
    power = of(load(example_path("starter"))).partition("## 5. Power\n")[2].partition("\n## ")[0]
    assert power.splitlines()[-1] == (
        "- [ ] Plug the supply in. Meter on volts, black on pin 6 and red on pin 1: 3.2 to 3.4 V. Unplug it."
    )


def test_pages_of_the_documentation_are_named_in_one_way() -> None:
    """`page` makes every name, so that they all change together."""
    for size in EXAMPLES:
        guide = of(load(example_path(size)))
        named = re.findall(r"`trapdial docs (\w+)`", guide)
        assert len(named) >= 4
        assert "wiring_docs" not in guide
        for name in named:
            assert (ROOT / "wiring_docs" / f"{name}.md").is_file()


@given(any_settings())
@settings(max_examples=8, deadline=None)
def test_every_lead_and_every_resistor_is_listed(given_settings: Settings) -> None:
    wiring, told = wired(given_settings), of(given_settings)
    for lead in wiring.leads:
        if not lead.usb:
            assert told.count(f"**{lead.label}**") == 1, lead.label
    counted = sum(int(count) for count in re.findall(r"- \[ \] (\d+) x ", told))
    assert counted == len(wiring.fitted)
    for tile in wiring.of(PartKind.TILE):
        assert f"### Tile {tile.id}\n" in told


@pytest.mark.parametrize("size", EXAMPLES)
def test_every_command_exists(size: str) -> None:
    from tests.docs.pages import resolved

    text = of(load(example_path(size)))
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert lines
    for line in lines:
        command, rest = resolved(line)
        known = {option for parameter in command.params for option in parameter.opts}
        assert all(word in known for word in rest if word.startswith("-")), line
        assert shlex.split(line)[0] == "trapdial"
