"""Characters that move, carry, leave and score; words taken back; rules of other sources."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.rooms import events as ev
from pi_app.rooms.commands import parse
from pi_app.rooms.game import apply
from pi_app.rooms.refusals import RoomsRefusedError
from pi_app.rooms.report import lines_of
from pi_app.rooms.spelling import spelled
from pi_app.rooms.state import Game, with_character
from pi_app.text.language import words
from tests.pi_app.rooms.fights import fought, on
from tests.pi_app.rooms.games import begun, cards, played


def found(game: Game) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.room) for finding in game.findings]


def typed(game: Game, *lines: str) -> Game:
    for line in lines:
        event = parse(line, game, {})
        assert isinstance(event, ev.AnyEvent)
        game = apply(game, event)
    return game


def refusal(line: str, game: Game) -> str:
    with pytest.raises(RoomsRefusedError) as refused:
        parse(line, game, {})
    return str(refused.value)


def left(game: Game) -> int:
    assert game.turn is not None
    return game.turn.left


def test_d_rot_10_what_stands_in_a_room_turns_with_it() -> None:
    """D-ROT-10."""
    before = typed(on(), "reveal R1", "move thief R1 gear")
    after = apply(before, ev.Rotated(motions=(ev.Motion(room="R1", quarters=1, stands=3),)))
    thief = after.characters["ann.thief"]
    assert (thief.at, thief.on_gear, found(after)) == ("R1", True, [])


# ------------------------------------------------------------------------------------------------ moving, objects


def test_d_mov_1_a_move_costs_one_point_and_is_as_long_as_the_speed() -> None:
    game = typed(on(), "move thief R1 5")
    assert (left(game), game.characters["ann.thief"].at, found(game)) == (4, "R1", [])
    assert found(typed(game, "move warrior R1 5")) == [("D-MOV-1", "ann.warrior")]


def test_d_gld_2_two_characters_do_not_share_a_gear() -> None:
    game = typed(on(), "reveal R1", "move thief R1 gear", "move warrior R1 gear")
    assert found(game) == [("D-GLD-2", "ann.warrior")]


def test_d_obj_1_a_character_carries_one_object_or_one_wounded_friend() -> None:
    """D-OBJ-1, D-OBJ-4: of either colour; D-AP-3: for no point."""
    game = typed(on(), "take thief ben.treasure")
    assert (game.characters["ann.thief"].carries, left(game), found(game)) == ("ben.treasure", 5, [])
    assert found(typed(game, "take thief rope")) == [("D-OBJ-1", "ann.thief")]
    assert found(typed(on(), "take thief warrior")) == [("D-OBJ-1", "ann.thief")], "it is not wounded"
    assert found(typed(on(), "lies warrior wounded", "take thief warrior")) == []
    enemy = typed(on(), "lies ben.warrior wounded", "take thief ben.warrior")
    assert found(enemy) == [("D-OBJ-1", "ann.thief")], "it has the other colour"


def test_d_obj_2_two_friends_swap_what_they_carry() -> None:
    game = typed(on(), "take thief sword", "give thief warrior")
    assert (game.characters["ann.thief"].carries, game.characters["ann.warrior"].carries) == (None, "ann.sword")
    assert (left(game), found(game)) == (5, [])


def test_d_obj_3_only_a_rope_may_lie_on_a_pit_trap() -> None:
    assert found(typed(on(), "take thief rope", "drop thief pit")) == []
    assert found(typed(on(), "take thief sword", "drop thief pit")) == [("D-OBJ-3", "ann.thief")]


def test_d_obj_6_what_needs_a_point_leaves_the_game() -> None:
    game = typed(on(), "take thief potion", "use thief")
    assert (game.used, left(game), game.characters["ann.thief"].carries) == (("ann.potion",), 4, None)
    assert refusal("take thief potion", game) == "ann.potion is out of the game."
    sword = typed(on(), "take thief sword")
    assert refusal("use thief", sword) == ("ann.thief carries nothing whose effect needs an action point (D-OBJ-6)."), (
        "permanent ones stay"
    )


def test_a_character_that_is_wounded_or_well_again_by_a_word() -> None:
    """D-WND-1: a wounded one drops its object; a healed one is not carried any more."""
    game = typed(on(), "take thief sword", "lies thief wounded", "take warrior thief")
    assert (game.characters["ann.thief"].carries, game.characters["ann.warrior"].carries) == (None, "ann.thief")
    healed = typed(game, "lies thief well")
    assert (healed.characters["ann.thief"].wounded, healed.characters["ann.warrior"].carries) == (False, None)


def test_d_aud_2_a_character_on_a_gear_opens_its_room_and_the_pair() -> None:
    """D-AUD-2, D-ROT-5, D-ROT-11, D-WND-2."""
    game = typed(on(), "reveal R1", "move thief R1 gear")
    turned = ev.Rotated(motions=(ev.Motion(room="R1", quarters=1, stands=3),))
    assert found(apply(game, turned)) == []
    assert found(apply(typed(game, "lies thief wounded"), turned)) == [("D-AUD-2", "R1")]
    assert found(apply(typed(game, "move thief R1"), turned)) == [("D-AUD-2", "R1")]
    wounded = typed(on(), "reveal R1", "lies thief wounded", "gear thief R1")
    assert found(apply(wounded, turned)) == [("D-WND-2", "ann.thief"), ("D-AUD-2", "R1")]


def test_d_rot_13_a_mekanork_on_the_gear_turns_either_way() -> None:
    against = ev.Rotated(motions=(ev.Motion(room="R1", quarters=-1, stands=1),))
    assert found(apply(typed(on(), "reveal R1", "move mekanork R1 gear"), against)) == []
    assert found(apply(typed(on(), "reveal R1", "gear mekanork R1"), against)) == []
    assert found(apply(typed(on(), "reveal R1", "move thief R1 gear"), against)) == [("D-AUD-3", "R1")]


# ------------------------------------------------------------------------------------------------ leaving, scoring


def test_d_ext_1_who_reaches_the_opponents_line_is_out_for_one_point() -> None:
    game = typed(on(), "exit thief")
    assert (game.players["ann"].points, left(game)) == (1, 4)
    assert refusal("move thief", game) == "ann.thief is out of the game."


def test_d_sco_1_the_goblin_and_the_treasure_score_one_more() -> None:
    """D-EXT-3: the object leaves the game."""
    game = typed(on(), "take goblin ben.treasure", "exit goblin")
    assert (game.players["ann"].points, game.used) == (3, ("ben.treasure",))
    assert typed(on(), "take thief sword", "exit thief").players["ann"].points == 1


def test_names_with_a_rule_may_be_written_in_capitals() -> None:
    """D-SCO-1, D-EXT-3, D-ROT-13."""
    game = on()
    kinds = {"ann.thief": "Goblin", "ann.warrior": "Mekanork"}
    for key, kind in kinds.items():
        game = with_character(game, replace(game.characters[key], kind=kind, carries="ben.TREASURE"))
    assert apply(game, ev.ExitReached(seat="ann", character="ann.thief")).players["ann"].points == 3
    game = typed(game, "reveal R1")
    game = apply(game, ev.Geared(seat="ann", square="R1", character="ann.warrior"))
    assert found(apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=-1, stands=1),)))) == []


def test_d_ext_3_a_wounded_character_that_is_carried_out_is_safe_and_scores_nothing() -> None:
    game = typed(on(), "lies goblin wounded", "take thief goblin", "exit thief")
    assert (game.players["ann"].points, game.characters["ann.goblin"].gone) == (1, "left")


def test_d_sco_1_five_points_win_and_only_the_end_or_a_correction_follows() -> None:
    game = typed(on(), "take goblin treasure", "exit goblin", "exit thief", "exit warrior")
    assert game.winner is not None
    assert lines_of(game, words("en"))["winner"] == "Ann has won (D-SCO-1)."
    assert refusal("move mekanork", game) == (
        "Ann has won (D-SCO-1). Type: end game. If the last word was wrong, type: undo"
    )
    assert typed(game, "undo").winner is None
    assert typed(game, "end game").ended


# ------------------------------------------------------------------------------------------------------ findings


def test_d_aud_2_stands_beside_d_aud_8() -> None:
    """Ann means to turn a room in Ben's turn: she has no turn, and Ben has no character on its gear."""
    game = played(begun(), *cards(("ann", 2)), ev.Revealed(seat="ann", square="R1", stands=0))
    game = typed(apply(game, ev.TurnEnded(seat="ann")), "card ben 2", "gear ann R1")
    game = apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=1, stands=3),)))
    assert [(f.rule, f.seat) for f in game.findings] == [("D-AUD-8", "ann"), ("D-AUD-2", "ben")]


