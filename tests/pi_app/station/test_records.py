"""A station's records: a budget that holds, games that go oldest first, and power cuts at every point."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp, archive, past, pruning
from pi_app.journal.files import open_file
from pi_app.journal.past import HEADS, bytes_of, past_logs, past_of
from pi_app.journal.pruning import Pruned, Pruner
from pi_app.journal.record.heads import read_heads
from pi_app.journal.record.key_ring import KeyRing
from pi_app.journal.record.verdict import RecordState, RecordVerdict, fingerprint
from pi_app.journal.record.words import sentences
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from pi_app.station.records import CHECK_EVERY_NS, DAY_NS, Records
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from tests.pi_app.journal.keeping import STAMP, WHOLE

Table = Journal[Moment, ev.AnyEvent]
KB = 1024


class PowerCutError(BaseException):
    """The power is gone."""


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.ns = STAMP.mono_ns
        self.wall, self.boot, self.source = STAMP.wall, "boot-1", STAMP.clock

    def stamp(self) -> Stamp:
        self.ns += 1000
        return replace(STAMP, mono_ns=self.ns, wall=self.wall, boot=self.boot, clock=self.source)

    def now_ns(self) -> int:
        return self.ns


@contextlib.contextmanager
def station(folder: Path, clock: Clock) -> Iterator[Table]:
    with Journal(folder / "journal.db", MAGE_KNIGHT, clock.stamp, shrinks=True) as journal:
        yield journal


def play(journal: Table, *games: str) -> None:
    for game in games:
        moment = NO_GAME
        for event in WHOLE:
            moment = journal.append(game, moment, event)


def names(first: int, until: int) -> list[str]:
    return [f"g{number:05}" for number in range(first, until)]


def verdicts(path: Path) -> list[RecordVerdict]:
    """Of every record that is left, the oldest first; each must be sound, and each must continue the one before."""
    logs = [log for log in (*past_logs(path), path) if log.exists()]
    found = [verdict for log in logs if (verdict := jn.verify(log)).size]
    for verdict in found:
        assert verdict.damage is None
        assert verdict.state is RecordState.WHOLE
    for older, newer in itertools.pairwise(found):
        assert newer.follows is not None
        assert newer.follows.device == older.device
        assert newer.follows.size <= older.size
    return found


def there(path: Path) -> list[str]:
    return [game.game for verdict in verdicts(path) for game in verdict.games if not game.deleted]


def tidy(records: Records, most: int = 10_000) -> int:
    for steps in range(most):
        if not records.step():
            return steps
    raise AssertionError("there is no end to it")


def test_a_budget_holds_and_the_oldest_games_go_first(tmp_path: Path) -> None:
    clock, path, budget = Clock(), tmp_path / "journal.db", 300 * KB
    with station(tmp_path, clock) as journal:
        records = Records(journal, budget, stamp=clock.stamp, now_ns=clock.now_ns)
        every = names(0, 30)
        for game in every:
            play(journal, game)
            clock.ns += CHECK_EVERY_NS
            tidy(records)
            assert bytes_of(path) <= budget
        records.close()
        assert records.trouble == ""
    left = there(path)
    assert left == every[-len(left) :]
    assert 1 < len(left) < 30
    assert (past_of(path) / HEADS).exists()
    heads = read_heads((past_of(path) / HEADS).read_text(encoding="utf-8"))
    oldest = verdicts(path)[0]
    assert oldest.follows is not None
    assert oldest.follows.device == heads[-1].device


def test_a_record_that_continues_another_says_so(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "journal.db"
    with station(tmp_path, clock) as journal:
        play(journal, "g1")
        head = journal.head()
        assert journal.begin_new_log()
        assert journal.head() == head
        assert not journal.begin_new_log()
        play(journal, "g2")
        assert journal.head() != head
    older, newer = verdicts(path)
    assert newer.follows == head
    assert older.device != newer.device
    assert older.device is not None
    said = f"It continues the record of the device {fingerprint(older.device)} after its {older.size} entries; that"
    assert any(sentence.startswith(said) for sentence in sentences("journal.db", newer))
    archive.delete(path, "g2", stamp=clock.stamp)
    assert jn.verify(path).follows == head


def test_a_running_game_keeps_its_record(tmp_path: Path) -> None:
    clock = Clock()
    with station(tmp_path, clock) as journal:
        journal.append("g1", NO_GAME, WHOLE[0])
        assert not journal.begin_new_log()
        assert past_logs(journal.path) == []


@pytest.mark.parametrize("keeps", ["another place", "a passphrase"])
def test_keys_that_are_not_beside_it_keep_the_record_where_it_is(
    tmp_path: Path, keeps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    with station(tmp_path, clock) as journal:
        play(journal, "g1")
    if keeps == "another place":
        (tmp_path / "stick").mkdir(mode=0o700)
        jn.keys_of(tmp_path / "journal.db").move_to(tmp_path / "stick")
    with station(tmp_path, clock) as journal:
        if keeps == "a passphrase":
            monkeypatch.setattr(KeyRing, "is_locked", True)
        assert not journal.begin_new_log()
        records = Records(journal, 16 * KB, stamp=clock.stamp, now_ns=clock.now_ns)
        assert not records.step()
        assert records.trouble == (
            f"{journal.path} (file) uses more than its budget, and cannot be put aside: its keys are elsewhere, or "
            "a passphrase locks them. Keep the keys beside the journal without a passphrase, or move the journal away "
            "when no game is on."
        )


def test_of_a_finished_day_only_the_hashes_stay(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "journal.db"
    with station(tmp_path, clock) as journal:
        records = Records(journal, 10**9, "heads", stamp=clock.stamp, now_ns=clock.now_ns)
        play(journal, "g1", "g2")
        tidy(records)
        assert there(path) == ["g1", "g2"]
        clock.wall = "2026-01-03T10:00:00+00:00"
        clock.ns += CHECK_EVERY_NS
        tidy(records)
        play(journal, "g3")
        assert there(path) == ["g3"]
        assert [game.game for game in verdicts(path)[0].games if game.deleted] == ["g1", "g2"]
        records.close()


@pytest.mark.parametrize(
    ("change", "over"),
    [("nothing", False), ("a date that nobody knows", False), ("a day", True), ("another start", True)],
)
def test_a_day_is_over_without_a_clock_too(tmp_path: Path, change: str, over: bool) -> None:
    clock, path = Clock(), tmp_path / "journal.db"
    with station(tmp_path, clock) as journal:
        records = Records(journal, 10**9, "heads", stamp=clock.stamp, now_ns=clock.now_ns)
        play(journal, "g1")
        match change:
            case "a date that nobody knows":
                clock.source, clock.wall = "none", "1970-01-01T00:00:00+00:00"
            case "a day":
                clock.ns += DAY_NS
            case "another start":
                clock.boot = "boot-2"
        clock.ns += CHECK_EVERY_NS
        tidy(records)
        assert bool(past_logs(path)) is over
        records.close()


# ------------------------------------------------------------------------------------------------------- power cuts


def cutting(monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], int]:
    """Cut the power before the n-th call that changes a name or syncs a folder. Return how many calls there were."""
    calls = 0

    def cut(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **more: object) -> object:
            nonlocal calls
            calls += 1
            if calls == at:
                raise PowerCutError
            return real(*given, **more)

        return call

    monkeypatch.setattr(os, "rename", cut(os.rename))
    monkeypatch.setattr(KeyRing, "keep_continues", cut(KeyRing.keep_continues))
    for name in ("sync_folder", "_make_next_keys"):
        monkeypatch.setattr(past, name, cut(getattr(past, name)))
    return lambda: calls


def test_a_power_cut_while_a_record_is_put_aside_leaves_it_before_or_after(tmp_path: Path) -> None:
    at, cut = 0, True
    while cut:
        at += 1
        folder, clock = tmp_path / str(at), Clock()
        folder.mkdir()
        with station(folder, clock) as journal:
            play(journal, "g1", "g2")
            with pytest.MonkeyPatch.context() as patches:
                calls = cutting(patches, at)
                patches.setattr("pi_app.journal.writing.recover", lambda path: None)  # the program is gone
                with contextlib.suppress(PowerCutError, jn.JournalFileError):
                    journal.begin_new_log()
                cut = calls() >= at
        with station(folder, clock) as journal:
            play(journal, "g3")
        assert there(folder / "journal.db") == ["g1", "g2", "g3"], f"cut at {at}"
        assert not (folder / "journal.db.keys.next").exists()
    assert at > 10


def test_a_power_cut_while_games_are_deleted_leaves_each_whole_or_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the files after every statement of SQLite is what a cut would leave."""
    clock, path, every = Clock(), tmp_path / "journal.db", names(0, 4)
    with station(tmp_path, clock) as journal:
        play(journal, *every)
        assert journal.begin_new_log()
    (log,) = past_logs(path)
    copies = 0
    left: list[list[str]] = []

    def copy(_: str) -> None:
        nonlocal copies
        copies += 1
        here = tmp_path / f"copy {copies}"
        here.mkdir()
        for end in ("", "-wal"):
            if (file := log.with_name(log.name + end)).exists():
                shutil.copy(file, here / file.name)

    def traced(path: Path, *, write: bool) -> sqlite3.Connection:
        db = open_file(path, write=write)
        db.set_trace_callback(copy)
        return db

    monkeypatch.setattr(pruning, "open_file", traced)
    pruner = Pruner(log, clock.stamp)
    while pruner.step(delete=True) is not Pruned.BARE:
        pass
    pruner.close()
    for number in range(1, copies + 1):
        verdict = jn.verify(tmp_path / f"copy {number}" / log.name)
        assert verdict.damage is None
        left.append([game.game for game in verdict.games if not game.deleted])
    assert [games for games, before in zip(left, [None, *left], strict=False) if games != before] == [
        every[gone:] for gone in range(5)
    ]


