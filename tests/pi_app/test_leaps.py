from __future__ import annotations

import pytest

from pi_app.leaps import Leaps

MS = 1_000_000
HERE, THERE = 1000, 1592


def counted(raws: list[int], period_ms: int = 10) -> Leaps:
    """Looks at a dial that rested at HERE, all of them away from its rest as far as the tracker knows."""
    leaps = Leaps(4096, 12)
    for at, raw in enumerate(raws, start=1):
        leaps.see(at * period_ms * MS, raw, (0, HERE))
    return leaps


@pytest.mark.parametrize(
    ("raws", "count"),
    [
        ([THERE, THERE, THERE], 0),
        ([THERE, HERE, HERE], 0),
        ([THERE, THERE, HERE], 1),
        ([THERE, THERE + 3, HERE - 3, HERE, THERE, THERE, HERE], 3),
        ([THERE, THERE + 20, HERE, HERE], 0),
        ([1300, THERE, THERE, HERE], 0),
        ([THERE, THERE, 1300, HERE], 0),
        ([4095, 4095, HERE], 1),
    ],
    ids=[
        "stays",
        "spike",
        "taken back",
        "hopping",
        "swings",
        "seen on the way",
        "seen on the way back",
        "over the wrap",
    ],
)
def test_what_is_a_leap_that_was_taken_back(raws: list[int], count: int) -> None:
    assert counted(raws).count == count


def test_slow_looks_prove_nothing() -> None:
    assert counted([THERE, THERE, HERE, HERE], period_ms=21).count == 0


def test_three_are_a_fault_and_a_rest_ends_it() -> None:
    leaps = counted([THERE, THERE, HERE, HERE, THERE, THERE, HERE, HERE])
    assert leaps.hopping
    leaps.rest()
    assert (leaps.hopping, leaps.count) == (False, 0)
