"""Reads a machine's clock: its date, how long it runs, and where the date comes from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from hardware.host import Host
from pi_app.play.power import Date, date


@dataclass(frozen=True, slots=True)
class ClockReading:
    """`now_s`: the date, POSIX seconds; `up_s`: since the machine's start, also while it slept; `boot`: the id of that
    start; `source`: where the date comes from; `from_network`: whether some program keeps the clock right now;
    `keeps_none`: the machine is a board that has no date of its own when it starts."""

    now_s: float
    up_s: float
    boot: str
    source: Date
    from_network: bool
    keeps_none: bool = False

    @property
    def began_s(self) -> float:
        """When the machine started, by its clock as it is now."""
        return self.now_s - self.up_s


def up_s() -> float:
    """Return the seconds since the machine's start, with those in which it slept, where the system counts them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def read_clock(host: Host, up: Callable[[], float] = up_s) -> ClockReading:
    """Read a machine's clock. A PC has a date from its start, with or without a clock chip that a container sees; only
    of a board, which a device tree describes, is it known that it has none."""
    return ClockReading(
        now_s=host.now_s(),
        up_s=up(),
        boot=host.text("proc/sys/kernel/random/boot_id"),
        source=date(host),
        from_network=host.kernel_is_set() is True,
        keeps_none=bool(host.text("proc/device-tree/model")),
    )


def this_clock() -> ClockReading:
    """Read the clock of this machine."""
    return read_clock(Host())
