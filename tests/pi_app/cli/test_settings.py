"""`trapdial settings`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.settings import settings
from pi_app.settings.example_text import example_text
from pi_app.settings.load import EXAMPLES, example_path
from pi_app.text.errors import UserFileError


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(settings, [str(word) for word in words], help_option_names=["-h", "--help"])


@pytest.mark.parametrize("size", EXAMPLES)
def test_an_example_goes_through_check_without_change(size: str, tmp_path: Path) -> None:
    shown = run("example", size)
    assert shown.output == example_text(size)
    copied = tmp_path / "trapdial.toml"
    copied.write_text(shown.output)
    result = run("check", "-s", copied)
    assert result.exit_code == 0
    sizes = {
        "starter": "1 square, 1 seat, 1 bus",
        "2x2": "2 squares, 2 seats, 2 buses",
        "8x4": "8 squares, 4 seats, 3 buses",
        "16x4": "16 squares, 4 seats, 3 buses, 1 hub",
        "station": "4 squares, 4 seats, 3 buses",
    }
    assert result.output.splitlines() == [
        f"warning: {copied}: SAMPLE tables are in use; their numbers are made up, and every display says so",
        f"{copied}: good: {sizes[size]}",
    ]


def test_check_lists_everything_and_exits_2(tmp_path: Path) -> None:
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text().replace("channel = 1", "chanel = 1").replace("= 26", "= 16"))
    result = run("check", "-s", path)
    assert result.exit_code == 2
    assert result.output.splitlines() == [
        f"error: {path} [square.T02]: there is no key 'chanel'; did you mean 'channel'?",
        f"error: {path} [square.T02] mux = 0x70: needs 'channel' beside it",
        f"error: {path} [seat.BEN] button_gpio = 16: GPIO 16 is already button_gpio of [seat.ANN]; move one",
        f"warning: {path}: SAMPLE tables are in use; their numbers are made up, and every display says so",
        f"{path}: cannot be used: 3 to put right",
    ]


def test_check_looks_at_trapdial_toml_if_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_text(example_path("2x2").read_text())
    assert run("check").output.splitlines()[-1] == "trapdial.toml: good: 2 squares, 2 seats, 2 buses"


def test_check_tells_what_of_the_wiring_is_out_of_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text().replace("bus_pull_up_ohm = 2200", "bus_pull_up_ohm = 4700"))
    result = run("check", "-s", path)
    assert result.exit_code == 0
    assert result.output.splitlines()[1:] == [
        "warning: rise time (bus screens): 458 ns with 4700 Ohm and 115 pF at 400 kHz, at most 300 ns (NXP UM10204 "
        "section 6.1). Use shorter leads, a slower bus, or pull-ups of 3079 Ohm or less in total.",
        f"{path}: good: 2 squares, 2 seats, 2 buses",
    ]


def test_check_says_why_it_cannot_check_a_wiring(tmp_path: Path) -> None:
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text().replace("/dev/i2c-6", "/dev/i2c-11"))
    result = run("check", "-s", path)
    assert result.exit_code == 0
    assert result.output.splitlines()[1:] == [
        f"information: {path} [bus.screens] device = '/dev/i2c-11': the pins of this bus on a "
        "Raspberry Pi 4 are not known; set sda_gpio and scl_gpio, or the right `pi` in [wiring]",
        f"{path}: good: 2 squares, 2 seats, 2 buses",
    ]


TO_START_FROM = "check the name and the folder, or write a file to start from with: trapdial settings new"


def test_a_missing_file_or_example_is_a_user_s_error(tmp_path: Path) -> None:
    missing, wrong = run("check", "-s", tmp_path / "x"), run("example", "3x3")
    assert str(missing.exception) == f"{tmp_path}/x: there is no such file; {TO_START_FROM}"
    assert isinstance(wrong.exception, UserFileError)
