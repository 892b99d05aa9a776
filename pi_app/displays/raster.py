"""Shapes as pixels: polygons and ellipses, laid on each other in a small box. Pure, and no imaging library.

Each pixel is sampled in FINER by FINER places. A row of places is one number, its highest bit on the left, so that a
stretch of ink is added, or removed, in one step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

from pi_app.displays.symbols import Ellipse, Point, Polygon, Shape

FINER: Final = 8


def rows(shapes: Iterable[Shape], side: int) -> tuple[int, ...]:
    """A box of `side` by `side` pixels, row by row; a pixel is lit where half of it is ink."""
    places = [0] * (side * FINER)
    for shape in shapes:
        for row, left, right in _stretches(shape, side * FINER):
            ink = (1 << right) - (1 << left)
            places[row] = places[row] | ink if shape.ink else places[row] & ~ink
    return tuple(_row(places[top : top + FINER], side) for top in range(0, side * FINER, FINER))


def _row(places: Iterable[int], side: int) -> int:
    """One row of pixels from its rows of places."""
    lines = [place for place in places if place]
    row, of_pixel = 0, (1 << FINER) - 1
    for shift in range((side - 1) * FINER, -1, -FINER):
        ink = sum((place >> shift & of_pixel).bit_count() for place in lines)
        row = row << 1 | (2 * ink >= FINER * FINER)
    return row


def _stretches(shape: Shape, places: int) -> Iterator[tuple[int, int, int]]:
    """Where a shape has ink, stretch by stretch: its row of places, and its bits from (included) and to."""
    for row in range(places):
        y = (row + 0.5) / FINER
        crossed = _ellipse(shape, y) if isinstance(shape, Ellipse) else _polygon(shape, y)
        for left, right in zip(crossed[::2], crossed[1::2], strict=True):
            first = min(max(round(left * FINER), 0), places)
            behind = min(max(round(right * FINER), 0), places)
            if first < behind:
                yield row, places - behind, places - first


def _ellipse(shape: Ellipse, y: float) -> list[float]:
    """Where its rim is crossed at this height: nowhere, or left and right."""
    high = 1 - ((y - shape.y) / shape.ry) ** 2
    half = shape.rx * math.sqrt(high) if high > 0 else 0.0
    return [shape.x - half, shape.x + half] if half else []


def _polygon(shape: Polygon, y: float) -> list[float]:
    """Where its edges are crossed at this height, from left to right: inside and outside alternate."""
    return sorted(_crossing(one, other, y) for one, other in _edges(shape) if (one[1] <= y) is not (other[1] <= y))


def _edges(shape: Polygon) -> Iterator[tuple[Point, Point]]:
    return zip(shape.points, (*shape.points[1:], shape.points[0]), strict=True)


def _crossing(one: Point, other: Point, y: float) -> float:
    return one[0] + (other[0] - one[0]) * (y - one[1]) / (other[1] - one[1])
