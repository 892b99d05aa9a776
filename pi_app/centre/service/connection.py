"""One connection of a table: uvicorn's with httptools, and limits on the size of a request's head and its time."""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pi_app.centre.service.app import READ, WHOLE
from pi_app.centre.service.placed import PlacedConnection
from pi_app.pages.process.protocol import HeadWithBody

LARGEST_HEAD: Final = 16_384
"""What may come of a head after the piece in which it began."""

MOST_WAITING: Final = 16_384
"""So much of a body is read before its turn; the rest waits with the system and at the table."""

MOST_UNREAD: Final = 1_048_576
"""A body whose turn has come is given on when it is whole, or when so many bytes of it wait: each piece of a large one
would cost a turn of the event loop."""

HEAD_S: Final = 10.0
"""So long may the head of a request take from the first byte of the connection, or of the request, to its last."""


class TableConnection(PlacedConnection, HttpToolsProtocol):
    """A connection that is closed when the head of a request is too long or takes too long. The body's own limits are
    those of `pi_app.centre.service.app`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_bytes = 0
        self._head_open = True
        self.reads = False
        """Whether the turn of a body has come."""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.arrival.begin(self, transport)
        super().connection_made(cast("asyncio.Transport", transport))
        self.transport = cast("asyncio.Transport", HeadWithBody(self.transport))
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        self.left()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if self._head_open:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_open:
            self._watch()
        if self._head_open and self._head_bytes > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too long.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_open, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        self._head_open = self.reads = False
        self._unwatch()
        self.scope["extensions"] = cast("Any", {READ: self._read})
        super().on_headers_complete()

    def _read(self) -> None:
        """Take the body, whose turn has come."""
        self.reads = True

    def on_body(self, body: bytes) -> None:
        """Take what came of a body; uvicorn's own would stop reading after each piece of 64 kB."""
        if self.cycle.response_complete:
            return
        self.cycle.body += body
        if len(self.cycle.body) >= (MOST_UNREAD if self.reads else MOST_WAITING):
            self.flow.pause_reading()
            self.cycle.message_event.set()

    def on_message_complete(self) -> None:
        cast("dict[str, Any]", self.scope["extensions"])[WHOLE] = {}
        self.reads = False
        super().on_message_complete()

    def shutdown(self) -> None:
        """End a connection that waits at once: over TLS, its other end would first be waited for."""
        idle = self.cycle is None or self.cycle.response_complete
        super().shutdown()
        if idle and not self.transport.get_write_buffer_size():
            self.transport.abort()

    def _watch(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self._too_slow)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


_FEW_BYTES: Final = memoryview(bytearray(MOST_WAITING))
_MANY_BYTES: Final = memoryview(bytearray(MOST_UNREAD // 2))
"""What a connection reads into, one after the other; both are free again before the next one reads."""


class TableReader(asyncio.BufferedProtocol):
    """Reads for a connection, and little of a body that waits for its turn: of a plain protocol uvloop reads 256 kB at
    once, which 500 tables have a hundred megabytes of."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._connection = TableConnection(*arguments, **named)
        self._bytes = _FEW_BYTES

    @property
    def is_at_work(self) -> bool:
        """Whether its request is whole and not answered yet."""
        return self._connection.is_at_work

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connection.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:
        self._bytes = _MANY_BYTES if self._connection.reads else _FEW_BYTES
        return self._bytes

    def buffer_updated(self, nbytes: int) -> None:
        self._connection.data_received(cast("bytes", self._bytes[:nbytes]))

    def eof_received(self) -> None:
        self._connection.eof_received()

    def pause_writing(self) -> None:
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._connection.resume_writing()
