"""The load of hundreds of tables, as `trapdial bench centre` measures it; the short run is smaller, and judges only
what does not depend on the machine: that nothing is lost, double or different.
"""

from __future__ import annotations

import contextlib
from typing import Final

from pi_app.sender import pace
from pi_app.settings.load import example_path, load
from pi_app.workshop.bench.centre.measure import CentreAmounts
from pi_app.workshop.bench.centre.measure import run as measured
from tests.centre.patching import patched
from tests.pages.figures import Figures

SHORT: Final = CentreAmounts(tables=60, seconds=8.0, back=20, entries=1_000, live=10)
JUDGED: Final = ("lost", "double", "different or of no table", "without their rows or wrong")


def run(figures: Figures, *, short: bool) -> None:
    """Measure both loads."""
    with contextlib.ExitStack() as closing:
        if short:  # twenty tables need not come back as slowly as five hundred
            closing.enter_context(patched(pace, "FIRST_LONGEST_S", 3.0))
        found = measured(load(example_path("8x4")), None, SHORT if short else CentreAmounts())
    for figure in found.figures:
        judged = figure.target is not None and (not short or figure.name.endswith(JUDGED))
        if not judged:
            figures.note(f"{figure.name}: {figure.value:,.4g} {figure.unit} {figure.note}".rstrip())
        elif figure.at_most:
            figures.most(figure.name, figure.value, figure.target or 0.0, f" {figure.unit}".rstrip())
        else:
            figures.least(figure.name, figure.value, figure.target or 0.0, f" {figure.unit}".rstrip())
