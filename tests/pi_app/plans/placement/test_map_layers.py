"""The drawings below a map: what lies on it, and its sections."""

from __future__ import annotations

import pytest

from pi_app.plans.placement.dungeon import MapSymbol, PlacedTrap
from pi_app.plans.placement.reading import read
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.placement.maps import dungeon


def problems(text: str) -> list[str]:
    with pytest.raises(UserFileError) as refused:
        read(text, "d.txt")
    return [told.removeprefix("d.txt").lstrip() for told in refused.value.problems]


def test_artifacts_lie_on_squares_that_show_something_else() -> None:
    shown = dungeon(
        "#E.:+#",
        "#1..C#",
        "",
        "Artifacts: ; comment",
        "..O.H",
        ".@....",
        "",
        "SECTIONS:",
        "",
        " aab",
        "",
        head="1 = T01",
    )
    assert shown.floor == {(0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (1, 3), (1, 4)}
    assert shown.of(MapSymbol.STONE_COLUMN) == {(0, 2)}
    assert shown.of(MapSymbol.CHAIR) == shown.of(MapSymbol.DOOR) == {(0, 4)}
    assert shown.of(MapSymbol.ALL_SEEING_COLUMN) == {(1, 1)}
    assert shown.traps == (PlacedTrap("T01", (1, 1), None, "1"),)
    assert shown.sections == {(1, 1): "a", (1, 2): "a", (1, 3): "b"}


def test_thin_walls_stay_between_the_squares_of_every_drawing() -> None:
    rows = ("|. .|.", "+ +-+", "|. . .", "artifacts:", "|= =|", "+-+-+", " . . O", "sections:", " a a|b", " a a b")
    shown = dungeon(*rows, head="walls: lines")
    assert shown.of(MapSymbol.TABLE) == {(0, 0), (0, 1)}
    assert shown.of(MapSymbol.STONE_COLUMN) == {(1, 2)}
    assert shown.sections is not None
    assert sorted(spot for spot, name in shown.sections.items() if name == "b") == [(0, 2), (1, 2)]


def test_a_letter_of_an_artifact_may_still_stand_for_a_trap() -> None:
    shown = dungeon(".O.H", "artifacts:", "O", head="O = T01\nH = T02")
    assert [(trap.label, trap.spot) for trap in shown.traps] == [("T01", (0, 1)), ("T02", (0, 3))]
    assert shown.of(MapSymbol.STONE_COLUMN) == {(0, 0)}
    assert not shown.of(MapSymbol.CHAIR)


def test_the_line_of_a_trap_may_name_what_lies_on_it_unless_a_player_has_that_name() -> None:
    shown = dungeon("12", head="players: Ann, Table\n1 = T01, Table, Stone Column\n2 = T02, chair")
    assert [trap.owner for trap in shown.traps] == ["Table", None]
    assert shown.of(MapSymbol.STONE_COLUMN) == {(0, 0)}
    assert shown.of(MapSymbol.CHAIR) == {(0, 1)}
    assert not shown.of(MapSymbol.TABLE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("map:\n..\nartifacts:\n.q\n", "line 4, column 2: 'q' is not an artifact. "
         "Use one of O @ H = Y I D G A L Z R B P C M, and . elsewhere."),
        ("map:\n.#\nartifacts:\n.C\n", "line 4, column 2: 'C' is where the map has no floor. "
         "Move it onto a square of the map."),
        ("map:\n..\nsections:\na!\n", "line 4, column 2: '!' names no section. "
         "Use a letter or digit for each square of a section."),
        ("map:\n..\nsections:\na\nb\n", "line 5: it is below the last row of the map. "
         "Draw sections: with the same rows as map:."),
        ("map:\n..\nsections:\na\nartifacts:\nO\nsections:\nb\n", "line 7: sections is already in line 3. "
         "Keep one of the two."),
        ("map:\n..\nartifacts:\n.\tO\n", "line 4, column 2: there is a tab, whose width is unknown. "
         "Use spaces; most editors can convert tabs."),
        ("walls: lines\nmap:\n . .\nartifacts:\nO\n", "line 5, column 1: 'O' is where the map has no square. "
         "Draw artifacts: with the same columns as map:."),
        ("map:\n..\nartifacts:\n" + " " * 500 + "O\n", "line 4, column 501: 'O' is where the map has no square. "
         "Draw artifacts: with the same columns as map:."),
        ("map:\n..\n; a layer without a map\nmap:\n", "line 4, column 1: 'm' has no meaning. Write m = T01 above the "
         "drawing if it is a trap, or use one of . : X E S + C M T O @ H = Y I D G A L Z R B P #."),
        ("sections:\nmap:\n..\n", "line 1: there is no setting 'sections'. "
         "Draw it below the map, in a line of its own."),
        ("artifacts: H\nmap:\n..\n", "line 1: there is no setting 'artifacts'. "
         "Draw it below the map, in a line of its own."),
    ],
)  # fmt: skip
def test_each_problem_of_a_layer_has_a_place_and_advice(text: str, told: str) -> None:
    assert problems(text)[0] == told


def test_an_empty_drawing_of_sections_is_no_missing_one() -> None:
    assert dungeon("..", "sections:").sections == {}
    assert dungeon("..").sections is None
