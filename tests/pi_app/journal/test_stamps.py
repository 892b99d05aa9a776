"""Dates, and their correction after a clock was changed."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.verdict import RecordState
from pi_app.play.first_event import version
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


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
    assert jn.verify(path).state is RecordState.INTERRUPTED
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
        journal.append(game, moment, ev.Resumed(version=version()))
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
