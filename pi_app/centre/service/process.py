"""A centre as a process: its port, its certificate, its service manager, and the lines that it writes."""

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
from typing import Final

from hardware.notify import Notifier
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.serving import PlacedServer, listening, tls_of
from pi_app.centre.settings import CentreSettings
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries
from pi_app.text.plain_file import open_plain

SAID_AGAIN_S: Final = 600.0
"""The same line is written again after so long at the earliest."""

MOST_LINES: Final = 100
"""So many lines are remembered for that."""


class CentreServer(PlacedServer):
    """A server that leaves signals alone, ends when `stopped` is set, and feeds the service manager."""

    def __init__(
        self,
        app: CentreApp,
        tls: ssl.SSLContext | None,
        stopped: asyncio.Event,
        manager: Notifier,
        ready: Callable[[], str],
    ) -> None:
        """`ready`: called when the port is served, and every second; it returns a line for the manager."""
        super().__init__(app, tls)
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
            open_plain(path).close()
        except OSError as error:
            advice = f"{settings.where} [tls] names it; check the name, its owner and its mode"
            raise UserFileError.at(str(path), "", f"it cannot be read ({error.strerror})", advice) from error
    try:
        tls_of(certificate, key)
    except (ssl.SSLError, OSError) as error:
        seen = f"the key in {key} does not fit the certificate, or one of them is no PEM file"
        advice = "Name both as they were issued: the whole chain, and its key without a passphrase"
        raise UserFileError.at(str(certificate), "", seen, advice) from error


def listener(settings: CentreSettings) -> socket.socket:
    """Open the centre's port. Raises UserFileError."""
    host, port = settings.address
    try:
        return listening(host, port)
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
    secured = None if tls is None else tls_of(settings.beside(tls.certificate), settings.beside(tls.key))
    await CentreServer(app, secured, stopped, manager, line).serve([port])


def status_line(centre: Centre, began: str) -> str:
    """Say in one line what a centre has done since it began."""
    counts = centre.counts
    refused = sum(number for status, number in counts.answers.items() if status >= 400 and status != 409)
    doubt = "Its clock is in doubt, and it does not cosign: trapdial centre clock. " if centre.watch.words() else ""
    return (
        f"{doubt}Since {began}: {count_entries(counts.entries)} taken, {counts.cosignatures:,} cosignatures, "
        f"{refused:,} requests refused, {counts.evidence:,} contradictions kept."
    )
