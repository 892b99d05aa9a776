"""Dials that are lost, come back, glitch or need another magnet: the referee's sentences, and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.sims.seesaw import SeesawTwin
from pi_app.dials.health import GLITCHES, TOO_WEAK
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from tests.pi_app.playing import CAGE, UNREAD, Blank, Played, settings, table


def test_a_pulled_plug_costs_the_others_nothing_and_the_gap_is_unknown(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 1)
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(0.5)
        assert "T01" in at.heard("referee")[-1]
        at.tap("BEN")
        at.turn("T02", 3)
        at.press("BEN")
        assert at.screens["BEN"].startswith("T02: The Cage")
        at.let_go("BEN")
        at.press("ANN")
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        at.turn("T01", 2)
        at.demo.act(actions.ClearFault("T01", "unplugged"))
        at.run(3.0)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        turn = at.turns()[-1]
        assert (turn.square, turn.motion.clicks, turn.motion.to_position) == ("T01", None, 3)
        assert at.findings() == ["T-AUD-5", "T-AUD-5"]


def test_a_magnet_too_far_away_is_told_before_the_game_and_told_again_when_it_is_good(tmp_path: Path) -> None:
    demo = Demo(settings(), tmp_path / "journal.db")
    played = Played(demo, tmp_path / "journal.db")
    demo.loop.session.listeners = (played,)
    with demo:
        demo.act(actions.InjectFault("T02", "magnet-weak"))
        played.run(8)
        news = TOO_WEAK.format(square="T02")
        assert played.heard("referee")[0] == news
        assert played.heard("referee").count(news) == 1
        demo.act(actions.ClearFault("T02", "magnet-weak"))
        played.run(20)
        assert played.heard("referee")[-1] == "T02: the magnet of its dial is good now."
        assert not any("magnet" in line for viewer, line in played.lines if viewer != "referee")


@pytest.mark.parametrize(
    ("fault", "seen"), [("magnet-missing", "answers, but sees no magnet"), ("unplugged", "gave no answer")]
)
def test_a_lost_dial_is_told_once_and_when_it_is_read_again(tmp_path: Path, fault: str, seen: str) -> None:
    with table(tmp_path) as played:
        played.demo.act(actions.InjectFault("T02", fault))
        played.run(5)
        assert sum(seen in line for line in played.heard("referee")) == 1
        played.demo.act(actions.ClearFault("T02", fault))
        played.run(2)
        assert played.heard("referee").count("T02: its dial is responding again.") == 1
        assert played.turns() == []


def test_dials_that_are_lost_for_one_reason_are_told_in_one_sentence_and_so_is_their_return(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(actions.InjectFault("T02", "mux-silent"))
        played.run(3)
        assert [line for line in played.heard("referee") if "gave no answer" in line] == [
            "mux 0x70 (simulated /dev/i2c-1) gave no answer (errno 121), so T01 and T02 cannot be read. Check the "
            "mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled up to 3.3 V."
        ]
        assert played.demo.loop.moment.reports["referee"].lines["T01"] == "T01: concealed; its dial cannot be read."
        played.demo.act(actions.ClearFault("T02", "mux-silent"))
        played.run(2)
        assert [line for line in played.heard("referee") if "responding again" in line] == [
            "T01 and T02: their dials are responding again."
        ]


@pytest.mark.parametrize(("chip", "seen"), [(Blank(), "answers with ones only"), (None, "did not take its settings")])
def test_another_chip_that_is_plugged_in_during_a_game_is_a_state_and_said_once(
    tmp_path: Path, chip: Blank | None, seen: str
) -> None:
    with table(tmp_path) as played:
        tile = played.demo.table.tiles["T01"]
        other = chip or SeesawTwin(played.demo.table.clock, lambda at_ns: 0.0, address=0x36)
        tile.unplug()
        played.run(0.3)
        tile.segment.remove(tile.encoder)
        tile.segment.hang(other)
        played.run(5)
        place = "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 0, chip 0x36)"
        assert [line for line in played.heard("referee") if line.startswith("dial ")] == [
            f"{place} gave no answer (errno 121). Check its plug, then its power, then SDA and SCL.",
            f"{place} {seen}. Check that an AS5600 is wired here and nothing else has its address.",
        ]
        played.expose("BEN", "T02", 3)
        assert [turn.square for turn in played.turns()] == ["T02"]
        tile.segment.remove(other)
        tile.segment.hang(tile.encoder)
        tile.plug_in()
        played.run(2)
        assert "T01: its dial is responding again." in played.heard("referee")


def test_after_two_leads_were_out_the_referee_is_asked_to_check_them(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(actions.InjectFault("T01", "leads-swapped"))
        played.run(3)
        assert [line for line in played.heard("referee") if "responding again" in line] == [
            "T01 and T02: their dials are responding again. Check that each lead is on its own tile: if two were "
            "exchanged, each square shows the other's dial."
        ]


def test_an_encoder_that_jumps_is_told_and_makes_no_click(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(actions.InjectFault("T01", "jumps"))
        played.run(8)
        assert played.heard("referee").count(GLITCHES.format(square="T01")) >= 1
        played.demo.act(actions.ClearFault("T01", "jumps"))
        played.run(3)
        assert "T01: its readings are stable again." in played.heard("referee")
        assert all(turn.motion.clicks is None for turn in played.turns())
