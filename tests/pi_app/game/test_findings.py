"""Findings: each names its rule, and none holds a secret."""

from __future__ import annotations

import pytest

from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.game.trap_table import Trap
from tests.pi_app.games import exposes, played, rolled, started, table_with, turned

CLAIM = (ev.Claimed(seat="ANN", grade="button"), ev.Bound(seat="ANN", square="T01"))


def found(*events: ev.AnyEvent) -> list[tuple[str, str]]:
    return [(finding.rule, finding.words) for finding in played(started(), *events).game.findings]


@pytest.mark.parametrize("roll", range(1, 7))
def test_a_turn_by_the_rules_gives_no_finding(roll: int) -> None:
    assert found(*exposes("T01", roll, "ANN")) == []


@pytest.mark.parametrize(
    ("events", "findings"),
    [
        ([turned("T01", 3)], [("T-AUD-4", audit.NO_CLAIM)]),
        ([*CLAIM, turned("T01", -2, "ANN")], [("T-AUD-4", audit.CLOCKWISE)]),
        ([*CLAIM, turned("T01", 7, "ANN")], [("T-AUD-2", audit.TOO_FAR)]),
        ([*CLAIM, turned("T01", 13, "ANN")], [("T-AUD-2", audit.TOO_FAR)]),
        ([*CLAIM, turned("T01", 0, "ANN")], [("T-AUD-2", audit.NO_DISTANCE)]),
        ([*CLAIM, rolled(4), turned("T01", 4, "ANN")], []),
        ([*CLAIM, rolled(4), turned("T01", 3, "ANN")], [("T-AUD-2", audit.NOT_BY_THE_DIE)]),
        ([*CLAIM, rolled(4), rolled(3), turned("T01", 3, "ANN")], []),
        ([*CLAIM, rolled(4), turned("T01", 7, "ANN")], [("T-AUD-2", audit.TOO_FAR)]),
        ([*CLAIM, rolled(4), turned("T01", -4, "ANN")], [("T-AUD-4", audit.CLOCKWISE)]),
        ([*CLAIM, rolled(4), turned("T01", None, "ANN", to=4)], [("T-AUD-5", audit.PATH_UNKNOWN)]),
        ([*CLAIM, turned("T01", 4, "ANN"), rolled(4)], []),
        ([*CLAIM, turned("T01", 3, "ANN"), rolled(4)], [("T-AUD-2", audit.NOT_BY_THE_DIE)]),
        ([*CLAIM, turned("T01", None, "ANN", to=4)], [("T-AUD-5", audit.PATH_UNKNOWN)]),
        ([turned("T01", None, to=4)], [("T-AUD-4", audit.NO_CLAIM), ("T-AUD-5", audit.PATH_UNKNOWN)]),
        ([turned("T01", None, to=0)], [("T-AUD-5", audit.PATH_UNKNOWN)]),
        ([turned("T01", 3, to=None)], [("T-AUD-4", audit.NO_CLAIM), ("T-AUD-5", audit.BETWEEN)]),
        ([*exposes("T01", 3, "ANN"), turned("T01", 1, start=3)], [("T-AUD-4", audit.SECOND_TURN)]),
        (
            [ev.SetupChecked(stands={"T01": 2, "T02": 0}), *CLAIM, turned("T01", 3, "ANN", start=2)],
            [("T-AUD-1", audit.NOT_AT_START), ("T-AUD-2", audit.NOT_FROM_START)],
        ),
        ([ev.SetupChecked(stands={"T01": None, "T02": 0})], [("T-AUD-1", audit.NOT_AT_START)]),
        (
            [ev.DialLost(square="T01", trouble="silent"), ev.DialBack(square="T01", unseen_s=2.0)],
            [("T-AUD-5", audit.UNSEEN)],
        ),
        (
            [
                ev.DialLost(square="T01", trouble="silent", times=3),
                ev.DialBack(square="T01", unseen_s=2.0, times=2),
            ],
            [("T-AUD-5", audit.FLAPPED), ("T-AUD-5", audit.FLAPPED)],
        ),
        ([ev.TableShown(table="SAMPLE-12")], [("S-9", audit.TABLE_SHOWN)]),
        ([ev.TableShown(how="samples")], [("S-9", audit.RECORDED)]),
        ([ev.TableShown(how="calibrated")], [("S-9", audit.CALIBRATED)]),
        ([ev.TableShown(how="demo")], [("S-9", audit.DEMO_PLAYED)]),
    ],
)
def test_what_is_against_the_rules_is_named(events: list[ev.AnyEvent], findings: list[tuple[str, str]]) -> None:
    assert found(*events) == findings


DISARM = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)


@pytest.mark.parametrize("clicks", [10, -2])
def test_t_aud_3_the_way_to_the_disarmed_mark_is_free_in_both_directions(clicks: int) -> None:
    assert found(*exposes("T01", 1, "ANN"), DISARM, turned("T01", clicks, start=1)) == []


def test_p_1_putting_a_dial_to_its_start_mark_is_set_up_and_no_turn() -> None:
    events = (ev.SetupChecked(stands={"T01": 4, "T02": 0}), turned("T01", -4, start=4), *exposes("T01", 3, "ANN"))
    assert found(*events) == [("T-AUD-1", audit.NOT_AT_START)]


def test_t_aud_1_a_check_during_the_game_judges_only_unturned_dials() -> None:
    events = (*exposes("T01", 3, "ANN"), ev.SetupChecked(stands={"T01": 3, "T02": 0}))
    assert found(*events) == []


def test_t_aud_3_another_place_than_the_disarmed_mark() -> None:
    assert found(*exposes("T01", 1, "ANN"), DISARM, turned("T01", 3, start=1)) == [("T-AUD-3", audit.NOT_DISARMED_MARK)]


def test_t_aud_4_a_disarmed_dial_stays() -> None:
    events = (*exposes("T01", 1, "ANN"), DISARM, turned("T01", 10, start=1), turned("T01", 1, start=11))
    assert found(*events) == [("T-AUD-4", audit.DISARMED_MOVED)]


@pytest.mark.parametrize("trap", [None, *Trap])
def test_t_aud_6_no_finding_depends_on_what_lies_there(trap: Trap | None) -> None:
    events = (turned("T01", 3), *CLAIM, turned("T01", 8, "ANN", start=3))
    of_this = played(started(table_with(trap)), *events).game.findings
    assert of_this == played(started(table_with(Trap.CAGE)), *events).game.findings


@pytest.mark.parametrize("clicks", range(1, 7))
@pytest.mark.parametrize("first", range(1, 7))
def test_t_aud_6_saying_one_number_after_another_does_not_tell_how_far_a_dial_was_turned(
    first: int, clicks: int
) -> None:
    said = [rolled(die) for die in (first, *range(1, 7))]
    assert found(*CLAIM, turned("T01", clicks, "ANN"), *said) == found(*CLAIM, turned("T01", clicks, "ANN"), said[0])
    assert found(*CLAIM, said[0], turned("T01", clicks, "ANN"), *said) == found(
        *CLAIM, said[0], turned("T01", clicks, "ANN")
    )
