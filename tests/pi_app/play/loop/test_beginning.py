"""The beginning and the end of a game, and how it resumes after the program was away."""

from __future__ import annotations

from pathlib import Path

from pi_app.audit.replay import replay
from pi_app.game.rules import SquareState
from pi_app.report.moment import NO_GAME
from pi_app.simulated.demo import Demo
from tests.pi_app.playing import CAGE, settings, table


def test_the_loop_starts_with_no_game(tmp_path: Path) -> None:
    assert NO_GAME.game.seats == {}


def test_a_dial_that_never_stands_still_does_not_keep_the_game_from_beginning(tmp_path: Path) -> None:
    demo = Demo(settings(), tmp_path / "journal.db", seed=1)
    with demo:
        demo.table.tiles["T01"].hand.turn(0, 600, 20.0)
        while not demo.loop.ready:
            demo.step()
        assert 4.9e9 < demo.table.clock.now_ns() < 5.2e9
        assert [finding.rule for finding in demo.loop.moment.game.findings] == ["T-AUD-1"]


def test_p_1_a_dial_put_to_its_start_mark_is_set_up(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T02": 4}) as at:
        at.turn("T02", -4)
        at.run(1.0)
        at.say("check")
        assert at.heard("referee")[-1] == "Every dial is at its start mark."
        at.expose("ANN", "T02", 3)
        assert at.findings() == ["T-AUD-1"]


def test_t_aud_1_a_dial_that_is_not_at_its_start_mark_is_found_before_the_game(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T02": 4}) as at:
        assert at.findings() == ["T-AUD-1"]
        assert "Finding T-AUD-1: T02 is not at its start mark." in at.heard("referee")
        assert "not at its start mark" not in " ".join(at.heard("public"))
        at.say("check")
        assert at.heard("referee")[-1] == "Not at the start mark: T02 (T-AUD-1)."


def test_resuming_goes_on_with_what_was_known(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.say("quit")
    with table(tmp_path, resume=True) as at:
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert at.findings() == []
        assert [type(event).__name__ for event in at.events()].count("Started") == 1
    replay(tmp_path / "journal.db")


def test_a_power_cut_in_the_middle_of_a_turn_leaves_an_unknown_path(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 2)
    with table(tmp_path, resume=True, stands={"T01": 3}) as at:
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        (turn,) = at.turns()
        assert (turn.seat, turn.motion.from_position, turn.motion.to_position) == ("ANN", 0, 3)
        assert turn.motion.clicks is None
        assert at.findings() == ["T-AUD-4", "T-AUD-5"]


def test_a_dial_that_was_turned_while_the_program_was_off_is_found(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.run(0.1)
    with table(tmp_path, resume=True, stands={"T02": 5}) as at:
        (turn,) = at.turns()
        assert (turn.square, turn.seat, turn.motion.to_position, turn.motion.clicks) == ("T02", None, 5, None)
        assert at.findings() == ["T-AUD-4", "T-AUD-4", "T-AUD-5"]


def test_the_game_ends_and_another_begins(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.say("new")
        assert at.heard("referee")[-1] == "A game is on. Say 'end' before you begin another."
        at.say("end")
        at.turn("T01", -3)
        at.tap("ANN")
        assert at.screens["ANN"] == "No game is on."
        at.say("new")
        assert at.demo.loop.moment.game.squares["T01"].state is SquareState.CONCEALED
        assert at.findings() == []
        games = replay(at.journal)
        assert [game.ended for game in games] == [True, False]
