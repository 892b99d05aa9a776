from __future__ import annotations

from pi_app.dials.steady import (
    AT_ONCE,
    CALM_NS,
    MOST_WAIT_NS,
    READABLE_NS,
    Steadiness,
    failed,
    good,
    reported_bad,
    reported_good,
)

S = 1_000_000_000


def flapped(was: Steadiness, times: int, at_s: int) -> tuple[Steadiness, int]:
    """Fail and recover so often, each for one second."""
    for _ in range(times):
        was = good(failed(was, at_s * S), (at_s + 1) * S)
        at_s += 2
    return was, at_s


def test_a_part_that_never_failed_counts_as_good() -> None:
    assert Steadiness().is_steady(0)
    assert good(Steadiness(), 5) == Steadiness()


def test_the_first_recoveries_count_at_once_and_later_ones_wait_twice_as_long_each_time() -> None:
    was, waits = Steadiness(), []
    for number in range(10):
        was = good(failed(was, number * S), number * S)
        waits.append(was.wait_ns // S)
        was = reported_good(was)
    assert waits == [0, 0, 10, 20, 40, 80, 160, 320, 600, 600]
    assert AT_ONCE == 2


def test_it_counts_as_good_only_when_it_was_good_without_a_break() -> None:
    was, at_s = flapped(Steadiness(recoveries=2), 30, 100)
    assert not was.is_steady((at_s + 8) * S)
    assert was.is_steady((at_s + 9) * S)
    assert not failed(was, (at_s + 8) * S).is_steady((at_s + 100) * S)


def test_it_can_be_used_at_once_after_one_failure_and_soon_after_many() -> None:
    assert Steadiness().is_readable(0)
    once = failed(Steadiness(recoveries=9), 5)
    assert not once.is_readable(100)
    assert good(once, 100).is_readable(100)
    was, at_s = flapped(Steadiness(recoveries=2), 30, 100)
    good_ns = (at_s - 1) * S
    assert not was.is_readable(good_ns + READABLE_NS - 1)
    assert was.is_readable(good_ns + READABLE_NS)
    assert was.wait_ns > READABLE_NS


def test_failures_are_counted_with_their_times_until_they_are_reported() -> None:
    was, at_s = flapped(Steadiness(recoveries=2), 30, 100)
    assert (was.failures, was.first_ns, was.bad_ns_before) == (30, 100 * S, 30 * S)
    assert was.lasted_ns(at_s * S) == 59 * S
    assert failed(was, at_s * S).lasted_ns((at_s + 5) * S) == 65 * S
    summed = reported_bad(failed(was, at_s * S))
    assert (summed.failures, summed.recoveries) == (0, 2)
    assert (reported_good(was).failures, reported_good(was).recoveries) == (0, 3)


def test_a_failure_that_lasts_is_one() -> None:
    was = failed(Steadiness(), 5)
    assert failed(was, 9) is was


def test_after_a_calm_time_it_starts_again() -> None:
    was = reported_good(good(failed(Steadiness(recoveries=7), 0), S))
    assert failed(was, S + CALM_NS - 1).wait_ns == MOST_WAIT_NS
    assert failed(was, S + CALM_NS).wait_ns == 0
