"""What the page process answers to each request."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pi_app.pages.messages import ANSWER_BYTES, ASK_BYTES, POST_BYTES, Hand
from pi_app.pages.page import BuiltPage, of_game
from pi_app.pages.process.answers import BYTES, EVENTS, HTML, elsewhere, framed, headers, line, probe
from pi_app.pages.process.doors import Place
from pi_app.pages.process.protocol import PhoneConnection
from pi_app.pages.process.streams import Stream, Table, serve
from pi_app.pages.process.watching import WatchAnswer, no_station
from pi_app.pages.staff_kinds import CROWDED, refusal_start
from pi_app.pages.station_status import METRICS_TYPE, metrics

Answer = Callable[[Request], Awaitable[Response]]

GAME: Final = "Trapdial-Game"
"""The header of a stream that names the game: a page that was loaded before it began knocks again."""

PLACES: Final[Mapping[str, Place]] = {
    "/": Place.NEWCOMER,
    "/join": Place.NEWCOMER,
    "/stream": Place.RETURNING,
    "/status.json": Place.STATUS,
    "/metrics": Place.STATUS,
    "/staff": Place.STAFF,
    "/staff/ask": Place.STAFF,
    "/public": Place.DISPLAY,
    "/public/stream": Place.DISPLAY,
}
"""What a connection is for that asks for a path."""

HAND_BYTES: Final = 200
OVER: Final = Response(None, 204)
_SIZE: Final = re.compile(r"[0-9]{1,19}\Z")


class BadBodyError(Exception):
    """The body is not what this address takes; `answer` says so."""

    def __init__(self, answer: Response) -> None:
        self.answer = answer


class GoneError(Exception):
    """The phone closed the connection before its request was whole."""


def application(table: Table, page: BuiltPage, demo: BuiltPage, public: BuiltPage, staff: BuiltPage) -> ASGIApp:
    """All that the page process answers, with the checks that come before."""
    app = Starlette(
        routes=[
            Route("/", _page(table, page)),
            Route("/join", _stream(table, "join"), methods=["POST"]),
            Route("/stream", _stream(table, "stream"), methods=["POST"]),
            Route("/up", _up(table), methods=["POST"]),
            Route("/status.json", _status(table)),
            Route("/public", _public(table, public)),
            Route("/public/stream", _watched(table)),
            Route("/metrics", _metrics(table)),
            Route("/staff", _staff_page(staff)),
            Route("/staff/ask", _staff_ask(table), methods=["POST"]),
            Route("/demo", _demo_only(table, _demo(demo))),
            Route("/demo/table", _demo_only(table, _shown(table))),
            Route("/demo/hand", _demo_only(table, _hand(table)), methods=["POST"]),
        ],
        exception_handlers={HTTPException: _no_such, Exception: _failed},
    )
    app.router.redirect_slashes = False
    return _Checked(table, app)


class _Checked:
    """The application behind the checks that every request has to pass: rate, host, no body where none belongs."""

    def __init__(self, table: Table, app: ASGIApp) -> None:
        self._table, self._app = table, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        early = self._refused(Request(scope))
        await (early or self._app)(scope, receive, send)

    def _refused(self, request: Request) -> Response | None:
        table, address = self._table, address_of(request)
        place = PLACES.get(request.scope["path"], Place.ARRIVING)
        status = place in (Place.STATUS, Place.STAFF)
        known, house = table.knows(address), is_house(request)
        if not table.rates.request(address, now(), known=known, house=house, status=status):
            return too_many(table)
        table.ask(client_of(request), place)
        if sum(len(name) + len(value) for name, value in request.headers.raw) > table.limits.header_bytes:
            return line(431, closing=True)
        host = request.headers.get("host", "").lower().removesuffix(":80")
        reads = request.method in ("GET", "HEAD")
        if reads and ("transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"):
            return line(400, closing=True)
        if reads and (found := probe(request.url.path if host else request.scope["path"], host)) is not None:
            return found
        if host not in table.setup.hosts:
            return elsewhere(table.setup.address)
        return None


def address_of(request: Request) -> str:
    return request.client.host if request.client else "?"


def client_of(request: Request) -> tuple[str, int]:
    """The address and the port of the other end."""
    return (request.client.host, request.client.port) if request.client else ("?", 0)


def is_house(request: Request) -> bool:
    """Whether this machine itself asks."""
    server = request.scope.get("server")
    return server is not None and address_of(request) == server[0]


def now() -> float:
    return asyncio.get_running_loop().time()


def too_many(table: Table) -> Response:
    table.refused += 1
    return line(429, closing=True)


async def _no_such(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = line(error.status_code if error.status_code in (404, 405) else 400, closing=True)
    if error.headers:
        answer.headers.update(error.headers)
    return answer


async def _failed(_: Request, __: Exception) -> Response:
    return line(500, closing=True)


# --------------------------------------------------------------------------------------------------- reading


def _page(table: Table, page: BuiltPage) -> Answer:
    async def answer(request: Request) -> Response:
        table.pages += 1
        return _built(request, of_game(page, table.setup.game), framed(page.csp, demo=table.setup.demo))

    return answer


def _demo(page: BuiltPage) -> Answer:
    async def answer(request: Request) -> Response:
        return _built(request, page, framed(page.csp, demo=False))

    return answer


def _public(table: Table, page: BuiltPage) -> Answer:
    async def answer(request: Request) -> Response:
        if table.watchers.line is None:
            return no_station()
        return _built(request, page, framed(page.csp, demo=table.setup.demo))

    return answer


def _staff_page(page: BuiltPage) -> Answer:
    async def answer(request: Request) -> Response:
        return _built(request, page, framed(page.csp, demo=False))

    return answer


def _watched(table: Table) -> Answer:
    async def answer(request: Request) -> Response:
        if table.watchers.line is None:
            return no_station()
        if request.method == "HEAD":
            return Response(None, 200, headers(), EVENTS)
        address = address_of(request)
        house = is_house(request)
        allowed = house or table.watchers.allowed(address, now())
        watcher = table.watchers.enter(address, house=house) if allowed else None
        if watcher is None:
            return too_many(table)
        return WatchAnswer(table.watchers, watcher, table.holder(client_of(request)))

    return answer


def _built(request: Request, page: BuiltPage, csp: str) -> Response:
    packed = "gzip" in request.headers.get("accept-encoding", "").lower()
    more = {"Content-Encoding": "gzip"} if packed else {}
    return Response(
        page.gzipped if packed else page.html, 200, {**headers(csp), "Vary": "Accept-Encoding", **more}, HTML
    )


def _status(table: Table) -> Answer:
    async def answer(_: Request) -> Response:
        return Response(msgspec.json.encode(table.status) + b"\n", 200, headers(), "application/json")

    return answer


def _metrics(table: Table) -> Answer:
    async def answer(_: Request) -> Response:
        return Response(metrics(table.status), 200, {**headers(), "Content-Type": METRICS_TYPE})

    return answer


def _demo_only(table: Table, inner: Answer) -> Answer:
    async def answer(request: Request) -> Response:
        return await inner(request) if table.setup.demo else line(404, closing=True)

    return answer


def _shown(table: Table) -> Answer:
    async def answer(_: Request) -> Response:
        return Response(table.shown, 200, headers(), "application/json")

    return answer


# ---------------------------------------------------------------------------------------------------- bodies


async def body_of(request: Request, least: int, most: int) -> bytes:
    """Return a body of that size. Raises BadBodyError before it is read, if it has another one or does not say."""
    size = request.headers.getlist("content-length")
    if len(size) != 1 or not _SIZE.match(size[0]) or "transfer-encoding" in request.headers:
        raise BadBodyError(line(400, closing=True))
    if int(size[0]) > most:
        raise BadBodyError(line(413, closing=True))
    if int(size[0]) < least:
        raise BadBodyError(line(400, closing=True))
    body, more = b"", True
    while more:
        part = await request.receive()
        if part["type"] == "http.disconnect":
            raise GoneError
        body += part.get("body", b"")
        more = part.get("more_body", False)
    return body


def _with_body(least: int, most: int, inner: Callable[[Request, bytes], Response]) -> Answer:
    async def answer(request: Request) -> Response:
        try:
            return inner(request, await body_of(request, least, most))
        except BadBodyError as bad:
            return bad.answer
        except GoneError:
            return OVER  # goes nowhere: the connection is closed

    return answer


def _up(table: Table) -> Answer:
    def answer(request: Request, body: bytes) -> Response:
        address = address_of(request)
        if not table.rates.post(address, now(), known=address in table.known):
            return too_many(table)
        table.posted(body)
        return Response(None, 204, headers())

    return _with_body(POST_BYTES, POST_BYTES, answer)


def _staff_ask(table: Table) -> Answer:
    async def answer(request: Request) -> Response:
        address = address_of(request)
        try:
            body = await body_of(request, ASK_BYTES, ASK_BYTES)
        except BadBodyError as bad:
            return bad.answer
        except GoneError:
            return OVER
        if not table.staff.admits(address, body, now()):
            table.refused += 1
            return Response(_crowded(), 200, headers(), BYTES)
        answered = await table.ask_table(body)
        if answered is None:
            return line(503, closing=True)
        table.staff.note_answer(address, body, answered, now())
        return Response(answered, 200, headers(), BYTES)

    return answer


def _crowded() -> bytes:
    """The answer to a staff page that the table is not asked for, as long as the table's."""
    start = refusal_start(CROWDED)
    return start + os.urandom(ANSWER_BYTES - len(start))


