"""An event is on disk, or it did not happen."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError, NotRecordedError
from pi_app.journal.record.verdict import RecordState
from pi_app.journal.writing import CHECKPOINT_AFTER, ROUNDS_OFF
from pi_app.play import mage_knight
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.games import played, started
from tests.pi_app.journal.keeping import EVENTS, STAMP, connected, open_journal, write
from tests.pi_app.journal.record.forging import rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_append_returns_the_moment_after_the_event(path: Path) -> None:
    assert write(path).game == played(*EVENTS).game


def test_an_event_that_the_disk_refuses_did_not_happen(path: Path) -> None:
    with connected(path) as (journal, db):
        moment = journal.append("g1", NO_GAME, started())
        db.execute("PRAGMA max_page_count=1")
        looks = (journal.append("g1", moment, ev.Looked(seat="ANN", square="T01")) for _ in range(20))
        with pytest.raises(NotRecordedError, match="could not be written"):
            list(looks)
        db.execute("PRAGMA max_page_count=1000000")
        journal.append("g1", moment, ev.Ended())
    first, *taken, last = jn.read(path, MAGE_KNIGHT)
    assert (type(first.event), type(last.event)) == (ev.Started, ev.Ended)
    assert len(taken) < 20


def test_a_locked_database_is_reported_and_nothing_happens(path: Path) -> None:
    with connected(path) as (journal, db):
        db.execute("PRAGMA busy_timeout=1")
        moment = journal.append("g1", NO_GAME, started())
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(NotRecordedError, match="database is locked"):
                journal.append("g1", moment, ev.Ended())
            other.execute("ROLLBACK")
        journal.append("g1", moment, ev.Ended())


def test_s_9_a_table_shown_in_play_is_a_finding_in_the_running_game(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        mage_knight.record_shown(path, ev.TableShown(table="SAMPLE-12"), lambda: STAMP)
        after = journal.append("g1", moment, ev.Claimed(seat="ANN", grade="button"))
        assert [finding.rule for finding in after.game.findings] == ["S-9"]
    assert [e.seq for e in jn.read(path, MAGE_KNIGHT)] == [1, 2, 3]


def test_catching_up_reads_the_entries_of_other_programs(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        assert journal.catch_up("g1", moment) is moment
        mage_knight.record_shown(path, ev.TableShown(table="SAMPLE-12"), lambda: STAMP)
        assert len(journal.catch_up("g1", moment).game.findings) == 1


def test_a_checkpoint_moves_the_log_into_the_file_and_an_append_never_does(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        small = path.stat().st_size
        journal.checkpoint_if_due()
        for number in range(CHECKPOINT_AFTER):
            assert path.stat().st_size == small, number
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        journal.checkpoint_if_due()
        assert path.stat().st_size > small
        moved = path.stat().st_size
        journal.checkpoint_if_due()
        journal.append("g1", moment, ev.Ended())
        assert path.stat().st_size == moved
    assert sum(1 for _ in jn.read(path, MAGE_KNIGHT)) == CHECKPOINT_AFTER + 2


def test_a_reader_of_the_file_does_not_block_a_checkpoint(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        for _ in range(CHECKPOINT_AFTER):
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        reader = jn.read(path, MAGE_KNIGHT)
        next(reader)
        journal.checkpoint_if_due()
        journal.append("g1", moment, ev.Ended())
        assert sum(1 for _ in jn.read(path, MAGE_KNIGHT)) == CHECKPOINT_AFTER + 2


def signed_one_by_one(path: Path, journal: Journal[Moment, ev.AnyEvent], game: str, looks: int) -> list[bytes]:
    """Play a game with so many looks; the signature that each of its entries had when it was the last."""
    signatures, moment = [], NO_GAME
    for event in (*EVENTS, *[ev.Looked(seat="ANN", square="T01")] * looks, ev.Ended()):
        moment = journal.append(game, moment, event)
        signatures.append(rows(path)[-1][4])
    return signatures


def left_of(signatures: list[bytes], path: Path) -> list[int]:
    """Which of these can be found in a journal or in its log."""
    files = [path, path.with_name(path.name + "-wal")]
    there = b"".join(file.read_bytes() for file in files if file.exists())
    return [number for number, signature in enumerate(signatures) if signature in there]


@pytest.mark.parametrize("looks", [0, 1, 7, 20])
def test_no_signature_that_could_sign_a_cut_is_left_once_a_game_has_ended(path: Path, looks: int) -> None:
    signatures: list[bytes] = []
    with open_journal(path) as journal:
        for game in ("g1", "g2"):
            signatures += signed_one_by_one(path, journal, game, looks)
            assert len(left_of(signatures, path)) > 1, "its log keeps old pages until a checkpoint"
            journal.checkpoint_if_due()
            assert left_of(signatures, path) == [len(signatures) - 1]
        signatures += signed_one_by_one(path, journal, "g3", looks)
    assert left_of(signatures, path) == [len(signatures) - 1], "and so it is when the program ends"
    assert len(set(signatures)) == len(signatures)


def test_a_reader_delays_the_emptying_of_the_log_without_blocking_it(path: Path) -> None:
    with connected(path) as (journal, db):
        signatures = signed_one_by_one(path, journal, "g1", 3)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchone()
            db.execute("PRAGMA busy_timeout=600000")
            journal.checkpoint_if_due()
            assert len(left_of(signatures, path)) > 1
        for _ in range(ROUNDS_OFF):
            journal.checkpoint_if_due()
            assert len(left_of(signatures, path)) > 1, "it is not tried in each round"
        journal.checkpoint_if_due()
        assert left_of(signatures, path) == [len(signatures) - 1]
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 600_000


def test_an_event_that_is_too_long_for_its_kind_is_refused_and_the_journal_continues(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        with pytest.raises(NotRecordedError) as refused:
            journal.append("g1", moment, ev.DialLost(square="T01", trouble="x" * 800))
        why = "has no room for this event, and the game goes on without it. Report this as a bug"
        assert (str(refused.value), refused.value.for_good) == (f"Journal ({path}) {why}", True)
        journal.append("g1", moment, ev.Ended())
    assert jn.verify(path).state is RecordState.WHOLE


def test_closing_twice_is_harmless(path: Path) -> None:
    journal = Journal(path, MAGE_KNIGHT, lambda: STAMP)
    journal.close()
    journal.close()


@pytest.mark.slow
def test_a_shown_table_that_cannot_be_recorded_is_one_message(path: Path) -> None:
    write(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFileError) as refused:
            mage_knight.record_shown(path, ev.TableShown(table="SAMPLE-12"), lambda: STAMP)
    assert str(refused.value) == f"{path} (file) could not be written (database is locked). Try again."
