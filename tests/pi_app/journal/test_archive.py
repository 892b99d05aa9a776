"""Export records with proofs, merge them, and delete games so that no byte of them is left."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError, archive
from pi_app.journal.record.entry import read_public
from pi_app.journal.record.verdict import RecordState, fingerprint
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.games import exposes
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import STAMP, WHOLE, forget_head, write
from tests.pi_app.journal.record.forging import edit, rewrite, rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two games with an end and one without."""
    path = tmp_path / "journal.db"
    for game in ("g1", "g2"):
        write(path, WHOLE, game)
    write(path, PLAY, "g3")
    return path


def exported(path: Path, *games: str) -> list[bytes]:
    out = io.BytesIO()
    archive.export(path, out, games)
    return out.getvalue().splitlines(keepends=True)


def verdicts(folder: Path, lines: list[bytes]) -> list[RecordState]:
    file = folder / "export.jsonl"
    file.write_bytes(b"".join(lines))
    return [verdict.state for verdict in archive.verify_exported(file)]


def refusal(wrong: pytest.ExceptionInfo[JournalFileError]) -> str:
    return str(wrong.value)


# ------------------------------------------------------------------------------------------------------------- export


def test_an_export_holds_both_halves_exactly(path: Path) -> None:
    import base64

    lines = [json.loads(line) for line in exported(path)]
    assert lines[0] == {"export": 1, "head": jn.head(path).text()}
    assert [
        (line["seq"], line["public"].encode(), base64.b64decode(line["sealed"]), bytes.fromhex(line["leaf"]))
        for line in lines[1:]
    ] == [row[:4] for row in rows(path)]


def test_an_export_is_what_its_games_are(path: Path, tmp_path: Path) -> None:
    assert verdicts(tmp_path, exported(path)) == [RecordState.INTERRUPTED]
    assert verdicts(tmp_path, exported(path, "g2")) == [RecordState.WHOLE]
    assert verdicts(tmp_path, exported(path, "g1", "g2")) == [RecordState.WHOLE]
    assert verdicts(tmp_path, exported(path, "g3")) == [RecordState.INTERRUPTED]
    assert verdicts(tmp_path, exported(path, "g1") + exported(path, "g3")) == [
        RecordState.WHOLE,
        RecordState.INTERRUPTED,
    ]


@pytest.mark.parametrize("cut", range(1, 6))
def test_no_entry_within_a_game_can_be_left_out(path: Path, tmp_path: Path, cut: int) -> None:
    lines = exported(path, "g2")
    file = tmp_path / "cut.jsonl"
    file.write_bytes(b"".join(lines[:cut] + lines[cut + 1 :]))
    (verdict,) = archive.verify_exported(file)
    assert verdict.state is RecordState.DAMAGED


def test_an_export_without_its_last_entry_is_never_complete(path: Path, tmp_path: Path) -> None:
    assert verdicts(tmp_path, exported(path, "g2")[:-1]) == [RecordState.INTERRUPTED]


def test_a_game_that_is_not_there_is_refused(path: Path) -> None:
    with pytest.raises(JournalFileError) as wrong:
        exported(path, "g9")
    assert refusal(wrong) == f"{path} (game g9) is not in this record. Its games are: g1, g2, g3."


def test_a_damaged_record_is_not_exported(path: Path) -> None:
    edit(path, "UPDATE entries SET sealed = zeroblob(680) WHERE seq = 4")
    with pytest.raises(JournalFileError) as wrong:
        exported(path, "g2")
    assert refusal(wrong) == (
        f"{path} (entry 4) does not match its hash. Nothing was written; check with `trapdial journal verify`."
    )


# -------------------------------------------------------------------------------------------------------------- merge


def test_a_merged_archive_holds_each_record_as_it_was(path: Path, tmp_path: Path) -> None:
    other, merged = tmp_path / "other.db", tmp_path / "archive.db"
    write(other, WHOLE)
    assert archive.merge([path, other], merged) == (str(path), str(other))
    assert jn.logs(merged) == (1, 2)
    for log, each in ((1, path), (2, other)):
        assert jn.verify(merged, log=log) == jn.verify(each)
        head, theirs = jn.head(merged, log), jn.head(each)
        assert (head.device, head.size, head.root) == (theirs.device, theirs.size, theirs.root)
        with jn.raw(merged) as journal:
            assert list(journal.rows(log)) == rows(each)


def test_an_archive_is_replayed_log_by_log_and_read_from_its_keys(path: Path, tmp_path: Path) -> None:
    one, two, merged = tmp_path / "one.db", tmp_path / "two.db", tmp_path / "archive.db"
    write(one, WHOLE)
    write(two, (*PLAY, *exposes("T02", 2, "BEN"), ev.Ended()))
    archive.merge([one, two], merged)
    first, second = replay(merged)
    assert (first.entries, second.entries) == (6, 9)
    assert second.sentence(None).startswith("Game g1: 9 entries (2:1 to 2:9) on a SIMULATED table, ended")
    assert archive.export(merged, io.BytesIO()) == 15


