"""Copies of a record have hashes, trees and signatures of their own, and every verifier takes them."""

from __future__ import annotations

from pathlib import Path

from pi_app.journal.record.merkle import root_of
from pi_app.settings.load import example_path, load
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, numbered_key, original
from tests.pi_app.centre.records import Desk, new_store


def test_a_copy_is_taken_in_any_number_of_pieces(tmp_path: Path) -> None:
    played = original(load(example_path("8x4")))
    record, other = (CopiedRecord(numbered_key(number), played) for number in (1, 2))
    store = new_store(tmp_path / "centre.db", record.origin)
    desk = Desk(store)
    for count in (1, 7, len(played), 300):
        assert desk.takes(record.handed(record.grow(count))) is not None, "over the end of the original too"
    assert desk.record(record.origin).known.root == root_of([record.leaf(seq) for seq in range(1, record.size + 1)])
    other.grow(record.size)
    assert {record.leaf(seq) for seq in range(1, 50)}.isdisjoint(other.leaf(seq) for seq in range(1, 50))
    store.close()
