"""When a clock is in doubt, by the limits themselves, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.centre.clock.doubts import AHEAD_S, BEHIND_S, DRIFT_S, TABLES_S, find_doubts, in_doubt, long
from pi_app.centre.clock.machine import ClockReading
from pi_app.centre.store.clock_rows import ClockAnchor
from pi_app.play.power import Date
from tests.pi_app.centre.clocked import DAY, NOW

CLOCK = ClockReading(now_s=NOW, up_s=100.0, boot="b", source=Date.KEPT, from_network=False)
ANCHOR = ClockAnchor("b", int(NOW) - 100)
ACCEPTED = replace(ANCHOR, by_person=True)
BOARD = replace(CLOCK, source=Date.UNSET, keeps_none=True)
APART = CLOCK.began_s + TABLES_S + 1


def kinds(
    clock: ClockReading = CLOCK, newest_s: float = 0, anchor: ClockAnchor | None = None, tables: tuple[float, ...] = ()
) -> list[str]:
    return [each.kind.value for each in find_doubts(clock, int(newest_s), anchor, tables)]


def test_the_newest_cosignature_bounds_the_date() -> None:
    assert kinds(newest_s=NOW + BEHIND_S) == []
    assert kinds(newest_s=NOW + BEHIND_S + 1) == ["behind"]
    assert kinds(newest_s=NOW + BEHIND_S + 1, anchor=ACCEPTED) == ["behind"], "that was made again if it was accepted"
    late = replace(CLOCK, now_s=NOW + AHEAD_S, up_s=100.0 + AHEAD_S)
    assert kinds(late, NOW) == []
    assert kinds(late, NOW - 1) == ["ahead"]
    assert kinds(replace(late, from_network=True), NOW - 1) == []
    assert kinds(late, NOW - 1, ANCHOR) == ["ahead"]
    assert kinds(late, NOW - 1, ACCEPTED) == []
    assert kinds(newest_s=1_000) == [], "a cosignature of 1970 says nothing of today"


def test_a_clock_without_a_source_stays_right_for_the_boot_in_which_it_was() -> None:
    assert kinds(BOARD) == ["source"]
    assert kinds(BOARD, anchor=ANCHOR) == []
    assert kinds(BOARD, anchor=replace(ANCHOR, boot="a")) == ["source"]
    assert kinds(replace(BOARD, now_s=NOW + DRIFT_S), anchor=ANCHOR) == []
    assert kinds(replace(BOARD, now_s=NOW + DRIFT_S + 1), anchor=ANCHOR) == ["source"]
    assert kinds(replace(BOARD, keeps_none=False)) == []


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ((APART, APART), []),
        ((APART, APART, APART), ["tables"]),
        ((APART, APART, APART, CLOCK.began_s, CLOCK.began_s), ["tables"]),
        ((APART, APART, APART, CLOCK.began_s, CLOCK.began_s, CLOCK.began_s), []),
        ((APART - 1, APART, APART), []),
    ],
)
def test_most_tables_and_at_least_three(tables: tuple[float, ...], expected: list[str]) -> None:
    assert kinds(tables=tables) == expected
    assert kinds(tables=tables, anchor=ACCEPTED) == []


def test_an_impossible_year_is_all_that_is_said() -> None:
    clock = replace(BOARD, now_s=1_000.0, source=Date.WRONG)
    assert in_doubt(find_doubts(clock, int(NOW), ACCEPTED, ()), clock) == (
        "This centre does not cosign: its clock is in doubt. It shows 1970-01-01 00:16:40 UTC. That cannot be right: "
        "set the date, or connect the machine to the network."
    )


def test_doubts_are_whole_sentences() -> None:
    tables = (CLOCK.began_s - 2 * DAY,) * 4
    assert in_doubt(find_doubts(BOARD, int(NOW) + 3_700, None, tables), BOARD) == (
        "This centre does not cosign: its clock is in doubt. It shows 2026-11-28 12:00:00 UTC. Nothing has set the "
        "date since this machine started: connect it to the network. The newest cosignature names 2026-11-28 13:01:40 "
        "UTC, which is 1 hour later. The centre goes on when that time is over, or the date is corrected. The dates of "
        "4 of 4 tables that play now are 2 days earlier. If the date is right, type: trapdial centre clock --accept"
    )
    late = replace(CLOCK, now_s=NOW + 800 * DAY)
    words = "UTC. The newest cosignature is 2 years older, and no network confirms the date. If the date is right"
    assert words in in_doubt(find_doubts(late, int(NOW), None, ()), late)
    assert in_doubt((), CLOCK) == ""


@pytest.mark.parametrize(
    ("span_s", "words"), [(1, "1 second"), (119, "1 minute"), (7_200, "2 hours"), (73 * 365 * DAY, "73 years")]
)
def test_a_span_has_one_unit(span_s: float, words: str) -> None:
    assert long(span_s) == words
