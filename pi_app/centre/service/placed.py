"""A connection of a centre from its first moment: it takes a place, then TLS begins, then a library reads its requests.

The place is taken before TLS: strangers who never finish its handshake make room as all do whose request is not whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, Protocol, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from pi_app.centre.service.places import ConnectionPlaces, count_as

ACCEPT_AGAIN_S: Final = 0.1

HANDSHAKE_S: Final = 10.0
"""Deadline of a TLS handshake."""

UNREAD_S: Final = 60
"""A connection that does not take an answer is closed after so long: until then the answer waits in memory."""

_WORDS: Final = b"The centre has no place for another connection now. Try again in a moment.\n"
NO_PLACE: Final = (
    f"HTTP/1.1 {HTTPStatus.SERVICE_UNAVAILABLE:d} {HTTPStatus.SERVICE_UNAVAILABLE.phrase}\r\n"
    "content-type: text/plain; charset=utf-8\r\n"
    f"content-length: {len(_WORDS)}\r\n"
    "retry-after: 5\r\n"
    "connection: close\r\n\r\n"
).encode() + _WORDS


class RequestReader(Protocol):
    """An asyncio protocol that reads requests."""

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""


class Arrival:
    """What holds the place of a connection, from the moment in which it was accepted."""

    def __init__(self, handle: socket.socket) -> None:
        self._handle = handle
        self._reader: RequestReader | None = None
        self._transport: asyncio.BaseTransport | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""
        return self._reader is not None and self._reader.is_at_work

    def begin(self, reader: RequestReader, transport: asyncio.BaseTransport) -> None:
        """TLS has begun, if there is any."""
        self._reader, self._transport = reader, transport

    def abort(self) -> None:
        """Close at once; what waits for its TLS ends by it."""
        if isinstance(self._transport, asyncio.Transport):
            self._transport.abort()
        else:
            with contextlib.suppress(OSError):
                self._handle.shutdown(socket.SHUT_RDWR)


class Reception:
    """Accepts connections. `read`: makes the asyncio protocol that reads the requests of one."""

    def __init__(
        self,
        places: ConnectionPlaces[Arrival],
        tls: ssl.SSLContext | None,
        read: Callable[[Arrival, Callable[[], None]], RequestReader],
    ) -> None:
        """`read` gets what calls when its connection is lost."""
        self._places, self._tls, self._read = places, tls, read
        self._beginning: dict[asyncio.Task[None], Arrival] = {}

    async def accept(self, listener: socket.socket) -> None:
        """Accept connections until it is cancelled."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                handle, _ = await loop.sock_accept(listener)
            except OSError:  # gone already, or no file is left
                await asyncio.sleep(ACCEPT_AGAIN_S)
                continue
            self._admit(handle)

    def end(self) -> None:
        """End what has not begun."""
        for arrival in self._beginning.values():
            arrival.abort()

    def _admit(self, handle: socket.socket) -> None:
        handle.setblocking(False)
        arrival = Arrival(handle)
        leave = self._places.enter(_counted(handle), arrival)
        if leave is None:
            with contextlib.suppress(OSError):
                if self._tls is None:
                    handle.send(NO_PLACE)
            handle.close()
            return
        for other in leave:
            other.abort()
        task = asyncio.ensure_future(self._begin(arrival, handle))
        self._beginning[task] = arrival
        task.add_done_callback(self._beginning.pop)

    async def _begin(self, arrival: Arrival, handle: socket.socket) -> None:
        """Let TLS begin, in time, and then the first request."""
        try:
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_S * 1_000)
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: cast("asyncio.Protocol", self._read(arrival, lambda: self._places.leave(arrival))),
                handle,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else HANDSHAKE_S,
            )
        except OSError:  # no TLS, too slow, or gone
            self._places.leave(arrival)
            handle.close()


def _counted(handle: socket.socket) -> str:
    try:
        return count_as(handle.getpeername()[0], handle.getsockname()[0])
    except OSError:  # gone already
        return ""


class PlacedConnection:
    """What stands before uvicorn's protocols: they know the place of their connection."""

    cycle: Any

    def __init__(self, *arguments: Any, arrival: Arrival, left: Callable[[], None], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.arrival, self.left = arrival, left

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body


class PlainConnection(PlacedConnection, H11Protocol):
    """A connection that h11 reads, where httptools is not installed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.arrival.begin(self, transport)
        super().connection_made(cast("asyncio.Transport", transport))

    def connection_lost(self, exc: Exception | None) -> None:
        self.left()
        super().connection_lost(exc)
