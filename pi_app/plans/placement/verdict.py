"""Check a dungeon against the rules of placing (P-1 to P-9, G-4). Pure.

Nothing is refused: each rule gets a verdict, and each violation a finding with its place and advice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from pi_app.plans.placement.artifact_rules import ArtifactJudge
from pi_app.plans.placement.dungeon import Dungeon, MapSymbol, PlacedTrap, Rounding, Spot, steps
from pi_app.plans.placement.findings import PlacementFinding, RuleJudge, RuleStatus, RuleVerdict
from pi_app.plans.placement.hallways import Hallways, hallways, reached
from pi_app.plans.placement.things import COLUMNS, is_furnished, on_squares
from pi_app.text.language import N_, Words

SQUARES_PER_TRAP: Final = 50
APART: Final = 5
"""Squares between traps (P-6), and from the start of a dead-end hallway (P-8)."""

WALK: Final = "MAP-WALK"
"""Our own check: no rule of the sheet asks whether a trap can be reached."""


@dataclass(frozen=True, slots=True)
class Dials:
    """From a table's settings and its record: squares with a dial, and those that a game found off their start marks;
    `off_start` is None if no game was recorded."""

    labels: tuple[str, ...]
    off_start: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PlacementVerdict:
    """The result. `each` and `total`: traps allowed for a player and in all; `total` is None if players are unknown."""

    each: int
    total: int | None
    rules: tuple[RuleVerdict, ...]
    findings: tuple[PlacementFinding, ...]
    hallways: Hallways

    @property
    def kept(self) -> bool:
        """Whether there are no findings."""
        return not self.findings


def max_traps(squares: int, rounding: Rounding = "floor") -> int:
    """Traps that each player may put into the pool: one for each 50 squares (P-2, L-38). Trap squares count as squares
    (Q-21); an incomplete fifty does not count, unless the table rounds up (switch `placement_rounding`)."""
    return -(-squares // SQUARES_PER_TRAP) if rounding == "ceil" else squares // SQUARES_PER_TRAP


def verdict(dungeon: Dungeon, dials: Dials | None = None, speak: Words = str) -> PlacementVerdict:
    """Check a map against every rule; `speak` translates."""
    usual = max_traps(len(dungeon.floor), dungeon.rounding or "floor")
    each = usual if dungeon.agreed is None else dungeon.agreed
    total = each * len(dungeon.players) if dungeon.players else None
    found = hallways(dungeon)
    judge = _Judge(dungeon, speak)
    judge.start_marks(dials)
    judge.how_many(each, total, usual)
    judge.all_placed()
    judge.apart()
    judge.in_dead_ends(found)
    judge.near_dead_ends(found)
    judge.in_turns()
    judge.shared()
    judge.reachable()
    rules, findings = judge.rules, judge.findings
    if is_furnished(dungeon):
        of_artifacts = ArtifactJudge(dungeon, found, speak)
        of_artifacts.judge()
        rules, findings = rules + of_artifacts.rules, findings + of_artifacts.findings
    return PlacementVerdict(each, total, tuple(rules), tuple(findings), found)


class _Judge(RuleJudge):
    """Judge the traps."""

    def name(self, trap: PlacedTrap) -> str:
        """Its label, or "a trap"."""
        return trap.label or self.say(N_("a trap"))

    def other(self, trap: PlacedTrap) -> str:
        """Its label, or its place."""
        if trap.label or trap.spot is None:
            return trap.label
        line, column = self.dungeon.sheet.place(trap.spot)
        return self.say(N_("the trap at {line}:{column}"), line=line, column=column)

    # ---------------------------------------------------------------------------------------- before the game

    def start_marks(self, dials: Dials | None) -> None:
        remind = self.say(N_("Not checked here: turn every dial to its start mark."))
        if dials is None:
            return self.rule("P-1", remind, sign=RuleStatus.OPEN)
        found = [
            self._finding("P-1", trap, N_("no dial in the settings"), N_("Correct its label, or the settings."))
            for trap in self.dungeon.traps
            if trap.label and trap.label not in dials.labels
        ]
        found += [
            self._finding("P-1", trap, N_("was not at its start mark"), N_("Turn its dial to the start mark."))
            for trap in self.dungeon.traps
            if trap.label in (dials.off_start or ())
        ]
        if dials.off_start is None:
            return self.rule("P-1", remind, found, sign=RuleStatus.OPEN)
        return self.rule("P-1", self.say(N_("The last game found every dial at its start mark.")), found)

    def how_many(self, each: int, total: int | None, usual: int) -> None:
        squares = len(self.dungeon.floor)
        if total is None:
            message = N_("Squares: {squares}. Traps for each player: {each}. The number of players is not given.")
        else:
            message = N_("Squares: {squares}. Traps for each player: {each}, in all: {total}.")
        sign = RuleStatus.OPEN if total is None else RuleStatus.KEPT
        self.rule(
            "P-2", self.say(message, squares=squares, each=each, total=total), self._too_many(each, total), sign=sign
        )
        if self.dungeon.agreed is not None:
            self.rule(
                "P-4",
                self.say(N_("Agreed: {each} for each player; the rule gives {usual}."), each=each, usual=usual),
            )

    def _too_many(self, each: int, total: int | None) -> Iterator[PlacementFinding]:
        seen, advice = N_("traps placed: {count}, allowed: {allowed}"), N_("Remove {more}, or agree on more (P-4).")
        count = Counter(trap.owner for trap in self.dungeon.traps if trap.owner is not None)
        for player in self.dungeon.players:
            if count[player] > each:
                yield self._whole(
                    "P-2", player, seen, advice, count=count[player], allowed=each, more=count[player] - each
                )
        placed = len(self.dungeon.traps)
        if total is not None and placed > total:
            everybody = self.say(N_("all players"))
            yield self._whole("P-2", everybody, seen, advice, count=placed, allowed=total, more=placed - total)

    def all_placed(self) -> None:
        found: list[PlacementFinding] = []
        advice = N_("Place it, or remove it from the list.")
        for trap in self.dungeon.traps:
            if trap.spot is None:
                found.append(self._finding("P-3", trap, N_("listed, but not on the map"), advice))
        placed, pool = len(self.dungeon.placed), self.dungeon.pool
        if pool is not None and placed != pool and len(self.dungeon.traps) != pool:
            seen, advice = N_("holds {pool}, placed: {placed}"), N_("Place all of the pool, or correct its number.")
            found.append(self._whole("P-3", self.say(N_("the pool")), seen, advice, placed=placed, pool=pool))
        if pool is None and not self.dungeon.listed:
            words = self.say(N_("Placed: {placed}. The size of the pool is not given."), placed=placed)
            return self.rule("P-3", words, found, sign=RuleStatus.OPEN)
        return self.rule("P-3", self.say(N_("The whole pool is placed: {placed}."), placed=placed), found)

    # -------------------------------------------------------------------------------------------- on the map

    def apart(self) -> None:
        seen = N_("too close to {other}: distance {steps}, must be at least {least}")
        advice = N_("Move one of the two.")
        self.rule(
            "P-6",
            self.say(N_("All traps are {least} or more squares apart."), least=APART),
            (
                self._finding(
                    "P-6", two, seen, advice, other=one.spot, steps=steps(one_at, two_at), least=APART, near=one
                )
                for (one, one_at), (two, two_at) in too_near(self.dungeon.placed)
            ),
        )

    def in_dead_ends(self, found: Hallways) -> None:
        seen, advice = N_("in a hallway that leads to a dead end"), N_("Move it out of that hallway.")
        at = {spot: trap for trap, spot in self.dungeon.placed}
        self.rule(
            "P-7",
            self.say(N_("No trap is in a hallway that leads to a dead end.")),
            (
                self._finding("P-7", at[spot], seen, advice)
                for end in found.dead_ends
                for spot in sorted(end.squares & at.keys())
            ),
        )

    def near_dead_ends(self, found: Hallways) -> None:
        self.rule(
            "P-8",
            self.say(N_("No trap is closer than {least} squares to the start of such a hallway."), least=APART),
            (self._near_mouth(trap, spot, mouth) for trap, spot, mouth in near_mouths(self.dungeon, found)),
        )

    def _near_mouth(self, trap: PlacedTrap, spot: Spot, mouth: Spot) -> PlacementFinding:
        seen = N_("too close to the dead-end hallway at {line}:{column}: distance {steps}, must be at least {least}")
        line, column = self.dungeon.sheet.place(mouth)
        return self._finding(
            "P-8", trap, seen, N_("Move it away from there."), other=mouth,
            steps=steps(spot, mouth), least=APART, line=line, column=column,
        )  # fmt: skip

    def in_turns(self) -> None:
        owners = [trap.owner for trap in self.dungeon.traps]
        if not any(owners):
            return self.rule(
                "P-9", self.say(N_("Not checked: the map does not say who placed which trap.")), sign=RuleStatus.OPEN
            )
        found = []
        for trap, expected in zip_longest(self.dungeon.traps, _turns(owners, self.dungeon.players)):
            if trap.owner is None:
                found.append(self._finding("P-9", trap, N_("no player"), N_("Say who placed it.")))
                break
            if trap.owner != expected:
                seen = N_("was placed by {player}, but it was the turn of {expected}")
                advice = N_("Take turns placing, or list the traps in the order of placing.")
                found.append(self._finding("P-9", trap, seen, advice, player=trap.owner, expected=expected))
                break
        return self.rule("P-9", self.say(N_("Placed in turns, the starting player first.")), found)

    def shared(self) -> None:
        advice = N_("Move one of the two before the game begins.")
        found = []
        for trap, spot in self.dungeon.placed:
            if spot in self.dungeon.of(MapSymbol.CHEST):
                found.append(self._finding("G-4", trap, N_("shares its square with a treasure chest"), advice))
            if spot in self.dungeon.of(MapSymbol.TOKEN):
                found.append(self._finding("G-4", trap, N_("shares its square with a monster token"), advice))
        self.rule("G-4", self.say(N_("No trap shares its square with a chest or a monster token.")), found)

    def reachable(self) -> None:
        if not self.dungeon.ways_in:
            return self.rule(WALK, self.say(N_("Not checked: no entrance is drawn.")), sign=RuleStatus.OPEN)
        walked = reached(self.dungeon, on_squares(self.dungeon, *COLUMNS))
        seen, advice = N_("cannot be reached from any entrance"), N_("Draw the way to it, or move it.")
        return self.rule(
            WALK,
            self.say(N_("Every trap can be reached from an entrance.")),
            (self._finding(WALK, trap, seen, advice) for trap, spot in self.dungeon.placed if spot not in walked),
        )

    def _finding(
        self, rule: str, trap: PlacedTrap, seen: str, advice: str, *, other: Spot | None = None,
        near: PlacedTrap | None = None, **values: object,
    ) -> PlacementFinding:  # fmt: skip
        if near is not None:
            values["other"] = self.other(near)
        return PlacementFinding(rule, self.name(trap), trap.spot, self.say(seen, **values), self.say(advice), other)

    def _whole(self, rule: str, part: str, seen: str, advice: str, **values: object) -> PlacementFinding:
        return PlacementFinding(rule, part, None, self.say(seen, **values), self.say(advice, **values))


# --------------------------------------------------------------------------------------------------- the measures


def too_near(
    placed: Collection[tuple[PlacedTrap, Spot]], apart: int = APART
) -> Iterator[tuple[tuple[PlacedTrap, Spot], tuple[PlacedTrap, Spot]]]:
    """Every pair of traps with fewer steps between them, the earlier placed one first (P-6, Q-22)."""
    before: Mapping[Spot, list[tuple[PlacedTrap, Spot]]] = defaultdict(list)
    for trap, spot in placed:
        box = spot[0] // apart, spot[1] // apart
        for row in (-1, 0, 1):
            for column in (-1, 0, 1):
                there = box[0] + row, box[1] + column
                for other in before.get(there, ()):
                    if steps(spot, other[1]) < apart:
                        yield other, (trap, spot)
        before[box].append((trap, spot))


def near_mouths(dungeon: Dungeon, found: Hallways, apart: int = APART) -> Iterator[tuple[PlacedTrap, Spot, Spot]]:
    """Each trap outside dead ends that is too close to where one begins, with the nearest such square (P-8, L-17)."""
    mouths: dict[Spot, list[Spot]] = defaultdict(list)
    inside: set[Spot] = set()
    for end in found.dead_ends:
        inside |= end.squares
        for spot in end.mouth:
            mouths[spot[0] // apart, spot[1] // apart].append(spot)
    for trap, spot in dungeon.placed:
        if spot in inside:
            continue
        box = spot[0] // apart, spot[1] // apart
        boxes = ((box[0] + row, box[1] + column) for row in (-1, 0, 1) for column in (-1, 0, 1))
        near = [(steps(spot, mouth), mouth) for there in boxes for mouth in mouths.get(there, ())]
        if near and min(near)[0] < apart:
            yield trap, spot, min(near)[1]


def _turns(owners: Collection[str | None], players: Collection[str]) -> Iterator[str]:
    """Whose turn it was, trap by trap: players in turn, skipping those who have no trap left (P-9, L-16)."""
    left = Counter(owners)
    while any(left[player] for player in players):
        for player in players:
            if left[player]:
                left[player] -= 1
                yield player