def test_d_crd_2_three_cards_in_a_row_are_findings_and_a_mistyped_card_comes_back() -> None:
    game = typed(begun(), "card ann 2", "card ben 3", "card ann 4")
    assert [(f.rule, f.seat) for f in game.findings] == [("D-CRD-2", "ben"), ("D-CRD-2", "ann")]
    assert lines_of(game, words("en"))["finding 2"] == (
        "Finding D-CRD-2: Ann plays an action card before the last turn is over; `undo` takes a mistyped card back."
    )
    assert game.players["ann"].hand == (3, 5)
    back = typed(game, "undo")
    assert (back.players["ann"].hand, [f.seat for f in back.findings]) == ((3, 4, 5), ["ben"])
    assert back.turn is not None
    assert back.turn.seat == "ben"


def test_d_crd_2_the_same_players_second_card_is_a_finding_even_with_nothing_left() -> None:
    game = typed(begun(), "card ann 2", "move", "move", "card ben 2")
    assert game.findings == (), "a turn that has spent everything ends with the other player's card"
    again = typed(begun(), "card ann 2", "move", "move", "card ann 3")
    assert [f.rule for f in again.findings] == ["D-CRD-2"]


# ---------------------------------------------------------------------------------------------------------- undo


EVERY_WORD = (
    "card ben 2", "reveal R2", "gear ann R1", "gear thief R1", "gear mekanork R1", "move", "move thief R1 gear 3",
    "move thief line", "exit thief", "take warrior rope", "take warrior ben.treasure", "drop goblin", "drop goblin pit",
    "give thief goblin", "use goblin", "combat thief ben.thief", "combat thief+warrior ben.thief", "fight", "ability",
    "ability thief", "jump", "jump thief", "lies R1 left", "lies thief wounded", "lies ben.thief well", "end turn",
)  # fmt: skip


