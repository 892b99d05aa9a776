"""Lays out the live screen for a terminal of 80x24 or more. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from pi_app.simulated.live.cells import BLOCK_COLUMNS, BLOCK_ROWS, BRAILLE_COLUMNS, BRAILLE_ROWS

LEAST_WIDTH: Final = 80
LEAST_HEIGHT: Final = 22
"""Rows of the picture; the command line and the keys need two more."""

TILE_WIDTH: Final = 14
TILE_TEXT_ROWS: Final = 3
DIAL_ROWS: Final = (10, 8, 6)
LIST_WIDTH: Final = 24
LOG_WIDTH: Final = 40
LOG_HEIGHT: Final = 5
STRIP_WIDTH: Final = 20


@dataclass(frozen=True, slots=True)
class CellBox:
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True, slots=True)
class ScreenLayout:
    """The boxes of the screen; squares and seats by their number in the settings.

    `dial_rows` is 0 for a list of squares without big dials. `seats` are those whose screen is shown, `strip` is a row
    of words for each seat; one of the two may be empty.
    """

    header: CellBox
    squares: tuple[tuple[int, CellBox], ...]
    squares_per_row: int
    dial_rows: int
    seats: tuple[tuple[int, CellBox], ...]
    blocks: bool
    strip: tuple[tuple[int, CellBox], ...]
    log: CellBox
    hint: CellBox

    def square_at(self, x: int, y: int) -> int | None:
        """Return the square at this cell."""
        return next((number for number, box in self.squares if box.holds(x, y)), None)

    def seat_at(self, x: int, y: int) -> int | None:
        """Return the seat at this cell."""
        return next((number for number, box in (*self.strip, *self.seats) if box.holds(x, y)), None)


def lay_out(
    width: int, height: int, squares: int, seats: int, *, seat: int = 0, square: int = 0, zoom: bool = False
) -> ScreenLayout | None:
    """Return the best layout for `width` x `height` cells, or None if they are too few. `seat` and `square` are the
    chosen ones: a screen too small for all shows these. `zoom` enlarges the chosen seat's screen."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return None
    for blocks, shown in _choices(seats, seat, zoom):
        for columns in sorted(range(len(shown), 0, -1), key=lambda n: len(shown) % n > 0):
            found = _with_dials(width, height, squares, seats, shown, columns, blocks)
            if found is not None:
                return found
    return _small(width, height, squares, seats, seat, square)


def _choices(seats: int, seat: int, zoom: bool) -> tuple[tuple[bool, range], ...]:
    """Return whether to use half blocks, and which seats to show, the best first."""
    everyone, one = range(seats), range(seat, seat + 1)
    if zoom:
        return (True, one), (False, one)
    return (True, everyone), (False, everyone), (False, one)


