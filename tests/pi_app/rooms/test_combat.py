"""Combat: cards, totals, wounds, and points. Pure values in and out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.rooms import events as ev
from pi_app.rooms.game import apply
from pi_app.rooms.report import lines_of
from pi_app.rooms.state import Game, with_character, with_player
from pi_app.text.language import words
from tests.pi_app.rooms.fights import fought, on


def found(game: Game) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.room) for finding in game.findings]


def with_wounded(game: Game, *keys: str) -> Game:
    for key in keys:
        game = apply(game, ev.Tended(character=key, wounded=True))
    return game


def carrying(game: Game, key: str, what: str) -> Game:
    return with_character(game, replace(game.characters[key], carries=what))


def test_d_cmb_2_the_higher_total_wins_and_the_loser_is_wounded() -> None:
    """D-CMB-1, D-CMB-2: one point; warrior 3 + 2 against thief 2 + 1."""
    game = fought(on(), "ann.warrior", "ben.thief", 2, 1)
    assert game.turn is not None
    assert (game.turn.spent, game.characters["ben.thief"].wounded, game.characters["ann.warrior"].wounded) == (
        1,
        True,
        False,
    )
    assert game.combat is not None
    assert dict(game.combat.told or {}) == {"ann": (5, 2), "ben": (3, 1)}
    assert game.players["ann"].points == 0, "only an elimination scores"


def test_d_cmb_2_an_attacker_that_loses_is_wounded() -> None:
    game = fought(on(), "ann.warrior", "ben.thief", 0, 5)
    assert [key for key, one in game.characters.items() if one.wounded] == ["ann.warrior"]


def test_d_cmb_3_a_tie_changes_nothing_and_another_combat_costs_another_point() -> None:
    game = fought(on(), "ann.warrior", "ben.thief", 1, 2)
    assert game.combat is not None
    assert game.combat.tie
    assert not any(one.wounded for one in game.characters.values())
    again = apply(game, ev.CombatBegun(seat="ann", attackers=("ann.warrior",), defenders=("ben.thief",)))
    assert again.turn is not None
    assert (again.turn.spent, found(again)) == (2, [])


def test_d_cmb_4_used_cards_leave_the_hand_and_the_zero_returns() -> None:
    game = on(ruleset=ev.Ruleset(combat_cards=(0, 1, 1, 2, 2, 3, 4, 5, 6)))
    game = fought(game, "ann.warrior", "ben.thief", 1, 0)
    assert game.players["ann"].fighting == (0, 1, 2, 2, 3, 4, 5, 6)
    assert game.players["ben"].fighting == (0, 1, 1, 2, 2, 3, 4, 5, 6)


def test_d_cmb_5_whom_a_player_wounded_is_not_attacked_again_in_that_turn() -> None:
    game = fought(on(), "ann.warrior", "ben.thief", 2, 0)
    other = ev.CombatBegun(seat="ann", attackers=("ann.goblin",), defenders=("ben.thief",))
    assert found(apply(game, other)) == [("D-CMB-5", "ben.thief")], "not even with another character"
    later = apply(apply(game, ev.TurnEnded(seat="ann")), ev.CardPlayed(seat="ann", points=2))
    assert found(apply(later, other)) == []


def test_d_cmb_6_in_a_group_combat_the_values_are_added_and_all_losers_are_wounded() -> None:
    both, enemies = ("ann.warrior", "ann.thief"), ("ben.goblin", "ben.mekanork")
    game = apply(on(), ev.CombatBegun(seat="ann", attackers=both, defenders=enemies))
    game = apply(apply(game, ev.CombatCardPlayed(seat="ben", card=2)), ev.CombatCardPlayed(seat="ann", card=3))
    assert game.combat is not None
    assert dict(game.combat.told or {}) == {"ann": (8, 3), "ben": (7, 2)}
    assert [key for key, one in game.characters.items() if one.wounded] == list(enemies)


def test_what_a_fighter_carries_counts_without_a_point() -> None:
    """D-AP-3, D-OBJ-4: permanent effects are free, of either colour's objects."""
    game = carrying(carrying(on(), "ann.warrior", "ben.sword"), "ben.thief", "ben.shield")
    game = fought(game, "ann.warrior", "ben.thief", 0, 0)
    assert game.combat is not None
    assert dict(game.combat.told or {}) == {"ann": (4, 0), "ben": (3, 0)}


def test_d_wnd_1_a_wounded_character_drops_its_object() -> None:
    game = fought(carrying(on(), "ben.thief", "ben.treasure"), "ann.warrior", "ben.thief", 2, 0)
    assert game.characters["ben.thief"].carries is None
    assert game.used == (), "it lies on the square"


