"""The pages of a simulated demo station on this machine: for a person who plays along, and for the phones with which
robot visitors open them."""

from __future__ import annotations

import contextlib
from typing import Final

from pi_app.pages.address import read_code
from pi_app.pages.link import Link, ProcessLink
from pi_app.play.phones import TablePages
from pi_app.simulated.demo_pages import DemoLink, Opened, clicks_of, code_texts, codes_of, setup_of, station_text
from pi_app.simulated.dial_strip import DialStrip
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.page_stream import PageError
from pi_app.simulated.simulated_station import SimulatedStation
from pi_app.station.visits.visit import State

MOST_PHONES: Final = 8
"""A robot whose phone would be one more plays with the button."""


class RobotPhone:
    """A visitor's phone over HTTP. What the page process refuses is a phone that does nothing."""

    def __init__(self, phone: HttpPhone) -> None:
        self.phone = phone

    @property
    def joined(self) -> bool:
        return self.phone.joined and not self.phone.over

    def tap(self) -> None:
        with contextlib.suppress(PageError):
            self.phone.tap()

    def hold(self) -> None:
        with contextlib.suppress(PageError):
            self.phone.hold()

    def let_go(self) -> None:
        with contextlib.suppress(PageError):
            self.phone.let_go()

    def cut(self) -> None:
        self.phone.cut()


class StationPages:
    """The page process of a station on an open port. One seat is left to the person who opens `/demo`: a phone, and the
    dials with their buttons."""

    def __init__(self, opened: Opened, seat: str, *, link: Link | None = None) -> None:
        """`link`: instead of a page process, for tests."""
        self._opened, self._seat, setup = opened, seat, setup_of(opened.address)
        self._link = DemoLink(link or ProcessLink(setup, opened.listeners))
        self.pages = TablePages(self._link, setup.address, codes_of(opened.key, (seat,)))
        self._phones: list[RobotPhone] = []
        self._strip: DialStrip | None = None
        self._game, self._stood = "", dict[str, int]()
        """The last game, and the click at which each dial stood when it began."""
        self._robots_visit = self._ended = 0
        """The number of the last visit that robots took part in, and how many of theirs a person ended: after each the
        person's phone joins again."""

    @property
    def code(self) -> str:
        """The code of the person's seat, as letters."""
        return code_texts(self._opened.key, (self._seat,))[self._seat]

    @property
    def url(self) -> str:
        """What the person opens to play along."""
        return self._opened.url

    @property
    def display(self) -> str:
        """Where the public display is."""
        return f"http://{self.pages.host}/public"

    def open(self, link: str) -> RobotPhone | None:
        """Open a scanned address; None if the page process does not answer, or too many phones are there."""
        self._phones = [each for each in self._phones if not each.phone.over]
        if len(self._phones) >= MOST_PHONES:
            return None
        try:
            self._phones.append(RobotPhone(HttpPhone(self._opened.address, read_code(link.partition("#")[2]))))
        except (PageError, ValueError, OSError):
            return None
        return self._phones[-1]

    def step(self, at: SimulatedStation) -> None:
        """Read what the robots' phones are sent, turn the dials that the person turns, and show them. When the person
        takes part, robots leave, and their visit becomes the person's own from its beginning."""
        for each in self._phones:
            if not each.phone.over:
                with contextlib.suppress(PageError, ValueError):
                    each.phone.take()
        session, strip = at.station.loop.session, self._strip or DialStrip(at.table, self._link)
        self._strip = strip
        takes_part, self._link.waits = self._link.waits or self._seat in session.game.phones, False
        for turn in strip.take_hands():
            at.act(turn)
            takes_part = True
        if takes_part:
            self._make_room(at)
        elif not at.visitors.gone:
            self._robots_visit = at.station.visit.number
        if session.game_id not in ("", self._game):
            self._game, self._stood = session.game_id, clicks_of(at.table)
        strip.show(lambda: station_text(at.settings, at.table, self._seat, self._stood, f"station {self._ended}"))

    def _make_room(self, at: SimulatedStation) -> None:
        """Send the robots home. What is left of their visit would speak their language, and wait for their turn."""
        at.visitors.leave()
        visit = at.station.visit
        if visit.number == self._robots_visit and visit.state not in (State.ATTRACT, State.CLOSED):
            self._ended += 1
            at.station.begin_visit()

    def close(self) -> None:
        """Cut all phones, and end the page process."""
        for each in self._phones:
            each.cut()
        self._link.close()
