"""Every layout fits its screen, shows the chosen ones, and no two boxes share a cell."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.simulated.live.cells import BRAILLE, HALF_BLOCKS, QUADRANTS, Cells
from pi_app.simulated.live.layout import LEAST_HEIGHT, LEAST_WIDTH, CellBox, ScreenLayout, lay_out


def boxes(layout: ScreenLayout) -> list[CellBox]:
    parts = [layout.header, layout.log, layout.hint]
    screens = [each.box for each in layout.seats]
    return [box for _, box in (*layout.squares, *layout.strip)] + screens + parts


def apart(one: CellBox, other: CellBox) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    return beside or one.y + one.height <= other.y or other.y + other.height <= one.y


@settings(max_examples=120, deadline=None)
@given(
    width=st.integers(LEAST_WIDTH, 320),
    height=st.integers(LEAST_HEIGHT, 110),
    squares=st.integers(1, 64),
    seats=st.integers(1, 9),
    data=st.data(),
)
def test_everything_fits_and_nothing_overlaps(
    width: int, height: int, squares: int, seats: int, data: st.DataObject
) -> None:
    seat, square = data.draw(st.integers(0, seats - 1)), data.draw(st.integers(0, squares - 1))
    layout = lay_out(width, height, squares, seats, seat=seat, square=square)
    assert layout is not None
    for box in boxes(layout):
        assert 0 <= box.x < box.x + box.width <= width
        assert 0 <= box.y < box.y + box.height <= height
    assert all(apart(one, other) for one, other in combinations(boxes(layout), 2))
    assert square in [number for number, _ in layout.squares]
    assert seat in [each.seat for each in layout.seats]
    assert {each.seat for each in layout.seats} | {number for number, _ in layout.strip} == set(range(seats))
    assert layout.dial_rows == 0 or len(layout.squares) == squares


@pytest.mark.parametrize("size", [(LEAST_WIDTH - 1, 40), (120, LEAST_HEIGHT - 1), (0, 0)])
def test_too_few_cells_are_no_layout(size: tuple[int, int]) -> None:
    assert lay_out(*size, 8, 4) is None


@pytest.mark.parametrize(
    ("width", "height", "squares", "seats", "screen", "drawn", "dial_rows"),
    [
        (80, 22, 8, 4, BRAILLE, [2], 0),
        (100, 28, 8, 4, BRAILLE, [2], 0),
        (120, 38, 8, 4, QUADRANTS, [2], 6),
        (120, 38, 2, 2, QUADRANTS, [1, 0], 10),
        (140, 60, 8, 4, HALF_BLOCKS, [2], 6),
        (150, 44, 8, 4, HALF_BLOCKS, [2], 0),
        (200, 58, 8, 4, HALF_BLOCKS, [2, 0, 1, 3], 10),
        (300, 100, 8, 4, HALF_BLOCKS, [0, 1, 2, 3], 10),
        (200, 58, 64, 4, HALF_BLOCKS, [2], 0),
        (120, 32, 2, 2, BRAILLE, [1, 0], 6),
        (160, 33, 2, 2, BRAILLE, [1, 0], 8),
        (180, 36, 2, 2, BRAILLE, [0, 1], 10),
        (80, 22, 64, 9, BRAILLE, [2], 0),
    ],
)
def test_more_room_shows_more_and_solid_blocks_wherever_they_fit(
    width: int, height: int, squares: int, seats: int, screen: Cells, drawn: list[int], dial_rows: int
) -> None:
    chosen = min(2, seats - 1)
    layout = lay_out(width, height, squares, seats, seat=chosen)
    assert layout is not None
    (box,) = (each.box for each in layout.seats if each.seat == chosen)
    assert box.width == screen[0] + 2
    assert box.height in (screen[1] + 1, screen[1] + 2)
    assert ([each.seat for each in layout.seats], layout.dial_rows) == (drawn, dial_rows)


def test_where_the_mouse_is() -> None:
    layout = lay_out(80, 22, 8, 4)
    assert layout is not None
    assert (layout.seat_at(21, 1), layout.seat_at(3, 9), layout.square_at(70, 5)) == (1, 0, 1)
    assert (layout.seat_at(70, 5), layout.square_at(3, 9), layout.square_at(3, 21)) == (None, None, None)
