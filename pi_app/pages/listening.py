"""Opens the port on which phones find their pages. The table does it, so that the page process needs no right to."""

from __future__ import annotations

import errno
import socket
from typing import Final

from pi_app.text.errors import UserFileError

BACKLOG: Final = 512
"""The most connections that wait at the port: a sudden crowd leaves no phone without an answer."""

EVERY_ADDRESS: Final = "0.0.0.0"
FIRST_FREE_PORT: Final = 1024
PLACE: Final = "[pages]"


def listen(address: str, port: int, file: str = "settings") -> tuple[socket.socket, ...]:
    """Open the port at an IPv4 address of this machine; an empty address means at all of them.

    `file`: the settings' name, for the error. Raises UserFileError if the port cannot be opened.
    """
    handle = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        handle.bind((address or EVERY_ADDRESS, port))
        handle.listen(BACKLOG)
        handle.setblocking(False)
    except OSError as error:
        handle.close()
        raise UserFileError.at(file, PLACE, *_refusal(address, port, error)) from None
    return (handle,)


def port_of(listeners: tuple[socket.socket, ...]) -> int:
    """The port that was opened: another one than asked for only if that was 0."""
    number: int = listeners[0].getsockname()[1]
    return number


def _refusal(address: str, port: int, error: OSError) -> tuple[str, str]:
    """What was seen, and what to try."""
    other = 8080 if port != 8080 else 8090
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken by another program",
            f"Stop that program (`ss -ltnp 'sport = :{port}'` names it), or write port = {other}",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        seen = f"this user may not open port {port}"
        if port >= FIRST_FREE_PORT:
            return seen, f"Write port = {other}, or ask who set up this machine"
        return (
            seen,
            f"Give the service AmbientCapabilities=CAP_NET_BIND_SERVICE, or write port = {other}; without a service, "
            f"`sudo sysctl net.ipv4.ip_unprivileged_port_start={port}` allows it until the next start",
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return (
            f"{address} is not an address of this machine now",
            'Write one that `ip -4 address` shows, or leave it out (address = "") to serve all of them',
        )
    return f"port {port} cannot be opened ({error.strerror})", f"Write port = {other}"
