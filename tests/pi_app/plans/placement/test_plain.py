"""The plan as text."""

from __future__ import annotations

from hypothesis import given

from pi_app.plans.placement.dungeon import Dungeon
from pi_app.plans.placement.hallways import hallways
from pi_app.plans.placement.plain import FOUND, plan
from tests.pi_app.plans.placement.maps import dungeon, dungeons, some


def shown(drawn: Dungeon, *marked: tuple[int, int]) -> list[str]:
    return ["".join(cell.text for cell in row) for row in plan(drawn, hallways(drawn), marked)]


def test_squares_things_and_dead_ends_have_their_own_characters() -> None:
    rows = ["....", "E.1.:X", "C..M+T", "...S", "...."]
    assert shown(dungeon(*rows, head="1 = T01"), (1, 2)) == [
        "▒▒▒▒▒▒▒▒▒▒▒▒    ",
        "▒▒ · · · ·▒▒▒▒▒▒",
        "▒▒ E ·!1 · : □▒▒",
        "▒▒ C · · M + T▒▒",
        "▒▒ · · · S▒▒▒▒▒▒",
        "▒▒ · · · ·▒▒    ",
        "▒▒▒▒▒▒▒▒▒▒▒▒    ",
    ]


def test_every_artifact_has_its_letter_even_in_a_wall() -> None:
    assert shown(dungeon("@HY.=+", "artifacts:", "...O..A"), (0, 6)) == [
        "▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  ",
        "▒▒ @ H Y O = +!A  ",
        "▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  ",
    ]


def test_the_end_of_a_hallway() -> None:
    assert shown(dungeon("....", ".......", "....", "...."))[2] == "▒▒ · · · · □ × ×▒▒"


def test_thin_walls_and_doors_are_between_squares() -> None:
    drawn = dungeon("|. .|.", " - + +", "|. .+.", head="walls: lines\nhallway width: 1")
    assert shown(drawn) == [
        "▒▒▒▒▒▒▒▒▒▒",
        "▒▒ : :│:▒▒",
        "   ─ + +  ",
        "▒▒ : :+:▒▒",
        "▒▒▒▒▒▒▒▒▒▒",
    ]


@some
@given(dungeons())
def test_every_row_is_as_wide_and_every_finding_is_marked(drawn: Dungeon) -> None:
    marked = sorted(drawn.floor)[:2]
    rows = plan(drawn, hallways(drawn), marked)
    assert len({len(row) for row in rows}) == 1
    assert all(len(cell.text) == 2 for row in rows for cell in row)
    found = [cell for row in rows for cell in row if cell.text.startswith(FOUND)]
    assert [cell.look for cell in found] == ["found"] * len(marked)
