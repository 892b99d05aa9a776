"""A player's turn end to end, from the simulated shaft to the one screen that may show it, into the journal and back;
and a table without any activity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.play import mage_knight
from pi_app.play.feed import DialSample
from pi_app.simulated import actions
from tests.everyday import first
from tests.pi_app.games import table_with
from tests.pi_app.playing import CAGE, Played, settings, table


def test_tap_turn_hold(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        assert at.heard("public")[-1] == "Ann is about to turn a dial."
        at.turn("T01", 3, gap_ms=900)
        assert at.turns() == []
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert at.heard("public")[-1] == "T01: exposed by Ann."
        assert "BEN" not in at.screens
        at.let_go("ANN")
        assert at.screens["ANN"] == "dark"
        (turn,) = at.turns()
        facts = (turn.motion.from_position, turn.motion.to_position, turn.motion.clicks, turn.seat, turn.grade)
        assert facts == (0, 3, 3, "ANN", "button")
        assert turn.motion.samples > 5
        assert at.findings() == []


def test_the_screen_really_shows_it_and_is_really_dark_after(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        at.run(0.5)
        glass = at.demo.table.oleds["ANN"]
        assert glass.lit
        assert sum(byte.bit_count() for byte in glass.pixels()) > 500
        assert not at.demo.table.oleds["BEN"].lit
        at.let_go("ANN")
        at.run(0.3)
        assert not glass.lit
        assert not any(glass.pixels())


def test_a_face_goes_dark_by_itself(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        at.run(8.2)
        assert at.screens["ANN"] == "dark"


def test_s_9_a_table_shown_in_play_reaches_the_running_game(tmp_path: Path) -> None:

    with table(tmp_path) as at:
        mage_knight.record_shown(at.journal, ev.TableShown(table="SAMPLE-12"))
        at.run(1.2)
        assert at.heard("referee")[-1] == "Finding S-9: A trap table was shown during the game."


def test_replay_rebuilds_everything_that_was_told(tmp_path: Path) -> None:
    with table(tmp_path, settings(table_with(Trap.JAWS_OF_DOOM))) as at:
        at.expose("ANN", "T01", 3)
        at.say("trigger T01 BEN")
        at.say("jaws T01 unharmed")
        at.say("disarm T01 ANN slow 6 6 1")
        at.turn("T02", 7)
        at.run(1.0)
        (game,) = replay(at.journal)
        assert game.moment.reports == at.demo.loop.moment.reports
        assert game.moment.game == at.demo.loop.moment.game


# ------------------------------------------------------------------------------------------------- a quiet table


def looks_of(at: Played, seconds: float) -> int:
    """Return the samples of the dials in that time."""
    looks = 0
    take = at.demo.loop.feed.take

    def counted() -> Sequence[DialSample]:
        nonlocal looks
        taken = take()
        looks += len(taken)
        return taken

    at.demo.loop.feed.take = counted  # type: ignore[method-assign]
    at.run(seconds)
    at.demo.loop.feed.take = take  # type: ignore[method-assign]
    return looks


@pytest.mark.slow
def test_dials_are_looked_at_seldom_only_when_no_game_is_on_and_nothing_stirs(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.run(60)
        assert looks_of(at, 10) == pytest.approx(2 * 100 * 10, rel=0.05)
        at.say("end")
        assert looks_of(at, 10) == pytest.approx(2 * 100 * 10, rel=0.05)
        at.run(20)
        assert looks_of(at, 10) == pytest.approx(2 * 2 * 10, abs=4)


@pytest.mark.parametrize("stirs", first(2, ["a dial", "a button", "a word", "a lead"]))
def test_a_quiet_table_wakes(tmp_path: Path, stirs: str) -> None:
    with table(tmp_path) as at:
        at.say("end")
        at.run(40)
        match stirs:
            case "a dial":
                at.demo.act(actions.TurnDial("T01", 2, (200.0,)))
            case "a button":
                at.tap("ANN")
            case "a word":
                at.say("status")
            case _:
                at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(1)
        assert looks_of(at, 5) == pytest.approx(2 * 100 * 5, rel=0.05)


@pytest.mark.slow
def test_a_game_that_begins_after_a_quiet_night_is_followed_as_ever(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("end")
        at.turn("T01", 2)
        at.run(3_600)
        at.turn("T01", -2)
        at.run(40)
        at.say("new")
        assert [square.stands for square in at.demo.loop.moment.game.squares.values()] == [0, 0]
        at.run(
            0.6
        )  # a dial that was seldom looked at may have gone round since: a turn at once would be "path unknown"
        at.expose("ANN", "T01", 3)
        assert [turn.motion.clicks for turn in at.turns()] == [3]
