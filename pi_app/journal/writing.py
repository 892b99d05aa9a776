"""Write games into a journal: one row per event, on disk before anything is reported.

Rows are only added. The last one is signed by this device and loses its signature when another follows. Each row has a
public half, which the log viewer may read during the game, and a sealed half, encrypted with the game's key, which is
in another file until the game ends (`pi_app.journal.record`). Each row is bound to all rows before it (`chain`).

The file is opened with WAL and synchronous=FULL: when `append` returns, the row survives a power cut. A lock on the
file keeps a second program from writing to it.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Generic

import msgspec

from pi_app.journal.beside import log_size, remove_journal
from pi_app.journal.chain import Chain, insert, transaction
from pi_app.journal.disk_trouble import advice, refused_by
from pi_app.journal.files import (
    UNREADABLE,
    JournalFileError,
    at_rest,
    empty_unwritten,
    errno_of,
    lock,
    open_file,
    unreadable,
)
from pi_app.journal.past import may_move, put_aside, recover
from pi_app.journal.reading import entries, last_game, other_game
from pi_app.journal.record import entry as rec
from pi_app.journal.record.happenings import ClockCorrected, Ended
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.recorded_game import E, M, Play, kind_of
from pi_app.journal.stamps import Stamp, correction_of, machine_stamp

CHECKPOINT_AFTER: Final = 100
"""Entries after which a checkpoint of SQLite's log pays: some 400 of its pages."""

ROUNDS_OFF: Final = 50
"""While another program reads the log, it cannot be emptied. That is tried again after so many calls, not in each."""


RESUME_NO_MORE: Final = (
    "Some events would be refused and others not, which reveals secrets. Begin another game with --new: it takes these "
    "names"
)


class NotRecordedError(Exception):
    """The disk did not accept an event, so it did not happen and must not be reported. The message has the reason.
    `cause` stays the same while one trouble lasts; it is empty if only this event is refused. `for_good`: it is refused
    every time."""

    def __init__(self, message: str, cause: str = "", *, for_good: bool = False) -> None:
        self.cause, self.for_good = cause, for_good
        super().__init__(message)


