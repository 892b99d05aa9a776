"""`trapdial tables`, as it is typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.game.trap_table import TrapTable
from pi_app.game.trap_table_file import load, load_sample, sample_path
from pi_app.play import opened
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.text.errors import UserFileError

HEAD = ["Red dial", "Ann", "2025-03-09"]
DIAL = ["Buzz Saw", "1", "7", "11", "x", "cage", "3", "6+", "22", *["blank"] * 4, "disarmed", "start"]


def run(*words: str | Path, typed: list[str] | None = None) -> Result:
    return CliRunner().invoke(main, ["tables", *(str(word) for word in words)], input="\n".join([*(typed or []), ""]))


# ----------------------------------------------------------------------------------------------------- check


def test_check_of_good_tables_exits_0() -> None:
    result = run("check", "sample:SAMPLE-A", sample_path("SAMPLE-B"))
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "sample:SAMPLE-A: good",
        f"information: {sample_path('SAMPLE-B')} [[face]] 2 (pos 1) disarm = '9': the printed number holds until "
        "the hand is triggered, then it is 10 (E-HAND-6)",
        f"{sample_path('SAMPLE-B')}: good: 1 information",
    ]


def test_check_prints_every_problem_of_every_file_and_exits_2(tmp_path: Path) -> None:
    bad, binary = tmp_path / "bad.toml", tmp_path / "binary"
    bad.write_text(
        sample_path("SAMPLE-A").read_text().replace('"cage"', '"cgae"').replace("clicks = 12", "clicks = 13")
    )
    binary.write_bytes(b"\0\1\2")
    result = run("check", bad, binary, "sample:SAMPLE-A")
    assert result.exit_code == 2
    assert result.output.splitlines() == [
        f"error: {bad} [[face]] 4 (pos 3) trap = 'cgae': there is no such trap; did you mean 'cage'?",
        f"error: {bad} [[face]]: no face has pos 12; write one for every position from 0 to 12",
        f"{bad}: cannot be used: 2 errors; `trapdial docs trap_tables` says what a trap table's file holds",
        f"error: {binary}: it contains binary zeros, so it is not a text file; name a TOML file",
        f"{binary}: cannot be used: 1 error; `trapdial docs trap_tables` says what a trap table's file holds",
        "sample:SAMPLE-A: good",
    ]


def test_warnings_alone_exit_0(tmp_path: Path) -> None:
    odd = tmp_path / "odd.toml"
    odd.write_text(sample_path("SAMPLE-A").read_text().replace("click_number = 3", "click_number = 4"))
    result = run("check", odd)
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == f"{odd}: good: 1 warning"


def test_check_speaks_json(tmp_path: Path) -> None:
    result = run("check", "--json", tmp_path / "missing", "sample:SAMPLE-B")
    assert result.exit_code == 2
    said = [json.loads(line) for line in result.output.splitlines()]
    assert said[0] == {
        "file": f"{tmp_path}/missing",
        "severity": "error",
        "place": "",
        "seen": "",
        "reason": f"{tmp_path}/missing: there is no such file; check the name and the folder",
    }
    assert (said[1]["file"], said[1]["severity"]) == ("sample:SAMPLE-B", "information")


# ------------------------------------------------------------------------------------------------------ show


def test_show_prints_the_faces_and_says_sample(tmp_path: Path) -> None:
    result = run("show", "sample:SAMPLE-A", "--journal", tmp_path / "none.db")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "SAMPLE-A (SAMPLE: its numbers are made up)",
        "12 clicks, exposed counter-clockwise",
        "SAMPLE. Playable: with SAMPLE-B it offers all eight traps to one roll of a die.",
        "",
        "pos  shows              click  disarm    xp",
        "  0  start",
        "  1  buzz_saw               1       7    11",
        "  2  clear",
        "  3  cage                   3      6+    22",
        "  4  falling_weight         4       8    33",
        "  5  fire_jets              5       5    44",
        "  6  jaws_of_doom           6      4+    55",
        "  7  clear",
        "  8  clear",
        "  9  clear",
        " 10  clear",
        " 11  disarmed",
    ]
    assert os.listdir(tmp_path) == []


def started(table: TrapTable) -> ev.Started:
    return ev.Started(
        version="0",
        table_name="Small table",
        simulated=True,
        ruleset=ev.Ruleset(),
        seats=(ev.SeatSetup(seat="ANN", name="Ann"),),
        squares=(ev.SquareSetup(label="T01", table=table),),
    )


@pytest.fixture
def running_game(tmp_path: Path) -> Path:
    """The journal of a game with SAMPLE-A that has not ended."""
    from pi_app.journal import Journal

    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("game", NO_GAME, started(load_sample("SAMPLE-A")))
    return path


def kinds(journal: Path) -> list[str]:
    from pi_app.journal import read

    return [type(entry.event).__name__ for entry in read(journal, MAGE_KNIGHT)]


IN_PLAY = (
    "{journal}: game game in it has not ended, and a trap table would reveal its secrets. End the game first, or say "
    "--in-play; its record then gets an entry, and its audit a finding (S-9).\n"
)


@pytest.mark.parametrize(
    "words", [("show", "sample:SAMPLE-A"), ("show", "sample:SAMPLE-B"), ("check", "sample:SAMPLE-B")]
)
def test_s_9_a_table_is_refused_while_a_game_is_on_whether_it_is_in_it_or_not(
    running_game: Path, words: tuple[str, ...]
) -> None:
    result = run(*words, "--journal", running_game)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == IN_PLAY.format(journal=running_game)
    assert kinds(running_game) == ["Started"]


def test_s_9_a_table_shown_in_play_is_written_down_first(running_game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("show", "sample:SAMPLE-A", "--journal", running_game, "--in-play")
    assert result.exit_code == 0
    assert "buzz_saw" in result.output
    assert kinds(running_game) == ["Started", "TableShown"]

    def disk_refuses(*_: object) -> None:
        raise UserFileError(["the disk is full"])

    monkeypatch.setattr(opened, "record_shown", disk_refuses)
    assert run("show", "sample:SAMPLE-A", "--journal", running_game, "--in-play").output == "the disk is full\n"


def test_show_of_a_broken_table_gives_its_errors(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("x = 1")
    result = run("show", tmp_path / "t.toml")
    assert result.exit_code == 2
    assert "there is no key 'x'" in result.stderr


# ------------------------------------------------------------------------------------------------------- new


def test_new_writes_a_table_that_passes_its_check(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    result = run("new", path, typed=[*HEAD, *DIAL, "Ben", *DIAL])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-2:] == [f"Written to {path}.", f"{path}: good"]
    table = load(path)
    assert (table.name, table.provenance, table.clicks) == ("Red dial", "transcribed", 9)
    assert path.stat().st_mode & 0o777 == 0o600


def test_new_never_writes_over_a_file_and_says_so_before_any_question(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    path.write_text("mine")
    result = run("new", path, typed=[])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{path}: exists already and is never overwritten; give another name\n"
    assert path.read_text() == "mine"


def test_new_that_is_broken_off_writes_nothing(tmp_path: Path) -> None:
    result = run("new", tmp_path / "red.toml", typed=[*HEAD, *DIAL, "Ben", *DIAL[:5]])
    assert result.exit_code == 1
    assert os.listdir(tmp_path) == []


def test_new_does_not_lose_the_work_if_the_disk_fails_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run("new", tmp_path / "red.toml", typed=[*HEAD, *DIAL, "Ben", *DIAL])
    assert result.exit_code == 2
    assert 'name = "Red dial"' in result.output
    assert os.listdir(tmp_path) == []
