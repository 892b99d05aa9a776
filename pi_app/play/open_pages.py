"""Opens the pages that [pages] in the settings asks for: the port, the page process behind it, the codes of the cards.

A table without [pages] never imports this: no port is open then.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages import address as addresses
from pi_app.pages import card_codes
from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen
from pi_app.pages.meeting import Meeting
from pi_app.pages.messages import FromPages, Setup
from pi_app.pages.supervisor import PageSource
from pi_app.play.phones import TablePages
from pi_app.settings.model import Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError

LOCAL: Final = ("127.0.0.1", "localhost")

MISSED_AFTER_SECONDS: Final = 4.0
"""A service's page process that is silent for so long is left, before the table's own watchdog calls for help."""

ASKS_EVERY_SECONDS: Final = 5.0
"""How often this machine's address is asked for."""

NO_ADDRESS: Final = "names no address, and this machine has none that phones can reach"
JOIN_FIRST: Final = "Join a network first, or remove [pages] to play without phones"


@contextlib.contextmanager
def open_pages(settings: Settings, keys: KeyRing) -> Iterator[TablePages]:
    """Open the pages of a table, and close them at the end. Raises UserFileError if the port cannot be opened, if this
    machine has no address, or if the codes of the cards cannot be read."""
    section = settings.pages or PagesSettings()
    setup = _setup(section)
    if setup is None:
        raise UserFileError.at(settings.where, "[pages]", NO_ADDRESS, JOIN_FIRST)
    cards = card_codes.printed(keys).codes
    link = ProcessLink(setup, listen(section.address, section.port, settings.where))
    try:
        yield TablePages(link, setup.address, cards, hosts=lambda: link.hosts)
    finally:
        link.close()


@contextlib.contextmanager
def meet_pages(settings: Settings, keys: KeyRing, socket: Path) -> Iterator[TablePages]:
    """Serve the pages of a table by the process that the service manager starts and that comes to this socket. No
    network is waited for: the pages get the address that this machine has as soon as it has one.

    Raises UserFileError if the socket cannot be made, or if the codes of the cards cannot be read."""
    section = settings.pages or PagesSettings()
    cards = card_codes.printed(keys).codes
    link = RoamingLink(section, Meeting(socket))
    try:
        yield TablePages(link, link.host, cards, host_now=lambda: link.host, hosts=lambda: link.hosts)
    finally:
        link.close()


class RoamingLink(ProcessLink):
    """A link whose page process serves the address that this machine has now."""

    def __init__(
        self, section: PagesSettings, source: PageSource, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._section = section
        setup = _setup(section) or _without_address(section)
        self.host = setup.address
        self._asked = clock()
        super().__init__(setup, (), clock=clock, source=source, silent_seconds=MISSED_AFTER_SECONDS)

    def take(self) -> Sequence[FromPages]:
        now = self._clock()
        if now - self._asked >= ASKS_EVERY_SECONDS:
            self._asked = now
            setup = _setup(self._section) or _without_address(self._section)
            self.host = setup.address
            self.readdress(setup.hosts, setup.address)
        return super().take()


def _setup(section: PagesSettings) -> Setup | None:
    """What the page process serves; its address is the one that people are told. None without an address."""
    own = addresses.own_address(section)
    if not own:
        return None
    others = [each.address for each in addresses.reachable(addresses.own_interfaces())]
    return _served(section, [own] if section.address else [own, *others, *LOCAL])


def _without_address(section: PagesSettings) -> Setup:
    """What is served while this machine is in no network: its own name."""
    return _served(section, [addresses.local_name(), *LOCAL])


def _served(section: PagesSettings, names: Sequence[str]) -> Setup:
    each = dict.fromkeys([*names, addresses.local_name()])
    hosts = tuple(addresses.host_of(name, section.port) for name in each)
    return Setup(hosts, hosts[0])
