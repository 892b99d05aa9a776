"""The durable record: one SQLite file, one row per event, on disk before anything is told.

Rows are only ever added. Each has a public part, which is what the log viewer may read during the game, and a
sealed part, which holds the whole event. In this version the sealed part is not encrypted yet: the file itself is
readable by its owner only (mode 0600), and `trapdial` never prints the sealed part while the game runs.

The file opens with WAL and synchronous=FULL: when `append` returns, the row survives a power cut. Two programs
that want to write the game are kept apart by a lock on the file.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import functools
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from pi_app import events as ev
from pi_app.errors import UserFileError
from pi_app.game import Phase
from pi_app.report import LOG, NO_GAME, PUBLIC, REFEREE, Moment, Report, advance
from pi_app.sealed import Sealed

APPLICATION_ID: Final = 0x54524150
"""`TRAP` in the SQLite header: marks a file as a journal of ours."""

FORMAT: Final = 1
"""Version of the rows, in SQLite's user_version."""

TIDY_AFTER: Final = 100
"""Entries after which the log is worth tidying: some 400 of its pages."""

MOST_PAGES: Final = 4000
"""Where SQLite tidies by itself, if there was never a moment for it: some 16 MB, about a thousand entries."""

_SCHEMA: Final = """
CREATE TABLE entries (
    seq     INTEGER PRIMARY KEY,
    game    TEXT NOT NULL,
    boot    TEXT NOT NULL,
    mono_ns INTEGER NOT NULL,
    wall    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    public  BLOB NOT NULL,
    sealed  BLOB NOT NULL
)
"""


class NotRecordedError(Exception):
    """The disk did not take an event, so it did not happen: nothing may be told. The message says why."""


class JournalFileError(UserFileError):
    """The file is not a journal that this program can use."""

    @classmethod
    def of(cls, path: Path, place: str, seen: str, advice: str) -> JournalFileError:
        """One problem in four parts: the file, the place in it, what was seen, what to do."""
        return cls([f"{path} ({place}) {seen}. {advice}."])


class PublicPart(msgspec.Struct, frozen=True, kw_only=True):
    """What of an entry may be read during the game: the log viewer's new lines, and a digest of every report
    that anybody may read. It covers no secret, so trying out twelve clicks against it tells nothing."""

    log: tuple[str, ...]
    common_digest: str


class SealedPart(Sealed, msgspec.Struct, frozen=True, kw_only=True):
    """The whole event, and a digest of the seats' reports after it."""

    event: msgspec.Raw
    seats_digest: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One row, decoded. `event` prints its own secrets as `(sealed)`."""

    seq: int
    game_id: str
    boot: str
    mono_ns: int
    wall: str
    event: ev.AnyEvent
    public: PublicPart
    seats_digest: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and in which life of the machine something was recorded. Monotonic times compare only within a boot."""

    boot: str
    mono_ns: int
    wall: str


def machine_stamp() -> Stamp:
    """Now, on this machine."""
    return Stamp(_boot_id(), time.monotonic_ns(), datetime.datetime.now(datetime.UTC).isoformat())


@functools.cache
def _boot_id() -> str:
    """Which life of the machine this is, as Linux numbers them."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


COMMON: Final = (PUBLIC.name, REFEREE.name, LOG.name)


def digest(reports: Iterable[Report]) -> str:
    """A short SHA-256 over finished reports: equal exactly when every line of every viewer is equal."""
    return hashlib.sha256(msgspec.json.encode([(r.viewer, tuple(r.lines.items())) for r in reports])).hexdigest()[:32]


def common_digest(moment: Moment) -> str:
    """Digest of what public, referee and log may see."""
    return digest(moment.reports[name] for name in COMMON)


def seats_digest(moment: Moment) -> str:
    """Digest of what each seat may see: a secret's hash is the secret, so it belongs into the sealed part."""
    return digest(r for name, r in moment.reports.items() if name not in COMMON)


