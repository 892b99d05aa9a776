"""The centre over HTTP, as an ASGI program without a framework: a hand-over passes no more code than it needs."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Protocol

from pi_app.centre.own_log.background import OwnLogThread
from pi_app.centre.own_log.own_log import OwnLog
from pi_app.centre.own_log.serving import PREFIX, reply_to
from pi_app.centre.service.centre import AWAY, SMALL_BODY, Centre, CentreAnswer, later
from pi_app.centre.service.places import count_as
from pi_app.centre.service.turns import FairTurns, NoTurnError
from pi_app.centre.store.store import StoreError
from pi_app.journal.record.handover import LARGEST_BODY
from pi_app.journal.record.witness_protocol import LARGEST_REQUEST

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BODY_S: Final = 10.0
"""So long may a body take from its first byte to its last."""

GARBAGE: Final = 20_000
"""So many more objects are looked through for garbage at once; a request leaves none that is not freed by itself."""

WHOLE: Final = "trapdial.whole"
"""An extension of a request's scope: its body is here whole, as its head has said, and is one message. The clock for a
body does not run then."""

READ: Final = "trapdial.read"
"""An extension of a request's scope: a function to call before its body is read. Until then little of the body is kept
here, and the rest waits at the table."""

TABLE: Final = "trapdial.table"
"""In a request's state: a function that takes the origin of a table. Its connection has a place that no stranger takes
from then on."""

LARGEST_ENROLMENT: Final = 8_000

LARGEST_FORM: Final = 1_000

LARGE_BYTES: Final = 2 * SMALL_BODY
"""A hand-over that is announced as larger than this waits for its turn before it is read. So tables that come back with
thousands of entries fill neither the memory nor the time of those that play."""

LARGE_AT_ONCE: Final = 32
TURN_S: Final = 20.0
"""So long a large hand-over waits for its turn, less than a table waits for an answer."""

_LATEST: Final = re.compile(r"/([0-9a-f]{64})/checkpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for a page. `headers`: by their names in small letters; `secure`: it came through TLS."""

    method: str
    path: str
    query: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    secure: bool = False
    body: bytes = b""


class PageSite(Protocol):
    """Answers what is none of the protocol's addresses."""

    async def answer(self, asked: PageRequest) -> CentreAnswer: ...


