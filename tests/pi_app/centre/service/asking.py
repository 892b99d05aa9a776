"""Requests to a centre without a network: its ASGI program is called directly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pi_app.centre.service.app import CentreApp, Message

R = TypeVar("R")


@dataclass
class Replied:
    """An answer: status, headers by name, body."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


async def ask(
    app: CentreApp,
    method: str,
    path: str,
    parts: Iterable[bytes] = (b"",),
    *,
    length: int | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> Replied:
    """Send a request whose body comes in these parts; None among them: the client is gone. `more`: of its scope."""
    waiting = list(parts)
    replied = Replied()

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        part = waiting.pop(0)
        if part is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(waiting) or part == b"..."}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            replied.status = message["status"]
            replied.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            replied.body += message["body"]

    sent = [(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    if length is not None:
        sent.append((b"content-length", str(length).encode()))
    scope = {"type": "http", "method": method, "path": path, "headers": sent, "client": ("10.0.0.9", 5), **(more or {})}
    await app(scope, receive, send)
    return replied


def living(app: CentreApp, work: Callable[[], Awaitable[R]]) -> R:
    """Start the centre as a server does, do the work, and end it."""

    async def run() -> R:
        told: asyncio.Queue[Message] = asyncio.Queue()
        said: asyncio.Queue[Message] = asyncio.Queue()
        life = asyncio.create_task(app({"type": "lifespan"}, told.get, said.put))
        await told.put({"type": "lifespan.startup"})
        assert (await said.get())["type"] == "lifespan.startup.complete"
        try:
            return await work()
        finally:
            await told.put({"type": "lifespan.shutdown"})
            await life

    return asyncio.run(run())
