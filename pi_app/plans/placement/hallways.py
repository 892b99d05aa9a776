"""Which squares are hallway, and which hallways lead to a dead end (P-7, P-10, L-17).

The sheet leaves both to the main rules (P-10), so the map may draw them. If it draws no hallway, a square is hallway
where no open block of squares one wider than a hallway has room. If it draws no dead end, hallways are eaten up from
their closed ends, a straight row of squares at a time, while what is left beside the row lies on one side of it only,
in one piece. What is eaten was leading nowhere but back. Eating goes in rounds, so no direction comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A hallway that leads to a dead end; `mouth` are the squares where it begins."""

    squares: frozenset[Spot]
    mouth: frozenset[Spot]


@dataclass(frozen=True, slots=True)
class Hallways:
    """What was found, and whether the map drew it or it was computed."""

    squares: frozenset[Spot]
    dead_ends: tuple[DeadEnd, ...]
    hallways_drawn: bool
    dead_ends_drawn: bool


def hallways(dungeon: Dungeon) -> Hallways:
    """The hallways of a map and those that lead to a dead end, in reading order of their first squares."""
    ground = FloorGraph(dungeon)
    marked = ground.numbers(dungeon.of(MapSymbol.DEAD_END))
    drawn = marked | ground.numbers(dungeon.of(MapSymbol.HALLWAY))
    rooms = ground.numbers(dungeon.of(MapSymbol.ROOM))
    squares = ground.with_things(drawn, rooms) if drawn else ground.narrow(dungeon.hallway_width)
    if marked:
        found = ground.with_things(marked, rooms | (drawn - marked))
    else:
        found = ground.eaten(squares - ground.numbers(dungeon.ways_in), dungeon.hallway_width)
    ends = []
    for piece in ground.pieces(found):
        mouth = ground.mouth(piece)
        if mouth and (marked or ground.depth(piece, mouth) > len(mouth)):
            ends.append(DeadEnd(ground.spots(piece), ground.spots(mouth)))
    ends.sort(key=lambda end: min(end.squares))
    return Hallways(ground.spots(squares | found), tuple(ends), bool(drawn), bool(marked))


def reached(dungeon: Dungeon) -> frozenset[Spot]:
    """Every square that a Hero can walk to from a way in, doors open."""
    ground = FloorGraph(dungeon)
    return ground.spots(ground.walked(ground.numbers(dungeon.ways_in), set(ground.floor)))


