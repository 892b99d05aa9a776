"""The self-test: five seconds on all buttons, and one line for each seat."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.station.staff.self_test import HOLD_NS, SHOWN_NS, AllHeld, SelfTest
from pi_app.station.troubles.lamp_patterns import LampPattern
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.language import words

EN = words("en")
SEATS = {"P1": EN, "P2": EN, "P3": EN}
DIAL = TroubleFound(StationTrouble.DIAL_UNREAD, ("T02",))
BUS = TroubleFound(StationTrouble.BUS_STUCK, ("dials",))
SCREEN = TroubleFound(StationTrouble.SCREEN_OUT, ("P1", "P3"))


def test_all_buttons_for_five_seconds_begin_it_once() -> None:
    held = AllHeld()
    assert not held.feed([True, True], 7)
    assert not held.feed([True, True], 6 + HOLD_NS)
    assert held.feed([True, True], 7 + HOLD_NS)
    assert not held.feed([True, True], 8 + 3 * HOLD_NS)
    assert not held.feed([True, False], 9 + 3 * HOLD_NS)
    assert not held.feed([True, True], 10 + 3 * HOLD_NS)
    assert held.feed([True, True], 10 + 4 * HOLD_NS)


def test_a_table_without_buttons_never_begins_one() -> None:
    held = AllHeld()
    assert not held.feed([], 0)
    assert not held.feed([], 2 * HOLD_NS)


@given(st.lists(st.tuples(st.lists(st.booleans(), min_size=2, max_size=2), st.integers(0, HOLD_NS)), max_size=40))
@settings(max_examples=25)
def test_it_begins_only_after_five_seconds_without_a_gap(moments: list[tuple[list[bool], int]]) -> None:
    held, now_ns, since_ns = AllHeld(), 0, None
    for levels, later in moments:
        now_ns += later
        begins = held.feed(levels, now_ns)
        since_ns = (now_ns if since_ns is None else since_ns) if all(levels) else None
        assert not begins or (since_ns is not None and now_ns - since_ns >= HOLD_NS)


def test_without_a_trouble_each_seat_says_so_and_the_lamps_are_steady() -> None:
    test = SelfTest((), 0)
    assert test.lines(SEATS) == dict.fromkeys(SEATS, "Self-test: all is well.")
    assert test.pattern is LampPattern.READY


def test_each_seat_says_another_trouble_and_its_own_first() -> None:
    test = SelfTest((BUS, DIAL, SCREEN), 0)
    assert test.lines(SEATS) == {
        "P1": "The screen of seat P1 and P3 is out.",
        "P2": "No answer from dial T02.",
        "P3": "The screen of seat P1 and P3 is out.",
    }
    assert test.pattern is LampPattern.UNPLUG


def test_it_is_shown_for_twenty_seconds() -> None:
    test = SelfTest((), 100)
    assert [test.is_shown(at) for at in (99, 100, 99 + SHOWN_NS, 100 + SHOWN_NS)] == [False, True, True, False]
