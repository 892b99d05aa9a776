"""Fair fleets give no alarm, however often they are looked at; bad dials are found within a stated number of turns."""

from __future__ import annotations

import numpy as np
import pytest

from pi_app.centre.facts import ended_game as of
from pi_app.centre.facts.values import DialFacts
from pi_app.centre.findings import dials as dials_module
from pi_app.centre.findings.dials import ALPHA, STOPS, dial_findings
from tests.pi_app.centre.findings.fleets import FAIR, RATES, SimulatedDial, by_table, fair_dials

LOOKS = (1, 2, 5, 10, 20, 40, 80, 150, 220, 300)
"""After so many games an auditor looks."""


def alarms(dials: int, seed: int, looks: tuple[int, ...] = LOOKS) -> int:
    """Return how many false alarms a fair fleet gives, each dial and test once."""
    draw = np.random.default_rng(seed)
    fleet = fair_dials(dials, draw)
    found, played = set[tuple[int, str, str]](), 0
    for games in looks:
        for each in fleet:
            each.plays(games - played, draw)
        played = games
        found |= {(each.number, each.square, each.test) for each in dial_findings(by_table(fleet))}
    return len(found)


def test_fair_fleets_give_no_alarm_though_they_are_looked_at_again_and_again() -> None:
    assert [alarms(400, seed, (1, 5, 20, 80, 300)) for seed in range(4)] == [0] * 4


@pytest.mark.slow
def test_twenty_fair_fleets_of_four_thousand_dials_give_at_most_one_false_alarm() -> None:
    assert sum(alarms(4_000, seed) for seed in range(20)) <= 1


def test_without_the_margin_ordinary_differences_give_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dials_module, "MARGIN", 0.1)
    monkeypatch.setattr(dials_module, "LEAST", 0.0001)
    assert alarms(400, 1, (300,)) > 0, "so the tests above can fail"


def loaded(part: float) -> SimulatedDial:
    return SimulatedDial("T99", faces=(part, *[(1 - part) / 5] * 5))


def often(test: str, rate: float) -> SimulatedDial:
    return SimulatedDial("T99", rates=RATES | {test: rate})


CASES = [
    (STOPS, loaded(0.25), 1_350),
    (STOPS, loaded(0.3), 620),
    (STOPS, loaded(0.5), 110),
    (STOPS, loaded(0.8), 35),
    (STOPS, SimulatedDial("T99", starts_found=True, prefers=60), 350),
    (of.BETWEEN, often(of.BETWEEN, 0.1), 350),
    (of.BETWEEN, often(of.BETWEEN, 0.2), 100),
    (of.BETWEEN, often(of.BETWEEN, 0.5), 25),
    (of.DIRECTION, often(of.DIRECTION, 0.2), 100),
    (of.DIE_COUNT, often(of.DIE_COUNT, 0.3), 90),
    (of.START, often(of.START, 0.9), 12),
    (of.DRIFT_LEFT, often(of.DRIFT_LEFT, 0.9), 15),
    (of.DRIFT_RIGHT, often(of.DRIFT_RIGHT, 0.9), 15),
    (of.MAGNET, often(of.MAGNET, 0.5), 25),
    (of.UNREAD, often(of.UNREAD, 0.5), 25),
]


@pytest.fixture(scope="module")
def fair() -> list[SimulatedDial]:
    draw = np.random.default_rng(7)
    fleet = fair_dials(3_960, draw)
    for each in fleet:
        each.plays(300, draw)
    return fleet


@pytest.mark.slow
@pytest.mark.parametrize(("test", "bad", "games"), CASES, ids=lambda each: str(getattr(each, "faces", each))[:9])
def test_nine_of_ten_bad_dials_are_found_among_four_thousand_after_the_stated_number_of_games(
    test: str, bad: SimulatedDial, games: int, fair: list[SimulatedDial]
) -> None:
    draw = np.random.default_rng(11)
    many = [SimulatedDial(f"B{at}", bad.faces, bad.rates, bad.starts_found, bad.prefers) for at in range(40)]
    for each in many:
        each.plays(games, draw)
    found = [each for each in dial_findings(by_table([*fair, *many])) if each.square.startswith("B")]
    assert {each.test for each in found} == {test}
    assert len(found) >= 34, "nine of ten, up to chance"


@pytest.mark.parametrize(
    ("test", "rate", "games"), [(of.BETWEEN, 0.5, 40), (of.START, 0.9, 20), (of.DRIFT_LEFT, 0.9, 25)]
)
def test_a_bad_dial_of_a_small_fleet_is_found_and_no_other(test: str, rate: float, games: int) -> None:
    draw = np.random.default_rng(3)
    fleet = [*fair_dials(159, draw), often(test, rate)]
    for each in fleet:
        each.plays(games if each.label == "T99" else 100, draw)
    assert [(each.number, each.square, each.test) for each in dial_findings(by_table(fleet))] == [(19, "T99", test)]


def dial(square: str = "T03", **more: object) -> DialFacts:
    values = {"faces": [0] * 6, "reach": [0] * 12, "hits": [0] * 12, "starts": [0] * 12, **more}
    return DialFacts(square=square, **values)  # type: ignore[arg-type]


