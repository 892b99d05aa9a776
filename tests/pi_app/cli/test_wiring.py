"""`trapdial wiring`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli import main
from pi_app.settings import example_path
from tests.pi_app.wiring.tables import text_of


def wiring(*words: str) -> Result:
    return CliRunner().invoke(main, ["wiring", *words])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_bytes(example_path("2x2").read_bytes())


def test_it_writes_a_folder() -> None:
    result = wiring("trapdial.toml", "-o", "out")
    count = len(list(Path("out").iterdir())) - 1
    assert result.output == f"{count} files in out. Start with out/guide.md.\n"
    assert Path("out/guide.md").read_text(encoding="utf-8").startswith("# Building Small table\n")


def test_where_to_is_asked_for() -> None:
    result = wiring()
    assert result.exit_code == 2
    assert "-o DIR" in result.output


def test_what_cannot_be_wired_is_refused_before_anything_is_written() -> None:
    Path("trapdial.toml").write_text(text_of(1, 2, more='[wiring]\npi = "zero2"\n'), encoding="utf-8")
    result = wiring("-o", "out")
    assert result.exit_code == 2
    assert result.output == (
        "trapdial.toml [bus.screens] device = '/dev/i2c-6': nobody knows which pins this bus has on a Raspberry Pi "
        "Zero 2 W; write sda_gpio and scl_gpio beside it, or the right `pi` in [wiring]\n"
        "trapdial.toml [bus.others] device = '/dev/i2c-4': nobody knows which pins this bus has on a Raspberry Pi "
        "Zero 2 W; write sda_gpio and scl_gpio beside it, or the right `pi` in [wiring]\n"
    )
    assert not Path("out").exists()


def test_settings_that_are_not_there() -> None:
    result = wiring("no.toml", "-o", "out")
    assert result.exit_code == 2
    assert result.output == "no.toml: there is no such file; check the name and the folder\n"
