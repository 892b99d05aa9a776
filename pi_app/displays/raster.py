"""Rasterize shapes: polygons and ellipses over each other in a small box. Pure, without an imaging library.

Each pixel is sampled at eight by eight places. A row of places is one number, its highest bit on the left, so that a
stretch of ink is added or removed in one step; the eight places of a pixel are one byte.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

from pi_app.displays.symbols import Ellipse, Point, Polygon, Shape

FINER: Final = 8

_INK: Final = bytes(byte.bit_count() for byte in range(256))
"""How many of a byte's places are ink."""
_LIT: Final = bytes(b"01"[2 * ink >= FINER * FINER] for ink in range(256))
"""The digit of a pixel with this many places of ink: half of them light it."""


def rows(shapes: Iterable[Shape], side: int) -> tuple[int, ...]:
    """A box of `side` by `side` pixels, row by row; a pixel is lit if half of it is ink."""
    places = [0] * (side * FINER)
    for shape in shapes:
        for row, left, right in _stretches(shape, side * FINER):
            ink = (1 << right) - (1 << left)
            places[row] = places[row] | ink if shape.ink else places[row] & ~ink
    return tuple(_row(places[top : top + FINER], side) for top in range(0, side * FINER, FINER))


def _row(places: Iterable[int], side: int) -> int:
    """One row of pixels from its rows of places. The ink of each pixel is counted in its own byte, which cannot
    overflow."""
    ink = sum(int.from_bytes(place.to_bytes(side, "big").translate(_INK), "big") for place in places if place)
    return int(ink.to_bytes(side, "big").translate(_LIT), 2)


def _stretches(shape: Shape, places: int) -> Iterator[tuple[int, int, int]]:
    """The stretches of ink of a shape: row of places, first bit, and end bit."""
    top, bottom = _extent(shape)
    for row in range(max(0, math.floor(top * FINER)), min(places, math.ceil(bottom * FINER))):
        y = (row + 0.5) / FINER
        crossed = _ellipse(shape, y) if isinstance(shape, Ellipse) else _polygon(shape, y)
        for left, right in zip(crossed[::2], crossed[1::2], strict=True):
            first = min(max(round(left * FINER), 0), places)
            behind = min(max(round(right * FINER), 0), places)
            if first < behind:
                yield row, places - behind, places - first


def _extent(shape: Shape) -> tuple[float, float]:
    """Top and bottom of a shape."""
    if isinstance(shape, Ellipse):
        return shape.y - shape.ry, shape.y + shape.ry
    heights = [y for _, y in shape.points]
    return min(heights), max(heights)


def _ellipse(shape: Ellipse, y: float) -> list[float]:
    """The crossings of its rim at this height: none, or left and right."""
    high = 1 - ((y - shape.y) / shape.ry) ** 2
    half = shape.rx * math.sqrt(high) if high > 0 else 0.0
    return [shape.x - half, shape.x + half] if half else []


def _polygon(shape: Polygon, y: float) -> list[float]:
    """The crossings of its edges at this height from left to right: inside and outside alternate."""
    return sorted(_crossing(one, other, y) for one, other in _edges(shape) if (one[1] <= y) is not (other[1] <= y))


def _edges(shape: Polygon) -> Iterator[tuple[Point, Point]]:
    return zip(shape.points, (*shape.points[1:], shape.points[0]), strict=True)


def _crossing(one: Point, other: Point, y: float) -> float:
    return one[0] + (other[0] - one[0]) * (y - one[1]) / (other[1] - one[1])
