"""Turns of large hand-overs: the address that holds fewest is next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from pi_app.centre.service.places import THIS_MACHINE
from pi_app.centre.service.turns import FairTurns, NoTurnError


@dataclass
class Desk:
    """Those who take turns. `order`: the addresses in the order in which they got one."""

    turns: FairTurns
    order: list[str] = field(default_factory=list)
    ends: dict[str, list[asyncio.Event]] = field(default_factory=dict)

    def begin(self, address: str, most_s: float = 1_000.0) -> asyncio.Task[None]:
        return asyncio.ensure_future(self._hold(address, most_s))

    async def _hold(self, address: str, most_s: float) -> None:
        async with self.turns.turn(address, most_s):
            self.order.append(address)
            end = asyncio.Event()
            self.ends.setdefault(address, []).append(end)
            await end.wait()

    async def end_one(self, address: str) -> None:
        self.ends[address].pop(0).set()
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def at_desk(work: Callable[[Desk], Awaitable[None]], most: int = 4) -> None:
    async def whole() -> None:
        await work(Desk(FairTurns(most)))

    asyncio.run(whole())


def test_a_free_turn_goes_to_the_address_that_holds_fewest() -> None:
    async def work(desk: Desk) -> None:
        waiting = [desk.begin(address) for address in ("a", "a", "a", "a", "b", "a", "c", "d")]
        await settle()
        assert desk.order == ["a", "a", "a", "b"], "the last quarter is for those who hold none"
        await desk.end_one("a")
        await desk.end_one("a")
        assert desk.order[4:] == ["c", "d"], "not the address that waited longest and has had turns"
        for task in waiting:
            task.cancel()

    at_desk(work)


def test_a_proxy_on_this_machine_may_hold_all() -> None:
    async def work(desk: Desk) -> None:
        waiting = [desk.begin(THIS_MACHINE) for _ in range(5)]
        await settle()
        assert len(desk.order) == 4
        for task in waiting:
            task.cancel()

    at_desk(work)


def test_who_waits_too_long_or_leaves_gets_none_and_loses_none() -> None:
    async def work(desk: Desk) -> None:
        first = desk.begin("a")
        await settle()
        with pytest.raises(NoTurnError):
            await desk.begin("b", 0.001)
        left = desk.begin("c")
        await settle()
        left.cancel()
        await settle()
        late = desk.begin("d")
        await settle()
        await desk.end_one("a")
        assert desk.order == ["a", "d"]
        await desk.end_one("d")
        await asyncio.gather(first, late)
        again = desk.begin("e")
        await settle()
        assert desk.order[-1] == "e", "every turn was given back"
        await desk.end_one("e")
        await again

    at_desk(work, 1)


def test_a_turn_that_comes_as_the_waiting_ends_is_given_on() -> None:
    async def work(desk: Desk) -> None:
        desk.begin("a")
        await settle()
        left, last = desk.begin("b"), desk.begin("c")
        await settle()
        desk.ends["a"].pop().set()
        await asyncio.sleep(0)  # the turn goes to b, which has not run yet
        left.cancel()
        await settle()
        assert desk.order == ["a", "c"]
        last.cancel()

    at_desk(work, 1)
