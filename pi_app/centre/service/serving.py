"""Serves a centre with uvicorn: its port, TLS, the service manager, and connections that send nothing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import ssl
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hardware.notify import Notifier
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.settings import CentreSettings
from pi_app.text.errors import UserFileError

HEAD_S: Final = 10.0
"""So long may the head of a request take."""

KEEP_ALIVE_S: Final = 75
"""So long is a connection kept without a request."""

MOST_CONNECTIONS: Final = 10_000
BACKLOG: Final = 2_048
GRACE_S: Final = 8
"""So long may requests take that were under way when the centre is stopped."""

SAID_AGAIN_S: Final = 600.0
"""The same line is written again after so long at the earliest."""

MOST_LINES: Final = 100
"""So many lines are remembered for that."""


class CentreConnection(H11Protocol):
    """uvicorn's connection, which is closed if the head of a request does not come, or comes too slowly."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def shutdown(self) -> None:
        """End a connection that waits at once: over TLS, its other end would first be waited for."""
        idle = self.cycle is None or self.cycle.response_complete
        super().shutdown()
        if idle and not self.transport.get_write_buffer_size():
            self.transport.abort()

    def _watch(self) -> None:
        """Wait for the rest of a head; a body has a limit of its own (`app.BODY_S`)."""
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self.transport.close)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class CentreServer(uvicorn.Server):
    """uvicorn's server, which leaves signals alone, ends when `stopped` is set, and feeds the service manager."""

    def __init__(self, config: uvicorn.Config, stopped: asyncio.Event, manager: Notifier, ready: Callable[[], str]):
        """`ready`: called when the port is served, and every second; it returns a line for the manager."""
        super().__init__(config)
        self._stopped, self._manager, self._line = stopped, manager, ready

    async def main_loop(self) -> None:
        await self.on_tick(0)
        self._manager.ready()
        while not self._stopped.is_set():
            self._manager.status(self._line())
            self._manager.feed(time.monotonic_ns())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), 1.0)
        self._manager.stopping()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class LogLines:
    """Writes lines for whoever runs the centre; the same one is not repeated for some minutes."""

    def __init__(self, write: Callable[[str], None], now_s: Callable[[], float] = time.monotonic) -> None:
        self._write, self._now_s = write, now_s
        self._said: dict[str, float] = {}

    def __call__(self, line: str) -> None:
        now_s = self._now_s()
        if now_s < self._said.get(line, float("-inf")) + SAID_AGAIN_S:
            return
        if len(self._said) >= MOST_LINES:
            self._said.clear()
        self._said[line] = now_s
        self._write(line)


class PlaceOnly(logging.Handler):
    """Says where an error arose, in one line, and nothing of a request: no body, no address, no header."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, asyncio.CancelledError):
            return
        place = traceback.extract_tb(error.__traceback__)[-1]
        sys.stderr.write(f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}\n")


def log_briefly() -> None:
    """Let the libraries log no more than the place of an error."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [PlaceOnly()]
        logger.propagate = False


def check_tls(settings: CentreSettings) -> None:
    """Read the certificate and its key once. Raises UserFileError."""
    tls = settings.tls
    if tls is None:
        return
    certificate, key = settings.beside(tls.certificate), settings.beside(tls.key)
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            advice = f"{settings.where} [tls] names it; check the name, its owner and its mode"
            raise UserFileError.at(str(path), "", f"it cannot be read ({error.strerror})", advice) from error
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as error:
        seen = f"the key in {key} does not fit the certificate, or one of them is no PEM file"
        advice = "Name both as they were issued: the whole chain, and its key without a passphrase"
        raise UserFileError.at(str(certificate), "", seen, advice) from error


def listener(settings: CentreSettings) -> socket.socket:
    """Open the centre's port. Raises UserFileError."""
    host, port = settings.address
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
        seen = f"its port cannot be opened ({why})"
        advice = "Is another centre running, or another program on this port? Else change `listen`"
        raise UserFileError.at(str(settings.where), f"listen = {settings.listen!r}", seen, advice) from error


async def serve(
    settings: CentreSettings,
    app: CentreApp,
    port: socket.socket,
    stopped: asyncio.Event,
    manager: Notifier,
    line: Callable[[], str],
) -> None:
    """Serve until `stopped` is set. Requests that are under way then are answered."""
    tls = settings.tls
    config = uvicorn.Config(
        app,
        http=cast("Any", CentreConnection),
        loop="asyncio",
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=BACKLOG,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=None if tls is None else settings.beside(tls.certificate),
        ssl_keyfile=None if tls is None else settings.beside(tls.key),
    )
    await CentreServer(config, stopped, manager, line).serve([port])


def status_line(centre: Centre, began: str) -> str:
    """Say in one line what a centre has done since it began."""
    counts = centre.counts
    refused = sum(number for status, number in counts.answers.items() if status >= 400 and status != 409)
    return (
        f"Since {began}: {counts.entries:,} entries taken, {counts.cosignatures:,} cosignatures, "
        f"{refused:,} requests refused, {counts.evidence:,} contradictions kept."
    )
