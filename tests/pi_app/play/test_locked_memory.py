"""The referee's note if the program's memory cannot be locked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hardware.real_time import LIMIT_TOO_LOW, RealTime
from pi_app.cli.main import main
from pi_app.play.locked_memory import NOT_LOCKED
from pi_app.settings.load import example_path, load
from pi_app.simulated.table import SimulatedTable
from pi_app.text.language import words
from tests import catalogues


def test_the_reason_is_in_the_catalogues() -> None:
    assert LIMIT_TOO_LOW in catalogues.LIST.read_text(encoding="utf-8")


def test_a_refusal_is_told_to_the_referee_and_play_begins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = SimulatedTable(load(example_path("2x2")))
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: table)
    monkeypatch.setattr("hardware.real_time.real_time", lambda: RealTime(0, 0, locks=False))
    told = words("en")(NOT_LOCKED).format(why="its limit is too low")
    settings, journal = str(example_path("2x2")), str(tmp_path / "journal.db")
    command = ["play", "--unchecked", "--settings", settings, "--journal", journal]
    result = CliRunner().invoke(main, [*command, "--lock-memory"], input="status\nquit\n")
    assert (result.exit_code, f"referee  | {told}\n" in result.output) == (0, True), result.output
    result = CliRunner().invoke(main, [*command, "--new"], input="status\nquit\n")
    assert (result.exit_code, told in result.output) == (0, False)


@pytest.mark.parametrize(("more", "locks"), [([], 1), (["--simulated"], 0), (["--simulated", "--lock-memory"], 1)])
def test_a_game_with_real_dials_is_locked_into_memory_unasked(
    more: list[str], locks: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    locked: list[str] = []

    def lock() -> str:
        locked.append("locked")
        return ""

    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: SimulatedTable(load(example_path("2x2"))))
    monkeypatch.setattr("hardware.real_time.lock_memory", lock)
    command = ["play", "--unchecked", "--settings", str(example_path("2x2")), "--journal", str(tmp_path / "journal.db")]
    result = CliRunner().invoke(main, [*command, *more], input="quit\n")
    assert (result.exit_code, len(locked)) == (0, locks), result.output
