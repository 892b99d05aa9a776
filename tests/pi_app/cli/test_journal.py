"""`trapdial journal`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import write
from tests.pi_app.journal.record.forging import edit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, (*PLAY, ev.Ended()))
    return path


def journal(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)])


def test_the_head_is_printed_as_text_and_as_a_code(path: Path) -> None:
    result = journal("head", path)
    first, text, code, *more = result.output.splitlines()
    assert result.exit_code == 0
    assert first.startswith(f"{path}: 6 entries, device ")
    assert text == jn.head(path).text()
    assert set(code + "".join(more)) <= set("█▀▄ ")
    assert journal("head", path, "--no-qr").output.splitlines() == [first, text]


def test_a_head_comes_back_as_a_witness_by_hand_or_as_a_file(path: Path, tmp_path: Path) -> None:
    text = jn.head(path).text()
    (tmp_path / "head.txt").write_text(f"{text[:100]}\n{text[100:]}\n")
    for witness in (text, str(tmp_path / "head.txt")):
        result = journal("verify", path, "--witness", witness)
        assert result.exit_code == 0
        assert "Up to entry 6 it is what a witness saw" in result.output


def test_exit_codes(path: Path, tmp_path: Path) -> None:
    head = jn.head(path).text()
    write(path, PLAY, "g2")
    later = jn.head(path).text()
    assert journal("verify", path, "--witness", head).exit_code == 3
    edit(path, "DELETE FROM entries WHERE seq > 10")
    assert journal("verify", path, "--witness", head).exit_code == 4
    assert journal("verify", path, "--witness", later).exit_code == 5
    edit(path, "UPDATE entries SET sealed = zeroblob(1) WHERE seq = 8")
    assert journal("verify", path).exit_code == 4
    (tmp_path / "other.txt").write_text("not a journal")
    result = journal("verify", tmp_path / "other.txt")
    assert (result.exit_code, "Traceback" in result.output) == (2, False)


def test_several_files_of_several_devices_each_with_its_witness(path: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "journal.db"
    write(other, PLAY)
    result = journal("verify", path, other, "--json", "--witness", jn.head(other).text())
    assert result.exit_code == 3
    assert [json.loads(line) for line in result.output.splitlines()] == [
        {"file": str(path), "state": "whole", "entries": 6, "damage": None, "against": [], "good_until": 0},
        {"file": str(other), "state": "interrupted", "entries": 5, "damage": None, "against": [], "good_until": 5},
    ]


def test_a_head_that_was_misread_is_refused_before_anything_is_looked_at(path: Path) -> None:
    result = journal("verify", path, "--witness", "TRAPDIAL1 AAAA")
    assert result.exit_code == 2
    assert result.output == (
        "--witness TRAPDIAL1 AAAA: a head has 218 letters after TRAPDIAL1, not 4. Take it from `trapdial journal "
        "head`.\n"
    )


def test_the_head_of_a_damaged_record_is_not_handed_out(path: Path) -> None:
    edit(path, "UPDATE entries SET sealed = zeroblob(1) WHERE seq = 4")
    result = journal("head", path)
    assert result.exit_code == 4
    assert result.output == f"{path} (entry 4) does not match its hash. Check with `trapdial journal verify`.\n"
