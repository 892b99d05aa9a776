"""Rendered pictures of simple solids."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from pi_app.plans.printed.solid import block, rectangle, triangles
from tests.docs.pictures.pictured import pixels_of
from tests.docs.pictures.render import Look, Pixels, png, shot

RED, BLUE = (220, 40, 40), (40, 40, 220)
CUBE = triangles(block(rectangle(0, 0, 10, 10), 0, 10))


def colour_at(pixels: Pixels, at: tuple[float, float]) -> str:
    red, green, blue, there = pixels[round(at[1]), round(at[0])].tolist()
    if there < 128:
        return "nothing"
    return "red" if red > 2 * max(green, blue) else "blue" if blue > 2 * max(red, green) else "other"


def test_a_body_without_a_colour_is_a_hole_in_the_picture() -> None:
    over = triangles(block(rectangle(0, 0, 5, 10), 11, 12))
    made = shot([(CUBE, RED), (over, None)], Look(0, 90, 10))
    assert colour_at(made.pixels, made.place((2.5, 5, 12))) == "nothing"
    assert colour_at(made.pixels, made.place((7.5, 5, 10))) == "red"


def test_the_top_is_visible_from_above() -> None:
    over = triangles(block(rectangle(0, 0, 5, 10), 11, 12))
    made = shot([(CUBE, RED), (over, BLUE)], Look(0, 90, 10))
    assert made.pixels.shape == (120, 120, 4)
    assert colour_at(made.pixels, made.place((2.5, 5, 12))) == "blue"
    assert colour_at(made.pixels, made.place((7.5, 5, 10))) == "red"
    assert made.pixels[0, 0].tolist() == [0, 0, 0, 0]


def test_nearer_bodies_hide_farther_ones() -> None:
    behind = triangles(block(rectangle(2, 20, 8, 22), 2, 8))
    made = shot([(behind, BLUE), (CUBE, RED)], Look(0, 0, 10))
    assert colour_at(made.pixels, made.place((5, 0, 5))) == "red"
    from_north = shot([(behind, BLUE), (CUBE, RED)], Look(180, 0, 10))
    assert colour_at(from_north.pixels, from_north.place((5, 22, 5))) == "blue"


@pytest.mark.parametrize(("round_deg", "right"), [(0, (1, 0, 0)), (90, (0, 1, 0)), (180, (-1, 0, 0))])
def test_the_view_turns_counter_clockwise(round_deg: float, right: tuple[int, int, int]) -> None:
    axes = Look(round_deg, 0).axes()
    assert axes[0] == pytest.approx(right)
    assert np.linalg.det(axes) == pytest.approx(1)


def test_the_png_is_valid() -> None:
    pixels = shot([(CUBE, RED)], Look(scale=2)).pixels
    data = png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == pixels.shape[1::-1]
    assert struct.unpack(">I", data[29:33])[0] == zlib.crc32(data[12:29])
    assert (pixels_of(data) == pixels).all()
