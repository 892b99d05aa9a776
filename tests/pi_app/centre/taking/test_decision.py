"""A centre commits and cosigns what continues a record, and answers everything else without changing anything."""

from __future__ import annotations

import itertools
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pi_app import journal as jn
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal import Journal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.notes import SignedNote, read_note, read_signatures
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, STRANGER, Desk, Table, a_game, entries_of


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 4)
        a_game(journal, "g2", 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


@pytest.fixture
def desk(tmp_path: Path, table: Table) -> Desk:
    store = SqliteStore(tmp_path / "centre.db")
    store.add_code(b"code", "Table 1", "", 10_000)
    assert store.enrol(b"code", table.origin, 1) is not None
    return Desk(store)


def test_what_continues_the_record_is_committed_and_cosigned(desk: Desk, table: Table) -> None:
    for first, last in ((1, 3), (4, 4), (5, 11)):
        note = desk.takes(table.hands(first, last))
        assert note is not None
        record = desk.record(table.origin)
        assert (record.known.size, read_note(record.cosigned.encode())) == (last, note)
        assert cosigned_at(note, CENTRE.verifier) == 1_000


def test_the_same_again_writes_nothing_and_has_the_same_answer(desk: Desk, table: Table) -> None:
    first = desk.takes(table.hands(1, 5))
    desk.now_s = 2_000
    again = desk.decides(table.hands(1, 5))
    assert again.commit is None
    assert desk.takes(table.hands(1, 5)) == first
    assert desk.takes(table.hands(6, 5)) == first, "a checkpoint alone"


def test_an_overlap_is_compared_and_only_the_rest_is_written(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 5))
    found = desk.decides(table.hands(3, 8))
    assert found.commit is not None
    assert (found.commit.before, len(found.commit.entries)) == (5, 3)


def test_a_gap_and_a_step_back_are_told_where_to_go_on(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 5))
    for handed in (table.hands(7, 9), table.hands(1, 4), table.hands(1, 0)):
        refused = desk.refuses(handed)
        assert (refused.status, refused.size, refused.evidence, refused.why) == (
            HTTPStatus.CONFLICT, 5, False, "Entries up to 5 are here.",
        )  # fmt: skip


def test_a_record_that_was_written_anew_is_evidence(desk: Desk, table: Table, tmp_path: Path) -> None:
    """As a cloned card does with its next game, or the holder of a stolen key."""
    desk.takes(table.hands(1, 8))
    path = tmp_path / "clone.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g9", 9)
    clone = replace(table, entries=entries_of(path))
    refused = desk.refuses(clone.hands(1, 9))
    assert (refused.status, refused.evidence) == (HTTPStatus.UNPROCESSABLE_ENTITY, True)
    assert refused.why == ("Entry 1 differs from the one that was handed over before: this record has two histories.")
    late = HandOver(table.origin, 9, (), clone.hands(1, 8).checkpoint)
    refused = desk.refuses(late)
    assert (refused.status, refused.evidence, refused.why) == (
        HTTPStatus.UNPROCESSABLE_ENTITY, True, "The checkpoint of 8 entries has another root than the entries.",
    )  # fmt: skip


@pytest.mark.parametrize(("first", "last"), [(6, 6), (6, 8), (6, 9), (1, 8), (1, 3)])
def test_a_copy_of_the_card_is_found_wherever_it_went_another_way(
    desk: Desk, table: Table, tmp_path: Path, first: int, last: int
) -> None:
    """The copy has the first 5 entries too; then the table goes on to 8, and the copy to 6 or more."""
    clone = clone_of(table, 5)
    desk.takes(table.hands(1, 8))
    handed = clone.hands(first, last)
    if last <= 5:
        assert (desk.refuses(handed).status, desk.refuses(handed).size) == (HTTPStatus.CONFLICT, 8), "the same so far"
        return
    refused = desk.refuses(handed)
    assert (refused.status, refused.evidence) == (HTTPStatus.UNPROCESSABLE_ENTITY, True)
    assert refused.why.startswith("Entry 6 differs from ")


@pytest.mark.parametrize(("first", "last"), [(7, 11), (9, 11)])
def test_a_copy_that_shows_only_later_entries_is_asked_for_earlier_ones(
    desk: Desk, table: Table, first: int, last: int
) -> None:
    desk.takes(table.hands(1, 8))
    clone = clone_of(table, 5)
    refused = desk.refuses(clone.hands(first, last))
    assert (refused.status, refused.size, refused.evidence) == (HTTPStatus.CONFLICT, 0, False)
    assert desk.refuses(clone.hands(1, 8)).evidence


