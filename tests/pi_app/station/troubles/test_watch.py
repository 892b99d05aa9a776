"""A trouble begins once and ends once, however it comes and goes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.station.troubles.watch import CALM_NS, TroubleChange, TroubleWatch

HOT = TroubleFound(StationTrouble.TOO_HOT)
ONE = TroubleFound(StationTrouble.DIAL_UNREAD, ("T01",))
TWO = TroubleFound(StationTrouble.DIAL_UNREAD, ("T01", "T02"))


def test_a_trouble_begins_at_once_and_ends_after_a_calm_time() -> None:
    watch = TroubleWatch()
    assert watch.update([HOT], 0) == (TroubleChange(HOT, over=False),)
    assert watch.update([HOT], 5) == ()
    assert watch.update([], CALM_NS + 4) == ()
    assert watch.now == (HOT,)
    assert watch.since_ns(StationTrouble.TOO_HOT) == 0
    assert watch.update([], CALM_NS + 5) == (TroubleChange(HOT, over=True),)
    assert not watch.now


def test_more_places_are_the_same_trouble() -> None:
    watch = TroubleWatch()
    watch.update([ONE], 0)
    assert watch.update([TWO], 1) == ()
    assert watch.now == (TWO,)


@given(st.lists(st.tuples(st.sets(st.sampled_from([HOT, ONE])), st.integers(0, 2 * CALM_NS)), max_size=30))
@settings(max_examples=25)
def test_beginnings_and_ends_take_turns(moments: list[tuple[set[TroubleFound], int]]) -> None:
    watch, at = TroubleWatch(), 0
    begun: set[StationTrouble] = set()
    for found, later in moments:
        at += later
        for change in watch.update(found, at):
            assert (change.found.trouble in begun) is change.over
            begun ^= {change.found.trouble}
        assert {each.trouble for each in watch.now} == begun
        assert {each.trouble for each in found} <= begun
