"""The centre is killed every few seconds under load, and so is PostgreSQL: no table ever holds a cosignature over
entries that are not in the database, and every table goes on by itself.

After each kill the database is compared with all tables before any of them can hand over again: what was lost then
cannot be mended by a table that sends it once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.centre.store.cluster import MISSING, Cluster, cluster, programs
from pi_app.centre.store.store import CentreStore, StoreError
from pi_app.journal.record.sha import in_bulk
from pi_app.sender import pace
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from pi_app.workshop.bench.centre.checker import Checked, TableTruth, check
from pi_app.workshop.bench.centre.load import TUNED, Fleet, enrol, live_supplies
from tests.centre.lanes.attacks import an_original
from tests.centre.patching import patched
from tests.pages.figures import Figures
from tests.programs import CannotRun

TABLES: Final = {True: 20, False: 100}
KILLS: Final = {True: 5, False: 40}
"""Of the centre; at every third one PostgreSQL is killed too, and at every third one PostgreSQL alone."""

EVERY_S: Final = (1.0, 5.0)
PER_S: Final = 2.0
SETTLES_S: Final = 0.3
RESTARTS_S: Final = 60.0
LAST_S: Final = 90.0


@dataclass
class Seen:
    """What was seen over all kills."""

    kills: int = 0
    cluster_kills: int = 0
    rows: int = 0
    worst: list[str] = field(default_factory=list)
    bad: int = 0

    def take(self, found: Checked, when: str) -> None:
        self.rows += found.entries
        self.bad += not found.sound
        self.worst += [f"{when}: {each}" for each in found.wrong]


def run(figures: Figures, *, short: bool) -> None:
    """Kill the centre over both stores, and PostgreSQL."""
    in_bulk()
    if programs() is None:
        raise CannotRun(MISSING)
    with cluster(TUNED) as here, tempfile.TemporaryDirectory() as folder:
        seen, fleet = asyncio.run(_lane(here, Path(folder), TABLES[short], KILLS[short]))
    made = sum(each.supply.truth(None).size for each in fleet.tables)
    figures.note(f"{len(fleet.tables)} tables, {made:,} entries, {seen.rows:,} rows compared after the kills")
    figures.note(
        f"answers by status: {dict(sorted(fleet.seen.statuses.items()))}; no answer: {fleet.seen.unanswered:,}"
    )
    for line in seen.worst[:10]:
        figures.note(line)
    figures.least("kills of the centre", seen.kills, KILLS[short])
    figures.note(f"kills of PostgreSQL's first process: {seen.cluster_kills}")
    figures.most(
        "kills after which a cosignature was without its rows, or a row lost, double or different", seen.bad, 0
    )
    figures.most("cosignatures that are not the centre's", fleet.seen.bad_cosignatures, 0)


async def _lane(here: Cluster, folder: Path, tables: int, kills: int) -> tuple[Seen, Fleet]:
    draw = random.Random(f"kills {tables} {kills}")
    supplies = live_supplies(an_original(), tables, PER_S)
    process, seen = CentreProcess(folder / "centre", here.url), Seen()
    enrol(process, [each.origin for each in supplies])
    process.start()
    fleet = Fleet(process.key.verifier, process.host, process.port)
    for supply in supplies:
        fleet.add(supply)
    try:
        async with _soon_again(), _running(fleet):
            for number in range(kills):
                await asyncio.sleep(draw.uniform(*EVERY_S))
                with_cluster, alone = number % 3 == 1, number % 3 == 2
                if alone:
                    seen.cluster_kills += 1
                    await asyncio.to_thread(_kill_cluster, here)
                    await asyncio.sleep(draw.uniform(0.2, 1.0))
                seen.kills += 1
                process.kill()
                if with_cluster:
                    seen.cluster_kills += 1
                    await asyncio.to_thread(_kill_cluster, here)
                await asyncio.sleep(SETTLES_S)  # answers that were on their way have come
                seen.take(await asyncio.to_thread(_compared, process, fleet), f"after kill {number + 1}")
                await asyncio.to_thread(process.start)
            for supply in supplies:
                supply.stopped = True
            until_s = time.monotonic() + LAST_S
            while time.monotonic() < until_s and not fleet.is_done():
                await asyncio.sleep(0.2)
    finally:
        process.stop()
    fleet.check_cosignatures()
    seen.take(_compared(process, fleet, whole=True), "at the end")
    return seen, fleet


def _compared(process: CentreProcess, fleet: Fleet, *, whole: bool = False) -> Checked:
    truths: Mapping[str, TableTruth] = fleet.truths()
    store = _opened(process)
    try:
        return check(store, truths, fleet.centre, whole=whole)
    finally:
        store.close()


def _opened(process: CentreProcess) -> CentreStore:
    until_s = time.monotonic() + RESTARTS_S
    while True:
        try:
            return process.opened()
        except StoreError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.2)


def _kill_cluster(here: Cluster) -> None:
    """Kill PostgreSQL's first process as a power cut would, wait until its others are gone, and start it again."""
    pid = int((here.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split("\n")[0])
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    os.kill(pid, signal.SIGKILL)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    until_s = time.monotonic() + RESTARTS_S
    while any(Path(f"/proc/{each}").exists() for each in (pid, *children)) and time.monotonic() < until_s:
        time.sleep(0.02)
    here.start()


@contextlib.asynccontextmanager
async def _running(fleet: Fleet) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(each.run()) for each in fleet.tables]
    try:
        yield
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def _soon_again() -> AsyncIterator[None]:
    """Let tables try again within seconds, as they did not in a shop, so that each life of the centre has its load."""
    with patched(pace, "FIRST_LONGEST_S", 0.5), patched(pace, "LONGEST_S", 2.0):
        yield
