"""The plan of a dungeon as text, two characters for a square, readable without colour. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot, edge
from pi_app.plans.placement.hallways import Hallways
from pi_app.plans.placement.things import ARTIFACTS, artifact_squares

Shows = Literal["rock", "wall", "floor", "hallway", "dead end", "thing", "trap", "found"]

FOUND: Final = "!"
FLOOR, HALLWAY, DEAD_END, MOUTH = "·", ":", "×", "□"
ROCK, WALL, FLAT_WALL, DOOR = "▒▒", "│", "─", "+"
_THINGS: Final = (
    MapSymbol.CHEST, MapSymbol.TOKEN, *ARTIFACTS, MapSymbol.ENTRANCE, MapSymbol.START, MapSymbol.DOOR,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """Two characters, and what they show, for colours."""

    text: str
    look: Shows


Row = tuple[Cell, ...]


def plan(dungeon: Dungeon, found: Hallways, marked: Collection[Spot] = ()) -> tuple[Row, ...]:
    """The rows of the plan, all of one length; `marked` squares have a finding and get a `!` in front."""
    shows = dungeon.floor | artifact_squares(dungeon)
    rows, columns = _with_rim(row for row, _ in shows), _with_rim(column for _, column in shows)
    shown = _Shown(dungeon, found, frozenset(marked))
    drawn: list[Row] = []
    for row in rows:
        between = tuple(shown.above((row, column)) for column in columns)
        if any(cell.text.strip() for cell in between):
            drawn.append(between)
        drawn.append(tuple(shown.square((row, column)) for column in columns))
    return tuple(drawn)


def _with_rim(numbers: Iterable[int]) -> range:
    all_of_them = sorted(set(numbers))
    return range(all_of_them[0] - 1, all_of_them[-1] + 2)


class _Shown:
    def __init__(self, dungeon: Dungeon, found: Hallways, marked: frozenset[Spot]) -> None:
        self.dungeon = dungeon
        self.marked = marked
        self.hallway = found.squares
        self.dead = frozenset(spot for end in found.dead_ends for spot in end.squares)
        self.mouth = frozenset(spot for end in found.dead_ends for spot in end.mouth)
        self.traps = {spot: trap.key for trap, spot in dungeon.placed}
        self.things = {spot: kind.value for kind in reversed(_THINGS) for spot in dungeon.of(kind)}

    def square(self, spot: Spot) -> Cell:
        if spot not in self.dungeon.floor and spot not in self.things:
            row, column = spot
            near = ((row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
            return Cell(ROCK if any(other in self.dungeon.floor for other in near) else "  ", "rock")
        letter, look = self._what(spot)
        if spot in self.marked:
            return Cell(FOUND + letter, "found")
        return Cell(self._between((spot[0], spot[1] - 1), spot, WALL) + letter, look)

    def above(self, spot: Spot) -> Cell:
        return Cell(" " + self._between((spot[0] - 1, spot[1]), spot, FLAT_WALL), "wall")

    def _between(self, one: Spot, other: Spot, wall: str) -> str:
        between = edge(one, other)
        if not {one, other} <= self.dungeon.floor:
            return " "
        return wall if between in self.dungeon.walls else DOOR if between in self.dungeon.doors else " "

    def _what(self, spot: Spot) -> tuple[str, Shows]:
        if spot in self.traps:
            return self.traps[spot], "trap"
        if spot in self.things:
            return self.things[spot], "thing"
        if spot in self.mouth:
            return MOUTH, "dead end"
        if spot in self.dead:
            return DEAD_END, "dead end"
        return (HALLWAY, "hallway") if spot in self.hallway else (FLOOR, "floor")
