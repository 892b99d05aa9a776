"""What a newcomer is told to do next, from the first tap to the end of the game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.displays.words import words
from pi_app.live.advice import advice
from pi_app.live.values import Claiming, SeatView, SquareView, Stage
from tests.pi_app.live.views import ANN, BEN, T01, T02, TABLE

OPEN = replace(ANN, claiming=Claiming.OPEN)
BOUND = replace(ANN, claiming=Claiming.BOUND, square="T01")
EXPOSED = replace(T01, state="EXPOSED", told="exposed by Ann", turned=4.0)
TURNED = replace(T01, turned=4.0)


@pytest.mark.parametrize(
    ("seat", "square", "told"),
    [
        (ANN, T01, "Tap: `c` taps Ann's button. Then the next dial that moves is Ann's to read."),
        (OPEN, T01, "Turn: `r` rolls a die for Ann and turns T01 that many clicks. `c` takes the tap back."),
        (
            OPEN,
            replace(T01, plugged=False),
            "The lead of T01 is pulled: `p` puts it back, or choose another square.",
        ),
        (OPEN, EXPOSED, "Turn: choose a concealed square with `←` `→`, then `r` rolls a die and turns its dial."),
        (BOUND, replace(TURNED, moving=True), "Ann turns T01, click by click."),
        (BOUND, T01, "Turn: choose T01, then `r` rolls a die and turns it."),
        (BOUND, TURNED, "Hold: `l` presses Ann's button to look at T01. Only this seat is shown it."),
        (
            BOUND,
            replace(TURNED, between=True),
            "T01 stands between two clicks: choose it, and `b` seats it. Nothing is guessed until then.",
        ),
        (
            BOUND,
            replace(TURNED, plugged=False),
            "The lead of T01 is pulled in the middle of a turn: choose it, and `p` puts it back.",
        ),
        (replace(BOUND, held=True), TURNED, "Ann holds the button and sees what this seat may see: `l` lets go."),
        (replace(ANN, held=True), EXPOSED, "Ann holds the button and sees what this seat may see: `l` lets go."),
        (ANN, EXPOSED, "`l` looks again, `d` disarms T01 and `t` sets it off for Ann; or choose another square."),
        (
            ANN,
            replace(EXPOSED, state="TRIGGERED"),
            "`l` looks, as everyone may now; `d` disarms T01; or choose another square.",
        ),
        (
            ANN,
            replace(EXPOSED, state="DISARMED"),
            "Nothing more happens on T01: choose another square with `←` `→`.",
        ),
        (
            ANN,
            replace(T01, plugged=False),
            "The lead of T01 is pulled, and the others do not notice: `p` puts it back.",
        ),
        (ANN, replace(T01, moving=True), "T01 is being turned, and nobody has claimed it."),
        (ANN, replace(T01, between=True), "T01 stands between two clicks: `b` seats it."),
    ],
)
def test_the_next_step(seat: SeatView, square: SquareView, told: str) -> None:
    table = replace(TABLE, squares=(square, T02), seats=(seat, BEN))
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
