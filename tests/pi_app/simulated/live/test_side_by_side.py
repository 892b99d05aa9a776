"""All screens at once, at every size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.simulated.live.cells import Canvas, braille_reduced, width_of
from pi_app.simulated.live.layout import CellBox
from pi_app.simulated.live.side_by_side import SEEN, SmallScreen, draw_side_by_side, place
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import ANN, DARK, TABLE, plain

SIZES = [(80, 22), (80, 28), (100, 28), (120, 38), (160, 48), (300, 100)]
LIT = replace(ANN, pixels=b"\xff" * 1024, held=True, lamp=True)
SEATS = (LIT, *(replace(ANN, seat=name.upper(), name=name) for name in ("Ben", "Cal", "Dee")))


def drawn(width: int, height: int, language: str = "en", chosen: int = 0) -> tuple[list[str], tuple[SmallScreen, ...]]:
    canvas = Canvas(width, height, "text@ground")
    table = replace(TABLE, seats=SEATS)
    box = CellBox(0, 1, width, height - 2)
    places = draw_side_by_side(canvas, box, table, chosen, words(language), others_saw=True)
    return [plain(line) for line in canvas.lines()], places


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_one_is_lit_and_three_are_dark_at_every_size(width: int, height: int, language: str) -> None:
    rows, places = drawn(width, height, language)
    assert {width_of(row) for row in rows} == {width}
    assert [each.seat for each in places] == [0, 1, 2, 3]
    for each in places:
        box = each.box
        title, *glass = (row[box.x : box.x + box.width] for row in rows[box.y : box.y + box.height])
        assert SEATS[each.seat].name in title
        assert words(language)("lit" if each.seat == 0 else "dark") in title
        assert len(glass) >= 4
        assert set("".join(glass)) == ({"⣿"} if each.seat == 0 else {" "})
    said = " ".join(" ".join(rows).split())
    assert " ".join(words(language)(SEEN).split()) in said


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("seats", range(1, 10))
def test_screens_never_overlap_and_never_leave_the_picture(width: int, height: int, seats: int) -> None:
    for chosen in (0, seats - 1):
        taken: set[tuple[int, int]] = set()
        for each in place(width, height - 4, seats, chosen):
            box = each.box
            area = {(x, y) for x in range(box.x, box.x + box.width) for y in range(box.y, box.y + box.height)}
            assert not area & taken
            assert box.x + box.width <= width
            assert box.y + box.height <= height - 4
            taken |= area


def test_there_is_a_place_for_every_seat_and_the_chosen_one_is_whole() -> None:
    places = place(80, 18, 4, 2)
    assert [each.seat for each in places] == [2, 0, 1, 3]
    assert [each.scale for each in places] == [1, 4, 4, 4]
    assert [each.scale for each in place(160, 46, 4, 2)] == [1, 1, 1, 1]


def test_a_reduced_screen_keeps_every_light() -> None:
    lit = bytearray(DARK)
    lit[5 * 128 + 77] = 0b0001_0000  # at x 77, y 44
    assert [
        (x, y) for y, row in enumerate(braille_reduced(bytes(lit), 4)) for x, cell in enumerate(row) if cell > " "
    ] == [(77 // 8, 44 // 16)]
    assert [len(row) for row in braille_reduced(DARK, 4)] == [16] * 4
