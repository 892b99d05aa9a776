"""Whose dial is that? Tiles without a memory are told apart by where their detents are. Pure.

No two printed dials with glued magnets have the same detents: their centres differ by some degrees, and that is what a
calibration knows. When two leads are swapped, each dial rests where the other one's calibration says. Every rest adds
to the evidence for or against that; what comes out is a likelihood and a hint for the referee, never a decision. Where
two dials are too much alike to be told apart, that comes out as well.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.dials.calibration import Calibration

SEATS_WITHIN_DEG: Final = 0.5
"""Standard deviation of where a dial comes to rest in the same detent; the sensor's own noise is a tenth of it."""

MOST_PER_REST: Final = 4.5
"""What one rest may weigh, as a log likelihood: three standard deviations. A dial that was bumped, or that rests
between two detents, must not decide alone."""

SWAPPED_BEFORE: Final = 1e-3
"""How likely two given leads are to be swapped before anything was seen."""

SURE_ENOUGH: Final = 0.9
"""Said from here on. It takes at least three rests, in at least two detents of one of them."""

EACH_LEANS: Final = 3.0
"""And the rests of each of the two must speak for it by themselves, as a log likelihood: a lead that is swapped with a
third one makes half the evidence against an innocent."""

_PRIOR: Final = math.log(SWAPPED_BEFORE / (1 - SWAPPED_BEFORE))


class Verdict(enum.Enum):
    """What is known of two leads."""

    AT_HOME = "both dials rest where they were calibrated to"
    LIKELY_SWAPPED = "each rests where the other was calibrated to"
    NOT_YET = "too few rests were seen"
    TOO_ALIKE = "the two dials cannot be told apart by their detents"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rests of two dials say. `sure`: how likely it is that their leads are swapped, 0 to 1; `rests`: in how
    many detents, of both together, they were seen."""

    one: str
    other: str
    verdict: Verdict
    sure: float
    rests: int


class Fingerprints:
    """The dials of a table as they were calibrated, and the detents in which they have rested since."""

    def __init__(self, dials: Mapping[str, Calibration], named: Mapping[str, Calibration] | None = None) -> None:
        """`dials`: those of squares whose tiles have no memory; a memory knows better. `named`: the other calibrated
        ones, whose tiles may be on the lead of one without."""
        self.dials, self.named = dict(dials), dict(named or {})
        self._dials = dict(dials)
        self._leans: dict[str, dict[int, dict[str, float]]] = {label: {} for label in dials}
        """By square and detent: how much more the rest there speaks for each of the other dials."""
        self._alike: dict[tuple[str, str], bool] = {}
        self._fresh: set[str] = set()
        self._said: set[tuple[str, str]] = set()

    def rested(self, label: str, raw: int) -> None:
        """A dial came to rest at this angle. The newest rest in each detent counts."""
        dial = self._dials.get(label)
        if dial is not None:
            nearest = min(range(dial.clicks), key=lambda k: _away_deg(dial, raw, k))
            own = _doubt(dial, raw)
            self._leans[label][nearest] = {
                other: own - _doubt(each, raw)
                for other, each in self._dials.items()
                if other != label and _same_kind(dial, each)
            }
            self._fresh.add(label)

    def plugged(self, label: str) -> None:
        """Its lead was out: what was seen before may have been another dial."""
        if label in self._leans:
            self._leans[label].clear()
            self._said = {pair for pair in self._said if label not in pair}

    def findings(self) -> Iterator[Finding]:
        """What is known of every two dials that could be taken for each other."""
        for one, other in self._pairs():
            yield self._finding(one, other)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for one, other in itertools.combinations(self._dials, 2):
            if _same_kind(self._dials[one], self._dials[other]):
                yield one, other

    def news(self) -> list[Finding]:
        """Likely swaps that were not handed out yet; costs nothing where nothing has come to rest since."""
        found = [
            finding
            for one, other in (self._pairs() if self._fresh else ())
            if {one, other} & self._fresh and (one, other) not in self._said
            if (finding := self._finding(one, other)).verdict is Verdict.LIKELY_SWAPPED
        ]
        self._fresh.clear()
        self._said |= {(finding.one, finding.other) for finding in found}
        return found

    def _finding(self, one: str, other: str) -> Finding:
        seen, crossed = self._leans[one].values(), self._leans[other].values()
        rests = len(seen) + len(crossed)
        here, there = sum(leans[other] for leans in seen), sum(leans[one] for leans in crossed)
        sure = 1 / (1 + math.exp(-(here + there + _PRIOR)))
        if self._too_alike(one, other):
            verdict = Verdict.TOO_ALIKE
        elif sure >= SURE_ENOUGH and min(here, there) >= EACH_LEANS:
            verdict = Verdict.LIKELY_SWAPPED
        elif here < -1 and there < -1:
            verdict = Verdict.AT_HOME
        else:
            verdict = Verdict.NOT_YET
        return Finding(one, other, verdict, sure, rests)

    def _too_alike(self, one: str, other: str) -> bool:
        if (one, other) not in self._alike:
            self._alike[one, other] = not told_apart(self._dials[one], self._dials[other])
        return self._alike[one, other]


def told_apart(one: Calibration, other: Calibration) -> bool:
    """Whether a swap of these two would be found once both have rested in every detent."""
    against = sum(_doubt(one, raw) - _doubt(other, raw) for raw in other.centres)
    against += sum(_doubt(other, raw) - _doubt(one, raw) for raw in one.centres)
    return against + _PRIOR > math.log(SURE_ENOUGH / (1 - SURE_ENOUGH))


def _same_kind(one: Calibration, other: Calibration) -> bool:
    return (one.clicks, one.counts_per_turn, one.invert) == (other.clicks, other.counts_per_turn, other.invert)


def _doubt(dial: Calibration, raw: int) -> float:
    """How ill an angle of rest fits a dial, as a log likelihood."""
    away = min(_away_deg(dial, raw, k) for k in range(dial.clicks))
    return min(MOST_PER_REST, (away / SEATS_WITHIN_DEG) ** 2 / 2)


def _away_deg(dial: Calibration, raw: int, position: int) -> float:
    turn = dial.counts_per_turn
    return abs((raw - dial.centres[position] + turn / 2) % turn - turn / 2) * 360 / turn
