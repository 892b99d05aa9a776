"""Slopes and counts of a long run."""

from __future__ import annotations

import math
import random
import threading
from pathlib import Path

import pytest

from pi_app.workshop.bench.growth import Meter, Points, Slope, line


def points(values: list[float]) -> Points:
    taken = Points()
    for x, value in enumerate(values):
        taken.take(float(x), value)
    return taken


def test_the_slope_is_that_of_the_line() -> None:
    slope = line([(x, 7.0 + 2.5 * x) for x in range(100, 110)])
    assert slope.per_unit == pytest.approx(2.5)
    assert slope.give_or_take == pytest.approx(0, abs=1e-6)
    assert slope.at_least == pytest.approx(2.5)


def test_too_few_points_tell_nothing() -> None:
    for nothing in (Points(), points([1.0] * 10), points([1.0])):
        assert nothing.slope == Slope(0.0, math.inf)
        assert nothing.slope.at_least == 0
    assert line([(1.0, 2.0)] * 5) == Slope(0.0, math.inf)


def test_what_grows_only_while_it_warms_up_does_not_count() -> None:
    slope = points([min(x, 100) * 1.0 for x in range(240)]).slope
    assert slope.per_unit == pytest.approx(0)


def test_a_leak_is_told_from_noise() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        noise = [draw.gauss(0, 1) for _ in range(240)]
        leak = points([each + 0.05 * x for x, each in enumerate(noise)]).slope
        assert leak.at_least > 0
        assert leak.per_unit == pytest.approx(0.05, abs=leak.give_or_take * 2)
        assert points(noise).slope.at_least < 0.02


@pytest.mark.slow
def test_more_handles_and_threads_and_kinds_are_noticed(tmp_path: Path) -> None:
    class Kept:
        def __init__(self) -> None:
            self.me = [self]

    meter = Meter()
    meter.take(0.0, 0.1)
    assert (meter.files, meter.threads, meter.growing()) == (0, 0, [])
    kept: list[Kept] = []
    go = threading.Event()
    thread = threading.Thread(target=go.wait)
    thread.start()
    with (tmp_path / "left").open("w"):
        for part in (0.5, 0.6, 0.8, 0.9):
            kept += [Kept() for _ in range(5_000)]
            meter.take(part, part)
    go.set()
    thread.join()
    assert (meter.files, meter.threads) == (1, 1)
    assert dict(meter.growing(3))["Kept"] == 10_000
    assert meter.held.ys[-1] > meter.held.ys[0]
    assert len(meter.mb.xs) == 5