class FloorGraph:
    """The floor with its squares numbered row by row, so that a step to a side is a number to add."""

    def __init__(self, dungeon: Dungeon) -> None:
        self.wide = max((column for _, column in dungeon.floor), default=0) + 3
        self.floor = self.numbers(dungeon.floor)
        size = max(self.floor, default=0) + 2 * self.wide
        across, down = bytearray(size), bytearray(size)
        for square in self.floor:
            across[square] = square + 1 in self.floor
            down[square] = square + self.wide in self.floor
        for one, other in dungeon.walls:
            if one in dungeon.floor:
                (across if one[0] == other[0] else down)[self._number(one)] = False
        self.links = {1: across, self.wide: down}
        """By step: whether the way from a square to the next one is open."""

    def _number(self, spot: Spot) -> int:
        return (spot[0] + 1) * self.wide + spot[1] + 1

    def numbers(self, spots: Iterable[Spot]) -> set[int]:
        wide = self.wide
        return {(row + 1) * wide + column + 1 for row, column in spots}

    def spots(self, squares: Iterable[int]) -> frozenset[Spot]:
        wide = self.wide
        return frozenset((square // wide - 1, square % wide - 1) for square in squares)

    def beside(self, square: int) -> Iterator[int]:
        """The squares that one can step to from there."""
        for step, link in self.links.items():
            if link[square]:
                yield square + step
            if link[square - step]:
                yield square - step

    # ------------------------------------------------------------------------------------------------ hallways

    def with_things(self, drawn: set[int], other: set[int]) -> set[int]:
        """`drawn`, and what lies on it: a square with a thing on it counts if it touches `drawn` and no `other`."""
        near = {beside for square in drawn for beside in self.beside(square)} - drawn - other
        return drawn | {square for square in near if other.isdisjoint(self.beside(square))}

    def narrow(self, width: int) -> set[int]:
        """The squares that lie in no open block of width + 1 squares each way."""
        across, down, wide = self.links[1], self.links[self.wide], self.wide
        block = dict.fromkeys(self.floor, 1)
        corners = {}
        for square in sorted(self.floor):
            up, left = square - wide, square - 1
            if down[up] and across[left] and down[up - 1] and across[up - 1]:
                block[square] = size = 1 + min(block[up], block[left], block[up - 1])
                if size > width:
                    corners[square] = width + 1
        return self.floor - _backwards(_backwards(corners, 1), wide).keys()

    # ------------------------------------------------------------------------------------------------ dead ends

    def eaten(self, edible: set[int], most: int) -> set[int]:
        """What is eaten up from closed ends, in rows of at most so many squares."""
        left, look_at = set(self.floor), edible
        while look_at:
            now: set[int] = set()
            for square in look_at:
                for step, cross in ((1, self.wide), (self.wide, 1)):
                    row = self._row(square, step, most, left, edible)
                    if row is not None and self._leads_one_way(row, step, cross, left):
                        now.update(row)
            left -= now
            look_at = {
                beside for square in now for beside in self.beside(square) if beside in left and beside in edible
            }
        return self.floor - left

    def _row(self, square: int, step: int, most: int, left: set[int], edible: set[int]) -> range | None:
        """The whole straight row of what is left through this square, or None if it is too long or not all edible."""
        link = self.links[step]
        first = last = square
        while link[first - step] and first - step in left:
            first -= step
            if first not in edible or last - first >= most * step:
                return None
        while link[last] and last + step in left:
            last += step
            if last not in edible or last - first >= most * step:
                return None
        return range(first, last + 1, step)

    def _leads_one_way(self, row: range, step: int, cross: int, left: set[int]) -> bool:
        """Whether all that is left beside the row lies on one side, in one piece."""
        link, along = self.links[cross], self.links[step]
        before = [square - cross for square in row if link[square - cross] and square - cross in left]
        behind = [square + cross for square in row if link[square] and square + cross in left]
        if before and behind:
            return False
        side = before or behind
        return all(one + step == two and along[one] for one, two in pairwise(side))

    def pieces(self, squares: set[int]) -> Iterator[set[int]]:
        """The squares in connected pieces."""
        told: set[int] = set()
        for square in squares:
            if square not in told:
                piece = self.walked({square}, squares)
                told |= piece
                yield piece

    def mouth(self, piece: set[int]) -> set[int]:
        """The squares of a piece from which one can step out of it."""
        return {square for square in piece if any(beside not in piece for beside in self.beside(square))}

    def depth(self, piece: set[int], mouth: set[int]) -> int:
        """How many squares deep a piece is, seen from its mouth."""
        return sum(1 for _ in self._waves(mouth, piece))

    def walked(self, start: set[int], within: set[int]) -> set[int]:
        """All of `within` that can be reached from `start`."""
        return set().union(*self._waves(start, within))

    def _waves(self, start: set[int], within: set[int]) -> Iterator[set[int]]:
        before: set[int] = set()
        now = start
        while now:
            yield now
            now, before = (
                {beside for square in now for beside in self.beside(square) if beside in within} - now - before,
                now,
            )


def _backwards(reach: dict[int, int], step: int) -> dict[int, int]:
    """The squares that lie up to so many before these, counting themselves; all of them reach as far the other way."""
    spread: dict[int, int] = {}
    for square, count in reach.items():
        for far in range(count):
            if spread.get(square - far * step, 0) >= count - far:
                break
            spread[square - far * step] = count - far
    return dict.fromkeys(spread, max(reach.values(), default=0))
