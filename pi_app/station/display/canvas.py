"""Pixels and text as terminal cells in sixteen colours. Pure.

With half blocks a cell is two pixels, one above the other, which are about square. Without them it is one pixel, twice
as high as wide: what has to be round or square is then drawn twice as wide.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Final

from pi_app.station.display.glyphs import FULL_BLOCK, LINES, console_text

BLACK, RED, GREEN, BROWN, BLUE, MAGENTA, CYAN, GREY = range(8)
DIM, PINK, LIME, GOLD, SKY, VIOLET, AQUA, WHITE = range(8, 16)

Run = tuple[int, int, int]
"""A stretch of pixels: its row, its first column, and the column after its last."""

Runs = tuple[Run, ...]
ColouredLine = tuple[tuple[str, int, int], ...]
"""Texts with their ink and paper. A console has sixteen inks, but only the first eight as papers."""

_EMPTY: Final = (" ", GREY, BLACK)


class DisplayCanvas:
    """A grid of pixels with text over it. What sticks out is cut off."""

    def __init__(self, columns: int, rows: int, *, half: bool = True) -> None:
        self.columns, self.rows, self.half = columns, rows, half
        self.per_row = 2 if half else 1
        self.unit = 1 if half else 2
        """How many pixels wide a square is that is one pixel high."""
        self._pixels = [bytearray(columns) for _ in range(rows * self.per_row)]
        self._text: dict[int, dict[int, tuple[str, int, int]]] = {}

    @property
    def height(self) -> int:
        """In pixels."""
        return self.rows * self.per_row

    def paint(self, x: int, y: int, runs: Runs, colour: int) -> None:
        """Paint runs of pixels with their origin at (x, y)."""
        for row, left, right in runs:
            first, behind = max(0, x + left), min(self.columns, x + right)
            if 0 <= y + row < self.height and first < behind:
                self._pixels[y + row][first:behind] = bytes((colour,)) * (behind - first)

    def fill(self, x: int, y: int, wide: int, high: int, colour: int) -> None:
        """Paint a rectangle of pixels."""
        self.paint(x, y, tuple((row, 0, wide) for row in range(high)), colour)

    def text(self, column: int, row: int, text: str, ink: int, paper: int = BLACK) -> int:
        """Write in cells, one per character; return the column after the text."""
        for character in console_text(text):
            if 0 <= row < self.rows and 0 <= column < self.columns:
                self._text.setdefault(row, {})[column] = (character, ink, paper)
            column += 1
        return column

    def frame(self, column: int, row: int, wide: int, high: int, ink: int) -> None:
        """Draw a box of single lines."""
        flat, upright, *corners = tuple(LINES)
        for at in range(row + 1, row + high - 1):
            self.text(column, at, upright, ink)
            self.text(column + wide - 1, at, upright, ink)
        for at, (left, right) in ((row, corners[:2]), (row + high - 1, corners[2:])):
            self.text(column, at, left + flat * (wide - 2) + right, ink)

    def lines(self) -> tuple[ColouredLine, ...]:
        """The cells, line by line, in stretches of one colour."""
        return tuple(map(self._line, range(self.rows)))

    def _line(self, row: int) -> ColouredLine:
        pixels = self._pixels[row * self.per_row : (row + 1) * self.per_row]
        cells = _cells(*map(bytes, pixels))
        written = self._text.get(row)
        if written is None:
            return _joined(cells)
        return _joined(tuple(written.get(column, cell) for column, cell in enumerate(cells)))


Cells = tuple[tuple[str, int, int], ...]


@lru_cache(maxsize=1024)
def _cells(above: bytes, below: bytes | None = None) -> Cells:
    """A line of cells from its pixels. Most lines of a display are those of the picture before."""
    if below is None:
        return tuple(map(_whole, above))
    return tuple(map(_halves, above, below))


def _whole(colour: int) -> tuple[str, int, int]:
    return (FULL_BLOCK, colour, BLACK) if colour else _EMPTY


def _halves(above: int, below: int) -> tuple[str, int, int]:
    if above == below:
        return _whole(above)
    if not above or (above < 8 <= below):
        return "▄", below, above
    return "▀", above, below if below < 8 else below - 8


@lru_cache(maxsize=1024)
def _joined(cells: Cells) -> ColouredLine:
    grouped = groupby(cells, key=lambda cell: cell[1:])
    return tuple(("".join(cell[0] for cell in same), *colours) for colours, same in grouped)
