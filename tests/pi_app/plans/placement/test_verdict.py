"""A dungeon checked against the rules of placing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.plans.placement.dungeon import Dungeon, PlacedTrap, Spot, steps
from pi_app.plans.placement.findings import MOST_FINDINGS, RuleStatus
from pi_app.plans.placement.hallways import hallways
from pi_app.plans.placement.verdict import (
    APART,
    Dials,
    PlacementVerdict,
    max_traps,
    near_mouths,
    too_near,
    verdict,
)
from tests.pi_app.plans.placement.maps import TURNS, dungeon, dungeons, moved, some, turned

ROOM = [".........."] * 10


def words(found: PlacementVerdict, rule: str) -> tuple[RuleStatus, str]:
    (told,) = [each for each in found.rules if each.rule == rule]
    return told.sign, told.words


def findings(found: PlacementVerdict, rule: str) -> list[str]:
    return [f"{each.part}: {each.seen}. {each.advice}" for each in found.findings if each.rule == rule]


def room(*places: Spot, head: str = "players: Ann, Ben", letter: str = "T") -> Dungeon:
    rows = [list(row) for row in ROOM]
    for row, column in places:
        rows[row][column] = letter
    rows[9][0] = "E"
    return dungeon(*map("".join, rows), head=head)


# ------------------------------------------------------------------------------------------- P-2, P-4: how many


@pytest.mark.parametrize(
    ("squares", "floor", "ceil"), [(0, 0, 0), (1, 0, 1), (49, 0, 1), (50, 1, 1), (51, 1, 2), (200, 4, 4), (500, 10, 10)]
)
def test_one_trap_for_fifty_squares(squares: int, floor: int, ceil: int) -> None:
    """P-2 with the sheet's own examples, and both values of the switch `placement_rounding`."""
    assert (max_traps(squares), max_traps(squares, "floor"), max_traps(squares, "ceil")) == (floor, floor, ceil)


def test_trap_squares_count_among_the_fifty() -> None:
    """Q-21."""
    assert verdict(room((0, 0), (0, 5))).each == 2


def test_how_many_may_be_placed() -> None:
    found = verdict(room((0, 0)))
    assert (found.each, found.total) == (2, 4)
    assert words(found, "P-2") == (RuleStatus.KEPT, "Squares: 100. Traps for each player: 2, in all: 4.")
    unknown = verdict(room((0, 0), head=""))
    assert unknown.total is None
    assert words(unknown, "P-2") == (
        RuleStatus.OPEN, "Squares: 100. Traps for each player: 2. The number of players is not given.",
    )  # fmt: skip


def test_too_many_for_all_and_for_one() -> None:
    found = verdict(room((0, 0), (0, 5), (5, 0), (5, 5), (9, 9)))
    assert findings(found, "P-2") == ["all players: traps placed: 5, allowed: 4. Remove 1, or agree on more (P-4)."]
    listed = dungeon("12.3", head="players: Ann, Ben\nagreed: 1\n1 = T01, Ann\n2 = T02, Ben\n3 = T03, Ann")
    assert findings(verdict(listed), "P-2") == [
        "Ann: traps placed: 2, allowed: 1. Remove 1, or agree on more (P-4).",
        "all players: traps placed: 3, allowed: 2. Remove 1, or agree on more (P-4).",
    ]


def test_what_the_players_agreed_on_holds() -> None:
    found = verdict(room(head="players: 3\nagreed: 5"))
    assert (found.each, found.total) == (5, 15)
    assert words(found, "P-4") == (RuleStatus.KEPT, "Agreed: 5 for each player; the rule gives 2.")
    assert verdict(room(head="agreed: 0")).each == 0


# ---------------------------------------------------------------------------------------------- P-3: the pool


def test_the_whole_pool_is_placed() -> None:
    assert words(verdict(room((0, 0), head="pool: 1")), "P-3") == (RuleStatus.KEPT, "The whole pool is placed: 1.")
    assert words(verdict(room((0, 0))), "P-3") == (RuleStatus.OPEN, "Placed: 1. The size of the pool is not given.")
    short = verdict(room((0, 0), head="pool: 3"))
    assert findings(short, "P-3") == ["the pool: holds 3, placed: 1. Place all of the pool, or correct its number."]
    missing = verdict(dungeon("1.", head="pool: 2\n1 = T01\n2 = T02"))
    assert findings(missing, "P-3") == ["T02: listed, but not on the map. Place it, or remove it from the list."]


