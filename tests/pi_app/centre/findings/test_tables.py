"""Each table has one row, and its words say what an auditor needs to know first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import pytest

from pi_app.centre.facts import ended_game as of
from pi_app.centre.facts.values import RecordFacts, packed_facts
from pi_app.centre.findings.chains import chains
from pi_app.centre.findings.found import CHANGED, FleetFinding, written_findings
from pi_app.centre.findings.tables import TableRow, table_rows, when
from pi_app.centre.store.evidence_rows import Contradictions
from pi_app.centre.store.store import KeptFacts, KeptRecord
from pi_app.centre.taking.known_record import KnownRecord
from pi_app.journal.record.checkpoints import origin_of
from tests.pi_app.centre.findings.kept_tables import NOW, device, table


@dataclass
class Shelf:
    """A store of these records, with facts by a record's number, and what was found last."""

    kept: list[KeptRecord]
    against: Mapping[str, int] = field(default_factory=dict)
    learnt: Mapping[int, RecordFacts] = field(default_factory=dict)
    found: Sequence[FleetFinding] = ()

    def records(self) -> list[KeptRecord]:
        return self.kept

    @property
    def evidence(self) -> Shelf:
        return self

    def counts(self) -> Mapping[str, Contradictions]:
        return {origin: Contradictions(1, at_s) for origin, at_s in self.against.items()}

    def all_facts(self) -> dict[int, KeptFacts]:
        return {number: KeptFacts(8, 0, packed_facts(facts)) for number, facts in self.learnt.items()}

    def findings(self) -> bytes:
        return written_findings(self.found)


def rows(*kept: KeptRecord, **against: int) -> list[TableRow]:
    found = {each.origin: against[each.name.replace(" ", "")] for each in kept if each.name.replace(" ", "") in against}
    return table_rows(Shelf(list(kept), found), NOW)  # type: ignore[arg-type]


def test_a_row_has_all_that_a_page_shows() -> None:
    assert rows(table(1, plays=True)) == [
        TableRow(
            name="Table 1",
            shop="Alpha",
            origin=origin_of(device(1)),
            words=("plays",),
            level="well",
            size=8,
            seen_s=NOW - 10,
        )
    ]


@pytest.mark.parametrize(
    ("kept", "words", "level"),
    [
        (table(1), ("idle",), "well"),
        (table(1, seen_s=0, known=KnownRecord()), ("enrolled, and not seen yet",), "look"),
        (
            table(1, seen_s=0),
            ("enrolled, and not seen yet: its entries came on a stick, or from somebody else",),
            "look",
        ),
        (table(1, seen_s=NOW - 660), ("idle",), "well"),
        (table(1, seen_s=NOW - 661), ("silent since 20:15 UTC",), "look"),
        (table(1, seen_s=NOW - 86_400), ("silent since 2026-05-27 20:26 UTC",), "look"),
        (table(1, plays=True, seen_s=NOW - 661), ("silent since 20:15 UTC",), "look"),
        (table(1, plays=True, behind=49), ("plays",), "well"),
        (table(1, plays=True, behind=1_312), ("plays", "behind by 1,312 entries"), "well"),
        (table(1, seen_s=NOW - 700, behind=50), ("silent since 20:15 UTC", "behind by 50 entries"), "look"),
        (table(1, revoked=True), ("revoked: nothing more is taken from it",), "look"),
    ],
)
def test_what_a_table_does_is_said_in_words(kept: KeptRecord, words: tuple[str, ...], level: str) -> None:
    (found,) = rows(kept)
    assert (found.words, found.level) == (words, level)


def test_a_simulated_table_is_called_one() -> None:
    real = table(1, plays=True)
    (found,) = rows(replace(real, known=msgspec.structs.replace(real.known, boot="simulated 7")))
    assert (found.words, found.level) == (("plays", "SIMULATED"), "well")


def test_a_record_with_two_histories_is_said_first_and_stops() -> None:
    found = rows(table(1), table(2, plays=True), Table2=NOW - 60)
    assert [(each.words, each.level) for each in found] == [
        (("idle",), "well"),
        (("forked: its record has two histories, seen 20:25 UTC", "plays"), "stop"),
    ]


