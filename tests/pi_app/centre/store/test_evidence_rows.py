"""Evidence in both stores: a few requests whole, some short, then a number, and never more than a table's budget."""

from __future__ import annotations

from dataclasses import replace

from pi_app.centre.store.evidence_rows import (
    BUDGET_BYTES,
    MOST_PIECES,
    MOST_WHOLE,
    Contradictions,
    ForkEvidence,
    HowKept,
)
from pi_app.centre.store.store import CentreStore

ORIGIN = "trapdial.invalid/record/0"
SENT = ForkEvidence(
    origin=ORIGIN, at_s=5, why="Two histories.", address="10.0.0.9", ours="a note", body=b"\x00one", sent_bytes=4
)


def number(count: int, size: int) -> bytes:
    return count.to_bytes(4, "big").ljust(size, b".")


def test_the_same_request_of_one_origin_is_kept_once(store: CentreStore) -> None:
    two = replace(SENT, at_s=6, body=b"two", sent_bytes=3)
    assert [store.evidence.keep(each, each.body) for each in (SENT, two, replace(SENT, at_s=7))] == [
        HowKept.KEPT, HowKept.KEPT, HowKept.KNOWN,
    ]  # fmt: skip
    other = replace(SENT, origin="other", at_s=8)
    store.evidence.keep(other, b"short")
    assert store.evidence.all() == [other, SENT, two]
    assert all(each.is_whole for each in store.evidence.all())
    assert store.evidence.newest(ORIGIN, 9) == [two, SENT]
    assert store.evidence.newest(ORIGIN, 1) == [two]
    assert store.evidence.newest("none", 9) == []
    assert store.evidence.counts() == {ORIGIN: Contradictions(2, 6), "other": Contradictions(1, 8)}


def test_after_a_few_whole_requests_come_short_ones_and_then_a_number(store: CentreStore) -> None:
    how = [
        store.evidence.keep(replace(SENT, at_s=at, body=number(at, 2_000), sent_bytes=0), number(at, 20))
        for at in range(1, MOST_PIECES + 6)
    ]
    assert how == [HowKept.KEPT] * MOST_PIECES + [HowKept.COUNTED] * 5
    kept = store.evidence.newest(ORIGIN, 99)[::-1]
    assert [len(each.body) for each in kept] == [2_000] * MOST_WHOLE + [20] * (MOST_PIECES - MOST_WHOLE)
    assert [each.is_whole for each in kept] == [True] * MOST_WHOLE + [False] * (MOST_PIECES - MOST_WHOLE)
    assert {each.sent_bytes for each in kept} == {2_000}
    assert store.evidence.counts() == {ORIGIN: Contradictions(MOST_PIECES + 5, MOST_PIECES + 5)}
    again = replace(SENT, at_s=99, body=number(40, 2_000))
    assert store.evidence.keep(again, number(40, 20)) is HowKept.KNOWN, "a short piece is the same request too"


def test_no_table_takes_more_room_than_its_budget(store: CentreStore) -> None:
    most = BUDGET_BYTES // 3 * 2
    for at in range(1, 9):
        store.evidence.keep(replace(SENT, at_s=at, body=number(at, most)), number(at, BUDGET_BYTES // 8))
    kept = store.evidence.newest(ORIGIN, 99)
    assert [len(each.body) for each in kept] == [BUDGET_BYTES // 8] * 2 + [most]
    assert sum(len(each.body) + len(each.ours) for each in kept) <= BUDGET_BYTES
    store.evidence.keep(replace(SENT, origin="other"), b"short")
    assert store.evidence.newest("other", 1)[0].body == SENT.body, "another table has its own"
