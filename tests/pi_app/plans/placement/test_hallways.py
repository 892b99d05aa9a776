"""Which squares are hallway, and which of them lead to a dead end."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot, beside, edge
from pi_app.plans.placement.hallways import DeadEnd, FloorGraph, Hallways, hallways, reached
from pi_app.plans.placement.things import ARTIFACTS
from tests.pi_app.plans.placement.maps import TURNS, dungeon, dungeons, moved, some, spots, turned


def dead(found: Hallways) -> frozenset[Spot]:
    return frozenset(chain.from_iterable(end.squares for end in found.dead_ends))


def mouths(found: Hallways) -> frozenset[Spot]:
    return frozenset(chain.from_iterable(end.mouth for end in found.dead_ends))


def steps_from(shown: Dungeon, spot: Spot) -> list[Spot]:
    return [other for other in beside(spot) if other in shown.floor and edge(spot, other) not in shown.walls]


# -------------------------------------------------------------------------------------------------- by hand


def test_a_branch_of_a_hallway_is_a_dead_end_and_begins_beside_the_way_on() -> None:
    rows = [
        "....            ....",
        "....:::::::::::.....",
        "....     :      ....",
        "....     :      ....",
    ]
    found = hallways(dungeon(*rows))
    assert found.dead_ends == (DeadEnd(frozenset({(2, 9), (3, 9)}), frozenset({(2, 9)})),)
    assert found.hallways_drawn
    assert not found.dead_ends_drawn


@pytest.mark.parametrize(("length", "is_dead"), [(1, False), (2, True), (7, True)])
def test_a_way_that_is_no_longer_than_its_mouth_is_wide_is_a_niche(length: int, is_dead: bool) -> None:
    rows = ["....", "...." + length * ".", "....", "...."]
    assert dead(hallways(dungeon(*rows))) == (frozenset((1, 4 + n) for n in range(length)) if is_dead else frozenset())


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("more", [0, 1, 2, 5])
def test_dead_ends_of_every_width(width: int, more: int) -> None:
    room, way = ["." * 5] * (5 - width), ["." * (5 + width + more)] * width
    found = hallways(dungeon(*room, *way))
    squares = frozenset((5 - width + row, 5 + column) for row in range(width) for column in range(width + more))
    assert dead(found) == (squares if more else frozenset())
    assert mouths(found) == (frozenset(spot for spot in squares if spot[1] == 5) if more else frozenset())


def test_floor_wider_than_a_hallway_is_a_room() -> None:
    rows = ["............"] * 4
    assert hallways(dungeon(*rows)).squares == frozenset()
    assert len(hallways(dungeon(*rows[1:])).squares) == 36


def test_printed_hallways_of_three_by_five() -> None:
    rows = [".....", ".....", "..........", "..........", ".........."]
    found = hallways(dungeon(*rows))
    assert dead(found) == frozenset((row, column) for row in (2, 3, 4) for column in range(5, 10))
    assert mouths(found) == frozenset({(2, 5), (3, 5), (4, 5)})
    one_wide_only = hallways(dungeon(*rows, head="hallway width: 1"))
    assert dead(one_wide_only) == frozenset()


def test_a_hallway_to_a_room_or_back_to_where_it_came_from_is_none() -> None:
    to_a_room = ["....         ....", "." * 17, "....         ....", "....         ...."]
    back = ["....      ", ".......   ", "....  .   ", ".......   "]
    for rows in (to_a_room, back):
        assert dead(hallways(dungeon(*rows))) == frozenset()


def test_a_loop_behind_a_way_has_no_end() -> None:
    rows = ["....  ...", "....... .", "....  ...", "....     "]
    assert dead(hallways(dungeon(*rows))) == frozenset()


@pytest.mark.parametrize("letter", ["E", "S"])
def test_a_way_in_is_no_dead_end(letter: str) -> None:
    assert dead(hallways(dungeon("....", "........" + letter, "....", "...."))) == frozenset()
    beyond = hallways(dungeon("....", "...." + letter + "...", "....", "...."))
    assert beyond.dead_ends == (DeadEnd(frozenset({(1, 5), (1, 6), (1, 7)}), frozenset({(1, 5)})),)


def test_two_entrances_in_one_hallway() -> None:
    assert dead(hallways(dungeon("E.......E"))) == frozenset()
    assert dead(hallways(dungeon("E...E....."))) == frozenset((0, column) for column in range(5, 10))


def test_a_map_that_is_one_closed_hallway_has_no_way_into_it() -> None:
    found = hallways(dungeon("......."))
    assert found.dead_ends == ()
    assert found.squares == frozenset((0, column) for column in range(7))


def test_each_island_is_checked_alone() -> None:
    rows = ["....   ....", "...........", "....   ....", "....   ....", "", "....", ".......", "....", "...."]
    assert dead(hallways(dungeon(*rows))) == frozenset({(6, 4), (6, 5), (6, 6)})


def test_a_thin_wall_closes_a_hallway_and_narrows_a_room() -> None:
    rows = ["....         ....", ".................", "....         ....", "....         ...."]
    open_way = dungeon(*rows)
    closed = replace(open_way, walls=frozenset({((1, 8), (1, 9))}))
    assert dead(hallways(closed)) == frozenset((1, column) for column in range(4, 13))
    assert mouths(hallways(closed)) == frozenset({(1, 4), (1, 12)})
    room = dungeon(*["........"] * 4)
    split = replace(room, walls=frozenset(((1, column), (2, column)) for column in range(8)))
    assert hallways(room).squares == frozenset()
    assert hallways(split).squares == split.floor


def test_two_ways_out_on_one_side_are_two() -> None:
    """The row at the end joins two ways with a wall between them, so it is on the way from one to the other."""
    rows = ["....", ".......", ".......", "...."]
    joined = dungeon(*rows, head="hallway width: 2")
    parted = replace(joined, walls=frozenset({((1, 4), (2, 4)), ((1, 5), (2, 5))}))
    assert dead(hallways(joined)) == frozenset((row, column) for row in (1, 2) for column in (4, 5, 6))
    assert dead(hallways(parted)) == frozenset()


def test_p_10_a_drawn_dead_end_is_taken_as_it_is_drawn() -> None:
    """Otherwise it is computed, as in the tests above."""
    found = hallways(dungeon("....XXX.....", "....   .....", ".... X .....", "............"))
    assert found.dead_ends_drawn
    assert [end.squares for end in found.dead_ends] == [frozenset({(0, 4), (0, 5), (0, 6)}), frozenset({(2, 5)})]
    assert found.dead_ends[0].mouth == frozenset({(0, 4), (0, 6)})


def test_things_in_a_drawn_hallway_belong_to_it() -> None:
    found = hallways(dungeon("....", "....:T:C", "....", "...."))
    assert found.squares == frozenset((1, column) for column in range(4, 8))
    assert hallways(dungeon("....", "...T::::", "....", "....")).squares == frozenset(
        (1, column) for column in range(4, 8)
    )
    named = hallways(dungeon("....", "....1:::", "....", "....", head="1 = T01, hallway"))
    assert named.squares == frozenset((1, column) for column in range(4, 8))


# ------------------------------------------------------------------------------------------------ always


@some
@given(dungeons())
def test_turning_and_mirroring_changes_nothing(shown: Dungeon) -> None:
    before = hallways(shown)
    for turn in TURNS.values():
        there = moved(shown, turn)
        after = hallways(turned(shown, turn))
        assert after.squares == frozenset(map(there, before.squares))
        assert {(end.squares, end.mouth) for end in after.dead_ends} == {
            (frozenset(map(there, end.squares)), frozenset(map(there, end.mouth))) for end in before.dead_ends
        }


def core(shown: Dungeon, removable: frozenset[Spot]) -> frozenset[Spot]:
    """By trying every choice: the most squares that can stay so that each removable one keeps two neighbours."""
    kept: frozenset[Spot] = shown.floor - removable
    every = chain.from_iterable(combinations(sorted(removable), n) for n in range(len(removable) + 1))
    for choice in every:
        stay = (shown.floor - removable) | set(choice)
        if all(sum(other in stay for other in steps_from(shown, spot)) >= 2 for spot in choice):
            kept |= stay
    return kept


@some
@given(dungeons(letters=".:E", side=3), st.randoms(use_true_random=False))
def test_ways_of_one_square_against_every_choice(shown: Dungeon, draw: random.Random) -> None:
    removable = frozenset(spot for spot in sorted(shown.floor) if draw.random() < 0.8)
    ground = FloorGraph(shown)
    left = shown.floor - ground.spots(ground.eroded(ground.numbers(removable), 1))
    assert left == core(shown, removable)


def eroded_by_one(shown: Dungeon, removable: frozenset[Spot], most: int, draw: random.Random) -> frozenset[Spot]:
    """As the module describes it, but one row at a time, in random order."""
    left = set(shown.floor)

    def open_to(spot: Spot, down: int, right: int) -> Spot | None:
        other = spot[0] + down, spot[1] + right
        return other if other in left and edge(spot, other) not in shown.walls else None

    def row_of(spot: Spot, down: int, right: int) -> list[Spot]:
        row = [spot]
        while (after := open_to(row[-1], down, right)) is not None:
            row.append(after)
        while (after := open_to(row[0], -down, -right)) is not None:
            row.insert(0, after)
        return row

    def may_go(row: list[Spot], down: int, right: int) -> bool:
        if len(row) > most or not removable.issuperset(row):
            return False
        sides = [[open_to(spot, sign * right, sign * down) for spot in row] for sign in (1, -1)]
        there = [[other for other in side if other is not None] for side in sides]
        if there[0] and there[1]:
            return False
        return all(open_to(one, down, right) == two for side in there for one, two in pairwise(side))

    while True:
        rows = [(row_of(spot, *way), way) for spot in sorted(left & removable) for way in ((0, 1), (1, 0))]
        good = [row for row, way in rows if may_go(row, *way)]
        if not good:
            return shown.floor - left
        left -= set(draw.choice(good))


@some
@given(dungeons(letters="...#E", side=6), st.randoms(use_true_random=False), st.integers(1, 3))
def test_rounds_erode_the_same_as_single_rows_in_any_order(shown: Dungeon, draw: random.Random, most: int) -> None:
    removable = shown.floor - shown.ways_in
    ground = FloorGraph(shown)
    assert ground.spots(ground.eroded(ground.numbers(removable), most)) == eroded_by_one(shown, removable, most, draw)


@some
@given(dungeons())
def test_eating_parts_nothing_that_was_together(shown: Dungeon) -> None:
    ground = FloorGraph(shown)
    left = set(ground.floor) - ground.eroded(ground.numbers(shown.floor - shown.ways_in), shown.hallway_width)
    for piece in ground.pieces(ground.floor):
        stayed = piece & left
        assert not stayed or ground.walked({min(stayed)}, left) == stayed


@some
@given(dungeons())
def test_a_dead_end_is_hallway_and_every_way_out_of_it_is_its_mouth(shown: Dungeon) -> None:
    found = hallways(shown)
    for end in found.dead_ends:
        assert end.mouth
        assert end.mouth <= end.squares <= found.squares
        assert end.mouth == {spot for spot in end.squares if set(steps_from(shown, spot)) - end.squares}
        assert found.dead_ends_drawn or end.squares.isdisjoint(shown.ways_in)


@some
@given(dungeons())
def test_hallways_are_what_no_open_block_covers(shown: Dungeon) -> None:
    bare = replace(shown, kinds={})
    wide = shown.hallway_width + 1
    covered: set[Spot] = set()
    for row, column in shown.floor:
        block = {(row + down, column + right) for down in range(wide) for right in range(wide)}
        inner = {edge(spot, other) for spot in block for other in beside(spot) if other in block}
        if block <= shown.floor and inner.isdisjoint(shown.walls):
            covered |= block
    assert hallways(bare).squares == shown.floor - covered


@some
@given(dungeons(), st.data())
def test_a_wall_more_lets_nobody_walk_further(shown: Dungeon, data: st.DataObject) -> None:
    sides = [edge(spot, other) for spot in sorted(shown.floor) for other in steps_from(shown, spot)]
    if sides:
        walled = replace(shown, walls=shown.walls | {data.draw(st.sampled_from(sides))})
        assert reached(walled) <= reached(shown)
    assert shown.ways_in <= reached(shown)


def test_every_symbol_is_floor_and_doors_can_be_walked_through() -> None:
    shown = dungeon("E.+.:XCMTS" + "".join(kind.value for kind in ARTIFACTS))
    assert reached(shown) == spots("#" * 24) == shown.floor
    assert {kind for kind in MapSymbol if shown.of(kind)} == set(MapSymbol)
