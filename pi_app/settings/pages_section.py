"""The section [pages] of the settings: the pages that phones open. Without it no port is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.text.user_file import Complaints, seen_as

PLACE: Final = "[pages]"
MOST_NETWORK_BYTES: Final = 32
"""Of a Wi-Fi's name, as the standard has it."""


class PagesSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[pages]: where phones find their seats' pages. `address`: an IPv4 address of this machine, or empty for the one
    that it has. `network` and `passphrase`: the Wi-Fi that the cards name; an empty `passphrase` is an open network."""

    port: Annotated[int, Meta(ge=1, le=65_535, description="a port from 1 to 65535, usually 80 or 8080")] = 80
    address: Annotated[
        str,
        Meta(
            pattern=r"^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3})?\Z",
            description="an IPv4 address such as '10.77.0.1', or empty",
        ),
    ] = ""
    network: Annotated[
        str, Meta(max_length=32, description="the name of a Wi-Fi, of at most 32 characters, or empty")
    ] = ""
    passphrase: Annotated[
        str, Meta(pattern=r"^(.{8,63})?\Z", description="the passphrase of that Wi-Fi, 8 to 63 characters, or empty")
    ] = ""


def check_pages(pages: Mapping[str, object], complaints: Complaints) -> None:
    """Report what does not go together in [pages], and what would surprise the people at the table."""
    address, network = str(pages.get("address", "")), str(pages.get("network", ""))
    passphrase = str(pages.get("passphrase", ""))
    if passphrase and not network:
        complaints.error(PLACE, "passphrase", "names no `network` beside it; write the name of that Wi-Fi too")
    if passphrase and not (passphrase.isascii() and passphrase.isprintable()):
        complaints.error(PLACE, "passphrase", "has letters that a Wi-Fi does not take; use English letters and digits")
    if len(network.encode()) > MOST_NETWORK_BYTES:
        seen = f"has {len(network.encode())} bytes; a Wi-Fi's name has at most {MOST_NETWORK_BYTES}. Use a shorter name"
        complaints.error(PLACE, "network", f"{seen}, or fewer letters with accents")
    if address.startswith(("0.", "255.")):
        complaints.error(PLACE, seen_as("address", address), "is no address that a phone can open; leave it out")
    elif address.startswith("127."):
        complaints.warning(PLACE, seen_as("address", address), "only this machine itself can open such an address")
