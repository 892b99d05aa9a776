"""Verify by its detents that the tile on a square's lead is that square's own. Pure.

A tile without a memory has no name, but a calibrated dial rests in its own detents. While a dial is silent, its lead
may be plugged into another tile: one that is missing elsewhere at that moment, or a stranger. From then on the dial is
unverified, and each rest is weighed: how likely it is for this square's dial, and how likely for each other one.

Assumed of a dial at rest:
- 95 of 100 rests lie within a normal scatter of `SEATS_WITHIN_DEG` round the calibrated centre; the others lie anywhere
  within `FRICTION_DEG` of it, since friction may hold a printed dial up to 3.9 degrees beside its middle;
- 3 of 100 lie anywhere at all: somebody let go of the dial between two detents;
- 9 of 10 dials stand, when they are plugged in again, where they stood when they were pulled, within `UNMOVED_DEG`;
- rests after separate moves are independent, and every detent is as likely as another.

The decision is a sequential likelihood ratio test: with `WRONG_AT_MOST` on either side, the right tile is rejected and
a wrong one accepted at most that often, however many rests are seen (Wald, "Sequential Tests of Statistical
Hypotheses", 1945). Dials so alike that a whole turn does not decide cannot be protected: `unprotected` names them.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pi_app.dials.calibration import Calibration
from pi_app.dials.detents import wrapped
from pi_app.dials.fingerprint import SEATS_WITHIN_DEG

FRICTION_DEG: Final = 4.4
"""3.9 degrees of a printed dial (wiring_docs/printed_parts.md), and a scatter of 0.5."""

HELD_BY_FRICTION: Final = 0.05
BETWEEN: Final = 0.03
UNMOVED: Final = 0.9
UNMOVED_DEG: Final = 0.2
WRONG_AT_MOST: Final = 1e-4

ENOUGH: Final = -math.log(WRONG_AT_MOST)
SURELY_APART: Final = 1.5 * ENOUGH
"""Two dials can be told apart if a turn through all detents is expected to weigh this much."""

REPLUG_NS: Final = 500_000_000
"""A shorter silence was a glitch of the wires: exchanging tiles takes longer."""

STRANGER: Final = ""


class TileState(enum.Enum):
    """Whether the tile on a lead is the square's own."""

    VERIFIED = "it is the square's own, or looks like it"
    UNVERIFIED = "its rests do not decide yet"
    WRONG = "its rests are not those of the square's own tile"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the rests say. `other`: the square whose tile it is or may be; empty for an unknown tile."""

    state: TileState
    other: str = STRANGER


@dataclass(slots=True)
class _Case:
    """One lead since it was plugged in. `leans[other]`: how much the rests speak for the square's own tile over it."""

    before: int | None
    others: dict[str, int | None]
    leans: dict[str, float]
    fits: bool = False
    rests: int = 0
    opinion: Opinion = field(default_factory=lambda: Opinion(TileState.UNVERIFIED))


