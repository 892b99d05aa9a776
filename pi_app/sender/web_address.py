"""The address of a centre or a witness: where requests are posted."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

LONGEST_ADDRESS: Final = 400


def web_address(text: str) -> str:
    """Return an address with a slash at its end. Raises ValueError if requests cannot be posted there."""
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    strange = "?" in text or "#" in text or "@" in text or " " in text or not (text.isprintable() and text.isascii())
    if not sound or strange or len(text) > LONGEST_ADDRESS:
        raise ValueError(f"{text[:80]!a} is no address of a web server")
    return text if text.endswith("/") else f"{text}/"


def port_of(address: str) -> int:
    """Return the TCP port of an address that `web_address` has checked."""
    parts = urlsplit(address)
    return parts.port or (443 if parts.scheme == "https" else 80)
