"""The centre is restored from last night's backup: tables send again what it lacks, nothing is lost, and no alarm is
raised. PostgreSQL with pg_dump and pg_restore, SQLite with its own backup, both while the centre runs."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.centre.store.cluster import Cluster, cluster, programs
from pi_app.sender.client import HttpClient
from pi_app.sender.sender import HEARTBEAT_S, RecordSender
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from pi_app.workshop.bench.centre.checker import check
from pi_app.workshop.bench.centre.load import enrol
from tests.centre.real_table import RealTable, hands_over
from tests.pages.figures import Figures

TABLES: Final = {True: 4, False: 25}
GAMES: Final = {True: 12, False: 60}
"""That are played before the backup, and as many after it."""

Undo = Callable[[], None]


@dataclass
class Shop:
    """Tables and their centre. Every table's sender goes on where it was."""

    centre: CentreProcess
    tables: list[RealTable]
    senders: list[RecordSender]

    def play(self, games: int) -> None:
        for table in self.tables:
            table.play(games)

    def hand_over(self) -> set[str | None]:
        """Hand everything over; return what troubled."""
        return {step.trouble for sender in self.senders for step in hands_over(sender)}

    def new_senders(self) -> None:
        """As after a restart of the tables."""
        key = self.centre.key.verifier
        self.senders = [each.sender(HttpClient(self.centre.settings.url), key) for each in self.tables]


def run(figures: Figures, *, short: bool) -> None:
    """Restore both stores. PostgreSQL is left out where it is not installed, and that is said."""
    for name in ("SQLite", "PostgreSQL"):
        if name == "PostgreSQL" and programs() is None:
            figures.note("PostgreSQL is not installed here: only SQLite was restored")
            continue
        with tempfile.TemporaryDirectory() as inside, contextlib.ExitStack() as closing:
            folder = Path(inside)
            here = closing.enter_context(cluster({})) if name == "PostgreSQL" else None
            centre = CentreProcess(folder / "centre", "centre.db" if here is None else here.url)
            closing.callback(centre.stop)
            tables = [RealTable(folder / f"table{number}", number) for number in range(TABLES[short])]
            _lane(figures, name, Shop(centre, tables, []), here, GAMES[short])


def _lane(figures: Figures, name: str, shop: Shop, here: Cluster | None, games: int) -> None:
    centre = shop.centre
    enrol(centre, [each.origin for each in shop.tables])
    centre.start()
    shop.new_senders()
    shop.play(games)
    trouble = shop.hand_over()
    undo = _backup(centre, here)
    shop.play(games)
    trouble |= shop.hand_over()
    before = {each.origin: each.truth(centre.key.verifier) for each in shop.tables}
    centre.stop()
    undo()
    with contextlib.closing(centre.opened()) as store:
        lacking = check(store, before, centre.key.verifier)
    centre.start()
    for number, table in enumerate(shop.tables):
        if number % 2:
            table.play(1)  # half of them play on before they hear of it
    if len(shop.tables) > 2:
        shop.senders[2:] = [
            each.sender(HttpClient(centre.settings.url), centre.key.verifier) for each in shop.tables[2:]
        ]  # and some were switched off and on
    for sender in shop.senders:
        sender.now_s = _later  # five minutes have passed: the table shows that it is there
    trouble |= shop.hand_over()
    with contextlib.closing(centre.opened()) as store:
        truths = {each.origin: each.truth(centre.key.verifier) for each in shop.tables}
        after = check(store, truths, centre.key.verifier, whole=True)
        alarms = len(store.evidence.all())
    for line in after.wrong[:5]:
        figures.note(line)
    figures.least(f"{name}: entries that the backup lacks", lacking.lost, 1)
    figures.holds(f"{name}: after the hand-overs nothing is lost, double or different", is_so=after.sound)
    figures.most(f"{name}: false alarms", alarms, 0)
    figures.holds(f"{name}: no table was refused", is_so=trouble <= {None})
    figures.note(f"{name}: {len(shop.tables)} tables, {after.entries:,} entries")


def _later() -> float:
    return time.monotonic() + HEARTBEAT_S


def _backup(centre: CentreProcess, here: Cluster | None) -> Undo:
    """Back the store up while the centre runs; return what puts it back."""
    if here is None:
        live, kept = centre.settings.beside(centre.settings.store), centre.folder / "backup.db"
        with contextlib.closing(sqlite3.connect(live)) as source, contextlib.closing(sqlite3.connect(kept)) as target:
            source.backup(target)

        def put_back() -> None:
            for end in ("-wal", "-shm"):
                live.with_name(live.name + end).unlink(missing_ok=True)
            live.write_bytes(kept.read_bytes())

        return put_back
    dump = centre.folder / "backup.dump"
    tool = [str(here.programs / "pg_dump"), "-Fc", "-d", here.conninfo, "-f", str(dump)]
    subprocess.run(tool, check=True)

    def restore() -> None:
        words = ["--clean", "--if-exists", "--single-transaction", "-d", here.conninfo, str(dump)]
        subprocess.run([str(here.programs / "pg_restore"), *words], check=True)

    return restore