class TileCheck:
    """Checks every dial of a table whose tile can be recognised by its detents."""

    def __init__(self, nameless: Mapping[str, Calibration], named: Mapping[str, Calibration] | None = None) -> None:
        """`nameless`: the calibrated dials whose tiles have no memory. `named`: calibrated dials whose tiles have one;
        such a tile may be on the lead of a nameless one, and never the other way round."""
        self._nameless = dict(nameless)
        self._dials = {**(named or {}), **nameless}
        self._cases: dict[str, _Case] = {}
        self._pulled_at: dict[str, int] = {}
        self._alike: dict[tuple[str, str], bool] = {}

    def withheld(self, label: str) -> bool:
        """Whether this dial may show nothing to any player."""
        return label in self._cases

    def back(self, label: str, unseen_ns: int, before: Mapping[str, int | None]) -> bool:
        """A dial responds again after a silence. Return True if its tile must be verified first.

        `before`: the last angle of this dial, and of each dial that is silent now, by square.
        """
        if label not in self._nameless or unseen_ns < REPLUG_NS:
            return False
        for square, raw in before.items():
            if raw is not None and square not in self._cases:
                self._pulled_at[square] = raw
        others = {
            other: self._pulled_at.get(other)
            for other in self._dials
            if other != label and (other in before or other in self._cases) and not self.too_alike(label, other)
        }
        leans = dict.fromkeys([*others, STRANGER], 0.0)
        self._cases[label] = _Case(self._pulled_at.get(label), others, leans)
        return True

    def rested(self, label: str, raw: int) -> dict[str, Opinion]:
        """An unverified dial came to rest after a move. Return the opinion of it, and of others if it is verified: its
        tile is then on no other lead. Empty for a dial that is not being checked."""
        case = self._cases.get(label)
        if case is None or case.opinion.state is TileState.WRONG:
            return {}
        first = case.rests == 0
        case.rests += 1
        own = self._dials[label]
        likely = math.log(_likely(own, raw, case.before if first else None))
        for other, stood in case.others.items():
            case.leans[other] += likely - math.log(_likely(self._dials[other], raw, stood if first else None))
        case.leans[STRANGER] += likely + math.log(360)
        unmoved = first and case.before is not None and abs(own.off_deg(raw, case.before)) < 5 * UNMOVED_DEG
        case.fits = unmoved or min(abs(own.off_deg(raw, centre)) for centre in own.centres) <= FRICTION_DEG
        return {label: case.opinion, **self._decided()}

    def _decided(self) -> dict[str, Opinion]:
        """Return the opinions that have changed."""
        changed: dict[str, Opinion] = {}
        again = True
        while again:
            again = False
            for square, case in list(self._cases.items()):
                if not case.rests or case.opinion.state is TileState.WRONG:
                    continue
                opinion = self._opinion(case)
                if opinion != case.opinion:
                    case.opinion = changed[square] = opinion
                if opinion.state is TileState.VERIFIED:
                    self._in_place(square)
                    again = True
        return changed

    def accept(self, label: str) -> None:
        """Accept the tile: a person confirmed that it is the right one."""
        self._cases.pop(label, None)

    def _opinion(self, case: _Case) -> Opinion:
        worst = min(case.leans, key=lambda other: case.leans[other])
        doubted = [other for other in case.others if case.leans[other] + self._speaks_for_place(other) < ENOUGH]
        if case.leans[worst] <= -(ENOUGH + math.log(len(case.leans))):
            return Opinion(TileState.WRONG, worst)
        if case.fits and not doubted:
            return Opinion(TileState.VERIFIED)
        return Opinion(TileState.UNVERIFIED, min(doubted, key=lambda other: case.leans[other], default=STRANGER))

    def _speaks_for_place(self, label: str) -> float:
        """Return how much the rests on a tile's own lead speak for that tile, against every other one: as much speaks
        against its being elsewhere. 0 while that lead is empty."""
        case = self._cases.get(label)
        return 0.0 if case is None or not case.rests else max(0.0, min(case.leans.values()))

    def _in_place(self, label: str) -> None:
        """Note that this tile is on its own lead, so it is on no other."""
        del self._cases[label]
        for case in self._cases.values():
            case.others.pop(label, None)
            case.leans.pop(label, None)

    def too_alike(self, one: str, other: str) -> bool:
        """Whether the detents could not reveal the tile of `other` on the lead of `one`."""
        if (one, other) not in self._alike:
            self._alike[one, other] = not _apart(self._dials[one], self._dials[other])
        return self._alike[one, other]

    def unprotected(self) -> Iterator[tuple[str, str]]:
        """Yield squares whose tile cannot be told from another one, and that one."""
        for one in self._nameless:
            for other in self._dials:
                if one != other and self.too_alike(one, other):
                    yield one, other


def _apart(own: Calibration, other: Calibration) -> bool:
    """Whether the rests of the right tile, in every detent once, are expected to decide."""
    if own.counts_per_turn != other.counts_per_turn:
        return True
    steps = [round(off * SEATS_WITHIN_DEG * own.counts_per_turn / 360) for off in (-1.5, -0.5, 0.5, 1.5)]
    raws = [centre + step for centre in own.centres for step in steps]
    expected = sum(math.log(_seated(own, raw) / _seated(other, raw)) for raw in raws) / len(steps)
    return expected >= SURELY_APART


def _likely(dial: Calibration, raw: int, before: int | None) -> float:
    """Return how likely a dial rests at an angle, per degree; `before`: where it stood when its lead was pulled."""
    if before is None:
        return _seated(dial, raw)
    return UNMOVED * _normal(dial.off_deg(raw, before), UNMOVED_DEG) + (1 - UNMOVED) * _seated(dial, raw)


def _seated(dial: Calibration, raw: int) -> float:
    total = 0.0
    for centre in dial.centres:
        away = dial.off_deg(raw, centre)
        if abs(away) <= 2 * FRICTION_DEG:
            total += (1 - HELD_BY_FRICTION) * _normal(away, SEATS_WITHIN_DEG)
            total += HELD_BY_FRICTION / (2 * FRICTION_DEG) if abs(away) <= FRICTION_DEG else 0.0
    return (1 - BETWEEN) * total / dial.clicks + BETWEEN / 360


def _normal(away_deg: float, sd_deg: float) -> float:
    return math.exp(-((away_deg / sd_deg) ** 2) / 2) / (sd_deg * math.sqrt(math.tau))


STANDS_NS: Final = 400_000_000
STILL_DEG: Final = 0.5
MOVED_DEG: Final = 5.0
"""Two rests are two only if the dial was moved by so much between them."""


@dataclass(slots=True)
class RestDetector:
    """Finds the rests of one dial among its samples. `turn`: its counts per turn."""

    turn: int
    _at: int | None = None
    _since_ns: int = 0
    _counted: int | None = None
    _moved: bool = True

    def take(self, at_ns: int, raw: int) -> bool:
        """Take one more good sample. Return True if the dial has now come to rest after a move."""
        if self._counted is not None and self._apart(raw, self._counted) > MOVED_DEG:
            self._moved = True
        if self._at is None or self._apart(raw, self._at) > STILL_DEG:
            self._at, self._since_ns = raw, at_ns
            return False
        if not self._moved or at_ns - self._since_ns < STANDS_NS:
            return False
        self._counted, self._moved = raw, False
        return True

    def _apart(self, one: int, other: int) -> float:
        return abs(wrapped(one - other, self.turn)) * 360 / self.turn
