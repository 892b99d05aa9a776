"""The clock of a whole table: the machine's, or a virtual one that a simulated bus drives."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic nanoseconds, and waiting."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed moment; never goes back."""

    def sleep_until(self, at_ns: int) -> None:
        """Return when `now_ns()` is at least `at_ns`; at once if it already is."""


class MachineClock:
    """The kernel's monotonic clock."""

    now_ns = staticmethod(time.monotonic_ns)

    def sleep_until(self, at_ns: int) -> None:
        if (left_ns := at_ns - time.monotonic_ns()) > 0:
            time.sleep(left_ns / 1e9)
