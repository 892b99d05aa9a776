"""A centre in a folder with its store and its ASGI program, and the log of another program before it."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pi_app import journal as jn
from pi_app.centre.enrolment import code_hash
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.evidence_rows import EvidenceRows
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import Commit, StoreError
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import Checkpoint
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.merkle import consistency_proof, leaf_hash, root_of
from pi_app.journal.record.notes import SIGNS_NOTES, NoteSignature, SignedNote, VerifierKey
from pi_app.journal.record.witness_protocol import AddCheckpoint
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, STRANGER, Table, a_game, entries_of
from tests.pi_app.centre.service.asking import Replied, ask, living

R = TypeVar("R")


def table_at(path: Path, *games: str) -> Table:
    with Journal(path, MAGE_KNIGHT) as journal:
        for game in games:
            a_game(journal, game, 3)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


class WatchedStore(SqliteStore):
    """A store that says when it commits, waits before it does, or refuses."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.bundles: list[int] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.refuses = False

    def commit(self, commits: Sequence[Commit]) -> list[bool]:
        self.may_go_on.wait(20)
        if self.refuses:
            raise StoreError("The database is away.")
        self.bundles.append(len(commits))
        return super().commit(commits)

    @property
    def evidence(self) -> EvidenceRows:
        if self.refuses:
            raise StoreError("The database is away.")
        return super().evidence


@dataclass
class Hall:
    """A centre, its store, and its ASGI program."""

    store: WatchedStore
    centre: Centre
    app: CentreApp
    said: list[str] = field(default_factory=list)

    def run(self, work: Callable[[], Awaitable[R]]) -> R:
        return living(self.app, work)

    async def hands(self, handed: HandOver) -> Replied:
        return await ask(self.app, "POST", "/hand-over", [handed.written()])

    def enrols(self, *tables: Table) -> None:
        for table in tables:
            self.store.add_code(code_hash(table.origin), table.origin[-4:], "", 10_000)
            assert self.store.enrol(code_hash(table.origin), table.origin, 1) is not None


@contextlib.contextmanager
def hall_in(folder: Path, *logs: VerifierKey) -> Iterator[Hall]:
    """A centre that cosigns these logs of other programs too."""
    store, reading = WatchedStore(folder / "centre.db"), SqliteStore(folder / "centre.db")
    said: list[str] = []
    centre = Centre(CENTRE, store, reading, lambda: 1_000.0, logs, said.append)
    yield Hall(store, centre, CentreApp(centre), said)
    store.close()
    reading.close()


LOG = VerifierKey("example.com/log", SIGNS_NOTES, STRANGER.public)
LEAVES = [leaf_hash(bytes((number,))) for number in range(9)]


def wanted(old: int, size: int, leaves: Sequence[bytes] = LEAVES) -> AddCheckpoint:
    body = Checkpoint(LOG.name, size, root_of(leaves[:size])).body()
    note = SignedNote(body, (NoteSignature(LOG.name, LOG.key_id, STRANGER.sign(body.encode())),))
    return AddCheckpoint(old, tuple(consistency_proof(leaves[:size], old)) if old else (), note)


def hashed(origin: str) -> str:
    return f"/{hashlib.sha256(origin.encode()).hexdigest()}/checkpoint"
