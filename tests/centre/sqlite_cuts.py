"""Power cuts of a centre over SQLite: every write and sync is recorded, and a cut may leave any part of what was not
synced. Whatever it leaves, no table has a cosignature over entries that are not in the file.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.store.store import StoreError
from tests.centre.cut_tables import TABLES, compared, enrol, goes_on, hand_over
from tests.crash.disk import Image, Kept, Op, Seen
from tests.crash.points import Lane
from tests.crash.recorder import recording
from tests.crash.runs import folder_with

STORE: Final = "centre.db"
EVIDENCE: Final = "evidence"


def life(image: Image, number: int, draw: random.Random) -> tuple[Image, Sequence[Op]]:
    """Some hand-overs, a few of them in one transaction; what lay there before, and what was done."""
    with folder_with(image) as folder:
        with recording(folder) as recorder, contextlib.closing(SqliteStore(folder / STORE)) as store:
            for table in range(TABLES):
                if origin := enrol(store, table):
                    recorder.ops.append(Kept(origin, "", is_sure=True))
            for _ in range(draw.randint(3, 12)):
                answered = hand_over(store, draw)
                recorder.ops += [Kept(origin, note, is_sure=True) for origin, note in answered]
                if draw.random() < 0.2:
                    found = ForkEvidence(
                        origin=draw.randbytes(9).hex(), at_s=1, why="w", address="", body=draw.randbytes(50)
                    )
                    store.evidence.keep(found, b"short")
                    recorder.ops.append(Kept(EVIDENCE, found.body.hex(), is_sure=True))
        return recorder.began, recorder.ops


def faults(folder: Path, seen: Sequence[Seen], draw: random.Random) -> Iterable[str]:
    """Open what a cut left, and compare it with what the tables were answered."""
    kept = [each for each in seen if isinstance(each, Kept)]
    told = {each.what: each.value for each in kept if each.what != EVIDENCE}
    if not told:
        return
    try:
        with contextlib.closing(SqliteStore(folder / STORE)) as store:
            yield from compared(store, told)
            there = {each.body.hex() for each in store.evidence.all()}
            if any(each.value not in there for each in kept if each.what == EVIDENCE):
                yield "evidence is lost"
            if not goes_on(store, draw):
                yield "the next hand-over was not cosigned"
    except StoreError as error:
        yield str(error)


SQLITE: Final = Lane(life, faults, thinned=True)
