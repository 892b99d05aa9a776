"""Moves at a table in play: on disk with their dice before anything is said, rolled by the device if asked, and the
same answers again from the record alone. And a square that its own player has shown to all."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.audit.files import audit_file
from pi_app.audit.replay import rebuild, replay
from pi_app.game import events as ev
from pi_app.game.moves import resolve
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import Trap
from pi_app.report.pictures import ShowFace
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.text.language import words
from tests.pi_app.bad_disk import on_a_bad_disk
from tests.pi_app.games import table_with
from tests.pi_app.playing import Played, settings, table


def holding(trap: Trap | None, **rules: object) -> Settings:
    """Return the small table with the same trap on all squares."""
    return replace(settings(table_with(trap)), ruleset=Ruleset(**rules))  # type: ignore[arg-type]


def moves(at: Played) -> list[ev.Moved]:
    return [event for event in at.events() if isinstance(event, ev.Moved)]


def test_dice_that_the_device_rolls_are_recorded_before_they_are_told(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.BUZZ_SAW)) as at:
        at.expose("ANN", "T01", 3)
        at.say("trigger T01 ANN")
        at.rolls(5)
        before = len(at.lines)
        at.say("hits T01 toughness roll")
        assert [line for _, line in at.lines[before:]] == [
            "The device rolled 5 for T01.",
            "4 clicks of damage (E-SAW-1).",
            "Toughness counts as 1 here: no trap sheet says how much (A-TGH-1).",
            "The figure's movement and activation end (T-TRG-6).",
        ]
        assert moves(at) == [
            ev.Moved(square="T01", verb="hits", who="ANN", added=("toughness",), numbers=(5,), how="device")
        ]


def test_a_move_that_the_disk_refused_is_not_told(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path, holding(Trap.BUZZ_SAW)) as at:
        disk.number = errno.ENOSPC
        at.say("pass T01 ANN roll")
        assert not [line for _, line in at.lines if "rolled" in line or "set off" in line]
        assert moves(at) == []


def test_t_trg_1_a_move_that_sets_off_is_followed_by_what_it_sets_off(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.FIRE_JETS)) as at:
        at.expose("ANN", "T01", 3)
        at.say("enter T01 ANN")
        kinds = [type(event) for event in at.events()][-2:]
        assert kinds == [ev.Moved, ev.Triggered]
        assert at.heard("public")[-1] == "T01: triggered; Fire Jets."


def test_a_disarm_by_the_device_tells_two_of_its_three_dice(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.CAGE)) as at:
        at.expose("ANN", "T01", 3)
        at.rolls(1, 2, 4)
        at.say("disarm T01 ANN slow roll")
        assert "The device rolled 1, 2 for T01." in at.heard("referee")
        (tried,) = (event for event in at.events() if isinstance(event, ev.DisarmTried))
        assert (tried.dice, tried.plus_die, tried.how) == ((1, 2), 4, "device")


def test_a_refused_line_rolls_nothing(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.CAGE)) as at:
        at.rolls(1)
        at.say("hits T01 roll")
        assert at.heard("referee")[-1] == "T01 has not gone off: it hits no figure (T-TRG-7)."
        at.say("pass T01 ANN roll")
        assert [move.numbers for move in moves(at)] == [(1,)]


def test_the_record_alone_gives_the_same_answers_again(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.NOXIOUS_ACID_POOL)) as at:
        at.expose("ANN", "T01", 3)
        for line in ("pass T01 BEN roll", "enter T01 BEN flying stops", "hits", "start T01 ANN", "enter T01 ANN"):
            at.say(line)
        at.say("break T01 ANN 6 anyway")
        at.say("end")
        at.run(0.3)
        told = at.heard("referee")
    assert replay(at.journal)[0].ended
    before, again = None, []
    for entry, game in rebuild(at.journal):
        if isinstance(entry.event, ev.Moved) and before is not None:
            again += [note.text(words("en")) for note in resolve(entry.event, before).notes]
        before = game
    assert len(again) >= 5
    assert [line for line in told if line in again] == again


# ------------------------------------------------------------------------------------------------------ shown to all

QUESTION = "T01: Show this to all? Tap: yes. Hold, or wait: no."


def asked(at: Played) -> None:
    at.expose("ANN", "T01", 3)
    at.say("share T01 ANN")
    assert at.screens["ANN"] == QUESTION
    assert at.heard("referee")[-1] == "Ann was asked, and agrees with a tap."


def shared(at: Played) -> bool:
    return any(isinstance(event, ev.Shared) for event in at.events())


@pytest.mark.parametrize(("trap", "told"), [(Trap.CAGE, "The Cage"), (None, "clear, as shown to all")])
def test_s_8_a_tap_of_the_seat_itself_has_it_shown_to_all(trap: Trap | None, told: str, tmp_path: Path) -> None:
    with table(tmp_path, holding(trap, share_by_exposer=True)) as at:
        asked(at)
        at.run(1.5)
        at.tap("ANN")
        assert at.heard("public")[-1] == f"T01: exposed by Ann; {told}."
        assert at.demo.loop.moment.game.claims == ()
        at.press("BEN")
        assert isinstance(at.pictures["BEN"], ShowFace)
        at.say("end")
        at.run(0.3)
        assert replay(at.journal)[0].moment.game.squares["T01"].shared
    knew = {(known.seat, known.square): known.by for known in audit_file(at.journal).games[0].known}
    assert knew == {("ANN", "T01"): "exposed", ("BEN", "T01"): "shown to all"}


def test_s_8_who_holds_or_waits_or_taps_before_it_can_be_read_has_said_no(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.CAGE, share_by_exposer=True)) as at:
        asked(at)
        at.tap("ANN")
        at.tap("ANN")
        at.say("share T01 ANN")
        at.press("ANN")
        at.let_go("ANN")
        at.tap("ANN")
        at.tap("ANN")
        at.say("share T01 ANN")
        at.run(4.5)
        at.tap("ANN")
        at.tap("ANN")
        assert not shared(at)


def test_s_8_a_square_that_went_off_meanwhile_is_not_shown_again(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.CAGE, share_by_exposer=True)) as at:
        asked(at)
        at.say("trigger T01 ANN")
        at.run(1.5)
        at.tap("ANN")
        assert not shared(at)


def test_s_8_who_has_no_screen_is_not_asked(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.CAGE, share_by_exposer=True)) as at:
        at.expose("ANN", "T01", 3)
        at.demo.loop.session.seats["ANN"].own_screen = False
        at.say("share T01 ANN")
        told = "Ann has no button and screen to agree with: tell them aloud."
        assert at.heard("referee")[-1] == told


@pytest.mark.parametrize("paid", [False, True])
def test_r_xp_3_experience_is_booked_after_the_effect(paid: bool, tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.FIRE_JETS, xp_on_trigger_25=paid)) as at:
        at.expose("ANN", "T01", 3)
        at.say("trigger T01 ANN")
        assert "Experience: Ann 25." not in at.heard("public")
        at.say("hits")
        assert ("Experience: Ann 25." in at.heard("public")) is paid


# ------------------------------------------------------------------------------------------------ words taken back


def test_a_word_stands_once_its_dial_is_being_turned(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.FIRE_JETS)) as at:
        at.say("enter T02 BEN")
        at.demo.act(actions.TurnDial("T02", 3, (400.0, 400.0)))
        at.run(0.6)
        at.say("undo")
        assert at.heard("referee")[-1] == "The dial of T02 is being turned, so that word stands."
        at.run(2.0)
        at.press("BEN")
        at.let_go("BEN")
        assert "T02: triggered; Fire Jets." in at.heard("public")
        assert at.findings() == []


def test_a_word_that_is_taken_back_gives_the_seat_its_claim_back(tmp_path: Path) -> None:
    with table(tmp_path, holding(Trap.FIRE_JETS)) as at:
        at.say("enter T02 BEN")
        at.say("undo")
        assert at.screens["BEN"] == "Claim taken back."
        assert at.demo.loop.moment.game.claims == ()
        at.expose("BEN", "T02", 2)
        assert at.findings() == []
