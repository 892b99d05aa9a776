"""Which records are of one table, and whether it plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pi_app.centre.store.store import KeptRecord
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.heads import read_head

SILENT_S: Final = 660
"""A table that is on is seen every five minutes, whether it plays or not. One that missed two of these is silent."""

MOST_KNOWN: Final = 20_000


def chains(records: Iterable[KeptRecord]) -> list[tuple[KeptRecord, ...]]:
    """Return the records of each table, the newest first: a record that continues another is of the same table."""
    every = {each.origin: each for each in records}
    older = {origin: _older(each.known.follows) for origin, each in every.items()}
    continued = set(older.values())
    found = []
    for at in [origin for origin in every if origin not in continued]:
        chain = [every[at]]
        while (before := older[chain[-1].origin]) is not None and before in every and len(chain) < len(every):
            chain.append(every[before])
        found.append(tuple(chain))
    return found


def cloned(found: Iterable[Sequence[KeptRecord]]) -> frozenset[str]:
    """Return the origins that continue the same older record as another one: one of the two is on a copy."""
    after: dict[str, set[str]] = {}
    for chain in found:
        for newer, older in pairwise(chain):
            after.setdefault(older.origin, set()).add(newer.origin)
    return frozenset(origin for both in after.values() if len(both) > 1 for origin in both)


def is_silent(record: KeptRecord, now_s: int) -> bool:
    """Return whether a table was not seen for so long that it is off, or has lost its network."""
    return now_s - record.seen_s > SILENT_S


def plays(record: KeptRecord) -> bool:
    """Return whether the last entry of a record is of a game that has no end yet."""
    return any(game.last == record.known.size for game in record.known.games.values())


@lru_cache(maxsize=MOST_KNOWN)
def _older(follows: str) -> str | None:
    """Return the origin of the record that a head is of. Its signature was checked when it came, and costs 0.1 ms."""
    return origin_of(read_head(follows).device) if follows else None
