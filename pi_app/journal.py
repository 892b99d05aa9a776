"""The durable record: one SQLite file, one row per event, on disk before anything is told.

Rows are only ever added; the last one is signed by this device, and gives its signature up when another follows. Each
row has a public half, which is what the log viewer may read during the game, and a sealed
half, encrypted under a key of its game that lies apart from the file until the game ends (`pi_app.record`). Each row is
bound to all rows before it.

The file opens with WAL and synchronous=FULL: when `append` returns, the row survives a power cut. Two programs
that want to write the game are kept apart by a lock on the file.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import functools
import itertools
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Generic

import msgspec

from pi_app import plays
from pi_app.errors import UserFileError, printable
from pi_app.host import kernel_is_set
from pi_app.plays import RULESET, SQUARE, STANDS, E, M, Play, kind_of
from pi_app.record import entry as rec
from pi_app.record.entry import ClockSource, Opening, PublicPart, SealedPart, Shown
from pi_app.record.happenings import ClockCorrected, Ended
from pi_app.record.heads import Head, is_last, last_signature, read_head
from pi_app.record.keys import DeviceKey, KeyFileError, KeyRing, key_commitment, unseal
from pi_app.record.merkle import Tree
from pi_app.record.verify import Damage, Verdict
from pi_app.record.verify import verify as check
from pi_app.sealed import Sealed

APPLICATION_ID: Final = 0x54524150
"""`TRAP` in the SQLite header: marks a file as a journal of ours."""

ARCHIVE_ID: Final = 0x54524141
"""`TRAA`: marks an archive, one file with the records of several devices."""

LOG_STEP: Final = 1 << 40
"""In an archive an entry's number is its own plus this times its log's: 1, 2, 3 and so on."""

FORMAT: Final = rec.FORMAT
"""Version of the rows, in SQLite's user_version."""

TIDY_AFTER: Final = 100
"""Entries after which the log is worth tidying: some 400 of its pages."""

MOST_PAGES: Final = 4000
"""Where SQLite tidies by itself, if there was never a moment for it: some 16 MB, about a thousand entries."""

LAST_SEQ: Final = 2**63 - 1
"""The largest number that SQLite gives a row."""

SCHEMA: Final = """
CREATE TABLE entries (
    seq       INTEGER PRIMARY KEY,
    public    BLOB,
    sealed    BLOB,
    leaf      BLOB NOT NULL,
    signature BLOB
)
"""


LONGEST_BYTES: Final = 2**24
"""Longer things are not read: a file may claim anything. The longest entry of a real game is a hundredth of that."""

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises for a damaged file; the second where it cannot even say what it saw."""

_STEPS_PER_CALL: Final = 100_000
"""Of SQLite's machine, before it asks whether to go on."""


class NotRecordedError(Exception):
    """The disk did not take an event, so it did not happen: nothing may be told. The message says why."""


class JournalFileError(UserFileError):
    """The file is not a journal that this program can use."""

    @classmethod
    def of(cls, path: Path, place: str, seen: str, advice: str) -> JournalFileError:
        """One problem in four parts: the file, the place in it, what was seen, what to do."""
        return cls([f"{path} ({place}) {printable(seen)}. {advice}."])


class Entry(msgspec.Struct, Generic[E], frozen=True, gc=False):
    """One row, decoded. `event` prints its own secrets as `(sealed)`."""

    seq: int
    game_id: str
    boot: str
    mono_ns: int
    wall: str
    event: E
    public: PublicPart
    seats_digest: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and in which life of the machine something was recorded. Monotonic times compare only within a boot.
    `clock` is where the wall time comes from."""

    boot: str
    mono_ns: int
    wall: str
    clock: ClockSource = "none"


def machine_stamp() -> Stamp:
    """Now, on this machine."""
    return Stamp(_boot_id(), time.monotonic_ns(), datetime.datetime.now(datetime.UTC).isoformat(), _clock_source())


@functools.cache
def _boot_id() -> str:
    """Which life of the machine this is, as Linux numbers them."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _clock_source() -> ClockSource:
    """Asked anew each time: the network may have set the clock meanwhile."""
    if kernel_is_set():
        return "ntp"
    return "rtc" if _has_rtc() else "none"


