"""What a drawing is made of, before it is a file: lines, areas, words, in colours by name. Units are quarters of a
millimetre; x grows to the right, y downwards. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from pi_app.plans.wiring.values import Colour

UNITS_PER_MM: Final = 4
PITCH: Final = 12
"""From one row of pins to the next, and so between two wires side by side."""
HALF: Final = PITCH // 2

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
Ink = str
"""A name of a colour: of LIGHT and DARK, or of a wire."""

LIGHT: Final[Mapping[Ink, str]] = {
    "paper": "#ffffff", "board": "#f3f5f8", "ink": "#17202b", "soft": "#56616f", "rim": "#8a94a1", "rule": "#c4cbd4",
    "edge": "#3a434f", "good": "#1c7f56", "bad": "#c21f27", "doubt": "#b26a00", "unseen": "#6b7684", "glow": "#ffd24a",
    "red": "#d8232a", "black": "#15191f", "blue": "#2166d1", "yellow": "#f2c500", "white": "#ffffff",
    "green": "#239a4b", "orange": "#f08019", "violet": "#8b45c9", "grey": "#9aa3ae", "brown": "#8a5a33",
}  # fmt: skip
DARK: Final[Mapping[Ink, str]] = {
    "paper": "#12161d", "board": "#1d242e", "ink": "#e9edf2", "soft": "#a3aebb", "rim": "#6d7988", "rule": "#3a4452",
    "edge": "#c3ccd6", "good": "#4fc48d", "bad": "#ff6f70", "doubt": "#ffb648", "unseen": "#93a0af", "glow": "#8a6a00",
    "red": "#ff4d4f", "black": "#000000", "blue": "#4a94ff", "yellow": "#ffdb3a", "white": "#ffffff",
    "green": "#3fc06b", "orange": "#ff9a3c", "violet": "#b57bf0", "grey": "#8b949f", "brown": "#a9713f",
}  # fmt: skip
"""A wire keeps the colour of its insulation; its edge makes it stand out from the paper."""

CODE: Final[Mapping[Colour, str]] = {
    Colour.RED: "RD", Colour.BLACK: "BK", Colour.BLUE: "BU", Colour.YELLOW: "YE", Colour.WHITE: "WH",
    Colour.GREEN: "GN", Colour.ORANGE: "OG", Colour.VIOLET: "VT", Colour.GREY: "GY", Colour.BROWN: "BN",
}  # fmt: skip
"""Letters for colours (IEC 60757), so that nobody needs to see them."""


@dataclass(frozen=True, slots=True)
class Rect:
    """Left, top, width, height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    @property
    def middle(self) -> Point:
        return self.x + self.w / 2, self.y + self.h / 2

    def grown(self, by: float) -> Rect:
        """Wider by so much on each side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def moved(self, right: float, down: float) -> Rect:
        return Rect(self.x + right, self.y + down, self.w, self.h)

    def overlaps(self, other: Rect) -> bool:
        """Whether they share more than an edge."""
        across = self.x < other.right and other.x < self.right
        return across and self.y < other.bottom and other.y < self.bottom

    def holds(self, other: Rect) -> bool:
        """Whether the other lies wholly in this one."""
        across = self.x <= other.x and other.right <= self.right
        return across and self.y <= other.y and other.bottom <= self.bottom


@dataclass(frozen=True, slots=True)
class Line:
    """Through points. `dash`: lengths drawn and left out."""

    points: tuple[Point, ...]
    ink: Ink
    width: float
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """A filled shape with a rim."""

    points: tuple[Point, ...]
    fill: Ink
    rim: Ink = ""
    width: float = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A filled rectangle with round corners and a rim."""

    rect: Rect
    fill: Ink
    rim: Ink = ""
    width: float = 0
    corner: float = 0
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle with a rim."""

    at: Point
    radius: float
    fill: Ink
    rim: Ink
    width: float


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text; `at` is where its base line begins, has its middle, or ends."""

    at: Point
    text: str
    size: float
    ink: Ink = "ink"
    anchor: Anchor = "start"
    bold: bool = False

    @property
    def rect(self) -> Rect:
        """The room that it takes, in whatever common font."""
        wide = text_width(self.text, self.size, bold=self.bold)
        x, y = self.at
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[self.anchor]
        return Rect(left, y - 0.78 * self.size, wide, self.size)


Shape = Line | Area | Block | Disc | Words


def moved(shape: Shape, right: float, down: float) -> Shape:
    """The same shape elsewhere."""

    def there(at: Point) -> Point:
        return at[0] + right, at[1] + down

    match shape:
        case Line(points=points) | Area(points=points):
            return replace(shape, points=tuple(there(point) for point in points))
        case Block(rect=rect):
            return replace(shape, rect=rect.moved(right, down))
        case Disc(at=at) | Words(at=at):
            return replace(shape, at=there(at))


@dataclass(frozen=True, slots=True)
class Scene:
    """Shapes on paper, the first ones below the later ones. `width_mm` and `height_mm`: how large it is printed."""

    width: float
    height: float
    width_mm: float
    height_mm: float
    title: str
    shapes: tuple[Shape, ...]


_NARROW: Final = frozenset("iljI.,:;'|!()[] ftr-/")
_BROAD: Final = frozenset("CDGHNOQRU+=<>")
_WIDE: Final = frozenset("mwMW@%")


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The text in lines that are not wider, broken between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text gets; widths are those of DejaVu Sans, wider than most fonts that a reader may have."""
    return sum(map(_ems, text)) * size * (1.11 if bold else 1.0)


def _ems(char: str) -> float:
    if char in _NARROW:
        return 0.41
    if char in _WIDE:
        return 0.99
    return 0.79 if char in _BROAD else 0.7 if char.isupper() else 0.645
