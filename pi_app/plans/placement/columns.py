"""Which columns block the only remaining way (F-COL-2). Pure.

Steps go to the side, all doors are open, and only what an entrance or a start square leads to counts. A column blocks
a way if the squares beside it lie in areas that are apart while it stands, or if it does so together with columns
beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pi_app.plans.placement.dungeon import Dungeon, Spot
from pi_app.plans.placement.hallways import FloorGraph


@dataclass(frozen=True, slots=True)
class BlockedWay:
    """A column, the nearest square that it cuts off, and whether the columns beside it must go too."""

    column: Spot
    cut_off: Spot
    together: bool = False


def blocked_ways(dungeon: Dungeon, columns: frozenset[Spot]) -> Iterator[BlockedWay]:
    """Every column that blocks the only remaining way, in reading order, and then the groups of columns that do."""
    ground = FloorGraph(dungeon)
    ways_in, closed = ground.numbers(dungeon.ways_in), ground.numbers(columns & dungeon.floor)
    within = ground.walked(ways_in, set(ground.floor))
    areas = sorted(ground.pieces(within - closed), key=lambda area: (ways_in.isdisjoint(area), min(area)))
    number = {square: n for n, area in enumerate(areas) for square in area}
    joined = list(range(len(areas)))

    def first(area: int) -> int:
        while joined[area] != area:
            joined[area] = area = joined[joined[area]]
        return area

    def beside(squares: set[int]) -> dict[int, int]:
        """The first square beside these of each area that is still apart."""
        found = sorted(other for square in squares for other in ground.beside(square) if other in number)
        return {first(number[square]): square for square in reversed(found)}

    def blocked(column: int, near: dict[int, int], together: bool = False) -> BlockedWay:
        (at,), (far,) = ground.spots({column}), ground.spots({near[max(near)]})
        return BlockedWay(at, far, together)

    single = {square: near for square in sorted(closed) if len(near := beside({square})) > 1}
    for square, near in single.items():
        yield blocked(square, near)
    for near in single.values():
        for area in near:
            joined[max(first(area), first(min(near)))] = min(first(area), first(min(near)))
    for group in sorted(ground.pieces(closed & within), key=min):
        if len(group) > 1 and len(near := beside(group)) > 1:
            yield blocked(min(group), near, together=True)
