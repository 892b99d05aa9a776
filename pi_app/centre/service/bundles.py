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

WINDOW_S: Final = 0.04
"""So long a bundle waits for others after its first commit. Every bundle costs a millisecond of the processor, whatever
is in it, and a table waits up to a second in any case."""

MOST_ENTRIES: Final = 20_000
"""A bundle with more entries than this is not made larger."""


ENOUGH_ENTRIES: Final = 1_000
"""A bundle with so many entries waits for no others: tables catch up."""

CATCHES_UP_S: Final = 2.0
"""So long after such a bundle others are likely to come."""


class Bundles:
    """Hands commits to a store in bundles, one at a time, in a thread. Start it with `run`."""

    def __init__(self, store: CentreStore, window_s: float = WINDOW_S) -> None:
        self._store, self._window_s = store, window_s
        self._waiting: list[tuple[Commit, asyncio.Future[bool]]] = []
        self._some = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "commits")
        self._catching_up_until_s = float("-inf")
        self.sizes = Histogram((1, 2, 5, 10, 20, 50, 100, 200, 500))
        self.entries = Histogram((1, 10, 50, 100, 500, 1_000, 5_000, 20_000))
        self.seconds = Histogram((0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5))

    async def commit(self, commit: Commit) -> bool:
        """Write what one hand-over changes; return whether it holds. Raises StoreError."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((commit, done))
        self._some.set()
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
            while True:
                await self._some.wait()
                if sum(len(commit.entries) for commit, _ in self._waiting) < ENOUGH_ENTRIES:
                    await asyncio.sleep(self._window_s)
                await self._write(self._next())
        finally:
            for _, done in self._waiting:
                done.cancel()
            self._thread.shutdown(wait=False)

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
        if not left:
            self._some.clear()
        return taken

    async def _write(self, bundle: Sequence[tuple[Commit, asyncio.Future[bool]]]) -> None:
        began_s = time.perf_counter()
        entries = sum(len(commit.entries) for commit, _ in bundle)
        if entries >= ENOUGH_ENTRIES:
            self._catching_up_until_s = time.monotonic() + CATCHES_UP_S
        commits = [each for each, _ in bundle]
        writing = asyncio.get_running_loop().run_in_executor(self._thread, self._store.commit, commits)
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
