"""Whether the calibration can be read and knows every square."""

from __future__ import annotations

from collections.abc import Iterator

from pi_app.dial_setups import calibrations
from pi_app.doctor.check import Check, Sign
from pi_app.errors import UserFileError
from pi_app.settings import Settings


def examine_calibration(settings: Settings) -> Iterator[Check]:
    """Whether it can be read, and whether it knows every square with an absolute encoder."""
    named = settings.table.calibration
    if not named:
        yield Check(Sign.GOOD, "calibration", "settings", "none, so detents are taken to be even")
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
        yield Check(Sign.UNSURE, "calibration", str(path), f"does not know {', '.join(missing)}", learn)
    else:
        yield Check(Sign.GOOD, "calibration", str(path), "knows every square")
