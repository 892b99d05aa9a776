"""`trapdial replay`, as it is typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from pi_app.audit.looking_back import UNKNOWN
from pi_app.cli.main import main
from pi_app.game import events as ev
from tests.pi_app.games import started, turned
from tests.pi_app.journal.keeping import write
from tests.pi_app.resumed_game import PLAY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, (*PLAY, ev.Ended()))
    return path


def replay(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, words)])


@pytest.mark.parametrize("end", [(), (ev.Ended(),)])
def test_it_counts_what_the_audit_counts(tmp_path: Path, end: tuple[ev.Ended, ...]) -> None:
    """A movement that breaks two rules is one finding, in a running game too; a fault of the device is none."""
    path = tmp_path / "journal.db"
    against_the_rules = turned("T01", 8)
    write(path, (started(), against_the_rules, ev.DialBack(square="T02", unseen_s=4.0), *end))
    told = "1 finding and 1 device fault"
    assert f"{'ended' if end else 'still running after entry 3'}, {told}. Rebuilt: " in replay(path).output
    audited = CliRunner().invoke(main, ["audit", str(path), "--json"])
    (game,) = json.loads(audited.stdout)["files"][0]["games"]
    assert len(game["findings"][0]["rules"]) > 1
    (rebuilt,) = (json.loads(line) for line in replay(path, "--json").stdout.splitlines())
    assert (rebuilt["findings"], rebuilt["faults"]) == (len(game["findings"]), len(game["faults"])) == (1, 1)
    assert told in " ".join(CliRunner().invoke(main, ["audit", str(path)]).stdout.split())


def test_a_seat_sees_its_lines_its_screen_and_its_lamp(path: Path) -> None:
    result = replay(path, "--until", "7", "--as", "ANN")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "seat ANN at entry 7 of game g1:"
    assert "  T01: exposed by Ann." in lines
    assert sum(line.startswith("│") for line in lines) == 16
    assert any(line.startswith("screen: T01: The Cage, click 3, disarm 7") for line in lines)
    assert lines[-3:] == ["lamp: ▬··▬· (The Cage)", "Put there by entry 7, 0.0 s before.", UNKNOWN]


def with_lamps(folder: Path, lamp: str) -> Path:
    """Return the record of an ended game whose seats have this lamp code."""
    first, *rest = PLAY
    assert isinstance(first, ev.Started)
    seats = tuple(msgspec.structs.replace(seat, lamp=lamp) for seat in first.seats)
    path = folder / "journal.db"
    write(path, (msgspec.structs.replace(first, seats=seats), *rest, ev.Ended()))
    return path


def test_a_dealt_lamp_is_rebuilt_with_its_card(tmp_path: Path) -> None:
    """The auditor reads what the camera saw: The Cage is the second word, and its letter is i."""
    lines = replay(with_lamps(tmp_path, "jihgfedcba"), "--until", "7", "--as", "ANN").output.splitlines()
    assert lines[-3] == "lamp: ··▬·▬ (The Cage)"
    assert any(line.startswith("  Your lamp in this game: ▬▬··· Look again, ") for line in lines)
    assert "lamp in this game" not in replay(tmp_path / "journal.db", "--until", "7", "--as", "referee").output


def test_a_lamp_with_another_pattern_at_each_look_is_rebuilt_by_its_word(tmp_path: Path) -> None:
    lines = replay(with_lamps(tmp_path, "once"), "--until", "7", "--as", "ANN").output.splitlines()
    assert lines[-3] == "lamp: another pattern at each look (The Cage)"


def test_the_public_sees_lines_only(path: Path) -> None:
    result = replay(path, "--until", "4", "--as", "public")
    assert result.output.splitlines() == [
        "public at entry 4 of game g1:",
        "  Test table. The game is on. SIMULATED: no real dial was read.",
        "  T01: exposed by Ann.",
        "  T02: concealed.",
    ]


def test_a_screen_as_a_picture(path: Path, tmp_path: Path) -> None:
    picture = tmp_path / "screen.png"
    assert replay(path, "--until", "4", "--as", "ANN", "-o", picture).exit_code == 0
    with Image.open(io.BytesIO(picture.read_bytes())) as image:
        assert image.size == (128, 64)
        assert sum(bin(byte).count("1") for byte in image.tobytes()) == 2048


def test_of_a_running_game_a_seat_is_refused_and_no_picture_is_made(tmp_path: Path) -> None:
    path = tmp_path / "running.db"
    write(path, PLAY)
    result = replay(path, "--as", "ANN", "-o", tmp_path / "screen.png")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{path} (game g1) has not ended, and what seat ANN saw reveals")
    assert not (tmp_path / "screen.png").exists()
    assert replay(path, "--as", "log").exit_code == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--until", "4"], "--until: no viewer is named. Name one with --as."),
        (
            ["--as", "log", "--until", "x"],
            "--until x: is not the number of an entry. Write 15, or 2:15 in log 2 of an archive.",
        ),
        *[
            (
                ["--as", "log", "--until", text],
                f"--until {text}: is not the number of an entry. Write 15, or 2:15 in log 2 of an archive.",
            )
            for text in ("0", "-3", ":3", "3:", "0:3", "1234567890", "٣", "1_0")
        ],
        (["-o", "a.png"], "--output: no viewer is named. Name one with --as."),
        (["--as", ""], "--as: no viewer is named. Name public, referee, log, or a seat such as ANN."),
        (["--as", "log", "--lines"], "--lines: cannot be combined with --as. Leave one of them out."),
        (["--as", "log", "--json"], "--json: cannot be combined with --as. Leave one of them out."),
        (["--as", "log", "-o", "a.png"], "--output log: has no screen. Name a seat with --as."),
    ],
)
def test_refused_commands(path: Path, words: list[str], told: str) -> None:
    result = replay(path, *words)
    assert result.exit_code == 2
    assert result.stderr.strip() == told


@pytest.mark.parametrize("options", [[], ["--as", "ANN"], ["--as", "log", "--until", "3"]])
@pytest.mark.parametrize(
    ("holds", "told"),
    [
        (None, "(file) does not exist. Check the name."),
        (b"", "(header) is not a Trapdial journal. Name the right file; it was not touched."),
        (
            b"no database, but some text of more than a hundred bytes" * 9,
            "(file) cannot be read as a journal (file is not a database). If it was copied while a game ran, copy the "
            "files ending in -wal and -shm with it.",
        ),
    ],
)
def test_what_is_no_journal_is_said(tmp_path: Path, options: list[str], holds: bytes | None, told: str) -> None:
    other = tmp_path / "other.db"
    if holds is not None:
        other.write_bytes(holds)
    result = replay(other, *options)
    assert result.exit_code == 2
    assert result.stderr.strip() == f"{other} {told}"


def test_a_picture_that_cannot_be_written_is_said(path: Path, tmp_path: Path) -> None:
    picture = tmp_path / "nowhere" / "screen.png"
    result = replay(path, "--as", "ANN", "-o", picture)
    assert result.exit_code == 2
    assert result.stderr.strip() == (
        f"{picture}: it cannot be written (No such file or directory). "
        "Check the folder, who may write there, and the disk."
    )
