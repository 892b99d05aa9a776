"""Tests all dials of a fleet together: which one is loaded, worn, slipped, or turned as the rules do not allow. Pure.

What a fleet of fair dials does is the measure: a dial is found if something happens at it in more than twice as many
games as at the others, and if that is no chance. So a dial that is somewhat older than most is none.

| at a dial | and at the others | nine of ten are found after |
| --- | --- | --- |
| one click in 25 % of first turns | 17 % | 1,350 first turns |
| one click in 30 % | 17 % | 620 |
| one click in 50 % | 17 % | 110 |
| one click in 80 % | 17 % | 35 |
| it rests between two detents in 10 % of games | 1 % | 350 games |
| in 20 %; or is turned clockwise in so many | 1 % | 100 |
| in 50 % | 1 % | 25 |
| it stands beside its start mark in 90 %: its magnet slipped by a click | 3 % | 12 |
| it rests beside its calibrated centres in 90 %: its magnet slipped by less | | 15 |

These hold among 4,000 dials. An auditor who looked once, at a time fixed beforehand, would need two thirds of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.centre.facts import ended_game as of
from pi_app.centre.facts.values import DialFacts, typical
from pi_app.centre.findings.surprise import chi_squared, holm, too_often, uneven
from pi_app.text.language import count_of

ALPHA: Final = 0.05 / 20
"""A fleet of fair dials ever gives a false alarm with at most this probability: at most one in 20 fleets, with 95 %."""

STOPS: Final = "stops"

MARGIN: Final = 2.0
"""A dial may do something in so many times as many games as the others do."""

LEAST: Final = 0.01
"""What happens in one game of a hundred is found at no dial, even if it never happens at the others."""

DRIFTS: Final = 0.1
"""A dial that stands where it was calibrated rests beside its centres (`DRIFT_DEG`) in fewer games than this."""

RATES: Final = (of.BETWEEN, of.DIRECTION, of.DIE_COUNT, of.START, of.MAGNET, of.UNREAD)
"""Compared with the fleet."""

TESTS: Final = (STOPS, *RATES, of.DRIFT_LEFT, of.DRIFT_RIGHT)


@dataclass(frozen=True, slots=True)
class DialFound:
    """A dial and a test that it failed. `number`: of its record; `p`: probability that fair dials alone give this or
    any other finding, at most; `words`: a sentence, after the table's name."""

    number: int
    square: str
    test: str
    p: float
    words: str


def dial_findings(fleet: Mapping[int, Sequence[DialFacts]], alpha: float = ALPHA) -> list[DialFound]:
    """Return the dials that fail a test, the least likely first. `fleet`: the dials of each record, by its number."""
    dials = [(number, dial) for number, its in fleet.items() for dial in its]
    sums = {test: (sum(d.events(test) for _, d in dials), sum(d.trials(test) for _, d in dials)) for test in RATES}
    tested = [(number, dial, test, log) for number, dial in dials for test, log in _tests(dial, sums)]
    corrected = holm([log for *_, log in tested], alpha)
    found = [
        DialFound(number, dial.square, test, p, _words(dial, test, sums))
        for (number, dial, test, _), p in zip(tested, corrected, strict=True)
        if p is not None
    ]
    return sorted(found, key=lambda each: each.p)


def _tests(dial: DialFacts, sums: Mapping[str, tuple[int, int]]) -> Iterator[tuple[str, float]]:
    """Yield each test that this dial can fail, with the logarithm of its ratio."""
    if any(dial.faces):
        yield STOPS, uneven(dial.faces, dial.reach, dial.hits)
    for test in RATES:
        if trials := dial.trials(test):
            yield test, too_often(dial.events(test), trials, _allowed(dial, test, sums[test]))
    for test in (of.DRIFT_LEFT, of.DRIFT_RIGHT):
        if trials := dial.trials(test):
            yield test, too_often(dial.events(test), trials, DRIFTS)


def _allowed(dial: DialFacts, test: str, fleet: tuple[int, int]) -> float:
    """Return in what part of its games something may happen at a dial, by what happens at the others. That is known up
    to its own chance error, of which two standard deviations are allowed for: six games of others allow everything, so
    no finding tells what fewer did."""
    events, trials = fleet[0] - dial.events(test), fleet[1] - dial.trials(test)
    if not trials:
        return 1.0
    return max(LEAST, MARGIN * (events + 2 * math.sqrt(events) + 3) / trials)


def _words(dial: DialFacts, test: str, sums: Mapping[str, tuple[int, int]]) -> str:
    name = f"{dial.square} (tile {dial.tile})" if dial.tile else dial.square
    if test == STOPS:
        counts = ", ".join(map(str, dial.faces))
        return (
            f"{name} stops unevenly: {sum(dial.faces)} first turns of 1 to 6 clicks came {counts} times (chi-squared "
            f"{chi_squared(dial.faces):.0f}){_where(dial)}. Check whether it is loaded, or not turned by a die."
        )
    events, trials = dial.events(test), dial.trials(test)
    games = f"in {events} of {trials} games"
    if test in sums:
        others, all_trials = sums[test]
        games += f", the others in {100 * (others - events) / (all_trials - trials):.2g} of 100"
    match test:
        case of.BETWEEN:
            return (
                f"{name} rests between two detents {games} ({dial.between:,} of {count_of(dial.turns, 'turn')}). Its "
                "detents look worn: check them before you replace it."
            )
        case of.DIRECTION:
            return f"{name} was turned clockwise {games}. Check which way it counts, or who turns it."
        case of.DIE_COUNT:
            return f"{name} was not turned by the die that was reported {games}. Check its detents, or who turns it."
        case of.START:
            return f"{name} did not stand at its start mark {games}{_stood(dial)}."
        case of.MAGNET:
            return f"{name} reports a magnet that is too weak or too near, or jumps {games}. Check its magnet."
        case of.UNREAD:
            gap = typical(dial.gaps, 0.5)
            return f"{name} could not be followed {games} (half of its turns have gaps below {gap} ms). Check its lead."
    way = "counter-clockwise" if test == of.DRIFT_LEFT else "clockwise"
    return f"{name} rested {way} of its calibrated centres {games}. Its magnet has slipped: calibrate it again."


def _where(dial: DialFacts) -> str:
    """Name the detent at which it stops most often for a fair die, if the game's start is not always the same."""
    parts = [hits / reach if reach else 0.0 for hits, reach in zip(dial.hits, dial.reach, strict=True)]
    best = max(range(len(parts)), key=parts.__getitem__, default=0)
    same = max(dial.reach, default=0) == sum(dial.faces)
    return "" if same else f", {dial.hits[best]} of {dial.reach[best]} that could end there at detent {best}"


def _stood(dial: DialFacts) -> str:
    away = dial.starts[1:]
    most = max(away, default=0)
    if 2 * most <= sum(away):
        return ": it is not set back before a game"
    return f", mostly at position {1 + away.index(most)}: its magnet may have slipped"
