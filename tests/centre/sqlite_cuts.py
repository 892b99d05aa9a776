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

from pi_app.centre.bench.checker import TableTruth, check
from pi_app.centre.bench.copied_record import CopiedRecord, numbered_key
from pi_app.centre.service.centre import code_hash
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import ForkEvidence
from pi_app.journal.record.notes import read_note
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
    told = {each.what: each.value for each in seen if isinstance(each, Kept) and each.what != EVIDENCE}
    if not told:
        return
    with contextlib.closing(SqliteStore(folder / STORE)) as store:
        truths = {_record(table)[0].origin: TableTruth(_record(table)[1], None) for table in range(TABLES)}
        for origin, note in told.items():
            cosigned = read_note(note.encode()) if note else None
            truths[origin] = TableTruth(truths[origin].leaves, cosigned)
        found = check(store, {origin: truths[origin] for origin in told} | _not_told(store, truths), CENTRE.verifier)
        yield from found.wrong
        kept = {each.body.hex() for each in store.evidence()}
        for each in seen:
            if isinstance(each, Kept) and each.what == EVIDENCE and each.value not in kept:
                yield "evidence is lost"
        yield from _goes_on(store, draw)


def _not_told(store: SqliteStore, truths: dict[str, TableTruth]) -> dict[str, TableTruth]:
    """Records that are enrolled although nobody was answered so yet."""
    return {each.origin: truths[each.origin] for each in store.records()}


def _goes_on(store: SqliteStore, draw: random.Random) -> Iterator[str]:
    """The next hand-over is taken as if nothing had happened."""
    ops: list[Op] = []
    records = store.records()
    if len(records) == TABLES and all(each.known.size < MOST - TABLES for each in records):
        _hand_over(store, draw, ops)
        if not ops:
            yield "the next hand-over was not cosigned"


SQLITE: Final = Lane(life, faults, thinned=True)
