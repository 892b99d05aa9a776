"""Taps and holds: which seat reads which dial, which one waits, and the sentences for a seat that cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.simulated import actions
from tests.pi_app.playing import CAGE, UNREAD, table

BETWEEN = "T01: Between two clicks. Seat the dial, then hold again."


def test_a_dial_between_two_clicks_is_not_read(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 2)
        at.demo.table.tiles["T01"].hand.stop_between(at.demo.table.clock.now_ns(), 0.5)
        at.run(1.0)
        at.press("ANN")
        assert at.screens["ANN"] == BETWEEN
        assert at.turns() == []
        at.let_go("ANN")
        at.turn("T01", 1)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert at.turns()[0].motion.clicks == 3


def test_t_exp_10_looking_again_goes_through_what_the_seat_knows(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.press("ANN")
        assert at.screens["ANN"] == "Nothing to see yet. Tap to begin."
        at.let_go("ANN")
        at.expose("ANN", "T01", 3)
        at.expose("ANN", "T02", 1)
        at.run(11)
        seen = []
        for _ in range(3):
            at.press("ANN")
            seen.append(at.screens["ANN"][:3])
            at.let_go("ANN")
        assert seen == ["T02", "T01", "T02"]
        assert [type(event).__name__ for event in at.events()][-3:] == ["Looked"] * 3


def test_a_tap_takes_a_claim_back_and_a_hold_before_turning_says_what_to_do(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.press("ANN")
        assert at.screens["ANN"] == "Turn a dial first, then hold to look."
        at.let_go("ANN")
        at.tap("ANN")
        assert at.screens["ANN"] == "Claim taken back."
        assert at.demo.loop.moment.game.claims == ()


def test_s_2_two_players_at_once_each_read_their_own_dial(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.tap("BEN")
        assert at.screens["BEN"] == "Please wait: someone else turns a dial."
        at.demo.act(actions.TurnDial("T01", 3, (800.0, 800.0)))
        at.run(0.5)
        at.tap("BEN")
        at.turn("T02", 1)
        at.run(2.5)
        at.press("BEN")
        at.press("ANN")
        assert at.screens["ANN"].startswith("T01: The Cage")
        assert at.screens["BEN"].startswith("T02: Buzz Saw")
        readers = {label: square.readers for label, square in at.demo.loop.moment.game.squares.items()}
        assert readers == {"T01": ("ANN",), "T02": ("BEN",)}
        assert at.findings() == []


def test_t_exp_11_a_second_hero_looks_without_turning(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.say("expose T01 BEN")
        at.press("BEN")
        assert at.screens["BEN"].startswith(CAGE)
        assert at.heard("public")[-1] == "T01: exposed by Ann and Ben."
        assert len(at.turns()) == 1


def test_t_trg_7_a_concealed_square_is_turned_and_then_everyone_may_know(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("trigger T01 BEN")
        assert at.heard("public")[-1] == "Ben sets off T01: roll one die and turn its dial."
        at.turn("T01", 4)
        at.press("BEN")
        assert at.screens["BEN"].startswith("T01: Falling Weight")
        assert at.heard("public")[-1] == "T01: triggered; Falling Weight."
        at.let_go("BEN")
        at.press("ANN")
        assert at.screens["ANN"].startswith("T01: Falling Weight")


@pytest.mark.parametrize("fault", ["unplugged", "jumps"])
def test_who_looks_at_a_dial_that_cannot_be_read_is_not_told_to_seat_it(tmp_path: Path, fault: str) -> None:
    with table(tmp_path) as played:
        played.tap("ANN")
        played.turn("T01", 2)
        played.demo.act(actions.InjectFault("T01", fault))
        played.run(2)
        played.press("ANN")
        assert played.screens["ANN"] == UNREAD
        played.let_go("ANN")
        played.demo.act(actions.ClearFault("T01", fault))
        played.run(3)
        played.press("ANN")
        assert "cannot be read" not in played.screens["ANN"]
        assert played.turns()[-1].seat == "ANN"
