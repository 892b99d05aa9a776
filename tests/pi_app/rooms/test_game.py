"""The game of rooms: cards, action points, pairs, findings. Pure values in and out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.rooms import events as ev
from pi_app.rooms.game import apply
from pi_app.rooms.report import lines_of
from pi_app.rooms.state import CARDS, Game
from pi_app.text.language import words
from tests.pi_app.rooms.games import begun, cards, played


def rules(game: Game) -> list[tuple[str, str]]:
    return [(finding.rule, finding.words) for finding in game.findings]


def turned(room: str, quarters: int | None, stands: int = 0) -> ev.Rotated:
    return ev.Rotated(motions=(ev.Motion(room=room, quarters=quarters, stands=stands),))


def test_d_aud_10_rooms_of_a_pair_point_opposite_ways() -> None:
    assert rules(begun((1, -1))) == []
    assert [finding.room for finding in begun((1, 1)).findings] == ["R1", "R2"]
    assert {rule for rule, _ in rules(begun((1, 1)))} == {"D-AUD-10"}


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ([("ann", 2), ("ben", 3), ("ann", 4), ("ben", 5)], None),
        ([("ann", 3)], "{player} begins the game and must play 2 Actions (D-CRD-3)."),
        ([("ann", 2), ("ben", 4)], "{player} plays a card more than one above the highest so far (D-CRD-4)."),
        ([("ann", 2), ("ben", 3), ("ann", 4), ("ben", 2), ("ann", 5)], None),
        ([("ann", 2), ("ben", 2), ("ann", 2)], "{player} does not hold this action card (D-CRD-2)."),
    ],
)
def test_d_crd_3_to_5_which_card_may_be_played(order: list[tuple[str, int]], wrong: str | None) -> None:
    """D-CRD-3, D-CRD-4, D-CRD-5."""
    game = played(begun(), *cards(*order))
    assert rules(game) == ([] if wrong is None else [("D-AUD-8", wrong)])


def test_d_crd_4_may_count_only_the_players_own_cards() -> None:
    order = cards(("ann", 2), ("ben", 2), ("ann", 3), ("ben", 4))
    assert rules(played(begun(), *order)) == []
    own = played(begun(ruleset=ev.Ruleset(first_cycle="own")), *order)
    assert [rule for rule, _ in rules(own)] == ["D-AUD-8"]


def test_d_crd_2_who_has_played_all_four_takes_them_back() -> None:
    order = [(seat, points) for points in CARDS for seat in ("ann", "ben")]
    game = apply(played(begun(), *cards(*order)), ev.TurnEnded(seat="ben"))
    assert {player.hand for player in game.players.values()} == {CARDS}
    assert not any(player.first_cycle for player in game.players.values())


def test_d_jmp_2_a_jump_costs_a_point_and_a_card_and_d_jmp_1_a_fourth_has_no_card() -> None:
    """D-JMP-1, D-JMP-2."""
    game = played(begun(), *cards(("ann", 2)), *[ev.Spent(seat="ann", use="jump")] * 2)
    assert game.turn is not None
    assert (game.turn.spent, game.players["ann"].jumps, rules(game)) == (2, 1, [])
    game = played(game, *[ev.Spent(seat="ann", use="jump")] * 2)
    assert ("D-JMP-1", "{player} has no jump card left.") in rules(game)


def test_d_jmp_4_a_used_jump_card_does_not_come_back_with_the_action_cards() -> None:
    """D-JMP-4, D-CRD-1: four action cards, and they come back."""
    order: list[ev.AnyEvent] = []
    for points in CARDS:
        order += [ev.CardPlayed(seat="ann", points=points), ev.Spent(seat="ann", use="jump"), ev.TurnEnded(seat="ann")]
    game = played(begun(), *order[:-3])
    assert (game.players["ann"].hand, game.players["ann"].jumps) == ((5,), 0)
    game = played(game, *order[-3:])
    assert (game.players["ann"].hand, game.players["ann"].jumps) == (CARDS, -1)
    assert [rule for rule, _ in rules(game)] == ["D-JMP-1"]


def test_d_crd_2_d_crd_6_what_lies_covered_is_not_repeated() -> None:
    """D-CRD-2, D-CRD-6: of 4 action cards only the last played is seen; 3 jump cards end face down."""
    one = played(begun(), *cards(("ann", 2), ("ben", 2)), ev.TurnEnded(seat="ben"))
    ann = played(begun(), *cards(("ann", 2)), ev.Spent(seat="ann", use="jump"), ev.TurnEnded(seat="ann"))
    other = played(ann, *cards(("ben", 2)), ev.TurnEnded(seat="ben"))
    assert one.players != other.players
    assert lines_of(one, words("en")) == lines_of(other, words("en"))


def test_d_rev_1_a_reveal_costs_one_point() -> None:
    """D-REV-1, and a second one is none (D-REV-6)."""
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=0))
    assert game.turn is not None
    assert (game.turn.spent, game.rooms["R1"].q) == (1, 0)
    twice = apply(game, ev.Revealed(seat="ann", square="R1", stands=2))
    assert twice.turn == game.turn
    assert rules(twice) == [("D-REV-6", "{room} is revealed a second time.")]


def test_d_gld_1_an_action_is_over_before_the_next_begins() -> None:
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=0))
    game = played(game, ev.RoomBetween(square="R1"))
    assert rules(game) == []
    late = apply(game, ev.Spent(seat="ann", use="move"))
    assert rules(late) == [("D-GLD-1", "{room} was not seated when {player} took the next action.")]
    seated = played(game, turned("R1", 0), ev.Spent(seat="ann", use="move"))
    assert rules(seated) == []


def test_d_aud_8_every_use_costs_one_point_and_the_card_is_the_limit() -> None:
    """D-AP-1, D-AP-2, D-AUD-8."""
    uses: tuple[ev.Use, ...] = ("move", "fight", "ability")
    game = played(begun(), *cards(("ann", 2)), *(ev.Spent(seat="ann", use=use) for use in uses))
    assert rules(game) == [("D-AUD-8", "{player} spends more action points than the card has.")]
    assert rules(apply(begun(), ev.Spent(seat="ann", use="move"))) == [("D-AUD-8", "{player} acts without a turn.")]


def test_d_ap_4_what_was_not_spent_is_lost() -> None:
    """D-AP-4."""
    game = played(begun(), *cards(("ann", 2)), ev.TurnEnded(seat="ann"), *cards(("ben", 3)))
    assert game.turn is not None
    assert (game.turn.points, game.turn.spent) == (3, 0)


def revealed(stands: int | None = 0) -> Game:
    return played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=stands))


def test_d_aud_4_after_an_unknown_path_the_dial_still_shows_how_the_room_lies() -> None:
    game = played(revealed(), ev.Geared(seat="ann", square="R1"), turned("R1", None, stands=3))
    assert game.rooms["R1"].q == 1
    assert game.turn is not None
    assert game.turn.spent == 1, "how many quarters it was, nobody knows"
    assert rules(game) == [("D-AUD-4", "{room} was turned by an unknown path.")]
    assert [rule for rule, _ in rules(apply(game, turned("R1", -1)))] == ["D-AUD-4", "D-AUD-3"], "it undoes nothing"


def test_d_aud_9_an_unknown_path_is_still_out_of_turn_or_face_down() -> None:
    down = apply(begun(), turned("R1", None))
    assert [rule for rule, _ in rules(down)] == ["D-AUD-4", "D-AUD-9"]
    outside = played(revealed(), ev.TurnEnded(seat="ann"), turned("R1", None))
    assert [rule for rule, _ in rules(outside)] == ["D-AUD-4", "D-AUD-9"]
    no_gear = apply(revealed(), ev.Geared(seat="ann", square="R2"))
    assert [rule for rule, _ in rules(apply(no_gear, turned("R1", None)))] == ["D-AUD-4", "D-AUD-2"]


def test_an_unknown_orientation_is_set_right_by_a_player() -> None:
    game = played(revealed(stands=None), ev.Geared(seat="ann", square="R1"), turned("R1", None))
    assert game.rooms["R1"].q is None
    game = apply(game, ev.SetRight(square="R1", q=3))
    assert (game.rooms["R1"].q, game.rooms["R1"].stands) == (3, 0)
    assert game.turn is not None
    assert (game.turn.spent, [rule for rule, _ in rules(game)]) == (1, ["D-AUD-4"])
    assert apply(game, turned("R1", 1)).rooms["R1"].q == 0


def test_a_room_that_was_revealed_unseen_has_an_unknown_orientation() -> None:
    game = apply(revealed(stands=None), ev.RoomLost(square="R1", trouble="silent"))
    assert apply(game, ev.RoomBack(square="R1", stands=2)).rooms["R1"].q is None


@pytest.mark.parametrize("stands", range(4))
def test_a_dial_that_moved_unseen_is_noticed_when_it_responds_again(stands: int) -> None:
    game = played(revealed(), ev.Geared(seat="ann", square="R1"))
    lost = apply(game, ev.RoomLost(square="R1", trouble="silent"))
    back = apply(lost, ev.RoomBack(square="R1", stands=stands))
    again = apply(game, ev.Resumed(version="1", stands={"R1": stands, "R2": None}))
    assert back == again
    assert back.rooms["R1"].q == -stands % 4
    assert [rule for rule, _ in rules(back)] == (["D-AUD-4"] if stands else [])


@settings(max_examples=40)
@given(st.lists(st.integers(-6, 6).filter(bool), max_size=8))
def test_orientation_is_the_sum_of_signed_quarters_whatever_the_rules_say(quarters: list[int]) -> None:
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=2))
    game = played(game, ev.Geared(seat="ann", square="R1"), *(turned("R1", each) for each in quarters))
    assert game.rooms["R1"].q == sum(quarters) % 4
    assert game.turn is not None
    assert game.turn.spent == 1 + sum(map(abs, quarters))
    legal = all(each > 0 for each in quarters) and sum(quarters) <= 1
    assert (rules(game) == []) is legal
