"""A picture as marks on paper: frozen values that `svg`, `png` and `pdf` write. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Colour = Literal["paper", "ink", "soft", "grid", "track", "wave", "good", "scant", "bad"]
Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

LIGHT: Final[Mapping[Colour, str]] = {
    "paper": "#ffffff", "ink": "#1b2430", "soft": "#5a6675", "grid": "#d3d9e0", "track": "#eef1f4",
    "wave": "#2563b8", "good": "#2b9568", "scant": "#d07f00", "bad": "#c8242b",
}  # fmt: skip
DARK: Final[Mapping[Colour, str]] = {
    "paper": "#12161d", "ink": "#e9edf2", "soft": "#9ba7b6", "grid": "#3a4452", "track": "#222a35",
    "wave": "#6db0ff", "good": "#4fc48d", "scant": "#ffb648", "bad": "#ff6f70",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points; `closed` joins its ends."""

    points: tuple[Point, ...]
    colour: Colour
    width: float
    closed: bool = False
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A filled shape."""

    points: tuple[Point, ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class Strokes:
    """Many lines alike, each through its points."""

    ways: tuple[tuple[Point, ...], ...]
    colour: Colour
    width: float


@dataclass(frozen=True, slots=True)
class Areas:
    """Many filled shapes of one colour that do not overlap."""

    shapes: tuple[tuple[Point, ...], ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle with a rim."""

    at: Point
    radius: float
    colour: Colour
    rim: Colour
    rim_width: float


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `at` is where its base line begins, has its middle, or ends."""

    at: Point
    words: str
    size: float
    colour: Colour
    anchor: Anchor = "start"
    bold: bool = False


Mark = Stroke | Strokes | Area | Areas | Disc | Text


@dataclass(frozen=True, slots=True)
class Picture:
    """Marks on paper, the first ones below the later ones; units are pixels at 96 to the inch."""

    width: float
    height: float
    title: str
    marks: tuple[Mark, ...]
