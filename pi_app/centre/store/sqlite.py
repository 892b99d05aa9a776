"""A centre's store in one file, for one club's laptop: SQLite with WAL and synchronous=FULL."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pi_app.centre.store.clock_rows import SCHEMA as CLOCK_SCHEMA
from pi_app.centre.store.clock_rows import ClockRows
from pi_app.centre.store.closing_rows import close_record
from pi_app.centre.store.evidence_rows import SCHEMA as EVIDENCE_SCHEMA
from pi_app.centre.store.evidence_rows import EvidenceRows
from pi_app.centre.store.own_log_rows import SCHEMA as OWN_LOG_SCHEMA
from pi_app.centre.store.own_log_rows import OwnLogRows, Sql
from pi_app.centre.store.store import (
    Commit,
    GameState,
    KeptFacts,
    KeptGame,
    KeptRecord,
    StoreError,
    as_read,
    as_stored,
    check_enrolled,
    packed,
    unpacked,
)
from pi_app.centre.taking.known_record import KnownRecord
from pi_app.journal.record.runs import RawRow
from pi_app.text.plain_file import check_plain
from pi_app.text.private_files import new_file

VERSION: Final = 2
APPLICATION_ID: Final = 0x54524343
"""TRCC: a centre's database, so that no other file is taken for one."""

SCHEMA: Final = """
CREATE TABLE records (
    number   INTEGER PRIMARY KEY,
    origin   TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    shop     TEXT NOT NULL,
    size     INTEGER NOT NULL DEFAULT 0,
    known    BLOB NOT NULL,
    cosigned TEXT NOT NULL DEFAULT '',
    seen_s  INTEGER NOT NULL DEFAULT 0,
    behind   INTEGER NOT NULL DEFAULT 0,
    revoked  INTEGER NOT NULL DEFAULT 0,
    closed   INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE entries (
    record INTEGER NOT NULL REFERENCES records,
    seq    INTEGER NOT NULL,
    public BLOB,
    sealed BLOB,
    leaf   BLOB NOT NULL,
    PRIMARY KEY (record, seq)
) WITHOUT ROWID;
CREATE TABLE games (
    record INTEGER NOT NULL REFERENCES records,
    game   TEXT NOT NULL,
    first  INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    state  TEXT NOT NULL,
    place  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (record, game)
) WITHOUT ROWID;
CREATE TABLE facts (
    record  INTEGER PRIMARY KEY REFERENCES records,
    upto    INTEGER NOT NULL DEFAULT 0,
    emptied INTEGER NOT NULL DEFAULT 0,
    data    BLOB NOT NULL DEFAULT x''
);
CREATE TABLE findings (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    data BLOB NOT NULL
);
CREATE TABLE codes (
    code    BLOB PRIMARY KEY,
    name    TEXT NOT NULL,
    shop    TEXT NOT NULL,
    until_s INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE witnessed (
    origin TEXT PRIMARY KEY,
    size   INTEGER NOT NULL,
    note   TEXT NOT NULL
) WITHOUT ROWID;
""" + f"{EVIDENCE_SCHEMA}{CLOCK_SCHEMA}{OWN_LOG_SCHEMA}".replace("bytea", "BLOB")

_RECORD: Final = "SELECT number, origin, name, shop, known, cosigned, seen_s, behind, revoked, closed FROM records"


