"""Rates: pure, with a clock of the test's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages.process.doors import SeatAddresses
from pi_app.pages.process.limits import MOST_ADDRESSES, Allowance, Buckets, Limits, Rates


def test_a_bucket_is_filled_again_with_time() -> None:
    buckets = Buckets(Allowance(2, 0.5))
    assert [buckets.take("a", 0.0) for _ in range(3)] == [True, True, False]
    assert [buckets.take("a", at) for at in (1.0, 2.0, 3.0, 4.0)] == [False, True, False, True]
    assert buckets.take("b", 4.0)
    assert not buckets.take("a", 3.0)  # a clock that goes back gives nothing


def test_many_addresses_need_no_more_memory() -> None:
    buckets = Buckets(Allowance(1, 0))
    for number in range(3 * MOST_ADDRESSES):
        buckets.take(str(number), 0.0)
    assert len(buckets) == MOST_ADDRESSES
    assert not buckets.take(str(3 * MOST_ADDRESSES - 1), 0.0)


@given(st.lists(st.tuples(st.integers(1, 24), st.floats(0, 600)), max_size=100))
def test_joins_stay_below_the_common_limit_whatever_strangers_do(asked: list[tuple[int, float]]) -> None:
    limits = Limits(first_joins_in_all=Allowance(5, 0.1), joins_in_all=Allowance(5, 0.1))
    rates = Rates(limits)
    let = [at for address, at in sorted(asked, key=lambda each: each[1]) if rates.join(f"10.0.0.{address}", at)]
    first, later = limits.first_joins_in_all, limits.joins_in_all
    for begin in let:
        within = [at for at in let if begin <= at < begin + 60]
        assert len(within) <= first.burst + 60 * first.a_second + later.burst + 60 * later.a_second


def test_a_known_address_has_its_own_share() -> None:
    rates = Rates(
        Limits(
            requests=Allowance(1, 0),
            requests_in_all=Allowance(1, 0),
            first_requests=Allowance(0, 0),
            posts=Allowance(2, 0),
            resumes_in_all=Allowance(0, 0),
            first_resumes=Allowance(0, 0),
        )
    )
    assert rates.request("stranger", 0.0, known=False)
    assert not rates.request("other", 0.0, known=False)
    assert [rates.request("phone", 0.0, known=True) for _ in range(4)] == [True, True, True, False]
    assert rates.resume("phone", 0.0, known=True)
    assert not rates.resume("stranger", 0.0, known=False)


def test_eight_phones_behind_one_address_may_come_back_every_second_for_an_hour() -> None:
    """Each sends its knock three times, as under loss, over connections of their own; and a seat's address is no
    stranger's between two streams."""
    rates, seats = Rates(Limits()), SeatAddresses()
    for second in range(3_600):
        for phone in range(8):
            for copy in range(3):
                now = second + phone / 8 + copy / 30
                seats.forget(now)
                known = second == 0 or "10.0.0.1" in seats
                assert rates.connection("10.0.0.1", now, known=known, house=False)
                assert rates.request("10.0.0.1", now, known=known)
                assert rates.resume("10.0.0.1", now, known=known)
            seats.admit(phone, "10.0.0.1", second * 8 + phone)
            seats.leave(second * 8 + phone, second + phone / 8)


def test_strangers_who_come_back_on_and_on_do_not_keep_a_phone_out_that_has_slept_long() -> None:
    rates = Rates(Limits())
    let = 0
    for tenth in range(10 * 600):
        let += sum(rates.resume(f"10.0.1.{stranger}", tenth / 10, known=False) for stranger in range(24))
    assert let <= 24 * 6 + 600 * 24 * 0.2 + 120 + 600 * 4
    assert rates.resume("10.0.0.1", 600.0, known=False)


def test_who_asks_for_the_status_rarely_is_answered_among_500_who_ask_on_and_on() -> None:
    rates, let = Rates(Limits()), 0
    for tenth in range(10 * 60):
        now = tenth / 10
        for stranger in range(500):
            if rates.connection(f"10.0.{stranger}", now, known=False, house=False):
                let += rates.request(f"10.0.{stranger}", now, known=False, status=True)
                rates.request(f"10.0.{stranger}", now, known=False)
        if tenth % 50 == 49:
            assert rates.connection("10.1.0.1", now, known=False, house=False), now
            assert rates.request("10.1.0.1", now, known=False, status=True), now
    assert let < 1_060 + 60 * 170
    assert rates.connection("127.0.0.1", 60.0, known=False, house=True)
    assert rates.request("127.0.0.1", 60.0, known=False, house=True)
