"""`trapdial journal export`, `merge` and `delete`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import device_key
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import WHOLE, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, WHOLE)
    write(path, PLAY, "g2")
    return path


def journal(*words: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)], input=typed)


def test_an_export_goes_to_a_file_or_is_printed_and_is_verified(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "g1.jsonl"
    result = journal("export", path, "--game", "g1", "-o", file)
    assert result.output == f"{file}: 6 entries, each with its proof.\n"
    assert journal("export", path, "--game", "g1").output == file.read_text(encoding="utf-8")
    assert journal("verify", file).exit_code == 0
    facts = json.loads(journal("verify", file, "--json").output)
    assert (facts["state"], facts["entries"], facts["exported"]) == ("whole", 11, 6)
    seen = journal("verify", file, "--witness", jn.head(path).text())
    assert "Up to entry 11 it is what a witness saw" in seen.output
    file.write_text(file.read_text(encoding="utf-8").replace("Ann", "Ben"), encoding="utf-8")
    result = journal("verify", file)
    assert result.exit_code == 4
    assert f"{file}: DAMAGED. Entry " in result.output


def test_an_export_that_was_made_for_a_witness_is_held_against_an_older_head(path: Path, tmp_path: Path) -> None:
    older, file = jn.head(path), tmp_path / "all.jsonl"
    (tmp_path / "head.txt").write_text(older.text(), encoding="utf-8")
    write(path, WHOLE, "g3")
    assert journal("export", path, "--witness", tmp_path / "head.txt", "-o", file).exit_code == 0
    result = journal("verify", file, "--witness", older.text())
    assert "Up to entry 11 it is what a witness saw" in result.output
    assert json.loads(journal("verify", file, "--json").output)["continues"] == [11]
    result = journal("export", path, "--witness", "TRAPDIAL1 AAAA")
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_an_archive_is_verified_log_by_log_with_each_ones_witness(path: Path, tmp_path: Path) -> None:
    other, merged, lines = tmp_path / "other.db", tmp_path / "archive.db", tmp_path / "all.jsonl"
    write(other, WHOLE)
    result = journal("merge", path, other, "-o", merged)
    assert result.output.splitlines() == [f"{merged} (log 1): {path}", f"{merged} (log 2): {other}"]
    witnesses = ["--witness", jn.head(path).text(), "--witness", jn.head(other).text()]
    result = journal("verify", merged, *witnesses)
    assert result.exit_code == 3
    assert f"{merged} (log 1): INTERRUPTED." in result.output
    assert f"{merged} (log 2): WHOLE. 6 entries" in result.output
    assert "Up to entry 11 it is what a witness saw" in result.output
    assert "Up to entry 6 it is what a witness saw" in result.output
    foreign = Head.made(device_key(bytes(32)), 4, bytes(32)).text()
    result = journal("verify", merged, *witnesses, "--witness", foreign)
    assert result.exit_code == 5
    assert result.output.splitlines()[-1] == "A witness saw 4 entries of a device that has no record here."
    assert journal("head", merged, "--no-qr").output.splitlines()[3] == jn.head(merged, 2).text()
    assert journal("export", merged, "-o", lines).output == f"{lines}: 17 entries, each with its proof.\n"
    assert [json.loads(line)["state"] for line in journal("verify", lines, "--json").output.splitlines()] == [
        "interrupted",
        "whole",
    ]


def test_a_game_is_deleted_after_a_confirmation(path: Path) -> None:
    asked = journal("delete", path, "g1", typed="n\n")
    assert asked.exit_code == 1
    assert f"{path}: delete game g1 (entries 1 to 6) for good? [y/N]: n" in asked.output
    assert jn.verify(path).size == 11
    assert journal("delete", path, "g1", typed="y\n").output.endswith(
        f"{path}: game g1 was deleted. Its hashes are still there, and an entry records the deletion.\n"
    )
    assert "Game g1 (entries 1 to 6) was deleted on purpose; an entry records it." in journal("verify", path).output
    assert journal("delete", path, "g1", "--yes").output == (
        f"{path}: game g1 was deleted before; the rest of its data has been erased.\n"
    )


def test_a_game_that_is_not_there(path: Path) -> None:
    result = journal("delete", path, "g9", "--yes")
    assert result.exit_code == 2
    assert result.stderr == f"{path} (game g9) is not in this record. Its games are: g1, g2.\n"
