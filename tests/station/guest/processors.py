"""Which of the host's processors a guest runs on: a guest has one of its own, and all its programs take turns on it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

STAT: Final = Path("/proc/stat")
LOOK_S: Final = 0.3


def idle_ticks(text: str) -> dict[int, int]:
    """How long each processor has been idle, from the text of `/proc/stat`."""
    rows = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows if row[0] != "cpu"}


def quietest(seconds: float = LOOK_S) -> int:
    """Return the processor that was idle for the longest part of a moment, of those that this program may use."""
    before = idle_ticks(STAT.read_text(encoding="ascii"))
    time.sleep(seconds)
    after = idle_ticks(STAT.read_text(encoding="ascii"))
    return max(sorted(os.sched_getaffinity(0)), key=lambda core: after.get(core, 0) - before.get(core, 0))
