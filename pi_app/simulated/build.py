"""Builds a simulated table from its settings."""

from __future__ import annotations

from collections.abc import Mapping

from pi_app.play.dial_shapes import calibrations
from pi_app.report.moment import Moment
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable


def simulated_table(
    settings: Settings,
    *,
    seed: int = 0,
    stands: Mapping[str, int] | None = None,
    boards: bool = False,
    hand: str = "formula",
) -> SimulatedTable:
    """Return twins for everything that the settings name. `boards`: with the real firmware in each hub, in real time.
    `hand`: the kind of hand on the dials, one of `hardware.sims.hand.HANDS`, or "mixed"."""
    file = settings.table.calibration
    path = settings.beside(file)
    known = calibrations(path) if file and path.exists() else {}
    if boards:
        from pi_app.simulated.hub_table import BoardTable

        return BoardTable(settings, seed=seed, stands=stands, known=known)
    return SimulatedTable(settings, seed=seed, stands=stands, known=known, hand=hand)


def stands_of(moment: Moment) -> Mapping[str, int]:
    """Return the positions of the dials in the journal, for placing the simulated ones there."""
    return {label: square.stands or 0 for label, square in moment.game.squares.items()}
