"""Strangers who have no code and ask all the same: `python -m tests.pages.strangers NAMESPACE...`.

Each has an address of its own and asks up to twenty times a second: for the page, to join, to do something, with wrong
methods, hosts and sizes, and with requests that never end.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import sys
import threading
import time
from typing import Final

from pi_app.pages.messages import POST_BYTES
from pi_app.simulated.page_stream import request
from tests.pages.namespaces import ADDRESS, inside
from tests.pages.wire import PORT

PAUSE_S: Final = 0.05
_HERE: Final = (ADDRESS, PORT)


class Stranger(threading.Thread):
    def __init__(self, namespace: str) -> None:
        super().__init__(daemon=True)
        self.namespace, self.asked = namespace, 0
        self._draw = random.Random(namespace)
        self._kept: list[socket.socket] = []

    def run(self) -> None:
        with inside(self.namespace):
            while True:
                self.asked += 1
                with contextlib.suppress(OSError):  # refused: it tries again
                    self._ask()
                time.sleep(PAUSE_S)

    def _ask(self) -> None:
        made = socket.create_connection(_HERE, 5.0)
        made.sendall(self._request())
        if self._draw.random() < 0.3:
            self._kept.append(made)
            if len(self._kept) > 8:
                self._kept.pop(0).close()
            return
        made.settimeout(2.0)
        made.recv(65_536)
        made.close()

    def _request(self) -> bytes:
        body = self._draw.randbytes(POST_BYTES)
        match self._draw.randrange(7):
            case 0:
                return request("GET", "/", _HERE)
            case 1 | 2:
                return request("POST", "/join", _HERE, body)
            case 3:
                return request("POST", "/up", _HERE, body)
            case 4:
                return request("POST", "/stream", _HERE, body)
            case 5:
                return request("DELETE", "/up", ("10.1.2.3", PORT), body[:77])
            case _:
                return request("POST", "/join", _HERE, body)[:-60]


def main(namespaces: list[str]) -> None:
    os.nice(19)
    crowd = [Stranger(name) for name in namespaces]

    def ended(*_: object) -> None:
        print(sum(each.asked for each in crowd), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, ended)
    for each in crowd:
        each.start()
    print("ready", flush=True)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1:])
