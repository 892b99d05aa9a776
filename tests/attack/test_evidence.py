"""Against the owner of an enrolled table, who signs contradictions without end to fill the centre's disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.centre.enrolment import code_hash
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.store import CentreStore
from pi_app.journal import Journal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import cosigned_at, is_signed, read_checkpoint, record_key
from pi_app.journal.record.handover import HandedEntry, read_handover
from pi_app.journal.record.notes import read_note
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.closed_stores import stores_are_closed
from tests.pi_app.centre.records import CENTRE, Table, a_game, entries_of
from tests.pi_app.centre.service.asking import Replied, ask, living
from tests.pi_app.centre.store.conftest import opens, postgres, store

__all__ = ["opens", "postgres", "store", "stores_are_closed"]

SENT = 60
LARGE = 500_000
"""Bytes of each contradiction, so that all of them together would take 30 MB."""


@pytest.fixture
def table(tmp_path: Path) -> Table:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


def changed(table: Table, number: int) -> list[HandedEntry]:
    """The record with another entry 3, which is large and differs from every other one."""
    public, _, _ = table.entries[2]
    assert public is not None
    sealed = os.urandom(16) + number.to_bytes(4, "big") + bytes(LARGE)
    return [*table.entries[:2], (public, sealed, rec.leaf(public, sealed)), *table.entries[3:]]


def test_contradictions_without_end_take_little_room_and_two_lines(store: CentreStore, table: Table) -> None:
    lines: list[str] = []
    app = CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0, (), lines.append))
    store.add_code(code_hash("x"), "Table 4", "", 10_000)
    assert store.enrol(code_hash("x"), table.origin, 1) is not None

    async def work() -> Sequence[Replied]:
        replies = [await ask(app, "POST", "/hand-over", [table.hands(1, 5).written()])]
        for number in range(SENT):
            body = table.hands(1, 5, entries=changed(table, number)).written()
            replies.append(await ask(app, "POST", "/hand-over", [body]))
        return replies

    assert [each.status for each in living(app, work)] == [200] + [422] * SENT
    kept = store.evidence.all()
    assert len(kept) < SENT
    assert sum(len(each.body) + len(each.ours) for each in kept) < 3 * LARGE, "a few are whole, the others some kB"
    assert store.evidence.counts()[table.origin].count == SENT, "all are counted"
    assert lines == [
        "Table 4: Entry 3 differs from the one that was handed over before: this record has two histories. "
        "What it sent is kept as evidence.",
        "Table 4: it sends more contradictions than are worth keeping. Further ones are counted.",
    ]


def test_a_short_piece_proves_the_two_histories(store: CentreStore, table: Table) -> None:
    app = CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0))
    store.add_code(code_hash("x"), "Table 4", "", 10_000)
    assert store.enrol(code_hash("x"), table.origin, 1) is not None
    clones = [replace(table, entries=changed(table, number)) for number in range(3)]
    public, sealed, _ = table.entries[2]
    assert public is not None
    assert sealed is not None
    small = (public, sealed[::-1], rec.leaf(public, sealed[::-1]))
    clones.append(replace(table, entries=[*table.entries[:2], small, *table.entries[3:]]))

    async def work() -> None:
        for each in (table, *clones):
            await ask(app, "POST", "/hand-over", [each.hands(1, 5).written()])

    living(app, work)
    fourth, third, *whole = store.evidence.newest(table.origin, 9)
    assert [each.is_whole for each in whole] == [True, True]
    for piece, clone in ((third, clones[2]), (fourth, clones[3])):
        assert (piece.is_whole, piece.sent_bytes) == (False, len(clone.hands(1, 5).written()))
        theirs, ours = read_handover(piece.body), read_note(piece.ours.encode())
        assert is_signed(theirs.checkpoint, record_key(table.key.public))
        assert is_signed(ours, record_key(table.key.public))
        assert cosigned_at(ours, CENTRE.verifier) == 1_000
        assert read_checkpoint(theirs.checkpoint.text).size == read_checkpoint(ours.text).size == 5
        assert read_checkpoint(theirs.checkpoint.text).root != read_checkpoint(ours.text).root
        assert (theirs.first, theirs.entries[0][2]) == (3, clone.entries[2][2])
    assert read_handover(fourth.body).entries == (small,), "an entry of some kB is there with both halves"
