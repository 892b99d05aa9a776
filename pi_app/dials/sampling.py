"""How often dials are sampled: seldom, steadily, or as densely as the wire and a share of the CPU allow.

A crisp detent snaps in 3 to 8 ms. While somebody may be turning a dial, every sample on that way helps: it shows a hand
at work. At rest a steady rate is enough to notice that a dial moved.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Final


class Sampling(enum.Enum):
    """How often dials are sampled."""

    SELDOM = "seldom: no game is on, and no dial moves"
    STEADY = "at the idle rate of the settings"
    DENSE = "as densely as wire and CPU allow: a claim is open, or a dial moves"


LEAST_PERIOD_NS: Final = 2_000_000
"""Five hundred samples a second show the crispest click once or twice on its way; more would show nothing new."""

WINDOW_NS: Final = 100_000_000
"""The CPU's use is measured once in this time."""

AIM: Final = 0.9
"""Of the ceiling: the use varies, and its mean must stay below."""
SLOWER: Final = 1.3
FASTER: Final = 0.9
"""The time between two samples changes at most by these factors from window to window."""


class CpuBudget:
    """Stretches the time between dense samples until this process stays under a share of one core.

    The use of the whole process is measured on the machine that it runs on: the ceiling holds for all of `play`, and
    never slows sampling below the idle rate.
    """

    def __init__(
        self,
        max_cpu: float,
        idle_period_ns: int,
        *,
        cpu_ns: Callable[[], int] = time.process_time_ns,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`max_cpu`: the share of one core, above 0."""
        self._max_cpu, self._idle_ns = max_cpu, idle_period_ns
        self._cpu_ns, self._now_ns = cpu_ns, now_ns
        self._least_ns = min(LEAST_PERIOD_NS, idle_period_ns)
        self._since = (now_ns(), cpu_ns())
        self.period_ns = self._least_ns
        """From one dense sample of all dials to the next, if the wire is not slower."""
        self.used = 0.0
        """The share of one core that was used in the last window."""

    def note(self) -> None:
        """Measure the CPU's use once per window. Call it after each dense scan; any thread may."""
        now_ns = self._now_ns()
        began_ns, cpu_began_ns = self._since
        if now_ns - began_ns < WINDOW_NS:
            return
        cpu_ns = self._cpu_ns()
        self._since = (now_ns, cpu_ns)
        self.used = (cpu_ns - cpu_began_ns) / (now_ns - began_ns)
        stretch = min(max(self.used / (self._max_cpu * AIM), FASTER), SLOWER)
        self.period_ns = min(max(round(self.period_ns * stretch), self._least_ns), self._idle_ns)


class Rate:
    """Scans per second in the last window, for people."""

    def __init__(self) -> None:
        self._began_ns = self._scans = 0
        self.hz = 0.0

    def note(self, now_ns: int) -> None:
        """Count one scan that has ended."""
        if self._scans == 0:
            self._began_ns = now_ns
        self._scans += 1
        passed_ns = now_ns - self._began_ns
        if passed_ns >= WINDOW_NS:
            self.hz = (self._scans - 1) * 1e9 / passed_ns
            self._scans = 0