@functools.cache
def _has_rtc() -> bool:
    """Whether the kernel took its first date from a clock with a battery."""
    return any(path.read_text(encoding="ascii").strip() == "1" for path in Path("/sys/class/rtc").glob("*/hctosys"))


STEP_MS: Final = 1000
"""By how much the date must go another way than the monotonic clock to be called changed."""


def correction_of(before: Stamp | None, now: Stamp) -> ClockCorrected | None:
    """What is to be said of earlier dates of this boot if the clock was changed since, or comes from elsewhere now."""
    if before is None or before.boot != now.boot:
        return None
    dates_ms = _ms(now.wall) - _ms(before.wall)
    add_ms = dates_ms - (now.mono_ns - before.mono_ns) // 1_000_000
    if abs(add_ms) <= STEP_MS and before.clock == now.clock:
        return None
    return ClockCorrected(add_ms=add_ms, was=before.clock, now=now.clock)


def _ms(wall: str) -> int:
    since = datetime.datetime.fromisoformat(wall) - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return since // datetime.timedelta(milliseconds=1)


def keys_of(path: Path) -> KeyRing:
    """Where a journal's keys lie: in a folder of its name with `.keys` behind it."""
    return KeyRing(path.with_name(path.name + ".keys"))


# -------------------------------------------------------------------------------------------------------- one more row


Row = tuple[int, bytes, bytes, bytes, bytes]

INSERT: Final = "INSERT INTO entries (seq, public, sealed, leaf, signature) VALUES (?, ?, ?, ?, ?)"
UNSIGN: Final = "UPDATE entries SET signature = NULL WHERE seq = ?"


