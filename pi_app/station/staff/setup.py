"""Makes the staff's side of a station from its settings and from what its start knows."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hardware.host import Host
from pi_app.journal import Stamp, keys_of, machine_stamp
from pi_app.play.first_event import version
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.station.service.service import UPDATE, Places
from pi_app.station.staff.opening_hours import OpeningHours
from pi_app.station.staff.staff import StaffParts, StationStaff
from pi_app.station.staff.stick_update import StickUpdate
from pi_app.station.troubles.facts import HostWatch, host_sources
from pi_app.station.troubles.troubles import Facts, TroubleFound
from pi_app.station.updates.minisign import builder_key
from pi_app.station.updates.trees import HOME, pointed


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffStart:
    """What a start knows. `folder`: of the state; `journal`: of the table, None for a recovery table; `hosts`: that
    the page process serves now; `known` and `lasting`: what was found at the start; `update`: None without
    updates."""

    folder: Path
    journal: Path | None
    hosts: Callable[[], tuple[str, ...]]
    now_ns: Callable[[], int]
    stamp: Callable[[], Stamp] = machine_stamp
    simulated: bool = False
    known: Facts = field(default_factory=Facts)
    lasting: tuple[TroubleFound, ...] = ()
    update: StickUpdate | None = None


def update_from_stick(at: Places, host: Host, home: Path = HOME) -> StickUpdate | None:
    """Return the updates of a station; None for one that cannot be updated: one that is not installed from its package,
    or no service. The service manager carries them out, since the table may not write to its own program."""
    if at.run is None or pointed(home, "current") is None:
        return None
    return StickUpdate(host=host, request=at.run / UPDATE, home=home, builder=builder_key, program=version())


def recovery_start(at: Places, hosts: Callable[[], tuple[str, ...]], now_ns: Callable[[], int]) -> StaffStart:
    """Return what the start of a recovery table knows."""
    update = update_from_stick(at, Host())
    return StaffStart(
        folder=at.state, journal=None, hosts=hosts, now_ns=now_ns, known=Facts(recovery=True), update=update
    )


def staff_of(settings: Settings, start: StaffStart, host: Host | None = None) -> tuple[StationStaff, HostWatch]:
    """Return the staff's side of a station, and what asks its machine: run it with
    `watch.running(also=staff.write_ring)`."""
    host, section = host or Host(), settings.station or StationSettings()
    ring = None if start.journal is None else keys_of(start.journal)
    has_hours = bool(OpeningHours(start.folder, section.hours).hours)
    watch = HostWatch(host_sources(settings, host, ring, has_hours=has_hours), start.lasting, start.known)
    parts = StaffParts(
        settings=section,
        folder=start.folder,
        watch=watch,
        host=host,
        hosts=start.hosts,
        program=version(),
        stamp=start.stamp,
        local=lambda: datetime.datetime.now().astimezone(),
        now_ns=start.now_ns,
        simulated=start.simulated,
        update=start.update,
    )
    return StationStaff(parts), watch
