"""A player's turn end to end: from the simulated shaft to the one screen that may show it, and into the journal."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.sims.seesaw import SeesawTwin
from pi_app import acts, mage_knight
from pi_app import events as ev
from pi_app.care import HOPS, TOO_WEAK
from pi_app.demo import Demo
from pi_app.faces import ShowFace
from pi_app.feed import Look
from pi_app.journal import Stamp
from pi_app.plan import Table, plan
from pi_app.record.entry import read_public
from pi_app.replay import replay
from pi_app.report import NO_GAME
from pi_app.rules import SquareState
from pi_app.tables import Trap
from tests.pi_app.games import table_with
from tests.pi_app.playing import Blank, Played, settings, table
from tests.pi_app.record.forging import rows

UNREAD = "T01: This dial cannot be read now. Tell the table, hold later."
BETWEEN = "T01: Between two clicks. Seat the dial, then hold again."
CAGE = "T01: The Cage, click 3, disarm 6+, XP 22."


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


def test_it_is_on_disk_before_anyone_is_told(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        entries_when_told: list[int] = []

        class Checker:
            def told(self, viewer: str, line: str, at_ns: int) -> None:
                if line == "T01: exposed by Ann.":
                    kinds = [read_public(row[1]).kind for row in rows(at.journal)]
                    entries_when_told.append(kinds.count("turned"))

        at.demo.loop.sitting.listeners = (Checker(),)
        at.expose("ANN", "T01", 3)
        assert entries_when_told
        assert set(entries_when_told) == {1}


def test_when_the_disk_does_not_take_it_nobody_is_told(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=ON")
        at.lines.clear()
        at.press("ANN")
        assert at.screens["ANN"] == "Not recorded: wait. Tell the table."
        assert at.heard("public") == []
        assert "could not be written" in at.heard("referee")[-1]
        at.let_go("ANN")
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=OFF")
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert [turn.motion.clicks for turn in at.turns()] == [3]


def test_turns_that_the_disk_refused_are_written_down_later(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=ON")
        at.turn("T01", 2)
        at.run(1.0)
        at.turn("T01", 1)
        at.run(1.0)
        assert at.turns() == []
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=OFF")
        at.run(2.5)
        assert [turn.motion.clicks for turn in at.turns()] == [3]


def test_a_full_disk_and_a_pulled_plug_are_told_now_and_then_and_not_a_hundred_times_a_second(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=ON")
        at.demo.act(acts.Strike("T01", "unplugged"))
        at.run(5.0)
        refused = [line for line in at.heard("referee") if "could not be written" in line]
        assert 3 <= len(refused) <= 6
        at.demo.loop.sitting.journal._db.execute("PRAGMA query_only=OFF")
        at.run(1.5)
        assert at.demo.loop.moment.game.squares["T01"].lost


def test_a_dial_that_never_stands_still_does_not_keep_the_game_from_beginning(tmp_path: Path) -> None:
    demo = Demo(settings(), tmp_path / "journal.db", seed=1)
    with demo:
        demo.table.tiles["T01"].hand.turn(0, 600, 20.0)
        while not demo.loop.ready:
            demo.step()
        assert 4.9e9 < demo.table.clock.now_ns() < 5.2e9
        assert [finding.rule for finding in demo.loop.moment.game.findings] == ["T-AUD-1"]


def test_a_face_goes_dark_by_itself(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        at.run(8.2)
        assert at.screens["ANN"] == "dark"


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
        assert at.screens["ANN"] == "Taken back."
        assert at.demo.loop.moment.game.claims == ()


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


def test_p_1_a_dial_put_to_its_start_mark_is_set_up(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T02": 4}) as at:
        at.turn("T02", -4)
        at.run(1.0)
        at.say("check")
        assert at.heard("referee")[-1] == "Every dial stands at its start mark."
        at.expose("ANN", "T02", 3)
        assert at.findings() == ["T-AUD-1"]


def test_s_2_two_players_at_once_each_read_their_own_dial(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.tap("BEN")
        assert at.screens["BEN"] == "Please wait: someone else turns a dial."
        at.demo.act(acts.Turn("T01", 3, (800.0, 800.0)))
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


def test_two_dials_that_move_at_once_under_one_claim_are_nobodys(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.demo.act(acts.Turn("T01", 1, ()))
        at.demo.act(acts.Turn("T02", 1, ()))
        at.run(1.5)
        claim = at.demo.loop.moment.game.claim_of("ANN")
        if claim is not None and claim.square is not None:
            pytest.fail("the claim was bound to one of two dials that moved in the same moment")
        assert "Two dials moved at once under one claim; neither counts." in at.heard("referee")
        assert sorted(at.findings()) == ["T-AUD-4"] * 4


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


def test_t_exp_11_a_second_hero_looks_without_turning(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.say("expose T01 BEN")
        at.press("BEN")
        assert at.screens["BEN"].startswith(CAGE)
        assert at.heard("public")[-1] == "T01: exposed by Ann and Ben."
        assert len(at.turns()) == 1


def test_turning_an_exposed_dial_under_a_claim_shows_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.tap("BEN")
        at.turn("T01", 1)
        at.press("BEN")
        assert at.screens["BEN"] == "T01: Already exposed. Tell the table that you expose it too."
        assert at.findings() == ["T-AUD-4"]


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


def test_t_aud_1_a_dial_that_is_not_at_its_start_mark_is_found_before_the_game(tmp_path: Path) -> None:
    with table(tmp_path, stands={"T02": 4}) as at:
        assert at.findings() == ["T-AUD-1"]
        assert "Finding T-AUD-1: T02 does not stand at its start mark." in at.heard("referee")
        assert "not at its start mark" not in " ".join(at.heard("public"))
        at.say("check")
        assert at.heard("referee")[-1] == "Not at the start mark: T02 (T-AUD-1)."


def test_a_pulled_plug_costs_the_others_nothing_and_the_gap_is_unknown(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 1)
        at.demo.act(acts.Strike("T01", "unplugged"))
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
        at.demo.act(acts.Mend("T01", "unplugged"))
        at.run(3.0)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        turn = at.turns()[-1]
        assert (turn.square, turn.motion.clicks, turn.motion.to_position) == ("T01", None, 3)
        assert at.findings() == ["T-AUD-5", "T-AUD-5"]


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


@pytest.mark.slow
def test_a_claim_that_no_dial_follows_runs_out(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.run(121)
        assert at.demo.loop.moment.game.claims == ()
        assert isinstance(at.events()[-1], ev.ClaimDropped)


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


def test_s_9_a_table_shown_by_force_reaches_the_running_game(tmp_path: Path) -> None:

    with table(tmp_path) as at:
        mage_knight.record_table_shown(at.journal, "SAMPLE-12")
        at.run(1.2)
        assert at.heard("referee")[-1] == "Finding S-9: A trap table of this game was shown during the game."


def test_words_that_cannot_be_carried_out_are_answered(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("dance")
        assert at.heard("referee")[-1].startswith("There is no word 'dance' here;")
        at.say("help")
        assert any(line.startswith("quit: ") for line in at.heard("referee"))
        at.say("status")
        assert at.heard("referee")[-1] == "T02: concealed."
        at.say("check")
        assert at.heard("referee")[-1] == "Every dial stands at its start mark."


def test_a_face_is_only_ever_handed_to_the_seat_that_holds_its_button(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.expose("BEN", "T02", 1)
        assert not any(isinstance(picture, ShowFace) for picture in at.pictures.values())


def test_the_loop_starts_with_no_game(tmp_path: Path) -> None:
    assert NO_GAME.game.seats == {}


def test_a_magnet_too_far_away_is_told_before_the_game_and_told_again_when_it_is_good(tmp_path: Path) -> None:
    demo = Demo(settings(), tmp_path / "journal.db")
    played = Played(demo, tmp_path / "journal.db")
    demo.loop.sitting.listeners = (played,)
    with demo:
        demo.act(acts.Strike("T02", "magnet-weak"))
        played.run(8)
        news = TOO_WEAK.format(square="T02")
        assert played.heard("referee")[0] == news
        assert played.heard("referee").count(news) == 1
        demo.act(acts.Mend("T02", "magnet-weak"))
        played.run(20)
        assert played.heard("referee")[-1] == "T02: the magnet of its dial is good now."
        assert not any("magnet" in line for viewer, line in played.lines if viewer != "referee")


@pytest.mark.parametrize(
    ("fault", "seen"), [("magnet-missing", "answers, but sees no magnet"), ("unplugged", "gave no answer")]
)
def test_a_lost_dial_is_told_once_and_when_it_is_read_again(tmp_path: Path, fault: str, seen: str) -> None:
    with table(tmp_path) as played:
        played.demo.act(acts.Strike("T02", fault))
        played.run(5)
        assert sum(seen in line for line in played.heard("referee")) == 1
        played.demo.act(acts.Mend("T02", fault))
        played.run(2)
        assert played.heard("referee").count("T02: its dial is read again.") == 1
        assert played.turns() == []


def test_dials_that_are_lost_for_one_reason_are_told_in_one_sentence_and_so_is_their_return(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(acts.Strike("T02", "mux-silent"))
        played.run(3)
        assert [line for line in played.heard("referee") if "gave no answer" in line] == [
            "mux 0x70 (simulated /dev/i2c-1) gave no answer (errno 121), so T01 and T02 cannot be read. Check the "
            "mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled up to 3.3 V."
        ]
        assert played.demo.loop.moment.reports["referee"].lines["T01"] == "T01: concealed; its dial cannot be read."
        played.demo.act(acts.Mend("T02", "mux-silent"))
        played.run(2)
        assert [line for line in played.heard("referee") if "read again" in line] == [
            "T01 and T02: their dials are read again."
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
        assert "T01: its dial is read again." in played.heard("referee")


def test_after_two_leads_were_out_the_referee_is_asked_to_check_them(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(acts.Strike("T01", "leads-swapped"))
        played.run(3)
        assert [line for line in played.heard("referee") if "read again" in line] == [
            "T01 and T02: their dials are read again. Check that each lead is on its own tile: if two were exchanged, "
            "each square shows the other's dial."
        ]


@pytest.mark.parametrize("fault", ["unplugged", "hop"])
def test_who_looks_at_a_dial_that_cannot_be_read_is_not_told_to_seat_it(tmp_path: Path, fault: str) -> None:
    with table(tmp_path) as played:
        played.tap("ANN")
        played.turn("T01", 2)
        played.demo.act(acts.Strike("T01", fault))
        played.run(2)
        played.press("ANN")
        assert played.screens["ANN"] == UNREAD
        played.let_go("ANN")
        played.demo.act(acts.Mend("T01", fault))
        played.run(3)
        played.press("ANN")
        assert "cannot be read" not in played.screens["ANN"]
        assert played.turns()[-1].seat == "ANN"


def test_an_encoder_that_hops_is_told_and_makes_no_click(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        played.demo.act(acts.Strike("T01", "hop"))
        played.run(8)
        assert played.heard("referee").count(HOPS.format(square="T01")) >= 1
        played.demo.act(acts.Mend("T01", "hop"))
        played.run(3)
        assert "T01: its dial stands still again." in played.heard("referee")
        assert all(turn.motion.clicks is None for turn in played.turns())


def test_a_clock_that_is_set_during_a_game_is_told_to_the_referee_alone(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        journal = at.demo.loop.sitting.journal
        real = journal._stamp

        def set_right() -> Stamp:
            stamp = real()
            wall = datetime.datetime.fromisoformat(stamp.wall) + datetime.timedelta(hours=1)
            return replace(stamp, wall=wall.isoformat(), clock="ntp")

        at.lines.clear()
        journal._stamp = set_right
        at.tap("ANN")
        assert [(viewer, line) for viewer, line in at.lines if "clock" in line] == [
            (
                "referee",
                "clock (the date): it was 3600.0 s behind and was changed. Nothing to do: the journal says it of its "
                "earlier entries.",
            )
        ]
        assert [type(event) for event in at.events()][-2:] == [ev.ClockCorrected, ev.Claimed]
    replay(tmp_path / "journal.db")


def test_an_encoder_that_hops_takes_nobodys_claim(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.demo.act(acts.Strike("T01", "hop"))
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
        assert at.heard("referee").count(HOPS.format(square="T01")) == 1
        at.press("ANN")
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        at.run(5)
        at.press("ANN")
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        at.turn("T01", 2)
        at.run(1)
        assert "T01: its dial stands still again." in at.heard("referee")
        at.press("ANN")
        assert at.screens["ANN"].startswith("T01: ")
        (turn,) = at.turns()
        assert (turn.motion.to_position, turn.motion.clicks, turn.seat) == (9, None, "ANN")


# ------------------------------------------------------------------------------------------------- a quiet table


def looks_of(at: Played, seconds: float) -> int:
    """How many looks the dials give in that time."""
    looks = 0
    take = at.demo.loop.feed.take

    def counted() -> Sequence[Look]:
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


@pytest.mark.parametrize("stirs", ["a dial", "a button", "a word", "a lead"])
def test_a_quiet_table_wakes(tmp_path: Path, stirs: str) -> None:
    with table(tmp_path) as at:
        at.say("end")
        at.run(40)
        match stirs:
            case "a dial":
                at.demo.act(acts.Turn("T01", 2, (200.0,)))
            case "a button":
                at.tap("ANN")
            case "a word":
                at.say("status")
            case _:
                at.demo.act(acts.Strike("T01", "unplugged"))
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


def test_a_hand_too_quick_to_be_seen_going_keeps_its_claim(tmp_path: Path) -> None:
    """A whole click between two looks: the dial is first seen where it stops, and swings there."""
    used = settings()
    with Demo(used, tmp_path / "journal.db", seed=341) as demo:
        while not demo.loop.ready:
            demo.step()
        demo.play(plan(340, Table(tuple(used.seats), tuple(used.squares)), 2))
        assert demo.loop.moment.game.findings == ()
