"""Lays out the live screen for a terminal of 80x24 or more. Pure.

A seat's screen is drawn in half blocks where there is room, in quadrants where there is less, else in braille. If not
every screen fits, the chosen seat's is drawn, and the others are small or one row of words each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pi_app.simulated.live.cells import BRAILLE, HALF_BLOCKS, QUADRANTS, Cells

LEAST_WIDTH: Final = 80
LEAST_HEIGHT: Final = 22
"""Rows of the picture; the command line and the keys need two more."""

TILE_WIDTH: Final = 14
TILE_TEXT_ROWS: Final = 3
DIAL_ROWS: Final = (10, 8, 6)
LIST_WIDTH: Final = 24
LIST_LEAST: Final = 14
LOG_WIDTH: Final = 40
LOG_HEIGHT: Final = 5
LOG_LEAST: Final = 3
STRIP_WIDTH: Final = 20
STRIP_LEAST: Final = 16
STRIP_ROWS: Final = 2

SCREENS: Final = (HALF_BLOCKS, QUADRANTS, BRAILLE)
SMALL_SCREENS: Final[tuple[Cells, ...]] = ((32, 8), (12, 4))


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
class SeatBox:
    """The place of a seat's screen with its frame, or of its title alone if it is one row high. `titled`: the title is
    the upper edge of the frame; else the row above is."""

    seat: int
    box: CellBox
    titled: bool = True


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
    seats: tuple[SeatBox, ...]
    strip: tuple[tuple[int, CellBox], ...]
    log: CellBox
    hint: CellBox

    def square_at(self, x: int, y: int) -> int | None:
        """Return the square at this cell."""
        return next((number for number, box in self.squares if box.holds(x, y)), None)

    def seat_at(self, x: int, y: int) -> int | None:
        """Return the seat at this cell."""
        places = (*self.strip, *((each.seat, each.box) for each in self.seats))
        return next((number for number, box in places if box.holds(x, y)), None)


def add_frame(screen: Cells) -> Cells:
    """Return the columns and rows of a screen with its frame."""
    return screen[0] + 2, screen[1] + 2


def lay_out(
    width: int, height: int, squares: int, seats: int, *, seat: int = 0, square: int = 0
) -> ScreenLayout | None:
    """Return the best layout for `width` x `height` cells, or None if they are too few. `seat` and `square` are the
    chosen ones: a screen too small for all shows these."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return None
    for screen in SCREENS:
        one = (seat,)
        for drawn in (one,) if screen is QUADRANTS else (tuple(range(seats)), one):
            for columns in sorted(range(len(drawn), 0, -1), key=lambda n: len(drawn) % n > 0):
                made = _with_dials(width, height, squares, seats, drawn, columns, screen)
                if made is not None:
                    return made
        made = _with_list(width, height, squares, seats, seat, square, screen)
        if made is not None:
            return made
    return None