def _with_dials(
    width: int, height: int, squares: int, seats: int, shown: range, columns: int, blocks: bool
) -> ScreenLayout | None:
    """Place the seats' screens on the left; the dials above them if they fit in one row, else on the right; the log on
    the right, or below."""
    panel_width, panel_height = panel(blocks)
    wide, high = columns * (panel_width + 1), -(-len(shown) // columns) * (panel_height + 1)
    left = high + (0 if len(shown) == seats else seats + 1)
    beside = width - wide
    made = partial(_assembled, width, height, panels=_Panels(shown, columns, blocks, seats))
    for rows in DIAL_ROWS:
        tile = rows + TILE_TEXT_ROWS + 1
        free = height - 2 - tile - left
        if squares * max(TILE_WIDTH, 2 * rows + 2) <= width and wide - 1 <= width:
            tiles = _tiles(CellBox(0, 1, width, tile), squares, squares, rows)
            if beside >= LOG_WIDTH and free >= 0:
                log = CellBox(wide, 1 + tile, beside, height - 2 - tile)
                return made(1 + tile, _Tiles(tiles, squares, rows), log)
            if free >= LOG_HEIGHT:
                log = CellBox(0, height - 1 - free, width, free)
                return made(1 + tile, _Tiles(tiles, squares, rows), log)
    if beside < LOG_WIDTH:
        return None
    for rows in DIAL_ROWS:
        per_row = min(squares, beside // max(TILE_WIDTH, 2 * rows + 2))
        tiles_height = -(-squares // per_row) * (rows + TILE_TEXT_ROWS + 1)
        if 2 + max(left, tiles_height + LOG_HEIGHT) <= height:
            tiles = _tiles(CellBox(wide, 1, beside, tiles_height), squares, per_row, rows)
            log = CellBox(wide, 1 + tiles_height, beside, height - 2 - tiles_height)
            return made(1, _Tiles(tiles, per_row, rows), log)
    return None


def panel(blocks: bool) -> tuple[int, int]:
    """Return width and height of one seat's panel: its screen, margins, and a title."""
    return (BLOCK_COLUMNS + 2, BLOCK_ROWS + 1) if blocks else (BRAILLE_COLUMNS + 2, BRAILLE_ROWS + 1)


@dataclass(frozen=True, slots=True)
class _Tiles:
    boxes: tuple[tuple[int, CellBox], ...]
    per_row: int
    dial_rows: int


@dataclass(frozen=True, slots=True)
class _Panels:
    """The seats whose screens are shown, in so many columns, of all `seats`."""

    shown: range
    columns: int
    blocks: bool
    seats: int


def _assembled(width: int, height: int, y: int, tiles: _Tiles, log: CellBox, panels: _Panels) -> ScreenLayout:
    panel_width, panel_height = panel(panels.blocks)
    shown, columns, seats = panels.shown, panels.columns, panels.seats
    screens = tuple(
        (
            seat,
            CellBox(n % columns * (panel_width + 1), y + n // columns * (panel_height + 1), panel_width, panel_height),
        )
        for n, seat in enumerate(shown)
    )
    below = y + -(-len(shown) // columns) * (panel_height + 1)
    across = columns * (panel_width + 1) - 1
    return ScreenLayout(
        header=CellBox(0, 0, width, 1),
        squares=tiles.boxes,
        squares_per_row=tiles.per_row,
        dial_rows=tiles.dial_rows,
        seats=screens,
        blocks=panels.blocks,
        strip=() if len(shown) == seats else tuple((n, CellBox(0, below + n, across, 1)) for n in range(seats)),
        log=log,
        hint=CellBox(0, height - 1, width, 1),
    )


def _tiles(within: CellBox, squares: int, per_row: int, dial_rows: int) -> tuple[tuple[int, CellBox], ...]:
    """Return tiles side by side with a column between; they share what is left over."""
    tile = dial_rows + TILE_TEXT_ROWS + 1

    def box(n: int) -> CellBox:
        column = n % per_row
        left, right = (within.width * k // per_row for k in (column, column + 1))
        gap = 0 if column == per_row - 1 else 1
        return CellBox(within.x + left, within.y + n // per_row * tile, right - left - gap, tile - 1)

    return tuple((n, box(n)) for n in range(squares))


def _small(width: int, height: int, squares: int, seats: int, seat: int, square: int) -> ScreenLayout:
    """Return one screen, a strip of seats above it, and a list of squares beside it."""
    strip = tuple(_strip(width, seats))
    top = 1 + strip[-1][1].y
    panel_width = BRAILLE_COLUMNS
    beside = CellBox(panel_width, top, width - panel_width, BRAILLE_ROWS)
    listed = tuple(_list(beside, squares, square))
    below = top + BRAILLE_ROWS
    return ScreenLayout(
        header=CellBox(0, 0, width, 1),
        squares=listed,
        squares_per_row=1,
        dial_rows=0,
        seats=((seat, CellBox(0, top, panel_width, BRAILLE_ROWS)),),
        blocks=False,
        strip=strip,
        log=CellBox(0, below, width, height - 1 - below),
        hint=CellBox(0, height - 1, width, 1),
    )


def _strip(width: int, seats: int) -> Iterator[tuple[int, CellBox]]:
    per_row = min(seats, width // STRIP_WIDTH)
    for n in range(seats):
        left, right = (width * k // per_row for k in (n % per_row, n % per_row + 1))
        yield n, CellBox(left, 1 + n // per_row, right - left, 1)


def _list(within: CellBox, squares: int, chosen: int) -> Iterator[tuple[int, CellBox]]:
    """Yield two rows for each square, or one if there are many, in columns; the chosen square is always shown."""
    most_columns = max(1, within.width // LIST_WIDTH)
    each = 2 if squares <= within.height // 2 * most_columns else 1
    rows = within.height // each
    columns = min(most_columns, -(-squares // rows))
    room = rows * columns
    first = min(max(0, chosen - room // 2), max(0, squares - room))
    for n in range(first, min(squares, first + room)):
        place = n - first
        left, right = (within.width * k // columns for k in (place // rows, place // rows + 1))
        y = within.y + place % rows * each
        yield n, CellBox(within.x + left + 1, y, right - left - 1, each)
