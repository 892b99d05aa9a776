"""Checks that the calibration can be read and has every square."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_check import TileCheck
from pi_app.plans.check import Check, Sign
from pi_app.play.dial_shapes import calibrations
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError


def examine_calibration(settings: Settings) -> Iterator[Check]:
    """Check that it can be read and has every square with an absolute encoder."""
    named = settings.table.calibration
    if not named:
        seen = "none, so detents are assumed to be even, and a tile on another square's lead is not noticed"
        yield Check(Sign.GOOD, "calibration", "settings", seen)
        return
    path = settings.beside(named)
    learn = "Run trapdial calibrate."
    try:
        known = calibrations(path)
    except UserFileError as error:
        yield Check(Sign.FAILS, "calibration", str(path), error.problems[0].rstrip("."), learn, refuses=True)
        return
    missing = [label for label, square in settings.squares.items() if square.kind.absolute and label not in known]
    if missing:
        blind = [label for label in missing if settings.squares[label].memory is None]
        unseen = f"; another tile on a lead of {', '.join(blind)} is not noticed" if blind else ""
        yield Check(Sign.UNSURE, "calibration", str(path), f"has no entry for {', '.join(missing)}{unseen}", learn)
    else:
        yield Check(Sign.GOOD, "calibration", str(path), "has every square")
    if alike := _too_alike(settings, known):
        seen = f"has tiles with too similar detents: {', '.join(alike)}; an exchange of these is not noticed"
        yield Check(Sign.UNSURE, "calibration", str(path), seen, "Label the tiles, or give each a memory.")


def _too_alike(settings: Settings, known: Mapping[str, Calibration]) -> list[str]:
    """Return pairs of squares whose tiles could be exchanged unnoticed."""
    here = {label: dial for label, dial in known.items() if label in settings.squares}
    nameless = {label: dial for label, dial in here.items() if settings.squares[label].memory is None}
    check = TileCheck(nameless, {label: dial for label, dial in here.items() if label not in nameless})
    pairs = {" and ".join(sorted(pair)) for pair in check.unprotected()}
    return sorted(pairs)
