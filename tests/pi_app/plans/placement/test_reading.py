"""The text of a map: what is accepted, and the message for everything else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, PlacedTrap
from pi_app.plans.placement.problems import MOST_PROBLEMS
from pi_app.plans.placement.reading import KINDS, read
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.placement.maps import as_lines, dungeon, dungeons, letters_of, some, spots


def problems(text: str) -> list[str]:
    with pytest.raises(UserFileError) as refused:
        read(text, "d.txt")
    return list(refused.value.problems)


# -------------------------------------------------------------------------------------------------- what is good


def test_everything_that_a_map_can_have() -> None:
    read_map = dungeon(
        "#E.:X+#",
        "#S1C M2",
        head="; a comment\nPlayers: Ann , Ben ; Ann begins\nagreed: 3\npool: 5\nrounding: ceil\nhallway  width: 2\n"
        "1 = T01, Ann, Chest, hallway\n2 = Tile 9\n3 = T03, Ben",
    )
    assert read_map.floor == spots(" ##### ", " ### ##")
    assert {kind.value: sorted(those) for kind, those in read_map.kinds.items()} == {
        ".": [(0, 2)], ":": [(0, 3), (1, 2)], "X": [(0, 4)], "E": [(0, 1)], "S": [(1, 1)], "+": [(0, 5)],
        "C": [(1, 2), (1, 3)], "M": [(1, 5)], "T": [(1, 2), (1, 6)],
    }  # fmt: skip
    assert read_map.traps == (
        PlacedTrap("T01", (1, 2), "Ann", "1"),
        PlacedTrap("Tile 9", (1, 6), None, "2"),
        PlacedTrap("T03", None, "Ben", "3"),
    )
    assert (read_map.players, read_map.agreed, read_map.pool) == (("Ann", "Ben"), 3, 5)
    assert (read_map.rounding, read_map.hallway_width, read_map.listed) == ("ceil", 2, True)
    assert read_map.sheet.place((1, 6)) == (12, 7)


def test_a_bare_map_is_enough() -> None:
    bare = read("map:\n.T.", "d.txt")
    assert bare.floor == {(0, 0), (0, 1), (0, 2)}
    assert bare.traps == (PlacedTrap("", (0, 1)),)
    assert (bare.players, bare.listed, bare.agreed, bare.pool, bare.rounding) == ((), False, None, None, None)


def test_players_may_be_a_number() -> None:
    assert dungeon(".", head="players: 3").players == ("1", "2", "3")
    assert dungeon("a", head="players: 2\na = T01, 2").traps[0].owner == "2"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_and_ragged_lines(ending: str) -> None:
    text = ending.join(["players: 2", "map:", "", "..", ".....   ", ".", "", ""])
    found = read(text, "d.txt")
    assert found.floor == spots("", "##", "#####", "#")
    assert found.sheet.place((2, 4)) == (5, 5)


def test_letters_of_every_alphabet_can_be_traps() -> None:
    composed = unicodedata.normalize("NFD", "é")
    found = read(f"ж = T01\n{composed} = T02\n字 = T03\nmap:\n.ж.{composed}字", "d.txt")
    assert [trap.spot for trap in found.traps] == [(0, 1), (0, 3), (0, 4)]


def test_thin_walls_are_between_squares() -> None:
    found = dungeon("+-+-+-+", "|. .|.", "|T+. .", "+ +-+", "   . .", head="walls: lines")
    assert found.floor == spots("###", "###", " ##")
    assert found.walls & {((0, 1), (0, 2)), ((1, 1), (2, 1)), ((0, 0), (1, 0))} == {((0, 1), (0, 2)), ((1, 1), (2, 1))}
    assert found.doors & {((1, 0), (1, 1))}
    assert found.sheet.place((2, 1)) == (7, 4)
    assert found.traps[0].spot == (1, 0)


@some
@given(dungeons(letters="..##::EXTCMS"))
def test_a_dungeon_drawn_with_lines_is_read_back(shown: Dungeon) -> None:
    letters = letters_of(shown)
    listed = "".join(f"{trap.key} = {trap.label}, {trap.owner}\n" for trap in shown.traps if trap.label)
    text = f"players: Ann, Ben\nhallway width: {shown.hallway_width}\nwalls: lines\n{listed}map:\n"
    rows = as_lines(shown, letters)
    again = read(text + "\n".join(rows), "d.txt")
    inside = frozenset(side for side in again.walls if set(side) <= again.floor)
    assert (again.floor, inside, again.kinds, again.traps) == (shown.floor, shown.walls, shown.kinds, shown.traps)
    lines = (text + "\n".join(rows)).split("\n")
    for spot in again.floor:
        line, column = again.sheet.place(spot)
        assert lines[line - 1][column - 1] == letters[spot]


# ------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("..#", ": there is no line map:. Write it above the drawing, or start with trapdial place new."),
        ("map:\n###\n", "line 1: no square is drawn below map:. Draw the dungeon, a . for each square."),
        ("map:\n..\n.\t.", "line 3, column 2: there is a tab, whose width is unknown. "
         "Use spaces; most editors can convert tabs."),
        ("map:\n.\u200b.", "line 2, column 2: there is an invisible character (U+200B). "
         "Delete it and type the line again."),
        ("map:\n.q.", "line 2, column 2: 'q' has no meaning. Write q = T01 above the drawing if it is a trap, "
         "or use one of . : X E S + C M T O @ H = Y I D G A L Z R B P #."),
        ("1 = T01\nmap:\n1.\n.1", "line 4, column 2: '1' (T01) is already in line 3, column 1. "
         "Each tile is in one place only; give the other trap a letter of its own."),
        ("1 = T01\n2 = T01\nmap:\n12", "line 2: T01 is already in line 1. Each tile is in one place only; "
         "correct one of them."),
        ("1 = T01\n1 = T02\nmap:\n1", "line 2: 1 is already a trap in line 1. Use another letter."),
        ("C = T01\nmap:\nC", "line 1: 'C' cannot stand for a trap. Use one small letter or digit for each trap; "
         "the capitals of the legend are taken."),
        ("1 = , Ann\nmap:\n1", "line 1: 1 has no label. Write 1 = T01 with the label of its tile, 1 to 20 letters."),
        ("players: Ann\n1 = T01, Anne\nmap:\n1", "line 2: 'Anne' is not a player. Did you mean 'Ann'."),
        ("1 = T01, Ann\nmap:\n1", "line 1: 'Ann' is not a player. Name the players in a line players: above, "
         "or leave this out."),
        ("players: 0\nmap:\n.", "line 1: players is '0'. Write the number of players, 1 to 20, or their names with "
         "commas, the starting player first."),
        ("players: A, A\nmap:\n.", "line 1: players is 'A, A'. Write the number of players, 1 to 20, or their names "
         "with commas, the starting player first."),
        ("agreed: many\nmap:\n.", "line 1: agreed is 'many'. Write a whole number from 0 to 250000."),
        ("hallway width: 0\nmap:\n.", "line 1: hallway width is '0'. Write a whole number from 1 to 10."),
        ("rounding: up\nmap:\n.", "line 1: rounding is 'up'. Write floor (down) or ceil (up)."),
        ("walls: thin\nmap:\n.", "line 1: walls is 'thin'. Write blocks (# is a wall) or lines (| and - are walls)."),
        ("plaeyrs: 2\nmap:\n.", "line 1: there is no setting 'plaeyrs'. Did you mean 'players'."),
        ("pool: 2\npool: 3\nmap:\n.", "line 2: pool is already in line 1. Keep one of the two."),
        ("# hello\nmap:\n.", "line 1: '# hello' is not understood. Write name: value, or KEY = LABEL for a trap; "
         "a comment starts with ;."),
        ("pool\x07: 2\nmap:\n.", "line 1: it has an invisible character. Delete the line and type it again."),
        ("walls: lines\nmap:\n|.|\n.", "line 4, column 1: '.' is where a wall belongs. Walls here are | or #, "
         "doors +; squares are in columns 2, 4, 6 and so on."),
        ("walls: lines\nmap:\n||.", "line 3, column 2: '|' is where a square belongs. "
         "Squares are in columns 2, 4, 6 and so on, walls between them."),
        ("walls: lines\nmap:\n .\n +-\n +-\n .", "line 5: a second line of walls follows. "
         "Draw the squares between it and line 4, or keep one of them."),
        ("map:\n" + "." * 501, ": the drawing has 1 rows of up to 501 squares. Draw at most 500 rows of 500 squares."),
    ],
)  # fmt: skip
def test_each_problem_has_a_place_a_reason_and_advice(text: str, told: str) -> None:
    assert problems(text)[0].removeprefix("d.txt").lstrip() == told


def test_all_problems_are_reported_at_once_up_to_a_limit() -> None:
    found = problems("pool: x\nmap:\n.q\n" + "w" * 30)
    assert len(found) == MOST_PROBLEMS + 1
    assert found[0].startswith("d.txt line 1: pool")
    assert found[-1] == "d.txt: and 12 more problems. Correct the first ones and check again."


def test_every_kind_has_a_letter_of_its_own() -> None:
    assert len(KINDS) == len(MapSymbol)
    assert set(KINDS).isdisjoint(" #|-;,")
