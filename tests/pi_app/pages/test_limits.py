"""Rates and places: pure, with a clock of the test's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages.process.limits import (
    AWAY_SECONDS,
    MOST_ADDRESSES,
    Allowance,
    Buckets,
    Doors,
    Limits,
    PlayersAddresses,
    Rates,
)


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
    """Each sends its knock three times, as under loss; and a player's address is no stranger's between two streams."""
    rates, players = Rates(Limits()), PlayersAddresses()
    for second in range(3_600):
        for phone in range(8):
            for copy in range(3):
                now = second + phone / 8 + copy / 30
                players.forget(now)
                known = second == 0 or "10.0.0.1" in players
                assert rates.request("10.0.0.1", now, known=known)
                assert rates.resume("10.0.0.1", now, known=known)
            players.admitted("10.0.0.1")
            players.left("10.0.0.1", second + phone / 8)


def test_strangers_who_come_back_on_and_on_do_not_keep_a_phone_out_that_has_slept_long() -> None:
    rates = Rates(Limits())
    let = 0
    for tenth in range(10 * 600):
        let += sum(rates.resume(f"10.0.1.{stranger}", tenth / 10, known=False) for stranger in range(24))
    assert let <= 24 * 6 + 600 * 24 * 0.2 + 120 + 600 * 4
    assert rates.resume("10.0.0.1", 600.0, known=False)


def test_a_players_address_is_one_for_an_hour_after_its_last_stream() -> None:
    players = PlayersAddresses()
    players.admitted("a")
    players.admitted("a")
    players.left("a", 0.0)
    players.forget(9_999.0)
    assert "a" in players, "it has another stream"
    players.left("a", 10_000.0)
    players.forget(10_000.0 + AWAY_SECONDS)
    assert "a" in players
    players.forget(10_001.0 + AWAY_SECONDS)
    assert "a" not in players
    for number in range(2 * MOST_ADDRESSES):
        players.admitted(str(number))
        players.left(str(number), 0.0)
    assert ("0" in players, str(2 * MOST_ADDRESSES - 1) in players) == (False, True)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 30)), max_size=200))
def test_there_are_never_more_connections_than_allowed(steps: list[tuple[bool, int, int]]) -> None:
    limits = Limits(connections=8, connections_an_address=3, players_connections=3)
    doors: Doors[int] = Doors(limits)
    inside: dict[int, str] = {}
    for enters, host, number in steps:
        address = f"10.0.0.{host}"
        if not enters:
            doors.left(inside.pop(number, address), number)
        elif number not in inside:
            leave = doors.enter(address, number, {"10.0.0.0"})
            if leave is not None:
                for other in leave:
                    assert inside.pop(other) != "10.0.0.0"
                inside[number] = address
        assert len(doors) == len(inside) <= limits.connections
        assert all(list(inside.values()).count(each) <= limits.connections_an_address for each in inside.values())
