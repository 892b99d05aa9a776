from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.clock import Clock
from hardware.sims.clock import VirtualClock


def test_the_clock_moves_only_when_it_is_moved() -> None:
    clock: Clock = VirtualClock(start_ns=5)
    assert clock.now_ns() == 5
    clock.sleep_until(70)
    assert clock.now_ns() == 70
    clock.sleep_until(10)
    assert clock.now_ns() == 70


def test_it_never_goes_back() -> None:
    clock = VirtualClock(100)
    with pytest.raises(ValueError, match=r"^a clock cannot go back by 3 ns$"):
        clock.advance(-3)
    with pytest.raises(ValueError, match=r"^99 ns has passed; the clock is at 100 ns$"):
        clock.at(99, lambda: None)


def test_an_action_sees_its_own_time_and_the_clock_ends_where_it_should() -> None:
    clock = VirtualClock()
    seen: list[tuple[str, int]] = []
    clock.at(30, lambda: seen.append(("later", clock.now_ns())))
    clock.at(10, lambda: seen.append(("first", clock.now_ns())))
    clock.at(10, lambda: seen.append(("second", clock.now_ns())))
    clock.advance(9)
    assert seen == []
    clock.advance(1)
    assert seen == [("first", 10), ("second", 10)]
    clock.sleep_until(100)
    assert seen[2:] == [("later", 30)]
    assert clock.now_ns() == 100


def test_an_action_may_schedule_the_next_one_and_move_the_clock() -> None:
    clock = VirtualClock()
    seen: list[int] = []

    def tick() -> None:
        seen.append(clock.now_ns())
        if len(seen) < 4:
            clock.at(clock.now_ns() + 10, tick)
        clock.advance(3)

    clock.at(10, tick)
    clock.sleep_until(25)
    assert seen == [10, 20]
    assert clock.now_ns() == 25
    clock.advance(6)
    assert seen == [10, 20, 30]
    assert clock.now_ns() == 33, "the third action moved the clock past the target"


def test_an_action_for_now_fires_at_the_next_movement_even_of_nothing() -> None:
    clock = VirtualClock(7)
    seen: list[int] = []
    clock.at(7, lambda: seen.append(clock.now_ns()))
    assert seen == []
    clock.advance(0)
    assert seen == [7]


def test_pace_is_called_with_the_end_of_each_sleep() -> None:
    ends: list[int] = []
    clock = VirtualClock(pace=ends.append)
    clock.advance(40)
    clock.sleep_until(100)
    clock.sleep_until(60)
    assert ends == [100, 100]


@settings(deadline=None)
@given(st.lists(st.integers(0, 200), max_size=20), st.lists(st.integers(0, 60), max_size=20))
def test_any_steps_fire_every_due_action_once_in_order(times: list[int], steps: list[int]) -> None:
    clock = VirtualClock()
    fired: list[tuple[int, int]] = []
    for place, at_ns in enumerate(times):
        clock.at(at_ns, partial(lambda place: fired.append((clock.now_ns(), place)), place))
    for step in steps:
        clock.advance(step)
    clock.advance(0)
    assert clock.now_ns() == sum(steps)
    due = sorted((at_ns, place) for place, at_ns in enumerate(times) if at_ns <= sum(steps))
    assert fired == due
