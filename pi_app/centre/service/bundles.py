"""Bundles commits: what many tables hand over within milliseconds is one transaction, and one wait for the disk."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from pi_app.centre.service.histogram import Histogram
from pi_app.centre.store.store import CentreStore, Commit

WINDOW_S: Final = 0.05
"""So long a bundle waits for others after its first commit. Every bundle costs a millisecond of the processor, whatever
is in it, and a table waits up to a second in any case."""

MOST_ENTRIES: Final = 20_000
"""A bundle with more entries than this is not made larger."""


ENOUGH_ENTRIES: Final = 1_000
"""A bundle with so many entries waits for no others: tables catch up."""

CATCHES_UP_S: Final = 2.0
"""So long after such a bundle others are likely to come."""


class Bundles:
    """Hands commits to a store in bundles, in threads. Start it with `run`.

    One connection writes one bundle after the other. While tables catch up, a second one writes others meanwhile."""

    def __init__(self, store: CentreStore, second: CentreStore | None = None, window_s: float = WINDOW_S) -> None:
        """`second`: another connection to the same store; None if it takes one writer."""
        self._store, self._second, self._window_s = store, second, window_s
        self._waiting: list[tuple[Commit, asyncio.Future[bool]]] = []
        self._first_s = 0.0
        self._some, self._many = asyncio.Event(), asyncio.Event()
        self._entries = 0
        self._threads = ThreadPoolExecutor(1 if second is None else 2, "commits")
        self._catching_up_until_s = float("-inf")
        self.sizes = Histogram((1, 2, 5, 10, 20, 50, 100, 200, 500))
        self.entries = Histogram((1, 10, 50, 100, 500, 1_000, 5_000, 20_000))
        self.seconds = Histogram((0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5))

    async def commit(self, commit: Commit) -> bool:
        """Write what one hand-over changes; return whether it holds. Raises StoreError."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[bool] = loop.create_future()
        if not self._waiting:
            self._first_s = loop.time()
        self._waiting.append((commit, done))
        self._some.set()
        self._entries += len(commit.entries)
        if self._entries >= ENOUGH_ENTRIES:
            self._many.set()
        return await done

    @property
    def catching_up(self) -> bool:
        """Whether tables hand over what they have not handed over for long; all that can wait should wait then."""
        return time.monotonic() < self._catching_up_until_s

    @property
    def waiting(self) -> int:
        """How many commits wait."""
        return len(self._waiting)

    async def run(self) -> None:
        """Write bundles until this is cancelled; what waits then is not written, and its tables try again."""
        try:
            async with asyncio.TaskGroup() as writing:
                writing.create_task(self._write_all(self._store, self._some))
                if self._second is not None:
                    writing.create_task(self._write_all(self._second, self._many))
        finally:
            for _, done in self._waiting:
                done.cancel()
            self._threads.shutdown(wait=False)

    async def _write_all(self, store: CentreStore, due: asyncio.Event) -> None:
        while True:
            await due.wait()
            if self._entries < ENOUGH_ENTRIES:
                waited_s = asyncio.get_running_loop().time() - self._first_s
                await asyncio.sleep(max(0.0, self._window_s - waited_s))
            if bundle := self._next():
                await self._write(bundle, store)

    def _next(self) -> list[tuple[Commit, asyncio.Future[bool]]]:
        """Take what waits, up to some number of entries, at least one commit, and of each record only one."""
        taken: list[tuple[Commit, asyncio.Future[bool]]] = []
        left: list[tuple[Commit, asyncio.Future[bool]]] = []
        entries, numbers = 0, set[int]()
        for each in self._waiting:
            commit = each[0]
            if commit.number in numbers or (taken and entries + len(commit.entries) > MOST_ENTRIES):
                left.append(each)
                continue
            numbers.add(commit.number)
            entries += len(commit.entries)
            taken.append(each)
        self._waiting = left
        self._entries -= entries
        if not left:
            self._some.clear()
        if self._entries < ENOUGH_ENTRIES:
            self._many.clear()
        return taken

    async def _write(self, bundle: Sequence[tuple[Commit, asyncio.Future[bool]]], store: CentreStore) -> None:
        began_s = time.perf_counter()
        entries = sum(len(commit.entries) for commit, _ in bundle)
        if entries >= ENOUGH_ENTRIES:
            self._catching_up_until_s = time.monotonic() + CATCHES_UP_S
        commits = [each for each, _ in bundle]
        writing = asyncio.get_running_loop().run_in_executor(self._threads, store.commit, commits)
        try:
            held = await asyncio.shield(writing)
        except asyncio.CancelledError:
            with contextlib.suppress(Exception):
                await writing
            raise
        except Exception as error:  # noqa: BLE001 - every table of the bundle hears of it
            for _, done in bundle:
                if not done.done():
                    done.set_exception(error)
            return
        self.seconds.add(time.perf_counter() - began_s)
        self.sizes.add(len(bundle))
        self.entries.add(entries)
        for (_, done), holds in zip(bundle, held, strict=True):
            if not done.done():
                done.set_result(holds)
