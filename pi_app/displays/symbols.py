"""Our own symbols for the eight traps, the clear square and a plain mark: simple shapes in a box of 28 by 28.

They are drawn from the traps' names alone and copy no artwork. `x` grows to the right, `y` downwards. Shapes are drawn
in order; a shape with `ink` False cuts a hole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

SIZE: Final = 28

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[Point, ...]
    ink: bool = True


@dataclass(frozen=True, slots=True)
class Ellipse:
    """A filled ellipse around (x, y) with half axes rx and ry."""

    x: float
    y: float
    rx: float
    ry: float
    ink: bool = True


Shape = Polygon | Ellipse


def disc(x: float, y: float, r: float, *, ink: bool = True) -> Ellipse:
    """A filled circle."""
    return Ellipse(x, y, r, r, ink)


def ring(x: float, y: float, outer: float, inner: float) -> tuple[Shape, ...]:
    """A circle with a round hole."""
    return disc(x, y, outer), disc(x, y, inner, ink=False)


def box(left: float, top: float, right: float, bottom: float, *, ink: bool = True) -> Polygon:
    """A filled rectangle."""
    return Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), ink)


def stroke(start: Point, end: Point, wide: float, tip: float | None = None, *, ink: bool = True) -> Polygon:
    """A straight bar; `tip` is its width at the end if it tapers."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    nx, ny = (y0 - y1) / length, (x1 - x0) / length
    a, b = wide / 2, (wide if tip is None else tip) / 2
    return Polygon(
        (
            (x0 + nx * a, y0 + ny * a),
            (x1 + nx * b, y1 + ny * b),
            (x1 - nx * b, y1 - ny * b),
            (x0 - nx * a, y0 - ny * a),
        ),
        ink,
    )


def _saw_blade(teeth: int = 10) -> tuple[Shape, ...]:
    points: list[Point] = []
    for tooth in range(teeth):
        angle = 2 * math.pi * tooth / teeth
        for radius in (9.2, 14.0):
            points.append((14 + radius * math.cos(angle), 14 + radius * math.sin(angle)))
    return Polygon(tuple(points)), disc(14, 14, 4.2, ink=False), disc(14, 14, 2.0)


def _cage() -> tuple[Shape, ...]:
    bars = tuple(box(x, 8, x + 2, 26) for x in (3, 8, 13, 18, 23))
    roof = Polygon(((2, 11), (6, 6.5), (11, 4.5), (17, 4.5), (22, 6.5), (26, 11)))
    return *ring(14, 3, 3, 1.4), roof, *bars, box(1, 25, 27, 28), box(2, 16, 26, 18)


def _weight() -> tuple[Shape, ...]:
    speed = tuple(box(x, top, x + 1.5, top + 8) for x, top in ((1, 5), (5, 1), (21.5, 1), (25.5, 5)))
    body = Polygon(((8, 13), (20, 13), (26, 28), (2, 28)))
    return *ring(14, 9.5, 5, 2.6), body, box(8, 19, 20, 20.5, ink=False), box(7, 22.5, 21, 24, ink=False), *speed


def _flame(x: float, foot: float, high: float, wide: float) -> tuple[Shape, ...]:
    outline = (
        (0.1, 1.0),
        (0.30, 0.72),
        (0.5, 0.42),
        (0.42, 0.12),
        (0.2, 0.0),
        (-0.2, 0.0),
        (-0.42, 0.14),
        (-0.5, 0.40),
        (-0.32, 0.58),
        (-0.18, 0.48),
        (-0.12, 0.78),
    )
    heart = ((0.02, 0.42), (0.2, 0.2), (0.1, 0.06), (-0.1, 0.06), (-0.2, 0.2))
    return (
        Polygon(tuple((x + dx * wide, foot - dy * high) for dx, dy in outline)),
        Polygon(tuple((x + dx * wide, foot - dy * high) for dx, dy in heart), ink=False),
    )


def _fire_jets() -> tuple[Shape, ...]:
    nozzles = tuple(box(x - 2, 23.5, x + 2, 26) for x in (5, 14, 23))
    return (*_flame(4.5, 23, 14, 8), *_flame(23.5, 23, 14, 8), *_flame(14, 23, 23, 10), *nozzles, box(1, 26, 27, 28))


