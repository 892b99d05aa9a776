"""Days of a station without faults: how often its health would have kept the watchdog from being fed.

    python -m tests.station.soak --days 7

Robot visitors come all day in simulated time, with pauses of minutes; at night nobody does, and there are two seconds
between two rounds instead of at most 0.9. The table is the small one with two seats; `--great` takes twelve. The health
is asked once a simulated second, as in the service. It is a virtual clock: no memory or disk of a real machine ages
here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.simulated.visitors import Visitors
from pi_app.station.service.health import StationHealth
from pi_app.station.service.watchdog import fed
from pi_app.station.table import Hooks
from pi_app.station.visits.visit import SECOND_NS, State
from tests.station.groups import BUDGET_MB, IDLE_S, settings

DAY_S: Final = 24 * 3600
OPEN_S: Final = 10 * 3600
"""Visitors come for so long each day."""

NIGHT_NS: Final = 2 * SECOND_NS
"""The time between two rounds at night."""

PAUSES_S: Final = (60.0, 1800.0)


@dataclass
class Soaked:
    """`asked`: how often the health was asked; `unfed`: how often it was not well; `awake`: visits that nobody made."""

    days: float = 0.0
    asked: int = 0
    unfed: int = 0
    groups: int = 0
    visits: int = 0
    awake: int = 0
    took_s: float = 0.0


def small() -> Settings:
    """The small table, two seats and two squares."""
    return replace(load(example_path("2x2")), station=StationSettings(idle_s=IDLE_S, budget_mb=BUDGET_MB))


def run(folder: Path, days: float, seed: int = 0, table: Settings | None = None) -> Soaked:
    """Let so many days pass, at the small table if no other is given."""
    soaked, began_s = Soaked(days), time.perf_counter()

    def healthy(health: StationHealth) -> None:
        soaked.asked += 1
        soaked.unfed += not fed(health, health.now_ns)

    doors = StationDoors(Hooks(healthy=healthy))
    with SimulatedStation(table or small(), folder / "journal.db", seed=seed, doors=doors) as at:
        at.visitors = Visitors(at, seed, PAUSES_S)
        while at.now_ns() < days * DAY_S * SECOND_NS:
            _second(at, soaked)
        soaked.groups, soaked.visits = at.visitors.groups, at.station.visit.number
    soaked.took_s = time.perf_counter() - began_s
    return soaked


def _second(at: SimulatedStation, soaked: Soaked) -> None:
    """One stretch of the day, or a second of the night."""
    night = at.now_ns() // SECOND_NS % DAY_S > OPEN_S
    if night and at.visitors.gone and at.state is State.ATTRACT:
        before = at.station.visit.number
        at.table.clock.advance(NIGHT_NS)
        at.station.step()
        soaked.awake += at.station.visit.number > before
    else:
        at.stride()


def main() -> None:
    """Print the counts."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--days", type=float, default=7)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--great", action="store_true", help="the great table with all its seats")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), asked.days, asked.seed, settings() if asked.great else None)
    sys.stdout.write(
        f"{found.days:g} simulated days, {found.groups} groups, {found.visits} visits: the health was asked "
        f"{found.asked} times, {found.unfed} restarts asked for, {found.awake} visits that nobody made; it took "
        f"{found.took_s:.0f} s\n"
    )
    raise SystemExit(bool(found.unfed or found.awake))


if __name__ == "__main__":
    main()
