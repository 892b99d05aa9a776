"""Makes a terminal's SVG independent of fonts: words get fixed positions, and pixels become squares. Pure.

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

_OVERLAP: Final = 0.2
"""Rows of pixels overlap a little, so that no hairline shows between them."""

_DOTS: Final = {
    0x01: (0, 0), 0x02: (0, 1), 0x04: (0, 2), 0x40: (0, 3),
    0x08: (1, 0), 0x10: (1, 1), 0x20: (1, 2), 0x80: (1, 3),
}  # fmt: skip
_BLOCKS: Final = {"▀": (0, 1), "▄": (2, 3), "█": (0, 1, 2, 3)}


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
    if squares := "".join(_squares(text, left, line - _BASE_LINE)):
        yield ElementTree.Element(f"{{{_SVG}}}path", {**kept, "d": squares})


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word with its first cell and its number of cells; pixels and spaces end words."""
    word, begins, at = "", 0, 0
    for character, cells in cells_of(text):
        if character == " " or _filled(character):
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
    """Yield path commands for the pixels in the text, neighbours in a row as one rectangle."""
    halves: dict[int, list[int]] = {}
    at = 0
    for character, cells in cells_of(text):
        for x, y in _filled(character):
            halves.setdefault(y, []).append(2 * at + x)
        at += cells
    for y, row in sorted(halves.items()):
        for begin, end in _stretches(sorted(row)):
            wide = _number((end - begin) * _CELL_WIDTH / 2)
            place = f"{_number(left + begin * _CELL_WIDTH / 2)} {_number(top + y * _CELL_HEIGHT / 4)}"
            yield f"M{place}h{wide}v{_number(_CELL_HEIGHT / 4 + _OVERLAP)}h-{wide}z"


def _stretches(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield consecutive numbers as half-open ranges."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in group]
        yield members[0], members[-1] + 1


def _filled(character: str) -> Sequence[tuple[int, int]]:
    """Return the filled pixels of a cell's 2x4."""
    if character in _BLOCKS:
        return [(x, y) for y in _BLOCKS[character] for x in (0, 1)]
    pattern = ord(character[0]) - 0x2800
    return [place for dot, place in _DOTS.items() if pattern & dot] if 0 < pattern < 0x100 else ()


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