# -------------------------------------------------------------------------------------------- P-6: the spacing


@pytest.mark.parametrize(
    ("other", "near"), [((0, 4), True), ((0, 5), False), ((4, 4), True), ((5, 4), False), ((5, 5), False)]
)
def test_five_squares_between_traps(other: Spot, near: bool) -> None:
    found = verdict(room((0, 0), other))
    assert len(findings(found, "P-6")) == near
    assert words(found, "P-6") == (
        (RuleStatus.BROKEN, "Findings: 1.") if near else (RuleStatus.KEPT, "All traps are 5 or more squares apart.")
    )


def test_the_later_trap_is_too_close_and_walls_do_not_help() -> None:
    shown = dungeon("2##1", head="1 = T01\n2 = T02")
    (told,) = findings(verdict(shown), "P-6")
    assert told == "T02: too close to T01: distance 3, must be at least 5. Move one of the two."
    (unnamed,) = findings(verdict(room((0, 0), (0, 4))), "P-6")
    assert unnamed == "a trap: too close to the trap at 3:1: distance 4, must be at least 5. Move one of the two."


placements = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=25, unique=True)


@some
@given(placements)
def test_spacing_against_every_pair(spots: list[Spot]) -> None:
    """P-6, Q-20, Q-22."""
    placed = [(PlacedTrap(str(n), spot), spot) for n, spot in enumerate(spots)]
    wanted = {
        (one[0].label, two[0].label)
        for n, two in enumerate(placed)
        for one in placed[:n]
        if max(abs(one[1][0] - two[1][0]), abs(one[1][1] - two[1][1])) < 5
    }
    found = [(one[0].label, two[0].label) for one, two in too_near(placed)]
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_too_many_findings_are_only_counted() -> None:
    found = verdict(dungeon(*["T" * 40] * 40))
    assert len(findings(found, "P-6")) == MOST_FINDINGS
    assert words(found, "P-6") == (RuleStatus.BROKEN, "More than 500 findings; only the first ones are shown.")


# --------------------------------------------------------------------------------------- P-7, P-8: dead ends

WAY = ["....            ....", "....................", "....     .      ....", "....     .      ....", "         .    "]


def with_trap(row: int, column: int) -> PlacementVerdict:
    rows = [list(line) for line in WAY]
    rows[row][column] = "T"
    return verdict(dungeon(*map("".join, rows), head="agreed: 1"))


@pytest.mark.parametrize("row", [2, 3, 4])
def test_no_trap_in_a_hallway_that_leads_to_a_dead_end(row: int) -> None:
    found = with_trap(row, 9)
    assert findings(found, "P-7") == ["a trap: in a hallway that leads to a dead end. Move it out of that hallway."]
    assert findings(found, "P-8") == []


@pytest.mark.parametrize(("column", "distance"), [(9, 1), (13, 4), (5, 4), (14, 5), (4, 5), (17, 8)])
def test_five_squares_from_the_start_of_a_dead_end_hallway(column: int, distance: int) -> None:
    """P-8 as L-17 reads it: from the entrance of the hallway, not into it."""
    found = with_trap(1, column)
    assert findings(found, "P-7") == []
    assert findings(found, "P-8") == (
        [
            f"a trap: too close to the dead-end hallway at 5:10: distance {distance}, must be at least 5. "
            "Move it away from there."
        ]
        if distance < 5
        else []
    )


@some
@given(dungeons())
def test_distance_to_mouths_against_every_mouth(shown: Dungeon) -> None:
    found = hallways(shown)
    inside = {spot for end in found.dead_ends for spot in end.squares}
    wanted = {
        (spot, min(steps(spot, mouth) for end in found.dead_ends for mouth in end.mouth))
        for _, spot in shown.placed
        if spot not in inside and any(steps(spot, mouth) < APART for end in found.dead_ends for mouth in end.mouth)
    }
    assert {(spot, steps(spot, mouth)) for _, spot, mouth in near_mouths(shown, found)} == wanted


# ----------------------------------------------------------------------------------------------- P-9: by turns


