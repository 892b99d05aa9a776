"""Tells the service manager how the station is: the protocol of sd_notify(3), in one datagram a message.

Without `NOTIFY_SOCKET` in the environment nothing is sent: the station then runs in a terminal.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Mapping
from typing import Final, Protocol

VARIABLE: Final = "NOTIFY_SOCKET"
FEED_EVERY_NS: Final = 1_000_000_000
"""Fed more often, a service keeps the manager itself busy."""

MOST_STATUS: Final = 300
"""Characters of a status line."""


class Notifier(Protocol):
    """What is told to the service manager."""

    def ready(self) -> None:
        """The service has started."""

    def feed(self, now_ns: int) -> None:
        """The service is well; sent at most once a second."""

    def trigger(self) -> None:
        """The service found out that it is not well: restart it now."""

    def status(self, line: str) -> None:
        """One line for `systemctl status`; sent when it changes."""

    def stopping(self) -> None:
        """The service is about to end."""


class Notify:
    """Sends to the socket of the service manager. It never waits and never fails: a lost message is sent again with the
    next feed, or never mattered."""

    def __init__(self, address: str = "") -> None:
        """`address`: a path, or `@` and the name of an abstract socket; empty to send nothing."""
        self._socket = _connected(address)
        self._fed_ns: int | None = None
        self._status = ""

    @property
    def listens(self) -> bool:
        """Whether a service manager listens."""
        return self._socket is not None

    def ready(self) -> None:
        self._send("READY=1")

    def feed(self, now_ns: int) -> None:
        if self._fed_ns is None or now_ns - self._fed_ns >= FEED_EVERY_NS:
            self._fed_ns = now_ns
            self._send("WATCHDOG=1")

    def trigger(self) -> None:
        self._send("WATCHDOG=trigger")

    def status(self, line: str) -> None:
        text = " ".join(line.split())[:MOST_STATUS]
        if text != self._status:
            self._status = text
            self._send(f"STATUS={text}")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, message: str) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.send(message.encode())


def _connected(address: str) -> socket.socket | None:
    if not address.startswith(("/", "@")):
        return None
    handle = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        handle.setblocking(False)
        handle.connect("\0" + address[1:] if address.startswith("@") else address)
    except OSError:
        handle.close()
        return None
    return handle


def of(environment: Mapping[str, str], make: Callable[[str], Notify] = Notify) -> Notify:
    """The service manager of this process."""
    return make(environment.get(VARIABLE, ""))
