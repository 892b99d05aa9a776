"""Gathers the facts of `troubles` from a table in play and from its machine.

What may take long, such as a disk that hangs, is asked in a thread of its own (`HostWatch`); what the loop knows costs
nothing and never waits.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hardware.host import Host
from hardware.readings import TroubleKind
from pi_app.displays.seat import SeatDisplay
from pi_app.journal.cosigned import asks_witnesses, cosigner_key
from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages.address import OWN_NETWORK, Interface, own_interfaces, reachable
from pi_app.pages.link import Link
from pi_app.play.key_notices import KeyNotices
from pi_app.play.loop.session import GameSession
from pi_app.play.power import throttled, troubles
from pi_app.sender.orders import kept_said
from pi_app.settings.model import Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.station.names import seat_names
from pi_app.station.troubles.troubles import Facts, TroubleFound
from pi_app.station.updates.trees import HOME, went_back

UNREAD_NS: Final = 1_000_000_000
"""A dial without an angle for so long is a trouble."""

POLL_EVERY_S: Final = 10.0

NO_CENTRE: Final = "trapdial"

_GOOD: Final = "magnet good"


def blamed(square: str, words: str) -> str:
    """Return the board or the bus that a sentence of `hardware.scan_words` blames for an unread dial; empty if the dial
    itself fails."""
    part = words.partition(" (")[0]
    return part if part.startswith(("bus ", "mux ")) and part != f"dial {square}" else ""


def table_facts(session: GameSession, link: Link | None, known: Facts) -> Facts:
    """Return `known`, the facts of the machine, with those of a table in play."""
    now_ns = session.clock.now_ns()
    dials = session.dials.items()
    unread = {
        square: blamed(square, dial.trouble.words)
        for square, dial in dials
        if dial.trouble is not None
        and dial.trouble.kind not in (TroubleKind.NO_MAGNET, TroubleKind.NOT_READ)
        and now_ns - (dial.good_ns or 0) > UNREAD_NS
    }
    magnets = (square for square, dial in dials if _has_weak_magnet(dial.trouble, dial.conditions.get("magnet")))
    names = seat_names(session.seats)
    screens = (
        names[key]
        for key, seat in session.seats.items()
        if isinstance(seat.display, SeatDisplay) and seat.display.screen_out
    )
    return replace(
        known,
        unread=unread,
        magnets=tuple(magnets),
        screens=tuple(screens),
        refused=session.refused_by,
        write_ns=session.write_ns,
        pages_down=link is not None and link.trouble is not None,
    )


def _has_weak_magnet(trouble: object, noted: object) -> bool:
    if getattr(trouble, "kind", None) is TroubleKind.NO_MAGNET:
        return True
    return getattr(noted, "condition", _GOOD) != _GOOD


# ------------------------------------------------------------------------------------------------------ the machine


@dataclass(frozen=True, slots=True)
class HostSources:
    """Where the facts of a machine come from. `folder`: of the journal. `keys`: None for a table without any.
    `journal`: one that is handed over to a centre or shown to witnesses, else None. `centre`: its name; without
    one it is this program that witnesses wait for."""

    host: Host
    folder: Path
    pages: PagesSettings | None = None
    keys: KeyNotices | None = None
    has_hours: bool = False
    interfaces: Callable[[], Iterable[Interface]] = own_interfaces
    journal: Path | None = None
    centre: str = NO_CENTRE


def host_sources(settings: Settings, host: Host, ring: KeyRing | None, *, has_hours: bool) -> HostSources:
    """Return the sources of a station with these settings."""
    journal = settings.beside(settings.table.journal)
    watched = None if ring is None or ring.beside is None else KeyNotices(ring, lambda message: message)
    handed = journal if settings.centre is not None or asks_witnesses(journal) else None
    centre = NO_CENTRE if settings.centre is None else cosigner_key(settings.centre.key).name
    return HostSources(host, journal.parent, settings.pages, watched, has_hours, journal=handed, centre=centre)


def host_facts(sources: HostSources, known: Facts | None = None) -> Facts:
    """Return the facts of a machine now, in place of those in `known`. This may wait for the disk, and starts a
    program."""
    known = known or Facts()
    keys_gone = known.keys_gone
    if sources.keys is not None and sources.keys.poll():
        keys_gone = not keys_gone
    found = troubles(sources.host, sources.folder, throttled(sources.host))
    off, nowhere = _network(sources)
    return replace(
        known,
        machine=frozenset(name for name, _ in found),
        keys_gone=keys_gone,
        access_point_down=off,
        no_address=nowhere,
        needs_clock=sources.has_hours,
        hand_over_waits=_awaited(sources),
        update_back=went_back(sources.host.root / HOME.relative_to("/")),
    )


def _awaited(sources: HostSources) -> tuple[str, ...]:
    """Return the names of the centre and of witnesses that do not get what they should, each up to its first `/`: a
    record of troubles keeps no more."""
    said = None if sources.journal is None else kept_said(sources.journal)
    names = () if said is None else ((each.name or sources.centre).partition("/")[0] for each in said.troubles)
    return tuple("".join(letter for letter in name if letter.isprintable()) for name in names)


def _network(sources: HostSources) -> tuple[bool, bool]:
    """Whether the own access point is off, and whether this machine has no address that phones can reach."""
    if sources.pages is None:
        return False, False
    try:
        own = {each.address for each in reachable(sources.interfaces())}
    except OSError:
        own = set()
    wanted = sources.pages.address
    off = wanted == OWN_NETWORK and wanted not in own
    return off, not off and (wanted not in own if wanted else not own)


class HostWatch:
    """The facts of the machine, asked again every `every_s` seconds in a thread of its own. Use as a context manager,
    or call `poll` yourself."""

    def __init__(
        self, sources: HostSources, lasting: tuple[TroubleFound, ...] = (), known: Facts | None = None
    ) -> None:
        """`lasting`: troubles that were found at the start; `known`: the facts that the start gave."""
        self._sources = sources
        self._facts = replace(known or Facts(), lasting=lasting)
        self._stop = threading.Event()

    @property
    def facts(self) -> Facts:
        """The newest facts. Never waits."""
        return self._facts

    def poll(self) -> None:
        """Ask once."""
        with contextlib.suppress(OSError):
            self._facts = host_facts(self._sources, self._facts)

    @contextlib.contextmanager
    def running(self, every_s: float = POLL_EVERY_S, also: Callable[[], None] = lambda: None) -> Iterator[HostWatch]:
        """Ask in a thread until the end. `also`: what else may wait for the disk, called each time and at the end."""

        def ask() -> None:
            while not self._stop.is_set():
                self.poll()
                also()
                self._stop.wait(every_s)
            also()

        thread = threading.Thread(target=ask, name="station-facts", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join(timeout=3.0)
