"""What a seat without a screen reads: its flashes and its card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.report.lamp_code import CODE, CodeWord, signs, spoken
from pi_app.simulated.live.cells import Canvas
from pi_app.simulated.live.lamp_panel import draw_lamp_panel
from pi_app.simulated.live.lamp_reading import card_rows
from pi_app.simulated.live.layout import CellBox
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import ANN, plain

LAMP_ONLY = replace(ANN, pixels=None, card=card_rows(""))


def drawn(flashes: tuple[bool, ...], language: str = "en", width: int = 64, height: int = 16) -> list[str]:
    canvas = Canvas(width, height, "text@ground")
    draw_lamp_panel(canvas, CellBox(0, 0, width, height), replace(LAMP_ONLY, flashes=flashes), words(language))
    return [plain(line).rstrip() for line in canvas.lines()]


def test_the_flashes_come_one_by_one_and_the_card_narrows_down() -> None:
    word = CODE[CodeWord.CAGE]
    assert "  1 ▬   2     3     4     5     ▬ long, · short" in drawn(word[:1])
    assert "  1 ▬   2 ·   3 ·   4 ▬   5     ▬ long, · short" in drawn(word[:4])
    marked = [sum(row.startswith("  ▸") for row in drawn(word[:n])) for n in range(6)]
    assert marked == [0, 4, 3, 2, 1, 1]
    assert "  ▸ ▬ · · ▬ ·   The Cage" in drawn(word)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_smallest_screen_has_room_for_the_whole_card_in_every_language(language: str) -> None:
    rows = drawn(CODE[CodeWord.CLEAR], language)
    assert "…" not in "".join(rows)
    for word, flashes in CODE.items():
        assert any(row.endswith(f"{' '.join(signs(flashes))}   {words(language)(spoken(word))}") for row in rows)
