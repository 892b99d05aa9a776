"""Commits go to a store in bundles; while tables catch up, a second connection writes too."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from pi_app.centre.service.bundles import ENOUGH_ENTRIES, Bundles
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import Commit, StoreError
from pi_app.centre.taking.known_record import KnownRecord, Taken

ENTRY = (b"{}", b"sealed", b"h" * 32)


class SlowStore(SqliteStore):
    """It notes what it is to commit, and waits until it may."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.seen: list[list[int]] = []
        self.may_go_on = threading.Event()
        self.fails = False

    def commit(self, commits: Sequence[Commit]) -> list[bool]:
        self.seen.append([each.number for each in commits])
        assert self.may_go_on.wait(60)
        if self.fails:
            raise StoreError("The disk is full.")
        return [True] * len(commits)


def commit_of(number: int, entries: int = 1) -> Commit:
    return Commit(
        number=number,
        before=0,
        entries=(ENTRY,) * entries,
        taken=Taken(KnownRecord()),
        cosigned="",
        at_s=1,
        behind=0,
    )


@pytest.fixture
def stores(tmp_path: Path) -> Any:
    with contextlib.ExitStack() as closing:
        yield [closing.enter_context(contextlib.closing(SlowStore(tmp_path / "centre.db"))) for _ in range(2)]


def running(bundles: Bundles, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def life() -> None:
        beside = asyncio.create_task(bundles.run())
        try:
            await asyncio.wait_for(work(), 60)
        finally:
            beside.cancel()
            await asyncio.gather(beside, return_exceptions=True)

    asyncio.run(life())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


def test_in_play_one_connection_writes_all_that_comes_in_a_moment(stores: list[SlowStore]) -> None:
    first, second = stores
    bundles = Bundles(first, second, window_s=0.0)

    async def work() -> None:
        waiting = [asyncio.create_task(bundles.commit(commit_of(number))) for number in (1, 2)]
        await until(lambda: bool(first.seen))
        waiting += [asyncio.create_task(bundles.commit(commit_of(number))) for number in (3, 4, 5)]
        await until(lambda: bundles.waiting == 3)
        for each in stores:
            each.may_go_on.set()
        assert await asyncio.gather(*waiting) == [True] * 5

    running(bundles, work)
    assert (first.seen, second.seen) == ([[1, 2], [3, 4, 5]], [])


def test_while_tables_catch_up_the_second_writes_what_the_first_has_no_time_for(stores: list[SlowStore]) -> None:
    first, second = stores
    bundles = Bundles(first, second, window_s=0.0)

    async def work() -> None:
        waiting = [asyncio.create_task(bundles.commit(commit_of(1)))]
        await until(lambda: bool(first.seen))
        waiting += [asyncio.create_task(bundles.commit(commit_of(number, ENOUGH_ENTRIES))) for number in (2, 3)]
        await until(lambda: bool(second.seen))
        assert not waiting[0].done()
        second.may_go_on.set()
        assert await asyncio.gather(*waiting[1:]) == [True, True]
        assert bundles.catching_up
        first.may_go_on.set()
        assert await waiting[0]

    running(bundles, work)
    assert (first.seen, second.seen) == ([[1]], [[2, 3]])


def test_a_store_that_fails_fails_for_its_bundle_alone(stores: list[SlowStore]) -> None:
    first, second = stores
    bundles = Bundles(first, second, window_s=0.0)

    async def work() -> None:
        early = asyncio.create_task(bundles.commit(commit_of(1)))
        await until(lambda: bool(first.seen))
        large = asyncio.create_task(bundles.commit(commit_of(2, ENOUGH_ENTRIES)))
        second.fails = True
        second.may_go_on.set()
        with pytest.raises(StoreError, match="The disk is full"):
            await large
        first.may_go_on.set()
        assert await early

    running(bundles, work)
