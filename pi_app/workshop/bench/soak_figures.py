"""What a soak counted, as figures with their targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pi_app.workshop.bench import Figure
from pi_app.workshop.bench.growth import Slope
from pi_app.workshop.bench.soak_faults import FaultCounts
from pi_app.workshop.bench.soak_truth import TurnCounts

HOUR_S: Final = 3_600.0
DAY_S: Final = 86_400.0

MOST_RECOVERY_S: Final = 1.0
MOST_MB_PER_DAY: Final = 1.0
MOST_MB_PER_DAY_OF_PLAY: Final = 10.0
"""Of a day of play without a pause, which no table has: nights are left out of it."""
LEAST_LIFE_S: Final = 6 * HOUR_S
"""A shorter run cannot show growth per day."""
LEAST_PLAY_S: Final = 2 * HOUR_S
"""A program warms up in its first hour of play, and the later half of a run must not be that hour."""


@dataclass(slots=True)
class SoakResult:
    """What a soak counted."""

    turns: TurnCounts = field(default_factory=TurnCounts)
    faults: FaultCounts = field(default_factory=FaultCounts)
    played_s: float = 0.0
    quiet_s: float = 0.0
    nights: int = 0
    kills: int = 0
    cuts: int = 0
    mb: float = 0.0
    mb_slope: Slope = field(default_factory=Slope)
    play_slope: Slope = field(default_factory=Slope)
    objects_slope: Slope = field(default_factory=Slope)
    held_slope: Slope = field(default_factory=Slope)
    growing: list[tuple[str, float]] = field(default_factory=list)
    garbage: int = 0
    files: int = 0
    more_files: int = 0
    threads: int = 0
    more_threads: int = 0
    journal_bytes: int = 0

    @property
    def lived_s(self) -> float:
        return self.played_s + self.quiet_s


def figures(result: SoakResult) -> list[Figure]:
    """One figure for each count."""
    turns = result.turns
    hours = (
        f"{result.lived_s / HOUR_S:.1f} hours of the table's life: {result.played_s / HOUR_S:.2f} played, "
        f"{result.quiet_s / HOUR_S:.2f} quiet in {result.nights} nights"
    )
    return [
        Figure("samples processed", turns.samples, "samples", note=hours),
        Figure("turns reported wrong", turns.wrong, "turns", 0, note=f"of {turns.turns} turns in {turns.games} games"),
        Figure("turns reported but not made", turns.invented, "turns", 0),
        Figure("turns not reported", turns.unreported, "turns", 0),
        Figure("turns recorded differently than reported", turns.misrecorded, "turns", 0),
        Figure("claims bound to a dial that was not turned", turns.misclaimed, "claims", 0, note=f"of {turns.claimed}"),
        Figure("turns reported right", turns.right, "turns"),
        Figure("turns reported as unknown", turns.unknown, "turns", note="something hid the dial meanwhile"),
        *_fault_figures(result.faults),
        Figure(
            "dials at a wrong position after a restart",
            turns.misremembered,
            "dials",
            0,
            note=f"{result.kills} kills in a game, {result.cuts} mornings after the plug was pulled",
        ),
        *_growth_figures(result),
    ]


def _fault_figures(faults: FaultCounts) -> list[Figure]:
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(faults.injected.items()))
    unfit = f"; not for this table: {', '.join(sorted(faults.unfit))}" if faults.unfit else ""
    count = len(faults.injected)
    return [
        Figure("faults injected", faults.injected.total(), "faults", note=f"{count} kinds: {kinds}{unfit}"),
        Figure("faults injected during another", faults.together, "faults"),
        Figure(
            "faults not recovered from",
            faults.unrecovered,
            "faults",
            0,
            note=f"{faults.killed} more were present when the program was killed",
        ),
        Figure(
            "longest recovery from a single fault",
            max(faults.slowest_s.values(), default=0.0),
            "s",
            MOST_RECOVERY_S,
            note=_slowest(faults.slowest_s),
        ),
        Figure("longest recovery from several at once", faults.slowest_together_s, "s", MOST_RECOVERY_S),
    ]


def _slowest(by_fault: Mapping[str, float]) -> str:
    worst = sorted(by_fault.items(), key=lambda item: -item[1])[:5]
    return ", ".join(f"{name} {took_s:.2f} s" for name, took_s in worst)


def _growth_figures(result: SoakResult) -> list[Figure]:
    events = max(1, result.turns.events.total())
    kinds = ", ".join(f"{name} {count}" for name, count in result.turns.events.most_common(5))
    growing = ", ".join(f"{name} {by:+.0f}" for name, by in result.growing) or "nothing"
    long_enough = result.lived_s >= LEAST_LIFE_S
    played_enough = result.played_s >= LEAST_PLAY_S
    too_little = f"; {result.played_s / HOUR_S:.1f} h of play are too few for a target"
    return [
        Figure(
            "memory growth per day, at least",
            result.mb_slope.at_least,
            "MB",
            MOST_MB_PER_DAY if long_enough else None,
            note=f"{_interval(result.mb_slope, 'MB')}; {result.mb:.1f} MB held"
            + ("" if long_enough else "; the run is too short for a target"),
        ),
        Figure(
            "memory growth per day of continuous play, at least",
            result.play_slope.at_least,
            "MB",
            MOST_MB_PER_DAY_OF_PLAY if played_enough else None,
            note=f"{_interval(result.play_slope, 'MB')}; nights left out{'' if played_enough else too_little}",
        ),
        Figure(
            "objects per day",
            result.objects_slope.per_unit,
            "objects",
            note=f"{_interval(result.objects_slope, '')}; more in the last quarter: {growing}",
        ),
        Figure("container entries per day", result.held_slope.per_unit, "", note=_interval(result.held_slope, "")),
        Figure("uncollected garbage at the end", result.garbage, "objects"),
        Figure("more open files than at first", result.more_files, "files", 0, note=f"{result.files} at first"),
        Figure("more threads than at first", result.more_threads, "threads", 0, note=f"{result.threads} at first"),
        Figure("journal bytes per event", result.journal_bytes / events, "bytes", note=f"{events} events: {kinds}"),
        Figure(
            "journal growth per day of continuous play",
            result.journal_bytes / 1e6 * DAY_S / result.played_s if result.played_s else 0.0,
            "MB",
            note=f"{result.journal_bytes / 1e6:.2f} MB on disk in all",
        ),
    ]


def _interval(slope: Slope, unit: str) -> str:
    return f"{slope.per_unit:+.3g} +- {slope.give_or_take:.2g} {unit}".rstrip()