class _Chain(Generic[M, E]):
    """The rows so far as the next one needs them: how many, the tree over them, the last one's leaf."""

    def __init__(self, db: sqlite3.Connection, path: Path, play: Play[M, E]) -> None:
        """Raises JournalFileError if the rows are not this device's, or not all that it wrote: then none may follow."""
        self._db, self._path, self._play = db, path, play
        self.ring = keys_of(path)
        self._keys: dict[str, bytes] = {}
        self._tree, self._last = Tree(), rec.FIRST_BEFORE
        self._signature: bytes | None = None
        try:
            self._device = self.ring.known_device()
            remembered = self.ring.remembered()
        except KeyFileError as error:
            raise JournalFileError([str(error)]) from error
        self._as_it_was_left(remembered)
        self.take_in()
        if self.seq and not self._is_ours():
            raise JournalFileError.of(
                path,
                f"entry {self.seq}",
                "is not signed by this device",
                "Look with `trapdial journal verify`; play into another file with --journal",
            )

    def _as_it_was_left(self, remembered: str | None) -> None:
        """Take in the rows that this device remembers, if they are those that it wrote."""
        if remembered is None:
            return
        try:
            left = read_head(remembered)
        except ValueError as error:
            raise JournalFileError.of(
                self.ring.folder, "last.head", f"holds no head ({error})", "Put the file back from a copy"
            ) from error
        self.take_in(until=left.size)
        advice = "Put the newer file back, or play into another file with --journal"
        if self.seq < left.size:
            seen = f"has {self.seq} entries, and this device has written {left.size} into it"
            raise JournalFileError.of(self._path, "file", seen, advice)
        if self._tree.root() != left.root:
            seen = "is not the one that this device has written, although it begins with as many entries"
            raise JournalFileError.of(self._path, f"entry {left.size}", seen, advice)

    def remember(self) -> None:
        """Keep the head of the rows so far beside the keys: a journal without them is not gone on with. Keys whose
        files are gone meanwhile are put back. What cannot be kept is left: the head before still holds."""
        if self.seq:
            with contextlib.suppress(KeyFileError):
                self.ring.put_back(self.device(), self._keys)
                self.ring.remember(self.head().text())

    @property
    def seq(self) -> int:
        """The last row's number; 0 if there is none."""
        return self._tree.size

    def _is_ours(self) -> bool:
        if self._device is None:
            raise JournalFileError.of(
                self._path,
                "file",
                f"was written with a key that is not in {self.ring.folder}",
                "Put device.key back, or play into another file with --journal",
            )
        return is_last(self._device.public, self._tree.size, self._tree.root(), self._signature or b"")

    def device(self) -> DeviceKey:
        """This device's key, made if there is no row yet. Raises KeyFileError if it cannot be had."""
        if self._device is None:
            self._device = self.ring.device()
        return self._device

    def take_in(self, until: int = LAST_SEQ) -> None:
        """Bind what another program added."""
        rows = self._db.execute(
            "SELECT leaf, signature FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq", (self.seq, until)
        )
        for leaf, signed in rows:
            if not isinstance(leaf, bytes):
                raise _damaged(self._path, self.seq + 1, "has no hash")
            self._tree.append(leaf)
            self._last, self._signature = leaf.hex(), signed if isinstance(signed, bytes) else None

    def key(self, game: str) -> bytes:
        """A running game's key. Raises KeyFileError."""
        key = self._keys.get(game) or self.ring.game(game)
        if key is None:
            raise KeyFileError(
                self.ring.folder, f"has no key for game {game}", "Put its file back, or begin a new game"
            )
        self._keys[game] = key
        return key

    def begin(self, game: str) -> None:
        """Make a new game's key. Raises KeyFileError."""
        self._keys[game] = self.ring.new_game(game)

    def forget(self, game: str) -> None:
        """Take a game's key away. Raises KeyFileError."""
        self._keys.pop(game, None)
        self.ring.drop(game)

    @property
    def held(self) -> Mapping[str, bytes]:
        """Keys of games that were played here, whatever became of their files meanwhile."""
        return self._keys

    def row(self, game: str, stamp: Stamp, before: M, event: E | ClockCorrected, after: M) -> Row:
        """The next row. Raises KeyFileError or TooLongError."""
        key, kind = self.key(game), kind_of(event)
        promised = self._play.promises(event)
        salts = {name: rec.new_salt() for name in promised}
        hidden = SealedPart(
            event=msgspec.Raw(_encoder.encode(event)),
            seats=after.seats_digest,
            shown=self._play.shown(event, after),
            salts=salts,
        )
        promises = rec.promise_of(salts, promised)
        opening = None
        if kind == rec.STARTED:
            opening = self._opening(key, promises, rec.room_for(hidden, self._play.room(after)))
        part = PublicPart(
            format=FORMAT,
            kind=kind,
            seq=self.seq + 1,
            game=game,
            boot=stamp.boot,
            mono_ns=stamp.mono_ns,
            wall=stamp.wall,
            clock=stamp.clock,
            before=self._last,
            play=self._play.name,
            reports=after.common_digest,
            log=after.news(plays.LOG, before),
            square=self._play.square_of(event),
            seat=getattr(event, "seat", None),
            grade=getattr(event, "grade", None),
            opening=opening,
            stands=promises.get(STANDS),
            add_ms=getattr(event, "add_ms", None),
            key=key.hex() if isinstance(event, Ended) else None,
        )
        public = rec.public_bytes(part)
        sealed = rec.sealed_bytes(hidden, key, public, rec.sealed_size(kind, opening))
        leaf = rec.leaf(public, sealed)
        tree = self._tree.copy()
        tree.append(leaf)
        return tree.size, public, sealed, leaf, last_signature(self.device(), tree.size, tree.root())

    def _opening(self, key: bytes, promises: Mapping[str, str], room: int) -> Opening:
        return Opening(
            device=self.device().public.hex(),
            key=key_commitment(key),
            ruleset=promises[RULESET],
            room=room,
            squares={name.removeprefix(SQUARE): made for name, made in promises.items() if name.startswith(SQUARE)},
        )

    def head(self) -> Head:
        """Of the rows so far, signed now."""
        return Head.made(self.device(), self._tree.size, self._tree.root())

    def wrote(self, row: Row) -> None:
        """The row is on disk."""
        leaf = row[3]
        self._tree.append(leaf)
        self._last = leaf.hex()


_encoder: Final = msgspec.json.Encoder()


