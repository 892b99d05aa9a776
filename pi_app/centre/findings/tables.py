"""One row for each table, in words: what an auditor reads first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.heads import read_head

SILENT_S: Final = 660
"""A table that is on is heard every five minutes, whether it plays or not. One that missed two of these is silent."""

BEHIND: Final = 50
"""Fewer entries than this wait at a table that plays: they come with its next hand-over."""

DAY_S: Final = 86_400

MOST_KNOWN: Final = 20_000

RowLevel = Literal["well", "look", "stop"]
"""Nothing to do; look at it when you can; stop, and look before this table plays on."""

_LEVELS: Final[tuple[RowLevel, ...]] = ("well", "look", "stop")


@dataclass(frozen=True, slots=True)
class RowWord:
    """A phrase about a table, and how much it matters."""

    text: str
    level: RowLevel = "well"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table. `words`: phrases such as "plays" and "its clock is not set", the most important first; `level`: that of
    the worst of them; `size`: the entries of its newest record here; `heard_s`: POSIX seconds, 0 if never."""

    name: str
    shop: str
    origin: str
    words: tuple[str, ...]
    level: RowLevel
    size: int
    heard_s: int


def table_rows(store: CentreStore, now_s: int) -> list[TableRow]:
    """Return a row for each table, in the order of their enrolment. A table that began another record has one row, for
    its newest record. Raises StoreError."""
    against, found = store.contradicted(), chains(store.records())
    twice = cloned(found)
    return [_row(chain, against, twice, now_s) for chain in found]


def cloned(found: Iterable[Sequence[KeptRecord]]) -> frozenset[str]:
    """Return the origins that continue the same older record as another one: one of the two is on a copy."""
    after: dict[str, set[str]] = {}
    for chain in found:
        for newer, older in pairwise(chain):
            after.setdefault(older.origin, set()).add(newer.origin)
    return frozenset(origin for both in after.values() if len(both) > 1 for origin in both)


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


def _row(chain: Sequence[KeptRecord], against: Mapping[str, int], twice: Collection[str], now_s: int) -> TableRow:
    newest = chain[0]
    words = sorted(_words(chain, against, twice, now_s), key=lambda each: -_LEVELS.index(each.level))
    return TableRow(
        name=newest.name,
        shop=newest.shop,
        origin=newest.origin,
        words=tuple(each.text for each in words),
        level=words[0].level,
        size=newest.known.size,
        heard_s=newest.heard_s,
    )


def _words(
    chain: Sequence[KeptRecord], against: Mapping[str, int], twice: Collection[str], now_s: int
) -> Iterator[RowWord]:
    newest = chain[0]
    for each in chain:
        if each.origin in against:
            yield RowWord(f"forked: its record has two histories, seen {when(against[each.origin], now_s)}", "stop")
        if each.origin in twice:
            yield RowWord("cloned: another table continues the same older record", "stop")
    if newest.revoked:
        yield RowWord("revoked: nothing more is taken from it", "look")
    else:
        yield _heard(newest, now_s)
    if newest.behind >= BEHIND:
        yield RowWord(f"behind by {newest.behind:,} entries", "look" if is_silent(newest, now_s) else "well")


def _heard(record: KeptRecord, now_s: int) -> RowWord:
    if not record.heard_s:
        return RowWord("enrolled, and not heard yet", "look")
    if is_silent(record, now_s):
        return RowWord(f"silent since {when(record.heard_s, now_s)}", "look")
    return RowWord("plays" if plays(record) else "idle")


def is_silent(record: KeptRecord, now_s: int) -> bool:
    """Return whether a table was not heard for so long that it is off, or has lost its network."""
    return now_s - record.heard_s > SILENT_S


def plays(record: KeptRecord) -> bool:
    """Return whether the last entry of a record is of a game that has no end yet."""
    return any(game.last == record.known.size for game in record.known.games.values())


def when(time_s: int, now_s: int) -> str:
    """Write a POSIX time: the hour alone if that is clear."""
    at = datetime.fromtimestamp(time_s, UTC)
    recent = 0 <= now_s - time_s < DAY_S
    return f"{at:%H:%M} UTC" if recent else f"{at:%Y-%m-%d %H:%M} UTC"


@lru_cache(maxsize=MOST_KNOWN)
def _older(follows: str) -> str | None:
    """Return the origin of the record that a head is of. Its signature was checked when it came, and costs 0.1 ms."""
    return origin_of(read_head(follows).device) if follows else None
