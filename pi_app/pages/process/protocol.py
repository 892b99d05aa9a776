"""One connection of a phone, or of a stranger: uvicorn's, with limits on how many there are and how long they take."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final, Protocol, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from pi_app.pages.process.answers import raw
from pi_app.pages.process.doors import Doors
from pi_app.pages.process.limits import Limits

_HEAD: Final = b"HTTP/1.1 "
_TCP_THIN_LINEAR_TIMEOUTS: Final = 16
"""Linux: where packets are lost again and again, the pause before each repeat does not double."""

_READ_WHOLE: Final = (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR)


class Doorkeeper(Protocol):
    """What all connections share."""

    limits: Limits
    doors: Doors[PhoneConnection]
    connections: dict[tuple[str, int], PhoneConnection]
    """By the address and the port of the other end."""

    def may_enter(self, address: str, *, house: bool) -> bool:
        """Whether this address may open a connection now; then it is counted. `house`: it is this machine's."""

    def close_for(self, leave: list[PhoneConnection]) -> None:
        """Close those that make room."""

    def count_refused(self) -> None:
        """Count one refusal."""


class HeadWithBody:
    """A transport that keeps the head of an answer until what follows it: both go out in one write.

    A head alone takes a segment of its own, and then the page of 14 kB no longer fits the ten segments that may be sent
    before the first acknowledgement: on a slow network that costs a round trip."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""

    def write(self, data: bytes) -> None:
        if not self._head and data.startswith(_HEAD):
            self._head = data
            return
        whole, self._head = self._head + data, b""
        if whole:
            self._transport.write(whole)

    def close(self) -> None:
        self.write(b"")
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class PhoneConnection(H11Protocol):
    """A connection that closes when a request takes too long, and answers what is no request with one line."""

    def __init__(self, *arguments: Any, gate: Doorkeeper, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._gate = gate
        self._entered = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = cast("asyncio.Transport", HeadWithBody(transport))
        gate, self._entered = self._gate, True
        if self.client is not None:
            gate.connections[self.client] = self
        gate.close_for(gate.doors.enter(self, self.address, house=self.is_house))
        transport.set_write_buffer_limits(high=0)  # of frames, the newest waits in the stream; no more than one here
        if (handle := transport.get_extra_info("socket")) is not None:
            handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, self._gate.limits.unread_seconds * 1_000)
            handle.setsockopt(socket.IPPROTO_TCP, _TCP_THIN_LINEAR_TIMEOUTS, 1)
        self._watch()

    @property
    def address(self) -> str:
        """The address of the other end."""
        return self.client[0] if self.client else "?"

    @property
    def is_house(self) -> bool:
        """Whether the other end is this machine too: an address of its own has asked that same address."""
        return self.client is not None and self.server is not None and self.client[0] == self.server[0]

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        if self._entered:
            self._entered = False
            self._gate.doors.leave(self)
            if self.client is not None:
                self._gate.connections.pop(self.client, None)
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    # --------------------------------------------------------------------------------------- slow requests

    def _watch(self) -> None:
        """Give the request that has begun so many seconds, however slowly its bytes drip in."""
        if self.conn.their_state in _READ_WHOLE or self.transport.is_closing():
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._gate.limits.request_seconds, self._too_slow)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if not self.transport.is_closing() and self.conn.their_state not in _READ_WHOLE:
            self._gate.count_refused()
            self._refuse(408, "Request Timeout")

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "Bad Request")

    def _refuse(self, status: int, phrase: str) -> None:
        """Say why, unless an answer has begun on this connection; then close it."""
        self._unwatch()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(raw(status, phrase))
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