def _jaws() -> tuple[Shape, ...]:
    upper = Polygon(
        (
            (0.5, 6),
            (4, 2),
            (10, 0),
            (18, 0),
            (24, 2),
            (27.5, 6),
            (27.5, 9),
            (25.5, 15),
            (23, 8.5),
            (20.5, 8),
            (17.5, 13),
            (14, 7.5),
            (10.5, 13),
            (7.5, 8),
            (5, 8.5),
            (2.5, 15),
            (0.5, 9),
        )
    )
    lower = Polygon(
        (
            (3, 18),
            (5.5, 22),
            (7.2, 15.5),
            (10.5, 21.5),
            (14, 16),
            (17.5, 21.5),
            (20.8, 15.5),
            (22.5, 22),
            (25, 18),
            (25, 23),
            (21, 27),
            (14, 28),
            (7, 27),
            (3, 23),
        )
    )
    eyes = (disc(8.5, 4.2, 1.5, ink=False), disc(19.5, 4.2, 1.5, ink=False))
    return upper, *eyes, lower


def _hand() -> tuple[Shape, ...]:
    joints = (
        ((8.5, 17), (3.5, 8), (4.5, 1)),
        ((12, 14), (10, 6), (11.5, 0)),
        ((16, 14), (18.5, 6), (17, 0)),
        ((19.5, 17), (25, 8), (24, 1)),
    )
    fingers = tuple(
        shape
        for root, knuckle, claw in joints
        for shape in (stroke(root, knuckle, 3.8), disc(knuckle[0], knuckle[1], 1.9), stroke(knuckle, claw, 3.6, 0.2))
    )
    thumb = (stroke((9, 21), (2.5, 19.5), 4), disc(2.5, 19.5, 2), stroke((2.5, 19.5), (0.5, 13.5), 3.4, 0.2))
    palm = (Ellipse(14, 19, 7.5, 6.5), box(9.5, 22, 18.5, 28))
    return *fingers, *thumb, *palm, Ellipse(14, 18.5, 3.8, 2.8, ink=False), disc(14, 18.5, 1.5)


def _acid_pool() -> tuple[Shape, ...]:
    pool = (Ellipse(14, 21.5, 14, 6.5), Ellipse(14, 20.3, 11, 4, ink=False), Ellipse(14, 21.3, 9, 2.7))
    bubbles = (
        *ring(8, 12, 3.6, 2),
        *ring(18.5, 8, 4.2, 2.6),
        disc(10.5, 4, 2),
        disc(23.5, 14, 1.7),
        disc(14.5, 14.5, 1.4),
    )
    return *pool, *bubbles


def _spiked_pit() -> tuple[Shape, ...]:
    walls = Polygon(((0, 9), (5, 9), (5, 25.5), (23, 25.5), (23, 9), (28, 9), (28, 28), (0, 28)))
    spikes = tuple(Polygon(((x - 3, 26), (x, top), (x + 3, 26))) for x, top in ((8, 16), (14, 13), (20, 16)))
    arrow = (box(12.5, 0, 15.5, 5), Polygon(((9.5, 4.5), (18.5, 4.5), (14, 10))))
    return walls, *spikes, *arrow


def _cross() -> tuple[Shape, ...]:
    return stroke((3.5, 3.5), (24.5, 24.5), 6.5), stroke((24.5, 3.5), (3.5, 24.5), 6.5)


def _mark() -> tuple[Shape, ...]:
    return *ring(14, 14, 13, 9.5), disc(14, 14, 4)


SYMBOLS: Final[Mapping[str, tuple[Shape, ...]]] = MappingProxyType(
    {
        "buzz_saw": _saw_blade(),
        "cage": _cage(),
        "falling_weight": _weight(),
        "fire_jets": _fire_jets(),
        "jaws_of_doom": _jaws(),
        "monstrous_hand": _hand(),
        "noxious_acid_pool": _acid_pool(),
        "spiked_pit": _spiked_pit(),
        "clear": _cross(),
        "other": _mark(),
    }
)
"""Trap id, `clear` or `other` -> its shapes."""
