"""A centre's store in PostgreSQL: entries of many tables in one transaction, brought in with COPY."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pi_app.centre.store import postgres_limits
from pi_app.centre.store.binary_copy import binary_rows
from pi_app.centre.store.clock_rows import ClockRows
from pi_app.centre.store.closing_rows import close_record
from pi_app.centre.store.evidence_rows import EvidenceRows
from pi_app.centre.store.own_log_rows import OwnLogRows, Sql
from pi_app.centre.store.postgres_limits import CONNECTION, SET_LIMITS, explain
from pi_app.centre.store.postgres_tables import TABLES
from pi_app.centre.store.store import (
    Commit,
    GameState,
    KeptFacts,
    KeptGame,
    KeptRecord,
    StoreAwayError,
    StoreError,
    as_read,
    check_enrolled,
    packed,
    unpacked,
)
from pi_app.centre.taking.known_record import KnownRecord
from pi_app.journal.record.runs import RawRow

VERSION: Final = 2

_MAKING: Final = 0x54524343  # the advisory lock under which one program makes the tables

_RECORD: Final = "SELECT number, origin, name, shop, known, cosigned, seen_s, behind, revoked, closed FROM records"
_CHANGED: Final = """
UPDATE records r
SET size = n.size, known = n.known, cosigned = coalesce(nullif(n.cosigned, ''), r.cosigned), seen_s = n.seen_s,
    behind = n.behind
FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::bytea[], %s::text[], %s::bigint[], %s::bigint[],
    %s::bigint[]) AS n (number, before, size, known, cosigned, seen_s, behind, closed)