def test_the_longer_of_two_copies_is_merged(path: Path, tmp_path: Path) -> None:
    copy, merged, again = tmp_path / "copy.db", tmp_path / "archive.db", tmp_path / "again.db"
    shutil.copy(path, copy)
    write(path, WHOLE, "g4")
    assert archive.merge([copy, path], merged) == (str(path),)
    assert archive.merge([merged, copy], again) == (f"{merged} (log 1)",)
    assert jn.verify(again, log=1).size == 23


def test_a_copy_whose_end_was_cut_off_is_not_merged(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    edit(copy, "DELETE FROM entries WHERE seq > 6")
    with pytest.raises(JournalFileError) as wrong:
        archive.merge([path, copy], tmp_path / "archive.db")
    assert refusal(wrong) == (
        f"{copy} (entry 6) is the last one and not signed: the entries after it were cut off. Nothing was written; "
        "check with `trapdial journal verify`."
    )


def test_copies_that_differ_are_refused_and_both_are_named(path: Path, tmp_path: Path) -> None:
    copy, merged = tmp_path / "copy.db", tmp_path / "archive.db"
    shutil.copy(path, copy)
    shutil.copytree(jn.keys_of(path).folder, jn.keys_of(copy).folder)
    for file in (path, copy):
        write(file, WHOLE, "g4")
    with pytest.raises(JournalFileError) as wrong:
        archive.merge([path, copy], merged)
    assert refusal(wrong).startswith(f"{copy} (entry 18) differs from the one in {path}, and both are of the device ")
    assert refusal(wrong).endswith(
        ": one of them was rewritten. Find out which one the witnesses saw with `trapdial journal verify "
        "--witness`, and merge that one."
    )
    assert not merged.exists()


def test_an_existing_file_is_never_overwritten(path: Path, tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    merged.write_bytes(b"something")
    with pytest.raises(JournalFileError) as wrong:
        archive.merge([path], merged)
    assert refusal(wrong) == f"{merged} (file) exists already. Name a new file; nothing was changed."
    assert merged.read_bytes() == b"something"


def test_a_damaged_record_is_not_merged(path: Path, tmp_path: Path) -> None:
    edit(path, "UPDATE entries SET public = zeroblob(768) WHERE seq = 3")
    with pytest.raises(JournalFileError):
        archive.merge([path], tmp_path / "archive.db")
    assert not (tmp_path / "archive.db").exists()


def test_an_entry_of_no_log_is_reported(path: Path, tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    archive.merge([path], merged)
    edit(merged, "UPDATE entries SET seq = 7 WHERE seq = ?", jn.LOG_STEP + 3)
    with pytest.raises(JournalFileError) as wrong:
        jn.logs(merged)
    assert refusal(wrong) == f"{merged} (file) holds entries that are of no log. Merge it again."


def test_logs_are_counted_by_what_is_there(path: Path, tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    archive.merge([path], merged)
    edit(merged, "UPDATE entries SET seq = seq + ?", 1_000_000 * jn.LOG_STEP)
    assert jn.logs(merged) == (1_000_001,)
    assert jn.verify(merged, log=1_000_001).state is RecordState.INTERRUPTED


def test_an_archive_cannot_be_played_into(path: Path, tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    archive.merge([path], merged)
    before = merged.read_bytes()
    with pytest.raises(JournalFileError) as wrong:
        Journal(merged, MAGE_KNIGHT)
    assert refusal(wrong) == (
        f"{merged} (header) is an archive of records, and nothing is played into it. Choose another journal."
    )
    assert merged.read_bytes() == before


# ------------------------------------------------------------------------------------------------------------- delete


def everything_on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


@pytest.mark.parametrize("game", ["g1", "g2", "g3"])
def test_no_byte_of_a_deleted_game_is_left(path: Path, tmp_path: Path, game: str) -> None:
    taken = [row for row in rows(path) if read_public(row[1]).game == game]
    key = jn.keys_of(path).game(game) or b""
    hexes = [read_public(row[1]).key for row in taken if read_public(row[1]).key] + [key.hex()] * bool(key)
    assert all(row[2][:64] in everything_on_disk(tmp_path) for row in taken)
    archive.delete(path, game, stamp=lambda: STAMP)
    left = everything_on_disk(tmp_path)
    for _, public, sealed, *_ in taken:
        assert public[:60] not in left
        assert not any(sealed[at : at + 32] in left for at in range(0, len(sealed) - 32, 16))
    assert hexes
    assert not any(text.encode() in left or bytes.fromhex(text) in left for text in hexes if text)
    assert jn.keys_of(path).game(game) is None


def test_a_record_without_the_game_can_still_be_checked(path: Path) -> None:
    before = jn.head(path)
    archive.delete(path, "g3", stamp=lambda: STAMP)
    archive.delete(path, "g1", stamp=lambda: STAMP)
    verdict = jn.verify(path, [before])
    assert (verdict.state, verdict.size, verdict.good_until) == (RecordState.WHOLE, 19, 17)
    assert [(game.game, game.deleted, game.first, game.last) for game in verdict.games] == [
        ("g2", False, 7, 12),
        ("g3", True, 13, 17),
        ("g1", True, 1, 6),
    ]
    assert [game.game_id for game in replay(path)] == ["g2"]
    write(path, WHOLE, "g4")
    assert jn.verify(path).state is RecordState.WHOLE


def test_the_rest_of_a_record_is_exported_after_a_deletion(path: Path, tmp_path: Path) -> None:
    archive.delete(path, "g1", stamp=lambda: STAMP)
    archive.delete(path, "g3", stamp=lambda: STAMP)
    assert verdicts(tmp_path, exported(path)) == [RecordState.WHOLE]
    with pytest.raises(JournalFileError) as wrong:
        exported(path, "g1")
    assert refusal(wrong) == f"{path} (game g1) was deleted from this record. Use an export of it."


def test_without_the_devices_key_nothing_is_deleted(path: Path) -> None:
    before = rows(path)
    (jn.keys_of(path).folder / "device.key").unlink()
    with pytest.raises(JournalFileError) as wrong:
        archive.delete(path, "g1")
    assert f"{path} (game g1) can only be deleted with the key of the device that wrote it (" in refusal(wrong)
    assert rows(path) == before
    assert not jn.keys_of(path).has_device


def test_nothing_is_deleted_during_a_game(path: Path) -> None:
    with Journal(path, MAGE_KNIGHT), pytest.raises(JournalFileError) as wrong:
        archive.delete(path, "g1")
    assert "is in use by another trapdial" in refusal(wrong)
    assert jn.verify(path).size == 17


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(JournalFileError):
        archive.delete(tmp_path / "none.db", "g1")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_deletion_leaves_the_game_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: sqlite3.Connection, row: jn.JournalRow) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    before = rows(path)
    with monkeypatch.context() as patch:
        patch.setattr(jn, "insert", broken)
        with pytest.raises(JournalFileError) as wrong:
            archive.delete(path, "g1")
    assert refusal(wrong) == (
        f"{path} (file) could not be changed (disk I/O error). Close every program that reads it, and try again."
    )
    assert rows(path) == before
    assert jn.verify(path).state is RecordState.INTERRUPTED


def test_an_interrupted_erasure_is_completed_by_a_second_deletion(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = rows(path)[3][2]
    with contextlib.closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        with monkeypatch.context() as patch:
            patch.setattr(
                archive, "erase_remains", lambda db: (_ for _ in ()).throw(sqlite3.OperationalError("locked"))
            )
            with pytest.raises(JournalFileError):
                archive.delete(path, "g1", stamp=lambda: STAMP)
    assert jn.verify(path).size == 18
    assert archive.delete(path, "g1").done
    assert sealed[:64] not in everything_on_disk(path.parent)
    assert jn.verify(path).size == 18


@pytest.mark.slow
def test_a_deletion_that_a_reader_blocks_is_reported(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        with pytest.raises(JournalFileError) as wrong:
            archive.delete(path, "g1", stamp=lambda: STAMP)
    assert refusal(wrong) == (
        f"{path} (file) could not be changed (another program reads it, so its log could not be emptied). "
        "Close every program that reads it, and try again."
    )
    assert archive.delete(path, "g1").done
    assert jn.verify(path).size == 18


def test_a_game_is_deleted_from_an_archive_with_its_devices_keys(path: Path, tmp_path: Path) -> None:
    other, merged = tmp_path / "other.db", tmp_path / "archive.db"
    write(other, WHOLE, "h1")
    archive.merge([path, other], merged)
    with pytest.raises(JournalFileError) as wrong:
        archive.delete(merged, "h1")
    assert refusal(wrong).endswith(
        "Delete it from its own journal and merge again; or name the folder with that device's keys with --keys."
    )
    archive.delete(merged, "h1", jn.keys_of(other).folder, lambda: STAMP)
    assert jn.verify(merged, log=2).games[0].deleted
    assert jn.verify(merged, log=1) == jn.verify(path)


def test_a_game_deleted_from_its_journal_is_deleted_in_a_new_archive(path: Path, tmp_path: Path) -> None:
    merged, again = tmp_path / "archive.db", tmp_path / "again.db"
    archive.merge([path], merged)
    archive.delete(path, "g1", stamp=lambda: STAMP)
    assert archive.merge([merged, path], again) == (str(path),)
    assert jn.verify(again, log=1).games[-1].deleted


def test_a_record_rewritten_from_its_first_entry_is_not_merged_with_the_first(path: Path, tmp_path: Path) -> None:
    copy, merged = tmp_path / "copy.db", tmp_path / "archive.db"
    shutil.copy(path, copy)
    shutil.copytree(jn.keys_of(path).folder, jn.keys_of(copy).folder)
    forget_head(copy)
    rewrite(copy)
    with pytest.raises(JournalFileError) as wrong:
        archive.merge([path, copy], merged)
    device = fingerprint(jn.head(path).device)
    assert refusal(wrong) == (
        f"{copy} (entry 1) is of the same device as {path} ({device}), and begins with another entry. One of them was "
        "made up, or begun again: find out which one the witnesses saw, and merge that one."
    )
    assert not merged.exists()
