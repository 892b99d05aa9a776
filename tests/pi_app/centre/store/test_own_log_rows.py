"""What every store does with a centre's own log; the same tests for SQLite and for PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pi_app.centre.store.own_log_rows import KeptOwnLog, OwnLogBatch, OwnLogWitnessed
from pi_app.centre.store.store import CentreStore
from tests.pi_app.centre.opened_stores import Opens

LOG = "centre.example/log"


def batch(before: int, *origins: str) -> OwnLogBatch:
    places = range(before, before + len(origins))
    return OwnLogBatch(
        before=before,
        entries=[(origin, f"{origin} {place}".encode()) for place, origin in zip(places, origins, strict=True)],
        hashes=[(0, place, bytes((place,)) * 32) for place in places],
        note=f"note {before + len(origins)}",
    )


def test_a_log_that_has_not_begun_is_empty(store: CentreStore) -> None:
    rows = store.own_log
    assert rows.state(LOG) == KeptOwnLog()
    assert (rows.newest(LOG), rows.entries(LOG, 0, 9), rows.hashes(LOG, 0, 0, 9)) == ({}, [], [])


def test_batches_are_kept_in_their_order_and_the_newest_of_each_table_is_known(opens: Opens) -> None:
    rows = opens().own_log
    assert rows.append(LOG, batch(0, "a", "b"))
    assert rows.append(LOG, batch(2, "b", "c", "b"))
    again = opens().own_log
    assert again.state(LOG) == KeptOwnLog(5, "note 5")
    assert again.entries(LOG, 0, 5) == [b"a 0", b"b 1", b"b 2", b"c 3", b"b 4"]
    assert again.entries(LOG, 1, 3) == [b"b 1", b"b 2"]
    assert again.hashes(LOG, 0, 3, 99) == [bytes((3,)) * 32, bytes((4,)) * 32]
    assert again.hashes(LOG, 1, 0, 99) == []
    assert again.newest(LOG) == {
        "a": (0, bytes(32)), "b": (4, bytes((4,)) * 32), "c": (3, bytes((3,)) * 32),
    }  # fmt: skip


def test_a_batch_against_another_size_changes_nothing(store: CentreStore) -> None:
    rows = store.own_log
    assert not rows.append(LOG, batch(1, "a"))
    assert rows.append(LOG, batch(0, "a"))
    before = (rows.state(LOG), rows.entries(LOG, 0, 9), rows.newest(LOG))
    assert not rows.append(LOG, batch(0, "b", "c"))
    assert (rows.state(LOG), rows.entries(LOG, 0, 9), rows.newest(LOG)) == before


def test_of_two_centres_on_one_store_one_appends(opens: Opens) -> None:
    both = [opens().own_log, opens().own_log]
    with ThreadPoolExecutor(2) as pool:
        for size in range(5):
            tries = [pool.submit(each.append, LOG, batch(size, f"{number}")) for number, each in enumerate(both)]
            assert sorted(each.result() for each in tries) == [False, True]
    assert len(both[0].entries(LOG, 0, 99)) == 5


def test_two_logs_of_one_centre_do_not_mix(store: CentreStore) -> None:
    rows = store.own_log
    rows.append(LOG, batch(0, "a", "b"))
    rows.append("centre.example/log2", batch(0, "c"))
    assert rows.entries("centre.example/log2", 0, 9) == [b"c 0"]
    assert list(rows.newest(LOG)) == ["a", "b"]


def test_of_each_witness_the_largest_checkpoint_is_kept(store: CentreStore) -> None:
    rows = store.own_log
    rows.keep_cosigned(LOG, "w1", 5, "five")
    rows.keep_cosigned(LOG, "w2", 3, "three")
    rows.keep_cosigned(LOG, "w1", 4, "four, late")
    rows.keep_cosigned(LOG, "w2", 3, "three again")
    assert rows.state(LOG).witnesses == {"w1": OwnLogWitnessed(5, "five"), "w2": OwnLogWitnessed(3, "three again")}


def test_trouble_with_a_witness_is_kept_until_it_cosigns(store: CentreStore) -> None:
    rows = store.own_log
    rows.keep_trouble(LOG, "w1", "It does not answer.")
    assert rows.state(LOG).witnesses == {"w1": OwnLogWitnessed(0, "", "It does not answer.")}
    rows.keep_cosigned(LOG, "w1", 5, "five")
    assert rows.state(LOG).witnesses == {"w1": OwnLogWitnessed(5, "five")}
    rows.keep_trouble(LOG, "w1", "It is slow.")
    rows.keep_trouble(LOG, "w1", "")
    assert rows.state(LOG).witnesses == {"w1": OwnLogWitnessed(5, "five")}