class Journal(Generic[M, E]):
    """An open journal that this program alone plays games of one kind into. Use as a context manager.

    `stamp` gives the time of each entry; the journal is the only place that writes a date.
    """

    def __init__(self, path: Path, play: Play[M, E], stamp: Callable[[], Stamp] = machine_stamp) -> None:
        self.path, self._play = path, play
        self._stamp = stamp
        self._made_here = not path.exists()
        self._lock = lock(path)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, self._lock)
            if self._made_here:
                undo.callback(path.unlink, missing_ok=True)
            self._db = _open(path, write=True)
            undo.callback(self._db.close)
            try:
                self._chain = _Chain(self._db, path, play)
                self._stamped = _last_stamp(self._db)
            except UNREADABLE as error:
                raise _unreadable(path, error) from error
            undo.pop_all()
        self._seq = self._chain.seq
        self._seen_version, self._tidied = -1, self._seq
        self._remembered = self._seq
        self._to_empty = False
        self._corrections: list[ClockCorrected] = []

    def append(self, game_id: str, before: M, event: E) -> M:
        """Put one event on disk and return the moment after it.

        Entries that another program added meanwhile are taken in first, and if the clock was changed, an entry that
        says so. Raises NotRecordedError when the disk does not take it, and then nothing happened.
        """
        seq = self._seq
        try:
            stamp = self._stamp()
            before = self._corrected(game_id, stamp, before, event)
            after = self._put(game_id, stamp, before, event)
        except (sqlite3.Error, KeyFileError, JournalFileError, rec.TooLongError) as error:
            self._seq, self._seen_version = seq, -1  # what others added is taken in again the next time
            if kind_of(event) == rec.STARTED:
                with contextlib.suppress(KeyFileError):
                    self._chain.forget(game_id)
            raise NotRecordedError(self._why_not(event, error)) from error
        if isinstance(event, Ended):
            with contextlib.suppress(KeyFileError):  # it is published: the file is of no use any more, and no secret
                self._chain.forget(game_id)
            self._to_empty = True
        if kind_of(event) in (rec.STARTED, rec.ENDED):
            self._remember()
        return after

    def _put(self, game_id: str, stamp: Stamp, before: M, event: E | ClockCorrected) -> M:
        if kind_of(event) == rec.STARTED:
            self._chain.begin(game_id)
        with writing(self._db):
            before = self._caught_up(game_id, before)
            after = self._play.advance(before, event)
            row = self._chain.row(game_id, stamp, before, event, after)
            insert(self._db, row)
        self._chain.wrote(row)
        self._seq = self._chain.seq
        return after

    def _corrected(self, game_id: str, stamp: Stamp, before: M, event: E) -> M:
        """The moment after an entry on the clock, if one is due. Dates are compared with that of the first entry since
        the clock was last right, so that many small changes count together."""
        started = kind_of(event) == rec.STARTED
        correction = None if started else correction_of(self._stamped, stamp)
        if correction is not None:
            before = self._put(game_id, stamp, before, correction)
            self._corrections.append(correction)
        if correction is not None or started or self._stamped is None or self._stamped.boot != stamp.boot:
            self._stamped = stamp
        return before

    def _why_not(self, event: E, error: Exception) -> str:
        match error:
            case sqlite3.Error():
                return (
                    f"Journal ({self.path}) could not be written: {error}. Free some space or mend the disk; "
                    "play goes on by itself when it can be written again"
                )
            case KeyFileError():
                return f"Journal ({self.path}) could not be sealed: {error}"
            case rec.TooLongError():
                advice = (
                    "Shorten the notes in the trap tables"
                    if kind_of(event) == rec.STARTED
                    else "Report it: it is a bug"
                )
                return f"Journal ({self.path}) has no room for an event that is so long: {error}. {advice}"
            case _:
                return str(error)

    def take_corrections(self) -> tuple[ClockCorrected, ...]:
        """What the journal has recorded of the clock by itself since the last call."""
        taken, self._corrections = tuple(self._corrections), []
        return taken

    def catch_up(self, game_id: str, moment: M) -> M:
        """The moment after what another program added to this game (a trap table shown by force). What cannot be read
        now is left for the next time."""
        try:
            return self._caught_up(game_id, moment)
        except (sqlite3.Error, JournalFileError):
            return moment

    def _caught_up(self, game_id: str, moment: M) -> M:
        version = _version(self._db)
        if version == self._seen_version:
            return moment
        self._chain.take_in()
        seq = self._seq
        for entry in _read(self._db, self.path, self._play, after=seq, keys=self._chain.held):
            moment = self._play.advance(moment, entry.event) if entry.game_id == game_id else moment
            seq = entry.seq
        self._seq, self._seen_version = seq, version
        return moment

    def _remember(self) -> None:
        if self._remembered < self._chain.seq:
            self._chain.remember()
            self._remembered = self._chain.seq

    def head(self) -> Head:
        """What a witness keeps of all entries so far. There is one from the first entry on."""
        return self._chain.head()

    def tidy(self) -> None:
        """Move what the log has gathered into the file, if that is worth while: to be called when nobody waits.

        SQLite would do it within some append, which then takes several times as long. Nothing depends on it. When a
        game has ended, the log is emptied as well: signatures of entries that were the last once still lay there.
        """
        if not self._to_empty and self._seq - self._tidied < TIDY_AFTER:
            return
        self._tidied = self._seq
        with contextlib.suppress(sqlite3.Error):
            self._to_empty = not _checkpoint(self._db, "TRUNCATE" if self._to_empty else "PASSIVE")

    def unfinished(self) -> tuple[str, M] | None:
        """The newest game in the file and its state, if it is of this kind and has no end; to be resumed. Raises
        JournalFileError."""
        try:
            return _last_game(self._db, self.path, self._play)
        except UNREADABLE as error:
            raise _unreadable(self.path, error) from error

    def close(self) -> None:
        """Close the file and let others play; one that was made here and has no entry is taken away again.
        Closing twice is harmless."""
        self._db.close()
        if self._lock >= 0:
            self._remember()
            if self._made_here and self._seq == 0:
                self.path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Journal[M, E]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def insert(db: sqlite3.Connection, row: Row) -> None:
    """Put one row behind the others, within `writing`. From then on it alone is signed."""
    db.execute(UNSIGN, (row[0] - 1,))
    db.execute(INSERT, row)


