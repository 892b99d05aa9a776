"""The durable record: what is appended is there, whatever happens next, and damage is named."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_app import events as ev
from pi_app import journal as jn
from pi_app import mage_knight
from pi_app.journal import Journal, JournalFileError, NotRecordedError, Stamp
from pi_app.mage_knight import MAGE_KNIGHT
from pi_app.record import entry as rec
from pi_app.record.entry import ClockSource
from pi_app.record.heads import read_head
from pi_app.record.verify import State
from pi_app.replay import replay
from pi_app.report import NO_GAME, Moment
from pi_app.tables import Trap
from tests.pi_app.games import exposes, played, started, table_with
from tests.pi_app.record.forging import edit, key_of, opened, put, rows

STAMP = Stamp(boot="boot-1", mono_ns=5_000, wall="2026-01-02T03:04:05+00:00", clock="rtc")
EVENTS = (started(), ev.SetupChecked(stands={"T01": 0, "T02": 0}), *exposes("T01", 3, "ANN"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@contextlib.contextmanager
def open_journal(path: Path) -> Iterator[Journal[Moment, ev.AnyEvent]]:
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as journal:
        yield journal


def write(path: Path, events: tuple[ev.AnyEvent, ...] = EVENTS, game_id: str = "g1") -> Moment:
    moment = NO_GAME
    with open_journal(path) as journal:
        for event in events:
            moment = journal.append(game_id, moment, event)
    return moment


def refusal(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused:
        list(jn.read(path, MAGE_KNIGHT))
    return str(refused.value)


def test_what_was_appended_is_read_back_in_order(path: Path) -> None:
    write(path)
    entries = list(jn.read(path, MAGE_KNIGHT))
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert tuple(entry.event for entry in entries) == EVENTS
    assert {(e.game_id, e.boot, e.mono_ns, e.wall) for e in entries} == {("g1", "boot-1", 5_000, STAMP.wall)}


def test_append_gives_the_moment_after_the_event(path: Path) -> None:
    assert write(path).game == played(*EVENTS).game


def test_the_public_part_holds_the_logs_news_and_no_secret(path: Path) -> None:
    write(path)
    told = [line for entry in jn.read(path, MAGE_KNIGHT) for line in entry.public.log]
    assert "T01: exposed by Ann." in told
    public = b" ".join(row[1] for row in rows(path)).decode()
    for secret in ("cage", "Cage", "6+", "clicks", "position", "SAMPLE-12"):
        assert secret not in public


def test_the_file_is_its_owners_alone(path: Path) -> None:
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_full_synchronisation_is_on(path: Path) -> None:
    with open_journal(path) as journal:
        assert journal._db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert journal._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_an_unfinished_game_is_found_again(path: Path) -> None:
    moment = write(path)
    with open_journal(path) as journal:
        assert journal.unfinished() == ("g1", moment)


def test_an_ended_game_is_not_resumed(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    with open_journal(path) as journal:
        assert journal.unfinished() is None


def test_several_games_lie_in_one_file(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    write(path, (started(),), "g2")
    assert [e.event for e in jn.read(path, MAGE_KNIGHT, "g2")] == [started()]
    with open_journal(path) as journal:
        assert journal.unfinished() == ("g2", played(started()))


def test_a_second_player_of_the_same_file_is_refused(path: Path) -> None:
    with open_journal(path), pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    assert str(refused.value) == (
        f"{path} (file) is in use by another trapdial. End that one, or choose another file with --journal."
    )


def test_a_disk_that_does_not_take_it_means_that_it_did_not_happen(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        journal._db.execute("PRAGMA max_page_count=1")
        looks = (journal.append("g1", moment, ev.Looked(seat="ANN", square="T01")) for _ in range(20))
        with pytest.raises(NotRecordedError, match="could not be written"):
            list(looks)
        journal._db.execute("PRAGMA max_page_count=1000000")
        journal.append("g1", moment, ev.Ended())
    first, *taken, last = jn.read(path, MAGE_KNIGHT)
    assert (type(first.event), type(last.event)) == (ev.Started, ev.Ended)
    assert len(taken) < 20


def test_a_locked_database_is_told_and_nothing_happens(path: Path) -> None:
    with open_journal(path) as journal:
        journal._db.execute("PRAGMA busy_timeout=1")
        moment = journal.append("g1", NO_GAME, started())
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(NotRecordedError, match="database is locked"):
                journal.append("g1", moment, ev.Ended())
            other.execute("ROLLBACK")
        journal.append("g1", moment, ev.Ended())


def test_s_9_a_table_shown_by_force_is_a_finding_in_the_running_game(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        assert mage_knight.table_in_running_game(path, "SAMPLE-12")
        assert not mage_knight.table_in_running_game(path, "another")
        mage_knight.record_table_shown(path, "SAMPLE-12", lambda: STAMP)
        after = journal.append("g1", moment, ev.Claimed(seat="ANN", grade="button"))
        assert [finding.rule for finding in after.game.findings] == ["S-9"]
    assert [e.seq for e in jn.read(path, MAGE_KNIGHT)] == [1, 2, 3]


def test_catching_up_takes_in_what_others_added(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        assert journal.catch_up("g1", moment) is moment
        mage_knight.record_table_shown(path, "SAMPLE-12", lambda: STAMP)
        assert len(journal.catch_up("g1", moment).game.findings) == 1


def test_tidying_moves_the_log_into_the_file_and_an_append_never_does(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        small = path.stat().st_size
        journal.tidy()
        for number in range(jn.TIDY_AFTER):
            assert path.stat().st_size == small, number
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        journal.tidy()
        assert path.stat().st_size > small
        moved = path.stat().st_size
        journal.tidy()
        journal.append("g1", moment, ev.Ended())
        assert path.stat().st_size == moved
    assert sum(1 for _ in jn.read(path, MAGE_KNIGHT)) == jn.TIDY_AFTER + 2


def test_a_reader_of_the_file_does_not_keep_anybody_from_tidying(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        for _ in range(jn.TIDY_AFTER):
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        reader = jn.read(path, MAGE_KNIGHT)
        next(reader)
        journal.tidy()
        journal.append("g1", moment, ev.Ended())
        assert sum(1 for _ in jn.read(path, MAGE_KNIGHT)) == jn.TIDY_AFTER + 2


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
            assert len(left_of(signatures, path)) > 1, "its log keeps old pages until somebody tidies"
            journal.tidy()
            assert left_of(signatures, path) == [len(signatures) - 1]
        signatures += signed_one_by_one(path, journal, "g3", looks)
    assert left_of(signatures, path) == [len(signatures) - 1], "and so it is when the program ends"
    assert len(set(signatures)) == len(signatures)


def test_a_reader_delays_the_emptying_of_the_log_and_nobody_waits_for_it(path: Path) -> None:
    with open_journal(path) as journal:
        signatures = signed_one_by_one(path, journal, "g1", 3)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchone()
            journal._db.execute("PRAGMA busy_timeout=600000")
            journal.tidy()
            assert len(left_of(signatures, path)) > 1
        journal.tidy()
        assert left_of(signatures, path) == [len(signatures) - 1]
        assert journal._db.execute("PRAGMA busy_timeout").fetchone()[0] == 600_000


def test_what_is_taken_away_in_the_file_is_written_over(path: Path) -> None:
    with open_journal(path) as journal:
        assert journal._db.execute("PRAGMA secure_delete").fetchone()[0] == 1


def test_a_journal_whose_end_was_cut_off_is_not_gone_on_with(path: Path) -> None:
    write(path)
    (jn.keys_of(path).folder / "last.head").unlink()
    edit(path, "DELETE FROM entries WHERE seq = 5")
    assert refused_to_play(path) == (
        f"{path} (entry 4) is not signed by this device. Look with `trapdial journal verify`; play into another file "
        "with --journal."
    )


def test_no_file_means_no_game(tmp_path: Path) -> None:
    assert not mage_knight.table_in_running_game(tmp_path / "none.db", "SAMPLE-12")


def test_a_missing_file_is_said_and_not_made(path: Path) -> None:
    assert refusal(path) == f"{path} (file) does not exist. Check the name."
    assert not path.exists()


@pytest.mark.parametrize("content", [b"hello", b"\x00" * 4096, b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_foreign_file_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path} (")
    with pytest.raises(JournalFileError), open_journal(path):
        pass
    assert path.read_bytes() == content


def test_somebody_elses_database_is_refused(path: Path) -> None:
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


@pytest.mark.parametrize(
    ("statement", "seen"),
    [
        ("DELETE FROM entries WHERE seq = 3", "(entry 3) is missing. "),
        ("UPDATE entries SET sealed = x'00ff' WHERE seq = 2", "(entry 2) does not open with the key of its game. "),
        ("UPDATE entries SET sealed = 5 WHERE seq = 2", "(entry 2) does not hold a readable event. "),
        ("UPDATE entries SET public = x'7b' WHERE seq = 2", "(entry 2) does not hold a readable event. "),
        ("UPDATE entries SET public = public || ' ' WHERE seq = 2", "(entry 2) does not open with the key of its game"),
        (
            "UPDATE entries SET public = (SELECT public FROM entries WHERE seq = 3) WHERE seq = 4",
            "(entry 4) says of itself that it is entry 3. ",
        ),
    ],
)
def test_damage_stops_the_reader_with_the_entrys_number(path: Path, statement: str, seen: str) -> None:
    write(path)
    edit(path, statement)
    assert seen in refusal(path)


def test_another_event_inside_than_outside_is_noticed(path: Path) -> None:
    write(path)
    part, hidden = opened(path, 5)
    put(path, 5, part, msgspec.structs.replace(hidden, event=msgspec.Raw(ev.to_json(ev.Ended()))))
    assert "(entry 5) says 'turned' outside and something else inside. " in refusal(path)


def test_a_published_key_is_found_wherever_it_stands_in_its_entry(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()))
    last = len(EVENTS) + 1
    part, hidden = opened(path, last)
    backwards = dict(reversed(msgspec.to_builtins(part).items()))
    public = msgspec.json.encode(backwards).ljust(rec.public_size("ended"))
    assert b'"kind"' not in public[:64]
    sealed = rec.sealed_bytes(hidden, key_of(path, part.game), public, rec.sealed_size("ended", None))
    edit(path, "UPDATE entries SET public = ?, sealed = ? WHERE seq = ?", public, sealed, last)
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT)] == [*EVENTS, ev.Ended()]


def test_without_the_key_a_running_game_stays_sealed_and_an_ended_one_is_open(path: Path) -> None:
    write(path, (*EVENTS, ev.Ended()), "over")
    write(path, EVENTS, "on")
    assert jn.keys_of(path).game("over") is None, "it is published, so it is kept no more"
    jn.keys_of(path).drop("on")
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT, "over")] == [*EVENTS, ev.Ended()]
    with pytest.raises(JournalFileError) as refused:
        list(jn.read(path, MAGE_KNIGHT, "on"))
    assert str(refused.value) == (
        f"{path} (entry 7) is sealed, and the key of its game on is not here. Read it where it was written, or once "
        "the game has ended; `trapdial journal verify` needs no key."
    )


def test_a_game_without_its_key_cannot_go_on_and_nothing_is_told(path: Path) -> None:
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
        f"{path} (entry 5) is not signed by this device. Look with `trapdial journal verify`; play into another file "
        "with --journal."
    )
    assert len(list(jn.read(path, MAGE_KNIGHT))) == 5


def test_an_event_that_is_too_long_for_its_kind_is_refused_and_the_journal_goes_on(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        with pytest.raises(NotRecordedError, match=r"so long: 9.. bytes where 640 have room. Report it"):
            journal.append("g1", moment, ev.DialLost(square="T01", trouble="x" * 800))
        journal.append("g1", moment, ev.Ended())
    assert jn.verify(path).state is State.WHOLE


def test_length_says_nothing(path: Path) -> None:
    """All entries of one kind have one size, whatever lies under the squares (S-6)."""
    for name, table in (("cage", table_with(Trap.CAGE, disarm="6+")), ("clear", table_with(None))):
        write(path, (started(table, table), *EVENTS[1:], ev.Ended()), name)
    lengths = [(len(public), len(sealed)) for _, public, sealed, *_ in rows(path)]
    assert lengths[:6] == lengths[6:]
    assert len({lengths[n] for n in (2, 3, 4)}) == 1, "and entries of different kinds, but for three, too"


@pytest.mark.parametrize("size", [0, 50, 100, 1000, 4096, 5000, 8192, 12288])
def test_a_cut_file_is_refused_or_reads_as_less_but_never_crashes(path: Path, size: int) -> None:
    write(path)
    os.truncate(path, size)
    with contextlib.suppress(JournalFileError):
        list(jn.read(path, MAGE_KNIGHT))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 20_000), st.binary(min_size=1, max_size=40))
def test_any_scribble_gives_one_message_and_no_traceback(tmp_path: Path, at: int, scribble: bytes) -> None:
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


def test_closing_twice_is_harmless(path: Path) -> None:
    journal = Journal(path, MAGE_KNIGHT, lambda: STAMP)
    journal.close()
    journal.close()


# ------------------------------------------------------------------------------------------------ what the device knows


def copied(path: Path, to: Path) -> Path:
    """A copy of a journal alone, without its keys."""
    shutil.copyfile(path, to)
    return to


def refused_to_play(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused, open_journal(path):
        pass
    return str(refused.value)


def test_an_older_copy_of_a_journal_is_not_gone_on_with(path: Path, tmp_path: Path) -> None:
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
    assert jn.verify(path).state is State.INTERRUPTED


def test_a_journal_that_was_taken_away_is_missed(path: Path) -> None:
    write(path)
    path.unlink()
    assert "has 0 entries, and this device has written 5 into it. " in refused_to_play(path)
    assert not path.exists()


def test_a_journal_that_the_device_has_written_otherwise_is_not_gone_on_with(path: Path, tmp_path: Path) -> None:
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


def test_what_the_device_remembers_costs_nothing_between_start_and_end(path: Path) -> None:
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, started())
        last = jn.keys_of(path).folder / "last.head"
        remembered = last.read_text()
        for _ in range(5):
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
            assert last.read_text() == remembered
        journal.append("g1", moment, ev.Ended())
        assert read_head(last.read_text()) == jn.head(path)


def test_a_broken_memory_of_the_device_is_said(path: Path) -> None:
    write(path)
    last = jn.keys_of(path).folder / "last.head"
    last.write_text("TRAPDIAL1 AAAA")
    assert refused_to_play(path) == (
        f"{path}.keys (last.head) holds no head (a head has 218 letters behind TRAPDIAL1, not 4). Put the file back "
        "from a copy."
    )


def test_an_empty_device_key_is_said(path: Path) -> None:
    write(path)
    key = jn.keys_of(path).folder / "device.key"
    key.write_text("")
    assert refused_to_play(path) == f"{key} holds no key. Put the file back from a copy."


def test_an_empty_key_of_the_running_game_is_said_and_another_game_may_begin(path: Path) -> None:
    write(path)
    key = jn.keys_of(path).folder / "game-g1.key"
    key.write_text("")
    with open_journal(path) as journal:
        with pytest.raises(JournalFileError) as refused:
            journal.unfinished()
        assert str(refused.value) == f"{key} holds no key. Put the file back from a copy."
        journal.append("g2", NO_GAME, started())
    assert jn.verify(path).state is State.INTERRUPTED


def test_keys_that_may_not_be_read_are_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path)
    key = jn.keys_of(path).folder / "device.key"

    def refuse(path: Path, **_: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_text", refuse)
    assert refused_to_play(path) == (
        f"{key} could not be read (Permission denied). Check who owns the folder, and that the disk has room."
    )


def test_a_game_that_the_disk_refused_leaves_no_key(path: Path) -> None:
    with open_journal(path) as journal:
        journal._db.execute("PRAGMA query_only=ON")
        with pytest.raises(NotRecordedError):
            journal.append("g1", NO_GAME, started())
    assert not (jn.keys_of(path).folder / "game-g1.key").exists()


@pytest.mark.slow
def test_a_shown_table_that_cannot_be_written_down_is_one_message(path: Path) -> None:
    write(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFileError) as refused:
            mage_knight.record_table_shown(path, "SAMPLE-12", lambda: STAMP)
    assert str(refused.value) == f"{path} (file) could not be written (database is locked). Try again."


# ------------------------------------------------------------------------------------------------------- the clock


def stamp_at(mono_s: float, wall_s: float, clock: ClockSource = "none", boot: str = "boot-1") -> Stamp:
    wall = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC) + datetime.timedelta(seconds=wall_s)
    return Stamp(boot, round(mono_s * 1e9), wall.isoformat(), clock)


def kinds(path: Path) -> list[str]:
    return [entry.public.kind for entry in jn.read(path, MAGE_KNIGHT)]


def played_with(path: Path, *stamps: Stamp) -> list[jn.Entry[ev.AnyEvent]]:
    """A game whose entries are written at these times: its start, then looks."""
    times = list(stamps)
    with Journal(path, MAGE_KNIGHT, lambda: times.pop(0)) as journal:
        moment = journal.append("g1", NO_GAME, started())
        for _ in stamps[1:]:
            moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
    return list(jn.read(path, MAGE_KNIGHT))


def test_a_clock_that_was_set_is_corrected_by_an_entry_before_the_next_one(path: Path) -> None:
    entries = played_with(path, stamp_at(0, 0), stamp_at(10, 10), stamp_at(20, 3620.5, "ntp"))
    assert [entry.public.kind for entry in entries] == ["started", "looked", "clock corrected", "looked"]
    assert entries[2].event == ev.ClockCorrected(add_ms=3_600_500, was="none", now="ntp")
    assert entries[2].public.add_ms == 3_600_500
    assert (entries[2].wall, entries[2].mono_ns) == (entries[3].wall, entries[3].mono_ns)
    assert jn.verify(path).state is State.INTERRUPTED
    assert len(replay(path)) == 1


def test_the_corrected_dates_of_all_entries_run_with_the_monotonic_clock(path: Path) -> None:
    stamps = (stamp_at(0, 0), stamp_at(5, 65), stamp_at(9, 69.4), stamp_at(12, 2), stamp_at(13, 3))
    add_ms, seconds = 0, []
    for entry in reversed(played_with(path, *stamps)):
        wall = datetime.datetime.fromisoformat(entry.wall) + datetime.timedelta(milliseconds=add_ms)
        seconds.append(wall.timestamp() - entry.mono_ns / 1e9)
        add_ms += entry.public.add_ms or 0
    assert max(seconds) - min(seconds) < 1.0


@pytest.mark.parametrize(
    ("then", "told"),
    [
        (stamp_at(10, 11), False),
        (stamp_at(10, 11.1), True),
        (stamp_at(10, 9), False),
        (stamp_at(10, 8.9), True),
        (stamp_at(10, 10, "ntp"), True),
        (stamp_at(10, 99999, boot="boot-2"), False),
    ],
)
def test_what_counts_as_a_changed_clock(then: Stamp, told: bool) -> None:
    assert (jn.correction_of(stamp_at(0, 0), then) is not None) is told
    assert jn.correction_of(None, then) is None


def test_many_small_changes_of_the_clock_count_together(path: Path) -> None:
    entries = played_with(path, stamp_at(0, 0), stamp_at(10, 10.6), stamp_at(20, 21.2))
    assert [entry.public.kind for entry in entries] == ["started", "looked", "clock corrected", "looked"]


def test_a_clock_that_was_set_while_the_program_was_off_is_corrected_when_it_goes_on(path: Path) -> None:
    with Journal(path, MAGE_KNIGHT, lambda: stamp_at(0, 0)) as journal:
        journal.append("g1", NO_GAME, started())
    with Journal(path, MAGE_KNIGHT, lambda: stamp_at(60, 360)) as journal:
        game, moment = journal.unfinished() or ("", NO_GAME)
        journal.append(game, moment, ev.Resumed(version="test"))
        assert journal.take_corrections() == (ev.ClockCorrected(add_ms=300_000, was="none", now="none"),)
        assert journal.take_corrections() == ()
    assert kinds(path) == ["started", "clock corrected", "resumed"]


def test_a_new_game_has_no_earlier_dates_to_correct(path: Path) -> None:
    with Journal(path, MAGE_KNIGHT, lambda: stamp_at(0, 0)) as journal:
        journal.append("g1", journal.append("g1", NO_GAME, started()), ev.Ended())
    with Journal(path, MAGE_KNIGHT, lambda: stamp_at(60, 360)) as journal:
        moment = journal.append("g2", NO_GAME, started())
        journal.append("g2", moment, ev.Ended())
    assert kinds(path) == ["started", "ended", "started", "ended"]
