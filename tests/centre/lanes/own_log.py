"""The centre's own log, read and cosigned by programs that others wrote: aics-witness, and aics-tlog as a monitor."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn

from pi_app.centre.own_log.background import OwnLogThread
from pi_app.centre.own_log.entries import OwnLogKey
from pi_app.centre.own_log.own_log import BATCH_S, LogWitness, OwnLog
from pi_app.centre.own_log.tree import tree_root
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import VerifierKey
from pi_app.sender.client import HttpClient
from tests.centre.lanes.foreign import environment, foreign_witness
from tests.pages.figures import Figures
from tests.pi_app.centre.records import CENTRE, Desk, Table

KEY: Final = OwnLogKey.of("centre.example/log", CENTRE)
BATCHES: Final = (1, 200, 55, 1, 60, 300)
"""Entries of each batch: up to the edge of a tile, over it, and past the second one."""

MONITOR: Final = """
import json, sys, urllib.request
from aics_tlog import *
asked = json.loads(sys.stdin.read())
note = parse_note(urllib.request.urlopen(asked["url"] + "checkpoint").read())
seen = verify_checkpoint(note, parse_vkey(asked["key"]), [parse_vkey(asked["witness"])], 1)
size, root = asked["size"], bytes.fromhex(asked["root"])
reader = HttpTileReader(asked["url"])
entries = [read_entry(reader, place, size) for place in range(size)]
proofs = [inclusion_proof_from_tiles(reader, place, size) for place in (0, 255, 256, size - 1)]
print(json.dumps({
    "signed": bool(seen),
    "root": tree_root_from_tiles(reader, size).hex(),
    "audited": audit_tiles(reader, size, root).size,
    "included": [
        verify_leaf_inclusion(entries[place], place, size, proof, root)
        for place, proof in zip((0, 255, 256, size - 1), proofs)
    ],
    "consistent": all(
        verify_consistency(old, size, tree_root_from_tiles(reader, old, size), root,
                           consistency_proof_from_tiles(reader, old, size))
        for old in (1, 200, 256, 257, size - 1)
    ),
}))
"""


@dataclass
class LoggedStore:
    """A store with as many tables as a batch has entries, whose records grow by checkpoints alone."""

    store: SqliteStore
    tables: list[Table]

    def grow(self, count: int) -> None:
        """Have so many tables of one entry each hand over."""
        for _ in range(count):
            number = len(self.tables)
            table = Table(device_key(number.to_bytes(32, "big")), [(None, None, number.to_bytes(32, "big"))])
            self.store.add_code(b"code", f"Table {number}", "", 10_000)
            self.store.enrol(b"code", table.origin, 1)
            Desk(self.store).takes(table.hands(1, 1))
            self.tables.append(table)


def run(figures: Figures, *, short: bool) -> None:
    """Raises CannotRun where the foreign programs cannot be had."""
    python = environment()
    with tempfile.TemporaryDirectory() as inside, foreign_witness(python, Path(inside), KEY.verifier) as (url, key):
        _grows(figures, Path(inside), url, key, python)


def _grows(figures: Figures, folder: Path, url: str, key: VerifierKey, python: Path) -> None:
    path = folder / "centre.db"
    with contextlib.closing(SqliteStore(path)) as store:
        log = OwnLog(KEY, CENTRE, store, store, [LogWitness(key, HttpClient(url))])
        logged, now_s, cosigned = LoggedStore(store, []), 0.0, []
        for number, count in enumerate(BATCHES):
            logged.grow(count)
            if number == len(BATCHES) - 1:
                shutil.copy(path, folder / "backup.db")
                shutil.copy(f"{path}-wal", folder / "backup.db-wal")
            for _ in range(3):
                now_s += log.step(now_s)
            now_s += BATCH_S
            cosigned.append(log.state().witnesses[key.text()].size)
        sizes = [sum(BATCHES[: number + 1]) for number in range(len(BATCHES))]
        figures.holds(f"their witness cosigns our own log at sizes {sizes}", is_so=cosigned == sizes)
        figures.holds("nothing is wrong", is_so=log.troubles() == [])
        found = _monitored(log, key, python)
        figures.holds("their monitor reads checkpoint, tiles and entries, and proves them", is_so=found == {
            "signed": True, "root": found["root"], "audited": sizes[-1], "included": [True] * 4, "consistent": True,
        })  # fmt: skip
    with contextlib.closing(SqliteStore(folder / "backup.db")) as store:
        log = OwnLog(KEY, CENTRE, store, store, [LogWitness(key, HttpClient(url))])
        LoggedStore(store, logged.tables).grow(1)
        for _ in range(5):
            log.step(now_s)
            now_s += BATCH_S
        (said,) = log.troubles()
        figures.note(said)
        kept = f"{key.name} has cosigned {sizes[-1]} entries"
        figures.holds("restored from a backup: nothing is appended, and it is said", is_so=(
            log.state().size == sizes[-2] and said.startswith(kept)
        ))  # fmt: skip


def _monitored(log: OwnLog, key: VerifierKey, python: Path) -> dict[str, object]:
    state = log.state()
    with _served(log) as url:
        asked = {
            "url": url, "key": KEY.verifier.text(), "witness": key.text(), "size": state.size,
            "root": tree_root(log.hashes, state.size).hex(),
        }  # fmt: skip
        done = subprocess.run(
            [str(python), "-c", MONITOR], input=json.dumps(asked), capture_output=True, text=True, check=True
        )
    found: dict[str, object] = json.loads(done.stdout)
    assert found["root"] == asked["root"]
    return found


@contextlib.contextmanager
def _served(log: OwnLog) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as inside, contextlib.closing(SqliteStore(Path(inside) / "none.db")) as store:
        app = CentreApp(Centre(CENTRE, store, store, lambda: 1_000.0), own_log=OwnLogThread(log))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
        listener = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/log/"
        finally:
            server.should_exit = True
            thread.join()
            listener.close()
