"""A station that is really killed (SIGKILL) at any moment while it plays and tidies up its records: the next start goes
on, every record that is left is sound and continues the one before it, and nobody has to mend anything.

`TRAPDIAL_STATION_KILLS` says how often it is killed.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pi_app.journal.past import past_logs
from tests.station.budget import MEGABYTE, Station

KILLS = int(os.environ.get("TRAPDIAL_STATION_KILLS", "5"))
LONGEST_S = 60.0
"""A station that does not play its first game in this time hangs."""


def life(folder: Path, number: int) -> None:
    """Play and tidy up for ever, and say each game that is over."""
    station = Station(folder, MEGABYTE // 2, boot=f"boot-{number}")
    for game in itertools.count():
        station.play(f"g{number:04}{game:06}")
        sys.stdout.write("played\n")
        sys.stdout.flush()


def killed(folder: Path, number: int, seconds: float) -> str:
    """Kill a life of the station so long after its first game. Return what it wrote to its errors."""
    command = [sys.executable, "-c", f"from tests.station.test_kill import *; life(Path({str(folder)!r}), {number})"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        hangs = threading.Timer(LONGEST_S, child.kill)
        hangs.start()
        played = child.stdout.readline()
        hangs.cancel()
        time.sleep(seconds if played else 0)
        child.send_signal(signal.SIGKILL)
        assert played, f"it played no game: {child.stderr.read()}"
        child.stdout.read()
        return child.stderr.read()


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing_and_needs_nobody(tmp_path: Path) -> None:
    draw, put_aside, gone = random.Random(7), 0, 0
    for number in range(KILLS):
        assert killed(tmp_path, number, 0.5 * draw.random()) == "", f"life {number} ended by itself"
        station = Station(tmp_path, MEGABYTE // 2, boot=f"boot-{number}-after")
        station.check()
        station.close()
        put_aside, gone = put_aside + len(past_logs(station.path)), gone + station.tally.gone
    assert min(put_aside, gone) > 0, "it was killed before it had anything to tidy up"
    assert not (tmp_path / "journal.db.keys.next").exists()
