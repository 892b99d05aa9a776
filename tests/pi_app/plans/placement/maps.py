"""Dungeons for the tests: drawn by hand or by Hypothesis, turned, mirrored, and written as text again."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st

from pi_app.plans.placement.dungeon import Dungeon, Edge, MapGrid, Spot, edge
from pi_app.plans.placement.reading import read
from pi_app.plans.placement.things import ARTIFACTS

MAPS = int(os.environ.get("TRAPDIAL_MAPS", "15"))
"""For each property."""

some = settings(max_examples=MAPS)

ARTIFACT_LETTERS = "".join(kind.value for kind in ARTIFACTS)

Turn = Callable[[Spot], Spot]

TURNS: dict[str, Turn] = {
    "as it is": lambda spot: spot,
    "a quarter left": lambda spot: (-spot[1], spot[0]),
    "half round": lambda spot: (-spot[0], -spot[1]),
    "a quarter right": lambda spot: (spot[1], -spot[0]),
    "mirrored": lambda spot: (spot[0], -spot[1]),
    "upside down": lambda spot: (-spot[0], spot[1]),
    "transposed": lambda spot: (spot[1], spot[0]),
    "transposed the other way": lambda spot: (-spot[1], -spot[0]),
}


def dungeon(*rows: str, head: str = "") -> Dungeon:
    """The dungeon of a file with these rows below `head`."""
    return read(f"{head}\nmap:\n" + "\n".join(rows), "some.txt")


def spots(*rows: str, mark: str = "#") -> frozenset[Spot]:
    """The places of a mark in rows of text."""
    return frozenset((row, column) for row, line in enumerate(rows) for column, at in enumerate(line) if at == mark)


def turned(before: Dungeon, turn: Turn) -> Dungeon:
    """The same dungeon, turned or mirrored; still with rows and columns from 0."""
    there = moved(before, turn)

    def edges(those: frozenset[Edge]) -> frozenset[Edge]:
        return frozenset(edge(there(one), there(other)) for one, other in those)

    return replace(
        before,
        floor=frozenset(map(there, before.floor)),
        walls=edges(before.walls),
        doors=edges(before.doors),
        kinds={kind: frozenset(map(there, those)) for kind, those in before.kinds.items()},
        sections=None if before.sections is None else {there(spot): name for spot, name in before.sections.items()},
        traps=tuple(replace(trap, spot=None if trap.spot is None else there(trap.spot)) for trap in before.traps),
        sheet=MapGrid(tuple(range(1, 100))),
    )


def moved(before: Dungeon, turn: Turn) -> Turn:
    """A function to the new place of each square of a turned dungeon."""
    corner = [min(turn(spot)[axis] for spot in before.floor) for axis in (0, 1)]
    return lambda spot: (turn(spot)[0] - corner[0], turn(spot)[1] - corner[1])


def as_lines(shown: Dungeon, letters: dict[Spot, str]) -> list[str]:
    """The rows of a map with `walls: lines`."""
    rows, columns = max(row for row, _ in shown.floor) + 1, max(column for _, column in shown.floor) + 1

    def between(one: Spot, other: Spot, wall: str) -> str:
        side = edge(one, other)
        return wall if side in shown.walls else "+" if side in shown.doors else " "

    drawn = []
    for row in range(rows):
        walls = "".join("+" + between((row - 1, column), (row, column), "-") for column in range(columns))
        line = "".join(
            between((row, column - 1), (row, column), "|") + letters.get((row, column), "#")
            for column in range(columns)
        )
        drawn += [walls, line] if row else [line]
    return drawn


def letters_of(shown: Dungeon) -> dict[Spot, str]:
    """The letter on each square."""
    kinds = {spot: kind.value for kind, those in shown.kinds.items() for spot in those}
    return kinds | {spot: trap.key for trap, spot in shown.placed}


@st.composite
def dungeons(draw: st.DrawFn, letters: str = "..##::EXTCM+S", side: int = 8, walls: bool = True) -> Dungeon:
    """Any small dungeon, with thin walls here and there, up to three listed traps, and hallways from 1 to 3 wide."""
    rows, columns = draw(st.integers(1, side)), draw(st.integers(1, side))
    drawn = [[draw(st.sampled_from(letters)) for _ in range(columns)] for _ in range(rows)]
    drawn[draw(st.integers(0, rows - 1))][draw(st.integers(0, columns - 1))] = "."
    free = [(row, column) for row in range(rows) for column in range(columns)]
    listed = draw(st.lists(st.sampled_from(free), max_size=3, unique=True))
    for n, (row, column) in enumerate(listed):
        drawn[row][column] = str(n + 1)
    head = "".join(f"{n + 1} = T0{n + 1}, {draw(st.sampled_from(('Ann', 'Ben')))}\n" for n in range(len(listed)))
    width = draw(st.integers(1, 3))
    found = dungeon(*map("".join, drawn), head=f"players: Ann, Ben\nhallway width: {width}\n{head}")
    if not walls:
        return found
    sides = [
        edge(spot, other)
        for spot in sorted(found.floor)
        for other in ((spot[0] + 1, spot[1]), (spot[0], spot[1] + 1))
        if other in found.floor
    ]
    thin = draw(st.sets(st.sampled_from(sides), max_size=6)) if sides else set()
    return replace(found, walls=frozenset(thin))
