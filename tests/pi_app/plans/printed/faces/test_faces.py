"""The direction of the positions, and the text of a face."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.game.trap_table_file import load_sample
from pi_app.plans.pictures.marks import Mark, Text
from pi_app.plans.printed.faces.faces import Ring, clockwise_deg, full, numbers, width
from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS, PrintedSquare
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.plans.printed.faces.tables import with_clicks

CLICKS = st.integers(FEWEST_CLICKS, MOST_CLICKS)
MIDDLE = (100.0, 100.0)
RESTS_DEG = {6: 6.1, 12: 3.9, 24: 2.9}
"""How far off its middle a dial may rest, from the printed parts' page."""


def texts(marks: list[Mark]) -> list[Text]:
    return [mark for mark in marks if isinstance(mark, Text)]


def turned_ccw(at: tuple[float, float], deg: float) -> tuple[float, float]:
    """A point of the page after turning the paper counter-clockwise about the middle."""
    x, up, way = at[0] - MIDDLE[0], MIDDLE[1] - at[1], math.radians(deg)
    return x * math.cos(way) - up * math.sin(way), x * math.sin(way) + up * math.cos(way)


@given(CLICKS, st.integers(0, 100))
def test_t_dial_8_after_k_clicks_counter_clockwise_position_k_is_under_the_window(clicks: int, turned: int) -> None:
    """The test rotates by itself, without the formula that drew the face: the window is straight up."""
    square = PrintedSquare(clicks=clicks)
    shown = texts(list(numbers(Ring(MIDDLE, square))))
    x, up = turned_ccw(shown[turned % clicks].at, turned * 360 / clicks)
    assert shown[turned % clicks].text == str(turned % clicks)
    assert x == pytest.approx(0, abs=1e-9)
    assert square.window_from < up < square.window_to
    assert (shown[turned % clicks].turned_deg - turned * 360 / clicks) % 360 == pytest.approx(0, abs=1e-6) or (
        shown[turned % clicks].turned_deg - turned * 360 / clicks
    ) % 360 == pytest.approx(360, abs=1e-6)


@given(CLICKS, st.integers(0, 50))
def test_only_one_position_is_at_the_window(clicks: int, turned: int) -> None:
    from_window = [(clockwise_deg(k, clicks) - 360 * turned / clicks) % 360 for k in range(clicks)]
    there = [k for k, deg in enumerate(from_window) if min(deg, 360 - deg) < 1e-6]
    assert there == [turned % clicks]


@pytest.mark.parametrize("clicks", [6, 12, 24])
def test_numbers_stay_inside_their_window(clicks: int) -> None:
    square = PrintedSquare(clicks=clicks)
    for shown in texts(list(numbers(Ring(MIDDLE, square)))):
        foot = math.hypot(shown.at[0] - MIDDLE[0], shown.at[1] - MIDDLE[1])
        assert square.window_from < foot
        assert foot + 0.72 * shown.size < square.window_to
        half_deg = math.degrees(math.asin(width(shown.text, shown.size) / 2 / foot))
        assert half_deg + 1.5 <= square.window_half_deg + 0.1
        assert half_deg + RESTS_DEG[clicks] <= square.pitch_deg - square.window_half_deg, "no neighbour is visible"
        assert shown.size >= 2


def test_six_and_nine_are_underlined_where_both_are() -> None:
    lines_of = {clicks: len(list(numbers(Ring(MIDDLE, PrintedSquare(clicks=clicks))))) for clicks in (9, 10)}
    per_position = 3
    assert lines_of[10] - lines_of[9] == per_position + 2


def test_a_full_face_has_the_words_of_the_table() -> None:
    said = [mark.text for mark in texts(list(full(Ring(MIDDLE, PrintedSquare()), load_sample("SAMPLE-12"), "en")))]
    assert said[:5] == ["0", "Buzz Saw", "1", "7", "XP 11"]
    assert {"Monstrous", "Hand", "Clear", "disarmed", "6+", "XP 66"} <= {*said}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("clicks", [6, 12, 16])
def test_full_faces_are_readable_in_every_language(language: str, clicks: int) -> None:
    square = PrintedSquare(clicks=clicks)
    shown = texts(list(full(Ring(MIDDLE, square), with_clicks(clicks), language)))
    assert all(1.0 <= mark.size <= 1.65 for mark in shown)
    assert len([mark for mark in shown if mark.text == words(language)("XP {xp}").format(xp=11)]) >= 1
    for mark in shown:
        foot = math.hypot(mark.at[0] - MIDDLE[0], mark.at[1] - MIDDLE[1])
        assert foot < square.face_diameter / 2 - 0.5
        assert foot > square.face_hole_diameter / 2 + 0.5


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_the_borrowed_message_is_in_every_catalogue(language: str) -> None:
    assert words(language)("disarmed") != "disarmed"
