"""`trapdial rooms`, as a person meets it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hardware.real_time import RealTime
from pi_app.cli.main import main
from pi_app.rooms.commands import USAGE
from pi_app.rooms.demo import HANDS
from pi_app.rooms.settings import load
from pi_app.simulated.build import simulated_table
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from tests.pi_app.rooms.tables import text

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
    assert "Usage: turn ROOM QUARTERS\n" in played.output
    audited = CliRunner().invoke(main, ["rooms", "audit", record])
    assert audited.exit_code == 1
    first, second = audited.output.splitlines()
    assert first.endswith(": 7 entries on a SIMULATED table, ended, 1 finding.")
    assert second == (
        "Finding D-AUD-3: R1 was turned against its arrow; "
        "did a Mekanork stand on the gear (D-ROT-13, from another source)?"
    )


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


def rooms(*words: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["rooms", *map(str, words)], input=typed)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `rooms.toml`, and a Pi whose chips are twins."""
    path = tmp_path / "rooms.toml"
    path.write_text(text(), encoding="utf-8")
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(load(path).wires))
    return path


def test_play_goes_on_with_an_unfinished_game_if_it_is_told_to(settings: Path, tmp_path: Path) -> None:
    assert rooms("play", settings, typed="card ann 2\nreveal R1\nquit\n").exit_code == 0
    refused = rooms("play", settings)
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == (
        f"{tmp_path / 'journal.db'} (file): it holds a game that was not ended. "
        "Say --resume to go on with it, or --new to begin another."
    )
    resumed = rooms("play", settings, "--resume", typed="move\nend game\n")
    assert resumed.exit_code == 0, resumed.output
    assert resumed.stdout.splitlines() == [
        "Four rooms. The game is on.",
        "Ann plays 2 Actions; 1 left.",
        "R1: 0 degrees clockwise from where it was revealed.",
        "R2: face down.",
        "R3: face down.",
        "R4: face down.",
        "Ann plays 2 Actions; 0 left.",
        "Four rooms. The game is over.",
    ]


def test_play_begins_another_game_if_it_is_told_to(settings: Path, tmp_path: Path) -> None:
    rooms("play", settings, typed="card ann 2\nquit\n")
    assert "No turn is on." in rooms("play", settings, "--new", typed="end game\n").stdout
    audited = rooms("audit", tmp_path / "journal.db")
    assert (audited.exit_code, [line.split(", ")[1] for line in audited.stdout.splitlines()]) == (
        3,
        ["without an end", "ended"],
    )


def test_the_demo_goes_on_too_and_speaks_what_it_is_told(tmp_path: Path) -> None:
    record = tmp_path / "rooms.db"
    rooms("demo", "--journal", record, typed="card ann 2\nreveal R3\ngear ann R3\nturn R3 1\nquit\n")
    resumed = rooms("demo", "--journal", record, "--resume", "--language", "it", typed="end game\n")
    assert resumed.exit_code == 0, resumed.output
    assert "Ann gioca 2 azioni; ne restano 0; si può girare: R3." in resumed.stdout.splitlines()
    assert "R3: 90 gradi in senso orario da come è stata rivelata." in resumed.stdout.splitlines()
    assert rooms("audit", record).exit_code == 0


def test_help_at_the_demo_names_every_word_and_every_hand() -> None:
    told = rooms("demo", typed="help\nquit\n").stdout.splitlines()
    usages = [usage for usage, _ in (*USAGE.values(), *HANDS.values())]
    assert [line.split(": ")[0] for line in told[-len(usages) :]] == usages


def test_a_hand_that_cannot_be_is_told_how_to_say_it() -> None:
    lines = ["turn R1", "turn R9 1", "turn R1 1 R2", "turn R1 +-1", "turn R1 99", "unplug", "plug R9"]
    told = rooms("demo", typed="\n".join([*lines, "quit"])).stdout.splitlines()
    for line in lines:
        assert told[told.index(f"> {line}") + 1] == f"Usage: {HANDS[line.split()[0]][0]}"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--resume"], "--resume needs --journal: the file of the game to resume."),
        (["--language", "nl"], f"--language nl: there is no such language; there is {one_of(LANGUAGES)}"),
    ],
)
def test_a_demo_that_cannot_be_is_refused(options: list[str], sentence: str) -> None:
    refused = rooms("demo", *options)
    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (2, f"Error: {sentence}")


def test_the_keys_of_rooms_go_where_their_settings_name_them_and_memory_is_locked_on_request(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    settings.write_text(f'{text()}\n[record]\nkeys = "{stick}"\n', encoding="utf-8")
    monkeypatch.setattr("hardware.real_time.real_time", lambda: RealTime(0, 0, locks=False))
    played = rooms("play", settings, "--lock-memory", typed="card ann 2\nquit\n")
    assert "note: memory (this program): could not be locked (its limit is too low)." in played.stderr
    assert (stick / "journal.db.keys" / "device.key").exists()
    assert [path.name for path in (tmp_path / "journal.db.keys").iterdir()] == ["place"]
    stick.rename(tmp_path / "pocket")
    assert "Plug in and mount the disk with the keys" in rooms("play", settings, "--resume").stderr