@contextlib.contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """One transaction: committed (and synced) at the end, taken back on any error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _checkpoint(db: sqlite3.Connection, how: str) -> bool:
    """Whether all that is in the log was moved into the file. Waits for nobody who reads."""
    waits = db.execute("PRAGMA busy_timeout").fetchone()[0]
    db.execute("PRAGMA busy_timeout=0")
    try:
        busy = bool(db.execute(f"PRAGMA wal_checkpoint({how})").fetchone()[0])
    finally:
        db.execute(f"PRAGMA busy_timeout={waits}")
    return not busy


def _last_stamp(db: sqlite3.Connection) -> Stamp | None:
    """When the last row was written; None if there is none, or nobody can tell."""
    row = db.execute("SELECT public FROM entries WHERE public IS NOT NULL ORDER BY seq DESC LIMIT 1").fetchone()
    with contextlib.suppress(msgspec.MsgspecError, TypeError, ValueError):
        part = rec.read_public(row[0])
        datetime.datetime.fromisoformat(part.wall).astimezone(datetime.UTC)
        return Stamp(part.boot, part.mono_ns, part.wall, part.clock)
    return None


def _version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection has written, and never for what this one writes."""
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def lock(path: Path) -> int:
    """A lock beside SQLite's own: it is held for as long as a game is played, SQLite's only for one write. Gives a
    handle to be closed. Raises JournalFileError if another program has it."""
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


def named(number: int) -> str:
    """An entry's number for people: `15`; in an archive with its log in front, `2:15`."""
    log, seq = divmod(number, LOG_STEP)
    return f"{log}:{seq}" if log else str(seq)


