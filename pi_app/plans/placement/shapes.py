"""The shape of each artifact on a drawn plan, as seen from above or as its silhouette, with its letter. Pure.

Shapes differ without colour: what blocks is filled, water has waves, furniture has round corners, altars are long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pi_app.plans.pictures.marks import Area, Block, Disc, Mark, Point, Polyline, Rect, Text
from pi_app.plans.placement.dungeon import MapSymbol
from pi_app.plans.placement.things import COLUMNS, PONDS

LINE: Final = 1.4


def artifact_shape(kind: MapSymbol, box: Rect) -> Iterator[Mark]:
    """The artifact in the box of its squares."""
    yield from _SHAPES[kind](box)
    lower = _LOWER.get(kind, 0.0)
    (x, y), side = box.middle, min(box.w, box.h)
    size = side * (0.46 if kind not in PONDS else 0.4)
    if kind is MapSymbol.LARGE_POND:
        size = side * 0.3
    ink = "wave" if kind in PONDS else "ink"
    yield Text((x, y + size * 0.36 + lower * side), kind.value, size, ink, "middle", bold=True)


def small_shape(kind: MapSymbol, box: Rect) -> Iterator[Mark]:
    """The same where there is no room for a letter."""
    if kind in COLUMNS or kind in PONDS:
        yield Block(box, "ink" if kind in COLUMNS else "wave")
    else:
        yield Disc(box.middle, min(box.w, box.h) * 0.3, "wave", "paper", 0.5)


def _polygon(box: Rect, *points: Point) -> Area:
    """Corners in hundredths of the box."""
    there = tuple((box.x + box.w * x / 100, box.y + box.h * y / 100) for x, y in points)
    return Area(there, "paper", "ink", LINE)


def _column(box: Rect) -> Iterator[Mark]:
    yield Block(box.grown(-0.06 * box.w), "ink")
    yield Disc(box.middle, box.w * 0.35, "paper", "ink", 0.5)


def _eye(box: Rect) -> Iterator[Mark]:
    yield Block(box.grown(-0.06 * box.w), "ink")
    lid = [(x, 50 - 34 * math.sin(math.pi * (x - 8) / 84)) for x in range(8, 93, 6)]
    yield _polygon(box, *lid, *((x, 100 - y) for x, y in lid[-2:0:-1]))


def _chair(box: Rect) -> Iterator[Mark]:
    w, h = box.w, box.h
    yield Block(Rect(box.x + w * 0.2, box.y + h * 0.24, w * 0.6, h * 0.6), "paper", "ink", LINE, corner=w * 0.12)
    yield Polyline(((box.x + w * 0.14, box.y + h * 0.18), (box.x + w * 0.86, box.y + h * 0.18)), "ink", w * 0.11)


def _table(box: Rect) -> Iterator[Mark]:
    side = min(box.w, box.h)
    yield Block(box.grown(-side * 0.12), "paper", "ink", LINE, corner=side * 0.16)
    yield Block(box.grown(-side * 0.22), "", "ink", 0.6, corner=side * 0.08)


def _altar(box: Rect) -> Iterator[Mark]:
    side = min(box.w, box.h)
    inner = box.grown(-side * 0.12)
    yield Block(inner, "paper", "ink", LINE)
    corners = ((inner.x, inner.y), (inner.right, inner.y), (inner.right, inner.bottom), (inner.x, inner.bottom))
    for x, y in corners:
        right, down = (1 if x == inner.x else -1), (1 if y == inner.y else -1)
        yield Area(((x, y), (x + right * side * 0.3, y), (x, y + down * side * 0.3)), "ink")


def _pond(box: Rect) -> Iterator[Mark]:
    (x, y), wide, high = box.middle, box.w * 0.45, box.h * 0.42
    rim = tuple(
        (x + wide * _round(math.cos(turn)), y + high * _round(math.sin(turn)))
        for turn in (math.tau * n / 28 for n in range(28))
    )
    yield Area(rim, "paper", "wave", LINE)
    ripples = 2 if box.w > box.h * 0.9 else 1
    for down in (-0.3, 0.3)[:ripples]:
        left, right = x - wide * 0.62, x + wide * 0.62
        waves = max(2, round((right - left) / 9))
        points = tuple(
            (left + (right - left) * n / (4 * waves), y + box.h * down + 1.6 * math.sin(math.pi * n / 2))
            for n in range(4 * waves + 1)
        )
        yield Polyline(points, "wave", 1.0)


def _round(value: float) -> float:
    """Between a circle and a square, so that the water fills its squares."""
    return math.copysign(abs(value) ** 0.75, value)


def _statue(box: Rect) -> Iterator[Mark]:
    yield _polygon(box, (36, 4), (64, 4), (84, 80), (96, 80), (96, 94), (4, 94), (4, 80), (16, 80))


def _idol(box: Rect) -> Iterator[Mark]:
    yield _polygon(box, (50, 4), (96, 50), (50, 96), (4, 50))


def _clock(box: Rect) -> Iterator[Mark]:
    yield Disc(box.middle, box.w * 0.44, "paper", "ink", LINE)
    x, y = box.middle
    for turn in range(12):
        along, across = math.cos(math.tau * turn / 12), math.sin(math.tau * turn / 12)
        inner = box.w * (0.33 if turn % 3 == 0 else 0.38)
        yield Polyline(
            ((x + along * inner, y + across * inner), (x + along * box.w * 0.44, y + across * box.w * 0.44)), "ink", 1
        )


def _throne(box: Rect) -> Iterator[Mark]:
    yield _polygon(box, (10, 92), (10, 8), (30, 28), (50, 4), (70, 28), (90, 8), (90, 92))


def _serpent(box: Rect) -> Iterator[Mark]:
    x, y, w = box.x, box.y, box.w
    for top in (0.14, 0.86):
        points = tuple(
            (x + w * (0.06 + 0.88 * n / 16), y + w * (top + 0.07 * math.sin(math.tau * n / 8))) for n in range(17)
        )
        yield Polyline(points, "ink", w * 0.09)


def _obelisk(box: Rect) -> Iterator[Mark]:
    yield _polygon(box, (50, 2), (70, 22), (80, 96), (20, 96), (30, 22))


def _well(box: Rect) -> Iterator[Mark]:
    corners = tuple((50 + 48 * math.cos(turn), 50 + 48 * math.sin(turn)) for turn in _eighths())
    yield _polygon(box, *corners)
    yield Disc(box.middle, box.w * 0.33, "paper", "ink", LINE)


def _eighths() -> Iterator[float]:
    return (math.tau * (n + 0.5) / 8 for n in range(8))


_SHAPES: Final[Mapping[MapSymbol, Callable[[Rect], Iterator[Mark]]]] = MappingProxyType(
    {
        MapSymbol.STONE_COLUMN: _column,
        MapSymbol.ALL_SEEING_COLUMN: _eye,
        MapSymbol.CHAIR: _chair,
        MapSymbol.TABLE: _table,
        MapSymbol.STATUE: _statue,
        MapSymbol.IDOL: _idol,
        MapSymbol.DEATH_CLOCK: _clock,
        MapSymbol.THRONE: _throne,
        MapSymbol.ALTAR: _altar,
        MapSymbol.LARGE_POND: _pond,
        MapSymbol.SERPENT: _serpent,
        MapSymbol.OBELISK: _obelisk,
        MapSymbol.WELL: _well,
        MapSymbol.SMALL_POND: _pond,
    }
)

_LOWER: Final[Mapping[MapSymbol, float]] = MappingProxyType(
    {MapSymbol.STATUE: 0.02, MapSymbol.OBELISK: 0.1, MapSymbol.THRONE: 0.12, MapSymbol.CHAIR: 0.04}
)
"""How far below the middle of its box a letter stands."""