@pytest.mark.parametrize(
    "event",
    [
        ev.CharacterMoved(seat="ann", character="ann.thief", to="R1"),
        ev.Carried(seat="ann", character="ann.thief", what="ann.rope"),
        ev.ExitReached(seat="ann", character="ann.thief"),
        ev.Spent(seat="ann", use="ability", character="ann.thief"),
        ev.CombatBegun(seat="ann", attackers=("ann.thief",), defenders=("ben.thief",)),
    ],
)
def test_d_wnd_2_a_wounded_character_takes_no_action(event: ev.AnyEvent) -> None:
    game = apply(with_wounded(on(), "ann.thief"), event)
    assert found(game) == [("D-WND-2", "ann.thief")]
    assert game.players["ann"].points == 0


def test_d_wnd_2_a_wounded_defender_counts_0_and_may_play_a_card() -> None:
    game = fought(with_wounded(on(), "ben.thief"), "ann.warrior", "ben.thief", 0, 5)
    assert game.combat is not None
    assert dict(game.combat.told or {}) == {"ann": (3, 0), "ben": (5, 5)}
    assert game.characters["ann.warrior"].wounded, "if it wins, the attackers are wounded (D-WND-3)"


def test_d_wnd_3_a_wounded_character_that_loses_is_eliminated_for_one_point() -> None:
    """D-WND-3, D-SCO-1."""
    game = fought(with_wounded(on(), "ben.thief"), "ann.warrior", "ben.thief", 0, 0)
    assert (game.characters["ben.thief"].gone, game.players["ann"].points) == ("eliminated", 1)


def test_d_wnd_3_a_wounded_character_is_attacked_alone() -> None:
    game = with_wounded(on(), "ben.thief")
    event = ev.CombatBegun(seat="ann", attackers=("ann.warrior",), defenders=("ben.thief", "ben.goblin"))
    assert found(apply(game, event)) == [("D-WND-3", "ben.thief")]


def test_d_wnd_4_a_carried_character_is_eliminated_with_its_carriers_defeat() -> None:
    game = carrying(with_wounded(on(), "ben.thief"), "ben.warrior", "ben.thief")
    game = fought(game, "ann.warrior", "ben.warrior", 3, 0)
    assert game.characters["ben.thief"].gone == "eliminated"
    assert (game.characters["ben.warrior"].wounded, game.characters["ben.warrior"].carries) == (True, None)
    assert game.players["ann"].points == 1


def test_d_ext_2_an_enemy_on_its_line_is_attacked_from_a_room() -> None:
    game = apply(on(), ev.CharacterMoved(seat="ann", character="ann.thief", to="line"))
    standing = with_character(game, replace(game.characters["ben.thief"], at="line"))
    event = ev.CombatBegun(seat="ann", attackers=("ann.thief",), defenders=("ben.thief",))
    assert found(apply(standing, event)) == [("D-EXT-2", "ben.thief")]
    inside = apply(standing, ev.CharacterMoved(seat="ann", character="ann.thief", to="R1"))
    assert found(apply(inside, event)) == []


def test_a_room_that_is_turned_before_the_cards_are_shown_is_a_finding() -> None:
    """D-GLD-1: an action is over before the next begins."""
    game = apply(on(), ev.Revealed(seat="ann", square="R1", stands=0))
    game = apply(game, ev.CharacterMoved(seat="ann", character="ann.thief", to="R1", on_gear=True))
    game = apply(game, ev.CombatBegun(seat="ann", attackers=("ann.warrior",), defenders=("ben.thief",)))
    game = apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=1, stands=3),)))
    assert found(game) == [("D-GLD-1", "R1")]


def test_a_game_that_ends_in_a_combat_shows_no_card() -> None:
    """D-CMB-4."""
    game = apply(on(), ev.CombatBegun(seat="ann", attackers=("ann.warrior",), defenders=("ben.thief",)))
    game = apply(apply(game, ev.CombatCardPlayed(seat="ann", card=6)), ev.Ended())
    assert game.combat is None
    assert "6" not in "".join(lines_of(game, words("en")).values())


def test_no_value_prints_a_card_that_lies_face_down() -> None:
    """D-CMB-2, D-CMB-4: neither a log line nor a traceback shows it."""
    game = on(ruleset=ev.Ruleset(combat_cards=(0, 1, 1, 2, 2, 3, 4, 5, 7)))
    game = with_player(game, replace(game.players["ann"], fighting=(0, 7)))
    event = ev.CombatCardPlayed(seat="ann", card=7)
    game = apply(game, ev.CombatBegun(seat="ann", attackers=("ann.warrior",), defenders=("ben.thief",)))
    game = apply(game, event)
    assert game.combat is not None
    assert repr(event) == "CombatCardPlayed(seat='ann', card=(sealed))"
    assert "7" not in repr(game.combat)
    assert "fighting" not in repr(game.players["ann"])