def _with_dials(
    width: int, height: int, squares: int, seats: int, drawn: Sequence[int], columns: int, screen: Cells
) -> ScreenLayout | None:
    """Place the seats' screens on the left, below a row of words for each seat if some are missing; dials around."""
    screen_width, screen_height = add_frame(screen)
    wide = columns * (screen_width + 1)
    strip = () if len(drawn) == seats else tuple(_strip(wide - 1, seats))
    strip_rows = strip[-1][1].y if strip else 0
    dials = _place_dials(width, height, squares, wide, strip_rows + -(-len(drawn) // columns) * screen_height)
    if dials is None:
        return None
    log, small = _small_screens(dials.log, [n for n in range(seats) if n not in drawn])
    if small:
        strip, strip_rows = (), 0
    return ScreenLayout(
        header=CellBox(0, 0, width, 1),
        squares=dials.tiles,
        squares_per_row=dials.per_row,
        dial_rows=dials.rows,
        seats=(*grid(CellBox(0, dials.y + strip_rows, wide, 0), drawn, columns, screen), *small),
        strip=tuple((n, replace(box, y=box.y + dials.y - 1)) for n, box in strip),
        log=log,
        hint=CellBox(0, height - 1, width, 1),
    )


@dataclass(frozen=True, slots=True)
class _Dials:
    """Tiles with dials of this many rows; `y` is the row of the screens below or beside them."""

    tiles: tuple[tuple[int, CellBox], ...]
    per_row: int
    rows: int
    y: int
    log: CellBox


def _place_dials(width: int, height: int, squares: int, wide: int, high: int) -> _Dials | None:
    """Place the dials around screens of this many cells: above them if they fit in one row, else on the right; the log
    on the right, or below."""
    beside = width - wide
    for rows in DIAL_ROWS:
        tile = rows + TILE_TEXT_ROWS + 1
        free = height - 2 - tile - high
        if squares * max(TILE_WIDTH, 2 * rows + 2) > width or beside < -1:
            continue
        tiles = _tiles(CellBox(0, 1, width, tile), squares, squares, rows)
        if beside >= LOG_WIDTH and free >= 0:
            log = CellBox(wide, 1 + tile, beside, height - 2 - tile)
            return _Dials(tiles, squares, rows, 1 + tile, log)
        if free >= LOG_HEIGHT:
            return _Dials(tiles, squares, rows, 1 + tile, CellBox(0, height - 1 - free, width, free))
    for rows in DIAL_ROWS if beside >= LOG_WIDTH else ():
        per_row = min(squares, beside // max(TILE_WIDTH, 2 * rows + 2))
        tiles_height = -(-squares // per_row) * (rows + TILE_TEXT_ROWS + 1)
        if 2 + max(high, tiles_height + LOG_HEIGHT) <= height:
            tiles = _tiles(CellBox(wide, 1, beside, tiles_height), squares, per_row, rows)
            log = CellBox(wide, 1 + tiles_height, beside, height - 2 - tiles_height)
            return _Dials(tiles, per_row, rows, 1, log)
    return None


def _small_screens(log: CellBox, others: Sequence[int]) -> tuple[CellBox, tuple[SeatBox, ...]]:
    """Return what is left of the log with the other seats' small screens above it, if both have room."""
    screen_width, screen_height = add_frame(SMALL_SCREENS[0])
    columns = min(len(others), (log.width + 1) // (screen_width + 1))
    high = -(-len(others) // columns) * screen_height if columns else 0
    if not high or log.height - high < LOG_HEIGHT:
        return log, ()
    small = tuple(grid(log, others, columns, SMALL_SCREENS[0]))
    return replace(log, y=log.y + high, height=log.height - high), small


def grid(within: CellBox, seats: Sequence[int], columns: int, screen: Cells) -> Iterator[SeatBox]:
    """Yield the places of these seats' screens, row by row from the upper left corner, a column apart."""
    wide, high = add_frame(screen)
    for n, seat in enumerate(seats):
        x, y = within.x + n % columns * (wide + 1), within.y + n // columns * high
        yield SeatBox(seat, CellBox(x, y, wide, high))


def _tiles(within: CellBox, squares: int, per_row: int, dial_rows: int) -> tuple[tuple[int, CellBox], ...]:
    """Return tiles side by side with a column between; they share what is left over."""
    tile = dial_rows + TILE_TEXT_ROWS + 1

    def box(n: int) -> CellBox:
        column = n % per_row
        left, right = (within.width * k // per_row for k in (column, column + 1))
        gap = 0 if column == per_row - 1 else 1
        return CellBox(within.x + left, within.y + n // per_row * tile, right - left - gap, tile - 1)

    return tuple((n, box(n)) for n in range(squares))


def _with_list(
    width: int, height: int, squares: int, seats: int, seat: int, square: int, screen: Cells
) -> ScreenLayout | None:
    """Return one screen, a strip of seats above it, and a list of squares beside it."""
    strip = tuple(_strip(width, seats))
    top = 1 + strip[-1][1].y
    screen_width, screen_height = add_frame(screen)
    screen_height -= 1  # the strip is the upper edge of its frame
    below = top + screen_height
    if width - screen_width < LIST_LEAST or (screen is not BRAILLE and height - 1 - below < LOG_LEAST):
        return None
    beside = CellBox(screen_width, top, width - screen_width, screen_height)
    return ScreenLayout(
        header=CellBox(0, 0, width, 1),
        squares=tuple(_list(beside, squares, square)),
        squares_per_row=1,
        dial_rows=0,
        seats=(SeatBox(seat, CellBox(0, top, screen_width, screen_height), titled=False),),
        strip=strip,
        log=CellBox(0, below, width, height - 1 - below),
        hint=CellBox(0, height - 1, width, 1),
    )


def _strip(width: int, seats: int) -> Iterator[tuple[int, CellBox]]:
    """Yield a place for each seat's words below the header, side by side."""
    per_row = min(seats, width // STRIP_WIDTH)
    if -(-seats // per_row) > STRIP_ROWS:
        per_row = width // STRIP_LEAST
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
        yield n, CellBox(within.x + left, y, right - left, each)
