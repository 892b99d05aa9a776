"""The canvas that a seat's picture is put on."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from pi_app.displays.canvas import HEIGHT, WIDTH, PixelCanvas, area, pixel

ACROSS = st.tuples(st.integers(-9, WIDTH + 9), st.integers(-9, WIDTH + 9)).map(sorted)
DOWN = st.tuples(st.integers(-9, HEIGHT + 9), st.integers(-9, HEIGHT + 9)).map(sorted)


@given(ACROSS.filter(lambda xs: xs[0] < WIDTH and xs[1] > 0), DOWN)
def test_an_area_is_every_pixel_of_its_rectangle(across: list[int], down: list[int]) -> None:
    xs, ys = range(max(across[0], 0), min(across[1], WIDTH)), range(max(down[0], 0), min(down[1], HEIGHT))
    assert area(across[0], down[0], across[1], down[1]) == sum(1 << pixel(x, y) for x in xs for y in ys)


def put_at(places: range) -> None:
    """Put one block at each of these places."""
    for place in places:
        PixelCanvas().put(place % 100, place // 100, 20, 8, 1)


def test_pictures_at_ever_new_places_take_no_memory() -> None:
    put_at(range(200))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        put_at(range(200, 1200))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 10_000
