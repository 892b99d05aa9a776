"""The service that hands a station's record over follows the settings that the table runs with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders
from pi_app.settings.load import example_path
from pi_app.station.service.boot_settings import NAME, bundled
from pi_app.station.service.sending import LOOK_EVERY_S, serve, wanted
from tests.pi_app.centre.records import CENTRE

TEXT = example_path("2x2").read_text(encoding="utf-8")


def section(address: str, more: str = "") -> str:
    return f'{TEXT}\n[centre]\naddress = "{address}"\nkey = "{CENTRE.verifier.text()}"\n{more}'


def test_the_journal_is_beside_the_settings_of_the_state_folder(tmp_path: Path) -> None:
    assert wanted(tmp_path) is None
    (tmp_path / NAME).write_text(TEXT)
    assert wanted(tmp_path) is None
    (tmp_path / NAME).write_text(section("https://c.example"))
    found = wanted(tmp_path)
    assert found is not None
    assert (found.journal, found.address) == (str(tmp_path / "journal.db"), "https://c.example/")
    (tmp_path / NAME).write_text("[centre")
    assert wanted(tmp_path) is None


class FakeKeeper:
    def __init__(self, orders: SenderOrders, open_now: list[str]) -> None:
        self.address, self._open = orders.address, open_now
        self._open.append(self.address)

    def close(self) -> None:
        self._open.remove(self.address)


def test_each_change_of_the_settings_counts_and_the_end_ends_all(tmp_path: Path) -> None:
    open_now: list[str] = []
    seen: list[list[str]] = []
    changes: list[Callable[[], object]] = [
        lambda: (tmp_path / NAME).write_text(section("https://a.example/")),
        lambda: None,
        lambda: (tmp_path / NAME).write_text(section("https://b.example/")),
        lambda: (tmp_path / NAME).write_text(TEXT),
        lambda: (tmp_path / NAME).write_text(section("https://c.example/")),
        lambda: None,
    ]

    def wait(seconds: float) -> bool:
        assert seconds == LOOK_EVERY_S
        seen.append([*open_now])
        if not changes:
            return True
        changes.pop(0)()
        return False

    def keep(orders: SenderOrders) -> SenderKeeper:
        return FakeKeeper(orders, open_now)  # type: ignore[return-value]

    serve(tmp_path, wait, keep)
    a, b, c = (f"https://{name}.example/" for name in "abc")
    assert seen == [[], [a], [a], [b], [], [c], [c]]
    assert open_now == []


@pytest.mark.parametrize("name", ["centre.pem", "centre.crt"])
def test_the_certificate_goes_with_the_settings_into_the_state_folder(tmp_path: Path, name: str) -> None:
    card = tmp_path / "card"
    card.mkdir()
    (card / NAME).write_text(section("https://c.example/", f'authority = "{name}"\n'))
    (card / name).write_text("-----BEGIN CERTIFICATE-----\n")
    assert bundled(card / NAME, tmp_path).files[name] == "-----BEGIN CERTIFICATE-----\n"
