"""A journal as a file: what is opened, and what is left exactly as it is."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_app import journal as jn
from pi_app.game.events import AnyEvent
from pi_app.journal import Journal, JournalFileError
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.games import started
from tests.pi_app.journal.keeping import connected, open_journal, refusal, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_the_file_is_its_owners_alone(path: Path) -> None:
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_full_synchronisation_is_on(path: Path) -> None:
    with connected(path) as (_, db):
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_second_player_of_the_same_file_is_refused(path: Path) -> None:
    with open_journal(path), pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    assert str(refused.value) == (
        f"{path} (file) is in use by another trapdial. End that one, or choose another file with --journal."
    )


def test_deleted_data_is_overwritten_in_the_file(path: Path) -> None:
    with connected(path) as (_, db):
        assert db.execute("PRAGMA secure_delete").fetchone()[0] == 1


def test_a_missing_file_is_reported_and_not_created(path: Path) -> None:
    assert refusal(path) == f"{path} (file) does not exist. Check the name."
    assert not path.exists()


@pytest.mark.parametrize("content", [b"hello", b"\x00" * 4096, b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_foreign_file_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path} (")
    with pytest.raises(JournalFileError), open_journal(path):
        pass
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes (text)")
        db.commit()
    assert refusal(path) == f"{path} (header) is not a Trapdial journal. Name the right file; it was not touched."


def test_a_newer_format_is_refused(path: Path) -> None:
    write(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=9")
    assert refusal(path) == (
        f"{path} (header) has format 9, and this program knows 3. Use the Trapdial version that wrote it."
    )


@pytest.mark.parametrize("size", [0, 50, 100, 1000, 4096, 5000, 8192, 12288])
def test_a_cut_file_is_refused_or_reads_as_less_but_never_crashes(path: Path, size: int) -> None:
    write(path)
    os.truncate(path, size)
    with contextlib.suppress(JournalFileError):
        list(jn.read(path, MAGE_KNIGHT))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 20_000), st.binary(min_size=1, max_size=40))
def test_any_overwritten_bytes_give_one_message_and_no_traceback(tmp_path: Path, at: int, scribble: bytes) -> None:
    path = tmp_path / "scribbled.db"
    path.unlink(missing_ok=True)
    (jn.keys_of(path).folder / "last.head").unlink(missing_ok=True)
    write(path)
    data = bytearray(path.read_bytes())
    data[at : at + len(scribble)] = scribble
    path.write_bytes(data)
    with contextlib.suppress(JournalFileError):
        list(jn.read(path, MAGE_KNIGHT))
    assert path.read_bytes() == data


def shrinking(path: Path) -> Journal[Moment, AnyEvent]:
    """A journal as a station opens it."""
    return Journal(path, MAGE_KNIGHT, shrinks=True)


@pytest.mark.parametrize("size", [1, 512, 4096, 65_536])
def test_a_file_of_zeros_is_what_a_power_cut_leaves_of_a_stations_new_one(path: Path, size: int) -> None:
    path.write_bytes(bytes(size))
    with shrinking(path) as journal:
        journal.append("g1", NO_GAME, started())
    assert [entry.seq for entry in jn.read(path, MAGE_KNIGHT)] == [1]


@pytest.mark.parametrize("content", [bytes(65_537), bytes(4095) + b"x"])
def test_any_other_file_of_a_station_stays_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalFileError):
        shrinking(path)
    assert path.read_bytes() == content


def test_zeros_with_a_log_beside_them_stay_as_they_are(path: Path) -> None:
    """The log may have entries."""
    path.write_bytes(bytes(4096))
    path.with_name("journal.db-wal").write_bytes(bytes(40))
    with pytest.raises(JournalFileError):
        shrinking(path)
    assert path.read_bytes() == bytes(4096)
