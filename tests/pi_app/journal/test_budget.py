from __future__ import annotations

import random

from pi_app.journal.budget import Budget

SHORT = Budget(at_once=3, every_ns=10)


def test_some_at_once_and_then_one_in_each_period() -> None:
    left, times = SHORT, []
    for now_ns in range(100, 160):
        if left.room(now_ns) > 0:
            left = left.used(now_ns)
            times.append(now_ns)
    assert times == [100, 101, 102, 110, 120, 130, 140, 150]


def test_it_is_full_again_after_a_pause() -> None:
    left = SHORT.used(100).used(100)
    assert (left.room(100), left.room(110), left.room(120)) == (1, 2, 3)


def test_too_many_are_owed() -> None:
    left = SHORT
    for _ in range(5):
        left = left.used(100)
    assert (left.room(100), left.room(120), left.room(121)) == (-2, 0, 0)
    assert left.room(130) == 1


def test_no_stretch_of_time_has_more_than_it_says() -> None:
    chance = random.Random(5)
    left, times, now_ns = SHORT, list[int](), 0
    for _ in range(500):
        now_ns += chance.choice((0, 1, 3, 40))
        if left.room(now_ns) > 0:
            left = left.used(now_ns)
            times.append(now_ns)
    for span in (10, 35, 100):
        most = max(sum(at <= other < at + span for other in times) for at in times)
        assert most <= SHORT.most_in(span) == 3 + span // 10
