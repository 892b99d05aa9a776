"""How surprising counts are: numbers that a fair dial exceeds rarely, however few its turns and however often they are
looked at. Pure.

A test is the ratio of two probabilities of what was seen: under a mixture of unfair dials, and under the fair one. For
a fair dial the ratio is 1 on average after every turn, so it ever reaches 400 in at most one of 400 fair dials (Ville's
inequality; Shafer, "Testing by betting", JRSS A 184, 2021). Its reciprocal is a p-value that needs no approximation:
it holds for two turns as for a million, and for an auditor who looks every day and stops when something shows.
Pearson's chi-squared has neither property: far in its tail it is too small for few turns, and a table that is tested
every evening fails it in the end. It is given beside each finding, because people know it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

FACES: Final = 6

PREFERRED: Final = (0.03, 0.08, 0.22, 0.3, 0.4, 0.55, 0.75, 0.95)
"""How often an unfair dial may stop at one of its clicks, where a fair one does so in one of six turns."""

CONCENTRATIONS: Final = (1.0, 4.0, 16.0)
"""Dirichlet priors of dials that are uneven in another way: from any to nearly even."""

TIMES: Final = (1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0)
"""How many times as often as allowed something may happen at a bad dial."""

MOST_LIKELY: Final = 0.98


def uneven(faces: Sequence[int], reach: Sequence[int], hits: Sequence[int]) -> float:
    """Return the logarithm of the ratio for first turns. `faces`: how many had 1 to 6 clicks; `reach` and `hits`: of
    each detent of the dial, how many turns could end there if they had 1 to 6 clicks, and how many did."""
    total = sum(faces)
    spread = [_dirichlet(faces, total, each) for each in CONCENTRATIONS]
    by_face = [_one(count, total, p) for count in faces for p in PREFERRED]
    by_detent = [_one(count, most, p) for count, most in zip(hits, reach, strict=True) for p in PREFERRED]
    parts = [(_mean(spread), 0.25), (_mean(by_face), 0.5), (_mean(by_detent) if by_detent else 0.0, 0.25)]
    return _log_sum(value + math.log(weight) for value, weight in parts)


def too_often(events: int, trials: int, allowed: float) -> float:
    """Return the logarithm of the ratio for what happened in so many of some trials, and may happen in this part of
    them or less. It never rises above 0 for less than that."""
    rates = {min(MOST_LIKELY, allowed * times) for times in TIMES if allowed < MOST_LIKELY}
    if not rates or events <= allowed * trials:
        return 0.0
    return _mean(
        [events * math.log(rate / allowed) + (trials - events) * math.log((1 - rate) / (1 - allowed)) for rate in rates]
    )


def chi_squared(faces: Sequence[int]) -> float:
    """Return Pearson's chi-squared of faces against a fair die; 0 for none."""
    expected = sum(faces) / FACES
    return sum((each - expected) ** 2 for each in faces) / expected if expected else 0.0


def holm(logs: Sequence[float], alpha: float) -> list[float | None]:
    """Return of each test, by the logarithm of its ratio, the p-value corrected for all of them (Holm 1979), and None
    for those that are no alarm: fair dials alone give any alarm with at most this probability."""
    found: list[float | None] = [None] * len(logs)
    worst = 0.0
    for rank, at in enumerate(sorted(range(len(logs)), key=lambda each: -logs[each])):
        worst = max(worst, min(1.0, math.exp(min(0.0, math.log(len(logs) - rank) - logs[at]))))
        if worst > alpha:
            break
        found[at] = worst
    return found


def _dirichlet(faces: Sequence[int], total: int, each: float) -> float:
    mixed = math.lgamma(FACES * each) - math.lgamma(FACES * each + total)
    mixed += sum(math.lgamma(each + count) - math.lgamma(each) for count in faces)
    return mixed + total * math.log(FACES)


def _one(hits: int, reach: int, p: float) -> float:
    return hits * math.log(p * FACES) + (reach - hits) * math.log((1 - p) * FACES / (FACES - 1))


def _mean(logs: Sequence[float]) -> float:
    return _log_sum(logs) - math.log(len(logs))


def _log_sum(logs: Iterable[float]) -> float:
    every = list(logs)
    top = max(every)
    return top + math.log(sum(math.exp(each - top) for each in every))
