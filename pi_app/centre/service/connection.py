"""One connection of a table: uvicorn's with httptools, and limits on the size of a request's head and its time."""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pi_app.centre.service.app import WHOLE
from pi_app.pages.process.protocol import HeadWithBody

LARGEST_HEAD: Final = 16_384
"""What may come of a head after the piece in which it began."""

MOST_UNREAD: Final = 1_048_576
"""A body is given on when it is whole, or when so many bytes of it wait: each piece of a large one would cost a turn of
the event loop."""

HEAD_S: Final = 10.0
"""So long may the head of a request take from the first byte of the connection, or of the request, to its last."""


class TableConnection(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too long or takes too long. The body's own limits are
    those of `pi_app.centre.service.app`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_bytes = 0
        self._head_open = True
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self.transport = cast("asyncio.Transport", HeadWithBody(self.transport))
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
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
        self._head_open = False
        self._unwatch()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take what came of a body; uvicorn's own would stop reading after each piece of 64 kB."""
        if self.cycle.response_complete:
            return
        self.cycle.body += body
        if len(self.cycle.body) > MOST_UNREAD:
            self.flow.pause_reading()
            self.cycle.message_event.set()

    def on_message_complete(self) -> None:
        self.scope.setdefault("extensions", {})[WHOLE] = {}
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
