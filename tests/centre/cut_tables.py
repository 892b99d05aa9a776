"""Tables that hand over to a centre whose power is cut, the same ones over every store and in every process."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from pi_app.centre.enrolment import code_hash
from pi_app.centre.store.store import CentreStore
from pi_app.centre.taking.decision import HandoverRefusedError
from pi_app.journal.record import entry as rec
from pi_app.journal.record.notes import read_note
from pi_app.workshop.bench.centre.checker import TableTruth, check
from pi_app.workshop.bench.centre.copied_record import CopiedRecord, Original, numbered_key
from tests.centre.lanes.attacks import an_original
from tests.pi_app.centre.records import CENTRE, Desk

TABLES: Final = 4
MOST: Final = 400
"""Entries of a table that are ever handed over."""


@functools.cache
def _record(number: int) -> tuple[CopiedRecord, bytes]:
    record = CopiedRecord(numbered_key(number, 5), _played())
    record.grow(MOST)
    return record, bytes(record.leaves)


def _played() -> Original:
    return _kept[0] if _kept else an_original()


_kept: list[Original] = []


def write_played(path: Path) -> None:
    """Write the games that all tables have, for another process."""
    path.write_bytes(msgspec.msgpack.encode([(rec.public_bytes(part), sealed) for part, sealed in _played()]))


def read_played(path: Path) -> None:
    """Let the tables of this process have the games in a file."""
    entries = msgspec.msgpack.decode(path.read_bytes(), type=list[tuple[bytes, bytes]])
    _kept[:] = [[(rec.read_public(public), sealed) for public, sealed in entries]]


def enrol(store: CentreStore, table: int) -> str:
    """Enrol a table; return its origin, or nothing if it is enrolled already."""
    origin = _record(table)[0].origin
    if store.record(origin) is not None:
        return ""
    store.add_code(code_hash(origin), "Table", "", 1 << 40)
    assert store.enrol(code_hash(origin), origin, 1) is not None
    return origin


def hand_over(store: CentreStore, draw: random.Random) -> list[tuple[str, str]]:
    """Decide hand-overs of several tables, commit them together; return what each table is answered: its origin, and
    the cosigned note."""
    desk, decided = Desk(store, now_s=1_000), []
    for table in draw.sample(range(TABLES), draw.randint(1, TABLES)):
        whole, _ = _record(table)
        first = desk.record(whole.origin).known.size + 1
        grown = CopiedRecord(whole.key, _played())
        entries = grown.grow(min(MOST, first - 1 + draw.randint(1, 20)))[first - 1 :]
        decided.append((grown.handed(entries), desk.decides(grown.handed(entries))))
    commits = [found.commit for _, found in decided if found.commit is not None]
    assert store.commit(commits) == [True] * len(commits)
    return [
        (handed.origin, found.commit.cosigned)
        for handed, found in decided
        if found.commit is not None and found.cosignature
    ]


def compared(store: CentreStore, told: Mapping[str, str]) -> Iterator[str]:
    """Compare the rows with what the tables were answered: a note for each origin, or nothing if it was only enrolled.
    Records that are enrolled although that was not told yet are compared too."""
    leaves = {_record(table)[0].origin: _record(table)[1] for table in range(TABLES)}
    notes = {each.origin: "" for each in store.records()} | dict(told)
    truths = {o: TableTruth(leaves[o], read_note(note.encode()) if note else None) for o, note in notes.items()}
    yield from check(store, truths, CENTRE.verifier).wrong


def goes_on(store: CentreStore, draw: random.Random) -> bool:
    """Whether the next hand-over is taken as if nothing had happened."""
    records = store.records()
    if len(records) < TABLES or any(each.known.size >= MOST - TABLES for each in records):
        return True
    try:
        return bool(hand_over(store, draw))
    except HandoverRefusedError:
        return False
