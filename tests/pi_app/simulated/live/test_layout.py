"""Every layout fits its screen, shows the chosen ones, and no two boxes share a cell."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.simulated.live.layout import LEAST_HEIGHT, LEAST_WIDTH, CellBox, ScreenLayout, lay_out


def boxes(layout: ScreenLayout) -> list[CellBox]:
    parts = [layout.header, layout.log, layout.hint]
    return [box for _, box in (*layout.squares, *layout.seats, *layout.strip)] + parts


def apart(one: CellBox, other: CellBox) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    return beside or one.y + one.height <= other.y or other.y + other.height <= one.y


@settings(max_examples=120, deadline=None)
@given(
    width=st.integers(LEAST_WIDTH, 320),
    height=st.integers(LEAST_HEIGHT, 110),
    squares=st.integers(1, 64),
    seats=st.integers(1, 8),
    zoom=st.booleans(),
    data=st.data(),
)
def test_everything_fits_and_nothing_overlaps(
    width: int, height: int, squares: int, seats: int, zoom: bool, data: st.DataObject
) -> None:
    seat, square = data.draw(st.integers(0, seats - 1)), data.draw(st.integers(0, squares - 1))
    layout = lay_out(width, height, squares, seats, seat=seat, square=square, zoom=zoom)
    assert layout is not None
    for box in boxes(layout):
        assert 0 <= box.x < box.x + box.width <= width
        assert 0 <= box.y < box.y + box.height <= height
    assert all(apart(one, other) for one, other in combinations(boxes(layout), 2))
    assert square in [number for number, _ in layout.squares]
    assert seat in [number for number, _ in layout.seats]
    assert {number for number, _ in (*layout.seats, *layout.strip)} == set(range(seats))
    assert layout.dial_rows == 0 or len(layout.squares) == squares


@pytest.mark.parametrize("size", [(LEAST_WIDTH - 1, 40), (120, LEAST_HEIGHT - 1), (0, 0)])
def test_too_few_cells_are_no_layout(size: tuple[int, int]) -> None:
    assert lay_out(*size, 8, 4) is None


@pytest.mark.parametrize(
    ("width", "height", "squares", "seats", "shown", "dial_rows", "blocks"),
    [
        (80, 22, 8, 4, [2], 0, False),
        (120, 38, 8, 4, [2], 6, False),
        (120, 38, 2, 2, [0, 1], 10, False),
        (140, 60, 8, 4, [0, 1, 2, 3], 6, False),
        (200, 58, 8, 4, [0, 1, 2, 3], 10, False),
        (300, 100, 8, 4, [0, 1, 2, 3], 10, True),
        (200, 58, 64, 4, [2], 0, False),
    ],
)
def test_more_room_shows_more(
    width: int, height: int, squares: int, seats: int, shown: list[int], dial_rows: int, blocks: bool
) -> None:
    layout = lay_out(width, height, squares, seats, seat=min(2, seats - 1))
    assert layout is not None
    assert ([number for number, _ in layout.seats], layout.dial_rows, layout.blocks) == (shown, dial_rows, blocks)


def test_zoom_gives_one_seat_a_cell_for_each_two_pixels() -> None:
    layout = lay_out(200, 58, 8, 4, seat=3, zoom=True)
    assert layout is not None
    assert layout.blocks
    assert layout.seats == ((3, CellBox(0, 15, 130, 33)),)


def test_where_the_mouse_is() -> None:
    layout = lay_out(80, 22, 8, 4)
    assert layout is not None
    assert (layout.seat_at(21, 1), layout.seat_at(3, 9), layout.square_at(70, 5)) == (1, 0, 1)
    assert (layout.seat_at(70, 5), layout.square_at(3, 9), layout.square_at(3, 21)) == (None, None, None)