def _open(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open and check a journal, to read also an archive. An empty file becomes a new journal when `write` is set;
    anything else that is not a journal is left exactly as it is."""
    try:
        db = sqlite3.connect(str(path) if write else _read_only(path), uri=not write, isolation_level=None, timeout=2.0)
    except (sqlite3.Error, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        _distrust(db, path, write=write)
        _check_header(db, path, write=write)
    except UNREADABLE as error:
        db.close()
        raise _unreadable(path, error) from error
    except BaseException:
        db.close()
        raise
    return db


def _read_only(path: Path) -> str:
    """A file that no game has open is read as it lies, so that SQLite puts no other file beside it."""
    if not path.is_file():
        raise JournalFileError.of(
            path, "file", "is not a file" if path.exists() else "does not exist", "Check the name"
        )
    log = path.with_name(path.name + "-wal")
    at_rest = not log.exists() or log.stat().st_size == 0
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * at_rest}"


def _distrust(db: sqlite3.Connection, path: Path, *, write: bool) -> None:
    """Nothing that a file may hold runs, takes much memory, or goes on for longer than a file of its size can need."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_BYTES)
    db.execute("PRAGMA trusted_schema=OFF")
    if write:
        return
    db.execute("PRAGMA query_only=ON")
    db.execute("PRAGMA cache_size=-512")  # rows are read once, from first to last
    calls = itertools.count()
    most = 10 + sum(one.stat().st_size for one in (path, path.with_name(path.name + "-wal")) if one.exists())
    db.set_progress_handler(lambda: next(calls) * _STEPS_PER_CALL > most + 100 * _STEPS_PER_CALL, _STEPS_PER_CALL)


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
        raise JournalFileError.of(path, "header", seen, "Keep it, and use an earlier copy; it was not touched")
    if write:
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA secure_delete=ON")
        db.execute(f"PRAGMA wal_autocheckpoint={MOST_PAGES}")


def _unreadable(path: Path, error: Exception) -> JournalFileError:
    advice = "If it was copied while a game ran, copy the files ending in -wal and -shm with it"
    return JournalFileError.of(path, "file", f"cannot be read as a journal ({error})", advice)


class _Openers:
    """The key of each game in a file: published at its end, or still on the ring of this device."""

    def __init__(self, db: sqlite3.Connection, path: Path, held: Mapping[str, bytes]) -> None:
        self._db, self._ring, self._held = db, keys_of(path), held
        self._keys: dict[tuple[int, str], bytes | None] = {}
        self._looked_everywhere = False
        # where all public halves of ours say it, in the few that are long
        self._look(f"length(public) >= {rec.LONG_PUBLIC_BYTES} AND instr(substr(public, 1, 64), ?)")

    def _look(self, where: str) -> None:
        for seq, public in self._db.execute(f"SELECT seq, public FROM entries WHERE {where}", (_SAYS_ENDED,)):
            with contextlib.suppress(msgspec.MsgspecError, ValueError, TypeError):
                part = rec.read_public(public)
                if part.key is not None:
                    self._keys[seq // LOG_STEP, part.game] = bytes.fromhex(part.key)

    def key(self, log: int, game: str) -> bytes | None:
        """None if it is not to be had. Raises JournalFileError for a key file that cannot be read."""
        if (log, game) not in self._keys:
            self._keys[log, game] = self._held.get(game) or self._elsewhere(log, game)
        return self._keys[log, game]

    def _elsewhere(self, log: int, game: str) -> bytes | None:
        if not self._looked_everywhere:
            self._looked_everywhere = True
            self._look("instr(public, ?)")
        try:
            return self._keys.get((log, game)) or self._ring.game(game)
        except KeyFileError as error:
            raise JournalFileError([str(error)]) from error


_SAYS_ENDED: Final = b'"kind":"ended"'


def _read(
    db: sqlite3.Connection,
    path: Path,
    play: Play[M, E],
    *,
    after: int = 0,
    game_id: str | None = None,
    keys: Mapping[str, bytes] = MappingProxyType({}),
) -> Iterator[Entry[E]]:
    """Open rows strictly in order. Damage stops the reader with the row's number; a deleted game is left out, and so
    is one of another kind."""
    decode = _decoder(play).decode
    expected = after + 1
    game: str | None = None
    key: bytes | None = None
    try:
        openers = _Openers(db, path, keys)
        for seq, public, sealed in db.execute(
            "SELECT seq, public, sealed FROM entries WHERE seq > ? ORDER BY seq", (after,)
        ):
            if seq != expected:
                if seq % LOG_STEP != 1:
                    raise _damaged(path, expected, "is missing")
                game = None
            expected = seq + 1
            if public is None:
                continue
            part = public_part(path, seq, public)
            if part.kind == rec.DELETED or part.play != play.name or game_id not in (None, part.game):
                continue
            if part.game != game:
                game, key = part.game, openers.key(seq // LOG_STEP, part.game)
            yield _entry(path, seq, part, key, public, sealed, decode)
    except UNREADABLE as error:
        raise _damaged(path, expected, f"cannot be read ({error})") from error


def public_part(path: Path, seq: int, public: bytes) -> PublicPart:
    """The public half of a row. Raises JournalFileError if it is none, or another row's."""
    try:
        part = rec.read_public(public)
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError) as error:
        raise _damaged(path, seq, "does not hold a readable event") from error
    if part.seq != seq % LOG_STEP:
        raise _damaged(path, seq, f"says of itself that it is entry {part.seq}")
    return part


def _entry(
    path: Path,
    seq: int,
    part: PublicPart,
    key: bytes | None,
    public: bytes,
    sealed: bytes,
    decode: Callable[[bytes], _Inside[E]],
) -> Entry[E]:
    if key is None:
        raise JournalFileError.of(
            path,
            f"entry {named(seq)}",
            f"is sealed, and the key of its game {part.game} is not here",
            "Read it where it was written, or once the game has ended; `trapdial journal verify` needs no key",
        )
    try:
        text = unseal(key, public, sealed)
        if text is None:
            raise _damaged(path, seq, "does not open with the key of its game")
        inside = decode(rec.without_filling(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise _damaged(path, seq, "does not hold a readable event") from error
    event = inside.event
    if part.kind != kind_of(event):
        raise _damaged(path, seq, f"says '{part.kind}' outside and something else inside")
    return Entry(seq, part.game, part.boot, part.mono_ns, part.wall, event, part, inside.seats)


class _Inside(Sealed, msgspec.Struct, Generic[E], frozen=True, kw_only=True, gc=False):
    """A sealed half with its event, decoded in one go; else as `SealedPart`."""

    event: E
    seats: str
    shown: Shown | None = None
    salts: dict[str, str] = {}


def _decoder(play: Play[M, E]) -> msgspec.json.Decoder[_Inside[E]]:
    return msgspec.json.Decoder(_Inside[play.events])  # type: ignore[name-defined]


def _damaged(path: Path, seq: int, seen: str) -> JournalFileError:
    return JournalFileError.of(
        path, f"entry {named(seq)}", seen, "Entries before it are good; keep the file and a copy"
    )


def read(path: Path, play: Play[M, E], game_id: str | None = None) -> Iterator[Entry[E]]:
    """Every entry of the games of one kind in a journal file, in order, read only. Raises JournalFileError at the
    first damage."""
    with contextlib.closing(_open(path, write=False)) as db:
        yield from _read(db, path, play, game_id=game_id)


def _last_game(db: sqlite3.Connection, path: Path, play: Play[M, E]) -> tuple[str, M] | None:
    """Id and state of the newest game in the file if it is of this kind and has not ended, else None."""
    newest = _newest(db, path)
    if newest is None or newest.kind != rec.STARTED or newest.play != play.name:
        return None
    moment = play.nothing
    for entry in _read(db, path, play, game_id=newest.game):
        moment = play.advance(moment, entry.event)
    return newest.game, moment


_SAYS_STARTED: Final = b'"kind":"started"'


def running_game(db: sqlite3.Connection, path: Path) -> str | None:
    """The newest game in the file, of whatever kind, if it has no end."""
    newest = _newest(db, path)
    return newest.game if newest is not None and newest.kind == rec.STARTED else None


def _newest(db: sqlite3.Connection, path: Path) -> PublicPart | None:
    """The last beginning or end of a game."""
    rows = db.execute(
        "SELECT seq, public FROM entries WHERE instr(public, ?) OR instr(public, ?) ORDER BY seq DESC LIMIT 1",
        (_SAYS_STARTED, _SAYS_ENDED),
    )
    return next((public_part(path, seq, public) for seq, public in rows), None)


def running(path: Path, play: Play[M, E]) -> M | None:
    """The newest game in a file as it stands, if it is of this kind and has not ended. Raises JournalFileError."""
    with contextlib.closing(_open(path, write=False)) as db:
        found = _last_game(db, path, play)
    return None if found is None else found[1]


def add(path: Path, play: Play[M, E], event: E, stamp: Callable[[], Stamp] = machine_stamp) -> None:
    """Add one event to the running game of this kind, if there is one; the program that plays it picks it up. Raises
    JournalFileError if it cannot be added."""
    try:
        with contextlib.closing(_open(path, write=True)) as db, writing(db):
            found = _last_game(db, path, play)
            if found is not None:
                game_id, before = found
                after = play.advance(before, event)
                insert(db, _Chain(db, path, play).row(game_id, stamp(), before, event, after))
    except sqlite3.Error as error:
        raise JournalFileError.of(path, "file", f"could not be written ({error})", "Try again") from error
    except KeyFileError as error:
        raise JournalFileError([str(error)]) from error


# ------------------------------------------------------------------------------------------------------- for verifiers


@contextlib.contextmanager
def raw(path: Path) -> Iterator[RawJournal]:
    """The rows of a journal as they lie in the file, read only. Raises JournalFileError if it is none."""
    with contextlib.closing(_open(path, write=False)) as db:
        yield RawJournal(db, path)


class RawJournal:
    """Rows as they lie in the file; nothing in them was checked. `log` is 0 for a journal, and from 1 on for the logs
    of an archive."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self.path = db, path

    def logs(self) -> tuple[int, ...]:
        """The logs that it holds; (0,) for a journal. Raises JournalFileError."""
        try:
            if self._db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
                return (0,)
            found = [log for (log,) in self._db.execute("SELECT DISTINCT seq / ? FROM entries ORDER BY 1", (LOG_STEP,))]
        except UNREADABLE as error:
            raise self._broken(error) from error
        if not all(isinstance(log, int) and log > 0 for log in found):
            raise JournalFileError.of(self.path, "file", "holds entries that are of no log", "Merge it anew")
        return tuple(found)

    def rows(self, log: int = 0) -> Iterator[tuple[object, object, object, object, object]]:
        """All rows of a log by number: seq, public, sealed, leaf, signature. One that cannot be read is the last:
        nothing."""
        first = log * LOG_STEP
        columns = f"seq - {first}, public, sealed, leaf, signature"
        bounds = (first, first + LOG_STEP - 1) if log else (-_ALL - 1, _ALL)
        row: tuple[object, object, object, object, object] = (0, None, None, None, None)
        try:
            for row in self._db.execute(
                f"SELECT {columns} FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq", bounds
            ):
                yield row
        except UNREADABLE:  # Python asks for one row more than it hands out, so the one before may be sound
            following = first + int(str(row[0])) + 1
            with contextlib.suppress(*UNREADABLE):
                yield from self._db.execute(f"SELECT {columns} FROM entries WHERE seq = ?", (following,))
            yield (None, None, None, None, None)

    def _broken(self, error: Exception) -> JournalFileError:
        return JournalFileError.of(
            self.path, "file", f"cannot be read any further ({error})", "Keep it, and verify an earlier copy"
        )


_ALL: Final = (1 << 63) - 1


def logs(path: Path) -> tuple[int, ...]:
    """The logs in a file: (0,) for a journal, 1, 2, 3 and so on for an archive. Raises JournalFileError."""
    with raw(path) as journal:
        return journal.logs()


def verify(path: Path, witnesses: Sequence[Head] = (), log: int = 0, *, opens: bool = True) -> Verdict:
    """What a journal or a log of an archive is, with every sealed half opened whose key it publishes, unless `opens` is
    False. Raises JournalFileError."""
    with raw(path) as journal:
        again = partial(journal.rows, log) if opens else None
        return check(journal.rows(log), witnesses, plays.read_event, again=again)


def head(path: Path, log: int = 0) -> Head:
    """The head of a journal, or of a log of an archive: signed anew where the device's key lies beside it, else as its
    last row has it. Raises JournalFileError if the record is damaged."""
    verdict = verify(path, log=log)
    found = Head(verdict.device or b"", verdict.size, verdict.root, verdict.signature)
    if verdict.damage is not None or not found.genuine:
        damage = verdict.damage or Damage(verdict.size, "has no head")
        place = f"entry {named(log * LOG_STEP + damage.seq)}"
        raise JournalFileError.of(path, place, damage.seen, "Look with `trapdial journal verify`")
    with contextlib.suppress(KeyFileError):
        key = keys_of(path).known_device()
        if key is not None and key.public == found.device:
            return Head.made(key, found.size, found.root)
    return found
