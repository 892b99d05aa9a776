"""What an auditor is told about tables: forks, copies, changed games, silence, clocks and power."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.centre.facts.values import DialFacts, RateTally, RecordFacts, WrongGame, packed_facts
from pi_app.centre.findings.fleet import fleet_findings
from pi_app.centre.findings.found import read_findings, written_findings
from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import Commit, KeptRecord
from pi_app.centre.taking.known_record import Taken
from tests.pi_app.centre.findings.kept_tables import NOW, table

HOUR = 3_600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    found = SqliteStore(tmp_path / "centre.db")
    yield found
    found.close()


def keeps(store: SqliteStore, record: KeptRecord, facts: RecordFacts | None = None) -> None:
    """Put a record into the store as it is, with its facts."""
    code = record.origin.encode()
    store.add_code(code, record.name, record.shop, NOW)
    enrolled = store.enrol(code, record.origin, 1)
    assert enrolled is not None
    if record.seen_s:
        taken = Taken(record.known)
        commit = Commit(number=enrolled.number, before=0, entries=(), taken=taken, cosigned="", at_s=record.seen_s)
        assert store.commit([commit]) == [True]
    if record.revoked:
        store.revoke(record.origin)
    if facts is not None:
        assert store.keep_facts(enrolled.number, store.facts(enrolled.number), record.known.size, packed_facts(facts))


def words(store: SqliteStore) -> list[tuple[str, str, str]]:
    found = fleet_findings(store, NOW)
    assert read_findings(written_findings(found)) == found
    return [(each.kind, each.level, each.words) for each in found]


def test_tables_that_are_well_give_no_findings(store: SqliteStore) -> None:
    assert words(store) == []
    for number, record in enumerate([table(1, plays=True), table(2), table(3, seen_s=0)]):
        keeps(store, record, RecordFacts(clock="ntp", cuts=[NOW - 9], begun=number))
    assert words(store) == []


def test_two_histories_are_said_first_with_what_was_seen_last(store: SqliteStore) -> None:
    keeps(store, table(1), RecordFacts(clock="none"))
    keeps(store, table(2))
    for at_s, address, why in (
        (NOW - 2 * HOUR, "10.0.0.7", "An old one."),
        (NOW - HOUR, "10.0.0.9", "Entry 5 differs."),
    ):
        found = ForkEvidence(origin=table(2).origin, at_s=at_s, why=why, address=address, body=why.encode())
        store.evidence.keep(found, b"")
    stranger = ForkEvidence(origin="trapdial.invalid/record/00", at_s=1, why="", address="", body=b"x")
    store.evidence.keep(stranger, b"")
    assert words(store) == [
        (
            "fork",
            "stop",
            "Table 2: its record has two histories. Entry 5 differs. It came on 2026-05-28 19:26 UTC, from 10.0.0.9. "
            "So did 1 more. Stop play there until you know which card is the copy: trapdial docs centre.",
        ),
        (
            "clock",
            "look",
            "Table 1: its clock is not set, so the dates of its entries are wrong. Check its network.",
        ),
    ]
    (first, _) = fleet_findings(store, NOW)
    assert (first.table, first.shop, first.origin, first.at_s) == ("Table 2", "Alpha", table(2).origin, NOW - HOUR)


def test_a_copied_card_is_said_of_both(store: SqliteStore) -> None:
    for record in (table(1), table(2, follows=1), table(3, follows=1)):
        keeps(store, record)
    assert [each[:2] for each in words(store)] == [("clone", "stop")] * 2
    assert words(store)[1][2] == (
        "Table 3: another table continues the same older record. One of the two runs on a copy of the other's card. "
        "Give the copy a record of its own: trapdial docs centre."
    )


def test_a_game_that_is_not_what_it_promised_is_said_with_its_first_entry(store: SqliteStore) -> None:
    wrong = [WrongGame(game=f"g{at}", entry=at, seen="has a broken seal") for at in (9, 20)]
    keeps(store, table(1), RecordFacts(wrong=wrong, wrong_count=3))
    keeps(store, table(2, follows=1))
    assert words(store) == [
        (
            "changed",
            "stop",
            "Table 1: the game g9 is not what its beginning promised: entry 9 has a broken seal. So are 2 other games. "
            "Ask who changed the program there.",
        )
    ]


def test_a_table_that_falls_silent_in_a_game_is_said_and_one_that_was_switched_off_is_not(store: SqliteStore) -> None:
    keeps(store, table(1, plays=True, seen_s=NOW - 661))
    keeps(store, table(2, seen_s=NOW - 9_000))
    keeps(store, table(3, plays=True, seen_s=NOW - 9_000, revoked=True))
    assert words(store) == [
        (
            "silent",
            "look",
            "Table 1: it fell silent in a game, on 2026-05-28 20:15 UTC. Check its power and its network.",
        )
    ]


def test_power_that_goes_again_and_again_is_said(store: SqliteStore) -> None:
    keeps(store, table(1), RecordFacts(cuts=[0, NOW - 8 * 86_400, NOW - 6 * 86_400, NOW - 5], clock="rtc"))
    keeps(store, table(2), RecordFacts(cuts=[0, NOW - 8 * 86_400, NOW - 6 * 86_400], clock="rtc"))
    assert words(store) == [
        (
            "power",
            "look",
            "Table 1: its machine restarted 2 times in games within a week. Check its power supply and its plug.",
        )
    ]


def worn(events: int) -> RecordFacts:
    tally = RateTally(games=50, trials={"between": 50}, events={"between": events})
    return RecordFacts(clock="ntp", dials={"T03": DialFacts(square="T03", turns=100, between=events, now=tally)})


def test_a_worn_dial_is_said_with_its_table_and_only_of_its_newest_record(store: SqliteStore) -> None:
    keeps(store, table(1), worn(40))
    keeps(store, table(2, follows=1), worn(40))
    keeps(store, table(3, revoked=True), worn(40))
    for number in range(4, 30):
        keeps(store, table(number), worn(0))
    assert [(each.kind, each.table, each.square) for each in fleet_findings(store, NOW)] == [
        ("between", "Table 2", "T03")
    ]
    assert words(store)[0][2].startswith("Table 2: T03 rests between two detents in 40 of 50 games, the others in 0 of")
