"""What the plots of an audit are made of, as marks: a rectangle with two scales, panels, crosses, hatched bars. Pure.

The inks are names that the page's style sheet explains (`var(--ink)`); the pictures load no other file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pi_app.plans.pictures.marks import Area, Block, Ink, Mark, Picture, Point, Polylines, Rect, Style, Text
from pi_app.plans.pictures.svg import svg

INKS: Final = ("ink", "muted", "grid", "paper", "blue", "orange", "red")
STYLE: Final = Style({ink: f"var(--{ink})" for ink in INKS}, None, "system-ui, sans-serif")

WIDE: Final = 648.0
"""The width of every picture; the page scales it."""
LEFT, RIGHT, TOP, BOTTOM = 44.0, 8.0, 18.0, 34.0
WORDS, SMALL = 9.0, 8.0
HATCH: Final = 4.0


@dataclass(frozen=True, slots=True)
class Axes:
    """A rectangle of a picture, with the values at its left and right, and at its bottom and top."""

    rect: Rect
    across: tuple[float, float]
    up: tuple[float, float]

    def at(self, x: float, y: float) -> Point:
        (left, right), (bottom, top) = self.across, self.up
        return (
            self.rect.x + self.rect.w * (x - left) / (right - left),
            self.rect.bottom - self.rect.h * (y - bottom) / (top - bottom),
        )

    def frame(
        self, xs: Mapping[float, str], ys: Mapping[float, str], *, title: str = "", below: str = "", beside: str = ""
    ) -> Iterator[Mark]:
        """Draw the grid, both axes, the words of their ticks, and what each axis is."""
        rect = self.rect
        columns = [(self.at(x, 0)[0], words) for x, words in xs.items() if min(self.across) <= x <= max(self.across)]
        rows = [(self.at(0, y)[1], words) for y, words in ys.items() if min(self.up) <= y <= max(self.up)]
        yield Polylines(tuple(((x, rect.y), (x, rect.bottom)) for x, _ in columns), "grid", 0.6)
        yield Polylines(tuple(((rect.x, y), (rect.right, y)) for y, _ in rows), "grid", 0.6)
        yield Polylines((((rect.x, rect.y), (rect.x, rect.bottom), (rect.right, rect.bottom)),), "muted", 0.8)
        written = [
            *(Text((x, rect.bottom + 12), words, WORDS, "muted", "middle") for x, words in columns),
            *(Text((rect.x - 5, y + 3), words, WORDS, "muted", "end") for y, words in rows),
            Text((rect.x, rect.y - 6), title, 9.5),
            Text((rect.middle[0], rect.bottom + 26), below, WORDS, "ink", "middle"),
            Text((rect.x - 28, rect.middle[1]), beside, WORDS, "ink", "middle", turned_deg=-90),
        ]
        yield from (text for text in written if text.text)


def panels(count: int, columns: int, tall: float, gap: float) -> list[Rect]:
    """Return the rectangles of this many plots in rows, with room for words around each; `tall`: from row to row."""
    wide = (WIDE - LEFT - RIGHT - gap * (columns - 1)) / columns
    places = [divmod(number, columns) for number in range(count)]
    return [Rect(LEFT + column * (wide + gap), TOP + row * tall, wide, tall - TOP - 18) for row, column in places]


def ticks(low: float, high: float, most: int = 8) -> dict[float, str]:
    """Return round numbers between these two, at most about `most`, with their words."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return {number * step: f"{number * step:g}" for number in numbers}


def numbered(numbers: Sequence[int]) -> dict[float, str]:
    return {number: str(number) for number in numbers}


def cross(at: Point) -> Iterator[Mark]:
    """Draw the X of a finding, on a rim of paper."""
    (x, y), r = at, 3.2
    ways = (((x - r, y - r), (x + r, y + r)), ((x - r, y + r), (x + r, y - r)))
    yield Polylines(ways, "paper", 4.2)
    yield Polylines(ways, "red", 2.4)


def diamond(at: Point) -> Mark:
    (x, y), r = at, 4.0
    return Area(((x, y - r), (x + r, y), (x, y + r), (x - r, y)), "red")


Pattern = Literal["full", "level", "falling", "rising"]


def bar(rect: Rect, ink: Ink, pattern: Pattern = "full") -> Iterator[Mark]:
    """Draw a bar, full of its colour or hatched."""
    if pattern == "full":
        yield Block(rect, ink)
    else:
        yield Polylines(tuple(_hatches(rect, pattern)), ink, 0.8)
        yield Block(rect, "", ink, 0.9)


def _hatches(rect: Rect, pattern: Pattern) -> Iterator[tuple[Point, ...]]:
    if pattern == "level":
        for number in range(1, math.ceil(rect.h / HATCH)):
            yield (rect.x, rect.y + number * HATCH), (rect.right, rect.y + number * HATCH)
        return
    for number in range(math.floor(-rect.h / HATCH), math.ceil(rect.w / HATCH)):
        start, end = max(0.0, -number * HATCH), min(rect.h, rect.w - number * HATCH)
        if start < end:
            ways = [(rect.x + number * HATCH + far, far) for far in (start, end)]
            yield tuple((x, rect.bottom - far if pattern == "rising" else rect.y + far) for x, far in ways)


def drawn(name: str, height: float, marks: Sequence[Mark], words: str) -> str:
    """Return an SVG element of no size of its own, with this id, and with these words for readers who cannot see it."""
    text = svg(Picture(WIDE, height, words, tuple(marks), STYLE))
    text = re.sub(r'\s+width="[^"]*" height="[^"]*"', "", text, count=1)
    return f'<svg id="{name}" role="img" aria-label="{words}" {text[text.index("<svg") + 5 :]}'