def tallied(test: str, events: int, trials: int, **more: object) -> DialFacts:
    found = dial("T03", **more)
    found.now.trials[test], found.now.events[test] = trials, events
    return found


def only_words(one: DialFacts, *others: DialFacts) -> str:
    (found,) = dial_findings({1: [one], 2: list(others)})
    assert 0 < found.p <= ALPHA
    return found.words


def test_a_loaded_dial_is_said_with_its_counts() -> None:
    one = dial(faces=[5, 4, 60, 3, 4, 4], reach=[0, *[80] * 6, *[0] * 5], hits=[0, 5, 4, 60, 3, 4, 4, *[0] * 5])
    assert only_words(one) == (
        "T03 stops unevenly: 80 first turns of 1 to 6 clicks came 5, 4, 60, 3, 4, 4 times (chi-squared 196). Check "
        "whether it is loaded, or not turned by a die."
    )


def test_a_dial_that_prefers_a_detent_wherever_it_starts_is_said_with_that() -> None:
    reach, hits = [60] * 12, [5, 6, 5, 4, 55, 6, 5, 7, 6, 8, 7, 6]
    one = dial(faces=[20] * 6, reach=reach, hits=hits)
    assert only_words(one) == (
        "T03 stops unevenly: 120 first turns of 1 to 6 clicks came 20, 20, 20, 20, 20, 20 times (chi-squared 0), 55 "
        "of 60 that could end there at detent 4. Check whether it is loaded, or not turned by a die."
    )


FLEET = {test: tallied(test, 4, 400) for test in RATES}


@pytest.mark.parametrize(
    ("test", "more", "words"),
    [
        (
            of.BETWEEN,
            {"turns": 120, "between": 48, "tile": "0042"},
            "T03 (tile 0042) rests between two detents in 30 of 40 games, the others in 1 of 100 (48 of 120 turns). "
            "Its detents look worn: check them before you replace it.",
        ),
        (
            of.DIRECTION,
            {},
            "T03 was turned clockwise in 30 of 40 games, the others in 1 of 100. Check which way it counts, or who "
            "turns it.",
        ),
        (
            of.DIE_COUNT,
            {},
            "T03 was not turned by the die that was reported in 30 of 40 games, the others in 1 of 100. Check its "
            "detents, or who turns it.",
        ),
        (
            of.START,
            {"starts": [10, 0, 29, 1, *[0] * 8]},
            "T03 did not stand at its start mark in 30 of 40 games, the others in 1 of 100, mostly at position 2: its "
            "magnet may have slipped.",
        ),
        (
            of.START,
            {"starts": [10, 10, 10, 10, *[0] * 8]},
            "T03 did not stand at its start mark in 30 of 40 games, the others in 1 of 100: it is not set back before "
            "a game.",
        ),
        (
            of.MAGNET,
            {},
            "T03 reports a magnet that is too weak or too near, or jumps in 30 of 40 games, the others in 1 of 100. "
            "Check its magnet.",
        ),
        (
            of.UNREAD,
            {"gaps": [0, 0, 0, 9, 1, *[0] * 11]},
            "T03 could not be followed in 30 of 40 games, the others in 1 of 100 (half of its turns have gaps below 8 "
            "ms). Check its lead.",
        ),
        (
            of.DRIFT_LEFT,
            {},
            "T03 rested counter-clockwise of its calibrated centres in 30 of 40 games. Its magnet has slipped: "
            "calibrate it again.",
        ),
        (
            of.DRIFT_RIGHT,
            {},
            "T03 rested clockwise of its calibrated centres in 30 of 40 games. Its magnet has slipped: calibrate it "
            "again.",
        ),
    ],
)
def test_each_finding_says_what_happened_how_often_and_what_to_check(
    test: str, more: dict[str, object], words: str
) -> None:
    assert only_words(tallied(test, 30, 40, **more), FLEET[test]) == words


def test_a_dial_is_compared_with_no_fewer_than_seven_games_of_others() -> None:
    one = tallied(of.BETWEEN, 1_000, 1_000)
    assert [len(dial_findings({1: [one], 2: [tallied(of.BETWEEN, 0, games)]})) for games in (4, 6, 7)] == [0, 0, 1]


def test_what_the_whole_fleet_does_is_no_finding_about_a_dial() -> None:
    assert dial_findings({number: [tallied(of.BETWEEN, 20, 40)] for number in range(50)}) == []
    assert dial_findings({1: [tallied(of.BETWEEN, 20, 40)]}) == [], "there is nothing to compare it with"


def test_twice_as_often_as_the_others_is_no_finding_however_many_games_show_it() -> None:
    fleet = {number: [tallied(of.BETWEEN, 300, 10_000)] for number in range(20)}
    assert dial_findings(fleet | {99: [tallied(of.BETWEEN, 600, 10_000)]}) == []
    assert [each.number for each in dial_findings(fleet | {99: [tallied(of.BETWEEN, 900, 10_000)]})] == [99]


def test_nothing_is_found_in_nothing() -> None:
    assert dial_findings({}) == dial_findings({1: []}) == dial_findings({1: [dial(), tallied(of.START, 0, 1)]}) == []
    assert sum(FAIR) == pytest.approx(1)
