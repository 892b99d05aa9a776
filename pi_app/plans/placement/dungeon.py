"""A dungeon map: squares, walls, traps and everything else drawn on it. Plain values; no file, no rules."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Spot = tuple[int, int]
"""Row and column of a square, from 0."""

Edge = tuple[Spot, Spot]
"""Two adjacent squares, the smaller one first."""

Rounding = Literal["floor", "ceil"]

MOST_SIDE: Final = 500
"""Longest side of a map, in squares."""

HALLWAY_WIDTH: Final = 3
"""In squares. A printed hallway measures 3 by 5, a section 5 by 5."""


class MapSymbol(enum.Enum):
    """What a square shows, and its letter."""

    ROOM = "."
    HALLWAY = ":"
    DEAD_END = "X"
    ENTRANCE = "E"
    START = "S"
    DOOR = "+"
    CHEST = "C"
    TOKEN = "M"
    TRAP = "T"
    STONE_COLUMN = "O"
    ALL_SEEING_COLUMN = "@"
    CHAIR = "H"
    TABLE = "="
    STATUE = "Y"
    IDOL = "I"
    DEATH_CLOCK = "D"
    THRONE = "G"
    ALTAR = "A"
    LARGE_POND = "L"
    SERPENT = "Z"
    OBELISK = "R"
    WELL = "B"
    SMALL_POND = "P"


@dataclass(frozen=True, slots=True)
class MapGrid:
    """Where the squares are in the file: the line of each row, the first column, and columns per square."""

    lines: tuple[int, ...]
    first_column: int = 1
    step: int = 1

    def place(self, spot: Spot) -> tuple[int, int]:
        """Line and column in an editor, both from 1."""
        return self.lines[spot[0]], self.first_column + self.step * spot[1]


@dataclass(frozen=True, slots=True)
class PlacedTrap:
    """One trap of the pool. `spot` is None if it is not on the map, `owner` if the map does not say who placed it."""

    label: str
    spot: Spot | None
    owner: str | None = None
    key: str = MapSymbol.TRAP.value


@dataclass(frozen=True, slots=True)
class Dungeon:
    """A map as it was read. `traps` are in the order of placing if they are `listed`.

    `walls` stand between two squares of the floor. `players`: the starting player first. `agreed` and `pool`: traps
    for each player, and in all; None if the map does not say. `sections`: the letter of each square, None without such
    a drawing. Artifacts, unlike everything else, may lie off the floor: that is a finding.
    """

    floor: frozenset[Spot]
    sheet: MapGrid
    walls: frozenset[Edge] = frozenset()
    doors: frozenset[Edge] = frozenset()
    kinds: Mapping[MapSymbol, frozenset[Spot]] = field(default_factory=dict)
    traps: tuple[PlacedTrap, ...] = ()
    listed: bool = False
    players: tuple[str, ...] = ()
    agreed: int | None = None
    pool: int | None = None
    rounding: Rounding | None = None
    hallway_width: int = HALLWAY_WIDTH
    sections: Mapping[Spot, str] | None = None

    def of(self, kind: MapSymbol) -> frozenset[Spot]:
        """The squares that show this symbol."""
        return self.kinds.get(kind, frozenset())

    @property
    def ways_in(self) -> frozenset[Spot]:
        """Entrances and start squares: a hallway that ends there is no dead end."""
        return self.of(MapSymbol.ENTRANCE) | self.of(MapSymbol.START)

    @property
    def placed(self) -> tuple[tuple[PlacedTrap, Spot], ...]:
        """The traps on the map, each with its square."""
        return tuple((trap, trap.spot) for trap in self.traps if trap.spot is not None)


def edge(one: Spot, other: Spot) -> Edge:
    """The edge between two adjacent squares."""
    return (one, other) if one < other else (other, one)


def beside(spot: Spot) -> tuple[Spot, Spot, Spot, Spot]:
    """The four adjacent squares, walls or not."""
    row, column = spot
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def steps(one: Spot, other: Spot) -> int:
    """Grid steps from one square to another: a diagonal step counts 1, walls are ignored (P-6, Q-22)."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