class Journal:
    """An open journal that this program alone plays games into. Use as a context manager.

    `stamp` gives the time of each entry; the journal is the only place that writes a date.
    """

    def __init__(self, path: Path, stamp: Callable[[], Stamp] = machine_stamp) -> None:
        self.path, self._stamp = path, stamp
        self._made_here = not path.exists()
        self._lock = _lock(path)
        try:
            self._db = _open(path, write=True)
            self._seq = _last_seq(self._db)
            self._seen_version, self._tidied = -1, self._seq
        except BaseException:
            os.close(self._lock)
            raise

    def append(self, game_id: str, before: Moment, event: ev.AnyEvent) -> Moment:
        """Put one event on disk and return the moment after it.

        Entries that another program added meanwhile are taken in first. Raises NotRecordedError when the disk
        does not take it, and then nothing happened.
        """
        try:
            with _writing(self._db):
                before = self.catch_up(game_id, before)
                after = advance(before, event)
                self._seq = _insert(self._db, _row(game_id, self._stamp(), before, event, after))
        except sqlite3.Error as error:
            raise NotRecordedError(
                f"Journal ({self.path}) could not be written: {error}. Free some space or mend the disk; "
                "play goes on by itself when it can be written again"
            ) from error
        return after

    def catch_up(self, game_id: str, moment: Moment) -> Moment:
        """The moment after what another program added to this game (a trap table shown by force)."""
        version = _version(self._db)
        if version == self._seen_version:
            return moment
        for entry in _read(self._db, self.path, after=self._seq):
            moment = advance(moment, entry.event) if entry.game_id == game_id else moment
            self._seq = entry.seq
        self._seen_version = version
        return moment

    def tidy(self) -> None:
        """Move what the log has gathered into the file, if that is worth while: to be called when nobody waits.

        SQLite would do it within some append, which then takes several times as long. Nothing depends on it.
        """
        if self._seq - self._tidied < TIDY_AFTER:
            return
        self._tidied = self._seq
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def unfinished(self) -> tuple[str, Moment] | None:
        """The newest game in the file and its state, if it has no end; to be resumed."""
        return _last_game(self._db, self.path)

    def close(self) -> None:
        """Close the file and let others play; one that was made here and has no entry is taken away again.
        Closing twice is harmless."""
        self._db.close()
        if self._lock >= 0:
            if self._made_here and self._seq == 0:
                self.path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


Row = tuple[str, str, int, str, str, bytes, bytes]


def _row(game_id: str, stamp: Stamp, before: Moment, event: ev.AnyEvent, after: Moment) -> Row:
    public = PublicPart(log=after.news(LOG.name, before), common_digest=common_digest(after))
    sealed = SealedPart(event=msgspec.Raw(ev.to_json(event)), seats_digest=seats_digest(after))
    return (game_id, stamp.boot, stamp.mono_ns, stamp.wall, _kind(event), _json(public), _json(sealed))


