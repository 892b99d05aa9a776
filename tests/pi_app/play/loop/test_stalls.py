"""A machine that stalls: open claims are confirmed or end, visibly, and never take the next player's dial."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pi_app.displays.seat import code_word
from pi_app.report.lamp_code import CodeWord
from pi_app.report.seat_screen import Attention, seat_says
from pi_app.simulated import actions
from pi_app.text.language import words
from tests.crash.disk import Op, Synced
from tests.crash.recorder import recording
from tests.everyday import first
from tests.pi_app.playing import CAGE, Played, table

STALL_MS = 200.0
WHICH = "Which dial do you mean? Tap again, then turn one."


def stall(at: Played) -> None:
    at.demo.act(actions.InjectFault("T02", "gap", STALL_MS))


def claim_of(at: Played, seat: str) -> str | None:
    """Return the square of a seat's claim; empty while it is open."""
    claim = at.demo.loop.moment.game.claim_of(seat)
    return None if claim is None else claim.square or ""


def test_a_click_inside_a_stall_confirms_the_open_claim(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.run(0.3)
        at.demo.act(actions.TurnDial("T01", 3, (15.0, 15.0)))
        stall(at)
        at.run(0.7)
        assert claim_of(at, "ANN") == "T01"
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.to_position, turn.motion.clicks) == ("ANN", 3, None)


def test_a_dial_that_moved_before_the_tap_is_not_what_the_claim_is_about(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.act(actions.Press("ANN"))
        at.run(0.1)
        at.demo.act(actions.TurnDial("T02", 1, ()))
        at.run(0.03)
        at.demo.act(actions.Release("ANN"))
        at.run(1.5)
        assert claim_of(at, "ANN") == ""
        assert [(turn.square, turn.seat) for turn in at.turns()] == [("T02", None)]
        at.turn("T01", 3)
        at.run(0.5)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)


def test_a_dial_that_moved_while_the_machine_stalled_over_the_claim_ends_it_and_the_next_dial_is_the_next_players(
    tmp_path: Path,
) -> None:
    """The disk and the scan hang for 0.2 s. Ann turns in that time, and it is unclear whether her claim was confirmed
    before. Ben, who turns next, must not turn for her."""
    stalled: list[Played] = []

    def sync(op: Op) -> None:
        if stalled and isinstance(op, Synced):
            at = stalled.pop()
            at.demo.act(actions.TurnDial("T02", 1, ()))
            at.demo.table.clock.advance(round(STALL_MS * 1e6))

    with recording(tmp_path, sync), table(tmp_path) as at:
        at.demo.act(actions.Press("ANN"))
        at.run(0.12)
        stalled.append(at)
        at.demo.act(actions.Release("ANN"))
        at.run(1.5)
        assert claim_of(at, "ANN") is None
        assert at.screens["ANN"] == WHICH
        at.tap("BEN")
        at.turn("T01", 3)
        at.run(0.5)
        assert (claim_of(at, "ANN"), claim_of(at, "BEN")) == (None, "T01")
        at.press("BEN")
        assert at.screens["BEN"].startswith(CAGE)
        assert at.screens["ANN"] in (WHICH, "dark")


def test_a_thumb_that_was_held_too_soon_sees_the_face_when_the_dial_has_come_to_rest(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.demo.act(actions.TurnDial("T01", 3, (500.0, 500.0)))
        at.run(1.02)
        at.press("ANN")
        assert at.screens["ANN"].startswith("T01: Still turning.") or at.screens["ANN"].startswith(CAGE)
        at.run(1.0)
        assert at.screens["ANN"].startswith(CAGE)
        assert [turn.motion.clicks for turn in at.turns()] == [3]


@pytest.mark.parametrize("seed", first(4, range(16)))
def test_a_thumb_that_was_held_too_soon_sees_the_face_though_the_machine_stalls(tmp_path: Path, seed: int) -> None:
    """A path in doubt makes a turn end by its rest, not by the hold: the button that is still held must show it."""
    random = Random(seed)
    with table(tmp_path) as at:
        at.tap("ANN")
        at.run(0.3)
        at.demo.act(actions.TurnDial("T01", 3, (200.0, 200.0)))
        pressed_s = random.uniform(0.1, 0.6)
        for step in range(400):
            if step == round(pressed_s * 100):
                at.demo.act(actions.Press("ANN"))
            at.run(0.01)
            if random.random() < 0.1:
                at.demo.table.clock.advance(round(random.uniform(5, 60) * 1e6))
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.to_position) == ("ANN", 3)
        assert turn.motion.clicks in (3, None)
        assert at.screens["ANN"].startswith(CAGE)


@pytest.mark.parametrize(
    "attention",
    [
        Attention.WAIT_FOR_OTHER,
        Attention.NO_GAME,
        Attention.NOT_RECORDED,
        Attention.NOT_HOMED,
        Attention.TAP_AGAIN,
        Attention.NOT_VERIFIED,
        Attention.STILL_TURNING,
        Attention.CANNOT_READ,
        Attention.LOOK_AGAIN,
    ],
)
def test_whatever_is_refused_has_a_sign_on_the_lamp(attention: Attention) -> None:
    """A seat can have only a lamp. The message has as much light as any other (S-6)."""
    assert code_word(seat_says(attention, words("en"))) is CodeWord.LOOK_AGAIN


def test_a_tap_that_must_wait_flashes_at_a_seat_without_a_screen(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.tap("BEN")
        assert at.screens["BEN"] == "Please wait: someone else turns a dial."
        assert code_word(at.pictures["BEN"]) is CodeWord.LOOK_AGAIN