WHERE r.number = n.number AND r.size = n.before AND r.closed = n.closed AND NOT r.revoked
RETURNING r.number
"""
_GAMES: Final = """
INSERT INTO games
SELECT * FROM unnest(%s::integer[], %s::text[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[])
ON CONFLICT (record, game) DO UPDATE
SET last = excluded.last, state = excluded.state, place = greatest(games.place, excluded.place)
"""
_ROWS_AT_ONCE: Final = 1_000


class PostgresStore:
    """A store in a PostgreSQL database. Any number of processes may use it; each store has one connection, which its
    threads take in turn, and opens it again when it was lost."""

    def __init__(self, conninfo: str) -> None:
        """`conninfo`: as libpq reads it, such as `host=/run/postgresql dbname=trapdial`. Raises StoreError."""
        self._conninfo = conninfo
        self._one_at_a_time = threading.RLock()
        self._db: Connection[Any] | None = None
        self._refused_last: tuple[float, StoreAwayError] | None = None
        """When the database was away last, and how."""
        try:
            with self._transaction() as db:
                _prepare(db)
        except StoreError:
            self.close()
            raise

    def _connected(self) -> Connection[Any]:
        if self._db is None or self._db.closed:
            named = conninfo_to_dict(self._conninfo)
            missing = {name: value for name, value in CONNECTION.items() if name not in named}
            self._db = psycopg.connect(make_conninfo(self._conninfo, **missing), autocommit=True)
            self._db.execute(SET_LIMITS, (postgres_limits.LOCK_MS, postgres_limits.STATEMENT_MS))
        return self._db

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the one connection. A request that fails is the answer of all that waited behind it: a lock keeps a
        crowd for one limit, not for one each."""
        began_s = time.monotonic()
        if not self._one_at_a_time.acquire(timeout=postgres_limits.TURN_S):
            raise StoreAwayError("The database keeps earlier requests waiting. The centre goes on by itself then.")
        try:
            if self._refused_last is not None and self._refused_last[0] > began_s:
                raise StoreAwayError(str(self._refused_last[1]))
            yield
        finally:
            self._one_at_a_time.release()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection[Any]]:
        with self._turn():
            try:
                db = self._connected()
                with db.transaction():
                    yield db
            except psycopg.Error as error:
                raise self._refused(error) from error

    @contextlib.contextmanager
    def _statement(self) -> Iterator[Connection[Any]]:
        """For one statement, which is a transaction by itself: one exchange with the server in place of three."""
        with self._turn():
            try:
                yield self._connected()
            except psycopg.Error as error:
                raise self._refused(error) from error

    def _refused(self, error: psycopg.Error) -> StoreError:
        words = explain(error.sqlstate, " ".join(str(error).split()))
        if not isinstance(error, psycopg.OperationalError):
            return StoreError(words)
        self._refused_last = time.monotonic(), StoreAwayError(words)
        return StoreAwayError(words)

    # ----------------------------------------------------------------------------------------------------- records

    def record(self, origin: str) -> KeptRecord | None:
        with self._statement() as db:
            row = db.execute(f"{_RECORD} WHERE origin = %s", (origin,)).fetchone()
        return None if row is None else KeptRecord(**_named(row))

    def records(self) -> list[KeptRecord]:
        with self._statement() as db:
            rows = db.execute(f"{_RECORD} ORDER BY number").fetchall()
        return [KeptRecord(**_named(row)) for row in rows]

    def add_code(self, code: bytes, name: str, shop: str, until_s: int) -> None:
        with self._statement() as db:
            db.execute(
                "INSERT INTO codes VALUES (%s, %s, %s, %s) ON CONFLICT (code) DO UPDATE "
                "SET name = excluded.name, shop = excluded.shop, until_s = excluded.until_s",
                (code, name, shop, until_s),
            )

    def forget_codes(self, name: str, shop: str | None = None) -> int:
        words = "DELETE FROM codes WHERE name = %s AND coalesce(%s, shop) = shop"
        with self._statement() as db:
            return db.execute(words, (name, shop)).rowcount

    def enrol(self, code: bytes, origin: str, at_s: int) -> KeptRecord | None:
        with self._transaction() as db:
            found = db.execute("DELETE FROM codes WHERE code = %s RETURNING name, shop, until_s", (code,)).fetchone()
            if found is None or found[2] < at_s:
                return None
            _add_record(db, origin, found[0], found[1])
            row = db.execute(f"{_RECORD} WHERE origin = %s", (origin,)).fetchone()
            assert row is not None
            return check_enrolled(KeptRecord(**_named(row)), *found[:2])

    def revoke(self, origin: str) -> bool:
        return self._set_revoked(origin, revoked=True)

    def readmit(self, origin: str) -> bool:
        return self._set_revoked(origin, revoked=False)

    def _set_revoked(self, origin: str, *, revoked: bool) -> bool:
        with self._statement() as db:
            return db.execute("UPDATE records SET revoked = %s WHERE origin = %s", (revoked, origin)).rowcount == 1

    # ----------------------------------------------------------------------------------------------------- entries

    def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """At most one commit of a record holds: the first. The others find another size."""
        with self._transaction() as db:
            numbered = [_made_ready(db, each) for each in commits]
            first = {each.number: each for each in reversed(numbered) if each is not None}
            held = self._changed(db, list(first.values()))
            done = [each for number, each in first.items() if number in held]
            _bring_in(db, done)
            _note_games(db, done)
        return [each is not None and first[each.number] is each and each.number in held for each in numbered]

    def _changed(self, db: Connection[Any], commits: Sequence[Commit]) -> set[int]:
        columns = (
            _numbers(each.number for each in commits),
            _numbers(each.before for each in commits),
            _numbers(each.taken.known.size for each in commits),
            _texts(f"\\x{packed(each.taken.known).hex()}" for each in commits),
            _texts(each.cosigned for each in commits),
            _numbers(each.at_s for each in commits),
            _numbers(each.behind for each in commits),
            _numbers(each.closed for each in commits),
        )
        return {number for (number,) in db.execute(_CHANGED, columns).fetchall()}

    def games(self, number: int, names: Collection[str] | None = None) -> list[KeptGame]:
        words, values = (
            "SELECT game, first, last, state, place FROM games WHERE record = %s",
            [number, *(() if names is None else [list(names)])],
        )
        only = "" if names is None else " AND game = ANY(%s)"
        with self._statement() as db:
            rows = db.execute(f"{words}{only} ORDER BY first", values).fetchall()
        return [KeptGame(game, first, last, GameState(state), place) for game, first, last, state, place in rows]

    def rows(self, number: int, first: int = 1, last: int | None = None) -> Iterator[RawRow]:
        words = "SELECT seq, public, sealed, leaf FROM entries WHERE record = %s AND seq BETWEEN %s AND %s"
        end = (1 << 62) if last is None else last
        for at in itertools.count(first, _ROWS_AT_ONCE):
            to = min(end, at + _ROWS_AT_ONCE - 1)
            with self._statement() as db:
                found = db.execute(f"{words} ORDER BY seq", (number, at, to)).fetchall()
            yield from map(as_read, found)
            if not found or to == end:
                return

    # --------------------------------------------------------------------------------------- logs of other programs

    def witnessed(self, origin: str) -> str:
        with self._statement() as db:
            found = db.execute("SELECT note FROM witnessed WHERE origin = %s", (origin,)).fetchone()
        return "" if found is None else str(found[0])

    def witness(self, origin: str, before: int, size: int, note: str) -> bool:
        first = "INSERT INTO witnessed VALUES (%s, %s, %s) ON CONFLICT (origin) DO NOTHING"
        later = "UPDATE witnessed SET size = %s, note = %s WHERE origin = %s AND size = %s"
        with self._transaction() as db:
            if not before and db.execute(first, (origin, size, note)).rowcount == 1:
                return True
            return db.execute(later, (size, note, origin, before)).rowcount == 1

    # ------------------------------------------------------------------------------------------------------- facts

    def facts(self, number: int) -> KeptFacts:
        with self._statement() as db:
            found = db.execute("SELECT upto, emptied, data FROM facts WHERE record = %s", (number,)).fetchone()
        return KeptFacts() if found is None else KeptFacts(*found)

    def all_facts(self) -> dict[int, KeptFacts]:
        with self._statement() as db:
            rows = db.execute("SELECT record, upto, emptied, data FROM facts").fetchall()
        return {number: KeptFacts(*row) for number, *row in rows}

    def keep_facts(self, number: int, before: KeptFacts, upto: int, data: bytes) -> bool:
        words = "UPDATE facts SET upto = %s, data = %s WHERE record = %s AND upto = %s AND emptied = %s"
        with self._statement() as db:
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
        words = "INSERT INTO findings VALUES (1, %s) ON CONFLICT (one) DO UPDATE SET data = excluded.data"
        with self._statement() as db:
            db.execute(words, (data,))

    def findings(self) -> bytes:
        with self._statement() as db:
            found = db.execute("SELECT data FROM findings").fetchone()
        return b"" if found is None else bytes(found[0])

    def close(self) -> None:
        with self._one_at_a_time:
            if self._db is not None:
                self._db.close()


