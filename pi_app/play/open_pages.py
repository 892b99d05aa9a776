"""Opens the pages that [pages] in the settings asks for: the port, the page process behind it, the codes of the cards.

A table without [pages] never imports this: no port is open then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages import address as addresses
from pi_app.pages import card_codes
from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen
from pi_app.pages.meeting import Meeting
from pi_app.pages.messages import Setup
from pi_app.play.phones import TablePages
from pi_app.settings.model import Settings
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError

LOCAL: Final = ("127.0.0.1", "localhost")

MISSED_AFTER_SECONDS: Final = 4.0
"""A service's page process that is silent for so long is left, before the table's own watchdog calls for help."""

NO_ADDRESS: Final = "names no address, and this machine has none that phones can reach"
JOIN_FIRST: Final = "Join a network first, or remove [pages] to play without phones"


@contextlib.contextmanager
def open_pages(settings: Settings, keys: KeyRing, meet: Path | None = None) -> Iterator[TablePages]:
    """Open the pages of a table, and close them at the end. `meet`: the socket at which a page process comes that the
    service manager has started; None to start one, and to open its port.

    Raises UserFileError if the port cannot be opened, if this machine has no address, or if the codes of the cards
    cannot be read."""
    section = settings.pages or PagesSettings()
    setup, host = _setup(section, settings.where)
    cards = card_codes.printed(keys).codes
    if meet is None:
        link = ProcessLink(setup, listen(section.address, section.port, settings.where))
    else:
        link = ProcessLink(setup, (), source=Meeting(meet), silent_seconds=MISSED_AFTER_SECONDS)
    try:
        yield TablePages(link, host, cards)
    finally:
        link.close()


def _setup(section: PagesSettings, where: str) -> tuple[Setup, str]:
    """What the page process serves, and the address that people are told."""
    own = addresses.own_address(section)
    if not own:
        raise UserFileError.at(where, "[pages]", NO_ADDRESS, JOIN_FIRST)
    others = [each.address for each in addresses.reachable(addresses.own_interfaces())]
    names = [own] if section.address else dict.fromkeys([own, *others, *LOCAL])
    names = [*names, addresses.local_name()]
    hosts = tuple(addresses.host_of(name, section.port) for name in names)
    return Setup(hosts, hosts[0]), hosts[0]
