"""A dungeon as it was drawn: squares, walls, and what lies where. Plain values; no file, no rules."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Spot = tuple[int, int]
"""Row and column of a square, from 0."""

Edge = tuple[Spot, Spot]
"""Two squares side by side, the lesser one first."""

Rounding = Literal["floor", "ceil"]

HALLWAY_WIDTH: Final = 3
"""Squares. A printed hallway is measured as 3 by 5, a section as 5 by 5."""


class MapSymbol(enum.Enum):
    """What is drawn on a square, and the letter for it."""

    ROOM = "."
    HALLWAY = ":"
    DEAD_END = "X"
    ENTRANCE = "E"
    START = "S"
    DOOR = "+"
    CHEST = "C"
    TOKEN = "M"
    TRAP = "T"


@dataclass(frozen=True, slots=True)
class MapGrid:
    """Where the squares stand in the file, as an editor counts: the line of each row, and how columns go on."""

    lines: tuple[int, ...]
    first_column: int = 1
    step: int = 1

    def place(self, spot: Spot) -> tuple[int, int]:
        """Line and column, both from 1."""
        return self.lines[spot[0]], self.first_column + self.step * spot[1]


@dataclass(frozen=True, slots=True)
class PlacedTrap:
    """One trap of the pool. `spot` is None while it lies nowhere, `owner` if nobody says who placed it."""

    label: str
    spot: Spot | None
    owner: str | None = None
    key: str = MapSymbol.TRAP.value


@dataclass(frozen=True, slots=True)
class Dungeon:
    """What the map says. `traps` are in the order of placing if they are `listed`.

    `walls` are those between two squares; where there is no floor there is no way either. `players`: the starting
    player first. `agreed` and `pool`: how many traps each, and how many in all; None if it is not said.
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

    def of(self, kind: MapSymbol) -> frozenset[Spot]:
        """The squares on which this is drawn."""
        return self.kinds.get(kind, frozenset())

    @property
    def ways_in(self) -> frozenset[Spot]:
        """Entrances and start squares: nothing that ends there is a dead end."""
        return self.of(MapSymbol.ENTRANCE) | self.of(MapSymbol.START)

    @property
    def placed(self) -> tuple[tuple[PlacedTrap, Spot], ...]:
        """The traps that lie on the map, each with its square."""
        return tuple((trap, trap.spot) for trap in self.traps if trap.spot is not None)


def edge(one: Spot, other: Spot) -> Edge:
    """The edge between two squares that lie side by side."""
    return (one, other) if one < other else (other, one)


def beside(spot: Spot) -> tuple[Spot, Spot, Spot, Spot]:
    """The four squares that share a side with it, walls or not."""
    row, column = spot
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def steps(one: Spot, other: Spot) -> int:
    """Grid steps from one square to another: a diagonal step counts 1, walls are ignored (P-6, Q-22)."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