@pytest.mark.parametrize(("first", "last", "at"), [(1, 5, 2), (4, 8, 8), (7, 9, 9), (9, 9, 9), (9, 11, 11)])
def test_entries_that_somebody_else_changed_on_their_way_are_no_evidence(
    desk: Desk, table: Table, first: int, last: int, at: int
) -> None:
    """The checkpoint is the table's own, and one of the entries is not."""
    desk.takes(table.hands(1, 8))
    public, sealed, _ = table.entries[at - 1]
    assert public is not None
    assert sealed is not None
    other = bytes(len(sealed))
    handed = table.hands(first, last)
    entries = list(handed.entries)
    entries[at - first] = (public, other, rec.leaf(public, other))
    refused = desk.refuses(replace(handed, entries=tuple(entries)))
    assert (refused.status, refused.evidence) == (HTTPStatus.BAD_REQUEST, False)


def clone_of(table: Table, same: int) -> Table:
    """A table with the same key and the same entries so far, whose next ones have other sealed halves."""
    entries = list(table.entries[:same])
    for public, sealed, _ in table.entries[same:]:
        assert public is not None
        assert sealed is not None
        part = msgspec.structs.replace(rec.read_public(public), before=entries[-1][2].hex())
        halves = rec.public_bytes(part), bytes(len(sealed))
        entries.append((*halves, rec.leaf(*halves)))
    return replace(table, entries=entries)


def test_what_its_device_has_not_signed_is_refused(desk: Desk, table: Table) -> None:
    good = table.hands(1, 5)
    stranger = replace(table, key=STRANGER).hands(1, 5)
    other_size = table.hands(1, 6).checkpoint
    for handed, status in (
        (
            replace(good, checkpoint=SignedNote(good.checkpoint.text, stranger.checkpoint.signatures)),
            HTTPStatus.FORBIDDEN,
        ),
        (replace(good, checkpoint=stranger.checkpoint), HTTPStatus.BAD_REQUEST),
        (replace(good, checkpoint=other_size), HTTPStatus.BAD_REQUEST),
        (replace(good, checkpoint=SignedNote("x\n", good.checkpoint.signatures)), HTTPStatus.BAD_REQUEST),
    ):
        refused = desk.refuses(handed)
        assert (refused.status, refused.evidence) == (status, False)


def test_nothing_is_taken_of_a_revoked_table(desk: Desk, table: Table) -> None:
    desk.store.revoke(table.origin)
    assert desk.refuses(table.hands(1, 5)).status == HTTPStatus.GONE


def test_an_entry_that_does_not_fit_is_named(desk: Desk, table: Table) -> None:
    public, sealed, _ = table.entries[2]
    assert public is not None
    assert sealed is not None
    bad = bytes(len(sealed) - 1)
    entries = [*table.entries[:2], (public, bad, rec.leaf(public, bad))]
    refused = desk.refuses(table.hands(1, 3, entries=entries))
    assert refused.why == "Nothing was taken: entry 3 has a wrong length for its kind."


def test_a_game_that_begins_twice_is_refused(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 11))
    public, sealed, _ = table.entries[0]
    assert public is not None
    assert sealed is not None
    again = rec.public_bytes(
        msgspec.structs.replace(rec.read_public(public), seq=12, before=table.entries[10][2].hex(), mono_ns=1 << 60)
    )
    entries = [*table.entries, (again, sealed, rec.leaf(again, sealed))]
    refused = desk.refuses(table.hands(12, 12, entries=entries))
    assert refused.why == "Nothing was taken: entry 12 begins a game that has begun before."


def test_a_clock_that_went_back_cosigns_nothing_until_it_is_right(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 3))
    desk.now_s = 900
    cosigned = desk.record(table.origin).cosigned
    assert desk.takes(table.hands(4, 4)) is None, "the entries are taken"
    assert desk.record(table.origin).cosigned == cosigned
    desk.now_s = 997
    note = desk.takes(table.hands(5, 5))
    assert note is not None
    assert cosigned_at(note, CENTRE.verifier) == 1_000, "a few seconds back: the same second again"