def test_no_rollback_journal_is_left_if_the_power_is_cut_while_a_record_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next start would refuse a record that has one beside it. The first page is written with none on disk."""
    modes: dict[str, str] = {}

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *given: object) -> sqlite3.Cursor:
            (mode,) = super().execute("PRAGMA journal_mode").fetchone()
            modes[sql.split("=")[0]] = mode
            return super().execute(sql, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
    with station(tmp_path, Clock()) as journal:
        play(journal, "g1")
    assert modes["PRAGMA auto_vacuum"] == "memory"
    assert {modes[f"PRAGMA {name}"] for name in ("application_id", "user_version")} == {"wal"}


def test_a_record_that_could_not_shrink_is_written_anew_at_its_end(tmp_path: Path) -> None:
    """A record of a table that became a station later."""
    clock, path = Clock(), tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT, clock.stamp) as journal:
        play(journal, *names(0, 10))
        before = journal.size_bytes
        assert journal.begin_new_log()
        records = Records(journal, 0, "heads", stamp=clock.stamp, now_ns=clock.now_ns)
        (log,) = past_logs(path)
        pruner = Pruner(log, clock.stamp)
        while pruner.step(delete=True) is not Pruned.BARE:
            pass
        pruner.close()
        records.close()
    assert log.stat().st_size < before / 4
    verdict = jn.verify(log)
    assert (verdict.damage, all(game.deleted for game in verdict.games)) == (None, True)


def test_a_damaged_past_record_goes_whole_when_it_must(tmp_path: Path) -> None:
    clock, path, budget = Clock(), tmp_path / "journal.db", 400 * KB
    with station(tmp_path, clock) as journal:
        records = Records(journal, budget, stamp=clock.stamp, now_ns=clock.now_ns)
        play(journal, *names(0, 3))
        assert journal.begin_new_log()
        (log,) = past_logs(path)
        (log.with_name(log.name + ".keys") / "device.key").unlink()
        told = set()
        for game in names(3, 40):
            play(journal, game)
            clock.ns += CHECK_EVERY_NS
            tidy(records)
            told.add((records.trouble.partition(" in ")[0], records.found))
            assert bytes_of(path) <= budget
        broken = f"{log} (file) has no key", TroubleFound(StationTrouble.RECORD_DAMAGED)
        assert told == {("", None), broken}, "a record that is gone is no trouble any more"
        assert not log.exists()
        records.close()


def test_another_program_that_reads_keeps_the_record_where_it_is(tmp_path: Path) -> None:
    clock = Clock()
    with station(tmp_path, clock) as journal:
        play(journal, "g1")
        with jn.raw(journal.path) as reader:
            rows = reader.rows()
            next(rows)
            assert not journal.begin_new_log()
            rows.close()  # type: ignore[attr-defined]
        play(journal, "g2")
        assert journal.begin_new_log()
    assert there(journal.path) == ["g1", "g2"]
