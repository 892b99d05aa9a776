"""What contradicts the records here, the same in every store: a few contradictions whole, some short, then a number.

Whoever has the key of one enrolled table can sign contradictions without end, each of some megabytes. The first ones
prove everything that there is to prove, so no table gets more room than its budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from pi_app.centre.store.own_log_rows import Sql

SCHEMA: Final = """
CREATE TABLE evidence (
    origin     text NOT NULL,
    place      bigint NOT NULL,
    at_s       bigint NOT NULL,
    why        text NOT NULL,
    address    text NOT NULL,
    ours       text NOT NULL,
    sent_bytes bigint NOT NULL,
    body       bytea NOT NULL,
    PRIMARY KEY (origin, place)
);
CREATE TABLE contradictions (
    origin   text PRIMARY KEY,
    count    bigint NOT NULL,
    newest_s bigint NOT NULL
);
"""
"""As PostgreSQL reads it. A piece's place is the number of the contradiction, from 1."""

MOST_WHOLE: Final = 2
"""Requests of one table that are kept as they came."""

MOST_PIECES: Final = 50
"""Pieces of evidence against one table; what comes after them is counted."""

BUDGET_BYTES: Final = 10 * 2**20
"""The bodies and checkpoints of all evidence against one table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkEvidence:
    """What a record's own key has signed, and what contradicts the entries here. `why`: a sentence; `address`: where it
    came from; `ours`: the checkpoint that was cosigned here then, as a note, empty if none was; `body`: the request as
    it came, of `sent_bytes`, or what proves most of it: its checkpoint and the entry that differs."""

    origin: str
    at_s: int
    why: str
    address: str
    body: bytes
    ours: str = ""
    sent_bytes: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the body is the request as it came."""
        return len(self.body) >= self.sent_bytes


class HowKept(Enum):
    """What became of a contradiction."""

    KNOWN = "it is kept already"
    KEPT = "it is kept"
    COUNTED = "it is only counted"


@dataclass(frozen=True, slots=True)
class Contradictions:
    """How many contradictions came against an origin, and when the newest did, POSIX seconds."""

    count: int
    newest_s: int


class EvidenceRows:
    """Reads and writes evidence. Each call is a transaction of its own, on disk when it returns. Raises StoreError."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Sql]]) -> None:
        self._transaction = transaction

    def keep(self, sent: ForkEvidence, short: bytes) -> HowKept:
        """Keep a contradiction: the request as it came, or the bytes in `short`, or its number alone. The same request
        of one origin is one contradiction."""
        counts = (
            "INSERT INTO contradictions VALUES (?, 1, ?) ON CONFLICT (origin) DO UPDATE "
            "SET count = contradictions.count + 1, newest_s = excluded.newest_s RETURNING count"
        )
        same = "SELECT 1 FROM evidence WHERE origin = ? AND (body = ? OR body = ?)"
        here = "SELECT count(*), coalesce(sum(length(body) + length(ours)), 0) FROM evidence WHERE origin = ?"
        with self._transaction() as sql:
            if sql.ask(same, (sent.origin, sent.body, short)):
                return HowKept.KNOWN
            ((place,),) = sql.ask(counts, (sent.origin, sent.at_s))
            ((pieces, used),) = sql.ask(here, (sent.origin,))
            body = _what_fits(sent, short, pieces, BUDGET_BYTES - int(used) - len(sent.ours))
            if body is None:
                return HowKept.COUNTED
            row = (sent.origin, place, sent.at_s, sent.why, sent.address, sent.ours, len(sent.body), body)
            sql.each("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row])
        return HowKept.KEPT

    def all(self) -> list[ForkEvidence]:
        """Return all pieces, those of one origin together, the oldest first."""
        with self._transaction() as sql:
            return [_piece(row) for row in sql.ask(f"{_PIECES} ORDER BY origin, place")]

    def newest(self, origin: str, most: int) -> list[ForkEvidence]:
        """Return the newest pieces against one origin, the newest first, at most so many."""
        words = f"{_PIECES} WHERE origin = ? ORDER BY place DESC LIMIT ?"
        with self._transaction() as sql:
            return [_piece(row) for row in sql.ask(words, (origin, most))]

    def counts(self) -> dict[str, Contradictions]:
        """Return how much came against each origin, without the evidence itself."""
        with self._transaction() as sql:
            rows = sql.ask("SELECT origin, count, newest_s FROM contradictions")
        return {origin: Contradictions(count, newest_s) for origin, count, newest_s in rows}


def _what_fits(sent: ForkEvidence, short: bytes, pieces: int, room: int) -> bytes | None:
    if pieces < MOST_WHOLE and len(sent.body) <= room:
        return sent.body
    return short if pieces < MOST_PIECES and len(short) <= room else None


_PIECES: Final = "SELECT origin, at_s, why, address, ours, sent_bytes, body FROM evidence"


def _piece(row: Sequence[Any]) -> ForkEvidence:
    origin, at_s, why, address, ours, sent_bytes, body = row
    return ForkEvidence(
        origin=origin, at_s=at_s, why=why, address=address, ours=ours, sent_bytes=sent_bytes, body=bytes(body)
    )
