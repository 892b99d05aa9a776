"""Artifacts and furnishings on a map: kinds, sizes, names, and which squares belong to one piece (rules 15.3, 15.4).

A map shows one letter for each square. Letters of one kind that touch are taken apart into pieces of the printed size;
what is left over is a piece of a wrong shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot, beside, edge
from pi_app.text.language import N_

ARTIFACT_NAMES: Final[Mapping[MapSymbol, str]] = MappingProxyType(
    {
        MapSymbol.STONE_COLUMN: N_("Stone Column"),
        MapSymbol.ALL_SEEING_COLUMN: N_("All-Seeing Column"),
        MapSymbol.CHAIR: N_("chair"),
        MapSymbol.TABLE: N_("table"),
        MapSymbol.STATUE: N_("Statue of Sharise"),
        MapSymbol.IDOL: N_("Matriarch Idol"),
        MapSymbol.DEATH_CLOCK: N_("Death Clock"),
        MapSymbol.THRONE: N_("Griffin Throne"),
        MapSymbol.ALTAR: N_("Dragon Altar"),
        MapSymbol.LARGE_POND: N_("Large Pond"),
        MapSymbol.SERPENT: N_("Serpent Statue"),
        MapSymbol.OBELISK: N_("Rune Obelisk"),
        MapSymbol.WELL: N_("Bone Well"),
        MapSymbol.SMALL_POND: N_("Small Pond"),
    }
)
"""Every artifact of the sheet; each is one square where the sheet names no size."""

ARTIFACTS: Final = tuple(ARTIFACT_NAMES)
COLUMNS: Final = (MapSymbol.STONE_COLUMN, MapSymbol.ALL_SEEING_COLUMN)
PONDS: Final = (MapSymbol.LARGE_POND, MapSymbol.SMALL_POND)
PAIRS: Final = (MapSymbol.TABLE, MapSymbol.ALTAR)
"""One by two squares, not diagonally."""

LONGEST_SEARCH: Final = 200
"""Squares tried to find the other half of a table, where many touch."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One artifact and its squares in reading order. `whole`: it has the printed size and shape."""

    kind: MapSymbol
    squares: tuple[Spot, ...]
    whole: bool = True


def pieces(dungeon: Dungeon) -> tuple[Piece, ...]:
    """Every artifact of a map, kind by kind and in reading order."""
    return tuple(piece for kind in ARTIFACTS for piece in _of(kind, dungeon))


def on_squares(dungeon: Dungeon, *kinds: MapSymbol) -> frozenset[Spot]:
    """The squares with a thing of one of these kinds."""
    return frozenset(spot for kind in kinds for spot in dungeon.of(kind))


def artifact_squares(dungeon: Dungeon) -> frozenset[Spot]:
    """The squares under an artifact of any kind."""
    return on_squares(dungeon, *ARTIFACTS)


def is_furnished(dungeon: Dungeon) -> bool:
    """Whether the map shows artifacts or sections; without them its verdict says nothing about them."""
    return dungeon.sections is not None or any(dungeon.of(kind) for kind in ARTIFACTS)


def touching(squares: frozenset[Spot], corners: bool = False) -> Iterator[tuple[Spot, ...]]:
    """The groups of squares that touch at their sides, or also at their corners; walls do not matter."""
    left = set(squares)
    for start in sorted(squares):
        if start not in left:
            continue
        left.discard(start)
        group, todo = [start], [start]
        while todo:
            row, column = spot = todo.pop()
            near = [(row + 1, column - 1), (row + 1, column + 1), (row - 1, column - 1), (row - 1, column + 1)]
            for other in (*beside(spot), *(near if corners else ())):
                if other in left:
                    left.discard(other)
                    group.append(other)
                    todo.append(other)
        yield tuple(sorted(group))


def _of(kind: MapSymbol, dungeon: Dungeon) -> list[Piece]:
    squares = dungeon.of(kind)
    if kind in PAIRS:
        good = _pairs(squares, dungeon)
    elif kind is MapSymbol.LARGE_POND:
        good = _fours(squares)
    else:
        good = [(spot,) for spot in sorted(squares)]
    rest = squares - {spot for piece in good for spot in piece}
    wrong = [Piece(kind, group, whole=False) for group in touching(rest, corners=True)]
    return sorted((*(Piece(kind, piece) for piece in good), *wrong), key=lambda piece: piece.squares)


def _fours(squares: frozenset[Spot]) -> list[tuple[Spot, ...]]:
    """Two by two squares: in reading order, the first square left can only be the first of its four."""
    left, found = set(squares), list[tuple[Spot, ...]]()
    for row, column in sorted(squares):
        four = ((row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1))
        if left.issuperset(four):
            left.difference_update(four)
            found.append(four)
    return found


def _pairs(squares: frozenset[Spot], dungeon: Dungeon) -> list[tuple[Spot, ...]]:
    """As many pairs as possible; a pair with a wall between its halves only where nothing else is left."""
    other: dict[Spot, Spot] = {}
    for walls_matter in (True, False) if dungeon.walls else (False,):
        near = {
            spot: [
                far for far in beside(spot)[::-1]
                if far in squares and not (walls_matter and edge(spot, far) in dungeon.walls)
            ]
            for spot in squares
        }  # fmt: skip
        for spot in sorted(squares):
            free = next((far for far in near[spot] if far not in other), None)
            if spot not in other and free is not None:
                other[spot], other[free] = free, spot
        for spot in sorted(squares):
            if spot not in other and near[spot]:
                _find_another(spot, near, other)
    return sorted(tuple(sorted(pair)) for pair in other.items() if pair[0] < pair[1])


def _find_another(start: Spot, near: Mapping[Spot, list[Spot]], other: dict[Spot, Spot]) -> None:
    """Rearrange pairs so that `start` gets a half too, if some other square is free as well."""
    came: dict[Spot, Spot] = {}
    todo = [start]
    while todo and len(came) < LONGEST_SEARCH:
        spot = todo.pop(0)
        for far in near[spot]:
            if far in came or far == start:
                continue
            came[far] = spot
            if far not in other:
                return _rearrange(far, came, other)
            todo.append(other[far])
    return None


def _rearrange(free: Spot, came: Mapping[Spot, Spot], other: dict[Spot, Spot]) -> None:
    last: Spot | None = free
    while last is not None:
        spot = came[last]
        before = other.get(spot)
        other[spot], other[last] = last, spot
        last = before
