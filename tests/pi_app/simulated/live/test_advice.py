"""The advice from the first tap to the end of the game."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.simulated.live import advice as module
from pi_app.simulated.live.advice import advice
from pi_app.simulated.live.cells import width_of
from pi_app.simulated.live.values import Claiming, LiveSeat, SquareView, Stage
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests import catalogues
from tests.pi_app.simulated.live.views import ANN, BEN, T01, T02, TABLE

OPEN = replace(ANN, claiming=Claiming.OPEN)
BOUND = replace(ANN, claiming=Claiming.BOUND, square="T01")
EXPOSED = replace(T01, state="EXPOSED", told="exposed by Ann", turned=4.0)
TURNED = replace(T01, turned=4.0)


@pytest.mark.parametrize(
    ("seat", "square", "told"),
    [
        (ANN, T01, "Tap: `c` taps Ann's button and claims the next dial that moves."),
        (OPEN, T01, "Turn: `r` rolls a die for Ann and turns T01 by it. `c` takes the tap back."),
        (
            OPEN,
            replace(T01, plugged=False),
            "The lead of T01 is pulled: `p` plugs it in, or choose another square.",
        ),
        (OPEN, EXPOSED, "Turn: choose a concealed square with `←` `→`, then `r` rolls and turns its dial."),
        (BOUND, replace(TURNED, moving=True), "Ann turns T01, click by click."),
        (BOUND, T01, "Turn: choose T01, then `r` rolls a die and turns it."),
        (BOUND, TURNED, "Hold: `l` presses the button and shows T01 to Ann alone."),
        (
            BOUND,
            replace(TURNED, between=True),
            "T01 is between two clicks: choose it, and `b` turns it to one.",
        ),
        (
            BOUND,
            replace(TURNED, plugged=False),
            "The lead of T01 is pulled in mid-turn: choose it, and `p` plugs it in.",
        ),
        (replace(BOUND, held=True), TURNED, "Ann holds the button and sees what this seat may see: `l` releases it."),
        (replace(ANN, held=True), EXPOSED, "Ann holds the button and sees what this seat may see: `l` releases it."),
        (ANN, EXPOSED, "`l` looks again, `d⏎` disarms T01, `t⏎` triggers it for Ann; or choose another."),
        (
            ANN,
            replace(EXPOSED, state="TRIGGERED"),
            "`l` looks, as everyone may now; `d⏎` disarms T01; or choose another square.",
        ),
        (
            ANN,
            replace(EXPOSED, state="DISARMED"),
            "Nothing more happens on T01: choose another square with `←` `→`.",
        ),
        (
            ANN,
            replace(T01, plugged=False),
            "The lead of T01 is pulled; the other dials still work. `p` plugs it in.",
        ),
        (ANN, replace(T01, moving=True), "T01 is being turned without a claim."),
        (ANN, replace(T01, between=True), "T01 is between two clicks: `b` turns it to one."),
    ],
)
def test_the_next_step(seat: LiveSeat, square: SquareView, told: str) -> None:
    table = replace(TABLE, squares=(square, T02), seats=(seat, BEN))
    assert advice(table, seat, square, words("en")) == told


@pytest.mark.parametrize(
    ("seat", "square", "told"),
    [
        (ANN, EXPOSED, "`l` looks again, `d⏎` disarms T01, `t⏎` triggers it for Ann."),
        (ANN, replace(EXPOSED, state="TRIGGERED"), "`l` looks, as everyone may now; `d⏎` disarms T01."),
        (ANN, replace(EXPOSED, state="DISARMED"), "Nothing more happens on T01."),
        (OPEN, replace(T01, plugged=False), "The lead of T01 is pulled: `p` plugs it in."),
        (OPEN, EXPOSED, "There is no concealed square to turn. `c` takes the tap back."),
    ],
)
def test_a_table_of_one_square_offers_no_other(seat: LiveSeat, square: SquareView, told: str) -> None:
    table = replace(TABLE, squares=(square,), seats=(seat, BEN))
    assert advice(table, seat, square, words("en")) == told


def test_one_waits_for_another() -> None:
    table = replace(TABLE, seats=(ANN, replace(BEN, claiming=Claiming.OPEN)))
    assert advice(table, ANN, T01, words("en")) == "Ben turns a dial first; then `c` taps for Ann."


@pytest.mark.parametrize(
    ("stage", "told"),
    [
        (Stage.STARTING, "The dials are being read for the first time."),
        (Stage.ENDED, "The game is over: `n` has every dial turned back and begins another."),
    ],
)
def test_before_and_after_a_game(stage: Stage, told: str) -> None:
    assert advice(replace(TABLE, stage=stage), ANN, T01, words("en")) == told


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_the_smallest_terminal_has_room_for_the_whole_sentence(language: str) -> None:
    """In a row of 80 that begins with ` » `, with names of three letters as in the example."""
    sentences = [str(ast.literal_eval(mark.args[0])) for mark in catalogues.marks(Path(module.__file__))]
    said = [words(language)(sentence).replace("`", "") for sentence in sentences]
    too_wide = [each for each in said if width_of(re.sub(r"{\w+}", "Ann", each)) > 77]
    assert len(said) > 15
    assert too_wide == []