@pytest.mark.parametrize(
    ("owners", "told"),
    [
        ("ABCAB", None),
        ("ABCAA", None),
        ("ABAAA", None),
        ("BA", "T01: was placed by Ben, but it was the turn of Ann."),
        ("ABBA", "T03: was placed by Ben, but it was the turn of Ann."),
        ("AB-", "T03: no player."),
    ],
)
def test_traps_are_placed_in_turns(owners: str, told: str | None) -> None:
    """P-9, L-16. A player with no trap left is skipped."""
    names = {"A": ", Ann", "B": ", Ben", "C": ", Cem", "-": ""}
    listed = "".join(f"{n} = T{n:02}{names[owner]}\n" for n, owner in enumerate(owners, 1))
    found = verdict(
        dungeon("....." + "".join(map(str, range(1, len(owners) + 1))), head=f"players: Ann, Ben, Cem\n{listed}")
    )
    assert [line[: line.index(".") + 1] for line in findings(found, "P-9")] == ([] if told is None else [told])


def test_without_owners_the_order_is_not_checked() -> None:
    told = "Not checked: the map does not say who placed which trap."
    assert words(verdict(room((0, 0))), "P-9") == (RuleStatus.OPEN, told)


# ----------------------------------------------------------------------------------- G-4, P-1, and the way there


def test_no_chest_and_no_token_on_a_trap() -> None:
    found = verdict(dungeon("12CM3", head="1 = T01, chest\n2 = T02, token, chest\n3 = T03"))
    assert findings(found, "G-4") == [
        f"T0{trap}: shares its square with a {what}. Move one of the two before the game begins."
        for trap, what in ((1, "treasure chest"), (2, "treasure chest"), (2, "monster token"))
    ]


def test_a_trap_that_cannot_be_reached() -> None:
    found = verdict(dungeon("E..T#T", head="agreed: 2"))
    assert findings(found, "MAP-WALK") == [
        "a trap: cannot be reached from any entrance. Draw the way to it, or move it."
    ]
    assert words(verdict(dungeon("..T")), "MAP-WALK") == (RuleStatus.OPEN, "Not checked: no entrance is drawn.")


def test_start_marks_are_a_reminder_unless_a_game_was_recorded() -> None:
    shown = dungeon("12", head="1 = T01\n2 = T02")
    reminder = (RuleStatus.OPEN, "Not checked here: turn every dial to its start mark.")
    assert words(verdict(shown), "P-1") == reminder
    assert words(verdict(shown, Dials(("T01", "T02"))), "P-1") == reminder
    assert words(verdict(shown, Dials(("T01", "T02"), ())), "P-1") == (
        RuleStatus.KEPT, "The last game found every dial at its start mark.",
    )  # fmt: skip
    found = verdict(shown, Dials(("T01",), ("T01",)))
    assert findings(found, "P-1") == [
        "T02: no dial in the settings. Correct its label, or the settings.",
        "T01: was not at its start mark. Turn its dial to the start mark.",
    ]


# ------------------------------------------------------------------------------------------------------- always


def gist(found: PlacementVerdict) -> set[tuple[str, str | None, Spot | None]]:
    return {(each.rule, each.part if each.part.startswith("T") else None, each.spot) for each in found.findings}


@some
@given(dungeons(letters="..##::EXCM+S"))
def test_findings_follow_a_turned_or_mirrored_dungeon(shown: Dungeon) -> None:
    before = verdict(shown)
    for turn in TURNS.values():
        there = moved(shown, turn)
        after = verdict(turned(shown, turn))
        assert [(rule.rule, rule.sign) for rule in after.rules] == [(rule.rule, rule.sign) for rule in before.rules]
        assert gist(after) == {(rule, part, None if spot is None else there(spot)) for rule, part, spot in gist(before)}


@some
@given(dungeons())
def test_a_rule_is_broken_exactly_when_it_has_findings(shown: Dungeon) -> None:
    found = verdict(shown)
    assert {rule.rule for rule in found.rules if rule.sign is RuleStatus.BROKEN} == {
        each.rule for each in found.findings
    }
    assert found.kept == (not found.findings)
    assert all(spot in shown.floor for each in found.findings for spot in (each.spot, each.other) if spot is not None)


def test_sentences_are_translated_before_values_are_put_in() -> None:
    found = verdict(
        replace(room((0, 0)), traps=()), speak=lambda message: message.upper() if "{" not in message else message
    )
    assert words(found, "P-1")[1] == "NOT CHECKED HERE: TURN EVERY DIAL TO ITS START MARK."
