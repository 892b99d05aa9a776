"""`trapdial demo --station`: what it writes, how it ends, and which options it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli import demo_station
from pi_app.cli.demo_station import WELCOME, DemoStationOptions, play_station
from pi_app.cli.main import main
from pi_app.settings import load as st


def test_robot_visitors_come_and_the_display_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = DemoStationOptions(seed=8, languages=("de",), pages=False, port=None, written=True, groups=0)
    play_station(st.load(st.example_path("2x2")), tmp_path / "journal.db", options)
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == WELCOME
    assert last == "SIMULATED: 1 group came in 0.0 minutes, and 0 visits began. No visitor typed anything."


@pytest.mark.parametrize(
    ("words", "terminal", "drawn", "written"),
    [
        ((), True, True, False),
        (("--plain",), True, False, True),
        ((), False, False, True),
        (("--pages",), True, False, False),
        (("--pages", "--plain"), True, False, True),
        (("--pages",), False, False, True),
    ],
)
def test_with_pages_the_browser_shows_the_display_and_the_terminal_keeps_the_addresses(
    words: tuple[str, ...], terminal: bool, drawn: bool, written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[DemoStationOptions] = []
    monkeypatch.setattr(demo_station, "takes_drawing", lambda: terminal)
    monkeypatch.setattr(demo_station, "play_station", lambda settings, journal, options: played.append(options))
    assert CliRunner().invoke(main, ["demo", "--station", *words]).exit_code == 0
    assert [(each.drawn, each.written) for each in played] == [(drawn, written)]


@pytest.mark.parametrize("given", ["--auto", "--hub", "--resume"])
def test_what_a_station_has_no_use_for_is_refused(given: str) -> None:
    said = CliRunner().invoke(main, ["demo", "--station", given, "--journal", "j.db"])
    assert said.exit_code == 2
    assert (
        f"{given} cannot be used with --station: robots visit the station, and it needs no other hand." in said.output
    )
