"""Sign a page with the device's key, and verify it: the signature is one comment after the page's last line.

The signature covers every byte before the comment. Line ends are compared as they were written, so that a mail program
that changes them does no harm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final

from pi_app.journal.record.keys import DeviceKey, signed_by
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import open_plain, read_plain, refusal
from pi_app.text.printed import shown

LONGEST: Final = 2**24
"""The longest page that is read, in bytes."""

_FIRST: Final = b"<!DOCTYPE html>"
_LAST: Final = re.compile(rb"<!-- trapdial audit 1 device ([0-9a-f]{64}) signature ([0-9a-f]{128}) -->\s*\Z")
_JOURNAL: Final = re.compile(rb'<meta name="trapdial-journal" content="([0-9a-f]{64}) ([^"]*)">')


@dataclass(frozen=True, slots=True)
class SignedPage:
    """A page with a signature. `journals`: the names and SHA-256 of the files that it is about."""

    genuine: bool
    device: bytes
    journals: tuple[tuple[str, str], ...]


def is_page(path: Path) -> bool:
    """Return whether a file begins like a page."""
    try:
        with open_plain(path) as file:
            return file.read(len(_FIRST)) == _FIRST
    except OSError:
        return False


def _signed_text(page: bytes) -> bytes:
    return b"trapdial audit 1\n" + page.replace(b"\r\n", b"\n")


def signed(page: bytes, key: DeviceKey) -> bytes:
    """Return the page with its signature at the end."""
    signature = key.sign(_signed_text(page))
    return page + f"<!-- trapdial audit 1 device {key.public.hex()} signature {signature.hex()} -->\n".encode()


def read_signed(path: Path) -> SignedPage:
    """Read and verify a signed page. Raises UserFileError if it cannot be read or is not signed."""
    try:
        data = read_plain(path, LONGEST)
    except OSError as error:
        raise refusal(str(path), error, "Check its name") from error
    found = _LAST.search(data[-400:])
    if found is None:
        seen = "it has no signature at its end"
        raise UserFileError.at(str(path), "", seen, "Name a page that `trapdial audit FILE -o PAGE --sign` wrote")
    device, signature = bytes.fromhex(found[1].decode()), bytes.fromhex(found[2].decode())
    page = data[: max(0, len(data) - 400) + found.start()]
    names = [
        (shown(unescape(name.decode("utf-8", "replace"))), digest.decode()) for digest, name in _JOURNAL.findall(page)
    ]
    return SignedPage(signed_by(device, _signed_text(page), signature), device, tuple(names))
