"""Phones at a table: they join, claim, look, move and leave, and every phone gets a frame whenever one does."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal.record.heads import read_head
from pi_app.pages import sealing
from pi_app.pages.messages import Posted
from pi_app.pages.qr import modules
from pi_app.play.phones import BATCHES, BEAT_NS, JOINS
from pi_app.report.pictures import ShowCode, ShowFace
from pi_app.settings.model import Settings
from pi_app.simulated.actions import TurnDial
from pi_app.simulated.phone import knock
from tests.pi_app.games import table_with
from tests.pi_app.phones_at_table import ANN_CARD, BEN_CARD, Phones, code_on, with_phones
from tests.pi_app.playing import settings, table


def device_rolls() -> Settings:
    """The small table, whose device rolls."""
    used = settings()
    return replace(used, table=msgspec.structs.replace(used.table, roll="device"))


# ---------------------------------------------------------------------------------------------------------- joining


def test_a_phone_joins_with_the_code_on_the_seats_own_screen(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        at.press("ANN")
        code = code_on(at, "ANN")
        assert at.screens["ANN"].startswith("Scan it with your phone: HTTP://10.77.0.1/#")
        ann = phones.join(code)
        assert (ann.now["seat"], ann.now["name"], ann.now["phase"]) == ("ANN", "Ann", "playing")
        assert (ann.now["picture"], ann.now["news"]) == (None, ["Note 1: Ann reads on a phone now."])
        assert at.screens["ANN"] == "dark"
        assert at.heard("public")[-1].endswith("Ann reads on a phone now.")
        assert [each.moved for each in at.events() if isinstance(each, ev.PhoneJoined)] == [False]
        assert phones.join(code).ended == "code"


def test_a_typed_word_shows_the_code_and_voids_the_older_one(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        at.say("phone ann")
        first = code_on(at, "ANN")
        at.say("phone Ann")
        assert at.heard("referee")[-1] == "The screen of Ann shows the code for a phone."
        second = code_on(at, "ANN")
        assert first != second
        assert phones.join(first).ended == "code"
        assert phones.join(second).now["seat"] == "ANN"


def test_the_code_goes_off_after_a_minute(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, _):
        at.say("phone ann")
        at.run(59)
        assert isinstance(at.pictures["ANN"], ShowCode)
        at.run(2)
        assert at.screens["ANN"] == "dark"


def test_without_pages_the_word_says_so(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("phone ann")
        assert at.heard("referee")[-1] == "This table has no pages for phones: its settings have no [pages]."
        at.press("ANN")
        assert at.screens["ANN"] == "Nothing to see yet. Tap to begin."


def test_a_seat_without_a_screen_is_told_of_its_card(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, _):
        at.demo.loop.session.seats["ANN"].own_screen = False
        at.say("phone ann")
        assert at.heard("referee")[-1] == "Ann has no screen for a code: scan the printed card of the seat."


def test_a_second_phone_takes_the_seat_over_and_everyone_reads_it(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        new = phones.join(ANN_CARD)
        assert ann.ended == "moved"
        assert new.now["seat"] == "ANN"
        assert at.heard("public")[-1].endswith("Ann's seat moved to another phone.")
        assert ben.now["news"][-1].endswith("Ann's seat moved to another phone.")
        before = len(phones.order)
        ann.tap()  # the old phone's keys are void
        assert at.demo.loop.moment.game.claims == ()
        assert len(phones.order) == before
        ann.come_back()
        assert ann.ended == "code"


def test_a_phone_leaves_its_seat(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        ann.post(sealing.LEAVE)
        assert ann.ended == "code"
        assert at.heard("public")[-1].endswith("Ann no longer reads on a phone.")
        assert [type(each) for each in at.events()][-2:] == [ev.PhoneJoined, ev.PhoneLeft]
        assert at.demo.loop.session.seats["ANN"].routed.has_phone is False


def test_nobody_joins_before_the_game_and_after_it(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        at.say("end")
        assert phones.join(ANN_CARD).ended == "game"
        at.say("new")
        at.run(0.5)
        assert phones.join(ANN_CARD).now["phase"] == "playing"


def test_a_seat_that_changes_phones_too_often_waits(tmp_path: Path) -> None:
    """Each entry costs the disk; a card can be scanned again and again."""
    with with_phones(tmp_path) as (at, phones):
        for _ in range(JOINS.at_once):
            assert phones.join(ANN_CARD).ended == ""
        assert phones.join(ANN_CARD).ended == "full"
        count = len(at.events())
        at.run(JOINS.every_ns / 1e9)
        assert phones.join(ANN_CARD).ended == ""
        assert len(at.events()) == count + 1


# --------------------------------------------------------------------------------------------------------- gestures


def test_a_whole_turn_on_a_phone(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        ann.tap()
        assert ann.shown == "Your turn. Turn one dial, then hold to look."
        assert at.screens["ANN"] == ann.shown, "a neutral sentence goes to both"
        assert ann.now["mine"]["claim"] == "open"
        at.turn("T01", 3)
        at.run(0.3)
        ann.hold()
        assert (ann.now["held"], ann.shown) == (True, "The Cage")
        assert ann.now["picture"]["label"] == "T01"
        assert at.screens["ANN"] == "dark", "the seat's own screen stays dark"
        assert ben.shown == ""
        assert json.dumps(ben.frames).find("Cage") == -1
        ann.let_go()
        assert (ann.now["held"], ann.now["picture"]) == (False, None)
        turned = at.turns()[0]
        assert (turned.seat, turned.grade, turned.motion.clicks) == ("ANN", "phone", 3)
        ann.hold()
        looked = [each for each in at.events() if isinstance(each, ev.Looked)]
        assert [(each.seat, each.square, each.grade) for each in looked] == [("ANN", "T01", "phone")]


def test_a_hold_between_two_clicks_waits_until_the_hand_is_done(tmp_path: Path) -> None:
    """T-EXP-5: a hand pauses 220 ms between two clicks, and a phone's hold counts at once."""
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        ann.tap()
        at.demo.act(TurnDial("T01", 3, (220.0, 220.0)))
        at.run(0.4)
        ann.hold()
        assert ann.shown == "Still turning. Let it rest, then hold again."
        at.run(1.0)
        phones.read()
        assert ann.shown == "The Cage"
        assert [turned.motion.clicks for turned in at.turns()] == [3]


