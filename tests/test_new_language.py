"""The steps of wiring_docs/languages.md for a new language, done with one that does not exist, and a game in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po

from pi_app.game.trap_words import TRAP_NAMES
from tests.catalogues import forms
from tests.copied import Copy, copy
from tests.docs.pages import text

CODE, NAME = "qq", "Quîqu"
KEPT = re.compile(r"(\{[^{}]*\}|`[^`]*`|[A-Z]+(?:-[A-Z]+)*-[0-9]+|N\+|AS5600|GND|VDD5V|DIR)")
VOWELS = str.maketrans("aeiouAEIOU", "eiouaEIOUA")

pytestmark = pytest.mark.slow


def say(message: str) -> str:
    """A sentence in the language: each vowel is the next one. A word that is typed at the table is one word."""
    message = message.replace("_", "") if message.startswith("/") else message
    return "".join(part if KEPT.fullmatch(part) else part.translate(VOWELS) for part in KEPT.split(message))


def translate(catalogue: Path) -> None:
    """What a translator does between two `make words`."""
    with catalogue.open("rb") as file:
        made = read_po(file)
    assert len(made) > 500
    for message in made:
        if message.id:
            assert not any(forms(message.string)), "it is empty"
            said = tuple(map(say, forms(message.id)))
            message.string = said if message.pluralizable else said[0]
    with catalogue.open("wb") as file:
        write_po(file, made)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which the steps of the page have been done, and no others."""
    steps = text("wiring_docs/languages.md").split("## Add a language\n")[1].split("Nothing else names")[0]
    assert re.findall(r"`((?:make|pi_app|\.venv)[^`\n]*)`", steps) == [
        "pi_app/text/languages.py",
        "make words",
        "pi_app/text/locale",
        "make words",
        "pi_app/displays/letters.py",
        ".venv/bin/python -m tests.pi_app.station.display.golden",
        "make test",
    ]
    line = re.findall(r"^ {3}( *\"nl\": \"Nederlands\",)$", steps, re.MULTILINE)[0]
    place = copy(tmp_path_factory.mktemp("language") / "copy")
    place.insert_after(
        "pi_app/text/languages.py",
        '        "it": "Italiano",',
        line.replace("nl", CODE).replace("Nederlands", NAME),
    )
    place.run("tests.catalogues")
    translate(place.root / "pi_app/text/locale" / CODE / "LC_MESSAGES/trapdial.po")
    place.run("tests.catalogues")
    place.run("tests.pi_app.station.display.golden")
    return place


def table(there: Copy) -> str:
    """Settings of a table that speaks it, as a file of the copy."""
    example = (there.root / "pi_app/settings/examples/table-2x2.toml").read_text(encoding="utf-8")
    path = there.root / "table.toml"
    station = f'\n[station]\nlanguages = ["{CODE}", "en"]\npin = "123456"\n'
    path.write_text(re.sub(r'^language = "en"', f'language = "{CODE}"', example, flags=re.MULTILINE) + station)
    return str(path)


def test_the_settings_take_it(there: Copy) -> None:
    there.run("pi_app", "settings", "check", "--settings", table(there))


def test_a_game_is_played_in_it(there: Copy) -> None:
    told = there.run("pi_app", "demo", "--auto", "--seed", "7", "--exposes", "2", "--plain", "--language", CODE)
    assert any(say(name) in told for name in TRAP_NAMES.values())
    assert not any(name in told for name in TRAP_NAMES.values())


def test_the_station_shows_it_on_its_sheet_and_its_staff_page(there: Copy) -> None:
    sheets = there.root / "sheets"
    there.run("pi_app", "station", "sheet", "--settings", table(there), "-o", str(sheets))
    assert {path.name for path in sheets.iterdir()} == {
        f"station_sheet_{language}_{number}.svg" for language in (CODE, "en") for number in (1, 2)
    }
    words = (there.root / "pi_app/pages/page/staff_words.json").read_text(encoding="utf-8")
    assert f'"name": "{NAME}"' in words


@pytest.mark.parametrize("page", ["lamp_cards.md", "table_words_languages.md", "settings.md", "languages.md"])
def test_the_pages_name_it(there: Copy, page: str) -> None:
    said = (there.root / "wiring_docs" / page).read_text(encoding="utf-8")
    assert (f"'{CODE}'" if page == "settings.md" else NAME) in said


CHECKED = (
    "tests/pi_app/text/test_language.py",
    "tests/pi_app/text/test_table_words.py",
    "tests/pi_app/settings",
    "tests/pi_app/rooms/test_settings.py",
    "tests/pi_app/displays/test_screens.py",
    "tests/pi_app/pages/test_built.py",
    "tests/pi_app/pages/test_content.py",
    "tests/pi_app/plans/wiring/test_word_card.py",
    "tests/pi_app/station/display/test_boards.py",
    "tests/pi_app/station/staff/test_sheet.py",
    "tests/pi_app/station/visits/test_seat_pictures.py",
    "tests/pi_app/cli/test_rooms.py",
    "tests/pi_app/cli/test_settings_new.py",
    "tests/docs/test_settings_page.py",
    "tests/docs/test_lists.py",
)
"""Tests that name a language, or are asked of each."""


def test_the_projects_own_tests_pass_with_it(there: Copy) -> None:
    told = there.run("pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not wired", *CHECKED)
    assert int(re.findall(r"(\d+) passed", told)[0]) > 500
