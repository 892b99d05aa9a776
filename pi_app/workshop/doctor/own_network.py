"""Asks this machine's network as a phone would: its addresses, a port, a name, a page. Nothing is changed."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pi_app.pages.address import Interface, own_interfaces
from pi_app.pages.confined import tried
from pi_app.pages.messages import Confined

WAIT_S: Final = 2.0
_MOST_BYTES: Final = 65_536
_DNS_PORT: Final = 53
_QUERY_ID: Final = 0x7D1A
_A_RECORD: Final = 1
_IN: Final = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered to a request for a page."""

    status: int
    body: bytes


def get(address: str, port: int, path: str, host: str) -> Answer | None:
    """Ask a server for a page under the name `host`; None if nothing answers in HTTP."""
    asking = http.client.HTTPConnection(address, port, timeout=WAIT_S)
    try:
        asking.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
        asking.putheader("Host", host)
        asking.putheader("Connection", "close")
        asking.endheaders()
        answer = asking.getresponse()
        return Answer(answer.status, answer.read(_MOST_BYTES))
    except (OSError, http.client.HTTPException):
        return None
    finally:
        asking.close()


def address_of_name(server: str, name: str, port: int = _DNS_PORT) -> str | None:
    """Ask a DNS server for the IPv4 address of a name; empty if it has none, None if no server answers."""
    words = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = words + b"\0" + struct.pack(">2H", _A_RECORD, _IN)
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
        asking.settimeout(WAIT_S)
        asking.connect((server, port))
        asking.send(struct.pack(">6H", _QUERY_ID, 0x0100, 1, 0, 0, 0) + question)
        return _first_address(asking.recv(1500), 12 + len(question))
    return None


def _first_address(answer: bytes, at: int) -> str:
    """The address in an answer whose first record begins at `at`, as dnsmasq writes it: with its name as a pointer."""
    if len(answer) < 8 or struct.unpack(">4H", answer[:8])[3] == 0 or len(answer) < at + 16:
        return ""
    kind, length = struct.unpack_from(">H", answer, at + 2)[0], struct.unpack_from(">H", answer, at + 10)[0]
    return socket.inet_ntoa(answer[at + 12 : at + 16]) if (kind, length) == (_A_RECORD, 4) else ""


def opening(address: str, port: int) -> int:
    """Try to open a port and close it again: 0, or the number of the error."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((address, port))
            trying.listen(1)
        except OSError as error:
            return error.errno or os.EX_OSERR
    return 0


@dataclass(frozen=True, slots=True)
class OwnNetwork:
    """The ways in which the doctor asks; a test has its own."""

    interfaces: Callable[[], list[Interface]] = own_interfaces
    get: Callable[[str, int, str, str], Answer | None] = get
    address_of_name: Callable[[str, str], str | None] = address_of_name
    opening: Callable[[str, int], int] = opening
    confinement: Callable[[], Confined | None] = tried
