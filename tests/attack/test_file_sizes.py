"""The attacker hands over a file that is longer or shorter than a journal of its pages: it costs no time, and what is
wrong with it is said in words.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.audit import files
from pi_app.cli.main import main
from pi_app.journal.file_size import AGAIN
from pi_app.report.moment import NO_GAME
from tests.pi_app.journal.keeping import WHOLE, open_journal, refusal, write
from wiring_docs.journal_verifier import NoJournalError, judge_file

GAMES = 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    for number in range(GAMES):
        write(path, WHOLE, f"g{number}")
    return path


def ran(*command: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(word) for word in command])
    return result.exit_code, result.output


def no_hash(_: Path) -> str:
    raise AssertionError("the whole file was read")


def test_a_sparse_file_is_refused_before_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = path.stat().st_size
    os.truncate(path, 5 * 2**30)
    monkeypatch.setattr(files, "sha256_of", no_hash)
    for command in (("audit",), ("replay",), ("journal", "verify"), ("journal", "head"), ("journal", "export")):
        assert ran(*command, path) == (
            2,
            f"{path} (file) has 5,368,709,120 bytes, and its header counts {size:,}: what is behind them is not of the "
            f"journal. {AGAIN}.\n",
        )
    with pytest.raises(NoJournalError, match=f"it has 5368709120 bytes, and its header counts {size}"):
        judge_file(path)


def test_a_sparse_file_whose_header_counts_it_all_is_refused_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek(28)
        file.write((5 * 2**30 // page).to_bytes(4, "big"))
    os.truncate(path, 5 * 2**30)
    held = path.stat().st_blocks * 512
    monkeypatch.setattr(files, "sha256_of", no_hash)
    for command in (("audit",), ("journal", "verify")):
        assert ran(*command, path) == (
            2,
            f"{path} (file) has 5,368,709,120 bytes, of which the disk holds {held:,}: the others were never written. "
            f"{AGAIN}.\n",
        )
    with pytest.raises(NoJournalError, match=f"the disk holds {held} of them"):
        judge_file(path)


def test_a_log_beside_it_makes_a_sparse_file_no_better(path: Path) -> None:
    """In play the newest pages are in the log, and the lengths cannot be compared."""
    with open_journal(path) as journal:
        journal.append("g9", NO_GAME, WHOLE[0])
        os.truncate(path, 5 * 2**30)
        assert "the others were never written" in refusal(path)


def test_a_copy_that_was_cut_short_is_read_as_far_as_it_goes(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, size - 4096)
    code, output = ran("journal", "verify", path)
    damage = jn.verify(path).damage
    assert damage is not None
    assert damage.seq > len(WHOLE)
    assert (code, output.splitlines()[0]) == (
        4,
        f"{path}: DAMAGED. Entry {damage.seq} cannot be read ({size - 4096:,} of {size:,} bytes: the copy was cut "
        f"short). The {damage.seq - 1} before it are bound to each other.",
    )
    assert (judge_file(path).code, judge_file(path).damaged) == (4, damage.seq)
    code, output = ran("audit", path)
    assert code == 4
    assert "the copy was cut short" in " ".join(output.split())
    assert "g0" in output, "the games before the cut are audited"
    assert ran("replay", path)[0] == 4


def test_nothing_is_played_into_a_copy_that_was_cut_short(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, size - 4096)
    before = path.read_bytes()
    with pytest.raises(jn.JournalFileError) as refused:
        write(path, WHOLE, "g9")
    assert str(refused.value) == (
        f"{path} (file) cannot be read as a journal ({size - 4096:,} of {size:,} bytes: the copy was cut short). "
        f"{AGAIN}; `trapdial journal verify` says what can be read."
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("left", [100, 512, 4096, 5000])
def test_every_cut_is_said(path: Path, left: int) -> None:
    os.truncate(path, left)
    code, output = ran("journal", "verify", path)
    assert code in {2, 4}
    assert "the copy was cut short" in output
    with contextlib.suppress(NoJournalError):
        assert judge_file(path).code == code


def test_a_game_that_is_on_is_read(path: Path) -> None:
    with open_journal(path) as journal:
        journal.append("g9", NO_GAME, WHOLE[0])
        assert jn.verify(path).size == GAMES * len(WHOLE) + 1
        assert judge_file(path).code == 3
