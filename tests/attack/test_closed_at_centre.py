"""The attacker has a copy of a table's card. The table closes its record and begins another one; the copy plays on. The
centre sees both: it refuses what contradicts, keeps it as evidence, and says STOP.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_app import journal as jn
from pi_app.centre.findings.fleet import fleet_findings
from pi_app.centre.findings.found import FORK
from pi_app.centre.findings.tables import table_rows
from pi_app.centre.stick import take_export
from pi_app.centre.taking.decision import LookUps, decide
from pi_app.journal import Journal
from pi_app.journal.archive import delete, export
from pi_app.journal.past import past_logs
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, Table, entries_of
from tests.pi_app.centre.service.asking import Replied
from tests.pi_app.centre.service.halls import Hall, hall_in, table_at

SIZE = 5
"""Entries of a game."""

GOES_ON = (
    f"Entry {2 * SIZE} was written after its own device had closed this record: another one continues it after entry "
    f"{SIZE}."
)
WENT_ON = (
    f"Its own device has signed that another record continues it, and it was closed after entry {SIZE}, and has entry "
    f"{2 * SIZE}."
)


class Tables(NamedTuple):
    """A closed record, the one that continues it, and the first one as it goes on on a copy; with their files."""

    closed: Table
    newer: Table
    copied: Table
    closed_file: Path
    copied_file: Path


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with hall_in(tmp_path) as hall:
        yield hall


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    path, copy = tmp_path / "journal.db", tmp_path / "copy" / "journal.db"
    closed = table_at(path, "g1")
    assert len(closed.entries) == SIZE
    copy.parent.mkdir()
    shutil.copy(path, copy)
    shutil.copytree(jn.keys_of(path).folder, jn.keys_of(copy).folder)
    with Journal(path, MAGE_KNIGHT) as journal:
        assert journal.begin_new_log()
    (file,) = past_logs(path)
    return Tables(closed, table_at(path, "g2"), table_at(copy, "g3"), file, copy)


def sends(hall: Hall, *handed: tuple[Table, int, int]) -> list[Replied]:
    """Hand all these over in one life of the centre."""

    async def work() -> list[Replied]:
        return [await hall.hands(table.hands(first, last)) for table, first, last in handed]

    return hall.run(work)


def stops(hall: Hall, table: Table) -> list[str]:
    return [
        each.words
        for each in fleet_findings(hall.store, 1_000)
        if (each.kind, each.level, each.origin) == (FORK, "stop", table.origin)
    ]


def test_what_is_played_after_the_closing_is_refused_and_a_row_says_stop(hall: Hall, tables: Tables) -> None:
    hall.enrols(tables.closed)
    goes_on = (tables.copied, SIZE + 1, 2 * SIZE)
    *well, refused, after = sends(
        hall, (tables.closed, 1, SIZE), (tables.newer, 1, SIZE), goes_on, (tables.newer, 1, SIZE)
    )
    assert [each.status for each in (*well, after)] == [200, 200, 200], "the table itself goes on"
    assert (refused.status, refused.body.decode()) == (422, f"{GOES_ON}\n")
    record = hall.store.record(tables.closed.origin)
    assert record is not None
    assert (record.known.size, record.closed) == (SIZE, SIZE), "nothing of it was taken"
    (words,) = stops(hall, tables.closed)
    assert GOES_ON in words
    (row,) = table_rows(hall.store, 1_000)
    assert (row.level, row.origin) == ("stop", tables.newer.origin)
    assert row.words[0].startswith("forked: its record has two histories")


def test_a_table_whose_older_record_went_on_first_is_not_taken_in_silence(hall: Hall, tables: Tables) -> None:
    hall.enrols(tables.closed)
    well, refused = sends(hall, (tables.copied, 1, 2 * SIZE), (tables.newer, 1, SIZE))
    assert (well.status, refused.status, refused.body.decode()) == (200, 422, f"{WENT_ON}\n")
    assert hall.store.record(tables.newer.origin) is None
    (words,) = stops(hall, tables.closed)
    assert WENT_ON in words


def test_a_code_of_its_owner_lets_it_in_all_the_same_and_closes_the_older_one(hall: Hall, tables: Tables) -> None:
    hall.enrols(tables.closed, tables.newer)
    replies = sends(hall, (tables.copied, 1, 2 * SIZE), (tables.newer, 1, SIZE))
    assert [each.status for each in replies] == [200, 200]
    assert [each.closed for each in hall.store.records()] == [SIZE, 0]


def test_other_entries_than_those_that_are_continued_are_evidence(hall: Hall, tables: Tables, tmp_path: Path) -> None:
    """Another copy of the card, whose first game was another one."""
    path = tmp_path / "third" / "journal.db"
    path.parent.mkdir()
    shutil.copytree(jn.keys_of(tables.copied_file).folder, jn.keys_of(path).folder)
    (jn.keys_of(path).folder / "last.head").unlink()
    other = table_at(path, "g9")
    hall.enrols(tables.closed)
    well, refused = sends(hall, (other, 1, SIZE), (tables.newer, 1, SIZE))
    assert (well.status, refused.status) == (200, 422)
    assert f"it has other entries up to {SIZE} than those that are here" in refused.body.decode()
    assert len(stops(hall, tables.closed)) == 1


def test_a_deletion_after_the_closing_is_taken(hall: Hall, tables: Tables) -> None:
    hall.enrols(tables.closed)
    delete(tables.closed_file, "g1")
    pruned = Table(tables.closed.key, entries_of(tables.closed_file))
    replies = sends(hall, (tables.closed, 1, SIZE), (tables.newer, 1, SIZE), (pruned, SIZE + 1, SIZE + 1))
    assert [each.status for each in replies] == [200, 200, 200]
    assert stops(hall, tables.closed) == []


def test_a_record_whose_older_one_was_pruned_before_it_came_is_enrolled(hall: Hall, tables: Tables) -> None:
    hall.enrols(tables.closed)
    delete(tables.closed_file, "g1")
    pruned = Table(tables.closed.key, entries_of(tables.closed_file))
    replies = sends(hall, (pruned, 1, SIZE + 1), (tables.newer, 1, SIZE))
    assert [each.status for each in replies] == [200, 200]


def test_two_centres_on_one_database_do_not_take_both(hall: Hall, tables: Tables) -> None:
    """The other centre still has the record in its memory as one that goes on."""
    hall.enrols(tables.closed)
    sends(hall, (tables.closed, 1, SIZE), (tables.newer, 1, SIZE))
    record = hall.store.record(tables.closed.origin)
    assert record is not None
    handed, stale = tables.copied.hands(SIZE + 1, 2 * SIZE), replace(record, closed=0)
    decision = decide(handed, stale, CENTRE, LookUps.of(hall.store, record.number), 1_000)
    assert decision.commit is not None
    assert hall.store.commit([decision.commit]) == [False]
    assert len(list(hall.store.rows(record.number))) == SIZE


def test_a_stick_tells_the_same(hall: Hall, tables: Tables, tmp_path: Path) -> None:
    hall.enrols(tables.closed)
    sends(hall, (tables.closed, 1, SIZE), (tables.newer, 1, SIZE))
    stick = tmp_path / "stick.jsonl"
    with stick.open("wb") as file:
        export(tables.copied_file, file, for_centre=True)
    (brought,) = take_export(stick, CENTRE, hall.store, 1_000)
    assert (brought.refused, brought.two_histories, brought.size) == (GOES_ON, True, SIZE)
    assert len(stops(hall, tables.closed)) == 1


def test_a_stick_with_the_record_that_continues_says_that_the_older_one_went_on(
    hall: Hall, tables: Tables, tmp_path: Path
) -> None:
    hall.enrols(tables.closed)
    sends(hall, (tables.copied, 1, 2 * SIZE))
    stick = tmp_path / "stick.jsonl"
    with stick.open("wb") as file:
        export(tmp_path / "journal.db", file, for_centre=True)
    (brought,) = take_export(stick, CENTRE, hall.store, 1_000)
    assert (brought.refused, brought.two_histories, brought.size) == (WENT_ON, True, 0)
    assert len(stops(hall, tables.closed)) == 1
