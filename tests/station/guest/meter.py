"""What a guest needs, whatever else its machine does: its processor time, and how long it waited for something.

The stage shares its machine with others, so a time on the clock says little: the guest's processes stand in a queue for
the processor. Each sample reads how long they have run (`/proc/PID/schedstat`), and whether one of them wants to run.
Time in which none does is waiting: for a timer, a device, another program. What is left is what others took.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.programs import CannotRun

EVERY_S: Final = 0.04
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
RUNS: Final = "R"
"""The state of a process that runs or wants to."""


@dataclass(frozen=True, slots=True)
class Sample:
    """`used_s`: processor time of the guest until now; `waited_s`: time in which nothing of it wanted to run."""

    at_s: float
    used_s: float
    waited_s: float


@dataclass(frozen=True, slots=True)
class Need:
    """What something in a guest took: on the clock, of the processor, and waiting."""

    clock_s: float
    used_s: float
    waited_s: float

    @property
    def own_s(self) -> float:
        """What it takes on this machine while no other program uses the guest's processor."""
        return min(self.clock_s, self.used_s + self.waited_s)

    def __str__(self) -> str:
        parts = f"{self.used_s:.2f} s of the processor, {self.waited_s:.2f} s waiting"
        return f"{self.own_s:.2f} s ({parts}; {self.clock_s:.2f} s on this machine's clock)"


def check_meter(proc: Path = Path("/proc")) -> None:
    """Check that this machine's kernel says how long a process ran, and what its children are. Raises CannotRun."""
    own = os.getpid()
    for file, option in (
        (f"{own}/schedstat", "CONFIG_SCHED_INFO"),
        (f"{own}/task/{own}/children", "CONFIG_PROC_CHILDREN"),
    ):
        if not (proc / file).exists():
            raise CannotRun(
                f"this machine's kernel has no {proc}/PID/{file.rpartition('/')[2]} (it is built without {option})"
            )


class Meter:
    """Samples the processes of one guest until it is closed. `pid`: of its kernel, whose children are its programs."""

    def __init__(self, pid: int, proc: Path = Path("/proc"), *, starts: bool = True) -> None:
        self._pid, self._proc = pid, proc
        self._samples: list[Sample] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="meter", daemon=True)
        if starts:
            self._thread.start()

    def need(self, since_s: float, until_s: float) -> Need:
        """Return what the guest took between two times of `time.monotonic`, to the nearest samples."""
        first, last = self._at(since_s), self._at(until_s)
        return Need(until_s - since_s, last.used_s - first.used_s, last.waited_s - first.waited_s)

    def _at(self, at_s: float) -> Sample:
        """The state at a time, between the samples around it."""
        samples = self._samples
        after = min(max(bisect_left(samples, at_s, key=lambda sample: sample.at_s), 1), len(samples) - 1)
        one, other = samples[after - 1], samples[after]
        part = min(max((at_s - one.at_s) / (other.at_s - one.at_s), 0.0), 1.0)
        used_s = one.used_s + part * (other.used_s - one.used_s)
        return Sample(at_s, used_s, one.waited_s + part * (other.waited_s - one.waited_s))

    def sample(self, now_s: float) -> bool:
        """Take a sample. Returns whether the guest is still there."""
        try:
            kernel = _read(self._proc, self._pid)
        except (OSError, ValueError, IndexError):
            return False
        programs = [*self._programs()]
        used_s = kernel.used_s + kernel.ended_s + sum(each.used_s for each in programs)
        before = self._samples[-1] if self._samples else Sample(now_s, used_s, 0.0)
        wants = RUNS in (kernel.state, *(each.state for each in programs))
        waited_s = before.waited_s + (0.0 if wants else now_s - before.at_s)
        self._samples.append(Sample(now_s, max(used_s, before.used_s), waited_s))
        return True

    def _programs(self) -> Iterator[_Process]:
        for child in (self._proc / f"{self._pid}/task/{self._pid}/children").read_text(encoding="ascii").split():
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
                yield _read(self._proc, int(child))

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while self.sample(time.monotonic()) and not self._stop.wait(EVERY_S):
                pass

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)


@dataclass(frozen=True, slots=True)
class _Process:
    state: str
    used_s: float
    ended_s: float
    """Processor time of its children that have ended."""


def _read(proc: Path, pid: int) -> _Process:
    state, *rest = (proc / f"{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
    ran_ns = (proc / f"{pid}/schedstat").read_text(encoding="ascii").split()[0]
    return _Process(state, int(ran_ns) / 1e9, (int(rest[12]) + int(rest[13])) * TICK_S)
