"""Find swapped leads: tiles without a memory are told apart by where their detents are. Pure.

No two printed dials with glued magnets have the same detents: their centres differ by some degrees, and a calibration
records them. When two leads are swapped, each dial rests where the other one's calibration says. Every rest adds to the
evidence for or against a swap; the result is a probability and a hint for the referee, never a decision. Dials that are
too much alike to be told apart are reported as such.
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
"""The most that one rest may weigh, as a log likelihood: three standard deviations. A dial that was bumped, or that
rests between two detents, must not decide alone."""

SWAPPED_BEFORE: Final = 1e-3
"""How likely two given leads are to be swapped before the first rest."""

SURE_ENOUGH: Final = 0.9
"""A swap is reported from this probability on. It takes at least three rests, in at least two detents of one dial."""

EACH_LEANS: Final = 3.0
"""And the rests of each of the two alone must speak for it this much, as a log likelihood: a lead that is swapped with
a third one makes half the evidence against an innocent one."""

_PRIOR: Final = math.log(SWAPPED_BEFORE / (1 - SWAPPED_BEFORE))


class SwapState(enum.Enum):
    """Whether two leads are swapped."""

    IN_PLACE = "both dials rest where they were calibrated"
    LIKELY_SWAPPED = "each rests where the other was calibrated"
    UNDECIDED = "too few rests so far"
    TOO_ALIKE = "the two dials cannot be told apart by their detents"


@dataclass(frozen=True, slots=True)
class SwapCheck:
    """What the rests of two dials say. `probability` of a swap, 0 to 1; `rests`: in how many detents, of both together,
    they rested."""

    one: str
    other: str
    state: SwapState
    probability: float
    rests: int


class Fingerprints:
    """The dials of a table as they were calibrated, and the detents in which they have rested since."""

    def __init__(self, dials: Mapping[str, Calibration], named: Mapping[str, Calibration] | None = None) -> None:
        """`dials`: those of squares whose tiles have no memory. `named`: the other calibrated ones, whose tiles have
        one and may be on the lead of a tile without."""
        self.dials, self.named = dict(dials), dict(named or {})
        self._dials = dict(dials)
        self._leans: dict[str, dict[int, dict[str, float]]] = {label: {} for label in dials}
        """By square and detent: how much the rest there speaks for each other dial over the square's own."""
        self._alike: dict[tuple[str, str], bool] = {}
        self._fresh: set[str] = set()
        self._reported: set[tuple[str, str]] = set()

    def rested(self, label: str, raw: int) -> None:
        """Take an angle at which a dial came to rest. The newest rest in each detent counts."""
        dial = self._dials.get(label)
        if dial is not None:
            nearest = min(range(dial.clicks), key=lambda k: abs(dial.off_deg(raw, dial.centres[k])))
            own = _doubt(dial, raw)
            self._leans[label][nearest] = {
                other: own - _doubt(each, raw)
                for other, each in self._dials.items()
                if other != label and _same_kind(dial, each)
            }
            self._fresh.add(label)

    def plugged(self, label: str) -> None:
        """Forget the rests of a dial whose lead was out: they may have been another dial's."""
        if label in self._leans:
            self._leans[label].clear()
            self._reported = {pair for pair in self._reported if label not in pair}

    def checks(self) -> Iterator[SwapCheck]:
        """Check every two dials that could be taken for each other."""
        for one, other in self._pairs():
            yield self._check(one, other)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for one, other in itertools.combinations(self._dials, 2):
            if _same_kind(self._dials[one], self._dials[other]):
                yield one, other

    def new_swaps(self) -> list[SwapCheck]:
        """Return likely swaps that were not returned yet; free if no dial has come to rest since."""
        found = [
            check
            for one, other in (self._pairs() if self._fresh else ())
            if {one, other} & self._fresh and (one, other) not in self._reported
            if (check := self._check(one, other)).state is SwapState.LIKELY_SWAPPED
        ]
        self._fresh.clear()
        self._reported |= {(check.one, check.other) for check in found}
        return found

    def _check(self, one: str, other: str) -> SwapCheck:
        ones, others = self._leans[one].values(), self._leans[other].values()
        rests = len(ones) + len(others)
        one_leans, other_leans = sum(leans[other] for leans in ones), sum(leans[one] for leans in others)
        probability = 1 / (1 + math.exp(-(one_leans + other_leans + _PRIOR)))
        if self._too_alike(one, other):
            state = SwapState.TOO_ALIKE
        elif probability >= SURE_ENOUGH and min(one_leans, other_leans) >= EACH_LEANS:
            state = SwapState.LIKELY_SWAPPED
        elif one_leans < -1 and other_leans < -1:
            state = SwapState.IN_PLACE
        else:
            state = SwapState.UNDECIDED
        return SwapCheck(one, other, state, probability, rests)

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
    """Return how badly an angle of rest fits a dial, as a log likelihood."""
    away = min(abs(dial.off_deg(raw, centre)) for centre in dial.centres)
    return min(MOST_PER_REST, (away / SEATS_WITHIN_DEG) ** 2 / 2)
