"""Pixels of a seat's screen: a canvas for letters and symbols, and its bytes in the chips' format."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from operator import itemgetter
from typing import Final

from pi_app.displays import letters, raster, symbols

WIDTH: Final = 128
HEIGHT: Final = 64
BLANK: Final = bytes(WIDTH * HEIGHT // 8)
LINE: Final = letters.ROWS
CLEARANCE: Final = 2
"""Least distance in pixels from the frame to its content."""


class PixelCanvas:
    """Pixels as one number, the top left one in the highest bit. `near`: the area close around the content; `kept`: the
    area that the frame should avoid if it can."""

    __slots__ = ("ink", "kept", "near")

    def __init__(self) -> None:
        self.ink = self.near = self.kept = 0

    def put(self, x: int, y: int, wide: int, high: int, block: int) -> None:
        """Put a block of pixels with its top left corner at (x, y); all of it must be on the screen."""
        assert x >= 0, "left of the screen"
        assert x + wide <= WIDTH, "right of the screen"
        assert 0 <= y <= y + high <= HEIGHT, "above or below the screen"
        self.ink |= block << pixel(x + wide - 1, y + high - 1)
        self.near |= area(x - CLEARANCE, y - 1, x + wide + CLEARANCE, y + high + 1)

    def text(self, x: int, y: int, line: str, *, bold: bool = False, tall: bool = False) -> None:
        """Put a line of text, 8 pixels high, or 16 if `tall`."""
        wide = block = 0
        for character in letters.plain(line):
            step, shape = letter(character, bold, tall)
            block = block << step | shape
            wide += step
        if wide:
            self.put(x, y, wide - letters.GAP, 2 * LINE if tall else LINE, block >> letters.GAP)


def pixel(x: int, y: int) -> int:
    """The bit of one pixel."""
    return (HEIGHT - 1 - y) * WIDTH + WIDTH - 1 - x


def area(left: int, top: int, right: int, bottom: int) -> int:
    """All pixels of a rectangle on the screen; right and bottom are exclusive."""
    left, right = max(left, 0), min(right, WIDTH)
    top, bottom = max(top, 0), min(bottom, HEIGHT)
    row = (1 << right - left) - 1 << WIDTH - right
    return row * _STACKED[max(0, bottom - top)] << (HEIGHT - bottom) * WIDTH


_STACKED: Final = tuple(sum(1 << y * WIDTH for y in range(high)) for high in range(HEIGHT + 1))
"""For each height: what a row is multiplied by to become so many rows. Keeping the rectangles themselves would fill
the memory of a station, whose pictures move: there are millions of them."""


def block_of(rows: Iterable[int]) -> int:
    """Rows of pixels as one number: shifting it by one bit moves the block by one pixel."""
    block = 0
    for row in rows:
        block = block << WIDTH | row
    return block


@cache
def letter(character: str, bold: bool, tall: bool) -> tuple[int, int]:
    """The advance of a character, and its pixels with the gap behind them."""
    wide, rows = letters.bits(character, bold=bold)
    return wide + letters.GAP, block_of(row for row in rows for _ in range(1 + tall)) << letters.GAP


@cache
def symbol_pixels() -> dict[str, int]:
    """The pixels of every symbol."""
    return {name: block_of(raster.rows(shapes, symbols.SIZE)) for name, shapes in symbols.SYMBOLS.items()}


def packed(pixels: int) -> bytes:
    """The pixels in the chips' format: pages of eight rows, a byte for each column of a page, its lowest bit the top
    row. Each square of eight by eight pixels is mirrored along its rising diagonal, all of them at once."""
    for distance, lower in _MIRROR:
        moved = (pixels >> distance ^ pixels) & lower
        pixels ^= moved << distance | moved
    return bytes(_COLUMNS(pixels.to_bytes(len(BLANK), "big")))


def _lower_quarters(size: int) -> int:
    """The lower right quarters of all squares of twice this size."""
    return sum(1 << pixel(x, y) for y in range(HEIGHT) for x in range(WIDTH) if x & y & size)


_MIRROR: Final = tuple((size * (WIDTH + 1), _lower_quarters(size)) for size in (4, 2, 1))
"""For squares of 8, 4 and 2: the distance and mask to swap the lower right quarter with the upper left one."""

_COLUMNS: Final = itemgetter(
    *((page * 8 + 7 - x % 8) * (WIDTH // 8) + x // 8 for page in range(HEIGHT // 8) for x in range(WIDTH))
)
"""Get the bytes of a mirrored picture in the order of the chips' columns."""