class _Sql:
    """A transaction, for rows that are the same in every store."""

    def __init__(self, db: Connection[Any]) -> None:
        self._db = db

    def ask(self, words: str, values: Sequence[object] = ()) -> list[Any]:
        return self._db.execute(words.replace("?", "%s").encode(), values).fetchall()

    def each(self, words: str, rows: Sequence[Sequence[object]]) -> None:
        with self._db.cursor() as cursor:
            cursor.executemany(words.replace("?", "%s").encode(), rows)


def _prepare(db: Connection[Any]) -> None:
    """Make the tables of a new database. Raises StoreError for one of another version."""
    db.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
    if db.execute("SELECT to_regclass('version')").fetchone() == (None,):
        db.execute(TABLES)
        db.execute("INSERT INTO version VALUES (%s)", (VERSION,))
    found = db.execute("SELECT number FROM version").fetchone()
    if found != (VERSION,):
        version = "none" if found is None else found[0]
        why = f"The database has version {version}, and this program knows {VERSION}."
        raise StoreError(f"{why} Use the version of Trapdial that wrote it, or a newer one.")


def _named(row: Sequence[Any]) -> dict[str, Any]:
    names = ("number", "origin", "name", "shop", "known", "cosigned", "seen_s", "behind", "revoked", "closed")
    found = dict(zip(names, row, strict=True))
    return found | {"known": unpacked(found["known"])}


