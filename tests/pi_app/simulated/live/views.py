"""Snapshots for drawing."""

from __future__ import annotations

from dataclasses import replace

from pi_app.simulated.live.cells import StyledLine
from pi_app.simulated.live.values import LiveSeat, LogLine, Snapshot, SquareView, Stage
from pi_app.text.language import words

EN = words("en")

DARK = bytes(1024)
ANN = LiveSeat(seat="ANN", name="Ann", pixels=DARK, lamp=False)
BEN = LiveSeat(seat="BEN", name="Ben", pixels=DARK, lamp=False)
T01 = SquareView(label="T01", state="CONCEALED", told="concealed", clicks=12, turned=0.0)
T02 = replace(T01, label="T02")

TABLE = Snapshot(
    table_name="Small table",
    samples=True,
    stage=Stage.PLAYING,
    at_s=3723,
    samples_per_s=100,
    longest_gap_ms=10,
    squares=(T01, T02),
    seats=(ANN, BEN),
    log=(
        LogLine(0, "public", "Small table. The game is on. SIMULATED: no real dial was read."),
        LogLine(65, "referee", "Finding T-AUD-2: T02 was turned without a claim."),
    ),
)


def plain(line: StyledLine) -> str:
    """Return a line without its styles."""
    return "".join(text for text, _ in line)
