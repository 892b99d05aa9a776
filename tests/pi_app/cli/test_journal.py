"""`trapdial journal`, as it is typed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.pages.qr import modules
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import write
from tests.pi_app.journal.record.forging import edit
from tests.pi_app.pages.scanned import picture_of, scanned
from wiring_docs import journal_verifier


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
        {
            "file": str(path),
            "state": "whole",
            "entries": 6,
            "missing": 0,
            "damage": None,
            "against": [],
            "good_until": 0,
            "witnesses": [],
        },
        {
            "file": str(other),
            "state": "interrupted",
            "entries": 5,
            "missing": 0,
            "damage": None,
            "against": [],
            "good_until": 5,
            "witnesses": [],
        },
    ]


def test_a_head_that_was_misread_is_refused_before_anything_is_looked_at(path: Path) -> None:
    result = journal("verify", path, "--witness", "TRAPDIAL1 AAAA")
    assert result.exit_code == 2
    assert result.output == (
        "--witness TRAPDIAL1 AAAA: a head has 218 letters after TRAPDIAL1, not 4. Take it from `trapdial journal "
        "head`, or from a phone that played.\n"
    )


def test_a_witness_file_that_is_not_there_is_said_to_be_missing(path: Path) -> None:
    result = journal("verify", path, "--witness", "heads.text")
    assert (result.exit_code, result.output) == (
        2,
        "--witness heads.text: no file of this name can be read (No such file or directory), and a head begins with "
        "TRAPDIAL1. Take it from `trapdial journal head`, or from a phone that played.\n",
    )


def test_the_head_of_a_damaged_record_is_not_handed_out(path: Path) -> None:
    edit(path, "UPDATE entries SET sealed = zeroblob(1) WHERE seq = 4")
    result = journal("head", path)
    assert result.exit_code == 4
    assert result.output == f"{path} (entry 4) does not match its hash. Check with `trapdial journal verify`.\n"


# ------------------------------------------------------------------------------------------- phones as witnesses


def kept(path: Path, games: int, play: tuple[ev.AnyEvent, ...] = PLAY) -> str:
    """What a phone hands over after these games: the heads that it was shown, oldest first, a line for each."""
    heads = []
    for number in range(games):
        write(path, play, f"g{number + 2}")
        heads.append(jn.head(path).text())
    return "\n".join(heads) + "\n"


def test_a_phones_file_confirms_the_record_that_it_saw(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "heads.txt"
    file.write_text(kept(path, 3))
    result = journal("verify", path, "--witness", file)
    assert result.exit_code == 3, "g4 has no end"
    assert f"Up to entry {jn.head(path).size} it is what a witness saw" in result.output
    assert journal("verify", path, "--witness", file.read_text()).output == result.output, "pasted"
    assert journal_verifier.main([str(path), str(file)]) == 3


def test_a_phones_file_finds_a_record_that_was_rewritten(path: Path, tmp_path: Path) -> None:
    (tmp_path / "before.db").write_bytes(path.read_bytes())
    good = jn.head(path)
    file = tmp_path / "heads.txt"
    file.write_text(good.text() + "\n" + kept(path, 2))
    seen = jn.head(path).size
    shutil.copy(tmp_path / "before.db", path)
    (tmp_path / "journal.db.keys" / "last.head").unlink()
    kept(path, 2, (*PLAY, ev.Ended()))
    result = journal("verify", path, "--witness", file)
    assert result.exit_code == 5
    against = [line for line in result.output.splitlines() if "Witness" in line]
    assert len(against) == 2
    assert f"Something from entry {good.size + 1} to {seen} was changed." in result.output
    lines = file.read_text().splitlines()
    for order in (lines, lines[::-1]):
        file.write_text("\r\n".join(order))
        assert journal("verify", path, "--witness", file).exit_code == 5
        assert journal_verifier.main([str(path), str(file)]) == 5


def test_a_photo_of_a_phones_code_is_a_witness(path: Path) -> None:
    (text,) = scanned(picture_of(modules(jn.head(path).text().replace(" ", ""))))
    assert "Up to entry 6 it is what a witness saw" in journal("verify", path, "--witness", text).output


def test_a_file_with_a_line_that_is_no_head_is_refused(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "heads.txt"
    file.write_text(kept(path, 2)[:-6])
    result = journal("verify", path, "--witness", file)
    assert (result.exit_code, result.output.partition(": ")[2]) == (
        2,
        "head 2 of 2: a head has 218 letters after TRAPDIAL1, not 213. Take it from `trapdial journal head`, or from a "
        "phone that played.\n",
    )