def _hand(table: Table) -> Answer:
    def answer(request: Request, body: bytes) -> Response:
        if request.headers.get("content-type", "").lower() != "application/json":
            return line(400, closing=True)  # another site's page cannot send this type
        try:
            table.hand(msgspec.json.decode(body, type=_Turned).message())
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return line(400, closing=True)
        return Response(None, 204, headers())

    return _with_body(2, HAND_BYTES, answer)


class _Turned(msgspec.Struct, forbid_unknown_fields=True):
    square: str
    clicks: int

    def message(self) -> Hand:
        return msgspec.convert({"type": "hand", "square": self.square, "clicks": self.clicks}, Hand)


# --------------------------------------------------------------------------------------------------- streams


def _stream(table: Table, kind: str) -> Answer:
    def answer(request: Request, body: bytes) -> Response:
        address, time = address_of(request), now()
        if kind == "join":
            table.joins += 1
            allowed = table.rates.join(address, time)
        else:
            allowed = table.rates.resume(address, time, known=address in table.known)
        if not allowed:
            return too_many(table)
        if table.unread:
            return line(503, closing=True)
        connection = table.connections.get(client_of(request))
        return OVER if connection is None else _StreamAnswer(table, kind, body, connection)

    return _with_body(POST_BYTES, POST_BYTES, answer)


class _StreamAnswer(Response):
    """An answer that lasts: the greeting, then frames, each one event and one write."""

    def __init__(self, table: Table, kind: str, body: bytes, connection: PhoneConnection) -> None:
        super().__init__(None, 200, headers(), EVENTS)
        del self.headers["content-length"]
        self._table, self._kind, self._knock, self._connection = table, kind, body, connection

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def write(data: bytes, more: bool) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        async def begin() -> None:
            self.headers[GAME] = base64.b64encode(self._table.setup.game).decode()
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

        stream = self._table.knock(self._kind, self._knock, self._connection)
        gone = asyncio.ensure_future(_until_gone(receive))
        gone.add_done_callback(lambda _: stream.change())
        try:
            if await self._answered(stream, gone):
                await begin()
                await serve(stream, write, gone)
            elif not gone.done():
                await line(503, closing=True)(scope, receive, send)
        finally:
            gone.cancel()
            self._table.left(stream)

    async def _answered(self, stream: Stream, gone: asyncio.Future[None]) -> bool:
        """Wait for the table's answer; False if there is none."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._table.limits.answer_seconds):
                while not (stream.first or stream.word or stream.over or gone.done()):
                    await stream.next()
        return not gone.done() and bool(stream.first or stream.word)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
