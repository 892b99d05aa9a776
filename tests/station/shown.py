"""`/public` on a real port of this machine, with whatever state a test shows, by the page process's own server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Public, Setup, ToPages, packed
from pi_app.pages.process.__main__ import run
from pi_app.pages.process.limits import DEMO, Limits
from pi_app.pages.process.streams import Table
from pi_app.station.public.feed import line_of
from pi_app.station.public.state import PublicState
from tests.pages.engines import Engine
from tests.station.states import state


class ShownPublic:
    """A running page. `show` sends a state; `silent` ends it as a table that stops."""

    def __init__(self, port: int, link: socket.socket) -> None:
        self.port, self._link = port, link
        self.address = f"http://localhost:{port}/public"

    def send(self, message: ToPages) -> None:
        self._link.sendall(packed(message))

    def show(self, state: PublicState) -> None:
        self.send(Public(line_of(state)))


@contextlib.contextmanager
def shown_public(limits: Limits = DEMO) -> Iterator[ShownPublic]:
    """Serve the page in a thread until the end of the block."""
    listeners = listen("127.0.0.1", 0)
    port = port_of(listeners)
    ours, theirs = socket.socketpair()
    table = Table(1, limits)
    thread = threading.Thread(target=lambda: asyncio.run(run(table, theirs, listeners)), daemon=True)
    thread.start()
    page = ShownPublic(port, ours)
    page.send(Setup(hosts=(f"localhost:{port}",), address=f"http://localhost:{port}/"))
    try:
        yield page
    finally:
        ours.close()  # the page process ends with its table
        thread.join(20)


def sized(browser: Engine, width: int, height: int) -> None:
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def open_at(browser: Engine, page: ShownPublic, name: str, language: str) -> None:
    page.show(state(name, language))
    browser.go(page.address)
    assert browser.until("document.body.className !== 'waiting'"), name
