"""The first page, the help, and the page after a game."""

from __future__ import annotations

import pytest

from pi_app.simulated.live.cells import width_of
from pi_app.simulated.live.keys import KEYS
from pi_app.simulated.live.pages import draw_after, draw_help, draw_intro
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import EN, plain


def test_the_first_page_says_in_two_sentences_what_game_and_what_this_is() -> None:
    text = " ".join(plain(line).strip() for line in draw_intro(72, EN))
    assert text.startswith(
        "In Mage Knight 3D Dungeons traps hide under dials: you turn a dial by your die's roll, and only you may know "
        "what it then shows.  Trapdial reads the dial and tells that one player; this table is simulated, and you play "
        "every seat of it.  Three keys play a turn. In the bottom row they glow one after the other:"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_page_fits_the_smallest_window(language: str) -> None:
    lines = draw_intro(70, words(language))
    assert len(lines) <= 17
    assert max(width_of(plain(line)) for line in lines) <= 70


def test_the_help_has_every_key_by_all_its_names_and_every_command() -> None:
    rows = [plain(line) for line in draw_help(100, EN)]
    text = "\n".join(rows)
    assert text.startswith("Tap. Turn. Hold.\n  c          Tap your button: the next dial that moves is yours")
    assert all(key.names in text for key in KEYS if key.help)
    assert "  PgUp       show earlier lines; PgDn: later ones" in rows
    assert "  disarm SQUARE WHO quick|slow DIE DIE [DIE]" in text


@pytest.mark.parametrize("width", [60, 76, 110])
def test_no_line_of_the_help_is_too_wide(width: int) -> None:
    assert max(width_of(plain(line)) for line in draw_help(width, EN)) <= width


def test_after_a_game_long_lines_wrap_and_a_code_does_not() -> None:
    rows = [plain(line) for line in draw_after(20, ("  T01 was The Cage: Ann knew it.", "", "▀" * 30))]
    assert rows == ["  T01 was The Cage:", "  Ann knew it.", " ", "▀" * 30]
