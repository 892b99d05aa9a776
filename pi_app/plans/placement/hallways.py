"""Find the hallways, and those that lead to a dead end (P-7, P-10, L-17).

The sheet leaves both to the main rules (P-10), so the map may draw them. If it draws no hallway, a square is hallway
unless it lies in an open block of squares one wider than a hallway. If it draws no dead end, hallways are eroded from
their closed ends, one straight row of squares at a time, while the rest beside the row lies on one side of it only, in
one piece. The eroded squares lead nowhere but back. Erosion works in rounds, so no direction has priority.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A hallway that leads to a dead end; its `mouth` are the squares where it begins."""

    squares: frozenset[Spot]
    mouth: frozenset[Spot]


@dataclass(frozen=True, slots=True)
class Hallways:
    """The hallways and dead ends, and whether the map drew them or they were computed."""

    squares: frozenset[Spot]
    dead_ends: tuple[DeadEnd, ...]
    hallways_drawn: bool
    dead_ends_drawn: bool


def hallways(dungeon: Dungeon) -> Hallways:
    """The hallways of a map, and those that lead to a dead end in reading order of their first squares."""
    ground = FloorGraph(dungeon)
    marked = ground.numbers(dungeon.of(MapSymbol.DEAD_END))
    drawn = marked | ground.numbers(dungeon.of(MapSymbol.HALLWAY))
    rooms = ground.numbers(dungeon.of(MapSymbol.ROOM))
    squares = ground.with_things(drawn, rooms) if drawn else ground.narrow(dungeon.hallway_width)
    if marked:
        found = ground.with_things(marked, rooms | (drawn - marked))
    else:
        found = ground.eroded(squares - ground.numbers(dungeon.ways_in), dungeon.hallway_width)
    ends = []
    for piece in ground.pieces(found):
        mouth = ground.mouth(piece)
        if mouth and (marked or ground.depth(piece, mouth) > len(mouth)):
            ends.append(DeadEnd(ground.spots(piece), ground.spots(mouth)))
    ends.sort(key=lambda end: min(end.squares))
    return Hallways(ground.spots(squares | found), tuple(ends), bool(drawn), bool(marked))


def reached(dungeon: Dungeon, closed: frozenset[Spot] = frozenset()) -> frozenset[Spot]:
    """Every square that a Hero can reach from a way in, with all doors open and no step on a `closed` square."""
    ground = FloorGraph(dungeon)
    open_floor = ground.numbers(dungeon.floor - closed)
    return ground.spots(ground.walked(ground.numbers(dungeon.ways_in - closed), open_floor))


class FloorGraph:
    """The floor with its squares numbered row by row: a step to a side adds a constant."""

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
        """By step: whether the way from a square to its neighbour is open."""

    def _number(self, spot: Spot) -> int:
        return (spot[0] + 1) * self.wide + spot[1] + 1

    def numbers(self, spots: Iterable[Spot]) -> set[int]:
        wide = self.wide
        return {(row + 1) * wide + column + 1 for row, column in spots}

    def spots(self, squares: Iterable[int]) -> frozenset[Spot]:
        wide = self.wide
        return frozenset((square // wide - 1, square % wide - 1) for square in squares)

    def beside(self, square: int) -> Iterator[int]:
        """The squares one open step away."""
        for step, link in self.links.items():
            if link[square]:
                yield square + step
            if link[square - step]:
                yield square - step

    # ------------------------------------------------------------------------------------------------ hallways

    def with_things(self, drawn: set[int], other: set[int]) -> set[int]:
        """`drawn`, and the squares with things on them that touch `drawn` and no `other`."""
        near = {beside for square in drawn for beside in self.beside(square)} - drawn - other
        return drawn | {square for square in near if other.isdisjoint(self.beside(square))}

    def narrow(self, width: int) -> set[int]:
        """The squares in no open block of width + 1 squares each way."""
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

    def eroded(self, removable: set[int], most: int) -> set[int]:
        """The squares eroded from closed ends, in rows of up to `most` squares."""
        left, ahead = set(self.floor), removable
        while ahead:
            now: set[int] = set()
            for square in ahead:
                for step, cross in ((1, self.wide), (self.wide, 1)):
                    row = self._row(square, step, most, left, removable)
                    if row is not None and self._leads_one_way(row, step, cross, left):
                        now.update(row)
            left -= now
            ahead = {beside for square in now for beside in self.beside(square)} & left & removable
        return self.floor - left

    def _row(self, square: int, step: int, most: int, left: set[int], removable: set[int]) -> range | None:
        """The whole straight row through this square, or None if it is too long or not all removable."""
        link = self.links[step]
        first = last = square
        while link[first - step] and first - step in left:
            first -= step
            if first not in removable or last - first >= most * step:
                return None
        while link[last] and last + step in left:
            last += step
            if last not in removable or last - first >= most * step:
                return None
        return range(first, last + 1, step)

    def _leads_one_way(self, row: range, step: int, cross: int, left: set[int]) -> bool:
        """Whether the rest beside the row lies on one side, in one piece."""
        link, along = self.links[cross], self.links[step]
        before = [square - cross for square in row if link[square - cross] and square - cross in left]
        behind = [square + cross for square in row if link[square] and square + cross in left]
        if before and behind:
            return False
        side = before or behind
        return all(one + step == two and along[one] for one, two in pairwise(side))

    def pieces(self, squares: set[int]) -> Iterator[set[int]]:
        """The squares in connected pieces."""
        done: set[int] = set()
        for square in squares:
            if square not in done:
                piece = self.walked({square}, squares)
                done |= piece
                yield piece

    def mouth(self, piece: set[int]) -> set[int]:
        """The squares of a piece with a step out of it."""
        return {square for square in piece if any(beside not in piece for beside in self.beside(square))}

    def depth(self, piece: set[int], mouth: set[int]) -> int:
        """How many squares deep a piece is, from its mouth."""
        return sum(1 for _ in self._waves(mouth, piece))

    def walked(self, start: set[int], within: set[int]) -> set[int]:
        """All of `within` that is reachable from `start`."""
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
    """These squares, and those less than `reach` steps before them; all get the longest reach."""
    spread: dict[int, int] = {}
    for square, count in reach.items():
        for far in range(count):
            if spread.get(square - far * step, 0) >= count - far:
                break
            spread[square - far * step] = count - far
    return dict.fromkeys(spread, max(reach.values(), default=0))
