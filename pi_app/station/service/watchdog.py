"""Decides whether a station is well, so that the service manager may know: pure, the caller gives the time.

A station is well while its loop turns, every bus is scanned, the journal takes what is written (or is known to refuse
it, and says so), and the page process answers. What is absent and reported counts as well: a restart mends none of it.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Final

from pi_app.station.service.health import StationHealth
from pi_app.text.language import N_

PATIENCE_NS: Final = 5_000_000_000
"""So long may each part be silent."""

WRITING_NS: Final = 8_000_000_000
"""So long may one commit take: an SD card that tidies itself up takes seconds."""

SLOW_DISK_NS: Final = 60_000_000_000
"""So long where a restart has not mended it: the disk is slow then, and more restarts would only lose time."""


class Stalled(Enum):
    """What keeps a station from being well; the sentence says what a restart is to mend."""

    LOOP = N_("The program stood still.")
    SCAN = N_("The dials of a bus were not read any more.")
    JOURNAL = N_("The disk did not take an entry in time.")
    PAGES = N_("The page process did not answer.")


def stalled(health: StationHealth, now_ns: int, writing_ns: int = WRITING_NS) -> Stalled | None:
    """Return what has been silent for too long, or None for a station that is well. `writing_ns`: for one commit."""
    if health.writing_ns is not None and now_ns - health.turned_ns > PATIENCE_NS:
        return Stalled.JOURNAL if now_ns - health.writing_ns > writing_ns else None
    if now_ns - health.turned_ns > PATIENCE_NS:
        return Stalled.LOOP
    scans = [scanned_ns for scanned_ns in health.scans.values() if scanned_ns is not None]
    if any(now_ns - scanned_ns > PATIENCE_NS for scanned_ns in scans):
        return Stalled.SCAN
    if health.pages_ns is not None and now_ns - health.pages_ns > PATIENCE_NS:
        return Stalled.PAGES
    return None


def fed(health: StationHealth, now_ns: int) -> bool:
    """Return whether the service manager may be told that all is well."""
    return stalled(health, now_ns) is None


class Observed:
    """Turns the times of another clock, such as a simulated table's, into those of the observer: each part's time is
    when the observer last saw it change."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int | None, int]] = {}

    def health(self, health: StationHealth, now_ns: int) -> StationHealth:
        """Return the same health with the observer's times. A bus that was not read yet is one that does not change."""
        scans = {bus: self._at(f"scan {bus}", scan_ns, now_ns) for bus, scan_ns in health.scans.items()}
        return replace(
            health,
            now_ns=now_ns,
            turned_ns=self._at("turned", health.turned_ns, now_ns),
            scans=scans,
            writing_ns=None if health.writing_ns is None else self._at("writing", health.writing_ns, now_ns),
            pages_ns=None if health.pages_ns is None else self._at("pages", health.pages_ns, now_ns),
        )

    def _at(self, part: str, value_ns: int | None, now_ns: int) -> int:
        before = self._seen.get(part)
        if before is None or before[0] != value_ns:
            before = self._seen[part] = value_ns, now_ns
        return before[1]
