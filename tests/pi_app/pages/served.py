"""The page process's server in this process, on a real port of this machine, with a table of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import (
    Admitted,
    Confined,
    FromPages,
    FromProcess,
    Knock,
    Refused,
    Setup,
    Stop,
    ToPages,
    Unpacker,
    packed,
)
from pi_app.pages.process.__main__ import log_briefly, run
from pi_app.pages.process.limits import Limits
from pi_app.pages.process.streams import Table

GREETING = bytes(range(48))
ANSWERED = 20.0
"""A test that waits for so many seconds has failed."""


@dataclass
class Served:
    """A running server, and the table's end of its link."""

    port: int
    table: Table
    got: list[FromPages] = field(default_factory=list)
    answer: Callable[[Knock], ToPages | None] = lambda knock: Admitted(knock.conn, GREETING)
    link: asyncio.Transport | None = None
    phones: list[Phone] = field(default_factory=list)

    def send(self, *messages: ToPages) -> None:
        assert self.link is not None
        self.link.write(b"".join(map(packed, messages)))

    def of(self, kind: type[FromPages]) -> list[FromPages]:
        return [message for message in self.got if isinstance(message, kind)]

    async def until(self, there: Callable[[], object]) -> None:
        async with asyncio.timeout(ANSWERED):
            while not there():
                await asyncio.sleep(0.001)

    # ------------------------------------------------------------------------------------------- a phone's side

    async def open(self, address: str = "127.0.0.1") -> Phone:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        self.phones.append(Phone(reader, writer, self.port))
        return self.phones[-1]

    async def ask(self, text: bytes, address: str = "127.0.0.1") -> bytes:
        """Send these bytes, and return all that comes until the connection closes."""
        phone = await self.open(address)
        phone.send(text)
        return await phone.rest()

    async def status(self, method: str, path: str, body: bytes = b"", address: str = "127.0.0.1", **named: str) -> int:
        phone = await self.open(address)
        phone.request(method, path, body, connection="close", **named)
        return int((await phone.rest()).split(b" ", 2)[1])

    async def join(self, address: str = "127.0.0.1", path: str = "/join") -> Phone:
        """Open a stream, and read its greeting."""
        phone = await self.open(address)
        phone.request("POST", path, bytes(128))
        assert (await phone.head()).startswith(b"HTTP/1.1 200 ")
        assert (await phone.event()).startswith(b"data: AAECAwQF")
        return phone


class Phone:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        self.reader, self.writer, self.port = reader, writer, port

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def request(self, method: str, path: str, body: bytes = b"", **named: str) -> None:
        head = {"host": f"localhost:{self.port}", **named}
        if body:
            head.setdefault("content_length", str(len(body)))
        lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in head.items())]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    async def head(self) -> bytes:
        async with asyncio.timeout(ANSWERED):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def event(self) -> bytes:
        """The next chunk of a stream; empty at its end."""
        async with asyncio.timeout(ANSWERED):
            size = int(await self.reader.readline(), 16)
            return (await self.reader.readexactly(size + 2))[:-2]

    async def rest(self) -> bytes:
        async with asyncio.timeout(ANSWERED):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""
            finally:
                self.close()

    def close(self) -> None:
        self.writer.close()


@contextlib.asynccontextmanager
async def served(limits: Limits | None = None, *, demo: bool = False) -> AsyncIterator[Served]:
    log_briefly()
    ours, theirs = socket.socketpair()
    listeners = listen("127.0.0.1", 0)
    port = port_of(listeners)
    here = Served(port, Table(1, limits))
    running = asyncio.ensure_future(run(here.table, theirs, listeners))
    here.link, _ = await asyncio.get_running_loop().create_connection(lambda: TablesEnd(here), sock=ours)
    here.send(Setup((f"localhost:{port}", "10.77.0.1"), "http://10.77.0.1/", demo))
    await here.until(lambda: here.got)
    try:
        yield here
    finally:
        for phone in here.phones:
            phone.writer.transport.abort()
            with contextlib.suppress(OSError):
                await phone.writer.wait_closed()
        here.send(Stop())
        await running
        here.link.close()


class TablesEnd(asyncio.Protocol):
    """Notes what comes from the page process, and answers who knocks."""

    def __init__(self, here: Served) -> None:
        self._here, self._unpacker = here, Unpacker(FromProcess)

    def data_received(self, data: bytes) -> None:
        for message in self._unpacker.feed(data):
            if not isinstance(message, Confined):
                self._here.got.append(message)
            if isinstance(message, Knock) and (answer := self._here.answer(message)) is not None:
                self._here.send(answer)


def refuses(word: str) -> Callable[[Knock], ToPages]:
    return lambda knock: Refused(knock.conn, word)  # type: ignore[arg-type]


def in_a_server(
    scenario: Callable[[Served], Awaitable[None]], limits: Limits | None = None, *, demo: bool = False
) -> None:
    """Run a test against a server."""

    async def whole() -> None:
        async with served(limits, demo=demo) as here:
            await scenario(here)

    asyncio.run(whole())
