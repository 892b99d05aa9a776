"""Counts values in classes, as Prometheus reads them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate


class Histogram:
    """Values by class. Each bound is the largest value of its class; a last class has all that are larger."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self._counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many values were counted."""
        return sum(self._counts)

    def at_most(self) -> Iterator[tuple[float, int]]:
        """Yield each bound, and how many values are at most that; infinity last."""
        yield from zip((*self.bounds, float("inf")), accumulate(self._counts), strict=True)
