from __future__ import annotations

from collections.abc import Sequence

import pytest

from pi_app.dials.jumps import Jumps
from pi_app.dials.unwrap import SENSOR_ERROR_TURN

MS = 1_000_000
HERE, THERE, FAR, NEAR = 1000, 1592, 3000, 1060


def seen(raws: Sequence[int | None], period_ms: int = 10, *, in_steps: bool = False) -> Jumps:
    """Samples of a dial that rested at HERE, all of them off its rest for the tracker; None failed."""
    jumps = Jumps(4096, 12, 14.25 * 4096, SENSOR_ERROR_TURN * 4096, in_steps=in_steps)
    for at, raw in enumerate(raws, start=1):
        if raw is not None:
            jumps.see(at * period_ms * MS, raw, HERE, (-period_ms * MS, 0))
    return jumps


@pytest.mark.parametrize(
    ("raws", "count"),
    [
        ([THERE, THERE, THERE], 0),
        ([THERE, HERE, HERE], 0),
        ([THERE, THERE, HERE], 1),
        ([THERE, THERE, HERE, THERE, HERE], 2),
        ([THERE, THERE, FAR, FAR, HERE], 1),
        ([THERE, THERE + 3, HERE - 3, HERE, THERE, THERE, HERE], 3),
        ([1300, THERE, THERE, HERE], 0),
        ([THERE, THERE, 1300, HERE], 0),
        ([4095, 4095, HERE], 1),
        ([NEAR, NEAR, HERE, HERE], 0),
        ([THERE, THERE, FAR, HERE], 1),
    ],
    ids=[
        "stays",
        "spike",
        "taken back",
        "single samples back",
        "by a third place",
        "glitching",
        "seen on the way",
        "seen on the way back",
        "over the wrap",
        "a little",
        "by a stray",
    ],
)
def test_how_often_it_jumped_back_too_soon(raws: list[int | None], count: int) -> None:
    assert seen(raws).quick_returns == count


@pytest.mark.parametrize(
    ("raws", "jumped", "implausible"),
    [
        ([THERE], False, False),
        ([THERE, THERE], True, False),
        ([THERE, FAR, THERE], False, False),
        ([THERE, 1300, THERE], False, False),
        ([THERE, THERE, FAR, THERE], True, False),
        ([THERE, THERE, THERE + 20, THERE], False, False),
        ([THERE, THERE, THERE + 100, THERE + 200], False, False),
        ([THERE + 20, THERE, THERE], False, False),
        ([THERE, THERE, HERE, HERE], False, False),
        ([NEAR, NEAR], True, False),
        ([FAR, FAR], True, True),
        ([FAR, FAR, FAR + 20, FAR], True, True),
        ([FAR, FAR, FAR + 100, FAR + 200], False, False),
        ([None, 2500, 2500], True, False),
        ([*[None] * 3, FAR, FAR], False, False),
        ([*[None] * 3, FAR, FAR + 100, FAR + 200], False, False),
        ([THERE, THERE, THERE + 50, THERE + 50], False, False),
    ],
    ids=[
        "one sample",
        "two samples",
        "a spike on the way",
        "moving",
        "a spike there",
        "swings",
        "moves on",
        "swings at once",
        "back",
        "a little",
        "too far for a hand",
        "too far for a hand, with a bad sample",
        "too far, then turned",
        "far in more time",
        "in a gap",
        "in a gap, and on",
        "a little more",
    ],
)
def test_where_a_jump_took_it(raws: list[int | None], jumped: bool, implausible: bool) -> None:
    jumps = seen(raws)
    assert (jumps.jumped, jumps.implausible) == (jumped, implausible)


@pytest.mark.parametrize(("counts", "implausible"), [(1260, False), (1270, True)])
def test_a_jump_beyond_the_top_speed_is_implausible(counts: int, implausible: bool) -> None:
    """20 ms at 14.25 turns/s are 1167 counts, and two angles of an eccentric magnet may be 100 off."""
    assert seen([HERE + counts] * 2).implausible is implausible


