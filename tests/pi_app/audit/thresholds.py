"""What the thresholds of the statistics cost and find, by trying them out: `python -m tests.pi_app.audit.thresholds`
prints the tables that stand in `wiring_docs/audit.md`."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator, Sequence
from statistics import fmean

from pi_app.audit.device_findings import DRIFT_RESTS, drift_deg
from pi_app.audit.statistics import UNLIKELY, WORN_DEG, die, spread_of

SEED = 20
RUNS = 10_000
FAIR = (1, 1, 1, 1, 1, 1)
LOADED = (3, 3, 3, 3, 3, 5)
"""A six in one throw of four."""

SOUND_DEG = 0.5
"""How far a sound dial comes to rest from its centre (standard deviation): much for one, so that `WORN_DEG` alone does
not decide."""

DIALS, DETENTS = 8, 8
"""A table of eight dials, of which games use eight detents each: the start mark, six of a die, the disarmed one."""


def called_uneven(weights: Sequence[int], throws: int, runs: int) -> float:
    """How many dice of a hundred are called uneven after so many throws."""
    draw = random.Random(f"dice {SEED} {throws} {weights}")
    called = 0
    for _ in range(runs):
        p = die("dice", draw.choices(range(1, 7), weights, k=throws)).p
        called += p is not None and p < UNLIKELY
    return 100 * called / runs


def called_worn(rests: int, worn_sd_deg: float, runs: int) -> float:
    """How many tables of a hundred have a detent called worn, where one of the table's spreads by `worn_sd_deg`."""
    draw = random.Random(f"detents {SEED} {rests} {worn_sd_deg}")
    called = 0
    for _ in range(runs):
        called += any(_dial_called(draw, rests, worn_sd_deg if n == 0 else SOUND_DEG) for n in range(DIALS))
    return 100 * called / runs


def _dial_called(draw: random.Random, rests: int, worn_sd_deg: float) -> bool:
    sds = [worn_sd_deg] + [SOUND_DEG] * (DETENTS - 1)
    dial = {position: [draw.gauss(0, sd) for _ in range(rests)] for position, sd in enumerate(sds)}
    for position, its in dial.items():
        spread = spread_of(position, dial)
        if spread is not None and _sd(its) > WORN_DEG and spread[1] < UNLIKELY / (DIALS * DETENTS):
            return True
    return False


def _sd(errors: Sequence[float]) -> float:
    mean = fmean(errors)
    return math.sqrt(math.fsum((each - mean) ** 2 for each in errors) / (len(errors) - 1))


def called_drifted(off_deg: float, runs: int) -> float:
    """How many dials of a hundred are called drifted in one game of so few rests, each of which is off by a normal
    error, and all of them by `off_deg`."""
    draw = random.Random(f"drift {SEED} {off_deg}")
    called = sum(
        drift_deg([draw.gauss(off_deg, SOUND_DEG) for _ in range(DRIFT_RESTS)]) is not None for _ in range(runs)
    )
    return 100 * called / runs


def tables(runs: int = RUNS) -> Iterator[str]:
    """The lines of the page."""
    yield "| throws | fair dice called uneven, of 100 | dice with a six in one throw of four |"
    yield "| --- | --- | --- |"
    for throws in (30, 60, 120, 300, 600):
        fair, loaded = called_uneven(FAIR, throws, runs), called_uneven(LOADED, throws, runs // 10)
        yield f"| {throws} | {fair:.1f} | {loaded:.0f} |"
    few = runs // 10
    yield ""
    yield "| rests in each detent | sound tables with one called worn, of 100 | one three times as loose | five times |"
    yield "| --- | --- | --- | --- |"
    for rests in (5, 10, 20):
        sound, three, five = (called_worn(rests, sd, few) for sd in (SOUND_DEG, 3 * SOUND_DEG, 5 * SOUND_DEG))
        yield f"| {rests} | {sound:.1f} | {three:.0f} | {five:.0f} |"
    yield ""
    yield "| all rests are off by | dials called drifted, of 100 |"
    yield "| --- | --- |"
    for off in (0.0, 1.0, 2.0, 3.0):
        yield f"| {off:.0f} degrees | {called_drifted(off, runs):.1f} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in tables())
