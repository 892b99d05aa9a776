"""`trapdial play`, as it is typed: what it refuses before anything is begun."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.play.build import GameOptions
from pi_app.settings.load import example_path, load
from pi_app.simulated.table import SimulatedTable
from pi_app.text.errors import UserFileError


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> SimulatedTable:
    """Twins where the Pi's own parts would be."""
    made = SimulatedTable(load(example_path("2x2")))
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: made)
    return made


def play(folder: Path, *words: str) -> Result:
    shutil.copy(example_path("2x2"), folder / "trapdial.toml")
    return CliRunner().invoke(main, ["play", "--settings", str(folder / "trapdial.toml"), *words], input="quit\n")


def test_a_missing_mux_is_refused_before_the_journal_is_begun(table: SimulatedTable, tmp_path: Path) -> None:
    table.buses["dials"].muxes[0x70].unplug()
    result = play(tmp_path)
    assert result.exit_code == 1
    assert "mux 0x70 (/dev/i2c-1 0x70): gave no answer (errno 121)." in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "journal.db").exists()


def test_a_silent_dial_is_told_to_the_referee_and_play_begins(table: SimulatedTable, tmp_path: Path) -> None:
    table.tiles["T02"].unplug()
    result = play(tmp_path)
    assert result.exit_code == 0, result.output
    assert "referee  | encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): gave no answer" in result.output


def test_unchecked_does_not_look(table: SimulatedTable, tmp_path: Path) -> None:
    table.tiles["T02"].unplug()
    result = play(tmp_path, "--unchecked")
    assert result.exit_code == 0, result.output
    assert "encoder of T02" not in result.output


@pytest.mark.parametrize(("words", "dealt"), [(["--shuffle"], True), (["--printed"], False), ([], None)])
def test_a_new_game_is_dealt_anew_or_as_printed(
    words: list[str], dealt: bool | None, table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[bool | None, object]] = []

    def loop(self: object, record: object, *, game: GameOptions, resume: object, **how: object) -> None:
        asked.append((game.shuffle, resume))
        raise UserFileError(["far enough"])

    monkeypatch.setattr("pi_app.play.build.TableBuilder.loop", loop)
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    command = ["play", "--new", "--unchecked", "--settings", str(tmp_path / "trapdial.toml"), *words]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, asked) == (2, [(dealt, None)])
