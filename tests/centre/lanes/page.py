"""The auditor's page over 500 tables that have played: how long the server takes, and what tables wait meanwhile."""

from __future__ import annotations

import asyncio
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from hardware.host import memory_folder
from pi_app.centre.findings.found import kept_findings
from pi_app.centre.findings.tables import table_rows
from pi_app.centre.findings.watching import FleetWatch
from pi_app.centre.pages.kept_rows import FleetNow
from pi_app.centre.pages.rows import hashed
from pi_app.centre.pages.site import CentrePages, PageSources
from pi_app.centre.roles import token_hash
from pi_app.centre.service.app import PageRequest
from pi_app.centre.service.centre import Centre
from pi_app.centre.settings import ReaderSettings
from pi_app.centre.store.cluster import cluster, programs
from pi_app.centre.store.postgres import PostgresStore
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import CentreStore
from pi_app.journal.record.sha import in_bulk
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, numbered_key
from tests.centre.lanes.attacks import an_original
from tests.pages.figures import Figures
from tests.pi_app.centre.records import CENTRE, Desk

TABLES: Final = 500
ENTRIES: Final = {True: 20, False: 300}
SHOPS: Final = 12
PAGES: Final = {True: 10, False: 50}
TOKEN: Final = "PAGES"
READERS: Final = (ReaderSettings(name="Ann", role="auditor", token_sha256=token_hash(TOKEN)),)

LIMIT_MS: Final = 200
"""Of the page, from the request to the whole answer, with rows that are read again each time."""


def run(figures: Figures, *, short: bool) -> None:
    """Measure with both stores, where PostgreSQL is installed."""
    in_bulk()
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        stores: dict[str, Callable[[], CentreStore]] = {"SQLite": lambda: SqliteStore(Path(folder) / "centre.db")}
        with ExitStack() as stack:
            if programs() is not None:
                stores["PostgreSQL"] = partial(PostgresStore, stack.enter_context(cluster()).conninfo)
            for name, opens in stores.items():
                with _filled(opens, ENTRIES[short]) as store:
                    asyncio.run(_measured(figures, name, store, PAGES[short]))
    figures.note(f"memory of this process at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


@contextmanager
def _filled(opens: Callable[[], CentreStore], entries: int) -> Iterator[CentreStore]:
    """A store with the records of many tables, after everything was learnt from them. Their games are copies under
    another key, which do not open, so no audit of a game is measured."""
    store, played = opens(), an_original()
    desk = Desk(store, now_s=int(time.time()))
    for number in range(TABLES):
        record = CopiedRecord(numbered_key(number), played)
        store.add_code(b"code", f"Table {number + 1}", f"Shop {number % SHOPS + 1}", desk.now_s + 1)
        assert store.enrol(b"code", record.origin, desk.now_s) is not None
        assert desk.takes(record.handed(record.grow(entries))) is not None
    watch = FleetWatch(store, time.time)
    while watch.step():
        pass
    yield store
    store.close()


async def _measured(figures: Figures, name: str, store: CentreStore, pages: int) -> None:
    now_s = time.time()
    centre = Centre(CENTRE, store, store, lambda: now_s)

    def fleet(at_s: float) -> FleetNow:
        return FleetNow(table_rows(store, int(at_s)), kept_findings(store))

    site = CentrePages(
        PageSources(
            key=CENTRE,
            store=store,
            fleet=fleet,
            readers=lambda: READERS,
            counts=centre.counts,
            bundles=centre.bundles,
            clock=lambda: now_s,
        )
    )
    headers = {"authorization": f"Bearer {TOKEN}", "accept-encoding": "gzip"}

    async def get_ms(path: str) -> tuple[float, int]:
        began = time.perf_counter()
        got = await site.answer(PageRequest(method="GET", path=path, headers=headers))
        assert got.status == 200, got.body
        return (time.perf_counter() - began) * 1e3, len(got.body)

    lag = asyncio.create_task(_longest_wait_ms())
    fresh, busy, again, sizes = [], [], [], []
    for _ in range(pages):
        now_s += 60
        began_s = time.process_time()
        took_ms, size = await get_ms("/")
        busy.append((time.process_time() - began_s) * 1e3)
        fresh.append(took_ms)
        sizes.append(size)
        again.append((await get_ms("/"))[0])
    rest = {path: (await get_ms(path))[0] for path in ("/status.json", "/metrics")}
    record = store.records()[TABLES // 2]
    rest["/table/..."] = (await get_ms(f"/table/{hashed(record.origin)}"))[0]
    lag.cancel()
    waited_ms = (await asyncio.gather(lag, return_exceptions=True))[0]
    figures.most(f"{name}: the page of {TABLES} tables, median of {pages}", statistics.median(fresh), LIMIT_MS, " ms")
    figures.note(
        f"{name}: {statistics.median(busy):.0f} ms of that on the processor, the longest {max(fresh):.0f} ms, again "
        f"within seconds {statistics.median(again):.2f} ms, {statistics.median(sizes) / 1_000:.0f} kB sent"
    )
    figures.note(f"{name}: " + ", ".join(f"{path} {took_ms:.0f} ms" for path, took_ms in rest.items()))
    figures.note(f"{name}: the event loop was late by at most {waited_ms} ms meanwhile")


async def _longest_wait_ms() -> float:
    """Return, when this is cancelled, by how much a wait of a millisecond was ever late."""
    longest = 0.0
    try:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - began - 0.001)
    except asyncio.CancelledError:
        return round(longest * 1e3, 1)
