"""Puts all that the staff gets around one table in play: troubles, their ring, hours, status, self-test and staff page.

The program makes a `StationStaff` before the table, since the pages need its door; `attach` gives it the table. Then
`tick` is called once a second, and `pressed` in each round. Nothing here waits: the ring is written in the thread that
also asks the machine (`HostWatch`).
"""

from __future__ import annotations

import datetime
import queue
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hardware.host import Host
from pi_app.journal.stamps import Stamp
from pi_app.pages.link import Link
from pi_app.pages.messages import Invited, SentStatus
from pi_app.pages.station_status import StationStatus, status_line
from pi_app.play.loop.session import GameSession
from pi_app.settings.station_section import StationSettings
from pi_app.station.staff.desk import StaffDesk, StaffSources
from pi_app.station.staff.door import StaffDoor, Tries
from pi_app.station.staff.opening_hours import OpeningHours
from pi_app.station.staff.self_test import NUMBER, AllHeld, SelfTest
from pi_app.station.staff.stick_update import StickUpdate
from pi_app.station.troubles.facts import HostWatch, table_facts
from pi_app.station.troubles.lamp_patterns import LampPattern
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.status import StationCounts, status_of
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound, find, lamp
from pi_app.station.troubles.watch import TroubleChange, TroubleWatch
from pi_app.text.language import Words
from pi_app.text.language import words as words_of

_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffParts:
    """What a station's staff stands on. `folder`: of the state. `hosts`: as the page process serves them now. `stamp`:
    the time of an entry; `local`: the local time; `now_ns`: the clock of the table's loop. `update`: None
    without updates."""

    settings: StationSettings
    folder: Path
    watch: HostWatch
    host: Host
    hosts: Callable[[], tuple[str, ...]]
    program: str
    stamp: Callable[[], Stamp]
    local: Callable[[], datetime.datetime]
    now_ns: Callable[[], int]
    simulated: bool = False
    update: StickUpdate | None = None


class StationStaff:
    """The staff's side of one station. `state` and `visits` are of its visits, `also` are troubles of its records; they
    are set by whoever leads the visits."""

    def __init__(self, parts: StaffParts) -> None:
        self._parts = parts
        self.state, self.visits = "attract", 0
        self.also: tuple[TroubleFound, ...] = ()
        self.hours = OpeningHours(parts.folder, parts.settings.hours)
        self.ring = TroubleRing(parts.folder, parts.stamp)
        self._troubles, self._held = TroubleWatch(), AllHeld()
        self._test: SelfTest | None = None
        self._number = ""
        self._session: GameSession | None = None
        self._link: Link | None = None
        self._began_ns = parts.now_ns()
        self._unwritten: queue.SimpleQueue[TroubleChange] = queue.SimpleQueue()
        self._has_written = False
        tries = Tries(parts.folder, self._began_ns)
        self._door = StaffDoor(parts.settings.pin, parts.hosts, tries, StaffDesk(self._sources()))

    def _sources(self) -> StaffSources:
        return StaffSources(
            found=lambda: self.found,
            status=self.status,
            ring=self.ring,
            hours=self.hours,
            host=self._parts.host,
            boot=self._parts.stamp().boot,
            now_ns=self._parts.now_ns,
            test=self._test_lines,
            update=self._parts.update,
        )

    def attach(self, session: GameSession | None, link: Link | None) -> None:
        """Watch this table from now on, if there is one, and send its status to its pages."""
        self._session, self._link = session, link

    def answer(self, body: bytes, now_ns: int) -> bytes:
        """Answer a staff page: for `TablePages.staff`."""
        return self._door.answer(body, now_ns)

    # ------------------------------------------------------------------------------------------------------ troubles

    @property
    def found(self) -> tuple[TroubleFound, ...]:
        """The troubles now."""
        return self._troubles.now

    def tick(self) -> None:
        """Look for troubles, and send the status."""
        known = self._parts.watch.facts
        if self._session is not None:
            known = table_facts(self._session, self._link, known)
        if self.also:
            known = replace(known, lasting=(*known.lasting, *self.also))
        for change in self._troubles.update(find(known), self._parts.now_ns()):
            self._unwritten.put(change)
        if self._link is not None:
            self._link.send(SentStatus(status_line(self.status())))

    def write_ring(self) -> None:
        """Write what has changed to the ring. This may wait for the disk: call it in the thread of `HostWatch`. What a
        start before this one left there is over: this one writes what it finds itself."""
        if not self._has_written:
            self._has_written = True
            self.ring.end_lasting()
        while not self._unwritten.empty():
            change = self._unwritten.get()
            self.ring.note(change.found, over=change.over)

    def end(self) -> None:
        """The station stops: its troubles are over for whoever reads the ring afterwards. `write_ring` writes it."""
        for each in self.found:
            self._unwritten.put(TroubleChange(each, over=True))

    def trouble(self) -> Mapping[str, str]:
        """Return the gravest trouble that asks for somebody, in each language of the station; empty without one."""
        asking = next((each for each in self.found if each.trouble.value.lamp is not LampPattern.READY), None)
        if asking is None:
            return {}
        return {language: asking.seen(words_of(language)) for language in self._parts.settings.languages}

    def lamp(self, now_ns: int) -> bool:
        """Return whether the lamps are lit while nobody plays."""
        test = self._test
        pattern = test.pattern if test is not None and test.is_shown(now_ns) else lamp(self.found)
        return pattern.lit(now_ns)

    def tested(self, names: Sequence[str], language: str, now_ns: int) -> Mapping[str, str]:
        """Return the line of each of these seats while the result of a self-test is shown, or the number for a door
        that is shut or busy; else nothing."""
        test = self._test
        if test is None or not test.is_shown(now_ns):
            return {}
        if self._number:
            return dict.fromkeys(names, words_of(language)(NUMBER).format(number=self._number))
        return test.lines(dict.fromkeys(names, words_of(language)))

    def open_now(self) -> bool:
        """Return whether the station is open by its hours."""
        return self.hours.is_open(self._parts.local(), self._parts.stamp().clock)

    def status(self) -> StationStatus:
        """Return the status for programs."""
        now_ns = self._parts.now_ns()

        def seconds_of(trouble: StationTrouble) -> int:
            return (now_ns - self._troubles.since_ns(trouble)) // _S

        counts = StationCounts(
            program=self._parts.program,
            state=self.state,
            uptime_s=(now_ns - self._began_ns) // _S,
            visits=self.visits,
            open=self.open_now(),
            clock=self._parts.stamp().clock,
            simulated=self._parts.simulated,
        )
        return status_of(counts, self.found, seconds_of)

    # ----------------------------------------------------------------------------------------------------- self-test

    def pressed(self, levels: Iterable[bool], now_ns: int) -> SelfTest | None:
        """Take the levels of all seats' buttons; return the result of a self-test that begins now. `lamp` shows it, and
        whoever leads the seats puts `tested` on their screens. A door that is shut or busy gets a number."""
        if not self._held.feed(levels, now_ns):
            return None
        self._test, self._number = SelfTest(self.found, now_ns), self._door.invite(now_ns)
        if self._number and self._link is not None:
            self._link.send(Invited(int(self._number)))
        return self._test

    def _test_lines(self, words: Words) -> tuple[str, ...]:
        seats: Sequence[str] = () if self._session is None else [*self._session.seats]
        test = self._test or SelfTest(self.found, self._parts.now_ns())
        return tuple(dict.fromkeys(test.lines(dict.fromkeys(seats, words)).values()))
