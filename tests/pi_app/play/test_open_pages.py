"""The pages that [pages] in the settings opens: which addresses a browser may ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.journal.record.key_ring import KeyRing
from pi_app.pages import address
from pi_app.pages.address import Interface
from pi_app.pages.messages import Setup
from pi_app.play import open_pages
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError
from tests.pi_app.playing import settings

INTERFACES = [Interface("wlan0", "192.168.1.8", wireless=True), Interface("eth0", "10.0.0.4")]


class FakeLink:
    """Keeps what the page process would serve."""

    def __init__(self, setup: Setup, listeners: object) -> None:
        self.setup = setup

    def close(self) -> None:
        """Nothing is open."""


def setup_of(
    section: PagesSettings, folder: Path, monkeypatch: pytest.MonkeyPatch, interfaces: list[Interface]
) -> Setup:
    monkeypatch.setattr(open_pages, "ProcessLink", FakeLink)
    monkeypatch.setattr(open_pages, "listen", lambda *_: ())
    monkeypatch.setattr(address, "own_interfaces", lambda: interfaces)
    monkeypatch.setattr("socket.gethostname", lambda: "Dungeon.lan")
    with open_pages.open_pages(replace(settings(), pages=section), KeyRing(folder)) as pages:
        assert isinstance(pages.link, FakeLink)
        assert pages.host == pages.link.setup.address
        return pages.link.setup


def test_this_machines_addresses_and_its_local_name_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(PagesSettings(), tmp_path, monkeypatch, INTERFACES)
    assert setup.hosts == ("192.168.1.8", "10.0.0.4", "127.0.0.1", "localhost", "dungeon.local")
    assert setup.address == "192.168.1.8", "people are told figures"


def test_with_an_address_in_the_settings_only_that_one_and_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = setup_of(PagesSettings(address="10.0.0.4", port=8080), tmp_path, monkeypatch, INTERFACES)
    assert setup.hosts == ("10.0.0.4:8080", "dungeon.local:8080")


def test_without_a_network_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserFileError) as refused:
        setup_of(PagesSettings(), tmp_path, monkeypatch, [])
    assert str(refused.value).endswith(
        "[pages]: names no address, and this machine has none that phones can reach. Join a network first, or remove "
        "[pages] to play without phones."
    )
