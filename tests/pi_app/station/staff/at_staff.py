"""The staff's side of a station around a simulated table, for tests."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pi_app.journal.stamps import Stamp
from pi_app.pages.address import Interface
from pi_app.pages.link import MemoryLink
from pi_app.play.phones import TablePages
from pi_app.settings.pages_section import PagesSettings
from pi_app.settings.station_section import StationSettings
from pi_app.station.staff.staff import StaffParts, StationStaff
from pi_app.station.troubles.facts import HostSources, HostWatch
from tests.pi_app.hosts import host
from tests.pi_app.playing import Played, table

PASSPHRASE = "seven brass cogs 12"
PAGES = PagesSettings(network="Toy shop", passphrase=PASSPHRASE)
WLAN = (Interface("wlan0", "192.168.1.8", wireless=True),)
PIN, HOST = "271828", "localhost"
MONDAY = datetime.datetime(2026, 11, 23, 9, 0, tzinfo=datetime.UTC)


class Clock:
    """The clock of the table, once it is there."""

    def __init__(self) -> None:
        self.at: Played | None = None

    def now_ns(self) -> int:
        return 0 if self.at is None else self.at.demo.table.clock.now_ns()


@contextmanager
def station(
    folder: Path, cards: Mapping[str, bytes] | None = None
) -> Iterator[tuple[StationStaff, Played, MemoryLink]]:
    """A station whose staff stands in `folder`. `cards`: the codes of printed cards, by seat."""
    clock, link, machine = Clock(), MemoryLink(), host(folder)
    staff = StationStaff(
        StaffParts(
            settings=StationSettings(pin=PIN, hours={"mon": "10:00-19:00"}, languages=("en", "de")),
            folder=folder,
            watch=HostWatch(HostSources(machine, folder, PAGES, interfaces=lambda: WLAN)),
            host=machine,
            hosts=lambda: (HOST,),
            program="1.0",
            stamp=lambda: Stamp("b0", clock.now_ns(), "2026-11-23T09:00:00+00:00", "ntp"),
            local=lambda: MONDAY,
            now_ns=clock.now_ns,
        )
    )
    with table(folder, pages=TablePages(link, HOST, cards or {}, staff=staff.answer)) as at:
        clock.at = at
        staff.attach(at.demo.loop.session, link)
        yield staff, at, link
