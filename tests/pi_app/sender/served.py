"""A centre that listens, for tests."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.sqlite import SqliteStore
from tests.pi_app.centre.records import CENTRE


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A centre that listens; its address."""
    store, reading = SqliteStore(folder / "centre.db"), SqliteStore(folder / "centre.db")
    app = CentreApp(Centre(CENTRE, store, reading, lambda: 1_000.0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
        store.close()
        reading.close()
