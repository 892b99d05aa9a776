"""Check artifacts, furnishings and entrances against their rules (AR-SET-2, F-COL-2, F-TBL-1, 12.2). Pure.

As with traps nothing is refused: each rule that concerns the map gets a verdict, and each violation a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pi_app.plans.placement.columns import blocked_ways
from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, Spot, edge
from pi_app.plans.placement.findings import PlacementFinding, RuleJudge, RuleStatus
from pi_app.plans.placement.hallways import Hallways
from pi_app.plans.placement.things import (
    ARTIFACT_NAMES,
    ARTIFACTS,
    COLUMNS,
    PAIRS,
    PONDS,
    Piece,
    artifact_squares,
    on_squares,
    pieces,
    touching,
)  # fmt: skip
from pi_app.text.language import N_, Words

SIZE: Final = "MAP-SIZE"
ONE: Final = "MAP-ONE"
ENTRY: Final = "MAP-ENTRY"
"""Rules without an id on the sheets: the sizes of section 15.3, one thing on a square, and the ruling of 22.09.2003
that entrances share no section."""

HINDERING_SPEED: Final = 2
WATER_SPEED: Final = 3


def speed_points(dungeon: Dungeon) -> dict[int, frozenset[Spot]]:
    """The squares that cost more than one speed point because of what lies on them, by their cost (AR-GEN-4, F-FUR-1;
    water 3, with Aquatic 1). No figure enters the square of a column."""
    columns, water = on_squares(dungeon, *COLUMNS), on_squares(dungeon, *PONDS)
    open_floor = dungeon.floor - columns
    return {HINDERING_SPEED: artifact_squares(dungeon) & open_floor - water, WATER_SPEED: water & open_floor}


class ArtifactJudge(RuleJudge):
    """Judge the artifacts, the furnishings and the entrances of a map."""

    def __init__(self, dungeon: Dungeon, found: Hallways, speak: Words) -> None:
        super().__init__(dungeon, speak)
        self.hallways = found
        self.pieces = pieces(dungeon)
        self.columns = on_squares(dungeon, *COLUMNS)

    def judge(self) -> None:
        """Every rule that concerns what is drawn."""
        if self.pieces:
            self.over_blocking()
        if self.columns:
            self.blocking_columns()
        if self.dungeon.of(MapSymbol.TABLE):
            self.sizes("F-TBL-1", N_("Every table covers two squares side by side."), (MapSymbol.TABLE,))
        if on_squares(self.dungeon, MapSymbol.ALTAR, MapSymbol.LARGE_POND):
            kept = N_("Every Dragon Altar covers two squares side by side, every Large Pond two by two.")
            self.sizes(SIZE, kept, (MapSymbol.ALTAR, MapSymbol.LARGE_POND))
        if self.pieces:
            self.one_thing()
            self.speed()
        self.entrances()

    # ------------------------------------------------------------------------------------------------- artifacts

    def over_blocking(self) -> None:
        kept = self.say(N_("No artifact lies over a wall or a column."))
        self.rule("AR-SET-2", kept, (found for piece in self.pieces for found in self._over_blocking(piece)))

    def _over_blocking(self, piece: Piece) -> Iterator[PlacementFinding]:
        advice = N_("Move it onto open floor.")
        for spot in piece.squares:
            if spot not in self.dungeon.floor:
                yield self._piece("AR-SET-2", piece, N_("lies over a wall, which is blocking terrain"), advice, spot)
            elif spot in self.columns and piece.kind not in COLUMNS:
                yield self._piece("AR-SET-2", piece, N_("lies over a column, which is blocking terrain"), advice, spot)
        inside = set(piece.squares)
        for row, column in piece.squares:
            for far in ((row, column + 1), (row + 1, column)):
                if far in inside and edge((row, column), far) in self.dungeon.walls:
                    yield self._piece("AR-SET-2", piece, N_("a wall runs through it"), advice, (row, column))

    def blocking_columns(self) -> None:
        found = (*self._where_columns_may_not_stand(), *self._blocked_ways())
        if self.dungeon.ways_in:
            kept = self.say(N_("No column stands in a hallway, doorway or entrance, and none blocks the only way."))
            return self.rule("F-COL-2", kept, found)
        kept = self.say(N_("Not checked whether a column blocks the only way: no entrance is drawn."))
        return self.rule("F-COL-2", kept, found, sign=RuleStatus.OPEN)

    def _where_columns_may_not_stand(self) -> Iterator[PlacementFinding]:
        doors = {spot: pair for pair in self.dungeon.doors if set(pair) <= self.dungeon.floor for spot in pair}
        for piece in self.pieces:
            if piece.kind not in COLUMNS:
                continue
            (spot,) = piece.squares
            if spot in self.dungeon.of(MapSymbol.ENTRANCE):
                yield self._piece("F-COL-2", piece, N_("stands in an entrance"), N_("Move it off the entrance."))
            if spot in self.dungeon.of(MapSymbol.DOOR):
                yield self._piece("F-COL-2", piece, N_("stands in a doorway"), N_("Move it out of the doorway."))
            elif spot in doors:
                far = next(each for each in doors[spot] if each != spot)
                seen, advice = N_("closes the door to {place}"), N_("Move it away from the door.")
                yield self._piece("F-COL-2", piece, seen, advice, place=self.place(far))
            elif spot in self.hallways.squares:
                yield self._piece("F-COL-2", piece, N_("stands in a hallway"), N_("Move it into a room."))

    def _blocked_ways(self) -> Iterator[PlacementFinding]:
        at = {piece.squares[0]: piece for piece in self.pieces if piece.kind in COLUMNS}
        advice = N_("Move it so that a way stays open.")
        for way in blocked_ways(self.dungeon, self.columns) if self.dungeon.ways_in else ():
            seen = N_("blocks the only way to {place}")
            if way.together:
                seen = N_("blocks the only way to {place} together with the columns beside it")
            yield self._piece("F-COL-2", at[way.column], seen, advice, place=self.place(way.cut_off))

    def sizes(self, rule: str, kept: str, kinds: tuple[MapSymbol, ...]) -> None:
        wrong = (piece for piece in self.pieces if piece.kind in kinds and not piece.whole)
        self.rule(rule, self.say(kept), (self._wrong_size(rule, piece) for piece in wrong))

    def _wrong_size(self, rule: str, piece: Piece) -> PlacementFinding:
        count, seen = len(piece.squares), N_("covers {count} squares of a wrong shape")
        if piece.kind in PAIRS:
            advice = N_("Draw two squares side by side for each.")
            seen = N_("lies diagonally") if count == 2 else N_("covers one square only") if count == 1 else seen
        else:
            advice = N_("Draw two rows of two squares for each.")
            seen = N_("covers one square only") if count == 1 else seen
        return self._piece(rule, piece, seen, advice, count=count)

    def one_thing(self) -> None:
        self.rule(ONE, self.say(N_("No square under an artifact holds a second thing.")), self._two_things())

    def _two_things(self) -> Iterator[PlacementFinding]:
        """All but artifacts over columns, which AR-SET-2 finds."""
        lying: dict[Spot, list[str]] = {}
        chest, token = N_("treasure chest"), N_("monster token")
        named = {**ARTIFACT_NAMES, MapSymbol.CHEST: chest, MapSymbol.TOKEN: token}
        for kind, name in named.items():
            on_columns = frozenset() if kind in COLUMNS or kind not in ARTIFACTS else self.columns
            for spot in self.dungeon.of(kind) - on_columns:
                lying.setdefault(spot, []).append(self.say(name))
        for trap, spot in self.dungeon.placed:
            lying.setdefault(spot, []).insert(0, trap.label or self.say(N_("a trap")))
        seen, advice = N_("shares its square with: {others}"), N_("Move one of them.")
        for spot in sorted(on_squares(self.dungeon, *ARTIFACTS)):
            part, *others = lying[spot]
            if others:
                told = self.say(seen, others=", ".join(others))
                yield PlacementFinding(ONE, part, spot, told, self.say(advice))

    def speed(self) -> None:
        by_cost = speed_points(self.dungeon)
        if hindering := len(by_cost[HINDERING_SPEED]):
            told = N_("Hindering squares under artifacts and furniture: {count}. To enter one costs 2 speed points.")
            self.rule("AR-GEN-4", self.say(told, count=hindering))
        if water := len(by_cost[WATER_SPEED]):
            told = N_("Water squares: {count}. To enter one costs 3 speed points, with Aquatic 1.")
            self.rule("A-AQU-1", self.say(told, count=water))
        if self.columns:
            told = N_("Squares with a column: {count}. No figure enters them, not even flying.")
            self.rule("F-COL-1", self.say(told, count=len(self.columns)))

    # ------------------------------------------------------------------------------------------------- entrances

    def entrances(self) -> None:
        entrances = list(touching(self.dungeon.of(MapSymbol.ENTRANCE)))
        named = self.dungeon.sections
        outside = [squares[0] for squares in entrances if named is not None and not set(squares) & named.keys()]
        told, sign = N_("No two entrances share a section."), RuleStatus.OPEN
        if not entrances:
            told = N_("Not checked: no entrance is drawn.")
        elif len(entrances) > 1 and named is None:
            told = N_("Not checked: the map names no sections.")
        elif len(entrances) > 1 and outside:
            told = N_("Not checked for the entrance at {place}: it lies in no section.")
        else:
            sign = RuleStatus.KEPT
        place = self.place(outside[0]) if outside else ""
        self.rule(ENTRY, self.say(told, place=place), self._shared(entrances), sign=sign)

    def _shared(self, entrances: list[tuple[Spot, ...]]) -> Iterator[PlacementFinding]:
        section = section_of(self.dungeon)
        first: dict[Spot, tuple[Spot, ...]] = {}
        seen = N_("is in the same section as the entrance at {place}")
        advice = self.say(N_("Move one of the two to another section."))
        for squares in entrances:
            own = {section[spot] for spot in squares if spot in section}
            if shared := sorted(first[each] for each in own & first.keys()):
                told = self.say(seen, place=self.place(shared[0][0]))
                yield PlacementFinding(ENTRY, self.say(N_("entrance")), squares[0], told, advice, shared[0][0])
            first |= dict.fromkeys(own - first.keys(), squares)

    # ------------------------------------------------------------------------------------------------------ words

    def place(self, spot: Spot) -> str:
        """Line and column in the file."""
        line, column = self.dungeon.sheet.place(spot)
        return f"{line}:{column}"

    def _piece(
        self, rule: str, piece: Piece, seen: str, advice: str, spot: Spot | None = None, **values: object
    ) -> PlacementFinding:
        name = self.say(ARTIFACT_NAMES[piece.kind])
        return PlacementFinding(rule, name, spot or piece.squares[0], self.say(seen, **values), self.say(advice))


def section_of(dungeon: Dungeon) -> dict[Spot, Spot]:
    """The first square of each square's section: squares of one letter that touch."""
    letters: dict[str, set[Spot]] = {}
    for spot, letter in (dungeon.sections or {}).items():
        letters.setdefault(letter, set()).add(spot)
    groups = (group for squares in letters.values() for group in touching(frozenset(squares)))
    return {spot: group[0] for group in groups for spot in group}
