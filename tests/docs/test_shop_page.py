"""The shop's page is read in two minutes, and its commands work with the settings that the package brings."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.station.package.contents import SETTINGS, settings
from tests.docs.pages import blocks, text

PAGE = "wiring_docs/shop.md"


def lines() -> list[str]:
    return [line for block in blocks(PAGE, "sh") for line in block.splitlines()]


def test_it_has_at_most_300_words_five_steps_and_the_picture() -> None:
    page = text(PAGE)
    prose = re.sub(r"\]\([^)]*\)", "]", re.sub(r"^!\[.*$", "", page, flags=re.MULTILINE))
    assert len(re.findall(r"\S*\w\S*", prose)) <= 300
    assert re.findall(r"^\*\*(\d)\.", page, re.MULTILINE) == list("12345")
    assert "](station_display.png)" in page


def test_the_reference_and_the_five_steps_name_each_other() -> None:
    assert "](station.md)" in text(PAGE)
    assert "](shop.md)" in text("wiring_docs/station.md").partition("##")[0]


@pytest.mark.parametrize("page", ["README.md", PAGE])
def test_the_package_has_the_name_that_make_deb_gives_it(page: str) -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    (pattern,) = re.findall(r"sudo apt install \./(\S+\.deb)", text(page))
    assert fnmatch(f"trapdial_{version}_arm64.deb", pattern)


@pytest.mark.parametrize("line", [line for line in lines() if " trapdial " in line])
def test_its_commands_work_with_the_packages_settings(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_text(settings().replace('pin = ""', 'pin = "271828"'), encoding="utf-8")
    program, *words = line.removeprefix("sudo ").replace(f"/{SETTINGS}", "trapdial.toml").split()
    ran = CliRunner().invoke(main, words)
    assert (program, ran.exit_code) == ("trapdial", 0), ran.output
    assert "sheet" not in words or list(tmp_path.glob("station_sheet/*.svg"))