def test_a_table_that_began_another_record_has_one_row_with_what_is_known_of_all() -> None:
    found = rows(table(1, seen_s=NOW - 5_000), table(7), table(2, follows=1, plays=True), Table1=NOW - 60)
    assert [(each.name, each.words) for each in found] == [
        ("Table 7", ("idle",)),
        ("Table 2", ("forked: its record has two histories, seen 20:25 UTC", "plays")),
    ]
    chain = [table(1), table(3, follows=2), table(2, follows=1)]
    assert [[each.number for each in one] for one in chains(chain)] == [[3, 2, 1]]


def test_a_record_whose_older_one_is_elsewhere_has_a_row() -> None:
    assert [each.words for each in rows(table(2, follows=1))] == [("idle",)]


def test_two_records_that_continue_one_are_on_a_copied_card() -> None:
    found = rows(table(1), table(2, follows=1), table(3, follows=1), table(4))
    assert [(each.name, each.words, each.level) for each in found] == [
        ("Table 2", ("cloned: another table continues the same older record", "idle"), "stop"),
        ("Table 3", ("cloned: another table continues the same older record", "idle"), "stop"),
        ("Table 4", ("idle",), "well"),
    ]


def test_a_time_in_the_future_has_its_date() -> None:
    assert when(NOW + 60, NOW) == "2026-05-28 20:27 UTC"


WEEK = 7 * 86_400


@pytest.mark.parametrize(
    ("facts", "words", "level"),
    [
        (RecordFacts(clock="ntp", entries=8, wall_s=NOW - 60), ("plays",), "well"),
        (RecordFacts(clock="none", entries=8, wall_s=5), ("its clock is not set", "plays"), "look"),
        (RecordFacts(cuts=[0, 0, NOW - WEEK - 1]), ("plays",), "well"),
        (RecordFacts(cuts=[NOW - WEEK]), ("plays", "its power was cut in a game once this week"), "well"),
        (RecordFacts(cuts=[NOW - 9, NOW]), ("its power was cut in a game 2 times this week", "plays"), "look"),
        (
            RecordFacts(clock="rtc", entries=8, wall_s=NOW - 1_811),
            ("idle, with a game open since 19:56 UTC",),
            "well",
        ),
        (RecordFacts(clock="rtc", entries=7, wall_s=NOW - 1_811), ("plays",), "well"),
    ],
)
def test_what_was_learnt_is_said(facts: RecordFacts, words: tuple[str, ...], level: str) -> None:
    (found,) = table_rows(Shelf([table(1, plays=True)], learnt={1: facts}), NOW)  # type: ignore[arg-type]
    assert (found.words, found.level) == (words, level)


def about(number: int, kind: str, square: str = "") -> FleetFinding:
    return FleetFinding(
        kind=kind, table="", shop="", origin=origin_of(device(number)), level="look", words="", square=square
    )


def test_dials_with_the_same_trouble_stand_together() -> None:
    found = [
        about(1, of.BETWEEN, "T09"),
        about(1, of.BETWEEN, "T03"),
        about(1, of.DRIFT_LEFT, "T03"),
        about(9, CHANGED),
    ]
    (row,) = table_rows(Shelf([table(1)], found=found), NOW)  # type: ignore[arg-type]
    assert row.words == ("worn: dials T03, T09", "slipped: dial T03", "idle")
    assert row.level == "look"


def test_a_changed_game_of_any_of_its_records_stops_a_table() -> None:
    kept = [table(1), table(2, follows=1)]
    (row,) = table_rows(Shelf(kept, found=[about(1, CHANGED)]), NOW)  # type: ignore[arg-type]
    assert (row.words, row.level) == (("changed: a game is not what its beginning promised", "idle"), "stop")


def test_findings_of_another_version_are_left_out() -> None:
    shelf = Shelf([table(1)])
    shelf.findings = lambda: b"[{}]"  # type: ignore[method-assign]
    assert [row.words for row in table_rows(shelf, NOW)] == [("idle",)]  # type: ignore[arg-type]
