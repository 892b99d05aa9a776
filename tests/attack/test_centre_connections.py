"""Strangers who keep connections of a centre open, with requests and without, shut no table and no reader out: real
sockets at a small limit."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from pi_app import journal as jn
from pi_app.centre.service import app, connection, placed, serving
from pi_app.centre.service.app import CentreApp, Receive, Scope, Send
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.placed import PlainConnection
from pi_app.centre.service.places import PlaceLimits
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal import Journal
from pi_app.journal.record.runs import RawRow
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, Table, a_game, entries_of, new_store
from tests.pi_app.centre.service.asking import ask, living
from tests.pi_app.centre.service.certificates import make_certificates

R = TypeVar("R")
SMALL = PlaceLimits(most=20, an_address=12, tables=5, a_table=2, this_machine=4)
HEALTH = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
TABLE, SHOP = "127.0.1.1", "127.0.1.2"
READERS = [serving.READER, PlainConnection]


class Crowd:
    """A centre of small limits, and those who connect to it. This machine is all of 127.0.0.0/8 for a centre, so
    `count_as` is told otherwise: what it counts has tests of its own."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.kept: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def open(
        self, address: str, sent: bytes = b"", tls: ssl.SSLContext | None = None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        made = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0), ssl=tls)
        made[1].write(sent)
        self.kept.append(made)
        return made

    async def ask(self, address: str, sent: bytes = HEALTH) -> bytes:
        """The first line of the answer on a new connection, which stays open; empty if it is cut."""
        reader, _ = await self.open(address, sent)
        return await first_line(reader)

    async def besiege(self, sent: bytes, each: int = 30, addresses: int = 5) -> None:
        """Strangers open more connections than there are places, and keep them."""
        for number in range(each * addresses):
            reader, _ = await self.open(f"127.0.0.{2 + number % addresses}", sent)
            if sent == HEALTH:
                await first_line(reader)


async def first_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ConnectionError:
        return b""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        a_game(journal, "g1", 3)
        a_game(journal, "g2", 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


@pytest.fixture
def centre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: Table) -> Iterator[Centre]:
    for module in (app, placed):
        monkeypatch.setattr(module, "count_as", lambda client, _: HERE if client == "127.0.0.1" else client)
    monkeypatch.setattr(connection, "HEAD_S", 1_000.0)
    store = new_store(tmp_path / "centre.db", table.origin)
    yield Centre(CENTRE, store, store, lambda: 1_000.0)
    store.close()


HERE = "this machine"


def served(
    program: CentreApp,
    work: Callable[[Crowd], Awaitable[R]],
    tls: tuple[Path, Path] | None = None,
    loops: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> R:
    """`tls`: a certificate and its key."""

    async def run() -> R:
        server = serving.PlacedServer(program, serving.tls_of(*tls) if tls else None, SMALL)
        listener = serving.listening("127.0.0.1", 0)
        life = asyncio.create_task(server.serve([listener]))
        crowd = Crowd(listener.getsockname()[1])
        try:
            return await asyncio.wait_for(work(crowd), 60)
        finally:
            for _, writer in crowd.kept:
                writer.transport.abort()
            server.should_exit = True
            await life

    with asyncio.Runner(loop_factory=loops) as runner:
        return runner.run(run())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder, "one")
    return folder / "one.pem", folder / "one.key"


LOOPS = pytest.mark.parametrize("loops", [None, serving.event_loop()], ids=["asyncio", "uvloop"])


