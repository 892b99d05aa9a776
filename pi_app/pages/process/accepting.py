"""Takes connections from an open port. Those that may not enter are refused before anything is made for them, so that
many thousands a second take little from the phones."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Final

from pi_app.pages.process.answers import raw
from pi_app.pages.process.protocol import Doorkeeper

MOST_ENTER: Final = 16
"""The most connections that one turn lets in; then the phones inside have theirs."""

MOST_REFUSED: Final = 128

BUSY: Final = raw(429, "Too Many Requests")


class Porter:
    """Stands at one port, in the place of asyncio's server."""

    def __init__(self, listener: socket.socket, gate: Doorkeeper, make: Callable[[], asyncio.Protocol]) -> None:
        self._listener, self._gate, self._make = listener, gate, make
        self._loop = asyncio.get_running_loop()
        self._entering: set[asyncio.Task[None]] = set()
        self._loop.add_reader(listener, self._accept)

    def close(self) -> None:
        """Take no more connections."""
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """As asyncio's server has it."""

    def _accept(self) -> None:
        entered = refused = 0
        while entered < MOST_ENTER and refused < MOST_REFUSED:
            try:
                made, (address, *_) = self._listener.accept()
            except OSError:  # none waits, or its other end is gone
                return
            if self._gate.may_enter(address, house=made.getsockname()[0] == address):
                entered += 1
                made.setblocking(False)
                entering = self._loop.create_task(self._enter(made))
                self._entering.add(entering)
                entering.add_done_callback(self._entering.discard)
            else:
                refused += 1
                self._gate.count_refused()
                _refuse(made)

    async def _enter(self, made: socket.socket) -> None:
        with contextlib.suppress(OSError):
            await self._loop.connect_accepted_socket(self._make, made)


def _refuse(made: socket.socket) -> None:
    """Say why, if that takes no waiting."""
    with contextlib.suppress(OSError):
        made.setblocking(False)
        made.send(BUSY)
        made.shutdown(socket.SHUT_WR)
    made.close()
