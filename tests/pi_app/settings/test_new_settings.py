"""Whatever six answers somebody gives, the settings are good, nothing clashes, and no check before power fails."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from pi_app.plans.wiring import header
from pi_app.plans.wiring.checks import noticed
from pi_app.plans.wiring.folder import files
from pi_app.plans.wiring.nets import wired
from pi_app.settings.load import parse
from pi_app.settings.model import Settings
from pi_app.settings.new_settings import MOST_SEATS, MOST_SQUARES, TableAnswers, new_settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.settings.trap_tables import tables_beside
from pi_app.settings.wiring_section import PiModel
from pi_app.text.languages import LANGUAGES

MODELS = get_args(PiModel)


def read(new: TableAnswers) -> Settings:
    settings = parse(new_settings(new), "trapdial.toml", tables_beside(Path()))
    assert isinstance(settings, Settings), (new, settings)
    return settings


def tables(pi: PiModel) -> Iterator[TableAnswers]:
    """Yield every number of squares, seats and screens; phones and languages go around."""
    others = itertools.cycle(itertools.product((False, True), LANGUAGES))
    for squares, seats in itertools.product(range(1, MOST_SQUARES + 1), range(1, MOST_SEATS + 1)):
        for screens in range(seats + 1):
            yield TableAnswers(pi, squares, seats, screens, *next(others))


def pins(settings: Settings) -> Iterator[int]:
    """Yield every GPIO in use, as often as something uses it; the muxes share their RESET."""
    for bus in settings.buses.values():
        lines = header.bus_pins(settings.wiring.pi, header.bus_number(bus.device), bus.sda_gpio, bus.scl_gpio)
        assert lines is not None
        yield from lines
        yield from {mux.reset_gpio for mux in bus.mux if mux.reset_gpio is not None}
    for seat in settings.seats.values():
        yield from seat.gpios


def addresses(settings: Settings) -> Iterator[tuple[object, ...]]:
    for square in settings.squares.values():
        yield square.bus, square.mux, square.channel, square.address
    for seat in settings.seats.values():
        if seat.screen is not None:
            yield seat.screen.bus, None, None, seat.screen.address
    for name, bus in settings.buses.items():
        yield from ((name, None, None, mux.address) for mux in bus.mux)


@pytest.mark.parametrize("pi", MODELS)
def test_every_table_is_good_and_has_no_clash(pi: PiModel) -> None:
    for new in tables(pi):
        settings = read(new)
        assert (len(settings.squares), len(settings.seats)) == (new.squares, new.seats)
        assert [seat.screen is not None for seat in settings.seats.values()].count(True) == new.screens
        assert all(seat.has_lamp for seat in settings.seats.values() if seat.screen is None)
        assert (settings.pages is not None, settings.table.language) == (new.phones, new.language)
        assert [problem.reason.split(";")[0] for problem in settings.warnings] == ["SAMPLE tables are in use"]
        assert max(Counter(pins(settings)).values()) == 1, new
        assert max(Counter(addresses(settings)).values()) == 1, new


@pytest.mark.parametrize("pi", MODELS)
def test_no_check_before_power_fails(pi: PiModel) -> None:
    for squares, screens in itertools.product((1, 2, 8, 9, 16), range(MOST_SEATS + 1)):
        settings = read(TableAnswers(pi, squares, MOST_SEATS, screens))
        assert noticed(settings) == (), (squares, screens)
        assert wired(settings).leads


@pytest.mark.parametrize("new", [TableAnswers("zero2", 1, 1, 0), TableAnswers("5", 9, 4, 3, phones=True)])
def test_the_whole_folder_of_its_wiring_is_written(new: TableAnswers) -> None:
    settings = read(new)
    written = files(settings, "trapdial.toml")
    assert {"guide.md", "wiring.svg", "config.txt", "parts.md"} <= set(written)
    assert ("phone_cards_1.svg" in written) == new.phones
    lines = written["config.txt"].decode()
    assert lines.count("i2c") >= len(settings.buses)


def test_phones_open_a_port_that_an_ordinary_user_may_open() -> None:
    assert read(TableAnswers(phones=True)).pages == PagesSettings(port=8080)


def test_comments_stand_in_one_column() -> None:
    texts = [new_settings(TableAnswers(pi, 9, 4, 3, phones=True)) for pi in MODELS]
    columns = {
        line.index(" # ") + 1
        for text in texts
        for line in text.splitlines()
        if " # " in line and not line.startswith("#")
    }
    assert columns == {27}
