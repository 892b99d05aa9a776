"""Calibrated tiles whose leads a person pulls, plugs in and exchanges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from hardware.sims.hand import SimMagnet
from pi_app.dials.calibration import Calibration
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.workshop.calibrate import keep
from tests.pi_app.playing import Played, settings


def calibrated(folder: Path) -> Settings:
    """Return the small example with calibrated dials: the twins of seed 5 have the seeds 5000 and 5001."""
    dials = {}
    for n, label in enumerate(("T01", "T02")):
        magnet = SimMagnet(float, 5000 + n, noise_sd_deg=0)
        centres = [round(magnet(round(k * 4096 / 12))) % 4096 for k in range(12)]
        dials[label] = Calibration.of_centres(centres, [3] * 12, counts_per_turn=4096, invert=False)
    keep(folder / "c.toml", dials)
    used = settings()
    return replace(
        used, where=str(folder / "trapdial.toml"), table=msgspec.structs.replace(used.table, calibration="c.toml")
    )


def pull(at: Played, *labels: str) -> None:
    for label in labels:
        at.demo.act(actions.InjectFault(label, "unplugged"))
        at.run(1.0)


def plug(at: Played, *labels: str) -> None:
    for label in labels:
        at.demo.act(actions.ClearFault(label, "unplugged"))
        at.run(1.0)


def exchange(at: Played) -> None:
    """Move the tile of T02 to the socket of T01, and leave that of T02 empty."""
    pull(at, "T02", "T01")
    at.demo.act(actions.InjectFault("T01", "leads-swapped", 1))
    at.run(0.1)
    plug(at, "T02")
