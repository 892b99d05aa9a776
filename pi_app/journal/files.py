"""A journal as a file: its header, its one table, its lock, its keys, and the errors for other files.

Opening a file never runs anything in it and never changes it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import sqlite3
import stat
from pathlib import Path
from typing import Final

from pi_app.journal.beside import log_size, strange_beside
from pi_app.journal.disk_trouble import USED_UP, refusal, why_full
from pi_app.journal.disk_trouble import advice as disk_advice
from pi_app.journal.file_size import AGAIN, cut_short, strange_size
from pi_app.journal.record import entry as rec
from pi_app.journal.record.key_ring import LAST_HEAD, KeyRing, key_ring
from pi_app.journal.record.limits import LARGEST_JOURNAL, LONGEST_VALUE
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import NotPlainError, check_plain

APPLICATION_ID: Final = 0x54524150
"""`TRAP` in the SQLite header: a journal."""

ARCHIVE_ID: Final = 0x54524141
"""`TRAA`: an archive, one file with the records of several devices."""

LOG_STEP: Final = 1 << 40
"""In an archive an entry's number is its own plus this times the number of its log, from 1 on."""

PAST: Final = ".past"
"""The end of the name of the folder with the past records of a journal."""

FORMAT: Final = rec.FORMAT
"""The version of the rows, in SQLite's user_version."""

MOST_PAGES: Final = 4000
"""Pages after which SQLite makes a checkpoint itself if there was no idle moment: 16 MB, about a thousand entries."""

SCHEMA: Final = """
CREATE TABLE entries (
    seq       INTEGER PRIMARY KEY,
    public    BLOB,
    sealed    BLOB,
    leaf      BLOB NOT NULL,
    signature BLOB
)
"""


UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises for a damaged file; the second if its own message is not text."""

_STEPS_PER_CALL: Final = 100_000
"""Steps of SQLite's machine between two calls of the progress handler."""


class JournalFileError(UserFileError):
    """The file is not a journal that this program can use. `file`: which one, if one was named. `number`: the errno of
    the disk, if it is to blame."""

    file: Path | None = None
    number: int | None = None

    @classmethod
    def of(cls, path: Path, place: str, seen: str, advice: str) -> JournalFileError:
        """One problem in four parts: the file, the place in it, what was seen, what to do."""
        error = cls([f"{path} ({place}) {seen}. {advice}."])
        error.file = path
        return error


def keys_of(path: Path) -> KeyRing:
    """Return a journal's keys, in the folder with its name and `.keys`, or in the place that is named there."""
    return key_ring(path.with_name(path.name + ".keys"))


def lock(path: Path) -> int:
    """Lock a journal for as long as a game is played (SQLite's own lock lasts for one write). Return a handle to close.
    Raises JournalFileError if another program has the lock."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        mend = disk_advice(error.errno) if error.errno in USED_UP else "Choose another place with --journal"
        raise JournalFileError.of(path, "file", f"could not be opened ({error.strerror})", mend) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise JournalFileError.of(path, "file", "is not a plain file", "Choose another place with --journal")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise JournalFileError.of(
            path, "file", "is in use by another trapdial", "End that one, or choose another file with --journal"
        ) from error
    return handle


MOST_ZEROS: Final = 65_536
"""The largest page of SQLite."""


def empty_unwritten(handle: int, path: Path) -> None:
    """Empty a locked file of nothing but zeros. A power cut leaves that of a new one that can shrink, whose first page
    was just written: it never had an entry. Any other file stays as it is."""
    size = os.fstat(handle).st_size
    if 0 < size <= MOST_ZEROS and log_size(path) == 0 and not any(os.pread(handle, size, 0)):
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)


_ERRNOS: Final = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


def errno_of(error: sqlite3.Error, path: Path) -> int | None:
    """Return why the disk refused, as an errno; None if unknown. SQLite reports little more than "disk I/O error" for a
    failing card, a read-only disk and a used-up quota, so try the folder."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return errno.ENOENT
    kind = code & 0xFF
    if kind in _ERRNOS:
        return _ERRNOS[kind]
    if kind == sqlite3.SQLITE_READONLY:
        return errno.EROFS if refusal(path.parent) == errno.EROFS else errno.EACCES
    if kind in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return refusal(path.parent) or (errno.EIO if kind == sqlite3.SQLITE_IOERR else errno.EACCES)
    return None


def named(number: int) -> str:
    """Write an entry's number for people: `15`; in an archive with its log, `2:15`."""
    log, seq = divmod(number, LOG_STEP)
    return f"{log}:{seq}" if log else str(seq)


def open_file(path: Path, *, write: bool, shrinks: bool = False) -> sqlite3.Connection:
    """Open and check a journal; for reading also an archive. With `write` an empty file becomes a new journal; any
    other file stays as it is. `shrinks`: a new one can give back the space of deleted games in small steps."""
    check_files(path, write=write)
    try:
        db = sqlite3.connect(str(path) if write else _read_only(path), uri=not write, isolation_level=None, timeout=2.0)
    except (sqlite3.Error, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        _restrict(db, path, write=write)
        _check_header(db, path, write=write, shrinks=shrinks)
    except UNREADABLE as error:
        refused = unreadable(path, error)  # before SQLite gives back what it could write
        db.close()
        raise refused from error
    except BaseException:
        db.close()
        raise
    return db


def _read_only(path: Path) -> str:
    """Return the URI for reading; immutable if no game has the file open, so that SQLite creates no other file."""
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * at_rest(path)}"


