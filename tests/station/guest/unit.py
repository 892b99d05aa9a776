"""A unit of systemd in a guest: what `systemctl show` says of it, and waiting until it is ready."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from tests.station.guest.machine import Failed, Machine

BEGINS: Final = "basic.target"
"""What multi-user.target's services start after: its end is where multi-user begins."""
PROPERTIES: Final = (
    *("ActiveState", "SubState", "Result", "MainPID", "NRestarts", "ExecMainStatus", "StatusText"),
    *("InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic", "ExecMainStartTimestampMonotonic"),
)
LOOKS_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Shown:
    """What systemd says of a unit. Times are in seconds of the guest's own monotonic clock; 0 for never."""

    state: str
    substate: str
    result: str
    main_pid: int
    restarts: int
    status: str
    begun_s: float
    ready_s: float
    started_s: float
    """When its process was started."""

    @property
    def is_ready(self) -> bool:
        return self.state == "active" and self.substate == "running"


def parsed(text: str) -> dict[str, str]:
    """What `systemctl show` prints, by name."""
    return dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)


def shown(text: str) -> Shown:
    """What `systemctl show` printed of a unit."""
    found = parsed(text)
    return Shown(
        found.get("ActiveState", ""),
        found.get("SubState", ""),
        found.get("Result", ""),
        int(found.get("MainPID") or 0),
        int(found.get("NRestarts") or 0),
        found.get("StatusText", ""),
        int(found.get("InactiveExitTimestampMonotonic") or 0) / 1e6,
        int(found.get("ActiveEnterTimestampMonotonic") or 0) / 1e6,
        int(found.get("ExecMainStartTimestampMonotonic") or 0) / 1e6,
    )


def show(machine: Machine, unit: str) -> Shown:
    return shown(machine.must("systemctl", "show", unit, "-p", ",".join(PROPERTIES)))


def until_ready(machine: Machine, unit: str, seconds: float, *, not_pid: int = 0) -> Shown:
    """Wait until the unit is ready, in another process than `not_pid`. Raises Failed with what it said last."""
    deadline_s = time.monotonic() + seconds
    while True:
        now = show(machine, unit)
        if now.is_ready and now.main_pid != not_pid:
            return now
        if time.monotonic() > deadline_s:
            raise Failed(f"{unit} is not ready after {seconds:g} s: {describe(now)}\n{said(machine, unit)}")
        time.sleep(LOOKS_S)


def describe(now: Shown) -> str:
    return f"{now.state}/{now.substate}, result {now.result}, {now.restarts} restarts, status {now.status!r}"


def said(machine: Machine, unit: str, lines: int = 15) -> str:
    """The last lines of the unit's log of this boot."""
    return machine.run("journalctl", "-b", "-u", unit, "-n", str(lines), "--no-pager", "-o", "short-monotonic").out


def found_stopped_s(machine: Machine, unit: str) -> float:
    """When systemd last found that a unit had fed no watchdog, on the guest's own clock. Raises Failed."""
    return stamp_s(
        machine.must("journalctl", "-b", "-q", "-u", unit, "-o", "short-monotonic", "-g", "Watchdog timeout")
    )


def stamp_s(rows: str) -> float:
    """The time of the last line of a log with monotonic times, such as `[   33.38] ...`."""
    return float(rows.strip().splitlines()[-1].partition("]")[0].strip("[ "))


def pause_s(machine: Machine, unit: str) -> float:
    """How long systemd waits before it starts a unit again."""
    return span_s(machine.must("systemctl", "show", unit, "-p", "RestartUSec", "--value"))


SPANS_S: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "": 1.0}


def span_s(text: str) -> float:
    """A span of time as systemd writes it, such as `1min 30s`. Raises KeyError for other words."""
    parts = (part.strip("0123456789.") for part in text.split())
    return sum(float(part.removesuffix(unit)) * SPANS_S[unit] for part, unit in zip(text.split(), parts, strict=True))


def uptime_s(machine: Machine) -> float:
    """The guest's own time since it was switched on."""
    return float(machine.must("cat", "/proc/uptime").split()[0])


def signal_at(machine: Machine, pid: int, name: str) -> float:
    """Send a signal; return when, on the guest's own clock."""
    return float(machine.shell(f"cut -d' ' -f1 /proc/uptime; kill -{name} {pid}"))


def begins_s(machine: Machine) -> float:
    """When multi-user began, on the guest's own clock."""
    return shown(machine.must("systemctl", "show", BEGINS, "-p", ",".join(PROPERTIES))).ready_s
