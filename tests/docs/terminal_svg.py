"""Makes a terminal's SVG independent of fonts: words get fixed positions, blocks become squares, dots of braille become
dots, and the lines of frames become lines. Pure.

Rich writes each run of equal cells as one `<text>`. Fonts differ in braille and blocks, and in the width of a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from xml.etree import ElementTree

from pi_app.simulated.live.cells import cells_of

FONTS: Final = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

_SVG: Final = "http://www.w3.org/2000/svg"
_FACE: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_WIDE_LETTERS: Final = re.compile(r"\s*font-variant-east-asian:[^;}]*;")
_FAMILY: Final = re.compile(r"font-family:\s*(?:Fira Code|arial)[^;}]*")
_CELL_WIDTH: Final = 12.2
_CELL_HEIGHT: Final = 24.4
_BASE_LINE: Final = 18.5
"""The base line that Rich uses, below the top of a cell: 20 pixels of type, 1.5 above."""

_OVERLAP: Final = 0.5
"""Rows of pixels overlap a little, so that no hairline shows between them."""

_DOTS: Final = {
    0x01: (0, 0), 0x02: (0, 1), 0x04: (0, 2), 0x40: (0, 3),
    0x08: (1, 0), 0x10: (1, 1), 0x20: (1, 2), 0x80: (1, 3),
}  # fmt: skip
_QUARTERS: Final = {
    "▘": "a", "▝": "b", "▖": "c", "▗": "d", "▀": "ab", "▌": "ac", "▚": "ad", "▞": "bc", "▐": "bd", "▄": "cd",
    "▛": "abc", "▜": "abd", "▙": "acd", "▟": "bcd", "█": "abcd",
}  # fmt: skip
"""The filled quarters of a block: upper left and right, lower left and right."""

_LINES: Final = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu"}
"""The arms of a line: left, right, up, down."""

_DOT: Final = 2.1
"""The radius of a dot; the dots of DejaVu Sans Mono are as small beside their cell."""

_STROKE: Final = 1.5


def self_contained(svg: str) -> str:
    """Return the same picture without external references. `svg` is an export of Rich or Textual."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)
    for sheet in root.iter(f"{{{_SVG}}}style"):
        sheet.text = _FAMILY.sub(f"font-family: {FONTS}", _FACE.sub("", _WIDE_LETTERS.sub("", sheet.text or "")))
    for parent in list(root.iter()):
        children = list(parent)
        if any(child.get("textLength") for child in children):
            parent[:] = [made for child in children for made in _replaced(child)]
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _replaced(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    if element.tag != f"{{{_SVG}}}text" or not element.get("textLength"):
        yield element
        return
    text = (element.text or "").replace("\N{NO-BREAK SPACE}", " ")
    left, line = float(element.get("x", "0")), float(element.get("y", "0"))
    kept = {"class": element.get("class", "")}
    for word, at, cells in _words(text):
        place = {"x": _number(left + at * _CELL_WIDTH), "y": _number(line)}
        fitted = {"textLength": _number(cells * _CELL_WIDTH), "lengthAdjust": "spacingAndGlyphs"}
        made = ElementTree.Element(element.tag, {**kept, **place, **fitted})
        made.text = word
        yield made
    if drawn := "".join((*_squares(text, left, line - _BASE_LINE), *_small(text, left, line - _BASE_LINE))):
        yield ElementTree.Element(f"{{{_SVG}}}path", {**kept, "d": drawn})


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word with its first cell and its number of cells; what is drawn and spaces end words."""
    word, begins, at = "", 0, 0
    for character, cells in cells_of(text):
        if character == " " or character in _QUARTERS or character in _LINES or _dots(character):
            if word:
                yield word, begins, at - begins
            word = ""
        else:
            begins = begins if word else at
            word += character
        at += cells
    if word:
        yield word, begins, at - begins


def _squares(text: str, left: float, top: float) -> Iterator[str]:
    """Yield path commands for the blocks in the text, neighbours in a row as one rectangle."""
    rows: dict[int, list[int]] = {}
    at = 0
    for character, cells in cells_of(text):
        for quarter in _QUARTERS.get(character, ""):
            rows.setdefault("abcd".index(quarter) // 2, []).append(2 * at + "abcd".index(quarter) % 2)
        at += cells
    for y, row in sorted(rows.items()):
        for begin, end in _stretches(sorted(row)):
            wide = (end - begin) * _CELL_WIDTH / 2
            yield _box(left + begin * _CELL_WIDTH / 2, top + y * _CELL_HEIGHT / 2, wide, _CELL_HEIGHT / 2 + _OVERLAP)


def _small(text: str, left: float, top: float) -> Iterator[str]:
    """Yield path commands for the dots of braille and for the lines of frames."""
    at = 0
    for character, cells in cells_of(text):
        x, y = left + at * _CELL_WIDTH, top
        for across, down in _dots(character):
            middle = x + (across + 0.5) * _CELL_WIDTH / 2, y + (down + 0.5) * _CELL_HEIGHT / 4
            half = f"a{_DOT} {_DOT} 0 1 0"
            yield f"M{_number(middle[0] - _DOT)} {_number(middle[1])}{half} {2 * _DOT} 0{half} -{2 * _DOT} 0z"
        for arm in _LINES.get(character, ""):
            yield _arm(arm, x, y)
        at += cells


def _arm(arm: str, left: float, top: float) -> str:
    """Return a line from the middle of a cell to its edge."""
    half, middle = _STROKE / 2, (left + _CELL_WIDTH / 2, top + _CELL_HEIGHT / 2)
    if arm in "lr":
        begins = left if arm == "l" else middle[0] - half
        return _box(begins, middle[1] - half, _CELL_WIDTH / 2 + half, _STROKE)
    begins = top if arm == "u" else middle[1] - half
    return _box(middle[0] - half, begins, _STROKE, _CELL_HEIGHT / 2 + half + _OVERLAP)


def _box(left: float, top: float, wide: float, high: float) -> str:
    return f"M{_number(left)} {_number(top)}h{_number(wide)}v{_number(high)}h-{_number(wide)}z"


def _stretches(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield consecutive numbers as half-open ranges."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in group]
        yield members[0], members[-1] + 1


def _dots(character: str) -> Sequence[tuple[int, int]]:
    """Return the dots of a braille cell's 2x4."""
    pattern = ord(character[0]) - 0x2800
    return [place for dot, place in _DOTS.items() if pattern & dot] if 0 < pattern < 0x100 else ()


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
