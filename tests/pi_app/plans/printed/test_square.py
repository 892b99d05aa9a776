"""The numbers of a square, and the refusal of numbers that make none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS, PrintedSquare, check, problems
from pi_app.text.errors import UserFileError


@pytest.mark.parametrize("clicks", range(FEWEST_CLICKS, MOST_CLICKS + 1))
def test_every_number_of_clicks_has_a_square(clicks: int) -> None:
    assert problems(PrintedSquare(clicks=clicks)) == ()


def test_the_usual_square_by_hand() -> None:
    square = PrintedSquare()
    assert round(square.cam_radius, 3) == 10.91
    assert (square.lobe, square.pitch_deg) == (2.0, 30)
    assert round(square.height, 6) == 21.9
    assert (square.face_diameter, square.face_hole_diameter) == (37, 16)


def test_too_few_clicks() -> None:
    assert problems(PrintedSquare(clicks=5)) == (
        "trap square (clicks): the lobes of 5 clicks are so long and flat that friction holds the dial between two. "
        "Print dials of 6 to 24 clicks.",
    )


def test_too_many_clicks() -> None:
    assert problems(PrintedSquare(clicks=25)) == (
        "trap square (clicks): the lobes of 25 clicks are too low to feel, with too little room for a number. "
        "Print dials of 6 to 24 clicks.",
    )


def test_all_problems_at_once() -> None:
    told = problems(replace(PrintedSquare(), wall=1.0, running_gap=0.1, air_gap=4, pocket_diameter=5.9))
    assert told == (
        "trap square (wall): it is 1.00 mm, must be at least 1.2 mm. Make it thicker.",
        "trap square (running_gap): the gap between the parts is 0.10 mm, must be at least 0.2 mm. Make it wider.",
        "trap square (air_gap): the magnet is 4 mm from the chip, must be 0.5 to 3 mm. Use 1 mm.",
        "trap square (pocket_diameter): a magnet of 6 x 2.5 mm does not fit a pocket of 5.9 x 2.6 mm. "
        "Make the pocket 0.1 mm larger than the magnet.",
    )


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_value_that_is_no_length(value: float) -> None:
    (told,) = problems(replace(PrintedSquare(), deck=value))
    assert told == f"trap square (deck): it is {value}. Give a length above 0 mm."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shaft_diameter", 8.0),
        ("cam_least_radius", 5.5),
        ("spring_at", 12.0),
        ("dial_diameter", 45.0),
        ("window_from", 9.0),
        ("window_to", 18.4),
        ("screw_at", 20.5),
        ("board", 30.0),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: float) -> None:
    changed: dict[str, Any] = {name: value}
    square = replace(PrintedSquare(clicks=6 if name == "cam_least_radius" else 12), **changed)
    assert any(name in told or "pocket_diameter" in told for told in problems(square))


def test_numbers_that_make_no_square_are_refused() -> None:
    with pytest.raises(UserFileError) as refused:
        check(PrintedSquare(clicks=40))
    assert refused.value.problems == problems(PrintedSquare(clicks=40))