@pytest.mark.parametrize("line", EVERY_WORD)
def test_every_word_can_be_taken_back_once_and_is_named_as_it_is_typed(line: str) -> None:
    before = typed(on(), "reveal R1", "take goblin potion")
    event = parse(line, before, {})
    assert isinstance(event, ev.Word)
    after = apply(before, event)
    back = typed(after, "undo")
    assert [each.word for each in back.corrections] == [spelled(event)]
    assert replace(back, corrections=(), kept_because="") == replace(before, last=None, kept_because="")
    assert refusal("undo", back) == "There is no word to take back."
    assert parse(spelled(event), before, {}) == event
    assert lines_of(back, words("en"))["word 1"] == f"Taken back: {spelled(event)}"


def test_d_rot_8_no_word_before_a_turned_room_is_taken_back() -> None:
    game = apply(on(), ev.Revealed(seat="ann", square="R1", stands=0))
    game = typed(game, "move thief R1 gear")
    wobbled = apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=0, stands=0),)))
    assert typed(wobbled, "undo").characters["ann.thief"].at == ""
    turned = apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=1, stands=3),)))
    sentence = "A room was turned since the last word: a turned room stays turned (D-ROT-8)."
    assert refusal("undo", turned) == sentence
    assert refusal("undo", apply(game, ev.Resumed(version="1", stands={"R1": 2}))) == sentence
    assert typed(turned, "end turn", "undo").turn is not None


def test_no_word_is_taken_back_after_the_combat_cards_were_shown() -> None:
    game = apply(on(), ev.CombatBegun(seat="ann", attackers=("ann.thief",), defenders=("ben.thief",)))
    one = apply(game, ev.CombatCardPlayed(seat="ben", card=3))
    assert typed(one, "undo").combat == game.combat, "it is known to its owner alone"
    assert refusal("undo", fought(on(), "ann.thief", "ben.thief", 2, 3)) == (
        "The combat cards were shown since the last word, so it stands."
    )


def test_d_cmb_4_a_word_that_is_taken_back_does_not_show_used_cards_again() -> None:
    """The tie can still be repeated (D-CMB-3)."""
    tie = fought(on(), "ann.thief", "ben.thief", 6, 6)
    assert "Ann: combat card +6, 8 in all." in lines_of(tie, words("en")).values()
    back = typed(tie, "move warrior", "undo")
    assert "+6" not in "".join(lines_of(back, words("en")).values())
    again = typed(back, "combat again")
    assert again.combat is not None
    assert again.combat.to_play == ("ann", "ben")


def test_a_dial_that_was_lost_meanwhile_stays_lost() -> None:
    game = apply(typed(on(), "reveal R1"), ev.RoomLost(square="R1", trouble="silent"))
    room = typed(game, "undo").rooms["R1"]
    assert (room.revealed, room.q, room.lost) == (False, None, True)


