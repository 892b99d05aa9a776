"""The steps of wiring_docs/adding_a_chip.md, done with an encoder that does not exist, and a game on it."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.copied import Copy, copy
from tests.docs.pages import tables
from tests.docs.sections import CHIPS
from tests.layers import ROOT

NAME = "xe7000"
FILES = ROOT / "tests/new_chip"
STEPS = {
    "the twin": f"hardware/sims/{NAME}.py",
    "the driver": f"hardware/chips/{NAME}.py",
    "the line of the driver": "hardware/encoders.py",
    "the line of the twin": "hardware/sims/encoders.py",
}
TABLE = "table.toml"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which the steps of the page have been done, and no others; and a table with the chip at one square."""
    (rows,) = tables(CHIPS, "part", "file", "what you write")
    files = {row["part"]: row["file"].strip("`").replace("mt6701", NAME) for row in rows}
    assert {part: file for part, file in files.items() if file.startswith("hardware/")} == STEPS
    place = copy(tmp_path_factory.mktemp("chip") / "copy")
    shutil.copy(FILES / "twin.py", place.root / files["the twin"])
    shutil.copy(FILES / "driver.py", place.root / files["the driver"])
    for part in ("the line of the driver", "the line of the twin"):
        place.insert_after(files[part], '    "seesaw",', f'    "{NAME}",')
    place.run("tests.docs.lists")
    example = (place.root / "pi_app/settings/examples/table-2x2.toml").read_text(encoding="utf-8")
    square = re.sub(r'^chip = "as5600".*$', f'chip = "{NAME}"\naddress = 0x1B', example, count=1, flags=re.MULTILINE)
    (place.root / TABLE).write_text(square, encoding="utf-8")
    return place


def test_the_settings_take_it(there: Copy) -> None:
    there.run("pi_app", "settings", "check", "--settings", TABLE)


def test_the_doctor_finds_it(there: Copy) -> None:
    told = there.run("pi_app", "doctor", "--simulated", "--seconds", "0.1", "--settings", TABLE)
    assert re.findall(r"^(\S+) +encoder of T01 .*: (.*)$", told, re.MULTILINE) == [
        ("ok", "magnet good (no gain reported)")
    ]


def game(there: Copy, settings: str) -> list[str]:
    """What everyone is told of a game that twins play, but the record's head, which is signed with another key."""
    told = there.run("pi_app", "demo", "--auto", "--seed", "3", "--plain", "--settings", settings)
    return [line for line in told.splitlines() if "| " in line and "TRAPDIAL1" not in line]


def test_a_game_on_it_is_told_as_any_other(there: Copy) -> None:
    lines = game(there, TABLE)
    assert any("T01: exposed by" in line for line in lines)
    assert lines == game(there, "pi_app/settings/examples/table-2x2.toml")


def test_it_is_bought_wired_and_checked_before_power(there: Copy) -> None:
    there.run("pi_app", "wiring", "--settings", TABLE, "-o", "wires")
    parts = (there.root / "wires/parts.md").read_text(encoding="utf-8")
    assert "XE7000 board" in parts
    assert "a board that nobody sells" in parts


@pytest.mark.parametrize(
    ("page", "row"),
    [
        ("encoders.md", f"| `{NAME}` | XE7000 | 0x1A to 0x1B by its pin A0 | 8192 | yes | yes |"),
        ("electrical.md", "| XE7000 | 9 mA |"),
        ("electrical.md", "| 0x1A to 0x1B | XE7000 | a codec that nobody makes |"),
        ("settings.md", f"'seesaw' or '{NAME}' |"),
    ],
)
def test_the_pages_list_it(there: Copy, page: str, row: str) -> None:
    assert row in (there.root / "wiring_docs" / page).read_text(encoding="utf-8")


CHECKED = (
    "tests/contract/test_encoder_contract.py",
    "tests/pi_app/workshop/bench/test_hands.py",
    "tests/docs/test_lists.py",
    "tests/docs/test_settings_page.py",
)


def test_what_is_asked_of_every_encoder_is_asked_of_it(there: Copy) -> None:
    told = there.run("pytest", "-q", "-p", "no:cacheprovider", "-k", f"{NAME} or lists or square", *CHECKED)
    assert int(re.findall(r"(\d+) passed", told)[0]) > 15
