"""Which of many cases `make test` runs every day; the others are marked slow and run in CI and in `make evidence`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

import pytest

T = TypeVar("T")


def first(number: int, values: Iterable[T]) -> list[object]:
    """The values for `parametrize`: the first so many for every day, the others slow."""
    each = iter(values)
    return [*islice(each, number), *(pytest.param(value, marks=pytest.mark.slow) for value in each)]
