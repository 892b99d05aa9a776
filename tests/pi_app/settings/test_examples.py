"""The example files load, have a sensible wiring, and explain every setting."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from pi_app.game.ruleset import Ruleset, settled
from pi_app.game.trap_table import Trap
from pi_app.plans.wiring.checks import noticed
from pi_app.settings import load as settings
from pi_app.settings.example_text import FULL
from pi_app.settings.hubs import HubSettings
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import ArtifactSettings, BusSettings, MuxSettings, ScreenSettings, Settings, TableSettings
from pi_app.settings.pages_section import PagesSettings
from pi_app.settings.station_section import StationSettings
from pi_app.settings.trap_tables import tables_beside
from pi_app.settings.wiring_section import WiringSettings
from pi_app.station.build import station_settings
from pi_app.text.languages import LANGUAGES

SIZES = {"starter": (1, 1), "2x2": (2, 2), "8x4": (8, 4), "16x4": (16, 4), "station": (4, 4)}


@pytest.fixture(params=FULL)
def full(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=EXAMPLES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_each_example_has_the_size_that_it_says(size: str) -> None:
    read = load(example_path(size))
    assert (len(read.squares), len(read.seats)) == SIZES[size]
    assert sorted(SIZES) == sorted(EXAMPLES)


def test_the_only_warning_is_that_its_tables_are_samples(size: str) -> None:
    read = load(example_path(size))
    assert [problem.reason.split(";")[0] for problem in read.warnings] == ["SAMPLE tables are in use"]
    assert read.uses_samples


def test_screens_have_their_own_bus_and_every_mux_a_reset(full: str) -> None:
    read = load(example_path(full))
    dials = {square.bus for square in read.squares.values()}
    screens = {seat.screen.bus for seat in read.seats.values() if seat.screen is not None}
    assert dials.isdisjoint(screens)
    assert [mux.reset_gpio for bus in read.buses.values() for mux in bus.mux] == [17]


def test_every_seat_has_a_button_a_lamp_and_a_screen(full: str) -> None:
    assert all(seat.lamp_gpio and seat.screen for seat in load(example_path(full)).seats.values())


def test_the_starter_is_one_square_one_button_and_one_lamp_without_a_mux() -> None:
    read = load(example_path("starter"))
    (seat,) = read.seats.values()
    assert [bus.mux for bus in read.buses.values()] == [()]
    assert (seat.screen, seat.lamp, seat.lamp_gpio is not None) == (None, None, True)
    assert not noticed(read)


def test_every_line_of_the_starter_is_explained() -> None:
    """A key has a comment beside it, or is a name or a device."""
    lines = example_path("starter").read_text(encoding="utf-8").splitlines()
    bare = [line for line in lines if " = " in line and "#" not in line]
    assert bare == ['device = "/dev/i2c-1"', 'bus = "dials"', 'name = "Ann"']


def test_the_station_is_one_with_pages() -> None:
    read = load(example_path("station"))
    assert read.station is not None
    assert msgspec.structs.replace(read.station, languages=LANGUAGES) == StationSettings()
    assert read.pages == PagesSettings(port=8080)
    assert station_settings(read).table == read.table
    assert [seat.name for seat in station_settings(read).seats.values()] == [*read.seats]
    assert not noticed(read)


def test_one_die_can_meet_all_eight_traps(full: str) -> None:
    squares = load(example_path(full)).squares.values()
    assert {face.trap for square in squares for face in square.table.faces[1:7]} == {*Trap, None}


def test_the_pins_are_free_on_every_pi(size: str) -> None:
    """2, 3 the dials' bus; 14, 15 the console; 4 to 9, 12, 13, 22, 23 other buses of a Pi 4 or 5."""
    read = load(example_path(size))
    pins = [pin for seat in read.seats.values() for pin in (seat.button_gpio, seat.lamp_gpio)]
    assert not set(pins) & {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 22, 23, 17}


def test_the_long_table_explains_its_hub() -> None:
    explained = set(re.findall(r"^(?:# )?(\w+) = [^#\n]*#", example_path("16x4").read_text(), re.MULTILINE))
    assert keys_of(HubSettings) | {"hub"} <= explained


def keys_of(kind: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(kind)}


def test_every_setting_is_there_with_a_comment_beside_it(full: str) -> None:
    explained = set(re.findall(r"^(?:# )?(\w+) = [^#\n]*#", example_path(full).read_text(), re.MULTILINE))
    explained |= {"device", "speed_hz", "name", "mux", "bus"}
    wanted = keys_of(TableSettings) | keys_of(MuxSettings) | keys_of(BusSettings)
    wanted |= keys_of(Ruleset) | keys_of(ScreenSettings) | keys_of(ArtifactSettings)
    wanted |= keys_of(WiringSettings)
    assert wanted - explained == set()
    assert {"table", "invert", "chip", "channel"} <= explained


STATION_PLAYS: dict[str, Any] = {"roll": "device", "shuffle": True}
"""What a station does whatever its settings say."""


def test_values_in_the_examples_are_the_defaults(size: str) -> None:
    read = load(example_path(size))
    assert read.table == TableSettings(name=read.table.name, **(STATION_PLAYS if size == "station" else {}))
    assert read.ruleset == settled({})
    assert read.artifacts == ArtifactSettings()
    lengths = {name: getattr(read.wiring, name) for name in keys_of(WiringSettings) if name.endswith("_m")}
    assert read.wiring == WiringSettings(**lengths)


def test_leads_have_lengths_that_a_table_needs(full: str) -> None:
    read = load(example_path(full))
    chosen = read.wiring
    tiles = [square.lead_m or chosen.lead_m for square in read.squares.values()]
    leads = [*tiles, chosen.trunk_m, chosen.screen_m, chosen.seat_m]
    assert all(0.1 <= metres <= 1 for metres in leads)
    assert len({*tiles}) == 2, "one tile shows that a square may say its own"


def test_a_copied_example_is_a_whole_table_anywhere(size: str) -> None:
    read = settings.parse(example_path(size).read_text(), "trapdial.toml", tables_beside(example_path(size)))
    assert isinstance(read, Settings)