def check_files(path: Path, *, write: bool) -> None:
    """Check a journal and the files beside it before SQLite opens them. Raises JournalFileError for a file of another
    kind or above the limits, and for a file beside it that SQLite did not leave."""
    try:
        size = check_plain(path).st_size
    except NotPlainError as error:
        raise JournalFileError.of(path, "file", f"is {error}", error.advice) from error
    except OSError as error:
        if not write:
            raise _missing(path, error) from error
        size = 0
    if size > LARGEST_JOURNAL:
        seen = f"has {size:,} bytes, and {LARGEST_JOURNAL:,} are read at most"
        raise JournalFileError.of(path, "file", seen, "Check the name")
    strange = strange_beside(path)
    if strange is not None:
        raise JournalFileError.of(path, "file", *strange)
    if not write:
        try:
            seen = strange_size(path)
        except OSError as error:
            raise _missing(path, error) from error
        if seen:
            raise JournalFileError.of(path, "file", seen, AGAIN)


def _missing(path: Path, error: OSError) -> JournalFileError:
    keys = keys_of(path).folder
    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
        return JournalFileError.of(path, "file", f"cannot be read ({error.strerror})", "Check the name")
    past = path.with_name(path.name + PAST)
    if keys.is_dir() and past.is_dir() and not (keys / LAST_HEAD).exists():
        return JournalFileError.of(path, "file", "has no entry yet", f"The records before it are in {past}")
    if keys.is_dir() and not (keys / LAST_HEAD).exists() and not any(keys.glob("game-*")):
        seen = f"is not there: {keys} knows of no game in it"
        advice = "It begins with the first game, such as after an enrolment. If one was played, put it back from a copy"
        return JournalFileError.of(path, "file", seen, advice)
    if keys.is_dir():
        seen = f"is gone, and its keys are still in {keys}"
        return JournalFileError.of(path, "file", seen, "Put the file back from a copy; the keys alone hold no game")
    return JournalFileError.of(path, "file", "does not exist", "Check the name")


def at_rest(path: Path) -> bool:
    """Return whether no write of a journal is still in SQLite's log."""
    return log_size(path) == 0


CACHE_KB: Final = 512
"""Of the pages that SQLite keeps in memory. Rows are written and read once, in order, so more of them help little; and
a long game must not make a station larger for good."""


def _restrict(db: sqlite3.Connection, path: Path, *, write: bool) -> None:
    """Keep the content of a file from running code, taking much memory, or taking longer than its size can need."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    if not write:
        db.execute("PRAGMA query_only=ON")
        db.execute("PRAGMA writable_schema=ON")  # which reads what is there of a file that was cut short
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute(f"PRAGMA cache_size=-{CACHE_KB}")
    if write:
        return
    calls = itertools.count()
    most = 10 + path.stat().st_size + log_size(path)
    db.set_progress_handler(lambda: next(calls) * _STEPS_PER_CALL > most + 100 * _STEPS_PER_CALL, _STEPS_PER_CALL)


def _check_header(db: sqlite3.Connection, path: Path, *, write: bool, shrinks: bool = False) -> None:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if write and empty and application == 0:
        db.execute("PRAGMA journal_mode=MEMORY")  # no `-journal` if the power is cut here
        if shrinks:
            db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # this writes the first page
        db.execute("PRAGMA journal_mode=WAL")
        with db:
            db.execute("BEGIN EXCLUSIVE")
            db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            db.execute(f"PRAGMA user_version={FORMAT}")
            db.execute(SCHEMA)
    elif write and application == ARCHIVE_ID:
        raise JournalFileError.of(
            path, "header", "is an archive of records, and nothing is played into it", "Choose another journal"
        )
    elif application not in (APPLICATION_ID, ARCHIVE_ID):
        raise JournalFileError.of(
            path, "header", "is not a Trapdial journal", "Name the right file; it was not touched"
        )
    elif version != FORMAT:
        seen = f"has format {version}, and this program knows {FORMAT}"
        raise JournalFileError.of(path, "header", seen, "Use the Trapdial version that wrote it")
    found = db.execute("SELECT type, sql FROM sqlite_master").fetchmany(2)
    if [(kind, str(sql).split()) for kind, sql in found] != [("table", SCHEMA.split())]:
        seen = "has other tables than a journal's one"
        if cut_short(path):
            raise unreadable(path, sqlite3.DatabaseError(seen))
        raise JournalFileError.of(path, "header", seen, "Keep it, and use an earlier copy; it was not touched")
    if write:
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            seen = "is not in SQLite's WAL mode, so another program has rewritten it"
            mend = "Keep a copy; `sqlite3 FILE 'PRAGMA journal_mode=WAL'` sets the mode back"
            raise JournalFileError.of(path, "header", seen, mend)
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA secure_delete=ON")
        db.execute(f"PRAGMA wal_autocheckpoint={MOST_PAGES}")


def unreadable(path: Path, error: Exception) -> JournalFileError:
    """Return what is wrong with a file that SQLite cannot use: the file, or a disk that is full."""
    number = why_full(error, path.parent)
    if number is not None:
        refused = JournalFileError.of(path, "file", f"could not be opened ({os.strerror(number)})", disk_advice(number))
        refused.number = number
        return refused
    short = cut_short(path)
    if short:
        advice = f"{AGAIN}; `trapdial journal verify` says what can be read"
        return JournalFileError.of(path, "file", f"cannot be read as a journal ({short})", advice)
    advice = "If it was copied while a game ran, copy the files ending in -wal and -shm with it"
    return JournalFileError.of(path, "file", f"cannot be read as a journal ({error})", advice)


def damaged(path: Path, seq: int, seen: str) -> JournalFileError:
    return JournalFileError.of(
        path, f"entry {named(seq)}", seen, "Entries before it are good; keep the file and a copy"
    )
