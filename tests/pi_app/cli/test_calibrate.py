"""`trapdial calibrate`, as it is typed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import calibrating
from pi_app.calibration import dump
from pi_app.cli import calibrate as command
from pi_app.cli import main
from pi_app.settings import example_path
from pi_app.simulated import SimulatedTable


def run(folder: Path, *words: str) -> Result:
    if not (folder / "trapdial.toml").exists():
        shutil.copy(example_path("2x2"), folder / "trapdial.toml")
    return CliRunner().invoke(main, ["calibrate", "--settings", str(folder / "trapdial.toml"), *words])


def auto(folder: Path, *words: str) -> Result:
    return run(folder, "--simulated", "--auto", *words)


def test_every_dial_is_learnt_and_better_known_than_before(tmp_path: Path) -> None:
    result = auto(tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("SIMULATED: these are no real dials.\n")
    assert list(calibrating.known(tmp_path / "calibration.toml")) == ["T01", "T02"]
    figures = re.findall(r"is ([\d.]+) degrees .* it would be ([\d.]+)\.", result.stdout)
    assert len(figures) == 2
    assert all(float(now) > float(before) for now, before in figures)
    assert result.stdout.splitlines()[-2:] == [
        f"2 of 2 dials learnt; {tmp_path}/calibration.toml knows 2.",
        f'To use it, write calibration = "calibration.toml" into [table] of {tmp_path}/trapdial.toml.',
    ]


def test_one_square_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    assert auto(tmp_path, "-o", str(tmp_path / "c.toml")).exit_code == 0
    before = calibrating.known(tmp_path / "c.toml")
    result = auto(tmp_path, "-o", str(tmp_path / "c.toml"), "--square", "T02", "--seed", "99")
    assert result.exit_code == 0
    after = calibrating.known(tmp_path / "c.toml")
    assert after["T01"] == before["T01"]
    assert after["T02"] != before["T02"]
    assert "with what was known before it would be" in result.stdout


def test_nothing_that_it_prints_tells_an_angle(tmp_path: Path) -> None:
    said = auto(tmp_path).output
    for dial in calibrating.known(tmp_path / "calibration.toml").values():
        assert not {str(centre) for centre in dial.centres if centre > 999} & set(re.findall(r"\d+", said))


def test_a_doubtful_turn_is_refused_and_what_was_known_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert auto(tmp_path).exit_code == 0
    before = (tmp_path / "calibration.toml").read_bytes()

    def hasty(table: SimulatedTable, label: str, clicks: int) -> None:
        gaps = [600.0] * (clicks + 1)
        gaps[4] = 50.0
        table.tiles[label].hand.turn(1_500_000_000, clicks + 1, gaps)

    monkeypatch.setattr(command, "_turn_once_round", hasty)
    result = auto(tmp_path, "--square", "T01")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[2].startswith("!!  T01: ")
    assert "wait a moment in every detent" in lines[2]
    assert lines[3:] == [
        "    T01: refused. What was known of it before is kept.",
        f"0 of 1 dials learnt; {tmp_path}/calibration.toml knows 2.",
    ]
    assert (tmp_path / "calibration.toml").read_bytes() == before


def test_a_dial_that_nobody_turns_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_turn_once_round", lambda table, label, clicks: None)
    result = auto(tmp_path, "--square", "T01")
    assert result.exit_code == 1
    assert "!!  T01: Nobody turned it for 60 seconds; what was known of it is kept." in result.stdout
    assert not (tmp_path / "calibration.toml").exists()


def test_a_broken_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("format = ")
    result = auto(tmp_path, "-o", str(tmp_path / "c.toml"))
    assert result.exit_code == 2
    assert (tmp_path / "c.toml").read_text() == "format = "


@pytest.mark.parametrize("words", [["--simulated"], ["--auto"]])
def test_simulated_and_auto_go_together(tmp_path: Path, words: list[str]) -> None:
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert "--simulated and --auto go together: nobody else can turn a simulated dial." in result.output


def test_a_missing_bus_exits_1(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace("/dev/i2c-1", "/dev/i2c-251")
    (tmp_path / "trapdial.toml").write_text(text.replace("reset_gpio = 17", "#"), encoding="utf-8")
    result = CliRunner().invoke(main, ["calibrate", "--settings", str(tmp_path / "trapdial.toml")], input="\n")
    assert result.exit_code == 1
    assert "I2C bus (/dev/i2c-251) is not there." in result.stderr


def test_what_it_writes_is_what_the_house_reads(tmp_path: Path) -> None:
    assert auto(tmp_path).exit_code == 0
    dials = calibrating.known(tmp_path / "calibration.toml")
    assert (tmp_path / "calibration.toml").read_text(encoding="utf-8") == dump(dials)
