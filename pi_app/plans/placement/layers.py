"""Read the drawings below the map: what lies on its squares, and to which section each belongs. Pure.

A drawing begins with its name and a colon in a line of their own, and has the rows and columns of the map. No old map
has such a line: each of the two names has a letter twice, and no trap is drawn twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from pi_app.plans.placement.dungeon import MOST_SIDE, MapGrid, MapSymbol, Spot
from pi_app.plans.placement.problems import MapProblems, all_show
from pi_app.plans.placement.things import ARTIFACTS

Lines = Sequence[tuple[int, str]]
"""Each with its number in the file."""

LAYERS: Final = ("artifacts", "sections")
LYING: Final = {kind.value: kind for kind in (*ARTIFACTS, MapSymbol.CHEST, MapSymbol.TOKEN)}
_EMPTY: Final = " .#"
_BETWEEN: Final = " |#+"


def apart(lines: Lines, trouble: MapProblems) -> tuple[Lines, dict[str, Lines]]:
    """The rows of the map, and those of each drawing below it, without the empty lines at their ends."""
    name, rows = "", list[tuple[int, str]]()
    found: dict[str, list[tuple[int, str]]] = {name: rows}
    first: dict[str, int] = {}
    for number, line in lines:
        head = next((each for each in LAYERS if line.strip().casefold() == f"{each}:"), None)
        if head is not None:
            if head in found:
                trouble.add(f"line {number}", f"{head} is already in line {first[head]}", "Keep one of the two")
            name, rows = head, []
            found[name], first[name] = rows, number
        else:
            rows.append((number, line))
    for rows in found.values():
        while rows and not rows[-1][1]:
            rows.pop()
    return found.pop(""), dict(found)


def lying(
    rows: Lines, sheet: MapGrid, floor: Collection[Spot], trouble: MapProblems
) -> Iterator[tuple[MapSymbol, Spot]]:
    """The things that the drawing `artifacts:` puts on squares of the map."""
    for letter, spot, place in _letters("artifacts", rows, sheet, trouble):
        if (kind := LYING.get(letter)) is None:
            trouble.add(place, f"{letter!r} is not an artifact", f"Use one of {' '.join(LYING)}, and . elsewhere")
        elif kind not in ARTIFACTS and spot not in floor:
            trouble.add(place, f"{letter!r} is where the map has no floor", "Move it onto a square of the map")
        else:
            yield kind, spot


def sections(rows: Lines, sheet: MapGrid, trouble: MapProblems) -> Mapping[Spot, str]:
    """The letter of the section of each square."""
    found = {}
    for letter, spot, place in _letters("sections", rows, sheet, trouble):
        if letter.isalnum():
            found[spot] = letter
        else:
            trouble.add(place, f"{letter!r} names no section", "Use a letter or digit for each square of a section")
    return found


def _letters(name: str, rows: Lines, sheet: MapGrid, trouble: MapProblems) -> Iterator[tuple[str, Spot, str]]:
    """Every letter on a square, with the square and its place in the file."""
    if not all_show(rows, trouble):
        return
    row = 0
    for number, line in rows:
        if sheet.step > 1 and is_wall_line(line):
            continue
        if row >= len(sheet.lines):
            advice = f"Draw {name}: with the same rows as map:"
            trouble.add(f"line {number}", "it is below the last row of the map", advice)
            return
        for column, letter in enumerate(line, 1):
            place = f"line {number}, column {column}"
            square, between = divmod(column - sheet.first_column, sheet.step)
            if letter in (_BETWEEN if between else _EMPTY):
                continue
            if between or square >= MOST_SIDE:
                advice = f"Draw {name}: with the same columns as map:"
                trouble.add(place, f"{letter!r} is where the map has no square", advice)
            else:
                yield letter, (row, square), place
        row += 1


def is_wall_line(line: str) -> bool:
    """Whether a line with `walls: lines` stands between two rows of squares."""
    return set(line) <= set("-+|# ") and not set(line).isdisjoint("-+")
