"""The pages of a simulated demo station on this machine, and the phones with which robot visitors open them."""

from __future__ import annotations

import contextlib
from typing import Final

import msgspec

from pi_app.pages.address import read_code
from pi_app.pages.link import Link, ProcessLink
from pi_app.pages.messages import Setup
from pi_app.play.phones import TablePages
from pi_app.simulated.demo_pages import Opened, code_texts, codes_of, setup_of
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.page_stream import PageError

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


class RobotPhones:
    """The page process of a station on an open port. `code`: of the seat that is left to people, as letters."""

    def __init__(self, opened: Opened, seat: str, *, link: Link | None = None) -> None:
        """`link`: instead of a page process, for tests."""
        self._opened, setup = opened, station_setup(opened)
        self.host = setup.address
        self.code = code_texts(opened.key, (seat,))[seat]
        self.pages = TablePages(link or ProcessLink(setup, opened.listeners), self.host, codes_of(opened.key, (seat,)))
        self._phones: list[RobotPhone] = []

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

    def step(self) -> None:
        """Read what the phones are sent."""
        for each in self._phones:
            if not each.phone.over:
                with contextlib.suppress(PageError, ValueError):
                    each.phone.take()

    def close(self) -> None:
        """Cut all phones, and end the page process."""
        for each in self._phones:
            each.cut()
        self.pages.link.close()


def station_setup(opened: Opened) -> Setup:
    """Return what the page process of a station on this port serves: the pages of a station, without hands."""
    return msgspec.structs.replace(setup_of(opened.address), demo=False)
