"""The shape of each dial: from its calibration, or from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pi_app.dials.tracker import DialShape
from pi_app.game import events as ev
from pi_app.settings.model import SquareSettings, TableSettings
from pi_app.text.errors import UserFileError

if TYPE_CHECKING:
    from pi_app.dials.calibration import Calibration


def calibrations(path: Path) -> Mapping[str, Calibration]:
    """Return the calibrations of a file, by square. Raises UserFileError with every problem of the file."""
    from pi_app.dials.calibration import load
    from pi_app.text.user_file import read_text

    return load(read_text(path), str(path))


def shape(square: SquareSettings, table: TableSettings, learnt: Calibration | None) -> DialShape:
    """Return the shape of this square's dial. Raises UserFileError if its calibration is of another dial."""
    if learnt is None:
        return DialShape(
            clicks=square.table.clicks,
            counts_per_turn=square.counts_per_turn,
            invert=square.invert,
            in_steps=not square.kind.absolute,
            rest_ms=table.rest_ms,
            gap_limit_ms=table.gap_limit_ms,
        )
    if (learnt.clicks, learnt.invert) != (square.table.clicks, square.invert):
        raise _other_dial(square, table, "with other clicks or another direction")
    if learnt.counts_per_turn != square.counts_per_turn:
        raise _other_dial(square, table, f"of {learnt.counts_per_turn} counts per turn, not {square.counts_per_turn}")
    return learnt.shape(rest_ms=table.rest_ms, gap_limit_ms=table.gap_limit_ms)


def _other_dial(square: SquareSettings, table: TableSettings, which: str) -> UserFileError:
    return UserFileError(
        [
            f"{table.calibration} ([{square.label}]) was learnt from a dial {which}. "
            "Calibrate this dial again with `trapdial calibrate`."
        ]
    )


def dial_setup(shape: DialShape, learnt: Calibration | None) -> ev.DialSetup:
    """Return the shape of a dial as the record keeps it."""
    turn = shape.counts_per_turn
    even = ((-k if shape.invert else k) * shape.pitch % turn for k in range(shape.clicks))
    return ev.DialSetup(
        centres=tuple(round(centre) % turn for centre in shape.centres or even),
        counts_per_turn=turn,
        seated=round(shape.seated),
        invert=shape.invert,
        calibrated=shape.centres is not None,
        tile="" if learnt is None else learnt.tile,
    )