def test_a_hold_at_the_button_shows_at_the_seat_alone(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        at.tap("ANN")
        phones.read()
        assert ann.shown == "Your turn. Turn one dial, then hold to look."
        at.turn("T01", 3)
        at.press("ANN")
        phones.read()
        assert isinstance(at.pictures["ANN"], ShowFace)
        assert (ann.now["held"], ann.now["picture"]) == (False, None)
        assert at.turns()[0].grade == "button"
        at.let_go("ANN")
        at.press("ANN")
        assert [each.grade for each in at.events() if isinstance(each, ev.Looked)] == [msgspec.UNSET]


def test_the_lamp_never_blinks_for_a_phone(tmp_path: Path) -> None:
    """Neither for a face nor for 'look again': its glow is about the seat's own button (S-6)."""
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        ann.tap()
        at.turn("T01", 3)
        levels = set()
        for gesture in (ann.hold, ann.let_go, ann.hold):
            gesture()
            for _ in range(20):
                at.run(0.1)
                levels.add(at.demo.table.sim_pins.level(20))
        ann.let_go()
        at.say("claim ben")
        ann.tap()  # refused: another player turns, which the lamp signals for a tap at the button
        assert ann.shown == "Please wait: someone else turns a dial."
        at.run(0.3)
        levels.add(at.demo.table.sim_pins.level(20))
        assert levels == {0}


def test_the_newer_hold_takes_over_and_the_older_one_ends_without_effect(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        at.expose("ANN", "T01", 3)
        at.press("ANN")
        assert isinstance(at.pictures["ANN"], ShowFace)
        ann.hold()
        assert ann.shown == "The Cage"
        assert at.screens["ANN"] == "dark"
        at.let_go("ANN")
        phones.read()
        assert (ann.now["held"], ann.shown) == (True, "The Cage")
        ann.let_go()
        assert ann.shown == ""


def test_a_phone_whose_stream_ends_lets_go(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        at.expose("ANN", "T01", 3)
        ann.hold()
        assert ann.shown == "The Cage"
        ann.lose_stream()
        assert at.demo.loop.session.seats["ANN"].held_at is None
        ann.come_back()
        assert (ann.now["held"], ann.now["picture"]) == (False, None)


def test_a_hold_that_lasts_too_long_goes_dark(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        at.expose("ANN", "T01", 3)
        ann.hold()
        at.run(9)
        phones.read()
        assert (ann.now["held"], ann.now["picture"]) == (True, None)


def test_the_face_follows_on_the_phone_when_the_dial_rests(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        at.demo.loop.session.seats["ANN"].button = None
        ann = phones.join(ANN_CARD)
        ann.tap()
        at.demo.act(TurnDial("T01", 3, (500.0, 500.0)))
        at.run(1.02)
        ann.hold()
        assert ann.shown in ("Still turning. Let it rest, then hold again.", "The Cage")
        at.run(1.0)
        phones.read()
        assert (ann.now["held"], ann.shown) == (True, "The Cage")


def test_a_repeated_or_forged_post_has_no_effect(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        assert ann.session is not None
        tap = ann.session.post(sealing.TAP)
        phones.send(Posted(tap))
        assert len(at.demo.loop.moment.game.claims) == 1
        phones.send(Posted(tap))
        phones.send(Posted(bytes(128)))
        phones.send(Posted(tap[:60] + bytes([tap[60] ^ 1]) + tap[61:]))
        assert len(at.demo.loop.moment.game.claims) == 1


def test_a_share_is_agreed_to_on_a_phone(tmp_path: Path) -> None:
    used = settings()
    shared = replace(used, ruleset=msgspec.structs.replace(used.ruleset, share_by_exposer=True))
    with with_phones(tmp_path, shared) as (at, phones):
        at.demo.loop.session.seats["ANN"].button = None
        at.demo.loop.session.seats["ANN"].own_screen = False
        ann = phones.join(ANN_CARD)
        ann.tap()
        at.turn("T01", 3)
        at.run(0.3)
        ann.hold()
        ann.let_go()
        at.say("share T01 ann")
        phones.read()
        assert ann.shown == "Show this to all? “My turn”: yes. “Hold to look”, or wait: no."
        at.run(1.5)
        ann.tap()
        assert "The Cage" in at.heard("public")[-1]


def test_the_devices_roll_waits_for_a_finger(tmp_path: Path) -> None:
    with with_phones(tmp_path, device_rolls()) as (at, phones):
        at.rolls(4)
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        ann.tap()
        assert ann.shown == "Something for you. Hold to see it."
        assert at.screens["ANN"] == ann.shown
        rolls = [each for each in at.events() if isinstance(each, ev.Rolled)]
        assert [(each.die, each.how, each.grade) for each in rolls] == [(4, "device", "phone")]
        ann.hold()
        assert ann.now["picture"]["kind"] == "die"
        assert ann.shown == "Turn it 4 clicks, let it rest, then hold to look."
        assert at.screens["ANN"] == "dark"
        assert "4 clicks" not in json.dumps(ben.frames)
        ann.let_go()
        assert ann.shown == ""


def test_a_seat_with_only_a_lamp_rolls_on_its_phone(tmp_path: Path) -> None:
    with with_phones(tmp_path, device_rolls()) as (at, phones):
        at.demo.loop.session.seats["ANN"].own_screen = False
        at.tap("ANN")
        assert "has no screen for a number" in at.heard("referee")[-1]
        at.say("drop ann")
        phones.join(ANN_CARD).tap()
        assert [each.grade for each in at.events() if isinstance(each, ev.Rolled)] == ["phone"]


# ----------------------------------------------------------------------------------------------------------- frames


def test_everyone_gets_a_frame_whenever_anyone_does_and_all_have_one_size(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        both = len(phones.order)
        ann.tap()
        at.turn("T01", 3)
        ann.hold()
        ann.let_go()
        at.tap("BEN")
        ben.lose_stream()
        ben.come_back()
        phones.read()
        assert {frozenset(order) for order in phones.order[both:-1]} == {frozenset({ann.conn, ben.conn - 1})}
        assert set(phones.order[-1]) == {ann.conn, ben.conn}
        assert {size for sizes in phones.sizes for size in sizes} == {4096}
        assert len(set(phones.order[both:])) > 1, "the order is drawn each time"


def test_a_batch_is_sent_at_the_beginning_of_a_round_so_that_its_making_takes_no_visible_time(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        ann.tap()
        at.turn("T01", 3)
        at.run(1)
        phones.read()
        assert ann.session is not None
        clock, sent = at.demo.table.clock, []
        phones.link.send = lambda message: sent.append((clock.now_ns(), message))  # type: ignore[method-assign]
        phones.link.incoming.append(Posted(ann.session.post(sealing.HOLD)))
        began_ns = clock.now_ns()
        at.demo.loop.step()
        assert sent == [], "the round that shows the face makes the frames"
        next_ns = clock.now_ns()
        at.demo.loop.step()
        assert [at_ns for at_ns, _ in sent] == [next_ns]
        assert next_ns > began_ns


def test_without_any_change_a_batch_follows_after_five_seconds(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        at.run(1)
        phones.read()
        count = len(ann.frames)
        at.run(5 * BEAT_NS / 1e9)
        phones.read()
        assert len(ann.frames) == count + 5
        assert ann.frames[-1] == ann.frames[count]


def test_a_phone_that_comes_back_gets_exactly_one_frame_and_so_does_every_other(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (_, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        ann.lose_stream()
        before = len(ann.frames), len(ben.frames)
        ann.come_back()
        assert (len(ann.frames), len(ben.frames)) == (before[0] + 1, before[1] + 1)


def test_a_stream_that_is_opened_twice_ends_the_older_one(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (_, phones):
        ann = phones.join(ANN_CARD)
        older = ann.conn
        ann.come_back()
        assert ann.ended == "twice", "the page keeps its keys: no other phone has the seat"
        assert phones.order[-1] == (ann.conn,)
        assert older != ann.conn


def test_frames_are_paced_when_a_phone_never_rests(tmp_path: Path) -> None:
    """A hundred gestures a second must not seal frames in every round."""
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        assert ann.session is not None
        before = len(phones.order)
        for _ in range(400):
            phones.link.incoming.append(Posted(ann.session.post(sealing.HOLD)))
            phones.link.incoming.append(Posted(ann.session.post(sealing.LET_GO)))
            at.run(0.01)
        phones.read()
        assert len(phones.order) - before <= BATCHES.most_in(4_000_000_000 + 400 * 20_000_000)
        at.run(1)
        phones.read()
        assert ann.now["held"] is False


def test_the_news_are_public_and_in_the_seats_own_language(tmp_path: Path) -> None:
    used = settings()
    seats = {**used.seats, "BEN": msgspec.structs.replace(used.seats["BEN"], language="de")}
    used = replace(used, seats=MappingProxyType(seats))
    with with_phones(tmp_path, used) as (at, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        at.expose("ANN", "T01", 3)
        phones.read()
        assert ann.now["news"][-1] == "T01: exposed by Ann."
        assert (ben.now["lang"], ben.now["news"][-1]) == ("de", "T01: aufgedeckt von Ann.")
        assert ann.now["squares"][0] == ["T01", "T01: exposed by Ann.", "EXPOSED"]
        assert ann.now["mine"]["knows"] == ["T01"]
        assert ben.now["mine"]["knows"] == []
        assert ann.now["marks"] == ["SIMULATED", "SAMPLE"]
        for n in range(9):
            at.say(f"hero ann Hero{n % 8}")
        phones.read()
        assert len(ann.now["news"]) <= 8


def test_an_exposed_clear_square_and_a_trap_give_the_other_seat_the_same_frames(tmp_path: Path) -> None:
    seen = []
    for n, trap in enumerate((Trap.CAGE, None)):
        folder = tmp_path / str(n)
        folder.mkdir()
        with with_phones(folder, settings(table_with(trap))) as (at, phones):
            ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
            ann.tap()
            at.turn("T01", 3)
            at.run(0.3)
            ann.hold()
            ann.let_go()
            frames = [frame | {"head": read_head(frame["head"]).size} for frame in ben.frames]
            seen.append((frames, phones.order, phones.sizes))
            assert [frame["picture"] and frame["picture"]["kind"] for frame in ann.frames].count("face") == 1
    assert seen[0] == seen[1]


# -------------------------------------------------------------------------------------------------- end, new, restart


def test_the_end_brings_the_head_and_voids_everything(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann, ben = phones.join(ANN_CARD), phones.join(BEN_CARD)
        at.say("end")
        phones.read()
        head = at.heard("public")[-1].partition("head: ")[2]
        for phone in (ann, ben):
            assert (phone.now["phase"], phone.now["head"], phone.ended) == ("ended", head, "over")
            drawn = modules(head.replace(" ", ""), "M")
            assert phone.now["qr"]["size"] == len(drawn)
            data = int.from_bytes(base64.b64decode(phone.now["qr"]["rows"]), "big")
            bits = "".join(str(int(module)) for row in drawn for module in row)
            assert bin(data)[2:].zfill(-(-len(bits) // 8) * 8)[: len(bits)] == bits
        count = len(phones.order)
        ann.tap()
        at.run(11)
        phones.read()
        assert len(phones.order) == count
        assert at.demo.loop.session.seats["ANN"].routed.has_phone is False


def test_end_and_new_in_one_breath_give_phones_the_end_first(tmp_path: Path) -> None:
    """Two lines that are pasted arrive in one round."""
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        first = at.demo.loop.session.game_id
        at.demo.loop.say("end")
        at.demo.loop.say("new")
        at.run(0.5)
        phones.read()
        ended = [frame for frame in ann.frames if frame["phase"] == "ended"]
        head = next(line for line in at.heard("public") if "head: " in line).partition("head: ")[2]
        assert [(frame["head"], frame["qr"]["size"]) for frame in ended] == [(head, 53)]
        assert (ann.now, ann.ended) == (ended[0], "over")
        assert at.demo.loop.session.game_id != first
        assert at.demo.loop.session.playing
        new = phones.join(ANN_CARD)
        assert (new.now["phase"], new.now["news"]) == ("playing", ["Note 1: Ann reads on a phone now."])
        assert read_head(new.now["head"]).size == len(at.events())


def test_a_new_game_needs_a_new_scan(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        at.press("ANN")
        old_code = code_on(at, "ANN")
        ann = phones.join(BEN_CARD)
        at.say("end")
        at.say("new")
        at.run(0.5)
        ann.come_back()
        assert ann.ended == "code"
        assert phones.join(old_code).ended == "code"
        assert phones.join(BEN_CARD).ended == ""


def test_a_join_that_is_sent_again_is_written_down_and_announced_once(tmp_path: Path) -> None:
    """As a page does whose network lost the answer: the newest stream gets the frames, and the older one ends."""
    with with_phones(tmp_path) as (at, phones):
        phones.read()
        body, finish = knock(ANN_CARD, game=phones.game)
        admitted = [phones.knock(body, finish), phones.knock(body, finish)]
        assert [phone.ended for phone in admitted] == ["twice", ""]
        assert admitted[0].session is not None
        assert admitted[1].session is not None
        assert admitted[0].session.slot == admitted[1].session.slot
        assert phones.order[-1] == (admitted[1].conn,)
        assert len([each for each in at.events() if isinstance(each, ev.PhoneJoined)]) == 1
        admitted[1].come_back()
        late = phones.knock(body, finish)
        assert late.ended == "twice", "a recorded join takes nothing from a phone that has used its keys"
        at.run(11)
        assert phones.order[-1] == (admitted[1].conn,)


def test_a_card_that_was_scanned_in_one_game_is_not_replayed_in_the_next(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        phones.read()
        body, finish = knock(BEN_CARD, game=phones.game)
        assert phones.knock(body, finish).ended == ""
        first = phones.game
        at.say("end")
        at.say("new")
        at.run(0.5)
        ben = phones.join(BEN_CARD)
        assert (ben.ended, phones.game == first) == ("", False)
        assert phones.knock(body, finish).ended == "code"
        assert ben.ended == "", "the player keeps the seat"


def test_a_game_resumed_after_a_power_cut_keeps_its_phones(tmp_path: Path) -> None:
    first = Phones(1)
    with table(tmp_path, pages=first.pages) as at:
        ann = first.at(at).join(ANN_CARD)
        at.expose("ANN", "T01", 3)
        first.read()
        older = ann.frames[-1]
        assert ann.session is not None
        recorded_tap = ann.session.post(sealing.TAP)
    second = Phones(2)
    with table(tmp_path, resume=True, stands={"T01": 3}, pages=second.pages) as at:
        second.at(at)
        second.send(Posted(recorded_tap))
        assert at.demo.loop.moment.game.claims == (), "a post from before the cut is old"
        ann.at = second
        ann.come_back()
        assert (ann.now["seat"], ann.now["phase"]) == ("ANN", "playing")
        assert ann.now["after"] > older["after"]
        ann.session.counter = max(ann.session.counter, ann.now["after"])
        ann.hold()
        assert ann.shown == "The Cage"


# ---------------------------------------------------------------------------------------------------------- trouble


def test_a_disk_that_refuses_a_phone_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with with_phones(tmp_path) as (at, phones):
        ann = phones.join(ANN_CARD)
        session = at.demo.loop.session
        with monkeypatch.context() as broken:
            broken.setattr(session, "record_event", lambda event, said=(): False)
            assert phones.join(ANN_CARD).ended == "disk"
        assert ann.ended == "", "its stream goes on"
        ann.tap()
        assert ann.now["seat"] == "ANN"


def test_trouble_of_the_page_process_is_told_once(tmp_path: Path) -> None:
    with with_phones(tmp_path) as (at, phones):
        phones.link.trouble = "The page process does not answer, so it was stopped. It starts again on its own."
        at.run(1)
        assert at.heard("referee").count(phones.link.trouble) == 1
