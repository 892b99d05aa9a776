"""Outlines that are neither round nor square: cam, window, marks. Points in mm, counter-clockwise. Pure."""

from __future__ import annotations

import math
from typing import Final

from pi_app.plans.printed.square import PrintedSquare

STEPS: Final = 8
"""Points of a flank, whose radius grows linearly with the angle, for an even push."""

Point = tuple[float, float]
Points = tuple[Point, ...]

NORTH: Final = 90.0
"""Angle of the start mark and of position 0, counter-clockwise from +x."""


def at(radius: float, degrees: float) -> Point:
    """The point at an angle, counter-clockwise from +x."""
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees))


def cam(square: PrintedSquare) -> Points:
    """The rim of the cam at position 0, with sharp tips and no flats: a valley is in the north."""
    points = []
    for step in range(2 * STEPS * square.clicks):
        rise = 1 - abs(step % (2 * STEPS) / STEPS - 1)
        points.append(at(square.valley_radius + square.lobe * rise, NORTH + square.pitch_deg * step / (2 * STEPS)))
    return tuple(points)


def window(square: PrintedSquare) -> Points:
    """The opening over one position."""
    ways = [square.window_half_deg * (step / 8 - 1) for step in range(17)]
    inner = [at(square.window_from, NORTH + way) for way in reversed(ways)]
    return (*(at(square.window_to, NORTH + way) for way in ways), *inner)


def start_mark(square: PrintedSquare) -> Points:
    """A triangle outside the window, pointing at it."""
    tip = square.window_to + 0.9
    return (0.0, tip), (1.6, tip + 2.8), (-1.6, tip + 2.8)


def arrow(square: PrintedSquare) -> Points:
    """The direction of exposing, counter-clockwise, in the south of the plate."""
    middle = (square.window_from + square.window_to) / 2
    shaft = [225 + 90 * step / 16 for step in range(17)]
    head = (at(middle + 1.8, 315), at(middle, 327), at(middle - 1.8, 315))
    outer = [at(middle + 0.6, way) for way in shaft]
    return (*outer, *head, *(at(middle - 0.6, way) for way in reversed(shaft)))
