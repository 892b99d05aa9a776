"""A row follows only the rows that this device wrote."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import JournalFileError, NotRecordedError
from pi_app.journal.record.heads import read_head
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started
from tests.pi_app.journal.keeping import connected, open_journal, write
from tests.pi_app.journal.record.forging import edit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_a_journal_whose_end_was_cut_off_is_not_continued(path: Path) -> None:
    write(path)
    (jn.keys_of(path).folder / "last.head").unlink()
    edit(path, "DELETE FROM entries WHERE seq = 5")
    assert refused_to_play(path) == (
        f"{path} (entry 4) is not signed by this device. Check with `trapdial journal verify`; play into another file "
        "with --journal."
    )


def test_a_game_without_its_key_is_not_continued(path: Path) -> None:
    moment = write(path)
    jn.keys_of(path).drop("g1")
    with open_journal(path) as journal, pytest.raises(NotRecordedError) as refused:
        journal.append("g1", moment, ev.Ended())
    assert str(refused.value) == (
        f"Journal ({path}) could not be sealed: {path}.keys has no key for game g1. Put its file back, or begin a new "
        "game."
    )


def test_a_journal_whose_key_is_gone_is_read_and_not_played_into(path: Path) -> None:
    write(path)
    (jn.keys_of(path).folder / "device.key").unlink()
    with pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    assert str(refused.value) == (
        f"{path} (file) was written with a key that is not in {path}.keys. Put device.key back, or play into another "
        "file with --journal."
    )
    assert not (jn.keys_of(path).folder / "device.key").exists()
    assert len(list(jn.read(path, MAGE_KNIGHT))) == 5


def test_a_journal_of_another_device_is_read_and_not_played_into(path: Path) -> None:
    write(path)
    (jn.keys_of(path).folder / "device.key").write_text("ab" * 32)
    with pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    assert str(refused.value) == (
        f"{path} (entry 5) is not signed by this device. Check with `trapdial journal verify`; play into another file "
        "with --journal."
    )
    assert len(list(jn.read(path, MAGE_KNIGHT))) == 5


def copied(path: Path, to: Path) -> Path:
    """A copy of a journal alone, without its keys."""
    shutil.copyfile(path, to)
    return to


def refused_to_play(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    return str(refused.value)


def test_an_older_copy_of_a_journal_is_not_continued(path: Path, tmp_path: Path) -> None:
    write(path)
    older = copied(path, tmp_path / "older.db")
    with open_journal(path) as journal:
        game, moment = journal.unfinished() or ("", NO_GAME)
        journal.append(game, moment, ev.Ended())
    shutil.copyfile(older, path)
    assert refused_to_play(path) == (
        f"{path} (file) has 5 entries, and this device has written 6 into it. Put the newer file back, or play into "
        "another file with --journal."
    )
    assert jn.verify(path).missing == 1


def test_a_missing_journal_is_reported(path: Path) -> None:
    write(path)
    path.unlink()
    assert refused_to_play(path) == (
        f"{path} (file) is gone, and {path}.keys says that this device has written 5 entries into it. Put the file "
        f"back from a copy. To begin a new record instead, move {path}.keys to another place and keep it, or play into "
        "another file with --journal."
    )
    assert not path.exists()


def test_a_journal_that_differs_from_the_devices_own_is_not_continued(path: Path, tmp_path: Path) -> None:
    write(path, (started(),))
    older, keys = copied(path, tmp_path / "older.db"), jn.keys_of(path).folder
    shutil.copytree(keys, tmp_path / "kept")
    write_more(path, ev.Claimed(seat="ANN", grade="button"))
    left = (keys / "last.head").read_text()
    shutil.copyfile(older, path)
    shutil.rmtree(keys)
    shutil.copytree(tmp_path / "kept", keys)
    write_more(path, ev.Claimed(seat="BEN", grade="button"))
    (keys / "last.head").write_text(left)
    assert refused_to_play(path) == (
        f"{path} (entry 2) is not the one that this device has written, although it begins with as many entries. Put "
        "the newer file back, or play into another file with --journal."
    )


def write_more(path: Path, event: ev.AnyEvent) -> None:
    with open_journal(path) as journal:
        game, moment = journal.unfinished() or ("", NO_GAME)
        journal.append(game, moment, event)


def test_the_remembered_head_is_written_only_at_start_and_end(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        last = jn.keys_of(path).folder / "last.head"
        remembered = last.read_text()
        for _ in range(5):
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
            assert last.read_text() == remembered
        journal.append("g1", moment, ev.Ended())
        assert read_head(last.read_text()) == jn.head(path)


def test_a_broken_remembered_head_is_set_aside(path: Path) -> None:
    write(path)
    last = jn.keys_of(path).folder / "last.head"
    last.write_text("TRAPDIAL1 AAAA")
    with open_journal(path) as journal:
        assert journal.set_aside == last.with_name("last.head.damaged")
        assert journal.unfinished() is not None
    with open_journal(path) as journal:
        assert journal.set_aside is None


def test_an_empty_device_key_is_reported(path: Path) -> None:
    write(path)
    key = jn.keys_of(path).folder / "device.key"
    key.write_text("")
    assert refused_to_play(path) == f"{key} holds no key. Put the file back from a copy."


def test_an_empty_key_of_the_running_game_is_reported_and_another_game_may_begin(path: Path) -> None:
    write(path)
    key = jn.keys_of(path).folder / "game-g1.key"
    key.write_text("")
    with open_journal(path) as journal:
        with pytest.raises(JournalFileError) as refused:
            journal.unfinished()
        assert str(refused.value) == f"{key} holds no key. Put the file back from a copy."
        journal.append("g2", NO_GAME, started())
    assert jn.verify(path).state is RecordState.INTERRUPTED


def test_unreadable_keys_are_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path)
    key = jn.keys_of(path).folder / "device.key"

    really_open = os.open

    def refuse(path: str | Path, *flags: int, **more: int) -> int:
        if path == "device.key":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return really_open(path, *flags, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert refused_to_play(path) == (
        f"{key} could not be read (Permission denied). Give the file and its folder to the user who plays (chown), or "
        "choose another place with --journal."
    )


def test_a_game_that_the_disk_refused_leaves_no_key(path: Path) -> None:
    with connected(path) as (journal, db):
        db.execute("PRAGMA query_only=ON")
        with pytest.raises(NotRecordedError):
            journal.append("g1", NO_GAME, started())
    assert not (jn.keys_of(path).folder / "game-g1.key").exists()
