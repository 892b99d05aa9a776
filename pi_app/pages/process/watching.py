"""The public display of a station: a page for everybody, and those who watch it.

Whoever watches sends nothing and is told nothing that the others are not told: the table does not know of them. They
have places of their own, so that no phone of a player finds its place taken. A display on this machine always has one;
of the others, who has several gives one up for who has none.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pi_app.pages.process.answers import EVENTS, headers, line
from pi_app.pages.process.limits import Buckets, Limits

BEAT: Final = b"event: beat\ndata: .\n\n"
"""The table is there, and nothing has changed."""

AGAIN: Final = "5"
"""A browser asks again after so many seconds: a display that was switched on before its table needs no hand."""


class Watcher:
    """One open stream. `waiting` is the next event; a newer one takes its place."""

    def __init__(self, address: str, *, house: bool = False) -> None:
        self.address, self.house = address, house
        self.waiting: bytes | None = None
        self.over = False
        self.changed = asyncio.Event()


class PublicWatchers:
    """What everybody may see, and those who watch it. `line` is None until the table has said that it is a station."""

    def __init__(self, limits: Limits) -> None:
        self.line: bytes | None = None
        self._limits = limits
        self._rate = Buckets(limits.watches)
        self._all: list[Watcher] = []

    def __len__(self) -> int:
        return len(self._all)

    def show(self, line: bytes) -> None:
        """Hand a state on to all who watch."""
        changed, self.line = line != self.line, line
        for each in self._all:
            if changed or each.waiting is None:
                each.waiting = event(line) if changed else BEAT
                each.changed.set()

    def allowed(self, address: str, now: float) -> bool:
        """Whether this address may begin to watch once more now; then it is counted."""
        return self._rate.take(address, now)

    def enter(self, address: str, *, house: bool = False) -> Watcher | None:
        """Begin to watch, if there is a place. `house`: from this machine, whose displays have places of their own: the
        newest takes the oldest one's."""
        if house:
            own = [watcher for watcher in self._all if watcher.house]
            if len(own) >= self._limits.watchers_an_address:
                self._end(own[0])
        elif not self._make_room(address):
            return None
        watcher = Watcher(address, house=house)
        if self.line is not None:
            watcher.waiting = event(self.line)
            watcher.changed.set()
        self._all.append(watcher)
        return watcher

    def left(self, watcher: Watcher) -> None:
        if watcher in self._all:
            self._all.remove(watcher)

    def end(self) -> None:
        """The table is gone."""
        for watcher in list(self._all):
            self._end(watcher)

    def _make_room(self, address: str) -> bool:
        """Whether there is a place for this address; if need be, the newest of the address that has the most ends."""
        others = [watcher for watcher in self._all if not watcher.house]
        numbers = Counter(watcher.address for watcher in others)
        if numbers[address] >= self._limits.watchers_an_address:
            return False
        if len(others) >= self._limits.watchers:
            crowd, most = numbers.most_common(1)[0]
            if most <= numbers[address] + 1:
                return False
            self._end([watcher for watcher in others if watcher.address == crowd][-1])
        return True

    def _end(self, watcher: Watcher) -> None:
        self._all.remove(watcher)
        watcher.over = True
        watcher.changed.set()


def event(line: bytes) -> bytes:
    return b"data: " + line.strip().replace(b"\n", b" ") + b"\n\n"


def no_station() -> Response:
    """The answer of a table that is no station, or that has just begun."""
    answer = line(404, closing=True)
    answer.headers["Refresh"] = AGAIN
    return answer


class WatchAnswer(Response):
    """An answer that lasts: one event for each state."""

    def __init__(self, watchers: PublicWatchers, watcher: Watcher, hold: Callable[[bool], None]) -> None:
        """`hold`: keeps the place of its connection, and frees it."""
        super().__init__(None, 200, headers(), EVENTS)
        del self.headers["content-length"]
        self._watchers, self._watcher, self._hold = watchers, watcher, hold

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watcher = self._watcher
        gone = asyncio.ensure_future(_until_gone(receive))
        gone.add_done_callback(lambda _: watcher.changed.set())
        self._hold(True)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await _written(watcher, send, gone)
        finally:
            gone.cancel()
            self._hold(False)
            self._watchers.left(watcher)


async def _written(watcher: Watcher, send: Send, gone: asyncio.Future[None]) -> None:
    while not (gone.done() or watcher.over):
        await watcher.changed.wait()
        watcher.changed.clear()
        now, watcher.waiting = watcher.waiting, None
        if now is not None and not gone.done():
            await send({"type": "http.response.body", "body": now, "more_body": True})
    if not gone.done():
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
