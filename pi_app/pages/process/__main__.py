"""`python -m pi_app.pages.process FIRST LINK LISTENER...`: the table starts it; a person has no use for it.

FIRST is the number of its first stream, LINK the handle of the socket pair, LISTENER those of the open ports.

`python -m pi_app.pages.process meet PATH`: the service manager starts it, with the open ports as sd_listen_fds(3) has
them; it meets the table at the socket PATH.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import uvicorn

from hardware.notify import VARIABLE as MANAGER
from hardware.notify import Notify
from pi_app.pages import page
from pi_app.pages.confined import confine
from pi_app.pages.process.accepting import Porter
from pi_app.pages.process.protocol import PhoneConnection
from pi_app.pages.process.routes import application
from pi_app.pages.process.streams import Table

NICE: Final = 5
"""The scan of the dials comes first."""

FIRST_HANDED_OVER: Final = 3
MEETING_PAUSE: Final = 0.2


class Server(uvicorn.Server):
    """uvicorn's server, which leaves signals alone and wakes for phones only, with doors of its own. It ends when the
    table's link does."""

    def __init__(self, config: uvicorn.Config, table: Table) -> None:
        super().__init__(config)
        self._table = table

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await self.lifespan.startup()
        make = functools.partial(
            cast("Any", self.config.http_protocol_class),
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        self.servers = [cast("Any", Porter(listener, self._table, make)) for listener in sockets or ()]
        self.started = True

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._table.stopped.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class ShortLines(logging.Handler):
    """Says where an error arose, in one line, and nothing of a request: no body, no address, no header."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, asyncio.CancelledError):
            return
        place = traceback.extract_tb(error.__traceback__)[-1]
        sys.stderr.write(f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}\n")


def server(table: Table) -> Server:
    """The server of all pages, which waits for `serve(sockets)`."""
    config = uvicorn.Config(
        application(table, page.built(), page.demo(), page.public(), page.staff()),
        http=cast("Any", functools.partial(PhoneConnection, gate=table)),
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=table.limits.keep_alive_seconds,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=table.limits.header_bytes,
    )
    return Server(config, table)


async def run(table: Table, link: socket.socket, listeners: Sequence[socket.socket]) -> None:
    """Serve until the table ends it."""
    serving = server(table)
    serving.config.load()  # loads modules that it names
    await serve(serving, table, link, listeners)


async def serve(serving: Server, table: Table, link: socket.socket, listeners: Sequence[socket.socket]) -> None:
    link.setblocking(False)
    transport, _ = await asyncio.get_running_loop().create_connection(lambda: table, sock=link)
    try:
        await table.ready.wait()
        if not table.stopped.is_set():
            await serving.serve(list(listeners))
    finally:
        transport.close()


async def _confined(first: int, link: socket.socket, listeners: Sequence[socket.socket]) -> None:
    """Give up all rights before the first byte of a stranger is read, and when nothing more has to be opened: the
    event loop has its handles, and all modules are loaded."""
    table = Table(first)
    serving = server(table)
    serving.config.load()
    table.confined = confine()
    await serve(serving, table, link, listeners)


def log_briefly() -> None:
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(ShortLines())
        logger.propagate = False


async def _meet(path: str, listeners: Sequence[socket.socket], manager: Notify) -> None:
    """Load everything, tell the service manager so, and wait for the table; then serve until the link ends."""
    feeding = asyncio.ensure_future(_feed(manager))
    manager.ready()
    manager.status("Waiting for the table.")
    link = await _met(path)
    manager.status("Serving phones.")
    await _confined(0, link, listeners)
    manager.stopping()
    feeding.cancel()


async def _feed(manager: Notify) -> None:
    """Tell the service manager every second that this process turns."""
    while True:
        manager.feed(time.monotonic_ns())
        await asyncio.sleep(1.0)


async def _met(path: str) -> socket.socket:
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(path)
        except OSError:
            link.close()
            await asyncio.sleep(MEETING_PAUSE)
        else:
            return link


def handed_over(environment: Mapping[str, str], process_id: int) -> list[socket.socket]:
    """The open ports that the service manager hands over: sd_listen_fds(3)."""
    if environment.get("LISTEN_PID") != str(process_id) or not environment.get("LISTEN_FDS", "").isdecimal():
        return []
    handles = range(FIRST_HANDED_OVER, FIRST_HANDED_OVER + int(environment["LISTEN_FDS"]))
    found = [socket.socket(fileno=handle) for handle in handles]
    for each in found:
        each.setblocking(False)
    return found


def main(arguments: Sequence[str]) -> None:
    with contextlib.suppress(OSError):
        os.nice(NICE)
    log_briefly()
    if arguments[0] == "meet":
        listeners = handed_over(os.environ, os.getpid())
        asyncio.run(_meet(arguments[1], listeners, Notify(os.environ.get(MANAGER, ""))))
        return
    first, *handles = map(int, arguments)
    link, *listeners = (socket.socket(fileno=handle) for handle in handles)
    asyncio.run(_confined(first, link, listeners))


if __name__ == "__main__":
    main(sys.argv[1:])
