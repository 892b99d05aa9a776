"""A crowd before a table: `python -m tests.pages.strangers`, with a `Crowd` as JSON on its standard input.

Strangers have no code and ask all the same, each from an address of its own: for every page, to join, to do something,
with wrong methods, hosts and sizes, and with requests that never end. The players of all seats misbehave too, each from
the address of its phone and from another one: they keep as many connections as they can and send what proves nothing;
those with a code in `joins` also join on and on with it, and hold and let go as fast as they can.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import msgspec

from pi_app.pages.messages import ASK_BYTES, POST_BYTES
from pi_app.simulated.page_stream import EventReader, PageEvent, request
from pi_app.simulated.phone import PhoneSession, knock
from tests.pages.namespaces import ADDRESS, inside
from tests.pages.phone import HOLD, LET_GO
from tests.pages.wire import PORT

PAUSE_S: Final = 0.25
"""A stranger asks up to four times a second."""

HOARD: Final = 70
"""More connections than a table has places for strangers."""

HOARDS_S: Final = 0.2
POSTS_S: Final = 0.1
GESTURES_S: Final = 1 / 30
REJOINS_S: Final = 2.0
KEPT: Final = 8
WAITS_S: Final = 2.0
_HERE: Final = (ADDRESS, PORT)


class Household(msgspec.Struct, frozen=True):
    """The player of a seat, beside the phone: the addresses are its phone's and another one in the same namespace."""

    namespace: str
    addresses: tuple[str, str]
    code: str = ""
    """Of its card, in hex; empty if it does not join."""


class Crowd(msgspec.Struct, frozen=True):
    namespace: str
    addresses: tuple[str, ...]
    households: tuple[Household, ...]
    game: str
    """The public name of the game, in hex."""


class Connection:
    """A connection from an address; it is made in a namespace."""

    def __init__(self, namespace: str, address: str) -> None:
        with inside(namespace):
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._socket.bind((address, 0))

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def open(self, data: bytes = b"") -> None:
        async with asyncio.timeout(WAITS_S):
            await asyncio.get_running_loop().sock_connect(self._socket, _HERE)
            await self.send(data)

    async def read(self) -> bytes:
        async with asyncio.timeout(WAITS_S):
            return await asyncio.get_running_loop().sock_recv(self._socket, 65_536)

    def close(self) -> None:
        self._socket.close()


class Strangers:
    """What the crowd does, and what it counted."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._draw = random.Random("crowd")
        self.counts = Counter[str]()

    async def run(self) -> None:
        doing: list[Coroutine[Any, Any, None]] = [
            self._again(PAUSE_S, self._stranger(self._crowd.namespace, address)) for address in self._crowd.addresses
        ]
        for household in self._crowd.households:
            namespace, (own, other) = household.namespace, household.addresses
            if household.code:
                doing.append(self._again(REJOINS_S, self._joiner(household)))
                doing.append(self._again(HOARDS_S / 4, self._hoarder(namespace, other)))
            doing += [
                self._again(HOARDS_S, self._hoarder(namespace, own)),
                self._again(POSTS_S, self._poster(namespace, own)),
                self._again(PAUSE_S, self._stranger(namespace, other)),
            ]
        await asyncio.gather(*doing)

    async def _again(self, pause_s: float, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            self.counts["asked"] += 1
            with contextlib.suppress(OSError):  # refused, or too slow: it tries again
                await act()
            await asyncio.sleep(pause_s * self._draw.uniform(0.5, 1.5))

    def _stranger(self, namespace: str, address: str) -> Callable[[], Awaitable[None]]:
        kept: list[Connection] = []

        async def ask() -> None:
            made, (path, sends) = Connection(namespace, address), self._request()
            try:
                await made.open(sends)
                if self._draw.random() < 0.3:
                    kept.append(made)
                    return
                answer = await made.read()
                self.counts["let in"] += (
                    path in ("/join", "/stream") and b"data: " in answer and b"event: no" not in answer
                )
            finally:
                if made not in kept:
                    made.close()
                if len(kept) > KEPT:
                    kept.pop(0).close()

        return ask

    def _hoarder(self, namespace: str, address: str) -> Callable[[], Awaitable[None]]:
        kept: list[Connection] = []

        async def hoard() -> None:
            kept.append(Connection(namespace, address))
            await kept[-1].open(request("POST", "/up", _HERE, bytes(POST_BYTES))[:-60] if len(kept) % 2 else b"")
            if len(kept) > HOARD:
                kept.pop(0).close()

        return hoard

    def _poster(self, namespace: str, address: str) -> Callable[[], Awaitable[None]]:
        kept: list[Connection] = []

        async def post() -> None:
            if not kept:
                kept.append(Connection(namespace, address))
                await kept[0].open()
            try:
                path = "/stream" if self._draw.random() < 0.1 else "/up"
                await kept[0].send(request("POST", path, _HERE, self._draw.randbytes(POST_BYTES)))
                assert await kept[0].read()
            except (OSError, AssertionError):
                kept.pop().close()

        return post

    def _joiner(self, household: Household) -> Callable[[], Awaitable[None]]:
        turns = 0

        async def join() -> None:
            nonlocal turns
            turns += 1
            address = household.addresses[turns % 2]
            body, finish = knock(bytes.fromhex(household.code), game=bytes.fromhex(self._crowd.game))
            stream = Connection(household.namespace, address)
            try:
                await stream.open(request("POST", "/join", _HERE, body))
                events: list[PageEvent] = []
                reader = EventReader()
                while not events and (data := await stream.read()):
                    events = reader.feed(data)
                if events and not events[0].name:
                    self.counts["joined again"] += 1
                    await self._fidget(household.namespace, address, finish(b64decode(events[0].data)))
            finally:
                stream.close()

        return join

    async def _fidget(self, namespace: str, address: str, session: PhoneSession) -> None:
        """Hold and let go, as fast as one can."""
        posts = Connection(namespace, address)
        try:
            await posts.open()
            for number in range(round(REJOINS_S / GESTURES_S)):
                await posts.send(request("POST", "/up", _HERE, session.post(LET_GO if number % 2 else HOLD)))
                if not await posts.read():
                    return
                self.counts["gestures"] += 1
                await asyncio.sleep(GESTURES_S)
        finally:
            posts.close()

    def _request(self) -> tuple[str, bytes]:
        """The path and the bytes of one request of a stranger."""
        draw = self._draw
        body = draw.randbytes(POST_BYTES)
        match draw.randrange(12):
            case 0 | 1 | 2 | 3 | 4:
                path = draw.choice(("/", "/status.json", "/metrics", "/staff", "/public/stream"))
                return path, request("GET", path, _HERE)
            case 5 | 6:
                path = draw.choice(("/join", "/stream"))
                return path, request("POST", path, _HERE, body)
            case 7:
                return "/up", request("POST", "/up", _HERE, body)
            case 8:
                return "/staff/ask", request("POST", "/staff/ask", _HERE, draw.randbytes(ASK_BYTES))
            case 9:
                return "/up", request("DELETE", "/up", ("10.1.2.3", PORT), body[:77])
            case 10:
                return "", b""
            case _:
                return "", request("POST", "/join", _HERE, body)[:-60]


def main() -> None:
    os.nice(19)
    crowd = Strangers(msgspec.json.decode(sys.stdin.buffer.readline(), type=Crowd))

    def ended(*_: object) -> None:
        print(json.dumps(crowd.counts), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, ended)
    print("ready", flush=True)
    asyncio.run(crowd.run())


if __name__ == "__main__":
    main()