def test_a_centre_that_was_restored_takes_the_entries_again_and_cosigns_no_step_back(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 3))
    lost = table.hands(1, 9)
    signature = read_signatures(desk.decides(lost).cosignature)
    since = SignedNote(lost.checkpoint.text, (*lost.checkpoint.signatures, *signature)).written()
    assert desk.refuses(table.hands(10, 11, since)).size == 3
    assert desk.takes(table.hands(4, 6, since)) is None, "it has cosigned 9 entries before"
    note = desk.takes(table.hands(7, 11, since))
    assert note is not None
    assert read_checkpoint(note.text).size == 11


def test_a_restored_centre_finds_other_entries_than_it_has_cosigned(desk: Desk, table: Table) -> None:
    desk.takes(table.hands(1, 3))
    lost = table.hands(1, 4)
    signature = read_signatures(desk.decides(lost).cosignature)
    since = SignedNote(lost.checkpoint.text, (*lost.checkpoint.signatures, *signature)).written()
    public, sealed, _ = table.entries[3]
    assert public is not None
    assert sealed is not None
    other = bytes(len(sealed))
    changed = [*table.entries[:3], (public, other, rec.leaf(public, other))]
    refused = desk.refuses(table.hands(4, 4, since, entries=changed))
    assert (refused.status, refused.evidence, refused.why) == (
        HTTPStatus.UNPROCESSABLE_ENTITY, True,
        "Entry 4 or one before it differs from what this centre has cosigned.",
    )  # fmt: skip


@given(some.data())
def test_a_note_that_this_centre_has_not_cosigned_changes_nothing(
    table: Table, tmp_path_factory: pytest.TempPathFactory, data: some.DataObject
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("centre") / "centre.db")
    store.add_code(b"code", "Table 1", "", 10_000)
    store.enrol(b"code", table.origin, 1)
    since = data.draw(some.sampled_from(["x", table.hands(1, 9).checkpoint.written(), "a\n\n— a AAAAAAA=\n"]))
    assert Desk(store).takes(table.hands(1, 5, since)) is not None
    store.close()


# ------------------------------------------------------------------------------- any order of anything, by hypothesis


class TablesAndCentre(RuleBasedStateMachine):
    """A table that plays, hands over any part, forgets what it was told; and a centre that is restored."""

    table: Table
    folder: Path
    numbers = itertools.count()

    @initialize()
    def begin(self) -> None:
        self.store = SqliteStore(self.folder / f"{next(self.numbers)}.db")
        self.store.add_code(b"code", "Table 1", "", 10_000)
        self.store.enrol(b"code", self.table.origin, 1)
        self.desk = Desk(self.store)
        self.since = ""
        self.cosigned: dict[int, bytes] = {}

    @rule(first=some.integers(1, 12), length=some.integers(0, 11), tells=some.booleans())
    def hand_over(self, first: int, length: int, tells: bool) -> None:
        last = min(11, first + length - 1)
        size = self.desk.record(self.table.origin).known.size
        handed = self.table.hands(first, last, self.since if tells else "")
        if first > size + 1 or last < size:
            refused = self.desk.refuses(handed)
            assert (refused.status, refused.size) == (HTTPStatus.CONFLICT, size)
            return
        note = self.desk.takes(handed)
        if note is not None:
            self.since = note.written()
            checkpoint = read_checkpoint(note.text)
            assert self.cosigned.setdefault(checkpoint.size, checkpoint.root) == checkpoint.root

    @rule()
    def forget(self) -> None:
        self.since = ""

    @precondition(lambda self: self.cosigned)
    @rule(seconds=some.integers(0, 50))
    def time_passes(self, seconds: int) -> None:
        self.desk.now_s += seconds

    @invariant()
    def what_was_cosigned_is_here(self) -> None:
        record = self.store.record(self.table.origin)
        assert record is not None
        rows = list(self.store.rows(record.number))
        assert [row[3] for row in rows] == [leaf for *_, leaf in self.table.entries[: record.known.size]]
        assert max(self.cosigned, default=0) <= record.known.size
        assert len(rows) == record.known.size

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()


def test_any_order_of_hand_overs(table: Table, tmp_path: Path) -> None:
    TablesAndCentre.table, TablesAndCentre.folder = table, tmp_path
    run_state_machine_as_test(
        TablesAndCentre,  # type: ignore[no-untyped-call, unused-ignore]
        settings=settings(max_examples=30, stateful_step_count=25, deadline=None),
    )