def _insert(db: sqlite3.Connection, row: Row) -> int:
    columns = "game, boot, mono_ns, wall, kind, public, sealed"
    added = db.execute(f"INSERT INTO entries ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return int(added.lastrowid or 0)


@contextlib.contextmanager
def _writing(db: sqlite3.Connection) -> Iterator[None]:
    """One transaction: committed (and synced) at the end, taken back on any error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _last_seq(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])


def _version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection has written, and never for what this one writes."""
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def _kind(event: ev.AnyEvent) -> str:
    return str(type(event).__struct_config__.tag)


def _json(part: PublicPart | SealedPart) -> bytes:
    return msgspec.json.encode(part)


def _lock(path: Path) -> int:
    """A lock beside SQLite's own: it is held for as long as a game is played, SQLite's only for one write."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise JournalFileError.of(
            path, "file", f"could not be opened ({error.strerror})", "Choose another place with --journal"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise JournalFileError.of(
            path, "file", "is in use by another trapdial", "End that one, or choose another file with --journal"
        ) from error
    return handle


def _open(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open and check a journal. An empty file becomes a new one when `write` is set; anything else that is not a
    journal is left exactly as it is."""
    target = str(path) if write else f"{path.absolute().as_uri()}?mode=ro"
    try:
        db = sqlite3.connect(target, uri=not write, isolation_level=None, timeout=2.0)
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    try:
        _check_header(db, path, write=write)
    except sqlite3.Error as error:
        db.close()
        raise _unreadable(path, error) from error
    except BaseException:
        db.close()
        raise
    return db


def _check_header(db: sqlite3.Connection, path: Path, *, write: bool) -> None:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if write and empty and application == 0:
        db.execute("PRAGMA journal_mode=WAL")
        with db:
            db.execute("BEGIN EXCLUSIVE")
            db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            db.execute(f"PRAGMA user_version={FORMAT}")
            db.execute(_SCHEMA)
    elif application != APPLICATION_ID:
        raise JournalFileError.of(
            path, "header", "is not a Trapdial journal", "Name the right file; it was not touched"
        )
    elif version != FORMAT:
        seen = f"has format {version}, and this program knows {FORMAT}"
        raise JournalFileError.of(path, "header", seen, "Use the Trapdial version that wrote it")
    if write:
        db.execute("PRAGMA synchronous=FULL")
        db.execute(f"PRAGMA wal_autocheckpoint={MOST_PAGES}")


def _unreadable(path: Path, error: sqlite3.Error) -> JournalFileError:
    if not path.exists():
        return JournalFileError.of(path, "file", "does not exist", "Check the name")
    advice = "If it was copied while a game ran, copy the files ending in -wal and -shm with it"
    return JournalFileError.of(path, "file", f"cannot be read as a journal ({error})", advice)


def _read(db: sqlite3.Connection, path: Path, *, after: int = 0, game_id: str | None = None) -> Iterator[Entry]:
    """Decode rows strictly in order. Damage stops the reader with the row's number."""
    query = "SELECT seq, game, boot, mono_ns, wall, kind, public, sealed FROM entries WHERE seq > ? ORDER BY seq"
    expected = after + 1
    try:
        for seq, game, boot, mono_ns, wall, kind, public, sealed in db.execute(query, (after,)):
            if seq != expected:
                raise _damaged(path, expected, "is missing")
            expected += 1
            if game_id is None or game == game_id:
                yield _entry(path, seq, game, boot, mono_ns, wall, kind, public, sealed)
    except sqlite3.Error as error:
        raise _damaged(path, expected, f"cannot be read ({error})") from error


def _entry(
    path: Path, seq: int, game: str, boot: str, mono_ns: int, wall: str, kind: str, public: bytes, sealed: bytes
) -> Entry:
    try:
        told = msgspec.json.decode(public, type=PublicPart)
        hidden = msgspec.json.decode(sealed, type=SealedPart)
        event = ev.from_json(hidden.event)
    except (msgspec.MsgspecError, TypeError, UnicodeDecodeError) as error:
        raise _damaged(path, seq, "does not hold a readable event") from error
    if kind != _kind(event):
        raise _damaged(path, seq, f"says '{kind}' outside and something else inside")
    return Entry(seq, game, boot, mono_ns, wall, event, told, hidden.seats_digest)


def _damaged(path: Path, seq: int, seen: str) -> JournalFileError:
    return JournalFileError.of(path, f"entry {seq}", seen, "Entries before it are good; keep the file and a copy")


def read(path: Path, game_id: str | None = None) -> Iterator[Entry]:
    """Every entry of a journal file in order, read only. Raises JournalFileError at the first damage."""
    with contextlib.closing(_open(path, write=False)) as db:
        yield from _read(db, path, game_id=game_id)


def _last_game(db: sqlite3.Connection, path: Path) -> tuple[str, Moment] | None:
    """Id and state of the newest game in the file if it has not ended, else None."""
    row = db.execute("SELECT game FROM entries WHERE kind = 'started' ORDER BY seq DESC LIMIT 1").fetchone()
    if row is None:
        return None
    moment = NO_GAME
    for entry in _read(db, path, game_id=row[0]):
        moment = advance(moment, entry.event)
    return None if moment.game.phase is Phase.ENDED else (row[0], moment)


def table_in_running_game(path: Path, table_name: str) -> bool:
    """Whether a game that has not ended uses a trap table of this name. No file means no game."""
    if not path.exists():
        return False
    with contextlib.closing(_open(path, write=False)) as db:
        found = _last_game(db, path)
    return found is not None and any(s.table.name == table_name for s in found[1].game.squares.values())


def record_table_shown(path: Path, table_name: str, stamp: Callable[[], Stamp] = machine_stamp) -> None:
    """Add the finding that a table of the running game was shown (S-9); the running program picks it up."""
    event = ev.TableShown(table=table_name)
    with contextlib.closing(_open(path, write=True)) as db, _writing(db):
        found = _last_game(db, path)
        if found is not None:
            game_id, before = found
            _insert(db, _row(game_id, stamp(), before, event, advance(before, event)))
