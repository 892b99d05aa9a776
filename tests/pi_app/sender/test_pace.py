"""Five hundred tables that lost their centre together come back one after the other."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as some

from pi_app.sender.pace import FIRST_LONGEST_S, LEAST_PAUSE_S, LONGEST_S, SendingPace


def test_a_pause_after_failures_grows_and_ends_with_a_cosignature() -> None:
    pace = SendingPace(random.Random(1))
    bounds = [30.0, 60.0, 120.0, 240.0, 300.0, 300.0]
    assert all(pace.failed() <= bound for bound in bounds)
    assert pace.cosigned() == LEAST_PAUSE_S
    assert pace.failed() <= FIRST_LONGEST_S


@given(some.integers(0, 2**32), some.integers(0, 60), some.floats(0, 600))
def test_no_pause_is_longer_than_the_bound_or_shorter_than_what_the_centre_asks(
    seed: int, tries: int, asked: float
) -> None:
    pace = SendingPace(random.Random(seed))
    for _ in range(tries):
        pace.failed()
    assert asked <= pace.failed(asked) <= asked + LONGEST_S
    assert 0 <= pace.began() <= FIRST_LONGEST_S


def tries_in_each_second(tables: int, away_s: float) -> list[int]:
    """How many tables try in each second, while their centre is away for so long, and until each was seen."""
    counts = [0] * 2_000
    for table in range(tables):
        pace, now_s = SendingPace(random.Random(table)), 0.0
        while True:
            now_s += pace.failed()
            counts[int(now_s)] += 1
            if now_s > away_s:
                break
    return counts


def test_five_hundred_tables_connect_no_more_than_fifty_times_a_second() -> None:
    """From the first moment on, however long the centre is away; and when all are switched on together."""
    for away_s in (0.5, 5.0, 60.0, 300.0, 900.0):
        assert max(tries_in_each_second(500, away_s)) <= 50
    began = Counter(int(SendingPace(random.Random(f"began {table}")).began()) for table in range(500))
    assert max(began.values()) <= 50
