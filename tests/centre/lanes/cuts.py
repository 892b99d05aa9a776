"""The power of the centre's machine is cut: for SQLite with recorded writes, for PostgreSQL with traced ones."""

from __future__ import annotations

from tests.centre.sqlite_cuts import SQLITE
from tests.crash.points import Tally, strike
from tests.pages.figures import Figures

POINTS = {True: 800, False: 50_000}
LIVES = {True: 2, False: 4}
EACH = 1_500


def run(figures: Figures, *, short: bool) -> None:
    """Cut the power over both stores."""
    whole, points = Tally(), POINTS[short]
    seeds = range(-(-points // EACH))
    for seed in seeds:
        tally = strike(seed, min(points, EACH), lives=LIVES[short], lane=SQLITE)
        whole.places += tally.places
        whole.points += tally.points
        whole.folders |= tally.folders
        whole.wrong += tally.wrong
    for line in whole.wrong[:5]:
        figures.note(line)
    figures.note(f"SQLite: {whole.places:,} places, {len(whole.folders):,} different folders left")
    figures.least("SQLite: power cuts", whole.points, points)
    figures.most(
        "SQLite: cuts after which a cosignature was without its rows, or nothing could go on", len(whole.wrong), 0
    )
