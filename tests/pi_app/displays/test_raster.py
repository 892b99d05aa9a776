"""Rasterized shapes."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image, ImageDraw

from pi_app.displays import symbols
from pi_app.displays.raster import rows
from pi_app.displays.symbols import Ellipse, Polygon, Shape, box, disc, ring

SIDE = symbols.SIZE
FINER = 8
AS_PILLOW = 20
"""Pixels of an outline that may differ: Pillow's polygons include their borders, half a place broad."""


def art(drawn: tuple[int, ...], side: int) -> list[str]:
    return [f"{row:0{side}b}".replace("0", ".").replace("1", "#") for row in drawn]


def test_a_box_with_a_hole_and_what_lies_on_the_hole() -> None:
    shapes = [box(1, 1, 7, 6), box(2, 2, 6, 5, ink=False), box(3, 3, 4, 4)]
    assert art(rows(shapes, 8), 8) == [
        "........",
        ".######.",
        ".#....#.",
        ".#.#..#.",
        ".#....#.",
        ".######.",
        "........",
        "........",
    ]


def test_a_pixel_is_lit_where_half_of_it_is_ink() -> None:
    assert rows([box(0, 0, 0.5, 1)], 1) == (1,)
    assert rows([box(0, 0, 0.4, 1)], 1) == (0,)
    assert rows([box(0, 0, 1, 0.5)], 1) == (1,)


def test_a_triangle_points_to_where_its_corner_is() -> None:
    drawn = art(rows([Polygon(((0, 4), (4, 4), (4, 0)))], 4), 4)
    assert drawn == ["...#", "..##", ".###", "####"]


def test_a_disc_is_round() -> None:
    assert art(rows([disc(4, 4, 4)], 8), 8) == [
        "..####..",
        ".######.",
        "########",
        "########",
        "########",
        "########",
        ".######.",
        "..####..",
    ]


def test_what_lies_beside_the_box_is_left_out() -> None:
    assert rows([box(-5, -5, 20, 1), disc(30, 30, 3)], 3) == (0b111, 0, 0)


@given(
    x=some.floats(8, 20),
    y=some.floats(8, 20),
    rx=some.floats(2, 8),
    ry=some.floats(2, 8),
)
def test_an_ellipse_has_about_its_area(x: float, y: float, rx: float, ry: float) -> None:
    lit = sum(row.bit_count() for row in rows([Ellipse(x, y, rx, ry)], SIDE))
    rim = 2 * math.pi * max(rx, ry)
    assert abs(lit - math.pi * rx * ry) <= max(4, rim / 3)


@given(top=some.integers(0, 27), left=some.integers(0, 27), high=some.integers(1, 28), wide=some.integers(1, 28))
def test_a_box_on_whole_pixels_is_exact(top: int, left: int, high: int, wide: int) -> None:
    bottom, right = min(top + high, SIDE), min(left + wide, SIDE)
    row = (1 << SIDE - left) - (1 << SIDE - right)
    expected = tuple(row if top <= y < bottom else 0 for y in range(SIDE))
    assert rows([box(left, top, right, bottom)], SIDE) == expected


def test_a_ring_is_the_same_from_every_side() -> None:
    drawn = art(rows(ring(4, 4, 4, 2), 8), 8)
    assert drawn == drawn[::-1] == ["".join(column) for column in zip(*drawn, strict=True)]


@pytest.mark.parametrize("name", symbols.SYMBOLS)
def test_pillow_draws_nearly_the_same_symbols(name: str) -> None:
    ours = rows(symbols.SYMBOLS[name], SIDE)
    theirs = by_pillow(symbols.SYMBOLS[name])
    assert sum((one ^ other).bit_count() for one, other in zip(ours, theirs, strict=True)) <= AS_PILLOW


def by_pillow(shapes: tuple[Shape, ...]) -> list[int]:
    large = Image.new("L", (SIDE * FINER, SIDE * FINER))
    pen = ImageDraw.Draw(large)
    for shape in shapes:
        fill = 255 if shape.ink else 0
        if isinstance(shape, Polygon):
            pen.polygon([(x * FINER, y * FINER) for x, y in shape.points], fill=fill)
        else:
            corners = (shape.x - shape.rx, shape.y - shape.ry, shape.x + shape.rx, shape.y + shape.ry)
            pen.ellipse([corner * FINER for corner in corners], fill=fill)
    small = large.resize((SIDE, SIDE), Image.Resampling.BOX).tobytes()
    lines = (small[y * SIDE : (y + 1) * SIDE] for y in range(SIDE))
    return [int("".join("1" if grey >= 120 else "0" for grey in line), 2) for line in lines]


def test_no_imaging_library_is_loaded_for_a_seats_screen() -> None:
    program = (
        "import sys; from pi_app.displays.picture import draw, prepare; "
        "from pi_app.report.pictures import ShowFace; prepare(); "
        "sys.exit(any(name.split('.')[0] in ('PIL', 'luma') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
