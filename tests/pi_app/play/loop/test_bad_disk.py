"""A disk that is full, read-only, slow or busy: an event is either recorded and reported, or neither."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.audit.replay import replay
from pi_app.dials.sampling import Sampling
from pi_app.game import events as ev
from pi_app.journal import NotRecordedError
from pi_app.journal.record.verdict import RecordState
from pi_app.play import mage_knight
from pi_app.play.feed import DialSample
from pi_app.report.pictures import SeatPicture
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from pi_app.text.errors import UserFileError
from tests.crash.disk import Op, Synced
from tests.crash.recorder import recording
from tests.pi_app.play.loop.bad_disk import on_a_bad_disk
from tests.pi_app.playing import CAGE, SECOND_NS, Played, settings, table

WAIT = "Not recorded: wait. Tell the table."


_AGAIN = "; play goes on as soon as it can be written again."
REFUSALS = [
    (
        errno.ENOSPC,
        f"database or disk is full (No space left on device). Free some space on its disk{_AGAIN}",
    ),
    (
        errno.EROFS,
        "disk I/O error (Read-only file system). Linux has made the disk read-only, as it does when a card fails: copy "
        f"the journal and its keys, and take a new card{_AGAIN}",
    ),
    (
        errno.EIO,
        "disk I/O error (Input/output error). The card or stick fails: copy the journal and its keys to another one, "
        f"and play on there{_AGAIN}",
    ),
    (
        errno.EDQUOT,
        "disk I/O error (Disk quota exceeded). Free some of this user's space: the quota is used up" + _AGAIN,
    ),
    (
        errno.EACCES,
        "disk I/O error (Permission denied). Give the file and its folder to the user who plays (chown), or choose "
        f"another place with --journal{_AGAIN}",
    ),
]


@pytest.mark.parametrize(("number", "why"), REFUSALS)
def test_a_look_that_a_full_or_read_only_disk_refuses_shows_nothing_until_it_is_taken(
    tmp_path: Path, number: int, why: str
) -> None:
    with on_a_bad_disk(tmp_path) as trouble, table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        trouble.number = number
        at.lines.clear()
        at.press("ANN")
        assert at.screens == {"ANN": WAIT, "BEN": WAIT}
        assert at.heard("public") == at.heard("log") == []
        assert at.heard("referee") == [f"Journal ({at.journal}) could not be written: {why}"]
        at.let_go("ANN")
        trouble.number = None
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert f"Journal ({at.journal}): writing works again. Play goes on." in at.heard("referee")
        assert sorted(path.name for path in tmp_path.iterdir() if "probe" in path.name) == []
        assert [turn.motion.clicks for turn in at.turns()] == [3]
    assert jn.verify(tmp_path / "journal.db").state is RecordState.INTERRUPTED


@pytest.mark.parametrize(("number", "why"), REFUSALS)
def test_a_turn_made_while_the_disk_refuses_is_kept_and_written_by_itself(
    tmp_path: Path, number: int, why: str
) -> None:
    with on_a_bad_disk(tmp_path) as trouble, table(tmp_path) as at:
        trouble.number = number
        at.turn("T02", 2)
        at.run(3.0)
        assert at.turns() == []
        trouble.number = None
        at.run(2.5)
        assert [turn.motion.clicks for turn in at.turns()] == [2]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "why"), REFUSALS)
def test_six_turns_on_a_disk_that_refuses_are_one_line_and_its_end(tmp_path: Path, number: int, why: str) -> None:
    with on_a_bad_disk(tmp_path) as trouble, table(tmp_path) as at:
        trouble.number = number
        at.lines.clear()
        for _ in range(3):
            at.turn("T01", 1)
            at.turn("T02", 1)
            at.run(2.0)
        assert at.heard("referee") == [f"Journal ({at.journal}) could not be written: {why}"]
        at.lines.clear()
        trouble.number = None
        at.run(3.0)
        assert at.heard("referee").count(f"Journal ({at.journal}): writing works again. Play goes on.") == 1
        assert {turn.square for turn in at.turns()} == {"T01", "T02"}


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "Free some space on its disk."),
        (
            errno.EROFS,
            "Linux has made the disk read-only, as it does when a card fails: copy the journal and its keys, and take "
            "a new card.",
        ),
    ],
)
def test_a_game_whose_key_finds_no_room_begins_by_itself_when_there_is_some(
    tmp_path: Path, number: int, advice: str
) -> None:
    with on_a_bad_disk(tmp_path) as trouble:
        demo = Demo(settings(), tmp_path / "journal.db", seed=5)
        at = Played(demo, tmp_path / "journal.db")
        demo.loop.session.listeners = (at,)
        with demo:
            trouble.number = number
            at.run(4.0)
            at.say("status")
            keys = tmp_path / "journal.db.keys"
            told, rate = at.heard("referee")
            assert rate == "Each dial is sampled 100 times a second now."
            assert told.startswith(f"Journal ({at.journal}) could not be sealed: {keys}")
            assert told.endswith(f" could not be written ({os.strerror(number)}). {advice}")
            assert [viewer for viewer, _ in at.lines if viewer != "referee"] == []
            trouble.number = None
            at.run(1.5)
            assert [type(event) for event in at.events()] == [ev.Started, ev.SetupChecked]
            assert sorted(path.name for path in keys.iterdir()) == [
                "device.key",
                f"game-{demo.loop.session.game_id}.key",
                "last.head",
            ]
            at.expose("ANN", "T01", 3)
            assert at.heard("public")[-1] == "T01: exposed by Ann."


def test_a_game_that_the_disk_does_not_let_go_on_shows_nothing_and_goes_on_by_itself(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
    with on_a_bad_disk(tmp_path) as trouble:
        demo = Demo(settings(), tmp_path / "journal.db", seed=5, resume=True)
        at = Played(demo, tmp_path / "journal.db")
        demo.loop.session.listeners = (at,)
        for key, place in demo.loop.session.seats.items():
            place.display.shown = lambda picture, at_ns, key=key: at.shown(key, picture, at_ns)  # type: ignore[attr-defined]
        with demo:
            trouble.number = errno.ENOSPC
            at.run(2.0)
            at.press("ANN")
            assert at.screens["ANN"] == WAIT
            at.let_go("ANN")
            at.tap("BEN")
            assert at.screens["BEN"] == WAIT
            trouble.number = None
            at.run(2.0)
            assert type(at.events()[-1]) is ev.Resumed
            at.press("ANN")
            assert at.screens["ANN"].startswith(CAGE)


def test_a_disk_that_is_read_only_before_the_program_starts_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.open

    def refuse(path: str | Path, flags: int, *more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return really(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UserFileError) as refused:
        Demo(settings(), tmp_path / "journal.db")
    assert str(refused.value) == (
        f"{tmp_path / 'journal.db'} (file) could not be opened (Read-only file system). Choose another place with "
        "--journal."
    )


# ------------------------------------------------------------------------------------------------------- a slow disk


class ScanningFeed:
    """Samples the dials on time, like the threads of a real table, however long the loop is busy."""

    def __init__(self, played: Demo) -> None:
        self._below, self._clock = played.loop.feed, played.table.clock
        self._looks: list[DialSample] = []

    @property
    def sampling(self) -> Sampling:
        return self._below.sampling

    @sampling.setter
    def sampling(self, sampling: Sampling) -> None:
        self._below.sampling = sampling

    def rate_hz(self) -> float:
        return self._below.rate_hz()

    def scan_until(self, at_ns: int) -> None:
        while self._clock.now_ns() < at_ns:
            self._looks += self._below.take()
            self._below.rest(min(at_ns, self._clock.now_ns() + 10_000_000))

    def take(self) -> Sequence[DialSample]:
        looks, self._looks = [*self._looks, *self._below.take()], []
        return looks

    def rest(self, until_ns: int) -> None:
        self._below.rest(until_ns)

    def run_on(self, source: int, job: Callable[[], None]) -> None:
        self._below.run_on(source, job)

    def close(self) -> None:
        self._below.close()


def test_a_dial_turned_while_its_claim_is_being_written_ends_the_claim_and_loses_no_click(tmp_path: Path) -> None:
    """The disk takes two seconds. The player turned before the claim was confirmed, so it is unclear whose turn it was:
    the seat is asked to tap again, and the turn is in the record with all its clicks."""
    slow: list[ScanningFeed] = []

    def sync(op: Op) -> None:
        if slow and isinstance(op, Synced):
            slow[0].scan_until(at.demo.table.clock.now_ns() + 2 * SECOND_NS)

    with recording(tmp_path, sync), table(tmp_path) as at:
        feed = ScanningFeed(at.demo)
        at.demo.loop.feed = feed
        slow.append(feed)
        at.demo.act(actions.Press("ANN"))
        at.run(0.12)
        at.demo.act(actions.Release("ANN"))
        at.demo.act(actions.TurnDial("T01", 3, (300.0, 300.0)))
        at.run(0.1)  # the claim is being written while the dial is turned
        at.run(4.0)
        assert at.demo.loop.moment.game.claim_of("ANN") is None
        assert at.screens["ANN"] == "Which dial do you mean? Tap again, then turn one."
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.clicks, turn.motion.failed_reads) == (None, 3, 0)
        assert turn.motion.longest_gap_ns < 50_000_000


def test_a_sync_of_two_seconds_loses_no_turn_that_was_made_after_the_seat_was_told(tmp_path: Path) -> None:
    slow: list[ScanningFeed] = []

    def sync(op: Op) -> None:
        if slow and isinstance(op, Synced):
            slow[0].scan_until(at.demo.table.clock.now_ns() + 2 * SECOND_NS)

    with recording(tmp_path, sync), table(tmp_path) as at:
        feed = ScanningFeed(at.demo)
        at.demo.loop.feed = feed
        slow.append(feed)
        at.tap("ANN")
        assert at.screens["ANN"].startswith("Your turn.")
        at.run(5.0)
        at.demo.act(actions.TurnDial("T01", 3, (300.0, 300.0)))
        at.run(5.0)
        at.lines.clear()
        before_ns = at.demo.table.clock.now_ns()
        at.press("ANN")
        assert at.demo.table.clock.now_ns() - before_ns > 2 * SECOND_NS
        assert at.screens["ANN"].startswith(CAGE)
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.clicks, turn.motion.failed_reads) == ("ANN", 3, 0)
        assert turn.motion.longest_gap_ns < 50_000_000
        assert at.findings() == []


# ------------------------------------------------------------------------------------------------------- somebody else


def test_a_journal_that_another_program_writes_into_refuses_and_goes_on(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.loop.session.journal._db.execute("PRAGMA busy_timeout=1")
        at.tap("ANN")
        at.turn("T01", 3)
        with contextlib.closing(sqlite3.connect(at.journal, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            at.lines.clear()
            at.press("ANN")
            assert at.screens["ANN"] == WAIT
            assert at.heard("public") == []
            assert at.heard("referee")[-1] == (
                f"Journal ({at.journal}) could not be written: database is locked (Device or resource busy). Another "
                "program holds the journal: close whatever has it open, a backup or a database viewer; play goes on as "
                "soon as it can be written again."
            )
            at.let_go("ANN")
            at.run(3.0)
            other.execute("ROLLBACK")
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)


def test_a_reader_in_the_middle_of_the_journal_keeps_nobody_from_playing(tmp_path: Path) -> None:
    with table(tmp_path) as at, contextlib.closing(sqlite3.connect(at.journal, isolation_level=None)) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM entries").fetchone()[0] == 2
        at.expose("ANN", "T01", 3)
        at.expose("BEN", "T02", 1)
        assert at.heard("public")[-1] == "T02: exposed by Ben."
        assert other.execute("SELECT count(*) FROM entries").fetchone()[0] == 2


def test_what_another_program_added_is_not_lost_when_the_disk_refuses_the_next_entry(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as trouble, table(tmp_path) as at:
        mage_knight.record_shown(at.journal, ev.TableShown(table="SAMPLE-12"))
        trouble.number = errno.ENOSPC
        at.tap("ANN")
        trouble.number = None
        at.run(1.2)
        assert at.findings() == ["S-9"]
        at.expose("ANN", "T01", 3)
    (game,) = replay(tmp_path / "journal.db")
    assert [finding.rule for finding in game.moment.game.findings] == ["S-9"]


def test_a_journal_that_cannot_be_read_for_a_while_does_not_stop_the_table(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        real = at.demo.loop.session.journal._db

        class Failing:
            def execute(self, *_: object) -> object:
                raise sqlite3.OperationalError("disk I/O error")

        at.demo.loop.session.journal._db = Failing()  # type: ignore[assignment]
        at.run(2.5)
        at.demo.loop.session.journal._db = real
        at.expose("ANN", "T01", 3)
        assert at.heard("public")[-1] == "T01: exposed by Ann."


def test_keys_that_vanish_during_a_game_cost_nothing_and_are_put_back(tmp_path: Path) -> None:
    keys = tmp_path / "journal.db.keys"
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        there = {path.name: path.read_bytes() for path in keys.iterdir() if path.suffix == ".key"}
        shutil.rmtree(keys)
        at.expose("BEN", "T02", 1)
        assert at.heard("public")[-1] == "T02: exposed by Ben."
    assert {path.name: path.read_bytes() for path in keys.iterdir() if path.suffix == ".key"} == there
    with table(tmp_path, resume=True) as at:
        at.say("end")
    assert jn.verify(tmp_path / "journal.db").state is RecordState.WHOLE


def test_keys_that_vanish_during_a_game_do_not_keep_others_entries_out(tmp_path: Path) -> None:
    keys = tmp_path / "journal.db.keys"
    with table(tmp_path) as at:
        kept = {path.name: path.read_bytes() for path in keys.iterdir()}
        mage_knight.record_shown(at.journal, ev.TableShown(table="SAMPLE-12"))
        shutil.rmtree(keys)
        at.expose("ANN", "T01", 3)
        assert at.findings() == ["S-9"]
        assert set(kept) >= {"device.key"}


def test_a_screen_that_waits_for_a_full_disk_is_drawn_once_and_not_with_each_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with on_a_bad_disk(tmp_path) as trouble, table(tmp_path) as at:
        shows: list[str] = []
        at.demo.loop.session.check_recorded()
        trouble.number = errno.ENOSPC
        seat = at.demo.loop.session.seats["BEN"]
        really = seat.routed.show

        def show(picture: SeatPicture, now_ns: int) -> None:
            shows.append(type(picture).__name__)
            really(picture, now_ns)

        monkeypatch.setattr(seat.routed, "show", show)
        at.turn("T02", 2)
        at.run(12.0)
        assert shows == ["Say"], "it stays as it is while each second's try is refused"
        with pytest.raises(NotRecordedError, match=r"the disk refused \d+ events \(No space left on device\)"):
            at.demo.loop.session.check_recorded()
        trouble.number = None
        at.run(3.0)
        at.demo.loop.session.check_recorded()
