"""A station that is killed at any moment while it plays and tidies up: the next start goes on, and nothing is amiss."""

from __future__ import annotations

import itertools
import os
import random
import signal
from pathlib import Path

import pytest

from tests.station.budget import MEGABYTE, Station

KILLS = int(os.environ.get("TRAPDIAL_STATION_KILLS", "8"))
"""How often the program is killed; `TRAPDIAL_STATION_KILLS=200` for a long run."""


def run_until_killed(folder: Path, life: int, seconds: float) -> None:
    """Play and tidy up, in a process of its own, until an alarm ends it wherever it is."""
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        station = Station(folder, 2 * MEGABYTE)
        for number in itertools.count():
            station.play(f"g{life:04}{number:06}")
    finally:
        os._exit(1)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing_and_needs_nobody(tmp_path: Path) -> None:
    draw, seen = random.Random(7), 0
    for life in range(KILLS):
        child = os.fork()
        if child == 0:
            run_until_killed(tmp_path, life, 0.1 + 0.4 * draw.random())
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended == -signal.SIGALRM, f"life {life} ended by itself"
        station = Station(tmp_path, 2 * MEGABYTE)
        station.check()
        station.close()
        seen = max(seen, station.tally.left + station.tally.gone)
    assert seen > 0
    assert not (tmp_path / "journal.db.keys.next").exists()