# ------------------------------------------------------------------------------------------- rules of other sources


def without(*rules: ev.OtherSource) -> ev.Ruleset:
    return ev.Ruleset(other_sources=tuple(rule for rule in ev.OTHER_SOURCES if rule not in rules))


def test_d_rot_12_can_be_left_out() -> None:
    far = "The room that would turn is not revealed (D-ROT-12, from another source)."
    assert refusal("gear ann R1 remote", typed(on(), "reveal R1")) == far
    game = typed(on(ruleset=without("D-ROT-12")), "reveal R1", "gear ann R1 remote")
    turned = ev.Rotated(motions=(ev.Motion(room="R2", quarters=-1, stands=1),))
    assert found(apply(game, turned)) == []
    by_position = typed(on(), "reveal R1", "move thief R1 gear")
    assert found(apply(by_position, turned)) == [("D-AUD-9", "R2")]


def test_d_rot_13_can_be_left_out() -> None:
    game = typed(on(ruleset=without("D-ROT-13")), "reveal R1", "move mekanork R1 gear")
    game = apply(game, ev.Rotated(motions=(ev.Motion(room="R1", quarters=-1, stands=1),)))
    assert lines_of(game, words("en"))["finding 1"] == "Finding D-AUD-3: R1 was turned against its arrow (D-ROT-6)."
    assert refusal("gear ann R1 mekanork", game) == (
        "This table leaves out D-ROT-13: a Mekanork turns rooms with the arrow."
    )


def test_d_ap_4_can_be_left_out() -> None:
    kept = typed(on(), "move", "end turn")
    assert lines_of(kept, words("en"))["unspent"] == (
        "Ann leaves action points unspent: 4. They are lost (D-AP-4, from another source)."
    )
    assert kept.findings == ()
    silent = typed(on(points=2, ruleset=without("D-AP-4")), "move", "end turn")
    assert lines_of(silent, words("en"))["finding 1"] == (
        "Finding D-CRD-2: Ann ends the turn with action points left, and the help does not say what becomes of them."
    )


def test_d_crd_1_can_be_left_out() -> None:
    assert refusal("card ann 6", begun()) == "Usage: card PLAYER 2|3|4|5"
    game = begun(ruleset=without("D-CRD-1"))
    for card in (2, 2, 3, 4):
        game = typed(game, f"card ann {card}", "end turn")
    assert game.findings == (), "four cards, whichever they are"
    assert (game.players["ann"].first_cycle, game.players["ann"].played) == (False, 0)
    assert typed(game, "card ann 6").findings == ()


def test_a_character_that_is_out_is_not_named_again() -> None:
    game = with_character(on(), replace(on().characters["ben.thief"], gone="eliminated"))
    assert refusal("combat thief ben.thief", game) == "ben.thief is out of the game."


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("move wizard", "There is no character 'wizard'; there is 'warrior', 'thief', 'goblin', 'mekanork', "
         "'ben.warrior', 'ben.thief', 'ben.goblin' or 'ben.mekanork'."),
        ("move ben.thief", "It is the turn of Ann: ben.thief waits."),
        ("move thief R1 far", "Usage: move [CHARACTER [ROOM|line] [gear] [SQUARES]]"),
        ("move thief gear", "Usage: move [CHARACTER [ROOM|line] [gear] [SQUARES]]"),
        ("take thief cup", "There is nothing called 'cup' to pick up; there is 'ann.treasure', 'ann.rope', "
         "'ann.sword', 'ann.shield', 'ann.potion', 'ben.treasure', 'ben.rope', 'ben.sword', "
         "'ben.shield' or 'ben.potion'."),
        ("drop thief", "ann.thief carries nothing."),
        ("combat thief warrior", "A combat is against the characters of one enemy (D-CMB-1)."),
        ("combat again", "Only a combat that has just ended in a tie can be repeated (D-CMB-3)."),
        ("play ann", "No combat waits for a card of Ann."),
        ("combat thief", "Usage: combat CHARACTER[+CHARACTER] ENEMY[+ENEMY]|again"),
    ],
)  # fmt: skip
def test_refused_words_about_characters(line: str, sentence: str) -> None:
    assert refusal(line, on()) == sentence


def test_other_words_wait_for_the_combat_cards() -> None:
    """D-GLD-1."""
    game = typed(on(), "combat thief ben.thief")
    assert refusal("move thief", game) == "The combat is not over (D-GLD-1). Type: play ann and play ben"