def _add_record(db: Connection[Any], origin: str, name: str, shop: str) -> int | None:
    """Add a record and return its number; None if it is there already."""
    added = db.execute(
        "INSERT INTO records (origin, name, shop, known) VALUES (%s, %s, %s, %s) ON CONFLICT (origin) DO NOTHING "
        "RETURNING number",
        (origin, name, shop, packed(KnownRecord())),
    ).fetchone()
    if added is None:
        return None
    db.execute("INSERT INTO facts (record) VALUES (%s)", added)
    return int(added[0])


def _made_ready(db: Connection[Any], commit: Commit) -> Commit | None:
    """Close the record that another one continues, and enrol that; None if this must not be by now."""
    if not close_record(_Sql(db), commit.closes):
        return None
    return commit if commit.enrols is None else _enrol_new(db, commit, commit.enrols)


def _enrol_new(db: Connection[Any], commit: Commit, new: KeptRecord) -> Commit | None:
    """Add the record of a commit; None if it must not be enrolled by now. A record that it continues is not revoked
    before this transaction ends."""
    words = "SELECT 1 FROM records WHERE number = %s AND NOT revoked FOR SHARE"
    if new.after and db.execute(words, (new.after,)).fetchone() is None:
        return None
    number = _add_record(db, new.origin, new.name, new.shop)
    return None if number is None else replace(commit, number=number)


def _numbers(values: Iterable[int]) -> str:
    """Write an array of numbers as PostgreSQL reads it; psycopg takes ten times as long for a list."""
    return f"{{{','.join(map(str, values))}}}"


def _texts(values: Iterable[str]) -> str:
    """Write an array of texts."""
    quoted = (each.replace("\\", "\\\\").replace('"', '\\"') for each in values)
    return '{"' + '","'.join(quoted) + '"}'


def _bring_in(db: Connection[Any], commits: Sequence[Commit]) -> None:
    """Write all entries with one COPY."""
    with db.cursor() as cursor, cursor.copy("COPY entries FROM STDIN (FORMAT BINARY)") as copy:
        for piece in binary_rows(commits):
            copy.write(piece)


def _note_games(db: Connection[Any], commits: Sequence[Commit]) -> None:
    """Write which games began, ended or were deleted: one row for each, though it began and ended at once."""
    games: dict[tuple[int, str], tuple[int, int, GameState, int]] = {}
    gone: list[tuple[int, int, int]] = []
    for each in commits:
        for name, first in each.taken.begun.items():
            games[each.number, name] = (first, first, GameState.ON, 0)
        for game in each.taken.ended:
            games[each.number, game.game] = (game.first, game.last, GameState.ENDED, game.place)
        for game in each.taken.deleted:
            place = games[each.number, game.game][3] if (each.number, game.game) in games else 0
            games[each.number, game.game] = (game.first, game.last, GameState.DELETED, place)
            gone.append((each.number, game.first, game.last))
    if games:
        columns = (
            _numbers(number for number, _ in games),
            _texts(name for _, name in games),
            _numbers(first for first, *_ in games.values()),
            _numbers(last for _, last, *_ in games.values()),
            _texts(state.value for _, _, state, _ in games.values()),
            _numbers(place for *_, place in games.values()),
        )
        db.execute(_GAMES, columns)
    if gone:
        emptied = "UPDATE facts SET upto = 0, emptied = emptied + 1, data = '' WHERE record = ANY(%s)"
        db.execute(emptied, ([number for number, *_ in gone],))
        with db.cursor() as cursor:
            cursor.executemany(
                "UPDATE entries SET public = NULL, sealed = NULL WHERE record = %s AND seq BETWEEN %s AND %s", gone
            )
