"""The guide goes through the first turn, from what the table shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.simulated.live.cells import width_of
from pi_app.simulated.live.guide import GLOWING, SENTENCES, GuideStep, step_after
from pi_app.simulated.live.keys import KEYS
from pi_app.simulated.live.values import Claiming
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import ANN, BEN, T01, T02, TABLE

OPEN = replace(TABLE, seats=(replace(ANN, claiming=Claiming.OPEN), BEN))
BOUND = replace(ANN, claiming=Claiming.BOUND, square="T01")
TURNING = replace(TABLE, seats=(BOUND, BEN), squares=(replace(T01, moving=True, turned=1.5), T02))
RESTS = replace(TABLE, seats=(BOUND, BEN), squares=(replace(T01, turned=2.0), T02))
EXPOSED = (replace(T01, turned=2.0, state="EXPOSED"), T02)
LOOKS = replace(TABLE, seats=(replace(ANN, held=True, pixels=b"\xff" * 1024), BEN), squares=EXPOSED)
AFTERWARDS = replace(TABLE, squares=EXPOSED)


def test_a_turn_goes_through_every_step_in_order() -> None:
    step, steps = GuideStep.TAP, []
    for table in (TABLE, OPEN, TURNING, RESTS, LOOKS, AFTERWARDS, TABLE):
        step = step_after(step, table)
        steps.append(step)
    assert steps == [
        GuideStep.TAP,
        GuideStep.TURN,
        GuideStep.WAIT,
        GuideStep.HOLD,
        GuideStep.LOOK,
        GuideStep.DONE,
        GuideStep.DONE,
    ]


def test_a_tap_that_is_taken_back_is_asked_for_again() -> None:
    assert step_after(GuideStep.TURN, TABLE) is GuideStep.TAP


def test_a_button_held_too_soon_is_no_look() -> None:
    held = replace(BOUND, held=True, pixels=b"\xff" * 1024)
    assert step_after(GuideStep.WAIT, replace(TURNING, seats=(held, BEN))) is GuideStep.WAIT


def test_the_keys_that_glow_are_keys_and_their_sentences_name_them() -> None:
    shown = {key.action: key.shown for key in KEYS}
    assert [shown[GLOWING[step]] for step in (GuideStep.TAP, GuideStep.TURN, GuideStep.HOLD, GuideStep.LOOK)] == [
        "c",
        "r",
        "l",
        "l",
    ]
    assert all(f"`{shown[action]}`" in SENTENCES[step] for step, action in GLOWING.items())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_fits_the_smallest_window(language: str) -> None:
    for sentence in SENTENCES.values():
        shown = words(language)(sentence).format(seat="Ann", square="T01").replace("`", "")
        assert width_of(f" » {shown}") <= 80, shown
