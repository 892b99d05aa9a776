"""`trapdial rooms`, as a person meets it."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from pi_app.cli import main
from pi_app.rooms.commands import USAGE

PAGE = (Path(__file__).resolve().parents[3] / "wiring_docs/rooms.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_played_example_of_the_page_is_what_the_demo_prints() -> None:
    played = CliRunner().invoke(main, ["rooms", "demo", "--auto"])
    assert played.exit_code == 0, played.output
    assert played.output == block("text")


def test_the_words_of_the_page_are_the_programs_own() -> None:
    assert block("rooms").splitlines() == [f"{usage}: {meaning}" for usage, meaning in USAGE.values()]


def test_a_game_played_by_words_is_audited(tmp_path: Path) -> None:
    record = str(tmp_path / "rooms.db")
    words = "card ann 2\nreveal R1\ngear ann R1\nturn R1 -1\nturn R1 x\nend game\nquit\n"
    played = CliRunner().invoke(main, ["rooms", "demo", "--journal", record], input=words)
    assert played.exit_code == 0, played.output
    assert "Say it like this: turn ROOM QUARTERS (SIMULATED)" in played.output
    audited = CliRunner().invoke(main, ["rooms", "audit", record])
    assert audited.exit_code == 3
    first, second = audited.output.splitlines()
    assert first.endswith(": 6 entries on a SIMULATED table, ended, 1 findings.")
    assert second == "Finding D-AUD-3: R1 was turned against its arrow; did a Mekanork stand on the gear (D-ROT-13)?"


def test_a_record_of_something_else_holds_no_game_of_rooms(tmp_path: Path) -> None:
    (tmp_path / "rooms.db").write_text("no record", encoding="utf-8")
    audited = CliRunner().invoke(main, ["rooms", "audit", str(tmp_path / "rooms.db")])
    assert audited.exit_code == 2
    assert "Traceback" not in audited.output


def test_the_example_settings_can_be_played(tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, ["rooms", "example"])
    (tmp_path / "rooms.toml").write_text(printed.output, encoding="utf-8")
    played = CliRunner().invoke(main, ["rooms", "demo", "--settings", str(tmp_path / "rooms.toml")], input="end game\n")
    assert played.exit_code == 0, played.output
    assert played.output.splitlines()[-1] == "Eight rooms. The game is over. SIMULATED: no real room was read."
