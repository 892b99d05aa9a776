"""Artifacts, furnishings and entrances checked against their rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.plans.placement.artifact_rules import speed_points
from pi_app.plans.placement.columns import blocked_ways
from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot
from pi_app.plans.placement.findings import RuleStatus
from pi_app.plans.placement.hallways import reached
from pi_app.plans.placement.things import ARTIFACTS, COLUMNS, LONGEST_SEARCH, on_squares, pieces
from pi_app.plans.placement.verdict import PlacementVerdict, verdict
from tests.pi_app.plans.placement.maps import ARTIFACT_LETTERS, TURNS, dungeon, dungeons, moved, some, turned

NEW = ("AR-SET-2", "F-COL-2", "F-TBL-1", "MAP-SIZE", "MAP-ONE", "AR-GEN-4", "A-AQU-1", "F-COL-1", "MAP-ENTRY")


def words(found: PlacementVerdict, rule: str) -> tuple[RuleStatus, str]:
    (told,) = [each for each in found.rules if each.rule == rule]
    return told.sign, told.words


def findings(shown: Dungeon, rule: str) -> list[str]:
    place = shown.sheet.place
    return [
        f"{each.part} {':'.join(map(str, place(each.spot)))}: {each.seen}. {each.advice}"
        for each in verdict(shown).findings
        if each.rule == rule and each.spot is not None
    ]


ROOM = ("E......", ".......", ".......", ".......", ".......")


def room(*rows: str, head: str = "") -> Dungeon:
    """A room of five by seven squares with an entrance, and these artifacts in it."""
    return dungeon(*ROOM, "artifacts:", *rows, head=head)


# ----------------------------------------------------------------------------------- AR-SET-2: blocking terrain


def test_no_part_of_an_artifact_lies_over_blocking_terrain() -> None:
    """AR-SET-2: a wall as wide as a square, a thin wall under it, a column."""
    assert findings(dungeon("E....##", ".....##", "artifacts:", "....LL", "H...LL"), "AR-SET-2") == [
        f"Large Pond {place}: lies over a wall, which is blocking terrain. Move it onto open floor."
        for place in ("3:6", "4:6")
    ]
    assert findings(dungeon("|. .|. .", "artifacts:", " . A A .", head="walls: lines"), "AR-SET-2") == [
        "Dragon Altar 3:4: a wall runs through it. Move it onto open floor."
    ]
    assert findings(room("", "..AA", "..O"), "AR-SET-2") == []
    assert findings(dungeon("E.O..", "artifacts:", "..R"), "AR-SET-2") == [
        "Rune Obelisk 3:3: lies over a column, which is blocking terrain. Move it onto open floor."
    ]
    assert findings(dungeon("E.#..", "artifacts:", "..O"), "AR-SET-2") == [
        "Stone Column 3:3: lies over a wall, which is blocking terrain. Move it onto open floor."
    ]


# -------------------------------------------------------------------------------------------- F-COL-2: columns

HALLS = (".....#....", "E....:....", ".....+....", ".....#....")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ((1, 5), ["stands in a hallway. Move it into a room."]),
        ((2, 5), ["stands in a doorway. Move it out of the doorway."]),
        ((1, 0), ["stands in an entrance. Move it off the entrance."]),
        ((1, 3), []),
        ((2, 7), []),
    ],
)
@pytest.mark.parametrize(("letter", "name"), [("O", "Stone Column"), ("@", "All-Seeing Column")])
def test_a_column_may_not_stand_in_a_hallway_doorway_or_entrance(
    place: Spot, told: list[str], letter: str, name: str
) -> None:
    """F-COL-2, and F-ASC-2 for the other column."""
    layer = ["." * 10 for _ in HALLS]
    layer[place[0]] = "." * place[1] + letter
    shown = dungeon(*HALLS, "artifacts:", *layer)
    line, column = shown.sheet.place(place)
    assert findings(shown, "F-COL-2") == [f"{name} {line}:{column}: {each}" for each in told]


def test_a_column_beside_a_door_between_two_squares_closes_it() -> None:
    shown = dungeon(" E .+. .", " . .|. .", "artifacts:", " . . O .", head="walls: lines\nhallway width: 1")
    assert findings(shown, "F-COL-2") == [
        "Stone Column 4:6: closes the door to 4:4. Move it away from the door.",
        "Stone Column 4:6: blocks the only way to 4:8. Move it so that a way stays open.",
    ]


def test_a_column_never_blocks_the_only_remaining_way() -> None:
    """F-COL-2 over the whole map: with it and without it, all other columns in their places."""
    gap = "...O..."
    hall = ("E......", "...#...", "...#...", "...#...")
    told = "Stone Column 3:4: blocks the only way to 3:5. Move it so that a way stays open."
    assert findings(dungeon(*hall, "artifacts:", gap, head="hallway width: 1"), "F-COL-2")[-1] == told
    both = dungeon("E......", ".......", "artifacts:", gap, head="hallway width: 1")
    assert findings(both, "F-COL-2") == []
    closed = dungeon("E......", ".......", "artifacts:", gap, gap, head="hallway width: 1")
    assert findings(closed, "F-COL-2") == [
        "Stone Column 3:4: blocks the only way to 3:5. Move it so that a way stays open.",
        "Stone Column 4:4: blocks the only way to 4:5. Move it so that a way stays open.",
    ]


def test_columns_one_behind_the_other_block_together() -> None:
    shown = dungeon("....", "...E....OO.....", "....", "....", "    ", "artifacts:", head="hallway width: 1")
    assert findings(shown, "F-COL-2")[-1] == (
        "Stone Column 4:9: blocks the only way to 4:11 together with the columns beside it. "
        "Move it so that a way stays open."
    )


def test_without_an_entrance_nothing_is_said_about_ways() -> None:
    told = (RuleStatus.OPEN, "Not checked whether a column blocks the only way: no entrance is drawn.")
    assert words(verdict(dungeon(*["....."] * 5, "..O..")), "F-COL-2") == told
    kept = (RuleStatus.KEPT, "No column stands in a hallway, doorway or entrance, and none blocks the only way.")
    assert words(verdict(room("", "", "..O")), "F-COL-2") == kept


def test_a_trap_behind_a_column_cannot_be_reached() -> None:
    shown = dungeon("E..O..T", head="agreed: 1")
    assert findings(shown, "MAP-WALK") == [
        "a trap 3:7: cannot be reached from any entrance. Draw the way to it, or move it."
    ]


@some
@given(dungeons(letters="....#:ESO@+"))
def test_blocked_ways_are_those_that_are_open_without_the_column(shown: Dungeon) -> None:
    """Every single column is tried; if no finding is left, every entrance leads to every square that it can."""
    columns = on_squares(shown, *COLUMNS)
    ways = list(blocked_ways(shown, columns))
    found = {way.column for way in ways}
    for entrance in shown.ways_in:
        alone = replace(shown, kinds={MapSymbol.ENTRANCE: frozenset({entrance})})
        now = reached(alone, columns)
        for column in columns:
            if reached(alone, columns - {column}) - now - {column}:
                assert column in found, (entrance, column)
        if not found and entrance not in columns:
            assert now == reached(alone) - columns, entrance
    for way in ways:
        assert way.cut_off in shown.floor - columns
        if not way.together:
            near = replace(shown, kinds={MapSymbol.ENTRANCE: frozenset({way.cut_off})})
            assert reached(near, columns - {way.column}) > reached(near, columns) | {way.column}


# ------------------------------------------------------------------------------- F-TBL-1, 15.3: sizes and shapes


@pytest.mark.parametrize(("letter", "name", "rule"), [("=", "table", "F-TBL-1"), ("A", "Dragon Altar", "MAP-SIZE")])
def test_tables_and_altars_cover_two_squares_side_by_side(letter: str, name: str, rule: str) -> None:
    def told(*rows: str) -> list[str]:
        return findings(room(*(row.replace("x", letter) for row in rows)), rule)

    advice = "Draw two squares side by side for each."
    assert (
        told("..xx")
        == told("..x", "..x")
        == told(".xxx", "...x")
        == told(".xx", ".xx", "...xx")
        == told("xx", "x", "x")
        == []
    )
    assert told("..x", "...x") == [f"{name} 3:3: lies diagonally. {advice}"]
    assert told("..x") == [f"{name} 3:3: covers one square only. {advice}"]
    assert told("..x..", ".x.x") == [f"{name} 3:3: covers 3 squares of a wrong shape. {advice}"]
    assert told(".xxx") == [f"{name} 3:4: covers one square only. {advice}"]


def test_a_large_pond_covers_two_by_two() -> None:
    advice = "Draw two rows of two squares for each."
    assert findings(room(".LLLL", ".LLLL", "...LL", "...LL"), "MAP-SIZE") == []
    assert findings(room(".LL", ".L"), "MAP-SIZE") == [f"Large Pond 3:2: covers 3 squares of a wrong shape. {advice}"]
    assert findings(room(".LLLL"), "MAP-SIZE") == [f"Large Pond 3:2: covers 4 squares of a wrong shape. {advice}"]
    assert findings(room(".L", "", "L"), "MAP-SIZE") == [
        f"Large Pond {at}: covers one square only. {advice}" for at in ("3:2", "5:1")
    ]


def test_everything_else_is_one_square() -> None:
    shown = room("YIDGZRB", "YIDGZRB", "PP.OHH@")
    assert all(len(piece.squares) == 1 and piece.whole for piece in pieces(shown))
    assert len(pieces(shown)) == 20


@some
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_as_many_tables_as_possible_are_found(squares: set[Spot]) -> None:
    """Against trying every pair."""

    def most(left: frozenset[Spot]) -> int:
        if not left:
            return 0
        row, column = first = min(left)
        near = [(row, column + 1), (row + 1, column)]
        rest = left - {first}
        return max([most(rest), *(1 + most(rest - {other}) for other in near if other in rest)])

    shown = dungeon(*["......"] * 6)
    found = pieces(replace(shown, kinds={MapSymbol.TABLE: frozenset(squares)}))
    assert sum(piece.whole for piece in found) == most(frozenset(squares))
    assert sorted(spot for piece in found for spot in piece.squares) == sorted(squares)
    assert len(squares) < LONGEST_SEARCH


# ---------------------------------------------------------------------------------------- one thing on a square


def test_two_things_on_one_square() -> None:
    shown = dungeon("E1C.H", "2....", "artifacts:", ".HRY=", "M...=", head="1 = T01\n2 = T02")
    assert findings(shown, "MAP-ONE") == [
        "T01 4:2: shares its square with: chair. Move one of them.",
        "Rune Obelisk 4:3: shares its square with: treasure chest. Move one of them.",
        "chair 4:5: shares its square with: table. Move one of them.",
    ]
    assert findings(shown, "G-4") == [
        "T02 5:1: shares its square with a monster token. Move one of the two before the game begins."
    ]
    assert findings(dungeon("ET..", "artifacts:", ".AA"), "MAP-ONE") == [
        "a trap 3:2: shares its square with: Dragon Altar. Move one of them."
    ]


# ------------------------------------------------------------------------------------------------- speed points


def test_what_it_costs_to_enter() -> None:
    """AR-GEN-4, F-FUR-1: hindering squares cost 2. Water costs 3, with Aquatic 1 (A-AQU-1). Columns are closed
    (F-COL-1)."""
    shown = room("...HAA.", "LLR..==", "LLP..O.")
    found = verdict(shown)
    assert words(found, "AR-GEN-4") == (
        RuleStatus.KEPT,
        "Hindering squares under artifacts and furniture: 6. To enter one costs 2 speed points.",
    )
    assert words(found, "A-AQU-1")[1] == "Water squares: 5. To enter one costs 3 speed points, with Aquatic 1."
    assert words(found, "F-COL-1")[1] == "Squares with a column: 1. No figure enters them, not even flying."
    assert {cost: len(spots) for cost, spots in speed_points(shown).items()} == {2: 6, 3: 5}
    assert "A-AQU-1" not in [rule.rule for rule in verdict(room("H")).rules]


@some
@given(dungeons(letters=f"..{ARTIFACT_LETTERS}"))
def test_every_artifact_costs_something_or_is_closed(shown: Dungeon) -> None:
    costs = speed_points(shown)
    columns = on_squares(shown, *COLUMNS)
    assert on_squares(shown, *ARTIFACTS) == costs[2] | costs[3] | columns
    assert not costs[2] & costs[3]
    assert columns.isdisjoint(costs[2] | costs[3])


# ---------------------------------------------------------------------------------------------------- entrances

TWO = ("E.........", "E.........", "..........", "..........", ".........E")


@pytest.mark.parametrize(
    ("sections", "sign", "told"),
    [
        ((), "open", "Not checked: the map names no sections."),
        (("sections:", *["aaaaabbbbb"] * 5), "kept", "No two entrances share a section."),
        (("sections:", "aaaaa", "aaaaa"), "open", "Not checked for the entrance at 7:10: it lies in no section."),
        (("sections:", *["aaaaaaaaaa"] * 5), "broken", "Findings: 1."),
        (("sections:", *["aaaa..aaaa"] * 5), "kept", "No two entrances share a section."),
    ],
)
def test_entrances_may_not_share_a_section(sections: tuple[str, ...], sign: str, told: str) -> None:
    """A ruling of 22.09.2003. Squares that touch are one entrance; a letter may name another section elsewhere."""
    shown = dungeon(*TWO, "artifacts:", "...H", *sections)
    found = verdict(shown)
    status, said = words(found, "MAP-ENTRY")
    assert (status.value, said) == (sign, told)
    assert findings(shown, "MAP-ENTRY") == (
        ["entrance 7:10: is in the same section as the entrance at 3:1. Move one of the two to another section."]
        if sign == "broken"
        else []
    )


def test_one_entrance_shares_with_none() -> None:
    assert words(verdict(dungeon("EE.", "sections:")), "MAP-ENTRY")[0] is RuleStatus.KEPT
    told = (RuleStatus.OPEN, "Not checked: no entrance is drawn.")
    assert words(verdict(dungeon("..H")), "MAP-ENTRY") == told


# ------------------------------------------------------------------------------------------------------- always


def test_a_map_without_artifacts_and_sections_hears_nothing_of_them() -> None:
    assert not {rule.rule for rule in verdict(dungeon(*TWO)).rules} & set(NEW)
    everything = verdict(room(f"......{ARTIFACT_LETTERS[0]}", f".{ARTIFACT_LETTERS[2:6]}", "LL.AA", "LL"))
    assert tuple(rule.rule for rule in everything.rules if rule.rule in NEW) == NEW


@some
@given(dungeons(), st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(ARTIFACTS)), max_size=6))
def test_furnishings_take_no_finding_about_traps_away(shown: Dungeon, more: list[tuple[int, int, MapSymbol]]) -> None:
    """Distances, dead ends, turns, numbers: what was found before is found with artifacts on the squares too."""
    kinds = dict(shown.kinds)
    for row, column, kind in more:
        kinds[kind] = kinds.get(kind, frozenset()) | {(row, column)}
    sheet = replace(shown.sheet, lines=tuple(range(1, 20)))
    before, after = verdict(replace(shown, sheet=sheet)), verdict(replace(shown, sheet=sheet, kinds=kinds))
    assert set(before.findings) <= set(after.findings)
    measured = ("P-2", "P-3", "P-6", "P-7", "P-8", "P-9", "G-4")
    assert [each for each in after.findings if each.rule in measured] == [
        each for each in before.findings if each.rule in measured
    ]


@some
@given(dungeons(letters="..T..#CM"), st.data())
def test_a_furnishing_drawn_into_the_map_takes_no_distance_away(shown: Dungeon, data: st.DataObject) -> None:
    plain = sorted(shown.of(MapSymbol.ROOM))
    if not plain:
        return
    spot, kind = data.draw(st.sampled_from(plain)), data.draw(st.sampled_from(ARTIFACTS))
    kinds = {**shown.kinds, MapSymbol.ROOM: shown.of(MapSymbol.ROOM) - {spot}, kind: shown.of(kind) | {spot}}
    before, after = verdict(shown).findings, verdict(replace(shown, kinds=kinds)).findings
    distances = ("P-6", "P-7", "P-8")
    assert [each for each in after if each.rule in distances] == [each for each in before if each.rule in distances]


@some
@given(dungeons(letters=f"...##ES+C{ARTIFACT_LETTERS}"))
def test_findings_about_artifacts_follow_a_turned_or_mirrored_dungeon(shown: Dungeon) -> None:
    """All but the sizes: which squares belong together is a choice where many touch."""

    def gist(found: PlacementVerdict) -> set[tuple[str, Spot | None, str]]:
        return {
            (each.rule, each.spot, each.seen.partition(":")[0].partition(" to ")[0])
            for each in found.findings
            if each.rule in ("F-COL-2", "MAP-ONE") and "together" not in each.seen
        }

    before = verdict(shown)
    for turn in TURNS.values():
        there = moved(shown, turn)
        assert gist(verdict(turned(shown, turn))) == {
            (rule, None if spot is None else there(spot), seen) for rule, spot, seen in gist(before)
        }
