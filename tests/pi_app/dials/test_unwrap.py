"""The unwrapped path: with one bad sample in two, the path is right or doubtful."""

from __future__ import annotations

import itertools
import random

import pytest

from pi_app.dials.unwrap import Follower

TURN = 4096
SPEED = 14.25 * TURN
GAP_NS = 35_000_000


def follower() -> Follower:
    return Follower(TURN, 12, SPEED, GAP_NS)


def test_half_a_turn_is_the_most_that_wraps() -> None:
    assert [follower().wrap(counts) for counts in (0, 1, -1, 2047, 2048, -2048, 4095)] == [
        0,
        1,
        -1,
        2047,
        -2048,
        -2048,
        -1,
    ]


def test_steps_add_up_over_the_wrap() -> None:
    path = follower()
    path.start(0, 4000, doubtful=False)
    for number, raw in enumerate((4090, 100, 300, 4095), 1):
        assert path.follow(number * 10_000_000, raw)
    assert (path.angle, path.doubtful) == (4095, False)


def test_a_spike_waits_and_is_dropped() -> None:
    path = follower()
    path.start(0, 0, doubtful=False)
    assert path.follow(10_000_000, 100)
    assert not path.follow(20_000_000, 2000)
    assert path.waiting == [(20_000_000, 2000)]
    assert path.follow(30_000_000, 200)
    assert (path.angle, path.doubtful, path.waiting) == (200, False, [])


def test_a_jump_faster_than_the_top_speed_is_accepted_in_doubt() -> None:
    path = follower()
    path.start(0, 0, doubtful=False)
    believed = [path.follow(number * 4_000_000, 1300) for number in range(1, 7)]
    assert believed == [False, False, False, False, False, True]
    assert (path.angle, path.doubtful, path.since) == (1300, True, (4_000_000, 1300))


def test_an_accepted_bad_sample_does_not_correct_a_good_one() -> None:
    """Why judging three samples alone fails: here the first of them is the bad one."""
    path = follower()
    path.start(0, 0, doubtful=False)
    path.stand(10_000_000, 0, 0)
    for at_ms, raw in ((20, 4096 - 580), (30, 580), (40, 1160), (50, 1740), (60, 2320), (70, 2900)):
        path.follow(at_ms * 1_000_000, raw)
    assert path.doubtful or path.angle == 2900


def true_ways(passed_ns: int) -> list[float]:
    """The ways of a dial in that time: stand, go slowly, or as fast as it can, either way."""
    most = SPEED * passed_ns / 1e9
    return [-most, -0.6 * most, 0, 0.37 * most, most]


@pytest.mark.parametrize("first_bad", [1, 2])
@pytest.mark.slow
def test_every_bad_sample_in_every_short_path(first_bad: int) -> None:
    """Three moving samples and a standing one after a rest, some bad, at any distance in time: right or doubtful."""
    draw = random.Random(first_bad)
    wrong, followed = [], 0
    for periods in itertools.product((4_000_000, 12_000_000, 24_000_000, 34_000_000), repeat=3):
        for ways in itertools.product(*(true_ways(period) for period in periods)):
            for bad_raw in draw.sample(range(0, TURN, 64), 2):
                path = follower()
                path.start(-10_000_000, 0, doubtful=False)
                path.stand(0, 0, 0)
                at_ns, true = 0, 0.0
                for number, (period, way) in enumerate(zip(periods, ways, strict=True), 1):
                    at_ns, true = at_ns + period, true + way
                    path.follow(at_ns, bad_raw if number == first_bad else round(true) % TURN)
                for _ in range(3):
                    at_ns += 10_000_000
                    path.follow(at_ns, round(true) % TURN)
                if not path.doubtful:
                    followed += 1
                    if path.angle != round(true):
                        wrong.append((periods, ways, bad_raw, path.angle, true))
    assert wrong == []
    assert followed > 4_000, "a follower that only doubts proves nothing"


def test_at_the_end_two_waiting_samples_that_agree_are_accepted_in_doubt() -> None:
    path = follower()
    path.start(0, 0, doubtful=False)
    assert not path.follow(5_000_000, 2000)
    assert not path.give_up_waiting()
    assert not path.follow(10_000_000, 2001)
    assert path.give_up_waiting()
    assert (path.angle, path.doubtful) == (2001, True)