class SqliteStore:
    """A store in a file. One process may use it, from any of its threads."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it for its owner alone: it has the keys of games that have ended. Raises
        StoreError."""
        self._path = path
        self._one_at_a_time = threading.RLock()
        _make_sure_of(path)
        with contextlib.ExitStack() as undo:
            try:
                self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                undo.callback(self._db.close)
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._prepare()
            except sqlite3.Error as error:
                raise self._refused(error) from error
            undo.pop_all()

    def _prepare(self) -> None:
        """Make the tables of a new file. Raises StoreError for a file of another program or version."""
        (found,), (version,) = (
            self._db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            self._db.executescript(
                f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; {SCHEMA} COMMIT;"
            )
        elif found != APPLICATION_ID:
            raise StoreError(f"{self._path}: it is not the database of a centre. Name another file.")
        elif version != VERSION:
            seen = f"it has version {version}, and this program knows {VERSION}"
            raise StoreError(f"{self._path}: {seen}. Use the version of Trapdial that wrote it, or a newer one.")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._one_at_a_time:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._refused(error) from error

    def _read(self, words: str, values: Sequence[object] = ()) -> list[Any]:
        with self._one_at_a_time:
            try:
                return self._db.execute(words, values).fetchall()
            except sqlite3.Error as error:
                raise self._refused(error) from error

    def _refused(self, error: sqlite3.Error) -> StoreError:
        is_spoilt = type(error) is sqlite3.DatabaseError  # it is malformed, or no database
        mend = "Put a backup in its place: trapdial docs centre" if is_spoilt else "Check its disk and its owner"
        return StoreError(f"{self._path}: the database cannot be used ({error}). {mend}.")

    # ----------------------------------------------------------------------------------------------------- records

    def record(self, origin: str) -> KeptRecord | None:
        found = self._read(f"{_RECORD} WHERE origin = ?", (origin,))
        return _kept(found[0]) if found else None

    def records(self) -> list[KeptRecord]:
        return [_kept(row) for row in self._read(f"{_RECORD} ORDER BY number")]

    def add_code(self, code: bytes, name: str, shop: str, until_s: int) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?)", (code, name, shop, until_s))

    def forget_codes(self, name: str, shop: str | None = None) -> int:
        words = "DELETE FROM codes WHERE name = ? AND coalesce(?, shop) = shop"
        with self._transaction() as db:
            return db.execute(words, (name, shop)).rowcount

    def enrol(self, code: bytes, origin: str, at_s: int) -> KeptRecord | None:
        with self._transaction() as db:
            found = db.execute("DELETE FROM codes WHERE code = ? RETURNING name, shop, until_s", (code,)).fetchone()
            if found is None or found[2] < at_s:
                return None
            _add_record(db, origin, found[0], found[1])
            return check_enrolled(_kept(db.execute(f"{_RECORD} WHERE origin = ?", (origin,)).fetchone()), *found[:2])

    def revoke(self, origin: str) -> bool:
        return self._set_revoked(origin, 1)

    def readmit(self, origin: str) -> bool:
        return self._set_revoked(origin, 0)

    def _set_revoked(self, origin: str, revoked: int) -> bool:
        with self._transaction() as db:
            return db.execute("UPDATE records SET revoked = ? WHERE origin = ?", (revoked, origin)).rowcount == 1

    # ----------------------------------------------------------------------------------------------------- entries

    def commit(self, commits: Sequence[Commit]) -> list[bool]:
        with self._transaction() as db:
            return [_commit(db, each) for each in commits]

    def games(self, number: int, names: Collection[str] | None = None) -> list[KeptGame]:
        words, values = "SELECT game, first, last, state, place FROM games WHERE record = ?", [number, *(names or ())]
        if names is not None:
            words += f" AND game IN ({', '.join('?' * len(names))})"
        rows = self._read(f"{words} ORDER BY first", values)
        return [KeptGame(game, first, last, GameState(state), place) for game, first, last, state, place in rows]

    def rows(self, number: int, first: int = 1, last: int | None = None) -> Iterator[RawRow]:
        words = "SELECT seq, public, sealed, leaf FROM entries WHERE record = ? AND seq BETWEEN ? AND ? ORDER BY seq"
        end, at = (1 << 62) if last is None else last, first
        while found := self._read(f"{words} LIMIT 1000", (number, at, end)):
            yield from map(as_read, found)
            at = found[-1][0] + 1

    # --------------------------------------------------------------------------------------- logs of other programs

    def witnessed(self, origin: str) -> str:
        found = self._read("SELECT note FROM witnessed WHERE origin = ?", (origin,))
        return str(found[0][0]) if found else ""

    def witness(self, origin: str, before: int, size: int, note: str) -> bool:
        with self._transaction() as db:
            found = db.execute("SELECT size FROM witnessed WHERE origin = ?", (origin,)).fetchone()
            if (0 if found is None else found[0]) != before:
                return False
            db.execute("INSERT OR REPLACE INTO witnessed VALUES (?, ?, ?)", (origin, size, note))
            return True

    # ------------------------------------------------------------------------------------------------------- facts

    def facts(self, number: int) -> KeptFacts:
        found = self._read("SELECT upto, emptied, data FROM facts WHERE record = ?", (number,))
        return KeptFacts(*found[0]) if found else KeptFacts()

    def all_facts(self) -> dict[int, KeptFacts]:
        return {number: KeptFacts(*row) for number, *row in self._read("SELECT record, upto, emptied, data FROM facts")}

    def keep_facts(self, number: int, before: KeptFacts, upto: int, data: bytes) -> bool:
        words = "UPDATE facts SET upto = ?, data = ? WHERE record = ? AND upto = ? AND emptied = ?"
        with self._transaction() as db:
            return db.execute(words, (upto, data, number, before.upto, before.emptied)).rowcount == 1

    # ------------------------------------------------------------------------ evidence, its clock, and its own log

    @property
    def evidence(self) -> EvidenceRows:
        return EvidenceRows(self._sql)

    @property
    def clock(self) -> ClockRows:
        return ClockRows(self._sql)

    @property
    def own_log(self) -> OwnLogRows:
        return OwnLogRows(self._sql)

    @contextlib.contextmanager
    def _sql(self) -> Iterator[Sql]:
        with self._transaction() as db:
            yield _Sql(db)

    def keep_findings(self, data: bytes) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO findings VALUES (1, ?)", (data,))

    def findings(self) -> bytes:
        found = self._read("SELECT data FROM findings")
        return bytes(found[0][0]) if found else b""

    def close(self) -> None:
        with self._one_at_a_time:
            self._db.close()


