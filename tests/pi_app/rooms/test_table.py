"""Rooms turned by simulated hands, seen by the same scan, drivers and tracking as trap squares, and audited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.journal.record.verdict import RecordState
from pi_app.rooms import events as ev
from pi_app.rooms.audit import audit
from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.report import ROOMS
from pi_app.rooms.settings import example, parse
from tests.pi_app.rooms.tables import put_back, table, text
from wiring_docs import journal_verifier

TO_R3 = ("card ann 2", "reveal R3", "gear ann R3")


def test_d_aud_1_a_quarter_turn_with_the_arrow_costs_one_point(tmp_path: Path) -> None:
    """D-AUD-1, D-ROT-2: a character on the gear of its own room."""
    with table(tmp_path) as at:
        assert at.says(*TO_R3, "turn R3 1")[-2:] == [
            "Ann plays 2 Actions; 0 left; may be turned: R3.",
            "R3: 90 degrees clockwise from where it was revealed.",
        ]
        assert at.game.rooms["R3"].q == 1
        assert at.findings == []


def test_d_aud_2_nobody_on_a_gear_for_it(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "turn R3 1")[-1] == (
            "Finding D-AUD-2: R3 was turned, but Ben has no figure on a gear for it."
        )


def test_d_rot_5_a_remote_turn_goes_by_the_arrow_of_the_room_that_turns(tmp_path: Path) -> None:
    """D-ROT-5, D-ROT-6."""
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R4", "gear ann R3 remote", "turn R4 -1")
        assert at.findings == []
        assert at.game.rooms["R4"].q == 3


def test_d_aud_3_against_the_arrow_and_d_rot_13_a_mekanork_may(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says(*TO_R3, "turn R3 -1")[-1] == (
            "Finding D-AUD-3: R3 was turned against its arrow; "
            "did a Mekanork stand on the gear (D-ROT-13, from another source)?"
        )
        at.says("end turn", "card ben 2", "gear ben R3 mekanork", "turn R3 -1")
        assert at.findings == [("D-AUD-3", "R3")]
        assert at.game.rooms["R3"].q == 2


def test_d_aud_4_one_against_the_arrow_ends_as_three_with_it_and_is_not_the_same(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "gear ben R3", "turn R3 3")
        assert at.findings == []
        assert at.game.turn is not None
        assert (at.game.rooms["R3"].q, at.game.turn.spent) == (3, 3)
        at.says("end turn", "card ann 3", "reveal R1", "gear ann R1", "turn R1 -1")
        assert (at.game.rooms["R1"].q, at.game.turn.spent, at.findings) == (3, 2, [("D-AUD-3", "R1")])


def test_d_aud_5_four_quarter_turns_come_back_cost_four_and_are_legal(tmp_path: Path) -> None:
    """D-AUD-5, D-ROT-3."""
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "end turn", "card ann 4", "gear ann R3")
        at.says("turn R3 1", "turn R3 3")
        assert at.game.turn is not None
        assert (at.game.rooms["R3"].q, at.game.turn.spent, at.findings) == (0, 4, [])


def test_d_aud_6_two_rooms_at_once(tmp_path: Path) -> None:
    """D-AUD-6, D-ROT-7."""
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "reveal R4")
        told = at.says("gear ben R3", "gear ben R3 remote", "turn R3 1 R4 -1")
        assert "Finding D-AUD-6: R3 was turned at the same time as another room." in told
        assert at.findings == [("D-AUD-6", "R3"), ("D-AUD-6", "R4")]


def test_d_aud_7_no_undoing_after_it_was_seated_and_wobble_before_is_nothing(tmp_path: Path) -> None:
    """D-AUD-7, D-ROT-8, D-ROT-9."""
    with table(tmp_path) as at:
        at.says(*TO_R3)
        at.nudge("R3")
        assert at.says("") == ["R3: rests between two positions. Push it until it sits."]
        assert at.game.rooms["R3"].turned == 0, "it is not seated"
        put_back(at.demo, "R3")
        assert at.says("") == ["R3: 0 degrees clockwise from where it was revealed."]
        assert (at.game.rooms["R3"].q, at.findings) == (0, [])
        assert at.says("turn R3 1", "turn R3 -1")[-2:] == [
            "Finding D-AUD-7: R3 was turned back: no undoing (D-ROT-8).",
            "Finding D-AUD-8: Ann spends more action points than the card has.",
        ]


def test_d_aud_9_outside_any_turn_or_face_down(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says("turn R1 1")[-1] == "Finding D-AUD-9: R1 was turned while it lay face down."
        told = at.says("card ann 2", "reveal R3", "end turn", "turn R3 1")
        assert told[-1] == "Finding D-AUD-9: R3 was turned outside of any turn."


def test_d_rev_6_what_is_turned_while_it_is_put_back_is_no_rotation(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "turn R3 2")
        assert (at.game.rooms["R3"].q, at.findings) == (0, [])


def test_the_table_may_choose_that_a_revealed_room_lies_as_its_dial_stands(tmp_path: Path) -> None:
    with table(tmp_path, 'reveal = "stands"') as at:
        at.says("turn R3 1", "card ann 2", "reveal R3")
        assert at.game.rooms["R3"].q == 1
        at.says("turn R3 1")
        assert at.game.rooms["R3"].q == 2


def test_a_lost_room_is_reported_and_comes_back(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        told = at.says("unplug R2")
        assert told[0] == "R2: its dial cannot be read. Check its plug."
        assert told[1].endswith("gave no answer (errno 121). Check its plug, then its power, then SDA and SCL.")
        assert at.says("plug R2") == ["R2: face down."]


def test_a_pasted_file_is_not_carried_out_whole(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        told = at.says(*["reveal everything"] * 5000)
        assert len(told) < 650
        assert told[-1].startswith("More lines were typed than can be carried out.")
        assert at.says("reveal everything") == []


def test_a_room_whose_lead_comes_and_goes_is_lost_until_it_stays(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        for _ in range(12):
            at.says("unplug R2", "plug R2")
        assert at.game.rooms["R2"].lost
        until_ns = at.demo.twins.clock.now_ns() + 12_000_000_000
        while at.demo.twins.clock.now_ns() < until_ns:
            at.demo.step()
        assert not at.game.rooms["R2"].lost
    told = [entry.event for entry in jn.read(at.path, ROOMS)]
    assert sum(isinstance(event, ev.RoomLost) for event in told) == 3
    assert [event.times for event in told if isinstance(event, ev.RoomBack)][:2] == [1, 1]
    assert sum(event.times for event in told if isinstance(event, ev.RoomBack)) > 10


def test_d_aud_4_a_turn_with_the_plug_out_is_an_unknown_path(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "unplug R3")
        assert at.says("turn R3 1") == []
        assert at.says("plug R3") == [
            "R3: 90 degrees clockwise from where it was revealed.",
            "Finding D-AUD-4: R3 was turned by an unknown path.",
            "Finding D-AUD-9: R3 was turned outside of any turn.",
        ]


def test_d_aud_9_an_unknown_path_face_down_is_still_a_finding(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("unplug R1", "turn R1 1", "plug R1")
        assert at.findings == [("D-AUD-4", "R1"), ("D-AUD-9", "R1")]


@pytest.mark.parametrize("looks", [7, 12])
def test_a_turn_before_a_command_is_recorded_before_it(tmp_path: Path, looks: int) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3)
        at.demo.twins.tiles["R3"].hand.flick(at.demo.twins.clock.now_ns(), -1, 2.5)
        for _ in range(looks):
            at.demo.step()
        told = at.says("end turn")
        assert told == [
            "Ann plays 2 Actions; 0 left; may be turned: R3.",
            "R3: 90 degrees clockwise from where it was revealed.",
            "No turn is on.",
        ]
        assert at.findings == []


def test_a_command_does_not_wait_for_ever(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3)
        hand = at.demo.twins.tiles["R3"].hand
        hand.turn(at.demo.twins.clock.now_ns(), -40, 200)
        for _ in range(20):
            at.demo.step()
        at.demo.table.enter("move")
        while at.demo.twins.clock.now_ns() < hand.at_rest_from_ns - 1_000_000_000:
            at.demo.step()
        assert at.game.turn is not None
        assert at.game.turn.spent == 2


def test_d_gld_1_a_room_is_seated_before_the_next_action(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3)
        at.nudge("R3")
        at.says("")
        assert at.says("move")[-1] == "Finding D-GLD-1: R3 was not seated when Ann took the next action."


def test_a_room_set_right_by_hand_is_recorded_and_followed_from_there(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3)
        assert at.says("lies R3 bottom") == ["R3: 180 degrees clockwise from where it was revealed."]
        at.says("turn R3 1")
        assert (at.game.rooms["R3"].q, at.findings) == (3, [])
    (found,) = audit(at.path)
    assert found.moment.game == at.game


def test_every_line_is_shown_in_each_players_language(tmp_path: Path) -> None:
    told: list[str] = []
    settings = replace(parse(text(), "rooms.toml"), languages=("de", "fr"))
    with RoomDemo(settings, tmp_path / "rooms.db", told.append) as demo:
        del told[:]
        demo.enter("card ann 2")
        demo.enter("card eve 2")
        assert told == [
            "de | Ann spielt 2 Aktionen; 2 übrig.",
            "fr | Ann joue 2 actions\u202f; reste 2.",
            "de | Hier spielt niemand namens „eve“ mit; es gibt „ann“ oder „ben“.",
            "fr | Personne du nom de «\u00a0eve\u00a0» ne joue ici\u202f; "
            "il y a «\u00a0ann\u00a0» ou «\u00a0ben\u00a0».",
        ]
    (found,) = audit(tmp_path / "rooms.db")
    assert found.moment.game == demo.table.moment.game, "the record does not depend on who reads what"


def test_the_record_is_replayed_exactly_verified_and_holds_only_public_lines(tmp_path: Path) -> None:
    """D-OBJ-5: what everybody may read is what each player may read."""
    with table(tmp_path) as at:
        at.says(*TO_R3, "turn R3 1", "turn R3 -1", "end game")
        game = at.game
    (found,) = audit(at.path)
    assert found.moment.game == game
    assert jn.verify(at.path).state is RecordState.WHOLE
    assert journal_verifier.main([str(at.path)]) == 0
    entries = list(jn.read(at.path, ROOMS))
    assert [entry.public.kind for entry in entries] == [
        "started", "checked", "card", "revealed", "geared", "rotated", "rotated", "ended",
    ]  # fmt: skip
    assert {entry.seats_digest == entry.public.reports for entry in entries} == {True}
    assert isinstance(entries[5].event, ev.Rotated)
    assert [motion.quarters for motion in entries[5].event.motions] == [1]


def test_all_rooms_at_once_have_room_in_the_record(tmp_path: Path) -> None:
    told: list[str] = []
    settings = parse(example(), "rooms.toml")
    with RoomDemo(settings, tmp_path / "rooms.db", told.append) as demo:
        demo.enter("turn " + " ".join(f"R{n} 1" for n in range(1, 9)))
        found = [(finding.rule, finding.room) for finding in demo.table.moment.game.findings]
        assert sorted(room or "" for rule, room in found if rule == "D-AUD-6") == [f"R{n}" for n in range(1, 9)]
