"""Pixels as terminal cells, dials as pixels, and a canvas of styled cells. Pure.

A braille cell holds 2x4 pixels and a half block 1x2. A terminal's cell is about twice as high as wide, so pixels
come out square either way. A quadrant block holds 2x2: it stands twice as high as it should, and is solid.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from pi_app.text.printed import shown

WIDTH: Final = 128
HEIGHT: Final = 64
PAGES: Final = HEIGHT // 8

Cells = tuple[int, int]
"""Columns and rows."""

HALF_BLOCKS: Final[Cells] = (WIDTH, HEIGHT // 2)
QUADRANTS: Final[Cells] = (WIDTH // 2, HEIGHT // 2)
BRAILLE: Final[Cells] = (WIDTH // 2, HEIGHT // 4)
"""The cells of a whole screen."""

_BRAILLE: Final = 0x2800
_LEFT_DOTS: Final = (0x01, 0x02, 0x04, 0x40)
_RIGHT_DOTS: Final = (0x08, 0x10, 0x20, 0x80)
"""The dots of each half of a braille cell from top to bottom (Unicode 16, Braille Patterns)."""

_LEFT: Final = tuple(sum(dot for n, dot in enumerate(_LEFT_DOTS) if four >> n & 1) for four in range(16))
_RIGHT: Final = tuple(sum(dot for n, dot in enumerate(_RIGHT_DOTS) if four >> n & 1) for four in range(16))
_HALVES: Final = " ▀▄█"
_QUARTERS: Final = " ▘▖▌▝▀▞▛▗▚▄▙▐▜▟█"
"""The lower two bits are the left column, from top to bottom; the upper two the right one."""

Pixel = tuple[int, int]
"""x to the right, y down."""

StyledRun = tuple[str, str]
"""A text and the name of its style, `INK@PAPER`."""

StyledLine = tuple[StyledRun, ...]


def screen_lines(frame: bytes, screen: Cells) -> tuple[str, ...]:
    """Return a 128x64 frame (byte `page * 128 + x`, bit 0 the top row) in this many cells: in half blocks, quadrants or
    braille, or reduced in braille."""
    if screen == HALF_BLOCKS:
        return tuple(
            "".join(_HALVES[byte >> shift & 3] for byte in frame[page * WIDTH : (page + 1) * WIDTH])
            for page in range(PAGES)
            for shift in (0, 2, 4, 6)
        )
    if screen == QUADRANTS:
        return tuple(
            "".join(_QUARTERS[left >> shift & 3 | (right >> shift & 3) << 2] for left, right in _pairs(frame, page))
            for page in range(PAGES)
            for shift in (0, 2, 4, 6)
        )
    if screen == BRAILLE:
        return tuple(
            "".join(
                _dots(_LEFT[left >> shift & 15] | _RIGHT[right >> shift & 15]) for left, right in _pairs(frame, page)
            )
            for page in range(PAGES)
            for shift in (0, 4)
        )
    return _reduced(frame, screen)


def boxed_screen(frame: bytes) -> tuple[str, ...]:
    """Return the frame in braille with a box around it, for lines that are printed."""
    edge = "─" * BRAILLE[0]
    return (f"┌{edge}┐", *(f"│{row}│" for row in screen_lines(frame, BRAILLE)), f"└{edge}┘")


def _pairs(frame: bytes, page: int) -> Iterator[tuple[int, int]]:
    """Yield neighbouring columns of eight pixels."""
    row = frame[page * WIDTH : (page + 1) * WIDTH]
    return zip(row[::2], row[1::2], strict=True)


def _reduced(frame: bytes, screen: Cells) -> tuple[str, ...]:
    """Return the frame in fewer dots: one is lit if any of its pixels is."""
    columns, rows = screen
    lit = {
        (x * 2 * columns // WIDTH, (page * 8 + bit) * 4 * rows // HEIGHT)
        for page in range(PAGES)
        for x in range(WIDTH)
        for bit in range(8)
        if frame[page * WIDTH + x] >> bit & 1
    }
    return pixels_in_braille(lit, columns, rows)


def _dots(pattern: int) -> str:
    # Some fonts draw eight hollow rings for the empty pattern; a space is always empty.
    return chr(_BRAILLE + pattern) if pattern else " "


def pixels_in_braille(pixels: Iterable[Pixel], columns: int, rows: int) -> tuple[str, ...]:
    """Return pixels as `rows` lines of `columns` cells, without those outside."""
    patterns = [[0] * columns for _ in range(rows)]
    for x, y in pixels:
        if 0 <= x < 2 * columns and 0 <= y < 4 * rows:
            patterns[y // 4][x // 2] |= (_RIGHT_DOTS if x % 2 else _LEFT_DOTS)[y % 4]
    return tuple("".join(map(_dots, row)) for row in patterns)


def dial(rows: int, clicks: int, turned: float) -> tuple[str, ...]:
    """Return a dial seen from above, in `rows` lines of twice as many cells: a tick per click, a longer one for the
    start mark at the top, and a pointer `turned` clicks counter-clockwise from it."""
    size = 4 * rows
    return pixels_in_braille(_dial_pixels(size, clicks, turned), 2 * rows, rows)


def _dial_pixels(size: int, clicks: int, turned: float) -> Iterator[Pixel]:
    middle = (size - 1) / 2
    tick = size // 16
    for click in range(clicks if tick else 1):
        length = tick if click else 2 * tick
        yield from _ray(middle, click / clicks, middle - length, middle, thick=tick > 0 and not click)
    yield from _ray(middle, turned / clicks, 0.0, middle - 2.6 * tick if tick else middle, thick=tick > 0)


def _ray(middle: float, turn: float, start: float, end: float, *, thick: bool = False) -> Iterator[Pixel]:
    """Yield the pixels from `start` to `end` away from the middle, `turn` turns counter-clockwise from the top."""
    # Rounded: otherwise a pointer straight down is a zigzag, from the last bit of the sine.
    right, down = (round(-part(2 * math.pi * turn), 9) for part in (math.sin, math.cos))
    steps = max(1, math.ceil(4 * (end - start)))
    for step in range(steps + 1):
        away = start + (end - start) * step / steps
        for side in (-0.5, 0.5) if thick else (0.0,):
            yield (
                math.floor(middle + away * right - side * down + 0.5),
                math.floor(middle + away * down + side * right + 0.5),
            )


class Canvas:
    """A grid of cells for text. Text outside is cut off; a character of two cells is never halved."""

    def __init__(self, width: int, height: int, style: str) -> None:
        self.width, self.height = width, height
        self._text = [[" "] * width for _ in range(height)]
        self._styles = [[style] * width for _ in range(height)]

    def fill(self, x: int, y: int, width: int, height: int, style: str) -> None:
        """Clear a rectangle."""
        left, right = max(0, x), max(0, min(self.width, x + width))
        for row in range(max(0, y), min(self.height, y + height)):
            self._text[row][left:right] = [" "] * max(0, right - left)
            self._styles[row][left:right] = [style] * max(0, right - left)

    def put(self, x: int, y: int, text: str, style: str, width: int | None = None) -> int:
        """Write at (x, y), in at most `width` cells; return the x after it."""
        end = self.width if width is None else min(self.width, x + width)
        if not 0 <= y < self.height:
            return x
        for character, cells in cells_of(text):
            if x + cells > end:
                break
            if x >= 0:
                self._text[y][x : x + cells] = [character, ""][:cells]
                self._styles[y][x : x + cells] = [style] * cells
            x += cells
        return x

    def frame(self, x: int, y: int, width: int, height: int, style: str) -> None:
        """Draw the sides and the bottom of a box, which hangs from the row above."""
        for row in range(y, y + height - 1):
            self.put(x, row, "│", style)
            self.put(x + width - 1, row, "│", style)
        self.put(x, y + height - 1, f"└{'─' * (width - 2)}┘", style)

    def lines(self) -> tuple[StyledLine, ...]:
        """Return the styled lines."""
        return tuple(_line(text, styles) for text, styles in zip(self._text, self._styles, strict=True))


def _line(text: list[str], styles: list[str]) -> StyledLine:
    pairs = zip(text, styles, strict=True)
    return tuple(("".join(part for part, _ in run), style) for style, run in groupby(pairs, key=lambda pair: pair[1]))


def cells_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character with its cells, 1 or 2. Combining marks join the character before; unprintable ones become a
    question mark."""
    waiting = ""
    for character in text:
        if waiting and unicodedata.combining(character):
            waiting += character
            continue
        if waiting:
            yield waiting, _cells(waiting[0])
        waiting = " " if character in _JOINING else character if shown(character) == character else "?"
    if waiting:
        yield waiting, _cells(waiting[0])


