"""The starter is played: one square, one button, one lamp, without a mux and without a screen."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.settings.load import example_path


def test_a_game_on_the_starter(tmp_path: Path) -> None:
    words = ["demo", "--settings", str(example_path("starter")), "--auto", "--exposes", "3", "--plain"]
    result = CliRunner().invoke(main, [*words, "--journal", str(tmp_path / "journal.db")])
    assert result.exit_code == 0, result.output
    assert "Starter. The game is on. SIMULATED: no real dial was read." in result.output
    assert "T01: exposed by Ann." in result.output
    assert "Starter. The game is over." in result.output


def test_the_doctor_finds_the_whole_starter(tmp_path: Path) -> None:
    (tmp_path / "trapdial.toml").write_bytes(example_path("starter").read_bytes())
    words = ["doctor", "--settings", str(tmp_path / "trapdial.toml"), "--simulated", "--seconds", "0.1"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    parts = [line for line in result.output.splitlines() if line.startswith("ok  ")]
    for part in ("lamp of seat ANN", "encoder of T01", "button of seat ANN", "bus dials"):
        assert any(line.startswith(f"ok  {part}") for line in parts), part
    assert ", 0 failing, 0 to check" in result.output