class CentreApp:
    """The ASGI program. It starts the centre's bundles and its own log, if it has one, with the server, and ends them
    with it. `site`: its pages; `beside`: what else runs from the start of the server to its end."""

    def __init__(
        self,
        centre: Centre,
        site: PageSite | None = None,
        own_log: OwnLogThread | None = None,
        beside: Sequence[Callable[[], Coroutine[Any, Any, None]]] = (),
    ) -> None:
        self._centre, self._site, self._own_log = centre, site, own_log
        self._beside = (centre.bundles.run, *beside)
        self._running: list[asyncio.Task[None]] = []
        self._large = FairTurns(LARGE_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await _send(send, await self._answer(scope, receive))

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                gc.freeze()  # what is here now stays: looking through it again and again costs every request
                gc.set_threshold(GARBAGE)
                self._running = [asyncio.create_task(each()) for each in self._beside]
                if self._own_log is not None:
                    self._own_log.start()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                if self._own_log is not None:
                    await asyncio.to_thread(self._own_log.stop)
                for each in self._running:
                    each.cancel()
                await asyncio.gather(*self._running, return_exceptions=True)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _answer(self, scope: Scope, receive: Receive) -> CentreAnswer:
        answer = await self._routed(scope, receive)
        answers = self._centre.counts.answers
        answers[int(answer.status)] = answers.get(int(answer.status), 0) + 1
        return answer

    async def _routed(self, scope: Scope, receive: Receive) -> CentreAnswer:
        method, path = scope["method"], scope["path"]
        address = (scope.get("client") or ("",))[0]
        match method, path:
            case "POST", "/hand-over":
                return await self._hand_over(scope, receive, address)
            case "POST", "/enrol":
                body = await _body(scope, receive, LARGEST_ENROLMENT)
                return body if isinstance(body, CentreAnswer) else await self._centre.enrol(body)
            case "GET", "/enrol":
                return self._centre.challenge()
            case "POST", "/add-checkpoint":
                body = await _body(scope, receive, LARGEST_REQUEST)
                return body if isinstance(body, CentreAnswer) else await self._centre.add_checkpoint(body, address)
            case "GET" | "HEAD", "/healthz":
                return CentreAnswer(HTTPStatus.OK, b"ok\n")
            case _, "/hand-over" | "/enrol" | "/add-checkpoint" | "/healthz":
                return CentreAnswer(HTTPStatus.METHOD_NOT_ALLOWED, b"Another method is needed here.\n")
        latest = _LATEST.fullmatch(path)
        if latest and method in ("GET", "HEAD"):
            return await self._centre.latest(latest[1])
        if self._own_log is not None and path.startswith(PREFIX) and method in ("GET", "HEAD"):
            return await asyncio.to_thread(_of_log, self._own_log.log, path.removeprefix(PREFIX))
        if self._site is not None:
            return await _of_site(self._site, scope, receive)
        return CentreAnswer(HTTPStatus.NOT_FOUND, b"There is nothing here.\n")

    async def _hand_over(self, scope: Scope, receive: Receive, address: str) -> CentreAnswer:
        length = _length(scope)
        if length is not None and length <= LARGE_BYTES:
            return await self._taken(scope, receive, address)
        if length is not None and length > LARGEST_BODY:
            return _too_long(LARGEST_BODY)
        reached = (scope.get("server") or ("",))[0] or ""
        try:
            async with self._large.turn(count_as(address, reached), TURN_S):
                return await self._taken(scope, receive, address)
        except NoTurnError:
            return later("Many tables hand over at once.", HTTPStatus.SERVICE_UNAVAILABLE)

    async def _taken(self, scope: Scope, receive: Receive, address: str) -> CentreAnswer:
        body = await _body(scope, receive, LARGEST_BODY)
        if isinstance(body, CentreAnswer):
            return body
        answer = await self._centre.hand_over(body, address)
        if answer.table and (keep := scope.get("state", {}).get(TABLE)) is not None:
            keep(answer.table)
        return answer


def _of_log(log: OwnLog, path: str) -> CentreAnswer:
    try:
        found = reply_to(log, path)
    except StoreError:
        return later(AWAY, HTTPStatus.SERVICE_UNAVAILABLE)
    if found is None:
        return CentreAnswer(HTTPStatus.NOT_FOUND, b"The centre's own log does not have this.\n")
    return CentreAnswer(HTTPStatus.OK, found.body, found.kind, (("cache-control", found.cache),))


def _length(scope: Scope) -> int | None:
    """Return how long the body will be; None if the request does not say."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    return int(length) if length.isdigit() else None


def _too_long(most: int) -> CentreAnswer:
    return _closing(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {most} bytes are taken at once.\n")


def _closing(status: HTTPStatus, why: str) -> CentreAnswer:
    """Answer before the whole body is here: what follows of it is not read."""
    return CentreAnswer(status, why.encode(), headers=(("connection", "close"),))


async def _of_site(site: PageSite, scope: Scope, receive: Receive) -> CentreAnswer:
    body = await _body(scope, receive, LARGEST_FORM) if scope["method"] == "POST" else b""
    if isinstance(body, CentreAnswer):
        return body
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    address, secure = (scope.get("client") or ("",))[0], scope.get("scheme") == "https"
    if address in _THIS_MACHINE:
        address = headers.get("x-forwarded-for", address).rpartition(",")[2].strip()
        secure = secure or headers.get("x-forwarded-proto") == "https"
    asked = PageRequest(
        method=scope["method"],
        path=scope["path"],
        query=scope.get("query_string", b""),
        headers=headers,
        address=address,
        secure=secure,
        body=body,
    )
    return await site.answer(asked)


_THIS_MACHINE: Final = ("127.0.0.1", "::1")
"""Of a page's request from here, a proxy may say where it came from."""


async def _body(scope: Scope, receive: Receive, most: int) -> bytes | CentreAnswer:
    """Return the whole body, or the answer to one that is too long or too slow."""
    if (_length(scope) or 0) > most:
        return _too_long(most)
    extensions = scope.get("extensions", {})
    if WHOLE in extensions:
        whole = bytes((await receive()).get("body", b""))
        return whole if len(whole) <= most else _too_long(most)
    if READ in extensions:
        extensions[READ]()
    parts: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(BODY_S):
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return CentreAnswer(HTTPStatus.BAD_REQUEST, b"The request was cut off.\n")
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
                if size > most:
                    return _too_long(most)
    except TimeoutError:
        return _closing(HTTPStatus.REQUEST_TIMEOUT, "The request took too long.\n")
    return b"".join(parts)


async def _send(send: Send, answer: CentreAnswer) -> None:
    named = {
        "content-type": answer.kind,
        "content-length": str(len(answer.body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }
    named |= {name: value for name, value in answer.headers if name in named}
    more = [(name, value) for name, value in answer.headers if name not in named]
    headers = [(name.encode(), value.encode()) for name, value in (*named.items(), *more)]
    await send({"type": "http.response.start", "status": int(answer.status), "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
