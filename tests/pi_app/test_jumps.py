from __future__ import annotations

import pytest

from pi_app.follow import SENSOR_ERROR_TURN
from pi_app.jumps import Jumps

MS = 1_000_000
HERE, THERE, FAR, NEAR = 1000, 1592, 3000, 1060


def seen(raws: list[int | None], period_ms: int = 10, *, in_steps: bool = False) -> Jumps:
    """Looks at a dial that rested at HERE, all of them away from its rest as far as the tracker knows; None failed."""
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
        "single looks back",
        "by a third place",
        "hopping",
        "seen on the way",
        "seen on the way back",
        "over the wrap",
        "a little",
        "by a stray",
    ],
)
def test_how_often_it_leapt_back(raws: list[int | None], count: int) -> None:
    assert seen(raws).quick_returns == count


@pytest.mark.parametrize(
    ("raws", "landed", "leapt", "barred"),
    [
        ([THERE], False, False, False),
        ([THERE, THERE], True, True, False),
        ([THERE, FAR, THERE], False, False, False),
        ([THERE, 1300, THERE], False, False, False),
        ([THERE, THERE, FAR, THERE], True, True, False),
        ([THERE, THERE, THERE + 20, THERE], False, True, False),
        ([THERE, THERE, THERE + 100, THERE + 200], False, False, False),
        ([THERE + 20, THERE, THERE], False, False, False),
        ([THERE, THERE, HERE, HERE], False, True, False),
        ([NEAR, NEAR], True, True, False),
        ([FAR, FAR], True, True, True),
        ([FAR, FAR, FAR + 20, FAR], True, True, True),
        ([FAR, FAR, FAR + 100, FAR + 200], False, False, False),
        ([None, 2500, 2500], True, True, False),
        ([*[None] * 3, FAR, FAR], False, True, False),
        ([*[None] * 3, FAR, FAR + 100, FAR + 200], False, False, False),
        ([THERE, THERE, THERE + 50, THERE + 50], False, True, False),
    ],
    ids=[
        "one look",
        "two looks",
        "a spike on the way",
        "moving",
        "a spike there",
        "swings",
        "moves on",
        "swings at once",
        "back",
        "a little",
        "too far for a hand",
        "too far for a hand, with a bad look",
        "too far, then turned",
        "far in more time",
        "in a gap",
        "in a gap, and on",
        "a little more",
    ],
)
def test_where_a_leap_took_it(raws: list[int | None], landed: bool, leapt: bool, barred: bool) -> None:
    jumps = seen(raws)
    assert (jumps.landed, jumps.unseen, jumps.barred) == (landed, leapt, barred)


@pytest.mark.parametrize(("counts", "barred"), [(1260, False), (1270, True)])
def test_a_leap_is_barred_beyond_the_top_speed_in_two_looks(counts: int, barred: bool) -> None:
    """20 ms at 14.25 turns/s are 1167 counts, and two angles of an eccentric magnet may be 100 off."""
    assert seen([HERE + counts] * 2).barred is barred


def test_slow_looks_prove_nothing() -> None:
    jumps = seen([THERE, THERE, HERE, HERE], period_ms=36)
    assert (jumps.quick_returns, jumps.landed) == (0, False)


def test_three_are_a_fault_and_a_rest_ends_it() -> None:
    jumps = seen([THERE, THERE, HERE, HERE, THERE, THERE, HERE, HERE])
    assert jumps.hopping
    jumps.rest()
    assert (jumps.hopping, jumps.quick_returns, jumps.unseen) == (False, 0, False)


def test_steps_show_no_way_so_only_what_is_no_hand_counts() -> None:
    click = seen([THERE, THERE, THERE], in_steps=True)
    assert (click.landed, click.unseen, click.doubtful) == (False, False, False)
    assert seen([THERE, THERE, HERE], in_steps=True).quick_returns == 1
    far = seen([FAR, FAR], in_steps=True)
    assert (far.landed, far.unseen, far.barred) == (True, True, True)
