"""Verification on all cores: the same verdict as on one, for any file."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import exposes
from tests.pi_app.journal.keeping import EVENTS, open_journal, write

CHANGES = {
    "nothing": "",
    "the first row": "UPDATE entries SET public = x'00' WHERE seq = 1",
    "the last row of a stretch": "UPDATE entries SET leaf = zeroblob(32) WHERE seq = 7",
    "the first row of a stretch": "UPDATE entries SET sealed = zeroblob(696) WHERE seq = 8",
    "a row is gone": "DELETE FROM entries WHERE seq = 13",
    "a stretch is gone": "DELETE FROM entries WHERE seq BETWEEN 8 AND 15",
    "the end is gone": "DELETE FROM entries WHERE seq > 16",
    "a row in front": "UPDATE entries SET seq = -5 WHERE seq = 3",
    "a row far behind": "UPDATE entries SET seq = 9223372036854775807 WHERE seq = 20",
    "no rows": "DELETE FROM entries",
    "signed in between": "UPDATE entries SET signature = zeroblob(64) WHERE seq = 11",
}

BOTH_WAYS = """
import json, sys
from pathlib import Path
from pi_app import journal as jn
from pi_app.journal import rows
from pi_app.journal.record.heads import read_head

shared = []
runs_of = rows.runs_of
rows.runs_of = lambda path: shared.append(path) or runs_of(path)
rows.STRETCH = 8
rows.os.cpu_count = lambda: 2
for path, *witnesses in json.load(sys.stdin):
    heads = [read_head(head) for head in witnesses]
    said = []
    for rows.WORTH_SHARING in (0, 10**9):
        said.append(str(jn.verify(Path(path), heads)))
    print(json.dumps([said[0] == said[1], len(shared), said[0]]))
    shared.clear()
"""
"""In a process of its own, for pytest has threads, and then no journal is shared."""


def both_ways(*asked: tuple[str, ...]) -> list[tuple[bool, int, str]]:
    """Of each journal, with its witnesses: whether both verdicts are the same, how often it was shared, the first."""
    told = subprocess.run(
        [sys.executable, "-c", BOTH_WAYS], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    return [(same, times, said) for same, times, said in map(json.loads, told.stdout.splitlines())]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Four games of seven entries."""
    path = tmp_path / "journal.db"
    for game in ("g1", "g2", "g3", "g4"):
        write(path, (*EVENTS, ev.Looked(seat="ANN", square="T01"), ev.Ended()), game)
    assert jn.verify(path).size == 28
    return path


def test_the_verdict_is_the_same_on_one_core_and_on_all(journal: Path, tmp_path: Path) -> None:
    asked = []
    for number, change in enumerate(CHANGES.values()):
        path = tmp_path / f"{number}.db"
        path.write_bytes(journal.read_bytes())
        if change:
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute(change)
        for left in (f"{path}-wal", f"{path}-shm"):
            Path(left).unlink(missing_ok=True)
        asked.append((str(path),))
    found = dict(zip(CHANGES, both_ways(*asked), strict=True))
    assert [name for name, (same, _, _) in found.items() if not same] == []
    assert {times for _, times, _ in found.values()} == {1}
    assert [name for name, (_, _, said) in found.items() if "State.WHOLE" in said] == ["nothing"]


def test_witnesses_count_on_all_cores(journal: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.db"
    older.write_bytes(journal.read_bytes())
    before = jn.head(journal).text()
    write(journal, (*EVENTS, ev.Ended()), "g5")
    good, bad = both_ways((str(journal), before), (str(older), jn.head(journal).text()))
    assert (good[0], bad[0]) == (True, True)
    assert "State.WHOLE" in good[2]
    assert "State.FORKED" in bad[2]


def test_a_journal_that_is_being_written_is_verified_on_one_core(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with open_journal(path) as journal:
        moment = NO_GAME
        for event in (*EVENTS, *exposes("T02", 2, "BEN")):
            moment = journal.append("g1", moment, event)
        ((same, times, said),) = both_ways((str(path),))
    assert same
    assert times == 0
    assert "State.INTERRUPTED" in said
