"""The checker finds every kind of fault that a database can have, and none in one that is sound."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.centre.enrolment import code_hash
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal.record.notes import SignedNote
from pi_app.journal.record.runs import RawRow
from pi_app.settings.load import example_path, load
from pi_app.workshop.bench.centre.checker import Checked, TableTruth, check
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, Original, numbered_key, original
from tests.pi_app.centre.records import CENTRE, Desk

Change = Callable[[list[RawRow]], list[RawRow]]


@pytest.fixture(scope="module")
def played() -> Original:
    return original(load(example_path("8x4")))


class Wrong(SqliteStore):
    """A store whose rows are not what was committed."""

    change: Change = staticmethod(lambda rows: rows)

    def rows(self, number: int, first: int = 1, last: int | None = None) -> Iterator[RawRow]:
        yield from self.change(list(super().rows(number, first, last)))


@pytest.fixture
def shop(tmp_path: Path, played: Original) -> Iterator[tuple[Wrong, CopiedRecord, SignedNote]]:
    """A store with 12 entries of a table that has 15."""
    record = CopiedRecord(numbered_key(1), played)
    with contextlib.closing(Wrong(tmp_path / "centre.db")) as store:
        store.add_code(code_hash("x"), "Table", "", 9_999)
        store.enrol(code_hash("x"), record.origin, 1)
        note = Desk(store).takes(record.handed(record.grow(12)))
        assert note is not None
        record.grow(3)
        yield store, record, note


def found(
    shop: tuple[Wrong, CopiedRecord, SignedNote], change: Change | None = None, *, whole: bool = False
) -> Checked:
    store, record, note = shop
    if change is not None:
        store.change = change
    return check(store, {record.origin: TableTruth(record.leaves, note)}, CENTRE.verifier, whole=whole)


def test_what_is_sound_is_found_sound(shop: tuple[Wrong, CopiedRecord, SignedNote]) -> None:
    assert (found(shop).sound, found(shop).entries) == (True, 12)


def test_what_is_not_handed_over_yet_is_lost_only_if_all_should_be_there(
    shop: tuple[Wrong, CopiedRecord, SignedNote],
) -> None:
    assert (found(shop, whole=True).lost, found(shop).lost) == (3, 0)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda rows: rows[:-1], "lost"),
        (lambda rows: [*rows[:4], *rows[5:]], "lost"),
        (lambda rows: [*rows[:4], *rows[3:]], "double"),
        (lambda rows: [*rows[:4], (*rows[4][:3], bytes(32), None), *rows[5:]], "different"),
        (lambda rows: [*rows[:4], (*rows[4][:2], bytes(9), *rows[4][3:]), *rows[5:]], "different"),
        (lambda rows: [], "lost"),
    ],
)
def test_every_fault_is_found(shop: tuple[Wrong, CopiedRecord, SignedNote], change: Change, what: str) -> None:
    seen = found(shop, change)
    assert getattr(seen, what) > 0
    assert (seen.sound, bool(seen.wrong)) == (False, True)


def test_a_cosignature_over_other_entries_is_found(
    shop: tuple[Wrong, CopiedRecord, SignedNote], played: Original
) -> None:
    store, record, note = shop
    other = replace(note, signatures=note.signatures[:1])
    assert check(store, {record.origin: TableTruth(record.leaves, other)}, CENTRE.verifier).bad_cosignatures == 1
    assert found(shop, lambda rows: rows[:11]).bad_cosignatures == 1


def test_records_of_no_table_and_tables_of_no_record_are_found(
    shop: tuple[Wrong, CopiedRecord, SignedNote], played: Original
) -> None:
    store, _, _ = shop
    stranger = CopiedRecord(numbered_key(2), played)
    stranger.grow(5)
    seen = check(store, {stranger.origin: TableTruth(stranger.leaves)}, CENTRE.verifier, whole=True)
    assert (seen.unknown, seen.lost) == (1, 5)
