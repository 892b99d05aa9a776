"""The ratios are what they must be: 1 on average for a fair dial, whatever the number of turns."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.centre.findings.surprise import chi_squared, holm, too_often, uneven

CLICKS = 12


def ratio_of(turns: tuple[int, ...], starts: tuple[int, ...]) -> float:
    faces, reach, hits = [0] * 6, [0] * CLICKS, [0] * CLICKS
    for clicks, start in zip(turns, starts, strict=True):
        faces[clicks - 1] += 1
        hits[(start + clicks) % CLICKS] += 1
        for each in range(1, 7):
            reach[(start + each) % CLICKS] += 1
    return math.exp(uneven(faces, reach, hits))


@given(some.lists(some.integers(0, CLICKS - 1), min_size=0, max_size=4))
def test_a_fair_die_gives_one_on_average_over_all_that_it_can_show(starts: list[int]) -> None:
    every = itertools.product(range(1, 7), repeat=len(starts))
    average = sum(ratio_of(turns, tuple(starts)) for turns in every) / 6 ** len(starts)
    assert average == pytest.approx(1)


@given(some.integers(1, 60), some.floats(0.01, 0.6), some.floats(0, 1))
def test_what_happens_as_often_as_allowed_or_less_gives_at_most_one_on_average(
    trials: int, allowed: float, part: float
) -> None:
    rate = allowed * part
    average = sum(
        math.comb(trials, events)
        * rate**events
        * (1 - rate) ** (trials - events)
        * math.exp(too_often(events, trials, allowed))
        for events in range(trials + 1)
        if events > allowed * trials
    )
    assert average <= 1 + 1e-9


@given(some.integers(0, 50), some.integers(0, 50), some.floats(0.01, 1.5))
def test_less_than_allowed_is_no_surprise(events: int, more: int, allowed: float) -> None:
    trials = events + more
    if events <= allowed * trials:
        assert too_often(events, trials, allowed) == 0


def test_a_certain_event_is_bounded() -> None:
    assert too_often(40, 40, 0.02) == pytest.approx(40 * math.log(0.68 / 0.02) - math.log(8), rel=0.02)
    assert too_often(40, 40, 0.98) == too_often(40, 40, 1.0) == 0


def test_pearsons_number_is_the_known_one() -> None:
    assert chi_squared([0] * 6) == 0
    assert chi_squared([5, 8, 9, 8, 10, 20]) == pytest.approx(13.4)


def test_holm_corrects_for_the_tests_that_are_left() -> None:
    logs = [math.log(1 / p) for p in (0.01, 0.04, 0.001, 0.5)]
    assert holm(logs, 0.05) == [pytest.approx(0.03), None, pytest.approx(0.004), None]
    assert holm(logs, 0.09) == [pytest.approx(0.03), pytest.approx(0.08), pytest.approx(0.004), None]
    assert holm([], 0.05) == []
    assert holm([-3.0, 800.0], 0.05) == [None, 0.0]


@given(some.lists(some.floats(-50, 900), max_size=20), some.floats(0.001, 0.5))
def test_a_stronger_test_is_never_left_out_for_a_weaker_one(logs: list[float], alpha: float) -> None:
    found = holm(logs, alpha)
    in_order = [found[at] for at in sorted(range(len(logs)), key=lambda at: -logs[at])]
    kept = [each for each in in_order if each is not None]
    assert in_order[: len(kept)] == kept == sorted(kept)
    assert all(each <= alpha for each in kept)
