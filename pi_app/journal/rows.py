"""A journal as verifiers take it: rows as they lie in the file, believed in nothing."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from pi_app import plays
from pi_app.journal.files import APPLICATION_ID, LOG_STEP, UNREADABLE, JournalFileError, keys_of, named, open_file
from pi_app.record.heads import Head
from pi_app.record.keys import KeyFileError
from pi_app.record.verify import Damage, Verdict
from pi_app.record.verify import verify as check


@contextlib.contextmanager
def raw(path: Path) -> Iterator[RawJournal]:
    """The rows of a journal as they lie in the file, read only. Raises JournalFileError if it is none."""
    with contextlib.closing(open_file(path, write=False)) as db:
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
