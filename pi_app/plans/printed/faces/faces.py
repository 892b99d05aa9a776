"""One paper face: a ring for the dial's disc with a number or a trap at each position. Pure.

A dial is exposed by turning it counter-clockwise; each click brings the next position to the window. So positions
follow each other clockwise, as on a clock seen from above.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import Final

from pi_app.displays.symbols import SIZE, SYMBOLS, Polygon
from pi_app.game.trap_table import Face, TrapTable
from pi_app.game.trap_words import trap_name
from pi_app.plans.pictures.marks import Area, Disc, Mark, Point, Polyline, Text
from pi_app.plans.printed.square import PrintedSquare
from pi_app.text.language import CLEAR, XP, words

LEAST_WORDS: Final = 1.0
"""Letters smaller than this many mm are not printed; the symbol is enough."""
BESIDE_DEG: Final = 1.5
"""How far off its middle a dial may rest with a whole number still in the window."""
CAPS: Final = 0.72
"""Height of a capital letter in a size of 1."""
DISARMED: Final = "disarmed"
"""A msgid that another module marks."""


def clockwise_deg(position: int, clicks: int) -> float:
    """The place of a position on the face, clockwise from the mark of position 0."""
    return 360 * position / clicks


class Ring:
    """The paper ring around a middle on the page: its places and lines."""

    def __init__(self, middle: Point, square: PrintedSquare) -> None:
        self.middle, self.square = middle, square

    def at(self, radius: float, deg: float, beside: float = 0.0) -> Point:
        """A point at a radius, clockwise from the top, moved `beside` mm to its reader's right."""
        way = math.radians(deg)
        x = radius * math.sin(way) + beside * math.cos(way)
        return self.middle[0] + x, self.middle[1] - radius * math.cos(way) + beside * math.sin(way)

    def words(
        self, text: str, radius: float, deg: float, size: float, *, beside: float = 0.0, bold: bool = False
    ) -> Text:
        """A line of text at a radius, upright when it is under the window."""
        at = self.at(radius - size * CAPS / 2, deg, beside)
        return Text(at, text, size, anchor="middle", bold=bold, turned_deg=deg)

    def room(self, radius: float) -> float:
        """The width of one position at a radius, less a small margin on both sides."""
        return 2 * radius * math.sin(math.radians(self.square.window_half_deg)) * 0.94

    def cut_lines(self) -> Iterator[Mark]:
        """Both circles, short lines between positions, and the mark of position 0 at the rim."""
        outer, inner = self.square.face_diameter / 2, self.square.face_hole_diameter / 2
        yield Disc(self.middle, outer, "", "ink", 0.15)
        yield Disc(self.middle, inner, "", "ink", 0.15)
        for position in range(self.square.clicks):
            between = clockwise_deg(position, self.square.clicks) + self.square.pitch_deg / 2
            for start, end in ((inner, inner + 1.2), (outer - 0.7, outer)):
                yield Polyline((self.at(start, between), self.at(end, between)), "grey", 0.15)
        yield Area((self.at(outer - 0.7, 0), self.at(outer, 0, 0.7), self.at(outer, 0, -0.7)), "ink")
        for way in (45, 135, 225, 315):
            yield Polyline((self.at(inner - 2.5, way), self.at(inner - 1.0, way)), "grey", 0.15)


def numbers(ring: Ring) -> Iterator[Mark]:
    """The public face: position numbers only. A line below marks 6 and 9."""
    yield from ring.cut_lines()
    square = ring.square
    middle = (square.window_from + square.window_to) / 2
    half = math.radians(square.window_half_deg - BESIDE_DEG)
    size = min(4.6, 2 * (middle - 1) * math.sin(half) / width("00", 1.0))
    for position in range(square.clicks):
        deg, text = clockwise_deg(position, square.clicks), str(position)
        yield ring.words(text, middle, deg, size, bold=True)
        if square.clicks > 9 and text in ("6", "9"):
            below, half = middle - size * 0.55, size * 0.26
            yield Polyline((ring.at(below, deg, -half), ring.at(below, deg, half)), "ink", 0.35)


def full(ring: Ring, table: TrapTable, language: str) -> Iterator[Mark]:
    """The secret face, with everything in the trap table."""
    yield from ring.cut_lines()
    for face in table.faces:
        yield from _face(ring, face, clockwise_deg(face.position, table.clicks), language)


def _face(ring: Ring, face: Face, deg: float, language: str) -> Iterator[Mark]:
    """From the rim inwards: name, symbol, click number and disarm number, experience."""
    speak = words(language)
    outer, inner = ring.square.window_to, ring.square.window_from
    trap = None if face.trap is None else face.trap.value
    name = speak(trap_name(trap) if trap else {"start": "0", "disarmed": DISARMED}.get(face.kind, CLEAR))
    for number, (line, size) in enumerate(_fitting(name, ring.room(outer - 2.0))):
        yield ring.words(line, outer - 0.8 - 1.25 * number, deg, size)
    symbol = trap or ("clear" if face.kind == "clear" else "other")
    yield from _symbol(ring, symbol, outer - 4.05, deg, min(2.6, 0.6 * ring.room(outer - 5.5)))
    if trap is None or face.disarm is None:
        return
    row, room = inner + 1.75, ring.room(inner + 1.0) / 2
    figures = ((str(face.click_number or ""), -room / 2, True), (face.disarm.printed(), room / 2, False))
    size = min(1.65, *(0.92 * room / width(text, 1.0) for text, _, _ in figures if text))
    if size >= LEAST_WORDS:
        for text, beside, bold in figures:
            yield ring.words(text, row, deg, size, beside=beside, bold=bold)
    xp = speak(XP).format(xp=face.xp)
    if (size := min(1.1, ring.room(inner + 0.2) / width(xp, 1.0))) >= LEAST_WORDS:
        yield ring.words(xp, inner + 0.4, deg, size)


def _fitting(text: str, room: float) -> list[tuple[str, float]]:
    """The text in one line or two with their sizes; nothing if it would be too small to read."""
    one = [(text, min(1.4, room / width(text, 1.0)))]
    half = textwrap.wrap(text, max(len(text) // 2 + 1, *map(len, text.split())), break_long_words=False)
    size = min(1.2, *(room / width(line, 1.0) for line in half))
    best = one if one[0][1] >= size or len(half) != 2 else [(line, size) for line in half]
    return best if best[0][1] >= LEAST_WORDS else []


def _symbol(ring: Ring, name: str, radius: float, deg: float, big: float) -> Iterator[Mark]:
    for shape in SYMBOLS[name]:
        points = shape.points if isinstance(shape, Polygon) else ellipse((shape.x, shape.y), shape.rx, shape.ry)
        scale = big / SIZE
        placed = tuple(ring.at(radius + (SIZE / 2 - y) * scale, deg, (x - SIZE / 2) * scale) for x, y in points)
        yield Area(placed, "ink" if shape.ink else "paper")


def ellipse(middle: Point, wide: float, high: float, points: int = 40) -> tuple[Point, ...]:
    """Points of an ellipse with these half axes."""
    ways = (2 * math.pi * n / points for n in range(points))
    return tuple((middle[0] + wide * math.cos(way), middle[1] + high * math.sin(way)) for way in ways)


_NARROW: Final = frozenset("iljftrI1'.,:;!()| ")
_WIDE: Final = frozenset("mwMW%&")


def width(text: str, size: float) -> float:
    """Approximate width of a line in Helvetica, in mm, rather too wide than too narrow."""
    return size * sum(
        0.36 if one in _NARROW else 0.9 if one in _WIDE else 0.7 if one.isupper() else 0.57 for one in text
    )
