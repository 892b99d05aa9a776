"""The rows of a centre's own log, the same in every store. A log has its origin as its name; a centre that begins
another log keeps the old one's rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

SCHEMA: Final = """
CREATE TABLE own_logs (
    log  text PRIMARY KEY,
    size bigint NOT NULL,
    note text NOT NULL
);
CREATE TABLE own_entries (
    log   text NOT NULL,
    place bigint NOT NULL,
    entry bytea NOT NULL,
    PRIMARY KEY (log, place)
);
CREATE TABLE own_hashes (
    log   text NOT NULL,
    level integer NOT NULL,
    place bigint NOT NULL,
    hash  bytea NOT NULL,
    PRIMARY KEY (log, level, place)
);
CREATE TABLE own_newest (
    log    text NOT NULL,
    origin text NOT NULL,
    place  bigint NOT NULL,
    PRIMARY KEY (log, origin)
);
CREATE TABLE own_witnesses (
    log     text NOT NULL,
    witness text NOT NULL,
    size    bigint NOT NULL,
    note    text NOT NULL,
    trouble text NOT NULL,
    PRIMARY KEY (log, witness)
);
"""
"""As PostgreSQL reads it. Places begin at 0, as in RFC 6962; level 0 has the hashes of the entries."""


class Sql(Protocol):
    """One transaction. Values stand in the statements as `?`."""

    def ask(self, words: str, values: Sequence[object] = ()) -> list[Any]:
        """Run a statement and return its rows."""

    def each(self, words: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each of these rows of values."""


@dataclass(frozen=True, slots=True)
class OwnLogWitnessed:
    """What a witness of the log has cosigned last, as a note; empty if nothing. `trouble`: a sentence, or empty."""

    size: int = 0
    note: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class KeptOwnLog:
    """A log as it is: how many entries, its newest checkpoint as a note (empty if none), and its witnesses by key."""

    size: int = 0
    note: str = ""
    witnesses: dict[str, OwnLogWitnessed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLogBatch:
    """What is appended at once. `entries`: of which record each is, and its bytes; `hashes`: level, place and hash of
    all that are new; `note`: the signed checkpoint after it."""

    before: int
    entries: Sequence[tuple[str, bytes]]
    hashes: Sequence[tuple[int, int, bytes]]
    note: str


class OwnLogRows:
    """Reads and writes logs. Each call is a transaction of its own, on disk when it returns. Raises StoreError."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Sql]]) -> None:
        self._transaction = transaction

    def state(self, log: str) -> KeptOwnLog:
        """Return a log; an empty one if it has not begun."""
        with self._transaction() as sql:
            found = sql.ask("SELECT size, note FROM own_logs WHERE log = ?", (log,))
            rows = sql.ask("SELECT witness, size, note, trouble FROM own_witnesses WHERE log = ?", (log,))
        size, note = found[0] if found else (0, "")
        return KeptOwnLog(size, note, {witness: OwnLogWitnessed(*each) for witness, *each in rows})

    def append(self, log: str, batch: OwnLogBatch) -> bool:
        """Append a batch; return whether the log still had the size that the batch was made for."""
        size = batch.before + len(batch.entries)
        newest = {origin: place for place, (origin, _) in enumerate(batch.entries, batch.before)}
        with self._transaction() as sql:
            sql.ask("INSERT INTO own_logs VALUES (?, 0, '') ON CONFLICT (log) DO NOTHING RETURNING log", (log,))
            changed = "UPDATE own_logs SET size = ?, note = ? WHERE log = ? AND size = ? RETURNING size"
            if not sql.ask(changed, (size, batch.note, log, batch.before)):
                return False
            entries = [(log, place, entry) for place, (_, entry) in enumerate(batch.entries, batch.before)]
            sql.each("INSERT INTO own_entries VALUES (?, ?, ?)", entries)
            sql.each("INSERT INTO own_hashes VALUES (?, ?, ?, ?)", [(log, *each) for each in batch.hashes])
            newer = "ON CONFLICT (log, origin) DO UPDATE SET place = excluded.place"
            rows = [(log, origin, place) for origin, place in newest.items()]
            sql.each(f"INSERT INTO own_newest VALUES (?, ?, ?) {newer}", rows)
        return True

    def hashes(self, log: str, level: int, first: int, last: int) -> list[bytes]:
        """Return the hashes of a level from one place to before another."""
        words = "SELECT hash FROM own_hashes WHERE log = ? AND level = ? AND place >= ? AND place < ? ORDER BY place"
        with self._transaction() as sql:
            return [bytes(hashed) for (hashed,) in sql.ask(words, (log, level, first, last))]

    def entries(self, log: str, first: int, last: int) -> list[bytes]:
        """Return the entries from one place to before another."""
        words = "SELECT entry FROM own_entries WHERE log = ? AND place >= ? AND place < ? ORDER BY place"
        with self._transaction() as sql:
            return [bytes(entry) for (entry,) in sql.ask(words, (log, first, last))]

    def newest(self, log: str) -> dict[str, tuple[int, bytes]]:
        """Return place and hash of the newest entry of each record, by the record's origin."""
        words = (
            "SELECT n.origin, n.place, h.hash FROM own_newest n JOIN own_hashes h "
            "ON h.log = n.log AND h.level = 0 AND h.place = n.place WHERE n.log = ?"
        )
        with self._transaction() as sql:
            return {origin: (place, bytes(hashed)) for origin, place, hashed in sql.ask(words, (log,))}

    def keep_cosigned(self, log: str, witness: str, size: int, note: str) -> None:
        """Keep what a witness has cosigned, unless it has cosigned more."""
        words = (
            "INSERT INTO own_witnesses VALUES (?, ?, ?, ?, '') ON CONFLICT (log, witness) DO UPDATE "
            "SET size = excluded.size, note = excluded.note, trouble = '' WHERE own_witnesses.size <= excluded.size "
            "RETURNING log"
        )
        with self._transaction() as sql:
            sql.ask(words, (log, witness, size, note))

    def keep_trouble(self, log: str, witness: str, trouble: str) -> None:
        """Keep what is wrong between a log and a witness, as a sentence; empty if nothing is."""
        words = (
            "INSERT INTO own_witnesses VALUES (?, ?, 0, '', ?) ON CONFLICT (log, witness) DO UPDATE "
            "SET trouble = excluded.trouble RETURNING log"
        )
        with self._transaction() as sql:
            sql.ask(words, (log, witness, trouble))
