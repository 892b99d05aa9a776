"""All screens at once, at every size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.simulated.live.cells import BRAILLE, HALF_BLOCKS, QUADRANTS, Canvas, Cells, width_of
from pi_app.simulated.live.lamp_reading import card_rows
from pi_app.simulated.live.layout import CellBox, SeatBox
from pi_app.simulated.live.side_by_side import SEEN, draw_side_by_side, place
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import ANN, TABLE, plain

SIZES = [(80, 22), (80, 28), (100, 28), (120, 38), (160, 48), (300, 100)]
LIT = replace(ANN, pixels=b"\xff" * 1024, held=True, lamp=True)
SEATS = (LIT, *(replace(ANN, seat=name.upper(), name=name) for name in ("Ben", "Cal", "Dee")))


def drawn(width: int, height: int, language: str = "en", chosen: int = 0) -> tuple[list[str], tuple[SeatBox, ...]]:
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
        assert len(glass) >= 5
        assert all((row[0], row[-1]) == ("│", "│") for row in glass[:-1])
        assert glass[-1] == f"└{'─' * (box.width - 2)}┘"
        inside = "".join(row[1:-1] for row in glass[:-1])
        assert set(inside) == ({" "} if each.seat else {"⣿"} if box.height == BRAILLE[1] + 2 else {"█"})
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


@pytest.mark.parametrize(
    ("size", "screen"),
    [
        ((80, 18), BRAILLE),
        ((100, 24), BRAILLE),
        ((120, 34), QUADRANTS),
        ((150, 40), HALF_BLOCKS),
        ((200, 54), HALF_BLOCKS),
    ],
)
def test_the_chosen_screen_is_as_large_as_the_window_allows(size: tuple[int, int], screen: Cells) -> None:
    chosen, *others = place(*size, 4, 2)
    assert chosen == SeatBox(2, CellBox(0, 0, screen[0] + 2, screen[1] + 2))
    assert [each.seat for each in others] == [0, 1, 3]
    assert all(each.box.height >= 6 for each in others)


def test_a_lamp_has_its_card_where_a_screen_would_be() -> None:
    canvas = Canvas(80, 22, "text@ground")
    lamp = replace(ANN, pixels=None, card=card_rows(""))
    table = replace(TABLE, seats=(lamp, replace(ANN, name="Ben")))
    draw_side_by_side(canvas, CellBox(0, 1, 80, 20), table, 0, words("en"), others_saw=False)
    rows = [plain(line) for line in canvas.lines()]
    assert rows[1].startswith("▸1 Ann – ○ dark")
    assert any("▬ · · ▬ ·   The Cage" in row for row in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_the_smallest_window_a_line_of_the_table_is_read_below_what_the_others_saw(language: str) -> None:
    assert width_of(words(language)(SEEN)) <= 78
    assert "Finding T-AUD-2" in drawn(80, 22, language)[0][-2]
