"""Many numbers that grow, in little memory: as ranges."""

from __future__ import annotations

import bisect
from collections.abc import Iterator


class Spans:
    """Numbers that were added in increasing order."""

    __slots__ = ("_before", "_first", "_last")

    def __init__(self) -> None:
        self._first: list[int] = []
        self._last: list[int] = []
        self._before: list[int] = []  # how many numbers are in the ranges before

    def add(self, number: int) -> None:
        """Add a number above all others."""
        if self._last and number == self._last[-1] + 1:
            self._last[-1] = number
            return
        self._before.append(self._up_to(number))
        self._first.append(number)
        self._last.append(number)

    def __contains__(self, number: int) -> bool:
        at = bisect.bisect_right(self._first, number) - 1
        return at >= 0 and number <= self._last[at]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last number of each range, in order."""
        return zip(self._first, self._last, strict=True)

    def count(self, first: int, last: int) -> int:
        """Return how many there are from `first` to `last`."""
        return self._up_to(last) - self._up_to(first - 1)

    def _up_to(self, number: int) -> int:
        at = bisect.bisect_right(self._first, number) - 1
        if at < 0:
            return 0
        return self._before[at] + min(number, self._last[at]) - self._first[at] + 1