class Journal(Generic[M, E]):
    """A journal that is open for games of one kind, for this program alone. Use as a context manager.

    `stamp` gives the time of each entry; only the journal writes dates.
    """

    def __init__(
        self, path: Path, play: Play[M, E], stamp: Callable[[], Stamp] = machine_stamp, *, shrinks: bool = False
    ) -> None:
        """`shrinks`: a file that is created here can give back the space of deleted games in small steps."""
        self.path, self._play = path, play
        self.stamp, self._shrinks = stamp, shrinks
        self._corrections: list[ClockCorrected] = []
        self._closed_head: Head | None = None
        self._must_open = True
        """Whether the disk refused to open the file after a record was put aside, or it was never open."""
        self._open_again()

    def _open_again(self) -> None:
        """Open the file if it must be opened. Raises JournalFileError."""
        if self._must_open:
            recover(self.path)
            self._open()
            self._must_open = False

    def _open(self) -> None:
        path = self.path
        self._made_here = not path.exists()
        self._lock, held = -1, lock(path)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, held)
            if self._made_here:
                undo.callback(remove_journal, path)
            if self._shrinks:
                empty_unwritten(held, path)
            self._db = open_file(path, write=True, shrinks=self._shrinks)
            undo.callback(self._db.close)
            try:
                self._chain = Chain(self._db, path, self._play)
                self._stamped = _last_stamp(self._db)
            except UNREADABLE as error:
                raise unreadable(path, error) from error
            undo.pop_all()
        self._lock = held
        self._seq = self._chain.seq
        self._seen_version, self._checkpointed = -1, self._seq
        self._remembered = 0 if self._chain.kept_none else self._seq
        self._to_empty = self._in_game = False
        self._rounds_off = 0

    def append(self, game_id: str, before: M, event: E) -> M:
        """Write one event to the disk and return the moment after it.

        Entries that another program added are read first, and a changed clock is recorded. Raises NotRecordedError if
        the disk does not accept the event; then it did not happen.
        """
        seq = self._seq
        try:
            self._open_again()
            seq, stamp = self._seq, self.stamp()
            before = self._corrected(game_id, stamp, before, event)
            after = self._put(game_id, stamp, before, event)
        except (sqlite3.Error, KeyFileError, JournalFileError, rec.TooLongError) as error:
            self._seq, self._seen_version = seq, -1  # read the entries of other programs again the next time
            if kind_of(event) == rec.STARTED:
                with contextlib.suppress(KeyFileError):
                    self._chain.forget(game_id)
            raise self._refused(event, error) from error
        if isinstance(event, Ended):
            with contextlib.suppress(KeyFileError):  # the key is published: its file is no longer needed, and no secret
                self._chain.forget(game_id)
            self._to_empty = True
        self._in_game = not isinstance(event, Ended)
        if kind_of(event) in (rec.STARTED, rec.ENDED):
            self._remember()
        return after

    def _put(self, game_id: str, stamp: Stamp, before: M, event: E | ClockCorrected) -> M:
        if kind_of(event) == rec.STARTED:
            self._chain.begin(game_id)
        with transaction(self._db):
            before = self._caught_up(game_id, before)
            after = self._play.advance(before, event)
            row = self._chain.row(game_id, stamp, before, event, after)
            insert(self._db, row)
        self._chain.wrote(row)
        self._seq = self._chain.seq
        return after

    def _corrected(self, game_id: str, stamp: Stamp, before: M, event: E) -> M:
        """Record a correction of the clock if one is due, and return the moment after it. Compare with the first entry
        since the last correction, so that small changes add up."""
        started = kind_of(event) == rec.STARTED
        correction = None if started else correction_of(self._stamped, stamp)
        if correction is not None:
            before = self._put(game_id, stamp, before, correction)
            self._corrections.append(correction)
        if correction is not None or started or self._stamped is None or self._stamped.boot != stamp.boot:
            self._stamped = stamp
        return before

    def _refused(self, event: E, error: Exception) -> NotRecordedError:
        place = f"Journal ({self.path})"
        match error:
            case sqlite3.Error():
                number = errno_of(error, self.path)
                why = f"{error}" if number is None else f"{error} ({os.strerror(number)})"
                return NotRecordedError(
                    f"{place} could not be written: {why}. {advice(number)}; play goes on as soon as it can be "
                    "written again.",
                    f"sqlite {number}",
                )
            case KeyFileError():
                number = getattr(error.__cause__, "errno", None)
                return NotRecordedError(f"{place} could not be sealed: {error}", f"keys {number or error}")
            case rec.TooLongError() if kind_of(event) == rec.STARTED:
                mend = "Shorten the longest names and notes in the settings and the trap tables"
                return NotRecordedError(f"{place} cannot hold this game: {error}. {mend}", "game too long")
            case rec.TooLongError():
                why = "has no room for this event, and the game goes on without it. Report this as a bug"
                return NotRecordedError(f"{place} {why}", for_good=True)
            case _:
                number = refused_by(error)
                return NotRecordedError(str(error), str(error) if number is None else f"file {number}")

    def take_corrections(self) -> tuple[ClockCorrected, ...]:
        """Return the corrections of the clock that were recorded since the last call."""
        taken, self._corrections = tuple(self._corrections), []
        return taken

    def catch_up(self, game_id: str, moment: M) -> M:
        """Return the moment after the entries that another program added to this game (a trap table shown with
        `--in-play`). Entries that cannot be read now are left for the next call."""
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
        for entry in entries(self._db, self.path, self._play, after=seq, keys=self._chain.held):
            moment = self._play.advance(moment, entry.event) if entry.game_id == game_id else moment
            seq = entry.seq
        self._seq, self._seen_version = seq, version
        return moment

    def _remember(self) -> None:
        if self._remembered < self._chain.seq:
            self._chain.remember()
            self._remembered = self._chain.seq

    def head(self) -> Head:
        """Return a signed head of all entries so far; while none is added, the same one. There must be at least one, or
        a record that was put aside, whose last head it is."""
        return self._chain.head() if self._closed_head is None or self._seq else self._closed_head

    @property
    def set_aside(self) -> Path | None:
        """The file `last.head` under its new name, if it could not be read when this was opened."""
        return self._chain.set_aside

    @property
    def size_bytes(self) -> int:
        """The bytes of the file and of SQLite's log beside it; 0 while the disk refuses to open a new one."""
        return 0 if self._must_open else self.path.stat().st_size + log_size(self.path)

    @property
    def promised(self) -> int:
        """The bytes of the public halves that begin or delete games: a record may hold LARGEST_OPENINGS."""
        return self._chain.promised

    def began(self) -> Stamp | None:
        """Return the time of the first entry; None without one, or if its game was deleted."""
        if self._must_open:
            return None
        return _stamp_of(self._db.execute("SELECT public FROM entries WHERE seq = 1").fetchone())

    def begin_new_log(self) -> bool:
        """Put the record aside, into the folder of past records, and begin a new one that continues it, under the same
        name. Return False if that cannot be now: a game is on, there is no entry, another program reads the file, or
        its keys are in another place or locked. Raises JournalFileError if the disk refuses it; the record is then as
        before, or the next call, entry or start of the program completes it."""
        self._open_again()
        if self._in_game or not self._seq or not may_move(self._chain.ring):
            return False
        head, ring, moved = self._chain.head(), self._chain.ring, False
        self._remember()
        self._db.close()
        try:
            moved = at_rest(self.path) and put_aside(self.path, ring, head)
        finally:
            os.close(self._lock)
            self._lock, self._must_open = -1, True
            self._closed_head = head if moved else self._closed_head
            self._open_again()
        return moved

    def drop_cache(self) -> None:
        """Free the pages of the file that SQLite keeps in memory. It reads them again when it needs them."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA shrink_memory")

    def checkpoint_if_due(self) -> None:
        """Move SQLite's log into the file if it is long enough. Call this when nothing waits.

        Otherwise SQLite does it in some append, which then takes several times as long. After the end of a game the log
        is emptied as well, because it still has the signatures of earlier last entries.
        """
        if not self._to_empty and self._seq - self._checkpointed < CHECKPOINT_AFTER:
            return
        if self._rounds_off:
            self._rounds_off -= 1
            return
        self._checkpointed = self._seq
        with contextlib.suppress(sqlite3.Error):
            self._to_empty = not _checkpoint(self._db, "TRUNCATE" if self._to_empty else "PASSIVE")
        self._rounds_off = ROUNDS_OFF if self._to_empty else 0

    def unfinished(self) -> tuple[str, M] | None:
        """Return id and state of the newest game in the file, to resume it, if it is of this kind and has not ended.
        Raises JournalFileError."""
        try:
            found = last_game(self._db, self.path, self._play)
            if found is not None:
                self._check_room(found[0])
            return found
        except UNREADABLE as error:
            raise unreadable(self.path, error) from error

    def unfinished_of_another_kind(self) -> str | None:
        """Return the id of the newest game in the file, if it is of another kind and has not ended. Raises
        JournalFileError."""
        try:
            return other_game(self._db, self.path, self._play)
        except UNREADABLE as error:
            raise unreadable(self.path, error) from error

    def _check_room(self, game_id: str) -> None:
        """Refuse to resume a game of an older program whose entries are too short for its names: some events would be
        refused and others not, and that would reveal secrets (S-6)."""
        start = self._chain.start_of(game_id)
        after = 0 if start is None else start.seq - 1
        first = next(entries(self._db, self.path, self._play, after=after, keys=self._chain.held), None)
        if start is None or first is None or kind_of(first.event) != rec.STARTED:
            return
        lengths = self._play.lengths(first.event)
        if any(length > rec.sealed_size(kind, start.opening) for kind, length in lengths.items()):
            seen = "was begun by an older Trapdial, and its names are too long for its entries"
            raise JournalFileError.of(self.path, f"game {game_id}", seen, RESUME_NO_MORE)

    def close(self) -> None:
        """Close and unlock the file; delete it if it was created here and has no entry. Closing twice is harmless."""
        self._db.close()
        if self._lock >= 0:
            self._remember()
            if self._made_here and self._seq == 0:
                with contextlib.suppress(OSError):  # a disk that became read-only
                    remove_journal(self.path)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Journal[M, E]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _checkpoint(db: sqlite3.Connection, how: str) -> bool:
    """Return whether the whole log was moved into the file. Do not wait for readers."""
    waits = db.execute("PRAGMA busy_timeout").fetchone()[0]
    db.execute("PRAGMA busy_timeout=0")
    try:
        busy = bool(db.execute(f"PRAGMA wal_checkpoint({how})").fetchone()[0])
    finally:
        db.execute(f"PRAGMA busy_timeout={waits}")
    return not busy


def _last_stamp(db: sqlite3.Connection) -> Stamp | None:
    """Return the time of the last row; None if there is none or it cannot be read."""
    return _stamp_of(
        db.execute("SELECT public FROM entries WHERE public IS NOT NULL ORDER BY seq DESC LIMIT 1").fetchone()
    )


def _stamp_of(row: tuple[bytes] | None) -> Stamp | None:
    """Return the time in a row with only a public half; None without one that can be read."""
    with contextlib.suppress(msgspec.MsgspecError, TypeError, ValueError):
        part = rec.read_public(row[0] if row else b"")
        datetime.datetime.fromisoformat(part.wall).astimezone(datetime.UTC)
        return Stamp(part.boot, part.mono_ns, part.wall, part.clock, part.witnessed)
    return None


def _version(db: sqlite3.Connection) -> int:
    """Return a number that changes only when another connection has written."""
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def add(path: Path, play: Play[M, E], event: E, stamp: Callable[[], Stamp] = machine_stamp) -> None:
    """Add one event to the running game of this kind, if there is one; the program that plays it reads it. Raises
    JournalFileError."""
    try:
        with contextlib.closing(open_file(path, write=True)) as db, transaction(db):
            found = last_game(db, path, play)
            if found is not None:
                game_id, before = found
                after = play.advance(before, event)
                chain = Chain(db, path, play)
                row = chain.row(game_id, stamp(), before, event, after)
                insert(db, row)
        if found is not None:
            chain.wrote(row)
            chain.remember()
    except rec.TooLongError as error:
        raise JournalFileError.of(path, "file", f"has no room for such a long event ({error})", "Shorten it") from error
    except UNREADABLE as error:
        raise JournalFileError.of(path, "file", f"could not be written ({error})", "Try again") from error
    except KeyFileError as error:
        raise JournalFileError([str(error)]) from error
