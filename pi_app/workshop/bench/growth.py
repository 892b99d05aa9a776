"""The growth of a long run over its time: memory, objects, entries of containers, handles and threads.

Nothing here collects garbage: that is up to the measured program, and garbage that it leaves counts.
"""

from __future__ import annotations

import gc
import math
import os
import threading
from array import array
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.workshop.bench.memory import held_mb

BLOCKS: Final = 12
"""The later half is cut into so many blocks, and their means are fitted: neighbouring samples are not independent."""

SURE: Final = 2.23
"""Student's t of 10 degrees of freedom: 95 % of all slopes lie within so many standard errors."""

KINDS_FROM: Final = 0.5
"""The part of the run from which objects are counted by their kind."""

CONTAINERS: Final = (list, dict, set, deque)


@dataclass(frozen=True, slots=True)
class Slope:
    """Growth per unit of x. `give_or_take` is half of the 95 % interval, infinite with too few points."""

    per_unit: float = 0.0
    give_or_take: float = math.inf

    @property
    def at_least(self) -> float:
        """The lower end of the interval; 0 if there may be no growth at all."""
        return max(0.0, self.per_unit - self.give_or_take)


@dataclass(slots=True)
class Points:
    """Values over x and the slope of their later half: the first half is the warm-up."""

    xs: array[float] = field(default_factory=lambda: array("d"))
    ys: array[float] = field(default_factory=lambda: array("d"))

    def take(self, x: float, y: float) -> None:
        self.xs.append(x)
        self.ys.append(y)

    @property
    def slope(self) -> Slope:
        """The slope by least squares over the means of a dozen blocks of the later half."""
        if not self.xs:
            return Slope()
        middle = (self.xs[0] + self.xs[-1]) / 2
        later = [(x, y) for x, y in zip(self.xs, self.ys, strict=True) if x >= middle]
        each = len(later) // BLOCKS
        if each == 0:
            return Slope()
        means = [_mean(later[n * each : (n + 1) * each]) for n in range(BLOCKS)]
        return line(means)


def line(points: list[tuple[float, float]]) -> Slope:
    """Fit a straight line through at least three points by least squares; no slope if all have one x."""
    n = len(points)
    x_mean, y_mean = _mean(points)
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    if n < 3 or spread == 0:
        return Slope()
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / spread
    left = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in points)
    return Slope(slope, SURE * math.sqrt(left / (n - 2) / spread))


def _mean(points: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


class Meter:
    """Measures its own process. `files` and `threads`: the most by which they exceeded their number at first."""

    def __init__(self) -> None:
        self.mb, self.objects, self.held = Points(), Points(), Points()
        self.first_files, self.first_threads = open_files(), threading.active_count()
        self.files = self.threads = 0
        self._kinds: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._takes = [0, 0]

    def take(self, x: float, part: float) -> None:
        """Measure now, at this part (0 to 1) of the run. The objects are those that Python's collector tracks, garbage
        included."""
        self.mb.take(x, held_mb())
        objects = gc.get_objects()
        self.objects.take(x, len(objects))
        self.held.take(x, sum(len(each) for each in objects if type(each) in CONTAINERS and each is not objects))
        if part >= KINDS_FROM:
            late = int(part >= (KINDS_FROM + 1) / 2)
            self._takes[late] += 1
            self._kinds[late].update(type(each).__name__ for each in objects)
        self.files = max(self.files, open_files() - self.first_files)
        self.threads = max(self.threads, threading.active_count() - self.first_threads)

    def growing(self, most: int = 5) -> list[tuple[str, float]]:
        """Return the kinds of objects that grew in number from the third quarter to the last, on average."""
        if 0 in self._takes:
            return []
        (early, late), (before, after) = self._takes, self._kinds
        more = [(name, count / late - before[name] / early) for name, count in after.items()]
        return sorted(((name, by) for name, by in more if by >= 1), key=lambda each: -each[1])[:most]


def open_files(folder: Path = Path("/proc/self/fd")) -> int:
    """Return the number of open handles of this process, without the one that counts them."""
    return len(os.listdir(folder)) - 1
