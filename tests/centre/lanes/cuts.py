"""The power of the centre's machine is cut: for SQLite with recorded writes, for PostgreSQL with traced ones."""

from __future__ import annotations

from typing import Final

from tests.centre.postgres_cuts import cut, traced
from tests.centre.sqlite_cuts import SQLITE
from tests.crash.points import Tally, strike
from tests.pages.figures import Figures

POINTS: Final = {True: 600, False: 50_000}
LIVES: Final = {True: 2, False: 4}
EACH: Final = 1_500
STEPS: Final = {True: 12, False: 60}
PLACES: Final = {True: 4, False: 50}
CARELESS: Final = 6
"""Cuts of a PostgreSQL that does not wait for its disk; these must be noticed."""


def run(figures: Figures, *, short: bool) -> None:
    """Cut the power over both stores. Raises CannotRun where PostgreSQL cannot be traced, after SQLite's."""
    _sqlite(figures, short=short)
    _postgres(figures, short=short)


def _sqlite(figures: Figures, *, short: bool) -> None:
    whole, points = Tally(), POINTS[short]
    for seed in range(-(-points // EACH)):
        tally = strike(seed, min(points, EACH), lives=LIVES[short], lane=SQLITE)
        whole.places += tally.places
        whole.points += tally.points
        whole.folders |= tally.folders
        whole.wrong += tally.wrong
    for line in whole.wrong[:5]:
        figures.note(line)
    figures.note(f"SQLite: {whole.points:,} power cuts at {whole.places:,} places, {len(whole.folders):,} folders left")
    figures.most(
        "SQLite: cuts after which a cosignature was without its rows, or nothing could go on", len(whole.wrong), 0
    )


def _postgres(figures: Figures, *, short: bool) -> None:
    with traced(STEPS[short], 1, {}) as found:
        left = list(cut(found, PLACES[short], 1))
        figures.note(f"PostgreSQL: {len(found.ops):,} operations traced, {len(found.answers)} answers to tables")
    for line in [each for lines in left for each in lines][:5]:
        figures.note(line)
    figures.least("PostgreSQL: power cuts", len(left), PLACES[short])
    bad = sum(bool(each) for each in left)
    figures.most("PostgreSQL: cuts after which a cosignature was without its rows, or nothing could go on", bad, 0)
    with traced(STEPS[short], 2, {"fsync": "off"}) as careless:
        noticed = sum(bool(each) for each in cut(careless, CARELESS, 2))
    figures.least("PostgreSQL without fsync: cuts that are noticed", noticed, 1)
