"""One key is written into a settings file, and nothing else of it changes."""

from __future__ import annotations

import tomllib

import pytest

from pi_app.settings.load import EXAMPLES, example_path
from pi_app.settings.written_key import with_table_key


def written(text: str, value: str = "calibration.toml") -> str | None:
    return with_table_key(text, "calibration", value)


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_line_of_an_example_changes(name: str) -> None:
    text = example_path(name).read_text(encoding="utf-8")
    new = written(text)
    assert new is not None
    changed = [(one, other) for one, other in zip(text.splitlines(), new.splitlines(), strict=True) if one != other]
    ((before, after),) = changed
    assert after == before.replace('calibration = ""', 'calibration = "calibration.toml"')


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("[table]\nname = 'x'", "[table]\ncalibration = \"calibration.toml\"\nname = 'x'"),
        ("[table]", '[table]\ncalibration = "calibration.toml"\n'),
        ("[table] # here\n[bus.a]\n", '[table] # here\ncalibration = "calibration.toml"\n[bus.a]\n'),
        ("[table]\ncalibration = 'old' # mine\n", '[table]\ncalibration = "calibration.toml" # mine\n'),
        ("[table]\n# calibration = ''\n", "[table]\ncalibration = \"calibration.toml\"\n# calibration = ''\n"),
        ("[a]\ncalibration = ''\n[table]\n", "[a]\ncalibration = ''\n[table]\ncalibration = \"calibration.toml\"\n"),
    ],
)  # fmt: skip
def test_the_key_is_found_or_added(text: str, after: str) -> None:
    assert written(text) == after


@pytest.mark.parametrize(
    "text", ["table = {name = 'x'}\n", "table.name = 'x'\n", "[bus]\n", '[table]\ncalibration = """"""\n']
)
def test_a_file_in_another_form_is_left_alone(text: str) -> None:
    assert written(text) is None


def test_a_name_with_quotes_survives() -> None:
    new = written("[table]\n", 'my "best" dials\\x.toml')
    assert new is not None
    assert tomllib.loads(new)["table"]["calibration"] == 'my "best" dials\\x.toml'
