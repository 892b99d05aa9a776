"""The path rule on the board compared with the Pi's, on the same motions."""

from __future__ import annotations

import random

import pytest

from firmware_host import path_rule
from firmware_host.hub.path_rule import JUMP, jumped
from firmware_host.hub.wire import COUNTS_PER_TURN
from pi_app.dials.unwrap import STEP_LIMIT_TURN

MOTIONS = 100_000


@pytest.mark.parametrize(
    ("before", "after", "passed_us", "expected"),
    [
        (0, 1592, 10_000, False),
        (0, 1593, 10_000, True),
        (0, 2048, 10_000, True),
        (0, 4096 - 1593, 10_000, True),
        (0, 4096 - 1592, 10_000, False),
        (4000, 1496, 10_000, False),
        (4000, 1497, 10_000, True),
        (1497, 4000, 10_000, True),
        (100, 100, 35_000, False),
        (100, 100, 35_001, True),
    ],
)
def test_the_limits(before: int, after: int, passed_us: int, expected: bool) -> None:
    assert jumped(before, after, passed_us, 35_000) is expected


def test_the_step_is_the_tables() -> None:
    assert JUMP - 1 < COUNTS_PER_TURN * STEP_LIMIT_TURN <= JUMP


@pytest.mark.slow
def test_the_pi_judges_the_same_motions_alike() -> None:
    drawn = random.Random("motions")
    for _ in range(MOTIONS):
        before, gap_ms = drawn.randrange(COUNTS_PER_TURN), drawn.randint(5, 1000)
        far = drawn.choice((drawn.randrange(COUNTS_PER_TURN), JUMP + drawn.randint(-2, 2)))
        after = (before + drawn.choice((1, -1)) * far) % COUNTS_PER_TURN
        passed_us = max(0, gap_ms * 1000 + drawn.choice((drawn.randint(-2, 2), drawn.randint(-(10**6), 10**6))))
        there = path_rule.jumped(before, after, passed_us * 1000, gap_ms * 1_000_000)
        assert there is jumped(before, after, passed_us, gap_ms * 1000), (before, after, passed_us, gap_ms)