def width_of(text: str) -> int:
    """Return the cells of a text."""
    return sum(cells for _, cells in cells_of(text))


def cut(text: str, width: int) -> str:
    """Return the text, or its first words and an ellipsis, in at most `width` cells. Only a single word is cut."""
    if width_of(text) <= width:
        return text
    kept, room, whole = "", width - 1, ""
    for character, cells in cells_of(text):
        whole = kept if character == " " else whole
        if cells > room:
            break
        kept, room = kept + character, room - cells
    return (whole.rstrip(" ;,:") or kept.rstrip()) + "…" if width > 0 else ""


_JOINING: Final = "\u00a0\u202f"
"""Blanks that break no line, as before a French colon; a cell shows them like other blanks."""

_BLANKS: Final = re.compile(r"[ \n\t\r]+")
"""Where a line may break: not before a French colon."""


def wrap(text: str, width: int) -> tuple[str, ...]:
    """Return the text in lines of at most `width` cells, broken between words if possible."""
    lines: list[str] = []
    line = ""
    for word in filter(None, _BLANKS.split(text)):
        if line and width_of(line) + 1 + width_of(word) <= width:
            line += f" {word}"
            continue
        lines += [line] if line else []
        *full, line = _pieces(word, width)
        lines += full
    return (*lines, line) if line else tuple(lines)


def clauses(text: str) -> Iterator[str]:
    """Yield the text, then its beginnings that end with a whole clause, longest first."""
    yield text
    yield from (f"{text[:at]}…" for at in range(len(text) - 1, 0, -1) if text[at] in ";,")


def first_clauses(text: str, width: int, rows: int) -> tuple[str, ...]:
    """Shorten the text to this many lines: whole, or as many of its clauses as fit, or else of its words."""
    for part in clauses(text):
        lines = wrap(part, width)
        if len(lines) <= rows and all(width_of(word) <= width for word in part.split()):
            return lines
    lines = wrap(text, width)
    return (*lines[: rows - 1], cut(" ".join(lines[rows - 1 :]), width))


def _pieces(word: str, width: int) -> list[str]:
    """Return a word in pieces of at most `width` cells (two or more)."""
    pieces, room = [""], width
    for character, cells in cells_of(word):
        if cells > room:
            pieces, room = [*pieces, ""], width
        pieces[-1] += character
        room -= cells
    return pieces


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
