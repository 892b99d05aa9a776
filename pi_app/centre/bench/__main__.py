"""`python -m pi_app.centre.bench HANDLE`: a centre for measurements, which `CentreProcess` starts.

Its store, its name and the seed of its key come as a line of JSON from its standard input; HANDLE is the open port.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from pathlib import Path

import msgspec

from pi_app.centre.bench.centre_process import CentreSetup, opened
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.serving import server
from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.keys import device_key


def main(handle: int) -> None:
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=CentreSetup)
    logging.basicConfig(level=logging.WARNING, filename=setup.log or None)
    store, reading = opened(setup.store), opened(setup.store)
    key = CentreKey(setup.name, device_key(setup.seed))
    app = CentreApp(Centre(key, store, reading, time.time))
    try:
        asyncio.run(server(app).serve([socket.socket(fileno=handle)]))
    finally:
        store.close()
        reading.close()


if __name__ == "__main__":
    sys.setswitchinterval(0.001)
    main(int(Path(sys.argv[1]).name))
