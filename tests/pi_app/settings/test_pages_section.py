"""`[pages]`: its values, and every refusal as a whole sentence."""

from __future__ import annotations

import pytest

from pi_app.settings.pages_section import PagesSettings
from tests.pi_app.settings.good import BUS, GOOD, changed, errors, good, warnings

PORT = "must be a port from 1 to 65535, usually 80 or 8080"
ADDRESS = "must be an IPv4 address such as '10.77.0.1', or empty"


def with_pages(*lines: str) -> str:
    return changed(BUS, "[pages]\n" + "".join(f"{line}\n" for line in lines) + BUS)


def test_without_the_section_there_are_no_pages() -> None:
    assert good(GOOD).pages is None
    assert good(with_pages()).pages == PagesSettings()


def test_what_is_written_is_read() -> None:
    text = with_pages('port = 8080\naddress = "192.168.1.20"', 'network = "Café"', 'passphrase = "seven brass cogs"')
    assert good(text).pages == PagesSettings(
        port=8080, address="192.168.1.20", network="Café", passphrase="seven brass cogs"
    )
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("port = 0", f"t.toml [pages] port = 0: {PORT}"),
        ("port = 65536", f"t.toml [pages] port = 65536: {PORT}"),
        ('address = "10.77.0"', f"t.toml [pages] address = '10.77.0': {ADDRESS}"),
        ('address = "10.77.0.256"', f"t.toml [pages] address = '10.77.0.256': {ADDRESS}"),
        ('address = "table.local"', f"t.toml [pages] address = 'table.local': {ADDRESS}"),
        (
            'address = "0.0.0.0"',
            "t.toml [pages] address = '0.0.0.0': is no address that a phone can open; leave it out",
        ),
        (
            'passphrase = "seven brass cogs"',
            "t.toml [pages] passphrase: names no `network` beside it; write the name of that Wi-Fi too",
        ),
        (
            'network = "x"\npassphrase = "sieben Füße"',
            "t.toml [pages] passphrase: has letters that a Wi-Fi does not take; use English letters and digits",
        ),
        (
            'network = "übergroßer Name eines Netzwerks"',
            "t.toml [pages] network: has 33 bytes; a Wi-Fi's name has at most 32. Use a shorter name, or "
            "fewer letters with accents",
        ),
        ("prot = 80", "t.toml [pages]: there is no key 'prot'; did you mean 'port'?"),
    ],
)
def test_a_wrong_value_is_refused(line: str, message: str) -> None:
    assert errors(with_pages(line)) == [message]


def test_an_address_of_this_machine_alone_is_warned_of() -> None:
    assert warnings(with_pages('address = "127.0.0.1"')) == [
        "t.toml [pages] address = '127.0.0.1': only this machine itself can open such an address"
    ]