def test_slow_samples_prove_nothing() -> None:
    jumps = seen([THERE, THERE, HERE, HERE], period_ms=36)
    assert (jumps.quick_returns, jumps.jumped) == (0, False)


def test_three_quick_returns_are_a_fault_until_the_dial_rests() -> None:
    jumps = seen([THERE, THERE, HERE, HERE, THERE, THERE, HERE, HERE])
    assert jumps.glitching
    jumps.rest()
    assert (jumps.glitching, jumps.quick_returns, jumps.seen) == (False, 0, False)


def test_steps_hide_the_path_so_only_implausible_jumps_count() -> None:
    click = seen([THERE, THERE, THERE], in_steps=True)
    assert (click.jumped, click.seen, click.doubtful) == (False, True, False)
    assert seen([THERE, THERE, HERE], in_steps=True).quick_returns == 1
    assert seen([HERE + 170, HERE + 170, HERE], in_steps=True).quick_returns == 0, "a ring over the edge of a step"
    far = seen([FAR, FAR], in_steps=True)
    assert (far.jumped, far.seen, far.implausible) == (True, False, True)


@pytest.mark.parametrize(
    ("raws", "hand"),
    [
        ([1100, 1200, 1300], True),
        ([1100, 1200], False),
        ([1100, 1200, 1100, 1200, 1100, 1200], False),
        ([1100, 1200, 1300, 1300], True),
        ([1250, 1500, 1750, 2000], False),
        ([1100, 1200, None, 1300], True),
        ([1300, 1600, 1300, 1600, 1300], False),
        ([1200, 1500, 1300, 1600, 1400, 1700, 1800], True),
        ([1200, 1500, 1300, 1600, 1200, 1500, 1300, 1600], False),
    ],
    ids=[
        "three small steps",
        "two",
        "to and fro",
        "and then it stands",
        "large steps",
        "a failed read between",
        "two places",
        "seven places",
        "four places",
    ],
)
def test_small_steps_or_many_places_show_a_hand(raws: list[int | None], hand: bool) -> None:
    assert seen(raws).seen is hand


@pytest.mark.parametrize(("clicks", "period_ms", "far"), [(1, 4, False), (2, 4, True), (2, 10, True), (2, 20, False)])
def test_more_than_a_click_at_once_is_far_unless_fingers_are_so_fast(clicks: int, period_ms: int, far: bool) -> None:
    there = round(HERE + clicks * 4096 / 12)
    jumps = seen([there, there], period_ms)
    assert (jumps.far, jumps.undecided) == (far, not far)


def test_a_dial_that_is_back_shows_no_hand() -> None:
    jumps = seen([THERE] * 9 + [HERE, HERE])
    assert (jumps.returned, jumps.undecided, jumps.is_origin(HERE)) == (True, False, True)
    assert not seen([1341, 1341, 1341]).is_origin(1341)


def test_the_origin_is_where_it_was_before_an_unaccepted_jump() -> None:
    jumps = Jumps(4096, 12, 14.25 * 4096, SENSOR_ERROR_TURN * 4096)
    for at in (1, 2):
        jumps.see(at * 10 * MS, HERE, THERE, (-10 * MS, 0), origin=HERE)
    assert (jumps.returned, jumps.jumped) == (True, False)


def test_a_ring_that_moves_on_in_small_steps_is_no_glitch() -> None:
    ring = [1500, 1500, HERE + 3, HERE + 5]
    assert seen(ring).quick_returns == 1
    assert seen([*ring, 1080, 1160, 1240]).quick_returns == 0


def test_an_accepted_jump_counts_as_seen() -> None:
    jumps = seen([1341, 1341])
    assert (jumps.jumped, jumps.doubtful, jumps.undecided) == (True, True, True)
    jumps.accept()
    assert (jumps.jumped, jumps.doubtful, jumps.undecided, jumps.seen) == (False, False, False, True)
