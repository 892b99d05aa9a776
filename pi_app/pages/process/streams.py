"""The open streams, and the page process's end of the link to the table.

A stream holds at most one event that waits: frames are whole states, so the newest takes the place of an older one.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from pi_app.pages.messages import (
    Admitted,
    BadMessageError,
    Confined,
    Counts,
    DemoShown,
    Dropped,
    Frames,
    FromProcess,
    Hand,
    Invited,
    Knock,
    Left,
    NamedGame,
    Posted,
    Public,
    Refused,
    SentStatus,
    Setup,
    StaffAnswer,
    StaffAsk,
    Stop,
    ToPages,
    Unpacker,
    packed,
)
from pi_app.pages.process.doors import Doors, Place, SeatAddresses
from pi_app.pages.process.limits import DEMO, Limits, Rates
from pi_app.pages.process.protocol import PhoneConnection
from pi_app.pages.process.staff_limits import StaffGate
from pi_app.pages.process.watching import PublicWatchers
from pi_app.pages.station_status import PagesStatus, StationStatus, read_status

UNREAD_BYTES: Final = 65_536
"""More than this waits for the table: then posts are dropped and streams are refused, until it reads again."""

BEAT_SECONDS: Final = 1.0

MOST_ASKED: Final = 8
"""So many staff pages wait for an answer at once."""


def event(data: bytes) -> bytes:
    return b"data: " + base64.b64encode(data) + b"\n\n"


def no(word: str) -> bytes:
    return b"event: no\ndata: " + word.encode("ascii") + b"\n\n"


class Stream:
    """One open answer. `waiting` is the next event; `word` ends the stream after it."""

    def __init__(self, conn: int, kind: str, connection: PhoneConnection) -> None:
        self.conn, self.kind, self.connection = conn, kind, connection
        self.first: bytes | None = None
        self.waiting: bytes | None = None
        self.word: str | None = None
        self.over = False
        self._changed = asyncio.Event()

    def change(self) -> None:
        self._changed.set()

    async def next(self) -> None:
        await self._changed.wait()
        self._changed.clear()


class Table(asyncio.Protocol):
    """The link to the table, what it has set up, and what all connections share."""

    def __init__(self, first_conn: int, limits: Limits | None = None) -> None:
        """`limits`: for tests; otherwise the table's message says whether this is a demo."""
        self.setup = Setup(hosts=(), address="")
        self.ready = asyncio.Event()
        self.stopped = asyncio.Event()
        self.shown = "{}"
        self.confined = Confined()
        self.station: StationStatus | None = None
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self.pages = self.joins = self.joined = self.refused = 0
        self._next_conn = first_conn
        self._streams: dict[int, Stream] = {}
        self._known = SeatAddresses()
        self._unpacker = Unpacker(ToPages)
        self._transport: asyncio.Transport | None = None
        self._given = limits
        self._use(limits or Limits())

    def _use(self, limits: Limits) -> None:
        self.limits = limits
        self.rates = Rates(limits)
        self.staff = StaffGate(limits)
        self.watchers = PublicWatchers(limits)
        self.doors: Doors[PhoneConnection] = Doors(limits, self._known)
        self.connections: dict[tuple[str, int], PhoneConnection] = {}

    @property
    def known(self) -> SeatAddresses:
        """The addresses of the seats' phones."""
        return self._known

    def knows(self, address: str) -> bool:
        """Whether a seat's phone or the staff has this address."""
        return address in self._known or self.staff.is_staff(address, asyncio.get_running_loop().time())

    def may_enter(self, address: str, *, house: bool) -> bool:
        now = asyncio.get_running_loop().time()
        return len(self.doors) < self.limits.connections and self.rates.connection(
            address, now, known=self.knows(address), house=house
        )

    def holder(self, client: tuple[str, int]) -> Callable[[bool], None]:
        """What keeps the place of a client's connection, and frees it."""
        connection = self.connections.get(client)
        return lambda held: None if connection is None else self.doors.hold(connection, held=held)

    def ask(self, client: tuple[str, int], place: Place) -> None:
        """A request of this client says what its connection is for."""
        if (connection := self.connections.get(client)) is not None:
            self.close_for(self.doors.ask(connection, place))

    def close_for(self, leave: list[PhoneConnection]) -> None:
        for connection in leave:
            self.count_refused()
            connection.transport.abort()

    def count_refused(self) -> None:
        self.refused += 1

    # ----------------------------------------------------------------------------------------- from the table

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send(self.confined)

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._unpacker.feed(data):
                self._take(message)
        except BadMessageError:
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def _end(self) -> None:
        self.stopped.set()
        self.ready.set()
        self.watchers.end()
        for stream in self._streams.values():
            stream.over = True
            stream.change()

    def _take(self, message: ToPages) -> None:
        match message:
            case Frames(frames):
                for conn, frame in frames:
                    if (stream := self._streams.get(conn)) is not None and stream.first is not None:
                        stream.waiting = event(frame)
                        stream.change()
            case Admitted(conn, greeting, seat):
                if (stream := self._streams.get(conn)) is not None and stream.first is None:
                    stream.first = event(greeting)
                    self.joined += stream.kind == "join"
                    self._seat(stream, seat)
                    stream.change()
            case Refused(conn, word) | Dropped(conn, word):
                if (stream := self._streams.get(conn)) is not None:
                    stream.word = word
                    self.doors.hold(stream.connection, held=False)
                    stream.change()
                    loop = asyncio.get_running_loop()
                    loop.call_later(self.limits.ending_seconds, self._cut, stream)
            case NamedGame(game):
                self.setup = msgspec.structs.replace(self.setup, game=game)
            case Setup():
                self.setup = message
                if not self.ready.is_set():
                    self._next_conn = max(self._next_conn, message.first)
                    self._use(self._given or (DEMO if message.demo else Limits()))
                    self.ready.set()
                    self.beat()
            case DemoShown(text):
                self.shown = text
            case Public(public):
                self.watchers.show(public)
            case SentStatus(line):
                self.station = read_status(line)
            case Invited(number):
                self.staff.invited = number
            case StaffAnswer(conn, body):
                if (asked := self._asked.pop(conn, None)) is not None and not asked.done():
                    asked.set_result(body)
            case Stop():
                self._end()

    def _cut(self, stream: Stream) -> None:
        """Free the place of a stream that has ended, and whose phone no longer reads."""
        if self._streams.get(stream.conn) is stream:
            stream.connection.transport.abort()

    def _seat(self, stream: Stream, seat: int) -> None:
        """Keep the place of an admitted stream, and places for what else comes from its address."""
        address = stream.connection.address
        before = self._known.admit(seat, address, stream.conn)
        self.doors.hold(stream.connection)
        if before != address:
            self.close_for(self.doors.resettle(before, address))

    # ------------------------------------------------------------------------------------------- to the table

    @property
    def unread(self) -> bool:
        """Whether the table has not read for a while."""
        return self._transport is None or self._transport.get_write_buffer_size() > UNREAD_BYTES

    def _send(self, message: FromProcess) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(packed(message))

    def posted(self, body: bytes) -> None:
        if not self.unread:
            self._send(Posted(body))

    async def ask_table(self, body: bytes) -> bytes | None:
        """Hand a staff page's request to the table; return its answer, or None if there is none."""
        if self.unread or len(self._asked) >= MOST_ASKED:
            return None
        conn, answer = self._next_conn, asyncio.get_running_loop().create_future()
        self._next_conn += 1
        self._asked[conn] = answer
        self._send(StaffAsk(conn, body))
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                return bytes(await answer)
        except TimeoutError:
            return None
        finally:
            self._asked.pop(conn, None)

    @property
    def status(self) -> PagesStatus:
        """What programs may know of this process and its station."""
        return PagesStatus(
            pages=self.pages,
            joins=self.joins,
            joined=self.joined,
            streams=self.streams,
            refused=self.refused,
            station=self.station,
        )

    def hand(self, hand: Hand) -> None:
        if not self.unread:
            self._send(hand)

    def beat(self) -> None:
        """Tell the totals every second: the table knows by it that this process is well."""
        if self.stopped.is_set():
            return
        if not self.unread:
            self._send(Counts(self.pages, self.joins, self.refused, len(self._streams)))
        self._known.forget(asyncio.get_running_loop().time())
        asyncio.get_running_loop().call_later(BEAT_SECONDS, self.beat)

    # ------------------------------------------------------------------------------------------------ streams

    @property
    def streams(self) -> int:
        return len(self._streams)

    def knock(self, kind: Any, body: bytes, connection: PhoneConnection) -> Stream:
        stream = Stream(self._next_conn, kind, connection)
        self._next_conn += 1
        self._streams[stream.conn] = stream
        self._send(Knock(stream.conn, kind, body))
        return stream

    def left(self, stream: Stream) -> None:
        del self._streams[stream.conn]
        self.doors.hold(stream.connection, held=False)
        self._known.leave(stream.conn, asyncio.get_running_loop().time())
        self._send(Left(stream.conn))


async def serve(stream: Stream, write: Callable[[bytes, bool], Awaitable[None]], gone: asyncio.Future[None]) -> None:
    """Write a stream's events as they come, until it ends or the phone is gone. Each event is one write."""
    if stream.first is not None:
        await write(stream.first, True)
    while not gone.done():
        if stream.waiting is not None:
            now, stream.waiting = stream.waiting, None
            await write(now, True)
        elif stream.word is not None or stream.over:
            break
        else:
            await stream.next()
    if gone.done():
        return
    if stream.word is not None:
        await write(no(stream.word), True)
    await write(b"", False)
