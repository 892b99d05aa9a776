"""The guide for one table."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given, settings

from pi_app.plans.wiring.guide import guide
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import PartKind
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import any_settings, read, text_of


def of(given_settings: Settings) -> str:
    return guide(wired(given_settings), given_settings, "trapdial.toml")


def headings(text: str) -> list[str]:
    return re.findall(r"^## \d+\. (.*)$", text, re.MULTILINE)


def test_the_order_of_work() -> None:
    assert headings(of(load(example_path("16x4")))) == [
        "On paper",
        "The Pi",
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
    assert headings(small)[3:] == [
        "Mux 0x70 of bus dials",
        "The tiles, one by one",
        "Buttons and lamps",
        "Calibrate and play",
    ]
    assert "screen of" not in small
    assert "hub" not in small


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
