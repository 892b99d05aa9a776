"""Hub time wraps, and no intermediate value exceeds the fast integers of a small board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.ticks import after
from firmware_host.hub.wire import LAST_TICK, TICKS, since


@pytest.mark.parametrize(
    ("at", "passed", "then"),
    [
        (0, 0, 0),
        (0, 5, 5),
        (LAST_TICK, 0, LAST_TICK),
        (LAST_TICK, 1, 0),
        (LAST_TICK - 3, 10, 6),
        (0, 5_000_000, 5_000_000),
    ],
)
def test_it_wraps(at: int, passed: int, then: int) -> None:
    assert after(at, passed) == then


@given(st.integers(0, LAST_TICK), st.integers(0, TICKS // 2 - 1))
def test_since_undoes_after(at: int, passed: int) -> None:
    assert after(at, passed) == (at + passed) % TICKS
    assert since(after(at, passed), at) == passed
    assert since(at, after(at, passed)) == -passed


@given(st.integers(0, LAST_TICK), st.integers(0, LAST_TICK))
def test_since_is_the_shorter_way(one: int, other: int) -> None:
    assert since(one, other) == (one - other + TICKS // 2) % TICKS - TICKS // 2
