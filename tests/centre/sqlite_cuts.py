"""Power cuts of a centre over SQLite: every write and sync is recorded, and a cut may leave any part of what was not
synced. Whatever it leaves, no table has a cosignature over entries that are not in the file.
"""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pi_app.centre.service.centre import code_hash
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import ForkEvidence, StoreError
from pi_app.journal.record.notes import read_note
from pi_app.workshop.bench.centre.checker import TableTruth, check
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, numbered_key
from tests.centre.lanes.attacks import an_original
from tests.crash.disk import Image, Kept, Op, Seen
from tests.crash.points import Lane
from tests.crash.recorder import recording
from tests.crash.runs import folder_with
from tests.pi_app.centre.records import CENTRE, Desk

STORE: Final = "centre.db"
TABLES: Final = 4
MOST: Final = 400
"""Entries of a table that are ever handed over."""

EVIDENCE: Final = "evidence"


@functools.cache
def _record(number: int) -> tuple[CopiedRecord, bytes]:
    record = CopiedRecord(numbered_key(number, 5), an_original())
    record.grow(MOST)
    return record, bytes(record.leaves)


def life(image: Image, number: int, draw: random.Random) -> tuple[Image, Sequence[Op]]:
    """Some hand-overs, a few of them in one transaction; what lay there before, and what was done."""
    with folder_with(image) as folder:
        with recording(folder) as recorder, contextlib.closing(SqliteStore(folder / STORE)) as store:
            for table in range(TABLES):
                _enrol(store, _record(table)[0].origin, recorder.ops)
            for _ in range(draw.randint(3, 12)):
                _hand_over(store, draw, recorder.ops)
                if draw.random() < 0.2:
                    found = ForkEvidence(origin="x", at_s=1, why="w", address="", body=draw.randbytes(50))
                    store.keep_evidence(found)
                    recorder.ops.append(Kept(EVIDENCE, found.body.hex(), is_sure=True))
        return recorder.began, recorder.ops


def _enrol(store: SqliteStore, origin: str, ops: list[Op]) -> None:
    if store.record(origin) is None:
        store.add_code(code_hash(origin), "Table", "", 1 << 40)
        store.enrol(code_hash(origin), origin, 1)
        ops.append(Kept(origin, "", is_sure=True))


def _hand_over(store: SqliteStore, draw: random.Random, ops: list[Op]) -> None:
    """Decide hand-overs of several tables, commit them together, and note what the tables are answered."""
    desk, decided = Desk(store, now_s=1_000), []
    for table in draw.sample(range(TABLES), draw.randint(1, TABLES)):
        whole, _ = _record(table)
        first = desk.record(whole.origin).known.size + 1
        grown = CopiedRecord(whole.key, an_original())
        entries = grown.grow(min(MOST, first - 1 + draw.randint(1, 20)))[first - 1 :]
        decided.append((grown.handed(entries), desk.decides(grown.handed(entries))))
    commits = [found.commit for _, found in decided if found.commit is not None]
    assert store.commit(commits) == [True] * len(commits)
    for handed, found in decided:
        if found.commit is not None and found.cosignature:
            ops.append(Kept(handed.origin, found.commit.cosigned, is_sure=True))


def faults(folder: Path, seen: Sequence[Seen], draw: random.Random) -> Iterable[str]:
    """Open what a cut left, and compare it with what the tables were answered."""
    kept = [each for each in seen if isinstance(each, Kept)]
    told = {each.what: each.value for each in kept if each.what != EVIDENCE}
    if not told:
        return
    try:
        with contextlib.closing(SqliteStore(folder / STORE)) as store:
            yield from _compared(store, told)
            there = {each.body.hex() for each in store.evidence()}
            if any(each.value not in there for each in kept if each.what == EVIDENCE):
                yield "evidence is lost"
            yield from _goes_on(store, draw)
    except StoreError as error:
        yield str(error)


def _compared(store: SqliteStore, told: dict[str, str]) -> Iterator[str]:
    """Compare the rows with the tables. Records that are enrolled although that was not told yet are compared too."""
    leaves = {_record(table)[0].origin: _record(table)[1] for table in range(TABLES)}
    notes = {each.origin: "" for each in store.records()} | told
    truths = {o: TableTruth(leaves[o], read_note(note.encode()) if note else None) for o, note in notes.items()}
    yield from check(store, truths, CENTRE.verifier).wrong


def _goes_on(store: SqliteStore, draw: random.Random) -> Iterator[str]:
    """The next hand-over is taken as if nothing had happened."""
    ops: list[Op] = []
    records = store.records()
    if len(records) == TABLES and all(each.known.size < MOST - TABLES for each in records):
        _hand_over(store, draw, ops)
        if not ops:
            yield "the next hand-over was not cosigned"


SQLITE: Final = Lane(life, faults, thinned=True)
