"""`lamp_code` of a seat: its default, and where it cannot be."""

from __future__ import annotations

import pytest

from tests.pi_app.settings.good import changed, errors, good


def test_a_seat_with_a_screen_has_another_pattern_at_each_look_and_one_without_the_public_card() -> None:
    seats = good(changed("lamp_gpio = 21", "lamp_gpio = 21")).seats
    assert (seats["ANN"].lamp_code, seats["ANN"].lamp_kind) == (None, "once")
    assert (seats["BEN"].lamp_code, seats["BEN"].lamp_kind) == (None, "public")


def test_a_seat_with_a_screen_alone_has_nothing_to_deal() -> None:
    ann = good(changed("lamp_gpio = 20\n", "")).seats["ANN"]
    assert (ann.has_lamp, ann.lamp_kind) == (False, "public")


@pytest.mark.parametrize("kind", ["public", "dealt", "once"])
def test_a_seat_with_a_screen_may_choose(kind: str) -> None:
    assert good(changed("lamp_gpio = 20", f'lamp_gpio = 20\nlamp_code = "{kind}"')).seats["ANN"].lamp_kind == kind


def test_a_lamp_of_three_colours_may_have_a_dealt_code() -> None:
    lamp = 'lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 13}\nlamp_code = "dealt"'
    assert good(changed("lamp_gpio = 21", lamp)).seats["BEN"].lamp_kind == "dealt"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "lamp_gpio = 21",
            'lamp_gpio = 21\nlamp_code = "once"',
            "t.toml [seat.BEN] lamp_code = 'once': each look has another pattern, which only a screen explains; write "
            "'dealt' at a seat without one",
        ),
        (
            "lamp_gpio = 20",
            'lamp_code = "dealt"',
            "t.toml [seat.ANN] lamp_code = 'dealt': this seat has no lamp; name its `lamp_gpio`, or leave this out",
        ),
        (
            "lamp_gpio = 21",
            'lamp_gpio = 21\nlamp_code = "secret"',
            "t.toml [seat.BEN] lamp_code = 'secret': must be 'public', 'dealt' or 'once'",
        ),
    ],
)
def test_what_cannot_be_is_refused_once(old: str, new: str, message: str) -> None:
    assert errors(changed(old, new)) == [message]
