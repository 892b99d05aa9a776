"""The HTTP server of a centre: uvicorn's, set up for many tables that each keep one connection.

Each connection has a place (`places`): strangers who keep theirs open shut no table out.
Requests are read by httptools where it is installed (the extra `centre` brings it), which takes a third of the
processor time of h11, and by h11 otherwise.
"""

from __future__ import annotations

import asyncio
import functools
import resource
import socket
import ssl
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import uvicorn

from pi_app.centre.service.app import TABLE, CentreApp
from pi_app.centre.service.placed import Arrival, PlainConnection, Reception, RequestReader
from pi_app.centre.service.places import ConnectionPlaces, PlaceLimits

try:
    from pi_app.centre.service.connection import TableReader
except ImportError:
    READER: type = PlainConnection
else:
    READER = TableReader

OTHER_FILES: Final = 100
"""Files that the centre has open beside its connections: its database, and what reads it."""

IDLE_S: Final = 75
"""A connection that asks nothing for so long is closed."""

WAITING: Final = 1_024
"""So many connections may wait to be accepted."""

LARGEST_HEAD: Final = 16_384
"""The bytes that stand before a request's body."""

BUFFER_BYTES: Final = 262_144
"""The system keeps about so much of what a table has sent and the centre has not read: 500 tables that come back at
once wait with their entries on their own side."""

ENDS_S: Final = 10
"""Requests that are under way when the centre is stopped have so long to be answered."""


def event_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the event loop of a centre: uvloop's where it is installed, else None for asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def listening(host: str, port: int) -> socket.socket:
    """Open the port for tables. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        listener.bind((host, port))
        listener.listen(WAITING)
    except OSError:
        listener.close()
        raise
    return listener


def limits_of_system(limits: PlaceLimits) -> PlaceLimits:
    """Return these limits, or fewer places where the system lets this process open fewer files. It asks for as many as
    it may have first. Without this, connections beyond the system's limit would wait for others to end."""
    wanted = limits.most + limits.this_machine + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        most = max(1, soft - limits.this_machine - OTHER_FILES)
        return replace(limits, most=most, tables=min(limits.tables, most * 3 // 4))
    return limits


class PlacedServer(uvicorn.Server):
    """uvicorn's server, whose connections have places from their first moment on, before TLS."""

    def __init__(self, app: CentreApp, tls: ssl.SSLContext | None = None, limits: PlaceLimits | None = None) -> None:
        """`limits`: of its connections; without them, as many as the system lets it have."""
        super().__init__(config_of(app))
        self._places: ConnectionPlaces[Arrival] = ConnectionPlaces(limits or limits_of_system(PlaceLimits()))
        self._reception = Reception(self._places, tls, self._reader)
        self._accepting: list[asyncio.Task[None]] = []

    def _reader(self, arrival: Arrival, left: Callable[[], None]) -> RequestReader:
        state = {**self.lifespan.state, TABLE: functools.partial(self._places.keep_table, arrival)}
        named = {"config": self.config, "server_state": self.server_state, "app_state": state}
        return cast("RequestReader", READER(arrival=arrival, left=left, **named))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        self._accepting = [asyncio.ensure_future(self._reception.accept(each)) for each in sockets or ()]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        self._reception.end()
        await super().shutdown(sockets)


def tls_of(certificate: Path, key: Path) -> ssl.SSLContext:
    """Read a certificate and its key, from PEM files. Raises OSError, also for files that are none or do not fit."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    return tls


def config_of(app: CentreApp) -> uvicorn.Config:
    """Return uvicorn's settings for a centre."""
    return uvicorn.Config(
        cast("Any", app),
        http=cast("Any", READER),
        loop="asyncio",
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=WAITING,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=ENDS_S,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
