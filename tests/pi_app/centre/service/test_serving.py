"""The HTTP server of a centre: what is sent over a real socket, and requests whose head is too long or too slow."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
import uvicorn

from pi_app.centre.service import app, connection, serving
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.placed import PlainConnection
from pi_app.centre.service.places import PlaceLimits
from pi_app.centre.store.sqlite import SqliteStore
from tests.pi_app.centre.records import CENTRE

R = TypeVar("R")
Connected = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(params=["httptools", "h11"])
def server(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[uvicorn.Server]:
    if request.param == "h11":
        monkeypatch.setattr(serving, "READER", PlainConnection)
    store = SqliteStore(tmp_path / "centre.db")
    yield serving.PlacedServer(CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0)))
    store.close()


def served(
    server: uvicorn.Server,
    work: Callable[[Callable[[], Awaitable[Connected]]], Awaitable[R]],
    loops: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> R:
    async def run() -> R:
        listener = serving.listening("127.0.0.1", 0)
        port = listener.getsockname()[1]
        life = asyncio.create_task(server.serve([listener]))
        try:
            return await asyncio.wait_for(work(lambda: asyncio.open_connection("127.0.0.1", port)), 30)
        finally:
            server.should_exit = True
            await life

    with asyncio.Runner(loop_factory=loops) as runner:
        return runner.run(run())


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [
        (65_536, 65_536, None, 2_000),
        (1_024, 65_536, 2_116, 2_000),
        (1_024, resource.RLIM_INFINITY, 2_116, 2_000),
        (600, 600, 600, 484),
        (50, 50, 50, 1),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, 2_000),
    ],
)
def test_a_system_that_allows_few_files_has_fewer_places(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None, most: int
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits[0]))
    limits = serving.limits_of_system(PlaceLimits())
    assert (limits.most, asked) == (most, [] if raised is None else [raised])
    assert limits.tables <= limits.most


def test_one_connection_carries_many_requests(server: uvicorn.Server) -> None:
    async def work(connect: Callable[[], Awaitable[Connected]]) -> list[bytes]:
        reader, writer = await connect()
        found = []
        for _ in range(3):
            writer.write(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            found.append(await reader.readuntil(b"ok\n"))
        writer.close()
        return found

    assert all(each.startswith(b"HTTP/1.1 200 ") for each in served(server, work))


def test_a_body_that_is_too_long_is_answered_and_not_read(server: uvicorn.Server) -> None:
    async def work(connect: Callable[[], Awaitable[Connected]]) -> bytes:
        reader, writer = await connect()
        writer.write(b"POST /hand-over HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n")
        found = await reader.read()
        writer.close()
        return found

    assert served(server, work).startswith(b"HTTP/1.1 413 "), "and the connection is closed"


def test_a_body_of_unknown_length_is_limited_too(server: uvicorn.Server) -> None:
    async def work(connect: Callable[[], Awaitable[Connected]]) -> tuple[bytes, bytes]:
        reader, writer = await connect()
        head = b"POST /enrol HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head + b"4\r\nabcd\r\n0\r\n\r\n")
        short = await reader.readuntil(b"\r\n\r\n")
        await reader.readuntil(b".\n")
        writer.write(head + b"2328\r\n" + b"x" * 9_000 + b"\r\n0\r\n\r\n")
        long = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return short, long

    short, long = served(server, work)
    assert short.startswith(b"HTTP/1.1 400 ")
    assert long.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
def test_a_head_that_is_too_long_is_refused(server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_S", 1_000.0)

    async def work(connect: Callable[[], Awaitable[Connected]]) -> bytes:
        reader, writer = await connect()
        writer.write(b"POST /hand-over HTTP/1.1\r\nhost: x\r\nx: ")
        try:
            while not reader.at_eof():
                writer.write(b"x" * connection.LARGEST_HEAD)
                await writer.drain()
                await asyncio.sleep(0.01)
            return await reader.read()
        except ConnectionError:  # it was closed while more was on its way
            return b""
        finally:
            writer.close()

    assert served(server, work)[:13] in (b"HTTP/1.1 400 ", b"")


@pytest.mark.parametrize("server", ["httptools"], indirect=True)
@pytest.mark.parametrize("begun", [b"", b"POST /hand-over HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\n\r\nGET "])
def test_a_head_that_does_not_end_is_given_up(
    server: uvicorn.Server, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD_S", 0.05)

    async def work(connect: Callable[[], Awaitable[Connected]]) -> bytes:
        reader, writer = await connect()
        writer.write(begun)
        found = await reader.read()
        writer.close()
        return found

    assert served(server, work).count(b"HTTP/1.1") == begun.count(b"\r\n\r\n")


@pytest.mark.parametrize("loops", [None, serving.event_loop()], ids=["asyncio", "uvloop"])
def test_of_a_large_body_that_waits_for_its_turn_little_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loops: Callable[[], asyncio.AbstractEventLoop] | None
) -> None:
    monkeypatch.setattr(app, "LARGE_AT_ONCE", 1)
    made: list[connection.TableConnection] = []
    begins = connection.TableConnection.connection_made

    def watched(self: connection.TableConnection, transport: asyncio.BaseTransport) -> None:
        made.append(self)
        begins(self, transport)

    monkeypatch.setattr(connection.TableConnection, "connection_made", watched)
    head, body = b"POST /hand-over HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n\r\n", b"x" * 3_000_000
    with contextlib.closing(SqliteStore(tmp_path / "centre.db")) as store:
        server = serving.PlacedServer(CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0)))

        async def work(connect: Callable[[], Awaitable[Connected]]) -> tuple[int, list[bytes]]:
            first, second = await connect(), await connect()
            first[1].write(head + body[:-1])
            while not made or not made[0].reads:
                await asyncio.sleep(0)
            second[1].write(head + body)
            while len(made) < 2 or made[1].cycle is None or not made[1].flow.read_paused:
                await asyncio.sleep(0)
            waiting = len(made[1].cycle.body)
            first[1].write(body[-1:])
            answers = [await reader.readuntil(b"\r\n\r\n") for reader, _ in (first, second)]
            for _, writer in (first, second):
                writer.close()
            return waiting, answers

        waiting, answers = served(server, work, loops)
    assert connection.MOST_WAITING <= waiting <= 2 * connection.MOST_WAITING
    assert [each[:13] for each in answers] == [b"HTTP/1.1 400 "] * 2, "both were read to their end"
