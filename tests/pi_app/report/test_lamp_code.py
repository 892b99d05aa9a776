"""The codes of the lamp: the public one, the dealt ones, and their cards."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pi_app.game.lamp_deal import ONCE
from pi_app.game.state import Game, Seat
from pi_app.report.lamp_code import CODE, PATTERNS, CodeWord, Flashes, card, card_code, dealt_code
from pi_app.report.pictures import ShowCard
from pi_app.report.seat_screen import CARD_PAGES, seat_card
from pi_app.text.language import words

ORDER = "jcaebdfghi"
"""Buzz Saw has the last pattern, The Cage the third, Falling Weight the first."""


def game(lamp: str) -> Game:
    return Game(seats={"ANN": Seat("ANN", "Ann", "de", lamp=lamp)})


def test_what_each_kind_has_on_its_card() -> None:
    assert card_code("") is CODE
    assert card_code(ONCE) is None
    dealt = card_code(ORDER)
    assert dealt is not None
    assert set(dealt) == set(CodeWord)
    assert (dealt[CodeWord.BUZZ_SAW], dealt[CodeWord.CAGE]) == (PATTERNS[9], PATTERNS[2])
    assert (dealt_code(""), dealt_code(ONCE), dealt_code(ORDER)) == (None, None, dealt)


def test_a_dealt_card_is_sorted_by_its_flashes() -> None:
    dealt = card_code(ORDER)
    assert dealt is not None
    assert all(one > other for one, other in pairwise(dealt.values()))
    rows = card(str, dealt).splitlines()[4:]
    assert rows[:3] == ["  ▬ ▬ · · ·   Falling Weight", "  ▬ · ▬ · ·   Jaws of Doom", "  ▬ · · ▬ ·   The Cage"]


def test_one_order_of_the_letters_is_the_public_code() -> None:
    """So a dealt code may happen to be the public one: leaving it out would tell something."""
    letters = "".join("abcdefghij"[PATTERNS.index(CODE[word])] for word in CodeWord)
    assert card_code(letters) == CODE


def one_swap_away(pattern: Flashes) -> int:
    """How many patterns differ from this one by a swap of two adjacent flashes."""
    near = {(*pattern[:n], pattern[n + 1], pattern[n], *pattern[n + 2 :]) for n in range(4)} - {pattern}
    return len(near & set(PATTERNS))


def test_what_a_dealt_code_costs_as_the_docs_say() -> None:
    """How many of the eight traps are one swap away from clear: one on the public card, two on average if dealt."""
    assert one_swap_away(CODE[CodeWord.CLEAR]) == 1
    assert sum(map(one_swap_away, PATTERNS)) / len(PATTERNS) * 8 / 9 == pytest.approx(2.1, abs=0.05)


def test_the_pages_of_a_screen_hold_the_whole_card() -> None:
    dealt = card_code(ORDER)
    pages = [seat_card(game(ORDER), "ANN", page, words("de")) for page in range(len(CARD_PAGES))]
    shown = [page for page in pages if isinstance(page, ShowCard)]
    assert [page.page for page in shown] == ["1/4", "2/4", "3/4", "4/4"]
    assert {page.title for page in shown} == {"Deine Lampe"}
    rows = [row for page in shown for row in page.rows]
    assert dealt is not None
    assert [flashes for flashes, _ in rows] == [*dealt.values()]
    assert rows[0][1] == "3t-Gewicht"
    assert repr(shown[0]) == "ShowCard((sealed))"


def test_a_seat_without_a_dealt_code_has_no_page() -> None:
    assert seat_card(game(""), "ANN", 0, str) is None
    assert seat_card(game(ONCE), "ANN", 0, str) is None
