"""The steps of wiring_docs/adding_a_chip.md, done with an encoder and a screen that do not exist, and a game."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.copied import Copy, copy
from tests.docs.pages import tables
from tests.docs.sections import CHIPS
from tests.layers import ROOT

NAME, SCREEN = "xe7000", "ye64"
FILES = ROOT / "tests/new_chip"
STEPS = [
    {
        "the twin": f"hardware/sims/{NAME}.py",
        "the driver": f"hardware/chips/{NAME}.py",
        "the line of the driver": "hardware/encoders.py",
        "the line of the twin": "hardware/sims/encoders.py",
    },
    {
        "the twin": f"hardware/sims/{SCREEN}.py",
        "the chip": f"hardware/chips/{SCREEN}.py",
        "the line of the chip": "hardware/screen_kinds.py",
        "the line of the twin": "hardware/sims/screens.py",
    },
]
TABLE = "table.toml"

pytestmark = pytest.mark.slow


def steps() -> list[dict[str, str]]:
    """What the page tells to write, and where, with these names in place of its examples."""
    pages = tables(CHIPS, "part", "file", "what you write")
    files = [{row["part"]: row["file"].strip("`") for row in rows if "`hardware/" in row["file"]} for rows in pages]
    return [{part: named(file) for part, file in each.items()} for each in files]


def named(file: str) -> str:
    return file.replace("mt6701", NAME).replace("sh1106", SCREEN)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which the steps of the page have been done, and no others; and a table with both chips."""
    encoder, screen = steps()
    assert [encoder, screen] == STEPS
    place = copy(tmp_path_factory.mktemp("chip") / "copy")
    shutil.copy(FILES / "twin.py", place.root / encoder["the twin"])
    shutil.copy(FILES / "driver.py", place.root / encoder["the driver"])
    shutil.copy(FILES / "screen_twin.py", place.root / screen["the twin"])
    shutil.copy(FILES / "screen.py", place.root / screen["the chip"])
    for line in (encoder["the line of the driver"], encoder["the line of the twin"]):
        place.insert_after(line, '    "seesaw",', f'    "{NAME}",')
    for line in (screen["the line of the chip"], screen["the line of the twin"]):
        place.insert_after(line, '    "sh1106",', f'    "{SCREEN}",')
    place.run("tests.docs.lists")
    settings = (place.root / "pi_app/settings/examples/table-2x2.toml").read_text(encoding="utf-8")
    for usual, new in (("as5600", f'"{NAME}"\naddress = 0x1B'), ("ssd1306", f'"{SCREEN}"')):
        settings = re.sub(rf'^chip = "{usual}".*$', f"chip = {new}", settings, count=1, flags=re.MULTILINE)
    (place.root / TABLE).write_text(settings, encoding="utf-8")
    return place


def test_the_settings_take_them(there: Copy) -> None:
    there.run("pi_app", "settings", "check", "--settings", TABLE)


def test_the_doctor_finds_them(there: Copy) -> None:
    told = there.run("pi_app", "doctor", "--simulated", "--seconds", "0.1", "--settings", TABLE)
    assert re.findall(r"^(\S+) +encoder of T01 .*: (.*)$", told, re.MULTILINE) == [
        ("ok", "magnet good (no gain reported)")
    ]
    assert "screen of seat ANN (simulated /dev/i2c-6 0x3C): answers; that it is a ye64 cannot be checked" in told


def game(there: Copy, settings: str) -> list[str]:
    """What everyone is told of a game that twins play, but the record's head, which is signed with another key."""
    told = there.run("pi_app", "demo", "--auto", "--seed", "3", "--plain", "--settings", settings)
    return [line for line in told.splitlines() if "| " in line and "TRAPDIAL1" not in line]


def test_a_game_on_them_is_told_as_any_other(there: Copy) -> None:
    lines = game(there, TABLE)
    assert any("T01: exposed by" in line for line in lines)
    assert lines == game(there, "pi_app/settings/examples/table-2x2.toml")


def test_they_are_bought_wired_and_checked_before_power(there: Copy) -> None:
    there.run("pi_app", "wiring", "--settings", TABLE, "-o", "wires", fails=True)
    parts = (there.root / "wires/parts.md").read_text(encoding="utf-8")
    assert "XE7000 board" in parts
    assert "a board that nobody sells" in parts
    assert "OLED 128x64, YE64" in parts
    assert "a screen that nobody sells" in parts
    checked = there.run("pi_app", "wiring", "--settings", TABLE, "--check", fails=True)
    bad = [line for line in checked.splitlines() if line.startswith("!!")]
    assert [line.partition("). ")[0] for line in bad] == [
        "!!  clock (bus screens): 400 kHz, at most 200 kHz (a datasheet that nobody wrote"
    ]


@pytest.mark.parametrize(
    ("page", "row"),
    [
        ("encoders.md", f"| `{NAME}` | XE7000 | 0x1A to 0x1B by its pin A0 | 8192 | yes | yes |"),
        ("electrical.md", "| XE7000 | 9 mA |"),
        ("electrical.md", "| 0x1A to 0x1B | XE7000 | a codec that nobody makes |"),
        ("settings.md", f"'seesaw' or '{NAME}' |"),
        ("settings.md", f"'ssd1306', 'sh1106' or '{SCREEN}' |"),
    ],
)
def test_the_pages_list_it(there: Copy, page: str, row: str) -> None:
    assert row in (there.root / "wiring_docs" / page).read_text(encoding="utf-8")


CHECKED = (
    "tests/contract/test_encoder_contract.py",
    "tests/hardware/test_screens.py",
    "tests/pi_app/workshop/bench/test_hands.py",
    "tests/docs/test_lists.py",
    "tests/docs/test_settings_page.py",
)


def test_what_is_asked_of_all_is_asked_of_them(there: Copy) -> None:
    told = there.run("pytest", "-q", "-p", "no:cacheprovider", "-k", f"{NAME} or {SCREEN} or lists or square", *CHECKED)
    assert int(re.findall(r"(\d+) passed", told)[0]) > 30