@LOOPS
@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00"])
def test_those_who_never_finish_the_handshake_of_tls_make_room(
    centre: Centre,
    certificate: tuple[Path, Path],
    sent: bytes,
    loops: Callable[[], asyncio.AbstractEventLoop] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(placed, "HANDSHAKE_S", 1_000.0)
    trust = ssl.create_default_context(cafile=certificate[0])

    async def work(crowd: Crowd) -> tuple[int, list[int]]:
        ended: list[object] = []
        for number in range(3 * SMALL.most):
            reader, _ = await crowd.open(f"127.0.0.{2 + number % 5}", sent)
            asyncio.ensure_future(read_to_end(reader)).add_done_callback(ended.append)
        statuses = []
        for address in (TABLE, SHOP, TABLE):
            reader, _ = await crowd.open(address, HEALTH + HEALTH, trust)
            statuses += [await status_of(reader), await status_of(reader)]
        while len(ended) < 2 * SMALL.most:
            await asyncio.sleep(0)
        return len(ended), statuses

    ended, statuses = served(CentreApp(centre), work, certificate, loops)
    assert statuses == [200] * 6
    assert ended <= 2 * SMALL.most + 3, "three tables took three places more"


@LOOPS
def test_a_handshake_of_tls_has_its_time(
    centre: Centre,
    certificate: tuple[Path, Path],
    loops: Callable[[], asyncio.AbstractEventLoop] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(placed, "HANDSHAKE_S", 0.05)

    async def work(crowd: Crowd) -> list[bytes]:
        return [await read_to_end((await crowd.open(TABLE, sent))[0]) for sent in (b"", HEALTH)]

    answers = served(CentreApp(centre), work, certificate, loops)
    assert answers[0] == b""
    assert HEALTH not in answers[1], "no TLS is no request"


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize("reader", READERS, ids=["httptools", "h11"])
@pytest.mark.parametrize("sent", [HEALTH, b"", b"GET /heal", b"POST /enrol HTTP/1.1\r\ncontent-length: 9\r\n\r\n"])
def test_a_table_and_this_machine_get_in_past_strangers_who_keep_theirs_open(
    centre: Centre, sent: bytes, reader: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "READER", reader)

    async def work(crowd: Crowd) -> list[bytes]:
        await crowd.besiege(sent)
        return [await crowd.ask(address) for address in (TABLE, SHOP, "127.0.0.1")]

    assert [line[:13] for line in served(CentreApp(centre), work)] == [b"HTTP/1.1 200 "] * 3


def post(path: str, body: bytes) -> bytes:
    return f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


async def status_of(reader: asyncio.StreamReader) -> int:
    """The status of the next answer, which is read to its end."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.partition("content-length: ")[2].split("\r")[0]))
    return int(head.split()[1])


@pytest.mark.parametrize("reader", READERS, ids=["httptools", "h11"])
def test_a_table_that_hands_over_keeps_its_connection_through_a_crowd_at_its_own_address(
    centre: Centre, table: Table, reader: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "READER", reader)

    async def work(crowd: Crowd) -> tuple[list[int], bytes]:
        reads, writes = await crowd.open(TABLE, post("/hand-over", table.hands(1, 4).written()))
        statuses = [await status_of(reads)]
        for _ in range(SMALL.an_address + 1):
            await crowd.ask(TABLE)
        await crowd.besiege(HEALTH)
        writes.write(post("/hand-over", table.hands(5, 8).written()))
        return [*statuses, await status_of(reads)], await crowd.ask(SHOP)

    statuses, shop = served(CentreApp(centre), work)
    assert statuses == [200, 200]
    assert shop.startswith(b"HTTP/1.1 200 ")


def test_a_note_of_a_table_that_everybody_can_read_keeps_no_place(centre: Centre, table: Table) -> None:
    """A stranger hands the newest note over once more, with no entry or with old ones."""

    async def work(crowd: Crowd) -> tuple[list[int], list[bytes]]:
        reads, _ = await crowd.open(TABLE, post("/hand-over", table.hands(1, 8).written()))
        statuses = [await status_of(reads)]
        strangers = []
        for handed in (table.hands(9, 8), table.hands(1, 8)):
            made, _ = await crowd.open("127.0.0.2", post("/hand-over", handed.written()))
            statuses.append(await status_of(made))
            strangers.append(made)
        await crowd.besiege(HEALTH)
        return statuses, [await made.read() for made in strangers]

    statuses, rest = served(CentreApp(centre), work)
    assert statuses[:2] == [200, 200]
    assert rest == [b"", b""], "closed to make room"


def test_what_is_sent_by_those_who_are_refused_is_not_answered(centre: Centre) -> None:
    """All of one address work, so its next one is refused; others get in."""

    async def work(crowd: Crowd) -> tuple[bytes, bytes, bytes]:
        begun = b"POST /hand-over HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nxx"
        for _ in range(SMALL.an_address):
            await crowd.open("127.0.0.2", begun)
        refused, _ = await crowd.open("127.0.0.2", HEALTH)
        line, rest = await first_line(refused), await refused.read()
        waiting.end.set()
        return line, rest, await crowd.ask(SHOP)

    waiting = WaitingApp(centre)
    line, rest, other = served(waiting, work)
    assert line == b"HTTP/1.1 503 Service Unavailable\r\n"
    assert rest.endswith(b"The centre has no place for another connection now. Try again in a moment.\n")
    assert other.startswith(b"HTTP/1.1 200 ")


class WaitingApp(CentreApp):
    """Answers nothing until `end` is set."""

    def __init__(self, centre: Centre) -> None:
        super().__init__(centre)
        self.end = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.end.wait()
        await super().__call__(scope, receive, send)


def test_five_addresses_that_announce_large_hand_overs_and_send_nothing_keep_no_table_waiting(
    centre: Centre, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "BODY_S", 0.2)
    monkeypatch.setattr(app, "LARGE_BYTES", 100)
    monkeypatch.setattr(app, "LARGE_AT_ONCE", 4)
    head = b"POST /hand-over HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n\r\n"

    async def work(crowd: Crowd) -> tuple[int, int]:
        ended: list[object] = []
        for number in range(15):
            made, _ = await crowd.open(f"127.0.0.{2 + number % 5}", head)
            asyncio.ensure_future(made.read()).add_done_callback(ended.append)
        reads, _ = await crowd.open(TABLE, post("/hand-over", table.hands(1, 8).written()))
        return await status_of(reads), len(ended)

    status, ended = served(CentreApp(centre), work)
    assert status == 200
    assert ended <= 8, "most of those who had waited longer wait on"


class SlowStore(SqliteStore):
    """A store that is asked for rows and waits before it answers."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.is_asked, self.may_go_on = threading.Event(), threading.Event()

    def rows(self, number: int, first: int = 1, last: int | None = None) -> Iterator[RawRow]:
        self.is_asked.set()
        self.may_go_on.wait(20)
        return super().rows(number, first, last)


def test_a_stranger_who_repeats_a_hand_over_keeps_its_table_from_none(tmp_path: Path, table: Table) -> None:
    """A repeated hand-over is compared with what is here, which takes a while."""
    store = new_store(tmp_path / "centre.db", table.origin)
    reading = SlowStore(tmp_path / "centre.db")
    program = CentreApp(Centre(CENTRE, store, reading, lambda: 1_000.0))

    async def hand(address: str, first: int, last: int) -> int:
        body = table.hands(first, last).written()
        return (await ask(program, "POST", "/hand-over", [body], more={"client": (address, 5)})).status

    async def work() -> list[int]:
        statuses = [await hand(TABLE, 1, 4)]
        stranger = asyncio.ensure_future(hand("127.0.0.2", 1, 4))
        await asyncio.to_thread(reading.is_asked.wait, 20)
        statuses += [await hand("127.0.0.2", 1, 4), await hand(TABLE, 5, 8)]
        reading.may_go_on.set()
        return [*statuses, await stranger, await hand(SHOP, 9, 8)]

    try:
        assert living(program, work) == [200, 429, 200, 200, 200]
    finally:
        store.close()
        reading.close()