class _Sql:
    """A transaction, for rows that are the same in every store."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def ask(self, words: str, values: Sequence[object] = ()) -> list[Any]:
        return self._db.execute(words, values).fetchall()

    def each(self, words: str, rows: Sequence[Sequence[object]]) -> None:
        self._db.executemany(words, rows)


def _make_sure_of(path: Path) -> None:
    """Make a file that is not there yet, before SQLite makes it for everybody to read. Raises StoreError."""
    try:
        try:
            os.close(new_file(path))
        except FileExistsError:
            check_plain(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"{path}: the database cannot be opened ({why}). Check its folder and its owner.") from error


def _kept(row: Sequence[Any]) -> KeptRecord:
    number, origin, name, shop, known, cosigned, seen_s, behind, revoked, closed = row
    return KeptRecord(
        number=number,
        origin=origin,
        name=name,
        shop=shop,
        known=unpacked(known),
        cosigned=cosigned,
        seen_s=seen_s,
        behind=behind,
        revoked=bool(revoked),
        closed=closed,
    )


def _add_record(db: sqlite3.Connection, origin: str, name: str, shop: str) -> int | None:
    """Add a record and return its number; None if it is there already."""
    added = db.execute(
        "INSERT INTO records (origin, name, shop, known) VALUES (?, ?, ?, ?) ON CONFLICT (origin) DO NOTHING "
        "RETURNING number",
        (origin, name, shop, packed(KnownRecord())),
    ).fetchone()
    if added is None:
        return None
    db.execute("INSERT INTO facts (record) VALUES (?)", added)
    return int(added[0])


def _enrol_new(db: sqlite3.Connection, new: KeptRecord) -> int | None:
    """Add the record of a commit and return its number; None if it must not be enrolled by now."""
    older = db.execute("SELECT 1 FROM records WHERE number = ? AND NOT revoked", (new.after,)).fetchone()
    return None if new.after and older is None else _add_record(db, new.origin, new.name, new.shop)


def _commit(db: sqlite3.Connection, commit: Commit) -> bool:
    if not close_record(_Sql(db), commit.closes):
        return False
    if commit.enrols is not None:
        number = _enrol_new(db, commit.enrols)
        if number is None:
            return False
        commit = replace(commit, number=number)
    known = commit.taken.known
    changed = db.execute(
        "UPDATE records SET size = ?, known = ?, cosigned = coalesce(nullif(?, ''), cosigned), seen_s = ?, behind = ? "
        "WHERE number = ? AND size = ? AND closed = ? AND NOT revoked",
        (
            *(known.size, packed(known), commit.cosigned, commit.at_s, commit.behind),
            *(commit.number, commit.before, commit.closed),
        ),
    )
    if changed.rowcount != 1:
        return False
    db.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
        [(commit.number, commit.before + at, *as_stored(entry)) for at, entry in enumerate(commit.entries, 1)],
    )
    begun = [(commit.number, game, first, first, "on", 0) for game, first in commit.taken.begun.items()]
    db.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", begun)
    for state, ranges in (("ended", commit.taken.ended), ("deleted", commit.taken.deleted)):
        db.executemany(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (record, game) DO UPDATE "
            "SET last = excluded.last, state = excluded.state, place = max(place, excluded.place)",
            [(commit.number, each.game, each.first, each.last, state, each.place) for each in ranges],
        )
    db.executemany(
        "UPDATE entries SET public = NULL, sealed = NULL WHERE record = ? AND seq BETWEEN ? AND ?",
        [(commit.number, each.first, each.last) for each in commit.taken.deleted],
    )
    if commit.taken.deleted:
        db.execute("UPDATE facts SET upto = 0, emptied = emptied + 1, data = x'' WHERE record = ?", (commit.number,))
    return True
