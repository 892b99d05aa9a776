"""Moving dials are assigned to the right claim, and every turn is recorded."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pi_app.dials.health import GLITCHES
from pi_app.game import events as ev
from pi_app.game.rules import SquareState
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import KnownTable, script
from tests.pi_app.bad_disk import on_a_bad_disk
from tests.pi_app.playing import CAGE, UNREAD, settings, table


def test_turns_that_the_disk_refused_are_written_down_later(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path) as at:
        disk.number = errno.ENOSPC
        at.turn("T01", 2)
        at.run(1.0)
        at.turn("T01", 1)
        at.run(1.0)
        assert at.turns() == []
        disk.number = None
        at.run(2.5)
        assert [turn.motion.clicks for turn in at.turns()] == [3]


def test_after_a_dropped_claim_turns_end_at_their_rest_again(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 2)
        at.say("drop ANN")
        at.run(1.0)
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.clicks) == (None, 2)
        at.turn("T01", 1)
        at.run(1.0)
        assert [turn.motion.clicks for turn in at.turns()] == [2, 1]


def test_two_dials_that_move_at_once_end_the_claim_and_its_seat_is_told(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.demo.act(actions.TurnDial("T01", 1, ()))
        at.demo.act(actions.TurnDial("T02", 1, ()))
        at.run(1.5)
        claim = at.demo.loop.moment.game.claim_of("ANN")
        assert "Two dials moved at once under one claim; neither counts." in at.heard("referee")
        assert claim is None
        assert at.screens["ANN"] == "Which dial do you mean? Tap again, then turn one."
        assert at.findings() == ["T-AUD-4"] * 2


@pytest.mark.parametrize(
    ("clicks", "rules"), [(2, ["T-AUD-4"]), (-2, ["T-AUD-4", "T-AUD-4"]), (8, ["T-AUD-4", "T-AUD-2"])]
)
def test_a_turn_without_a_claim_is_recorded_at_its_rest_and_told_to_nobody(
    tmp_path: Path, clicks: int, rules: list[str]
) -> None:
    with table(tmp_path) as at:
        at.turn("T01", clicks)
        at.run(1.0)
        (turn,) = at.turns()
        assert (turn.motion.clicks, turn.seat) == (clicks, None)
        assert at.findings() == rules
        assert at.screens == {}
        assert at.demo.loop.moment.game.squares["T01"].readers == ()


def test_an_unclaimed_turn_is_credited_by_the_table(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.turn("T01", 3)
        at.run(1.0)
        at.say("expose T01 BEN")
        at.press("BEN")
        assert at.screens["BEN"].startswith(CAGE)


def test_turning_an_exposed_dial_under_a_claim_shows_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.tap("BEN")
        at.turn("T01", 1)
        at.press("BEN")
        assert at.screens["BEN"] == "T01: Already exposed. Tell the table that you expose it too."
        assert at.findings() == ["T-AUD-4"]


def test_a_disarm_and_the_turn_to_the_disarmed_mark(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 1)
        at.say("disarm T01 ANN quick 3 4 1")
        assert at.demo.loop.moment.game.squares["T01"].state is SquareState.DISARMED
        assert at.heard("public")[-1] == "Experience: Ann 11."
        at.turn("T01", 10, gap_ms=60)
        at.run(1.0)
        assert at.findings() == []
        at.turn("T01", 1)
        at.run(1.0)
        assert at.findings() == ["T-AUD-4"]


def test_a_turn_to_the_disarmed_mark_does_not_take_another_players_claim(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 1)
        at.say("disarm T01 ANN quick 3 4 1")
        at.tap("BEN")
        at.turn("T01", -2)
        at.run(1.0)
        assert at.demo.loop.moment.game.open_claim is not None
        at.turn("T02", 3)
        at.press("BEN")
        assert at.screens["BEN"].startswith("T02: The Cage")


@pytest.mark.slow
def test_a_claim_that_no_dial_follows_runs_out(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.run(121)
        assert at.demo.loop.moment.game.claims == ()
        assert isinstance(at.events()[-1], ev.ClaimDropped)


def test_an_encoder_that_jumps_takes_nobodys_claim(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.demo.act(actions.InjectFault("T01", "jumps"))
        at.run(8)
        assert at.demo.loop.moment.game.claim_on("T01") is None
        at.turn("T02", 3)
        assert at.demo.loop.moment.game.claim_on("T02") is not None
        at.press("ANN")
        assert at.screens["ANN"].startswith("T02: ")


def test_a_dial_that_leapt_as_no_hand_turns_it_is_shown_to_nobody_until_a_hand_does(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 1)
        encoder = at.demo.table.tiles["T01"].encoder
        angle = encoder.angle_at
        encoder.angle_at = lambda now_ns: angle(now_ns) + 6 * 4096 / 12
        at.run(1)
        assert at.heard("referee").count(GLITCHES.format(square="T01")) == 1
        at.press("ANN")
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        at.run(5)
        at.press("ANN")
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        at.turn("T01", 2)
        at.run(1)
        assert "T01: its readings are stable again." in at.heard("referee")
        at.press("ANN")
        assert at.screens["ANN"].startswith("T01: ")
        (turn,) = at.turns()
        assert (turn.motion.to_position, turn.motion.clicks, turn.seat) == (9, None, "ANN")


def test_a_hand_too_quick_to_be_seen_going_keeps_its_claim(tmp_path: Path) -> None:
    """A whole click between two samples: the dial is first seen at its end, where it swings."""
    used = settings()
    with Demo(used, tmp_path / "journal.db", seed=341) as demo:
        while not demo.loop.ready:
            demo.step()
        demo.play(script(340, KnownTable(tuple(used.seats), tuple(used.squares)), 2))
        assert demo.loop.moment.game.findings == ()
