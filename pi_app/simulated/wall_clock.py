"""Synchronizes virtual time with the wall clock, and gives the dates of a simulated table."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable

from hardware.clock import Clock
from pi_app.journal import Stamp, machine_stamp

LONGEST_RUSH_NS = 1_000_000_000


class WallClock:
    """For a live demo: called with the virtual time, it waits until the wall clock has caught up. After a long stop (a
    laptop that slept) it skips the time that was missed."""

    def __init__(self) -> None:
        self._began_ns = time.monotonic_ns()

    def __call__(self, virtual_ns: int) -> None:
        ahead_ns = virtual_ns - self.now_ns()
        if ahead_ns > 0:
            time.sleep(ahead_ns / 1e9)
        elif ahead_ns < -LONGEST_RUSH_NS:
            self._began_ns -= ahead_ns

    def now_ns(self) -> int:
        """Return the wall clock in virtual time."""
        return time.monotonic_ns() - self._began_ns

    def sleep_until(self, at_ns: int) -> None:
        """Sleep until this virtual time."""
        if (left_ns := at_ns - self.now_ns()) > 0:
            time.sleep(left_ns / 1e9)


def simulated_stamps(clock: Callable[[], Clock]) -> Callable[[], Stamp]:
    """Return stamps with the date of the machine at the beginning plus the table's virtual time. Every table counts as
    a new boot."""
    boot = f"simulated {os.urandom(8).hex()}"
    real, began = machine_stamp(), datetime.datetime.now(datetime.UTC)

    def stamp() -> Stamp:
        at_ns = clock().now_ns()
        wall = began + datetime.timedelta(microseconds=at_ns // 1000)
        return Stamp(boot, at_ns, wall.isoformat(), real.clock)

    return stamp
