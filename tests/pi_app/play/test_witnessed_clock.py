"""A date that no clock has set is held up by what the centre has cosigned: forward only, and never during a hold."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from pi_app import journal as jn
from pi_app.audit.stamps import clock_steps, dated
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.cosigned import keep_cosigned
from pi_app.journal.record.checkpoints import cosign, signed_checkpoint
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.happenings import LATEST_WITNESSED_S
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.notes import COSIGNS, SignedNote, VerifierKey
from pi_app.journal.record.verdict import RecordState
from pi_app.journal.stamps import wall_ms
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.witnessed_clock import WitnessedClock
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started
from wiring_docs import journal_verifier

CENTRE, STRANGER = device_key(b"c" * 32), device_key(b"s" * 32)
KEY = VerifierKey("centre.example/c1", COSIGNS, CENTRE.public)
TRUE_S = 1_800_000_000


class Machine:
    """A machine whose date has no source; seconds are counted from its start."""

    def __init__(self) -> None:
        self.mono_s, self.ahead_s = 100.0, 0.0
        self.clock: ClockSource = "none"
        self.boot = "boot-1"

    def __call__(self) -> Stamp:
        wall = datetime.datetime.fromtimestamp(self.mono_s + self.ahead_s, datetime.UTC)
        return Stamp(self.boot, round(self.mono_s * 1e9), wall.isoformat(), self.clock)


class Table:
    """A journal with a game, whose entries the centre cosigns at times that a test chooses."""

    def __init__(self, folder: Path) -> None:
        self.path, self.machine, self.size = folder / "journal.db", Machine(), 0
        self.restart()

    def restart(self) -> None:
        self.clock = WitnessedClock(self.path, KEY, self.machine)

    def cosigned(self, time_s: int, by: object = CENTRE, key: VerifierKey = KEY) -> None:
        """The centre cosigns some checkpoint; the table looks."""
        self.size += 1
        device = device_key(b"d" * 32)
        note = signed_checkpoint(device, self.size, root_of([bytes(32)] * self.size))
        line = cosign(by, key.name, note.text, time_s)  # type: ignore[arg-type]
        keep_cosigned(self.path, SignedNote(note.text, (*note.signatures, line)), key)
        self.clock.poll()

    @property
    def date_s(self) -> float:
        return wall_ms(self.clock().wall) / 1000


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_cosignature_shows_what_time_is_over(table: Table) -> None:
    assert table.date_s == 100
    table.cosigned(TRUE_S)
    assert (table.date_s, table.clock().witnessed, table.clock().clock) == (TRUE_S, TRUE_S, "none")
    table.machine.mono_s += 50
    assert table.date_s == TRUE_S + 50, "it runs with the monotonic clock"


@pytest.mark.parametrize(("later_s", "counts"), [(2, False), (3, True), (-50, False)])
def test_only_a_date_that_is_later_by_more_than_two_seconds_counts(table: Table, later_s: int, counts: bool) -> None:
    table.cosigned(100 + later_s)
    assert table.date_s == (103 if counts else 100)
    assert (table.clock().witnessed is not None) is counts


def test_a_date_beyond_this_century_is_none(table: Table) -> None:
    table.cosigned(LATEST_WITNESSED_S + 1)
    assert table.date_s == 100


def test_another_witness_says_nothing_of_the_time(table: Table) -> None:
    other = VerifierKey("witness.example/w1", COSIGNS, STRANGER.public)
    table.cosigned(TRUE_S, STRANGER, other)
    same_name = VerifierKey(KEY.name, COSIGNS, STRANGER.public)
    table.cosigned(TRUE_S, STRANGER, same_name)
    assert table.date_s == 100


def test_a_machine_that_knows_the_time_is_right(table: Table) -> None:
    table.machine.clock = "ntp"
    table.cosigned(TRUE_S)
    assert table.date_s == 100
    table.machine.clock = "none"
    table.cosigned(TRUE_S + 1)
    assert table.date_s == TRUE_S + 1
    table.machine.clock, table.machine.ahead_s = "ntp", TRUE_S
    assert (table.date_s, table.clock().witnessed) == (TRUE_S + 100, None)


def test_a_date_that_somebody_sets_counts_if_it_is_later(table: Table) -> None:
    table.cosigned(TRUE_S)
    table.machine.ahead_s = TRUE_S + 1_000
    assert (table.date_s, table.clock().witnessed) == (TRUE_S + 1_100, None)
    table.machine.ahead_s = 5
    assert table.date_s == TRUE_S


def test_nothing_changes_while_a_player_looks(table: Table) -> None:
    held = True
    table.clock.may_step = lambda: not held
    table.cosigned(TRUE_S)
    table.machine.mono_s += 7
    assert table.date_s == 107
    held = False
    assert table.date_s == TRUE_S + 7


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    some.lists(
        some.one_of(
            some.tuples(some.just("cosigned"), some.integers(1, 4_000)),
            some.tuples(some.just("later"), some.integers(1, 500)),
            some.tuples(some.just("hold"), some.booleans()),
            some.tuples(some.just("restart"), some.just(0)),
        ),
        max_size=20,
    )
)
@example([("hold", True), ("cosigned", 103), ("cosigned", 1), ("restart", 0), ("hold", False)])
def test_the_date_goes_forward_only_and_never_before_a_cosignature(
    tmp_path_factory: pytest.TempPathFactory, happens: list[tuple[str, int]]
) -> None:
    """A table that starts again while nothing may change knows what it has written and the newest cosignature. An
    older one with a later time, which no sound centre gives, is forgotten then."""
    table, held, cosigned = Table(tmp_path_factory.mktemp("table")), False, 0
    newest = stepped = 0
    with Journal(table.path, MAGE_KNIGHT, lambda: table.clock()) as journal:  # noqa: PLW0108 - it is another one later
        moment, last_s = journal.append("g1", NO_GAME, started()), table.date_s
        for what, value in happens:
            if what == "cosigned":
                table.cosigned(value)
                newest, cosigned = value, max(cosigned, value)
            elif what == "later":
                table.machine.mono_s += value
            elif what == "hold":
                held = bool(value)
                table.clock.may_step = lambda: not held  # noqa: B023 - as it is when it is asked
            else:
                moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
                table.restart()
                cosigned = max(stepped, newest)
                table.clock.may_step = lambda: not held  # noqa: B023
                table.clock.poll()
            assert table.date_s >= last_s
            assert held or table.date_s >= cosigned - 2
            stepped = stepped if held else cosigned
            last_s = table.date_s
        journal.append("g1", moment, ev.Ended())
    corrections = [entry.event for entry in jn.read(table.path, MAGE_KNIGHT) if entry.public.kind == "clock corrected"]
    assert all(each.add_ms > 0 for each in corrections if isinstance(each, ev.ClockCorrected))


def played(table: Table) -> None:
    with Journal(table.path, MAGE_KNIGHT, table.clock) as journal:
        moment = journal.append("g1", NO_GAME, started())
        table.cosigned(TRUE_S)
        table.machine.mono_s += 10
        moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        table.machine.mono_s, table.machine.clock, table.machine.ahead_s = 200, "ntp", TRUE_S + 500
        moment = journal.append("g1", moment, ev.Looked(seat="ANN", square="T01"))
        journal.append("g1", moment, ev.Ended())


def test_the_record_has_the_correction_and_says_where_it_is_from(table: Table) -> None:
    played(table)
    entries = list(jn.read(table.path, MAGE_KNIGHT))
    kinds = [entry.public.kind for entry in entries]
    assert kinds == ["started", "clock corrected", "looked", "clock corrected", "looked", "ended"]
    first, second = (entry for entry in entries if entry.public.kind == "clock corrected")
    assert first.event == ev.ClockCorrected(add_ms=(TRUE_S - 100) * 1000, was="none", now="none", witnessed=TRUE_S)
    assert second.event == ev.ClockCorrected(add_ms=600_000, was="none", now="ntp")
    assert [entry.public.witnessed for entry in entries] == [None, TRUE_S, TRUE_S, None, None, None]
    assert jn.verify(table.path).state is RecordState.WHOLE


def test_the_audit_takes_it_for_a_correction_and_not_for_a_clock_that_stepped(table: Table) -> None:
    played(table)
    parts = [entry.public for entry in jn.read(table.path, MAGE_KNIGHT)]
    assert list(clock_steps(parts)) == []
    dates = [wall_ms(part.wall) / 1000 for part in dated(parts)]
    assert dates == [TRUE_S + 600, *[TRUE_S + 610] * 2, *[TRUE_S + 700] * 3]


def test_readers_of_today_take_such_a_record(table: Table) -> None:
    """The verifier that the documentation has was written before there were witnesses: it ignores other names."""
    played(table)
    done = subprocess.run(
        [sys.executable, journal_verifier.__file__, str(table.path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
