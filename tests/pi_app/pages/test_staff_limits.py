"""Which asks of staff pages reach the table: pure, with a clock of the test's own."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages import staff_kinds as kinds
from pi_app.pages.messages import ASK_BYTES
from pi_app.pages.process.limits import Allowance, Limits
from pi_app.pages.process.staff_limits import OPEN_SECONDS, STAFF_SECONDS, FairRate, StaffGate
from pi_app.station.staff.door import EXCHANGE_NS, NUMBER_NS, NUMBERS, OPEN_NS, SHARES

RATE = Allowance(12, 1)
NUMBER = 123_456


def ask(kind: int, number: int = 0) -> bytes:
    return (bytes([kind]) + number.to_bytes(4, "big")).ljust(ASK_BYTES, b"\0")


def answer(kind: int, reason: int = 0) -> bytes:
    return bytes([kind, reason])


def test_the_table_answers_all_that_comes_through() -> None:
    begins = Limits().staff_begins
    assert begins.burst <= SHARES.at_once
    assert begins.a_second * SHARES.every_ns <= 1e9
    assert OPEN_SECONDS * 1e9 == EXCHANGE_NS
    assert STAFF_SECONDS * 1e9 == OPEN_NS


def test_who_finishes_nothing_leaves_room_for_the_others() -> None:
    rate = FairRate(RATE)
    begun = [address for _ in range(20) for address in "abcde" if rate.begin(address, 0.0)]
    assert len(begun) == 8
    assert rate.begin("staff", 0.0)
    rate.finish("staff")
    assert rate.begin("staff", 0.0)


def test_what_was_begun_counts_for_a_minute() -> None:
    rate = FairRate(RATE)
    assert [rate.begin("a", 100.0 * number // 100) for number in range(6)] == [True] * 3 + [False] * 3
    assert not rate.begin("a", 59.0)
    assert rate.begin("a", 60.0)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 59)), max_size=300))
def test_fewer_than_sixty_addresses_never_keep_a_new_one_out_for_longer_than_a_minute(
    asks: list[tuple[int, int]],
) -> None:
    rate = FairRate(RATE)
    for second, address in sorted(asks):
        rate.begin(str(address), float(second))
    assert rate.begin("staff", 151.0)


@given(st.lists(st.floats(0, 300), min_size=2, max_size=200))
def test_no_stretch_of_time_has_more_than_the_rate(times: list[float]) -> None:
    rate = FairRate(RATE)
    begun = [at for number, at in enumerate(sorted(times)) if rate.begin(str(number), at)]
    for first, last in combinations(range(len(begun)), 2):
        assert last - first + 1 <= RATE.burst + (begun[last] - begun[first]) * RATE.a_second + 1e-6


def test_a_staff_page_goes_on_whatever_strangers_ask() -> None:
    gate = StaffGate(Limits())
    assert gate.admits("staff", ask(kinds.SHARE), 0.0)
    gate.note_answer("staff", ask(kinds.SHARE), answer(kinds.SHARE), 0.0)
    strangers = [f"s{number}" for number in range(60)]
    for kind in (kinds.PROVE, kinds.SEALED, kinds.SHARE):
        for address in strangers:
            gate.admits(address, ask(kind), 0.0)
    assert not gate.admits("new", ask(kinds.SEALED), 0.0)
    assert gate.admits("staff", ask(kinds.PROVE), 0.0)
    gate.note_answer("staff", ask(kinds.PROVE), answer(kinds.PROVE), 0.0)
    assert gate.is_staff("staff", STAFF_SECONDS - 1)
    assert not gate.is_staff("staff", STAFF_SECONDS), "it has to log in again"
    assert all(gate.admits("staff", ask(kinds.SEALED), 0.0) for _ in range(10))


def test_one_answered_exchange_lets_one_proof_through() -> None:
    gate = StaffGate(Limits(staff_others=Allowance(0, 0)))
    assert not gate.admits("a", ask(kinds.PROVE), 0.0)
    gate.admits("a", ask(kinds.SHARE), 0.0)
    gate.note_answer("a", ask(kinds.SHARE), answer(kinds.SHARE), 0.0)
    assert [gate.admits("a", ask(kinds.PROVE), 0.0) for _ in range(2)] == [True, False]


def test_a_proof_of_nothing_finishes_nothing() -> None:
    gate = StaffGate(Limits())
    for reason, expected in ((kinds.LOG_IN, 3), (kinds.WRONG_PIN, 6)):
        address = str(reason)
        begun = 0
        for second in range(6):
            if gate.admits(address, ask(kinds.SHARE), 20.0 + second):
                begun += 1
                gate.note_answer(address, ask(kinds.PROVE), answer(kinds.REFUSED, reason), 20.0)
        assert begun == expected


def test_the_number_on_the_screens_passes_all_strangers_once() -> None:
    gate = StaffGate(Limits(staff_begins=Allowance(0, 0), staff_others=Allowance(0, 0)))
    gate.invited = NUMBER
    assert not gate.admits("staff", ask(kinds.SHARE_AT_TABLE, NUMBER + 1), 0.0)
    assert gate.admits("staff", ask(kinds.SHARE_AT_TABLE, NUMBER), 0.0)
    assert not gate.admits("other", ask(kinds.SHARE_AT_TABLE, NUMBER), 0.0)


def test_guesses_at_the_number_find_it_once_in_six_hundred_times() -> None:
    """The figure of `door.NUMBERS`."""
    guesses = Limits().staff_numbers
    assert 600 * (guesses.burst + guesses.a_second * NUMBER_NS / 1e9) <= NUMBERS
    gate = StaffGate(Limits(staff_numbers=Allowance(0, 0)))
    gate.invited = NUMBER
    assert not gate.admits("a", ask(kinds.SHARE_AT_TABLE, NUMBER), 0.0), "every guess counts"
