"""A connection of a centre that has a place, whichever library reads its requests."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus
from typing import Any, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from pi_app.centre.service.app import TABLE
from pi_app.centre.service.places import ConnectionPlaces, count_as

_WORDS: Final = b"The centre has no place for another connection now. Try again in a moment.\n"
NO_PLACE: Final = (
    f"HTTP/1.1 {HTTPStatus.SERVICE_UNAVAILABLE:d} {HTTPStatus.SERVICE_UNAVAILABLE.phrase}\r\n"
    "content-type: text/plain; charset=utf-8\r\n"
    f"content-length: {len(_WORDS)}\r\n"
    "retry-after: 5\r\n"
    "connection: close\r\n\r\n"
).encode() + _WORDS

UNREAD_S: Final = 60
"""A connection that does not take an answer is closed after so long: until then the answer waits in memory."""


class PlacedConnection:
    """Stands before a protocol of uvicorn's: a connection enters, is refused, or closes to make room."""

    transport: Any
    client: tuple[str, int] | None
    server: tuple[str, int | None] | None
    cycle: Any
    app_state: dict[str, Any]

    def __init__(self, *arguments: Any, places: ConnectionPlaces[PlacedConnection], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._places = places
        self.is_refused = False

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def enter(self) -> None:
        """Take a place, or be refused. Called when the connection is made."""
        self.app_state = {**self.app_state, TABLE: self._keep_table}
        client, server = (each[0] if each else "" for each in (self.client, self.server))
        leave = self._places.enter(count_as(client, server), self)
        if leave is None:
            self.is_refused = True
            self.transport.write(NO_PLACE)
            self.transport.close()
            return
        for other in leave:
            other.transport.abort()
        if (handle := self.transport.get_extra_info("socket")) is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_S * 1_000)

    def leave(self) -> None:
        """Give the place back. Called when the connection is lost."""
        self._places.leave(self)

    def _keep_table(self, origin: str) -> None:
        self._places.keep_table(self, origin)


class PlainConnection(PlacedConnection, H11Protocol):
    """A connection that h11 reads, where httptools is not installed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        H11Protocol.connection_made(self, cast("asyncio.Transport", transport))
        self.enter()

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        H11Protocol.connection_lost(self, exc)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            H11Protocol.data_received(self, data)
