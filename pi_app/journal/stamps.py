"""The time of an entry: boot, monotonic and wall clock; and the correction after the wall clock was changed."""

from __future__ import annotations

import datetime
import functools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.host import kernel_is_set
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.happenings import ClockCorrected


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time of an entry. Monotonic times compare only within a boot. `clock` is the source of the wall time.
    `witnessed`: without a source, the time of the cosignature that the wall time comes from, in POSIX seconds."""

    boot: str
    mono_ns: int
    wall: str
    clock: ClockSource = "none"
    witnessed: int | None = None


def machine_stamp() -> Stamp:
    """Return the time now, on this machine."""
    return Stamp(_boot_id(), time.monotonic_ns(), datetime.datetime.now(datetime.UTC).isoformat(), _clock_source())


@functools.cache
def _boot_id() -> str:
    """Return Linux's id of this boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _clock_source() -> ClockSource:
    """Return the source of the wall time now: the network may have set the clock meanwhile."""
    if kernel_is_set():
        return "ntp"
    return "rtc" if _has_rtc() else "none"


@functools.cache
def _has_rtc() -> bool:
    """Return whether the kernel took its first date from a clock with a battery."""
    return any(path.read_text(encoding="ascii").strip() == "1" for path in Path("/sys/class/rtc").glob("*/hctosys"))


STEP_MS: Final = 1000
"""The smallest difference from the monotonic clock that counts as a changed date."""


def correction_of(before: Stamp | None, now: Stamp) -> ClockCorrected | None:
    """Return the correction of earlier dates of this boot if the date was changed or has another source now."""
    if before is None or before.boot != now.boot:
        return None
    dates_ms = wall_ms(now.wall) - wall_ms(before.wall)
    add_ms = dates_ms - (now.mono_ns - before.mono_ns) // 1_000_000
    if abs(add_ms) <= STEP_MS and before.clock == now.clock:
        return None
    witnessed = now.witnessed if add_ms > STEP_MS else None
    return ClockCorrected(add_ms=add_ms, was=before.clock, now=now.clock, witnessed=witnessed)


def wall_ms(wall: str) -> int:
    """Return a date in POSIX milliseconds. Raises ValueError."""
    since = datetime.datetime.fromisoformat(wall) - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return since // datetime.timedelta(milliseconds=1)
