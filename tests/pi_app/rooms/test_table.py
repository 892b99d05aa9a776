"""Rooms turned by simulated hands, seen by the same scan, drivers and tracking as trap squares, and audited."""

from __future__ import annotations

from pathlib import Path

from pi_app import journal as jn
from pi_app.record.verify import State
from pi_app.rooms import events as ev
from pi_app.rooms.audit import audit
from pi_app.rooms.report import ROOMS
from tests.pi_app.rooms.tables import table
from wiring_docs import journal_verifier

TO_R3 = ("card ann 2", "reveal R3", "gear ann R3")


def test_d_aud_1_a_quarter_turn_with_the_arrow_costs_one_point(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says(*TO_R3, "turn R3 1")[-2:] == [
            "Ann plays 2 Actions; 0 left; R3 may be turned.",
            "R3: 90 degrees clockwise from where it was revealed.",
        ]
        assert at.game.rooms["R3"].q == 1
        assert at.findings == []


def test_d_aud_2_nobody_on_a_gear_for_it(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "turn R3 1")[-1] == (
            "Finding D-AUD-2: R3 was turned, and Ben has nobody on a gear for it."
        )


def test_d_rot_5_a_remote_turn_goes_by_the_arrow_of_the_room_that_turns(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R4", "gear ann R3 remote", "turn R4 -1")
        assert at.findings == []
        assert at.game.rooms["R4"].q == 3


def test_d_aud_3_against_the_arrow_and_d_rot_13_a_mekanork_may(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        assert at.says(*TO_R3, "turn R3 -1")[-1] == (
            "Finding D-AUD-3: R3 was turned against its arrow; did a Mekanork stand on the gear (D-ROT-13)?"
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
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "end turn", "card ann 4", "gear ann R3")
        at.says("turn R3 1", "turn R3 3")
        assert at.game.turn is not None
        assert (at.game.rooms["R3"].q, at.game.turn.spent, at.findings) == (0, 4, [])


def test_d_aud_6_two_rooms_at_once(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says("card ann 2", "reveal R3", "end turn", "card ben 3", "reveal R4")
        told = at.says("gear ben R3", "gear ben R3 remote", "turn R3 1 R4 -1")
        assert "Finding D-AUD-6: R3 was turned at the same time as another room." in told
        assert at.findings == [("D-AUD-6", "R3"), ("D-AUD-6", "R4")]


def test_d_aud_7_no_undoing_after_it_was_seated_and_wobble_before_is_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3)
        hand = at.demo.twins.tiles["R3"].hand
        hand.stop_between(at.demo.twins.clock.now_ns(), 0.4)
        at.says("")
        assert at.game.rooms["R3"].turned == 0, "it is not seated"
        hand.turn(at.demo.twins.clock.now_ns(), -1)
        at.says("")
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


def test_a_room_that_drops_out_is_told_and_comes_back(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.twins.tiles["R2"].unplug()
        assert "R2: its dial cannot be read. Check its plug." in at.says("")
        at.demo.twins.tiles["R2"].plug_in()
        assert at.says("") == ["R2: face down."]


def test_the_record_is_replayed_exactly_verified_and_holds_only_what_anybody_may_read(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.says(*TO_R3, "turn R3 1", "turn R3 -1", "end game")
        game = at.game
    (found,) = audit(at.path)
    assert found.moment.game == game
    assert jn.verify(at.path).state is State.WHOLE
    assert journal_verifier.main([str(at.path)]) == 0
    entries = list(jn.read(at.path, ROOMS))
    assert [entry.public.kind for entry in entries] == [
        "started", "card", "revealed", "geared", "rotated", "rotated", "ended",
    ]  # fmt: skip
    assert {entry.seats_digest == entry.public.reports for entry in entries} == {True}
    assert isinstance(entries[4].event, ev.Rotated)
    assert [motion.quarters for motion in entries[4].event.motions] == [1]
