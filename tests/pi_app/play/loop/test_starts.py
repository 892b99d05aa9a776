"""Games whose dials start where they stand: nobody tidies up, and every face is counted from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pi_app import journal as jn
from pi_app.audit.files import audit_file
from pi_app.audit.replay import replay
from pi_app.cli.main import main
from pi_app.dials.tracker import Tracker
from pi_app.dials.turn import Turn
from pi_app.game import events as ev
from pi_app.game.findings import NOT_AT_START, START_UNKNOWN, UNSEEN
from pi_app.play.build import GameOptions
from pi_app.play.seats_and_dials import TableDial, motion_of
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.playing import Played, table
from tests.pi_app.small_tables import counting

FOUND = GameOptions(starts="found", shuffle=False)


def started(played: Played) -> ev.Started:
    return [event for event in played.events() if isinstance(event, ev.Started)][-1]


def starts(played: Played) -> dict[str, int | None]:
    return {square.label: square.start for square in started(played).squares}


def words(played: Played) -> list[str]:
    return [finding.words for finding in played.demo.loop.moment.game.findings]


def test_t_aud_1_a_dial_at_the_seventh_click_is_at_its_start(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T01": 7, "T02": 2}, game=FOUND) as played:
        assert started(played).starts == "found"
        assert starts(played) == {"T01": 7, "T02": 2}
        game = played.demo.loop.moment.game
        assert {square.stands for square in game.squares.values()} == {0}
        assert game.findings == ()
        played.expose("ANN", "T01", 3)
        turn = played.turns()[-1].motion
        assert (turn.from_position, turn.to_position, turn.clicks) == (0, 3, 3)
        shown = played.demo.loop.moment.game.squares["T01"]
        assert shown.face == shown.table.faces[3]
        assert words(played) == []
        played.say("end")
    assert [game.ended for game in replay(played.journal)] == [True]
    assert jn.verify(played.journal).damage is None


def test_the_printed_mark_is_the_start_unless_a_game_asks_otherwise(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T01": 7}) as played:
        assert b'"starts"' not in ev.to_json(started(played))
        assert starts(played) == {"T01": 0, "T02": 0}
        assert words(played) == [NOT_AT_START]


def test_the_next_game_begins_where_the_last_one_left_the_dials(tmp_path: Path) -> None:
    with table(tmp_path, game=FOUND) as played:
        played.expose("ANN", "T01", 4)
        played.expose("BEN", "T02", 2)
        played.say("end")
        played.say("new")
        assert starts(played) == {"T01": 4, "T02": 2}
        assert words(played) == []
        played.expose("ANN", "T01", 5)
        assert played.turns()[-1].motion.to_position == 5
        assert words(played) == []
        played.say("end")
        played.say("new")
        assert starts(played) == {"T01": 9, "T02": 2}
    assert jn.verify(played.journal).damage is None


def test_a_game_whose_starts_are_found_is_dealt(tmp_path: Path) -> None:
    """The last players know what lay at each click."""
    with table(tmp_path, game=GameOptions(starts="found")) as played:
        assert started(played).shuffled
        line = played.demo.loop.moment.reports["public"].lines["table"]
        assert "Trap tables are shuffled" in line
        assert "Every dial starts where it stood: nobody turns one back." in line


def test_a_resumed_game_counts_from_the_same_starts(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T01": 7}, game=FOUND) as played:
        played.expose("ANN", "T02", 1)
    with table(tmp_path, game=FOUND, resume=True, stands={"T01": 9, "T02": 1}) as played:
        played.run(1.0)
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.start, square.stands) == (7, 2)
        assert played.demo.loop.moment.game.squares["T02"].stands == 1


def test_a_dial_between_two_clicks_starts_at_the_nearer_one(tmp_path: Path) -> None:
    with table(tmp_path, game=FOUND) as played:
        played.say("end")
        played.turn("T01", 4)
        played.demo.table.tiles["T01"].hand.stop_between(played.demo.table.clock.now_ns(), 0.6)
        played.run(2.0)
        played.say("new")
        assert starts(played)["T01"] == 5
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.homed, square.stands, square.start_ok) == (True, None, None)
        assert words(played) == []
        played.tap("ANN")
        played.press("ANN")
        assert played.screens["ANN"] == "Turn a dial first, then hold to look."


def test_a_dial_that_moves_at_the_deal_gets_its_start_when_it_rests(tmp_path: Path) -> None:
    with table(tmp_path, game=FOUND) as played:
        played.say("end")
        played.demo.table.tiles["T01"].hand.turn(played.demo.table.clock.now_ns(), 6, 300.0)
        played.run(0.5)
        played.say("new")
        assert starts(played)["T01"] is None
        assert not played.demo.loop.moment.game.squares["T01"].homed
        assert words(played) == [START_UNKNOWN]
        assert "its start is not known yet" in played.demo.loop.moment.reports["referee"].lines["T01"]
        played.run(4.0)
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.homed, square.start, square.stands, square.start_ok) == (True, 6, 0, True)
        played.expose("BEN", "T01", 2)
        assert played.turns()[-1].motion.to_position == 2
        assert words(played) == [START_UNKNOWN]


def test_a_dial_that_is_away_at_the_deal_gets_its_start_when_it_is_back(tmp_path: Path) -> None:
    with table(tmp_path, game=FOUND) as played:
        played.say("end")
        played.demo.table.tiles["T01"].unplug()
        played.run(1.0)
        played.say("new")
        played.run(0.5)
        assert starts(played) == {"T01": None, "T02": 0}
        played.demo.table.tiles["T01"].hand.turn(played.demo.table.clock.now_ns(), 8, 50.0)
        played.run(1.0)
        played.demo.table.tiles["T01"].plug_in()
        played.run(20.0)
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.homed, square.lost, square.start) == (True, False, 8)
        played.expose("ANN", "T01", 3)
        assert played.turns()[-1].motion.to_position == 3
        assert words(played) == [START_UNKNOWN, UNSEEN]
        played.say("end")
    assert jn.verify(played.journal).damage is None


def test_a_player_who_turns_a_dial_without_a_start_is_asked_to_tap_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with table(tmp_path, game=FOUND) as played:
        played.say("end")
        with monkeypatch.context() as doubt:
            doubt.setattr(played.demo.loop.dials.tiles, "withheld", lambda label: label == "T01")
            played.say("new")
            assert starts(played) == {"T01": None, "T02": 0}
            played.tap("ANN")
            played.turn("T01", 2)
            played.press("ANN")
            assert played.screens["ANN"] == "T01: This dial is not ready. Let it rest, then tap again."
            assert played.demo.loop.moment.game.claims == ()
            played.let_go("ANN")
        played.run(3.0)
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.homed, square.start, square.stands) == (True, 2, 0)
        played.expose("ANN", "T01", 4)
        assert played.turns()[-1].motion.to_position == 4


def test_a_dial_that_counts_steps_starts_where_it_is_and_nobody_homes_it(tmp_path: Path) -> None:
    with table(tmp_path, counting(), stands={"T01": 5}, game=FOUND) as played:
        assert starts(played) == {"T01": 0, "T02": 0}
        assert words(played) == []
        played.expose("ANN", "T01", 3)
        assert played.turns()[-1].motion.to_position == 3
        played.say("end")
        played.say("new")
        assert played.demo.loop.moment.game.squares["T01"].homed
        played.expose("ANN", "T01", 2)
        assert played.turns()[-1].motion.to_position == 2
        assert words(played) == []
        assert "homed by hand" not in played.demo.loop.moment.reports["public"].lines["table"]


@pytest.mark.parametrize("exposed", [False, True])
def test_a_dial_that_lost_its_count_starts_again_only_if_nobody_knows_it(tmp_path: Path, exposed: bool) -> None:
    with table(tmp_path, counting(), game=FOUND) as played:
        if exposed:
            played.expose("ANN", "T01", 3)
        played.demo.table.tiles["T01"].unplug()
        played.run(2.0)
        played.demo.table.tiles["T01"].plug_in()
        played.run(20.0)
        assert played.demo.loop.moment.game.squares["T01"].homed is not exposed
        if not exposed:
            played.expose("ANN", "T01", 3)
            assert played.turns()[-1].motion.to_position == 3


def test_the_audit_says_where_the_dials_started_and_measures_each_detent_as_itself(tmp_path: Path) -> None:
    with table(tmp_path, counting(), stands={"T02": 7}, game=FOUND) as played:
        played.expose("ANN", "T02", 3)
        played.say("end")
    (game,) = audit_file(played.journal).games
    assert [(dial.square, dial.start) for dial in game.dials] == [("T01", 0), ("T02", 7)]
    assert [(rest.position, rest.of_dial) for rest in game.rests] == [(0, 7), (3, 10)]
    assert all(abs(rest.error_deg) < 2 for rest in game.rests)
    line = "The starts are where the dials stood, not the printed marks: T01: counts steps from there; T02: detent 7."
    ran = CliRunner().invoke(main, ["audit", str(played.journal)], terminal_width=200)
    assert line in " ".join(ran.output.split())
    page = tmp_path / "report.html"
    assert CliRunner().invoke(main, ["audit", str(played.journal), "--html", str(page)]).exit_code == 0
    assert line in page.read_text(encoding="utf-8")
    written = json.loads(CliRunner().invoke(main, ["audit", str(played.journal), "--json"]).output)
    assert [dial["start"] for dial in written["files"][0]["games"][0]["dials"]] == [0, 7]


def test_the_audit_of_printed_starts_says_nothing_new(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T02": 1}) as played:
        played.say("end")
    ran = CliRunner().invoke(main, ["audit", str(played.journal), "--json"])
    assert '"start"' not in ran.output
    assert '"detent"' not in ran.output


@pytest.mark.parametrize("stands", [(0, 0), (11, 4)])
def test_s_6_where_the_dials_stood_changes_no_length_of_the_record(tmp_path: Path, stands: tuple[int, int]) -> None:
    """The log's reader sees lengths, not starts."""
    lengths = []
    for number, (one, other) in enumerate((stands, (10, 9))):
        folder = tmp_path / str(number)
        folder.mkdir()
        with table(folder, stands={"T01": one, "T02": other}, game=FOUND) as played:
            played.expose("ANN", "T01", 3)
            played.say("end")
        lengths.append([(len(public), len(sealed)) for _, public, sealed, *_ in rows(played.journal)])
        lines = [line for viewer, line in played.lines if viewer == "log"]
        assert not any("10" in line or "11" in line for line in lines)
    assert lengths[0] == lengths[1]


@given(start=st.integers(0, 11), at=st.integers(0, 11), clicks=st.integers(-24, 24))
def test_every_turn_counts_the_same_clicks_from_every_start(start: int, at: int, clicks: int) -> None:
    dial = TableDial(Tracker())
    dial.start = start
    turn = Turn(0, 1, at, (at + clicks) % 12, None, clicks, 2, 0, 1, 0, 0)
    motion = motion_of(turn, dial)
    assert motion.from_position is not None
    assert motion.to_position is not None
    assert (motion.to_position - motion.from_position - clicks) % 12 == 0
    assert (motion.from_position == 0) is (at == start)
    dial.start = 0
    assert (motion_of(turn, dial).from_position, motion_of(turn, dial).to_position) == (at, (at + clicks) % 12)
