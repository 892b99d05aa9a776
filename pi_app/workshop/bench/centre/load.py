"""The load of many tables on one centre: tables in play, and tables that come back with thousands of entries."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hardware.host import memory_folder
from pi_app.centre.enrolment import code_hash
from pi_app.centre.store.cluster import cluster, programs
from pi_app.journal.record.notes import VerifierKey
from pi_app.sender.outbox import MOST_ENTRIES
from pi_app.sender.pace import SendingPace
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from pi_app.workshop.bench.centre.checker import TableTruth
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, Original, numbered_key
from pi_app.workshop.bench.centre.load_table import HandedOver, LiveSupply, LoadTable, PreparedSupply
from pi_app.workshop.bench.centre.table_connection import ConnectionLog, KeptConnection

LAST_S: Final = 60.0
TUNED: Final = {
    "shared_buffers": "512MB",
    "max_wal_size": "2GB",
    "min_wal_size": "1GB",
    "checkpoint_timeout": "15min",
    "wal_init_zero": "off",
}
"""What `wiring_docs/centre.md` advises for a fleet. fsync and synchronous_commit stay on."""


@contextlib.contextmanager
def a_centre(*, sqlite: bool = False) -> Iterator[CentreProcess]:
    """Run a centre over an empty store: PostgreSQL where it is installed. Raises StoreError, TimeoutError."""
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="trapdial-bench-")))
        postgres = not sqlite and programs() is not None
        store = closing.enter_context(cluster(TUNED)).url if postgres else "centre.db"
        process = CentreProcess(folder / "centre", store)
        closing.callback(process.stop)
        process.start()
        yield process


def enrol(process: CentreProcess, origins: Sequence[str]) -> None:
    """Enrol tables without a network. Raises StoreError."""
    now_s = int(time.time())
    with contextlib.closing(process.opened()) as store:
        for number, origin in enumerate(origins, 1):
            store.add_code(code_hash(origin), f"Table {number}", f"Shop {number % 20}", now_s + 3_600)
            if store.enrol(code_hash(origin), origin, now_s) is None:
                raise RuntimeError("a table was not enrolled")


@dataclass
class Fleet:
    """Many tables in one process, each with its connection."""

    centre: VerifierKey
    host: str
    port: int
    seed: int = 0
    seen: HandedOver = field(default_factory=HandedOver)
    log: ConnectionLog = field(default_factory=ConnectionLog)
    tables: list[LoadTable] = field(default_factory=list)

    def add(
        self,
        supply: LiveSupply | PreparedSupply,
        until: int | None = None,
        seen: HandedOver | None = None,
        spread_s: float | None = None,
    ) -> None:
        """Add a table. `spread_s`: it begins at a random moment within so long, else when a real one would."""
        pace = SendingPace(random.Random(f"{self.seed} {len(self.tables)}"))
        connection = KeptConnection(self.host, self.port, self.log)
        self.tables.append(LoadTable(supply, connection, self.centre, seen or self.seen, pace, until, spread_s))

    def is_done(self) -> bool:
        """Whether all that the tables have is handed over."""
        return all(each.after >= each.supply.record.size for each in self.tables)

    def truths(self) -> Mapping[str, TableTruth]:
        """What each table has, by its origin."""
        return {each.supply.origin: each.truth() for each in self.tables}

    def check_cosignatures(self) -> None:
        """Check each table's newest cosignature."""
        for each in self.tables:
            each.check_cosignature()


def live_supplies(original: Original, count: int, per_s: float, seed: int = 0, first: int = 0) -> list[LiveSupply]:
    """Return tables in play."""
    return [
        LiveSupply(CopiedRecord(numbered_key(number, seed), original), per_s, random.Random(f"{seed} live {number}"))
        for number in range(first, first + count)
    ]


@contextlib.contextmanager
def prepared_supplies(
    original: Original, count: int, entries: int, seed: int = 0, folder: Path | None = None
) -> Iterator[list[PreparedSupply]]:
    """Return tables that come back with so many entries each. The bytes of their entries are made before, in a file."""
    with tempfile.TemporaryDirectory(prefix="trapdial-bench-", dir=folder or memory_folder()) as inside:
        made = [_prepared(original, number, entries, seed, Path(inside)) for number in range(count)]
        yield made
        for each in made:
            each.stored.release()


def _prepared(original: Original, number: int, entries: int, seed: int, folder: Path) -> PreparedSupply:
    import mmap

    record = CopiedRecord(numbered_key(number, seed), original)
    path, pieces, at = folder / f"{number}", {}, 0
    with path.open("wb") as file:
        while record.size < entries:
            after = record.size
            handed = record.handed(record.grow(min(MOST_ENTRIES, entries - after)))
            body, note = handed.written(), handed.checkpoint
            stored = body[body.index(b"\n") + 1 : len(body) - len(note.written().encode())]
            file.write(stored)
            pieces[after] = (at, at + len(stored), note)
            at += len(stored)
    with path.open("rb") as file:
        return PreparedSupply(record, pieces, memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)))


async def play(fleet: Fleet, seconds: float, stop: Sequence[LiveSupply]) -> None:
    """Let tables play for so long; then stop, and wait until what was made is handed over."""
    running = [asyncio.create_task(each.run()) for each in fleet.tables]
    try:
        await asyncio.sleep(seconds)
        for supply in stop:
            supply.stopped = True
        until_s = time.monotonic() + LAST_S
        while time.monotonic() < until_s and not fleet.is_done():
            await asyncio.sleep(0.1)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def come_back(fleet: Fleet, live: Sequence[LiveSupply]) -> float:
    """Let tables come back while others play; return the seconds until all is handed over."""
    playing = [asyncio.create_task(each.run()) for each in fleet.tables if each.until is None]
    await asyncio.sleep(3.0)
    began_s = time.monotonic()
    back = [asyncio.create_task(each.run()) for each in fleet.tables if each.until is not None]
    try:
        await asyncio.gather(*back)
        took_s = time.monotonic() - began_s
        for each in live:
            each.stopped = True
        await asyncio.sleep(2.0)
    finally:
        for task in (*playing, *back):
            task.cancel()
        await asyncio.gather(*playing, *back, return_exceptions=True)
    return took_s
