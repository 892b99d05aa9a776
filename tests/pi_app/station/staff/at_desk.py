"""A staff desk, and all that it stands on, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pi_app.journal.stamps import Stamp
from pi_app.pages.station_status import StationStatus
from pi_app.station.staff.desk import StaffDesk, StaffSources
from pi_app.station.staff.opening_hours import OpeningHours
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from tests.pi_app.hosts import host

BOOT, SECOND = "b0", 1_000_000_000
HOT = TroubleFound(StationTrouble.TOO_HOT)
DIAL = TroubleFound(StationTrouble.DIAL_UNREAD, ("T02",))


class Station:
    """A desk, and all that it stands on."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now_ns = folder, 0
        self.found: tuple[TroubleFound, ...] = (HOT,)
        self.hours = OpeningHours(folder, {"mon": "10:00-19:00"})
        self.ring = TroubleRing(folder, lambda: Stamp(BOOT, self.now_ns, "2026-11-23T13:00:00+00:00", "ntp"))
        self.sources = StaffSources(
            found=lambda: self.found,
            status=lambda: StationStatus(program="1.2.3", lamp="staff"),
            ring=self.ring,
            hours=self.hours,
            host=host(folder),
            boot=BOOT,
            now_ns=lambda: self.now_ns,
            test=lambda words: (words("Self-test: all is well."),),
        )

    def ask(self, **asked: object) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(StaffDesk(self.sources)(json.dumps(asked).encode()))
        return answer
