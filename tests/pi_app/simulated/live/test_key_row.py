"""The bottom row: which keys it offers, which it keeps, and the one that glows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.simulated.live.cells import width_of
from pi_app.simulated.live.key_row import draw_keys
from pi_app.simulated.live.keys import AFTER_KEYS, FAULT_KEYS, INTRO_KEYS, TYPING_KEYS, offer_keys
from pi_app.simulated.live.values import Stage
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import EN, T01, T02, TABLE, plain

KEYS = offer_keys(TABLE, T01)


def test_the_bottom_row_keeps_what_matters_most() -> None:
    line, spots = draw_keys(80, KEYS, EN)
    assert plain(line).rstrip() == " 1-2 seat  ←→ square  c tap  r turn  l hold  p plug  s screens  ? help  q quit"
    assert [plain(line)[start:end] for start, end, action in spots if action == "roll"] == ["r turn"]
    assert plain(draw_keys(40, KEYS, EN)[0]).rstrip() == " c tap  r turn  l hold  ? help  q quit"


def test_keys_that_only_write_a_command_show_enter() -> None:
    row = plain(draw_keys(250, KEYS, EN)[0])
    assert "t⏎ trigger  d⏎ disarm  D⏎ slowly  e⏎ also expose  0 to start  n⏎ new game" in row
    assert "/ command" in row


def test_one_key_glows_and_nothing_moves() -> None:
    row, glowing = plain(draw_keys(80, KEYS, EN)[0]), plain(draw_keys(80, KEYS, EN, "roll")[0])
    assert "▸r turn◂" in glowing
    assert glowing.replace("▸", " ").replace("◂", " ") == row


@pytest.mark.parametrize(
    ("table", "there", "missing"),
    [
        (TABLE, "c t⏎ n⏎", "u a"),
        (replace(TABLE, squares=(T01,)), "c", "←→"),
        (replace(TABLE, stage=Stage.ENDED, after=("It is over.",)), "a n 0", "c r l t⏎ d⏎ e⏎"),
    ],
)
def test_a_key_is_offered_when_it_does_something(table: object, there: str, missing: str) -> None:
    shown = {key.shown for key in offer_keys(table, T01)}  # type: ignore[arg-type]
    assert set(there.split()) <= shown
    assert not set(missing.split()) & shown


def test_a_cable_is_offered_where_there_is_one() -> None:
    assert "u" in {key.shown for key in offer_keys(TABLE, replace(T02, cabled=True))}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("keys", [INTRO_KEYS, TYPING_KEYS, AFTER_KEYS, FAULT_KEYS])
def test_the_keys_of_a_page_fit_the_smallest_window(language: str, keys: tuple[object, ...]) -> None:
    line, spots = draw_keys(80, keys, words(language))  # type: ignore[arg-type]
    assert len(spots) == len(keys)
    assert width_of(plain(line)) == 80


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_three_keys_of_a_turn_are_offered_in_every_language(language: str) -> None:
    actions = {action for _, _, action in draw_keys(80, KEYS, words(language))[1]}
    assert {"tap", "roll", "hold", "help", "leave"} <= actions
