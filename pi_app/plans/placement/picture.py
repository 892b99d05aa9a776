"""The plan of a dungeon with its verdict as drawing marks, to be written as SVG or PNG. Pure.

Shapes repeat what colours show: a trap is a disc, a trap with a finding has a second ring and its number, a dashed line
joins traps that are too close, a dead end is hatched and a bar marks where it begins.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pi_app.plans.pictures.marks import (
    Area,
    Areas,
    Block,
    Disc,
    Ink,
    Mark,
    Picture,
    Point,
    Polyline,
    Polylines,
    Rect,
    Text,
)  # fmt: skip
from pi_app.plans.placement.artifact_rules import section_of
from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot, beside, edge
from pi_app.plans.placement.findings import PlacementFinding, RuleStatus
from pi_app.plans.placement.shapes import artifact_shape, small_shape
from pi_app.plans.placement.things import (
    ARTIFACT_NAMES,
    ARTIFACTS,
    PAIRS,
    Piece,
    artifact_squares,
    is_furnished,
    pieces,
)
from pi_app.plans.placement.verdict import PlacementVerdict
from pi_app.text.language import N_, Words

LARGEST_CELL, LEAST_CELL = 30, 2
WIDEST: Final = 1000
LEAST_WIDTH: Final = 760.0
MARGIN: Final = 44.0
TOP: Final = 84.0
LINE: Final = 18.0
LETTERS_FROM: Final = 14
"""Pixels: smaller squares have no letters in them."""

SIGNS: Final = {RuleStatus.KEPT: "ok", RuleStatus.BROKEN: "!", RuleStatus.OPEN: "?"}
_COLOURS: Final[dict[RuleStatus, Ink]] = {RuleStatus.KEPT: "good", RuleStatus.BROKEN: "bad", RuleStatus.OPEN: "soft"}
_THINGS: Final = (MapSymbol.ENTRANCE, MapSymbol.START, MapSymbol.CHEST, MapSymbol.TOKEN, MapSymbol.DOOR)
DOTS: Final = 6
"""In the side of a square where two sections meet."""

LEGEND_COLUMNS: Final = 3
LEGEND_ROW: Final = 34.0
LEGEND_BOX: Final = 26.0
MOST_LINES: Final = 60
"""Findings listed below the plan; more are only counted."""


def picture(dungeon: Dungeon, verdict: PlacementVerdict, title: str, speak: Words = str) -> Picture:
    """The plan with line and column numbers as in an editor, and every verdict below."""
    plan = _Plan(dungeon, verdict)
    key = N_("Hatched: leads to a dead end. Bar: begins here. Dashed: too close.")
    if dungeon.sections is not None:
        key = N_(
            "Hatched: leads to a dead end. Bar: begins here. Dashed: too close, or in one section. Dotted: sections."
        )
    width = max(LEAST_WIDTH, plan.columns * plan.cell + 2 * MARGIN)
    below = TOP + plan.rows * plan.cell + 40
    indent = 106.0 if is_furnished(dungeon) else 96.0
    words = list(_words(verdict, dungeon, int((width - 2 * MARGIN - indent) / 6.6), speak))
    legend = list(_legend(dungeon, width - 2 * MARGIN, below + LINE * len(words) + 8, speak))
    keys = textwrap.wrap(speak(key), int((width - 2 * MARGIN) / 6.6))
    height = below + LINE * (len(words) + len(keys) - 1) + 50 + LEGEND_ROW * -(-len(legend) // LEGEND_COLUMNS)
    marks: list[Mark] = [Area(((0, 0), (width, 0), (width, height), (0, height)), "paper")]
    marks += [Text((MARGIN, 40), title, 20, "ink", bold=True), *plan.marks()]
    for n, (rule, sign, line, colour) in enumerate(words):
        y = below + LINE * n
        marks += [Text((MARGIN, y), sign, 12, colour, bold=True), Text((MARGIN + 24, y), rule, 12, "soft")]
        marks.append(Text((MARGIN + indent, y), line, 12, "ink"))
    marks += [mark for entry in legend for mark in entry]
    for n, line in enumerate(keys):
        marks.append(Text((MARGIN, height - 24 - LINE * (len(keys) - 1 - n)), line, 12, "soft"))
    return Picture(width, height, title, tuple(marks))


def _words(
    verdict: PlacementVerdict, dungeon: Dungeon, letters: int, speak: Words
) -> Iterator[tuple[str, str, str, Ink]]:
    for rule in verdict.rules:
        for n, line in enumerate(textwrap.wrap(rule.words, letters)):
            yield ("" if n else rule.rule, "" if n else SIGNS[rule.sign], line, _COLOURS[rule.sign])
    yield "", "", "", "ink"
    for number, finding in enumerate(verdict.findings[:MOST_LINES], 1):
        words = f"{finding.part}{where(finding, dungeon)}: {finding.seen}. {finding.advice}"
        for n, line in enumerate(textwrap.wrap(words, letters)):
            yield ("" if n else finding.rule, "" if n else str(number), line, "bad")
    if (more := len(verdict.findings) - MOST_LINES) > 0:
        yield "", "", speak(N_("And {count} more.")).format(count=more), "bad"


def _legend(dungeon: Dungeon, width: float, top: float, speak: Words) -> Iterator[tuple[Mark, ...]]:
    """The shape and the name of every artifact on the map."""
    shown = [kind for kind in ARTIFACTS if dungeon.of(kind)]
    for n, kind in enumerate(shown):
        row, column = divmod(n, LEGEND_COLUMNS)
        left, middle = MARGIN + column * width / LEGEND_COLUMNS, top + row * LEGEND_ROW + LEGEND_BOX / 2
        wide, high = (LEGEND_BOX * 1.6, LEGEND_BOX * 0.8) if kind in PAIRS else (LEGEND_BOX, LEGEND_BOX)
        box = Rect(left + LEGEND_BOX * 0.8 - wide / 2, middle - high / 2, wide, high)
        name = Text((left + LEGEND_BOX * 1.6 + 10, middle + 4), speak(ARTIFACT_NAMES[kind]), 12, "ink")
        yield (*artifact_shape(kind, box), name)


def where(finding: PlacementFinding, dungeon: Dungeon) -> str:
    """Line and column in the file as ` (12:7)`, or nothing for the whole map."""
    if finding.spot is None:
        return ""
    line, column = dungeon.sheet.place(finding.spot)
    return f" ({line}:{column})"


class _Plan:
    def __init__(self, dungeon: Dungeon, verdict: PlacementVerdict) -> None:
        self.dungeon, self.verdict = dungeon, verdict
        shows = dungeon.floor | artifact_squares(dungeon)
        rows, columns = [row for row, _ in shows], [column for _, column in shows]
        self.top, self.left = min(rows), min(columns)
        self.rows, self.columns = max(rows) - self.top + 1, max(columns) - self.left + 1
        self.cell = max(LEAST_CELL, min(LARGEST_CELL, WIDEST // max(self.rows, self.columns)))
        self.numbers: dict[Spot, list[int]] = defaultdict(list)
        for number, finding in enumerate(verdict.findings, 1):
            if finding.spot is not None:
                self.numbers[finding.spot].append(number)

    def at(self, row: float, column: float) -> Point:
        """The corner of a square; add halves for its middle."""
        return MARGIN + (column - self.left) * self.cell, TOP + (row - self.top) * self.cell

    def middle(self, spot: Spot) -> Point:
        return self.at(spot[0] + 0.5, spot[1] + 0.5)

    def marks(self) -> Iterator[Mark]:
        dead = frozenset(spot for end in self.verdict.hallways.dead_ends for spot in end.squares)
        yield from self._areas(self.dungeon.floor - self.verdict.hallways.squares, "track")
        yield from self._areas(self.verdict.hallways.squares, "grid")
        yield from self._joints()
        yield from self._hatching(dead)
        yield from self._walls()
        yield from self._mouths()
        yield from self._scale()
        yield from self._doors()
        yield from self._sections()
        for piece in sorted(pieces(self.dungeon), key=lambda piece: -len(piece.squares)):
            yield from self._artifact(piece)
        for kind in _THINGS:
            for spot in sorted(self.dungeon.of(kind)):
                yield from self._thing(spot, kind)
        yield from self._pairs()
        for trap, spot in self.dungeon.placed:
            yield from self._trap(spot, trap.label or trap.key)
        traps = {spot for _, spot in self.dungeon.placed}
        for spot in sorted((artifact_squares(self.dungeon) | self._entrances()) & self.numbers.keys() - traps):
            yield from self._ring(spot)

    def _areas(self, squares: frozenset[Spot], colour: Ink) -> Iterator[Mark]:
        def corners(row: int, first: int, last: int) -> tuple[Point, ...]:
            return self.at(row, first), self.at(row, last + 1), self.at(row + 1, last + 1), self.at(row + 1, first)

        yield Areas(tuple(corners(*run) for run in _runs(squares)), colour)

    def _joints(self) -> Iterator[Mark]:
        """Gaps between the squares."""
        if self.cell < 5:
            return
        bottom, right = self.top + self.rows, self.left + self.columns
        flat = ((self.at(row, self.left), self.at(row, right)) for row in range(self.top, bottom + 1))
        upright = ((self.at(self.top, column), self.at(bottom, column)) for column in range(self.left, right + 1))
        yield Polylines((*flat, *upright), "paper", 1)

    def _hatching(self, squares: frozenset[Spot]) -> Iterator[Mark]:
        ways = ((self.at(row + 0.9, column + 0.1), self.at(row + 0.1, column + 0.9)) for row, column in sorted(squares))
        yield Polylines(tuple(ways), "soft", 1)

    def _walls(self) -> Iterator[Mark]:
        flat, upright = set(), set()
        for spot in self.dungeon.floor:
            up, left, right, down = beside(spot)
            flat |= {spot} if self._closed(up, spot) else set()
            flat |= set() if down in self.dungeon.floor else {down}
            upright |= {spot[::-1]} if self._closed(left, spot) else set()
            upright |= set() if right in self.dungeon.floor else {right[::-1]}
        lying = ((self.at(row, first), self.at(row, last + 1)) for row, first, last in _runs(frozenset(flat)))
        standing = ((self.at(first, at), self.at(last + 1, at)) for at, first, last in _runs(frozenset(upright)))
        yield Polylines((*lying, *standing), "ink", 2.4 if self.cell >= LETTERS_FROM else 1.0)

    def _closed(self, one: Spot, other: Spot) -> bool:
        return one not in self.dungeon.floor or edge(one, other) in self.dungeon.walls

    def _mouths(self) -> Iterator[Mark]:
        for end in self.verdict.hallways.dead_ends:
            for spot in sorted(end.mouth):
                for other in beside(spot):
                    if other in self.dungeon.floor - end.squares and edge(spot, other) not in self.dungeon.walls:
                        yield Polyline(self._between(spot, other), "scant", max(1.5, self.cell / 6))

    def _doors(self) -> Iterator[Mark]:
        for one, other in sorted(self.dungeon.doors):
            if {one, other} <= self.dungeon.floor:
                yield Polyline(
                    self._between(one, other),
                    "wave",
                    max(1.5, self.cell / 8),
                    dash="3 4" if self.cell >= LETTERS_FROM else "",
                )

    def _between(self, one: Spot, other: Spot) -> tuple[Point, Point]:
        """The side that two squares share."""
        (row, column), (other_row, other_column) = sorted((one, other))
        if row == other_row:
            return self.at(row, other_column), self.at(row + 1, other_column)
        return self.at(other_row, column), self.at(other_row, column + 1)

    def _scale(self) -> Iterator[Mark]:
        if self.cell < 5:
            return
        every = 1 if self.cell >= 24 else 5
        for column in range(self.left, self.left + self.columns):
            if (column - self.left) % every == 0:
                x, y = self.at(self.top, column + 0.5)
                yield Text((x, y - 8), str(self.dungeon.sheet.place((self.top, column))[1]), 9, "soft", "middle")
        for row in range(self.top, self.top + self.rows):
            if (row - self.top) % every == 0:
                x, y = self.at(row + 0.5, self.left)
                yield Text((x - 8, y + 3), str(self.dungeon.sheet.place((row, self.left))[0]), 9, "soft", "end")

    def _thing(self, spot: Spot, kind: MapSymbol) -> Iterator[Mark]:
        x, y = self.middle(spot)
        if self.cell < LETTERS_FROM:
            yield Disc((x, y), self.cell * 0.3, "wave", "paper", 0.5)
        elif kind is MapSymbol.DOOR:
            yield Polyline(((x - self.cell * 0.3, y), (x + self.cell * 0.3, y)), "wave", 3)
            yield Polyline(((x, y - self.cell * 0.3), (x, y + self.cell * 0.3)), "wave", 3)
        else:
            half = self.cell * 0.36
            corners = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
            yield Polyline(corners, "wave", 1.2, closed=True)
            if spot not in self.numbers or spot in self._entrances():
                yield Text((x, y + self.cell * 0.17), kind.value, self.cell * 0.5, "wave", "middle", bold=True)

    def _entrances(self) -> frozenset[Spot]:
        """Entrances matter to a finding only where sections are drawn."""
        return self.dungeon.of(MapSymbol.ENTRANCE) if self.dungeon.sections is not None else frozenset()

    def _artifact(self, piece: Piece) -> Iterator[Mark]:
        """A whole piece over all its squares; one of a wrong shape square by square."""
        groups = [piece.squares] if piece.whole else [(spot,) for spot in piece.squares]
        for squares in groups:
            (left, top), (right, bottom) = self.at(*squares[0]), self.at(squares[-1][0] + 1, squares[-1][1] + 1)
            box = Rect(left, top, right - left, bottom - top)
            yield from (artifact_shape if self.cell >= LETTERS_FROM else small_shape)(piece.kind, box)

    def _ring(self, spot: Spot) -> Iterator[Mark]:
        """The ring and the numbers of a finding that is about no trap."""
        corner = Rect(*self.at(*spot), self.cell, self.cell)
        yield Block(corner.grown(1), "", "bad", max(0.8, self.cell / 12), corner=self.cell * 0.16)
        if self.cell >= LETTERS_FROM:
            yield from self._tag(spot)

    def _sections(self) -> Iterator[Mark]:
        """A dotted line where two sections meet, and each section's letter in its first square."""
        section = section_of(self.dungeon)
        if not section or self.cell < LETTERS_FROM:
            return
        flat, upright = set(), set()
        for spot in self.dungeon.floor:
            up, left, _, _ = beside(spot)
            flat |= {spot} if up in self.dungeon.floor and section.get(up) != section.get(spot) else set()
            upright |= {spot[::-1]} if left in self.dungeon.floor and section.get(left) != section.get(spot) else set()
        dots = [(n / DOTS, (n + 0.4) / DOTS) for n in range(DOTS)]
        lying = [(self.at(row, at + a), self.at(row, at + b)) for row, at in sorted(flat) for a, b in dots]
        standing = [
            (self.at(at + a, column), self.at(at + b, column)) for column, at in sorted(upright) for a, b in dots
        ]
        yield Polylines((*lying, *standing), "soft", 1.6)
        inside = sorted(section.keys() & self.dungeon.floor)
        for spot in {section[spot]: spot for spot in reversed(inside)}.values():
            x, y = self.at(*spot)
            yield Text((x + 3, y + 9), (self.dungeon.sections or {})[spot], 9, "soft")

    def _pairs(self) -> Iterator[Mark]:
        for finding in self.verdict.findings:
            if finding.spot is not None and finding.other is not None:
                yield Polyline((self.middle(finding.spot), self.middle(finding.other)), "bad", 1.6, dash="3 4")

    def _trap(self, spot: Spot, label: str) -> Iterator[Mark]:
        numbers = self.numbers.get(spot, [])
        x, y = self.middle(spot)
        if numbers:
            yield Disc((x, y), self.cell * 0.5, "paper", "bad", max(0.8, self.cell / 15))
        yield Disc((x, y), self.cell * 0.38, "ink", "paper", 0.6)
        if self.cell < LETTERS_FROM:
            return
        short = label if len(label) <= 4 else label[:3] + "…"
        yield Text(
            (x, y + self.cell * 0.11), short, self.cell * 0.8 / max(2.2, len(short)), "paper", "middle", bold=True
        )
        if numbers:
            yield from self._tag(spot)

    def _tag(self, spot: Spot) -> Iterator[Mark]:
        """The numbers of a square's findings."""
        numbers = self.numbers[spot]
        x, y = self.middle(spot)
        words = ",".join(map(str, numbers[:3])) + ("…" if len(numbers) > 3 else "")
        left, base, wide = x + self.cell * 0.42, y - self.cell * 0.34, 6.5 * len(words) + 3
        sheet = ((left, base - 9), (left + wide, base - 9), (left + wide, base + 2), (left, base + 2))
        yield Area(sheet, "paper")
        yield Text((left + 1.5, base), words, 10, "bad", bold=True)


def _runs(squares: frozenset[Spot]) -> Iterator[tuple[int, int, int]]:
    """Row, first and last column of every run of squares."""
    start: Spot | None = None
    before: Spot = (0, 0)
    for spot in sorted(squares):
        if start is not None and spot != (before[0], before[1] + 1):
            yield start[0], start[1], before[1]
            start = None
        start, before = start or spot, spot
    if start is not None:
        yield start[0], start[1], before[1]
