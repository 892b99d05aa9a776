"""The game of rooms: cards, action points, pairs, findings. Pure values in and out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.rooms import events as ev
from pi_app.rooms.game import CARDS, Game, apply


def begun(arrows: tuple[ev.Arrow, ev.Arrow] = (1, -1), ruleset: ev.Ruleset | None = None) -> Game:
    rooms = tuple(
        ev.RoomSetup(label=f"R{n}", table=ev.RoomPlan(pair=1, arrow=arrow)) for n, arrow in enumerate(arrows, 1)
    )
    players = (ev.PlayerSetup(seat="ann", name="Ann"), ev.PlayerSetup(seat="ben", name="Ben"))
    return apply(
        Game(),
        ev.Started(
            version="1",
            table_name="Rooms",
            simulated=True,
            ruleset=ruleset or ev.Ruleset(),
            players=players,
            squares=rooms,
        ),
    )


def played(game: Game, *events: ev.AnyEvent) -> Game:
    for event in events:
        game = apply(game, event)
    return game


def cards(*played_: tuple[str, int]) -> list[ev.AnyEvent]:
    return [ev.CardPlayed(seat=seat, points=points) for seat, points in played_]


def rules(game: Game) -> list[tuple[str, str]]:
    return [(finding.rule, finding.words) for finding in game.findings]


def turned(room: str, quarters: int | None) -> ev.Rotated:
    return ev.Rotated(motions=(ev.Motion(room=room, quarters=quarters, stands=0),))


def test_d_aud_10_rooms_of_a_pair_point_opposite_ways() -> None:
    assert rules(begun((1, -1))) == []
    assert [finding.room for finding in begun((1, 1)).findings] == ["R1", "R2"]
    assert {rule for rule, _ in rules(begun((1, 1)))} == {"D-AUD-10"}


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ([("ann", 2), ("ben", 3), ("ann", 4), ("ben", 5)], None),
        ([("ann", 3)], "{player} begins the game and must play 2 Actions (D-CRD-3)"),
        ([("ann", 2), ("ben", 4)], "{player} plays a card more than one above the highest so far (D-CRD-4)"),
        ([("ann", 2), ("ben", 3), ("ann", 4), ("ben", 2), ("ann", 5)], None),
        ([("ann", 2), ("ben", 2), ("ann", 2)], "{player} does not hold this action card (D-CRD-2)"),
    ],
)
def test_d_crd_3_to_5_which_card_may_be_played(order: list[tuple[str, int]], wrong: str | None) -> None:
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


def test_d_jmp_1_a_fourth_jump_has_no_card() -> None:
    game = played(begun(), *cards(("ann", 2)), *[ev.Spent(seat="ann", use="jump")] * 4)
    assert game.players["ann"].jumps == -1
    assert "D-JMP-1" in [rule for rule, _ in rules(game)]


def test_d_aud_8_every_use_costs_one_point_and_the_card_is_the_limit() -> None:
    uses: tuple[ev.Use, ...] = ("move", "fight", "ability")
    game = played(begun(), *cards(("ann", 2)), *(ev.Spent(seat="ann", use=use) for use in uses))
    assert rules(game) == [("D-AUD-8", "{player} spends more action points than the card has")]
    assert rules(apply(begun(), ev.Spent(seat="ann", use="move"))) == [("D-AUD-8", "{player} acts without a turn")]


def test_d_ap_4_what_was_not_spent_is_lost() -> None:
    game = played(begun(), *cards(("ann", 2)), ev.TurnEnded(seat="ann"), *cards(("ben", 3)))
    assert game.turn is not None
    assert (game.turn.points, game.turn.spent) == (3, 0)


def test_a_path_that_nobody_could_follow_is_a_finding_and_no_orientation() -> None:
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=0))
    game = played(game, ev.Geared(seat="ann", square="R1"), turned("R1", None))
    assert game.rooms["R1"].q is None
    assert [rule for rule, _ in rules(game)] == ["D-AUD-4"]


@given(st.lists(st.integers(-6, 6).filter(bool), max_size=8))
def test_orientation_is_the_sum_of_signed_quarters_whatever_the_rules_say(quarters: list[int]) -> None:
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=2))
    game = played(game, ev.Geared(seat="ann", square="R1"), *(turned("R1", each) for each in quarters))
    assert game.rooms["R1"].q == sum(quarters) % 4
    assert game.turn is not None
    assert game.turn.spent == 1 + sum(map(abs, quarters))
    legal = all(each > 0 for each in quarters) and sum(quarters) <= 1
    assert (rules(game) == []) is legal
