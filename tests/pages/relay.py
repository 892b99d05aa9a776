"""A relay between phones and the table that delays, drops and cuts: this machine's kernel may have no netem.

It runs in the namespace between them (`python -m tests.pages.relay SEED PORT:PORT...`), reads whole Ethernet packets at
each port, and writes them to the other one later or never. Orders come as lines: `delay MS` (one way), `loss SHARE`
(of the IP packets of each direction; ARP always passes), `cut` and `mend`; each is answered with its own line.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import random
import selectors
import socket
import subprocess
import sys
import time
from typing import Final

from tests.pages.namespaces import Room, run_in

_ALL: Final = 3
_OUTGOING: Final = 4
_ARP: Final = b"\x08\x06"


class Relay:
    """The relay's process, from outside."""

    def __init__(self, made: Room, seed: int) -> None:
        ports = [f"{phone}:{table}" for phone, table in made.ports()]
        command = [sys.executable, "-m", "tests.pages.relay", str(seed), *ports]
        self._process = run_in(made.relay, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._answer("ready")

    def order(self, line: str) -> None:
        """Give an order and wait until it holds."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        self._answer(line)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _answer(self, expected: str) -> None:
        assert self._process.stdout is not None
        got = self._process.stdout.readline().decode().strip()
        assert got == expected, f"the relay answered {got!r} to {expected!r}"


class Way:
    """What the relay does with packets now, and the packets that are under way."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.delay_s = 0.0
        self.loss = 0.0
        self.is_cut = False
        self.waiting: list[tuple[float, int, int, bytes]] = []
        self._count = 0

    def order(self, line: str) -> None:
        """Follow an order."""
        match line.split():
            case ["delay", ms]:
                self.delay_s = float(ms) / 1000
            case ["loss", share]:
                self.loss = float(share)
            case ["cut"]:
                self.is_cut = True
                self.waiting.clear()
            case ["mend"]:
                self.is_cut = False
            case _:
                raise ValueError(line)

    def take(self, packet: bytes, port: int, now: float) -> None:
        """Keep a packet for the port until its time, or drop it. Packets of one way stay in their order while the delay
        is the same."""
        if self.is_cut or (packet[12:14] != _ARP and self._draw.random() < self.loss):
            return
        self._count += 1
        heapq.heappush(self.waiting, (now + self.delay_s, self._count, port, packet))

    def due(self, now: float) -> list[tuple[int, bytes]]:
        """Return the packets that leave now, with their port."""
        leaving = []
        while self.waiting and self.waiting[0][0] <= now:
            _, _, port, packet = heapq.heappop(self.waiting)
            leaving.append((port, packet))
        return leaving


def main(words: list[str]) -> None:
    way = Way(int(words[0]))
    names = [tuple(pair.split(":")) for pair in words[1:]]
    ports = {name: _port(name) for pair in names for name in pair}
    other = {a: b for pair in names for a, b in (pair, pair[::-1])}
    by_number = {each.fileno(): each for each in ports.values()}
    watched = selectors.DefaultSelector()
    for name, each in ports.items():
        watched.register(each, selectors.EVENT_READ, ports[other[name]].fileno())
    watched.register(0, selectors.EVENT_READ, None)
    print("ready", flush=True)
    orders = b""
    while True:
        pause = max(0.0, way.waiting[0][0] - time.monotonic()) if way.waiting else None
        for key, _ in watched.select(pause):
            if key.data is None:
                more = os.read(0, 4096)
                if not more:
                    return
                *lines, orders = (orders + more).split(b"\n")
                for line in lines:
                    way.order(line.decode())
                    print(line.decode(), flush=True)
                continue
            _read(key.fileobj, key.data, way)  # type: ignore[arg-type]
        for number, packet in way.due(time.monotonic()):
            with contextlib.suppress(OSError):  # a full queue drops, as a radio does
                by_number[number].send(packet)


def _read(port: socket.socket, to: int, way: Way) -> None:
    while True:
        try:
            packet, where = port.recvfrom(65536)
        except OSError:  # nothing more, or the room is being taken down
            return
        if where[2] != _OUTGOING:
            way.take(packet, to, time.monotonic())


def _port(name: str) -> socket.socket:
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    port.setsockopt(socket.SOL_SOCKET, 33, 64 * 1024 * 1024)
    port.setblocking(False)
    port.bind((name, _ALL))
    return port


if __name__ == "__main__":
    main(sys.argv[1:])
