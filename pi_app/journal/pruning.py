"""Delete the games of a closed record, the oldest first, a little at a time, and give their space back to the disk.

Each game goes in one transaction, with the entry that records its deletion, so a power cut leaves it whole or gone. The
record can be verified at every moment. A file that can shrink gives back its free pages a few at a time; any other one
is written again when its last game is gone.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

from pi_app.journal.beside import log_size
from pi_app.journal.chain import insert, transaction
from pi_app.journal.deletion import RemovedGame, deletion
from pi_app.journal.files import UNREADABLE, JournalFileError, damaged, keys_of, open_file, unreadable
from pi_app.journal.record import entry as rec
from pi_app.journal.record.heads import Head, is_last
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.merkle import Tree
from pi_app.journal.stamps import Stamp, machine_stamp

ROWS_AT_ONCE: Final = 32
PAGES_AT_ONCE: Final = 64


_LEAVES: Final = "SELECT seq, leaf FROM entries WHERE seq BETWEEN ? AND ? AND NOT instr(substr(public, 1, 64), ?)"
_SAYS_DELETED: Final = b'"kind":"game deleted"'


class Pruned(Enum):
    """What a step has done; the last two are those of a journal's past records together."""

    READ = "read some rows"
    DELETED = "deleted a game"
    SHRUNK = "gave some space back"
    IDLE = "nothing: no page is free"
    BARE = "nothing: no game is left"
    ASIDE = "put the record aside"
    REMOVED = "removed a record"


class Pruner:
    """One closed record. Close it. Every method raises JournalFileError for a file that is not one of this device."""

    def __init__(self, path: Path, stamp: Callable[[], Stamp] = machine_stamp) -> None:
        self.path, self._stamp = path, stamp
        self._ring = keys_of(path)
        self._tree, self._before, self._signature = Tree(), b"", b""
        self._games: deque[RemovedGame] = deque()
        self._read_all = False
        try:
            key = self._ring.known_device()
        except KeyFileError as error:
            raise JournalFileError([str(error)]) from error
        if key is None:
            raise JournalFileError.of(path, "file", f"has no key in {self._ring.folder}", "Put device.key back")
        self._key = key
        self._db = open_file(path, write=True)
        self._shrinks = self._number("auto_vacuum") == 2

    def close(self) -> None:
        """Close the file, and remember its head. Closing twice is harmless."""
        if self._read_all and self._tree.size:
            with contextlib.suppress(KeyFileError):
                self._ring.remember(Head.made(self._key, self._tree.size, self._tree.root()).text())
        self._db.close()

    @property
    def games(self) -> int:
        """How many games are left, as far as the file was read."""
        return len(self._games)

    def step(self, *, delete: bool, late: Callable[[], bool] = lambda: True) -> Pruned:
        """Do a little: read some rows until it is `late`; give some space back; or `delete` the oldest game."""
        try:
            if not self._read_all:
                return self._read(late)
            if log_size(self.path) or (self._shrinks and self._number("freelist_count")):
                return self._give_back()
            if self._games and delete:
                return self._delete(self._games[0])
            return Pruned.IDLE if self._games else self._bare()
        except UNREADABLE as error:
            raise unreadable(self.path, error) from error
        except (msgspec.MsgspecError, TypeError, LookupError) as error:
            raise damaged(self.path, self._tree.size + 1, f"cannot be read ({error})") from error

    def _read(self, late: Callable[[], bool]) -> Pruned:
        while True:
            rows = self._db.execute(
                "SELECT public, leaf, signature FROM entries WHERE seq > ? ORDER BY seq LIMIT ?",
                (self._tree.size, ROWS_AT_ONCE),
            ).fetchall()
            for public, leaf, signature in rows:
                self._take(public, leaf, signature)
            if len(rows) < ROWS_AT_ONCE:
                self._check_end()
                self._read_all = True
                return Pruned.READ
            if late():
                return Pruned.READ

    def _take(self, public: bytes | None, leaf: bytes, signature: bytes | None) -> None:
        self._tree.append(leaf)
        self._before, self._signature = leaf, signature or b""
        if public is None:
            return
        part = rec.read_public(public)
        if part.kind == rec.STARTED:
            self._games.append(RemovedGame(part.game, part.seq, part.seq, part.continues))
        elif part.kind != rec.DELETED:
            last = self._games.pop()
            if last.game != part.game:
                raise damaged(self.path, part.seq, "is of another game than the entry before it")
            self._games.append(RemovedGame(last.game, last.first, part.seq, last.continues))

    def _check_end(self) -> None:
        if not is_last(self._key.public, self._tree.size, self._tree.root(), self._signature):
            raise damaged(self.path, self._tree.size, "was not written by this device")

    def _delete(self, game: RemovedGame) -> Pruned:
        tree = self._tree.copy()
        row = deletion(game, tree, self._before, self._key, self._stamp())
        with transaction(self._db):
            leaves = self._db.execute(_LEAVES, (game.first, game.last, _SAYS_DELETED)).fetchall()
            self._db.executemany("DELETE FROM entries WHERE seq = ?", [(seq,) for seq, _ in leaves])
            self._db.executemany("INSERT INTO entries (seq, leaf) VALUES (?, ?)", leaves)  # SQLite packs new rows
            insert(self._db, row)
        self._tree, self._before = tree, row[3]
        self._games.popleft()
        with contextlib.suppress(KeyFileError):
            self._ring.forget(game.game)
        return Pruned.DELETED

    def _give_back(self) -> Pruned:
        """Free some pages, then move SQLite's log into the file: that is when the file gets shorter."""
        if self._shrinks and self._number("freelist_count"):
            self._db.execute(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})").fetchall()
        else:
            self._empty_log()
        return Pruned.SHRUNK

    def _bare(self) -> Pruned:
        """Write a file again that cannot shrink in steps, once it has no game left; then nothing is to be done."""
        if not self._shrinks and self._number("freelist_count"):
            self._db.execute("VACUUM")
            return Pruned.SHRUNK
        return Pruned.BARE

    def _empty_log(self) -> None:
        busy, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            seen = sqlite3.OperationalError("another program reads it, so its log could not be emptied")
            seen.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise seen

    def _number(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])
