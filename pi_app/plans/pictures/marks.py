"""A picture as drawing marks, x to the right, y downwards: frozen values that `svg`, `png` and `pdf` write. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
Ink = str
"""The name of a colour in the picture's style; empty for no colour."""


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
        """Larger by this much on each side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def moved(self, right: float, down: float) -> Rect:
        return Rect(self.x + right, self.y + down, self.w, self.h)

    def overlaps(self, other: Rect) -> bool:
        """Whether the two share more than an edge."""
        across = self.x < other.right and other.x < self.right
        return across and self.y < other.bottom and other.y < self.bottom

    def holds(self, other: Rect) -> bool:
        """Whether the other lies wholly in this one."""
        across = self.x <= other.x and other.right <= self.right
        return across and self.y <= other.y and other.bottom <= self.bottom


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points. `dash`: as in SVG; `closed` joins its ends."""

    points: tuple[Point, ...]
    ink: Ink
    width: float
    dash: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Polylines:
    """Many lines of one colour and width."""

    ways: tuple[tuple[Point, ...], ...]
    ink: Ink
    width: float


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon with an outline, the `rim`."""

    points: tuple[Point, ...]
    ink: Ink
    rim: Ink = ""
    width: float = 0


@dataclass(frozen=True, slots=True)
class Areas:
    """Many filled polygons of one colour that do not overlap."""

    shapes: tuple[tuple[Point, ...], ...]
    ink: Ink


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle with round corners, filled, outlined or both."""

    rect: Rect
    ink: Ink
    rim: Ink = ""
    width: float = 0
    corner: float = 0
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle, filled, outlined or both."""

    at: Point
    radius: float
    ink: Ink
    rim: Ink
    width: float


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text. `at`: the point of its base line that `anchor` names; the text turns clockwise around it."""

    at: Point
    text: str
    size: float
    ink: Ink = "ink"
    anchor: Anchor = "start"
    bold: bool = False
    turned_deg: float = 0.0


Mark = Polyline | Polylines | Area | Areas | Block | Disc | Text


def moved(mark: Mark, right: float, down: float) -> Mark:
    """The same mark elsewhere."""

    def way(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple((x + right, y + down) for x, y in points)

    match mark:
        case Polyline(points=points) | Area(points=points):
            return replace(mark, points=way(points))
        case Polylines(ways=ways):
            return replace(mark, ways=tuple(map(way, ways)))
        case Areas(shapes=shapes):
            return replace(mark, shapes=tuple(map(way, shapes)))
        case Block(rect=rect):
            return replace(mark, rect=rect.moved(right, down))
        case Disc(at=at) | Text(at=at):
            return replace(mark, at=way((at,))[0])


@dataclass(frozen=True, slots=True)
class Style:
    """The colours of a picture by name, and its fonts. `dark`: for a dark theme; pictures for print have none."""

    light: Mapping[Ink, str]
    dark: Mapping[Ink, str] | None
    fonts: str


CHART: Final = Style(
    light=MappingProxyType({
        "paper": "#ffffff", "ink": "#1b2430", "soft": "#5a6675", "grid": "#d3d9e0", "track": "#eef1f4",
        "wave": "#2563b8", "good": "#2b9568", "scant": "#d07f00", "bad": "#c8242b",
    }),
    dark=MappingProxyType({
        "paper": "#12161d", "ink": "#e9edf2", "soft": "#9ba7b6", "grid": "#3a4452", "track": "#222a35",
        "wave": "#6db0ff", "good": "#4fc48d", "scant": "#ffb648", "bad": "#ff6f70",
    }),
    fonts="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
)  # fmt: skip

SHEET: Final = Style(
    light=MappingProxyType({"paper": "#ffffff", "ink": "#000000", "grey": "#777777"}),
    dark=None,
    fonts="Helvetica, Arial, 'Liberation Sans', sans-serif",
)


@dataclass(frozen=True, slots=True)
class Picture:
    """Marks, drawn in order. `mm`: the printed size; without it the units are pixels at 96 dpi."""

    width: float
    height: float
    title: str
    marks: tuple[Mark, ...]
    style: Style = CHART
    mm: tuple[float, float] | None = None


A4_MM: Final = (210.0, 297.0)


BAR_MM: Final = 50.0
SCALE: Final = "Print at 100 % (actual size), not fitted to the page. Measure the bar: it must be 50 mm long."


def scale_bar(left: float, y: float) -> Iterator[Mark]:
    """A bar to check a print's scale: 50 mm, with a tick every 10."""
    yield Polyline(((left, y), (left + BAR_MM, y)), "ink", 0.3)
    for tick in range(6):
        x, high = left + BAR_MM / 5 * tick, 2.4 if tick in (0, 5) else 1.4
        yield Polyline(((x, y - high), (x, y + (high if tick in (0, 5) else 0))), "ink", 0.3)
    yield Text((left + BAR_MM + 3, y + 1.0), "50 mm", 3.0, bold=True)


BAR_AT: Final = (13.0, 290.0)
"""The bar's place on a page of `in_pages`, below all groups."""


def in_pages(groups: Sequence[Sequence[Mark]], per_page: int, title: str) -> list[Picture]:
    """A4 pages in millimetres, to print 1:1, with up to `per_page` groups of marks on each, and a bar of 50 mm."""
    left, y = BAR_AT
    bar = (*scale_bar(left, y), Text((left + BAR_MM + 16, y + 1.0), SCALE, 2.6, "grey"))
    pages = [groups[start : start + per_page] for start in range(0, len(groups), per_page)]
    return [sheet(A4_MM, title, (*(mark for group in page for mark in group), *bar)) for page in pages]


def sheet(mm: tuple[float, float], title: str, marks: Iterable[Mark]) -> Picture:
    """A page of this size in millimetres, black on white."""
    return Picture(*mm, title, (Block(Rect(0, 0, *mm), "paper"), *marks), SHEET, mm)
