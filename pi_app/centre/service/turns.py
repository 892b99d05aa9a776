"""Whose large hand-over is read next. Those who hold turns and send nothing keep no other address out: a turn that
becomes free goes to the address that holds fewest, and of these to the one whose last turn was longest ago."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from pi_app.centre.service.places import THIS_MACHINE

MOST_ADDRESSES: Final = 1_000


class NoTurnError(Exception):
    """No turn came in time."""


class FairTurns:
    """At most `most` turns at once. The last quarter of them is for addresses that hold none; this machine, where a
    proxy may stand for many, has no such limit."""

    def __init__(self, most: int) -> None:
        self._most, self._kept = most, most // 4
        self._held: Counter[str] = Counter()
        self._served: OrderedDict[str, int] = OrderedDict()
        """The number of the last turn of each address, the newest at the end."""
        self._number = 0
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, address: str, most_s: float) -> AsyncIterator[None]:
        """Hold a turn. Raises NoTurnError after waiting for `most_s` seconds."""
        if not self._may_take(address):
            await self._wait(address, most_s)
        else:
            self._take(address)
        try:
            yield
        finally:
            self._give_back(address)

    def _may_take(self, address: str) -> bool:
        has_some = self._held[address] > 0 and address != THIS_MACHINE
        return self._held.total() < self._most - (self._kept if has_some else 0)

    def _take(self, address: str) -> None:
        self._held[address] += 1
        self._number += 1
        self._served[address] = self._number
        self._served.move_to_end(address)
        if len(self._served) > MOST_ADDRESSES:
            self._served.popitem(last=False)

    async def _wait(self, address: str, most_s: float) -> None:
        waits = address, asyncio.get_running_loop().create_future()
        self._waiting.append(waits)
        try:
            async with asyncio.timeout(most_s):
                await waits[1]
        except (TimeoutError, asyncio.CancelledError) as error:
            if waits in self._waiting:
                self._waiting.remove(waits)
            elif not waits[1].cancelled():
                self._give_back(address)  # the turn came in the moment in which the waiting ended
            if isinstance(error, TimeoutError):
                raise NoTurnError from None
            raise

    def _give_back(self, address: str) -> None:
        self._held[address] -= 1
        if self._held[address] <= 0:
            del self._held[address]
        while self._waiting:
            waits = min(self._waiting, key=lambda each: (self._held[each[0]], self._served.get(each[0], 0)))
            if not self._may_take(waits[0]):
                return
            self._waiting.remove(waits)
            if not waits[1].done():
                self._take(waits[0])
                waits[1].set_result(None)
