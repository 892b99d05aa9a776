"""What a sheet of paper can show, and where: mm from its upper left corner, y downwards. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

Point = tuple[float, float]
Ink = Literal["black", "grey", "white"]
Anchor = Literal["start", "middle"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; `closed` joins its ends."""

    points: tuple[Point, ...]
    wide: float = 0.2
    ink: Ink = "black"
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A filled shape."""

    points: tuple[Point, ...]
    ink: Ink = "black"


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text of `size` mm, its base line at `at`; `turned_deg`: clockwise, about `at`."""

    at: Point
    words: str
    size: float
    turned_deg: float = 0.0
    anchor: Anchor = "middle"
    bold: bool = False
    ink: Ink = "black"


@dataclass(frozen=True, slots=True)
class Circle:
    """A line all round."""

    middle: Point
    radius: float
    wide: float = 0.15


Mark = Line | Area | Words | Circle


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page."""

    width: float
    height: float
    title: str
    marks: tuple[Mark, ...]


def ellipse(middle: Point, wide: float, high: float, points: int = 40) -> tuple[Point, ...]:
    """Points of an ellipse with these half axes."""
    ways = (2 * math.pi * n / points for n in range(points))
    return tuple((middle[0] + wide * math.cos(way), middle[1] + high * math.sin(way)) for way in ways)


_NARROW: Final = frozenset("iljftrI1'.,:;!()| ")
_WIDE: Final = frozenset("mwMW%&")


def width(words: str, size: float) -> float:
    """About how wide Helvetica sets a line, in mm; a little more rather than less."""
    return size * sum(
        0.36 if one in _NARROW else 0.9 if one in _WIDE else 0.7 if one.isupper() else 0.57 for one in words
    )
