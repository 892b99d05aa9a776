"""Dials that count steps: one that is not homed shows nothing, and a power cut is always recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.game.findings import COUNT_LOST, NOT_HOMED
from pi_app.simulated.demo import Demo
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.playing import Played, table
from tests.pi_app.small_tables import counting


@pytest.fixture(autouse=True)
def nobody_homes_by_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Demo, "_home_at_the_beginning", lambda demo: None)


def told(played: Played, text: str) -> list[str]:
    return [line for line in played.heard("referee") if text in line]


def findings(played: Played) -> list[tuple[str, str, str | None]]:
    return [(each.rule, each.words, each.square) for each in played.demo.loop.moment.game.findings]


def test_until_it_is_homed_it_is_known_to_nobody(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        started = next(event for event in played.events() if isinstance(event, ev.Started))
        assert [square.absolute for square in started.squares] == [False, True]
        assert not played.demo.loop.moment.game.squares["T01"].homed
        assert ("T-AUD-1", NOT_HOMED, "T01") in findings(played)
        played.say("check")
        assert told(played, "Not homed, so their positions are unknown (T-AUD-1): T01.")
        assert "Every dial is at its start mark." not in played.heard("referee")
        played.tap("ANN")
        played.turn("T01", 2)
        played.press("ANN")
        assert "it must be homed" in played.screens["ANN"]
        played.let_go("ANN")
        played.say("home T01")
        assert told(played, "T01 is in the middle of a turn; drop that claim first.")
        played.say("drop ann")
        played.turn("T01", -2)
        played.say("home T01")
        assert told(played, "T01 counts from its start mark now.")
        played.expose("ANN", "T01", 3)
        assert played.turns()[-1].motion.to_position == 3
        assert played.turns()[-1].motion.clicks == 3


def test_every_report_says_which_dials_only_count(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        for report in played.demo.loop.moment.reports.values():
            assert "Dials that only count steps, homed by hand: T01." in report.lines["table"]


def test_a_homed_dial_is_followed_like_any_other(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.say("home T01")
        played.say("check")
        assert "Every dial is at its start mark." in played.heard("referee")
        played.expose("ANN", "T01", 5)
        motion = played.turns()[-1].motion
        assert (motion.from_position, motion.to_position, motion.clicks) == (0, 5, 5)
        assert [rule for rule, words, _ in findings(played) if words != NOT_HOMED] == []


@pytest.mark.parametrize("gone_s", [0.02, 2.0])
def test_after_a_power_cut_nobody_knows_where_it_stands(tmp_path: Path, gone_s: float) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.say("home T01")
        played.expose("ANN", "T01", 5)
        played.demo.table.tiles["T01"].unplug()
        played.run(gone_s)
        played.demo.table.tiles["T01"].plug_in()
        played.run(1.5)
        assert ("T-AUD-5", COUNT_LOST, "T01") in findings(played)
        square = played.demo.loop.moment.game.squares["T01"]
        assert (square.homed, square.stands, square.shown) == (False, None, 5)
        assert told(played, "counts steps and is not homed: its position is unknown")
        played.say("end")
        assert findings(played)[-1] == ("T-AUD-5", NOT_HOMED, "T01")


def test_a_single_glitch_does_not_take_the_zero(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.say("home T01")
        for fault in ("nack_once", "glitch_once", "zero_once"):
            getattr(played.demo.table.tiles["T01"].encoder, fault)()
            played.run(0.4)
        assert played.demo.loop.moment.game.squares["T01"].homed
        played.expose("ANN", "T01", 4)
        assert played.turns()[-1].motion.to_position == 4


def test_after_a_new_start_of_the_program_it_is_homed_again(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.say("home T01")
    with table(tmp_path, counting(), resume=True) as played:
        played.run(1.0)
        assert findings(played)[-1] == ("T-AUD-5", NOT_HOMED, "T01")
        assert not played.demo.loop.moment.game.squares["T01"].homed
        played.say("home T01")
        assert played.demo.loop.moment.game.squares["T01"].homed


def test_home_is_refused_for_a_dial_that_knows(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.say("home T02")
        assert told(played, "T02 always knows its position; only a dial that counts steps is homed.")


def test_home_waits_for_a_dial_that_moves_and_one_that_is_gone(tmp_path: Path) -> None:
    with table(tmp_path, counting()) as played:
        played.run(1.0)
        played.demo.table.tiles["T01"].unplug()
        played.run(1.0)
        played.say("home T01")
        assert told(played, "T01 does not respond; it cannot be homed now.")


def test_calibrate_has_nothing_to_learn_of_it(tmp_path: Path) -> None:
    file = tmp_path / "trapdial.toml"
    file.write_text(
        '[table]\nname = "Steps"\n[bus.dials]\ndevice = "/dev/i2c-1"\n[seat.ANN]\nname = "Ann"\nbutton_gpio = 16\n'
        'lamp_gpio = 20\n[square.T01]\nbus = "dials"\nchip = "seesaw"\ntable = "sample:SAMPLE-A"\n'
    )
    result = CliRunner().invoke(
        main, ["calibrate", "--settings", str(file), "--simulated", "--auto"], catch_exceptions=False
    )
    assert "T01: counts whole steps, so there is nothing to learn. Say `home T01` at the table." in result.stdout


def test_a_simulated_table_has_a_seesaw_where_the_settings_say(tmp_path: Path) -> None:
    assert SimulatedTable(counting()).tiles["T01"].encoder.address == 0x36
