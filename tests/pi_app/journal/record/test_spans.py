"""Ranges count as a set of numbers does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_app.journal.record.spans import Spans


@given(st.sets(st.integers(1, 40)), st.integers(0, 45), st.integers(0, 45))
def test_ranges_count_as_a_set_does(numbers: set[int], first: int, last: int) -> None:
    spans = Spans()
    for number in sorted(numbers):
        spans.add(number)
    assert [number for number in range(45) if number in spans] == sorted(numbers)
    assert [number for one, other in spans for number in range(one, other + 1)] == sorted(numbers)
    if first <= last:
        assert spans.count(first, last) == sum(first <= number <= last for number in numbers)


def test_neighbours_are_one_range() -> None:
    spans = Spans()
    for number in (1, 2, 3, 7, 8):
        spans.add(number)
    assert list(spans) == [(1, 3), (7, 8)]
