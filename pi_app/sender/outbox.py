"""Reads what is to be handed over from a journal that another program writes, and signs checkpoints over it.

It signs nothing that the journal's own program has not signed: the last entry's signature is checked first.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from pi_app.journal import JournalFileError, RawJournal, raw
from pi_app.journal.beside import LOG
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.handover import HandedEntry, HandOver, show_presence
from pi_app.journal.record.heads import is_last
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.merkle import Tree, consistency_spans
from pi_app.journal.record.notes import SignedNote, VerifierKey

MOST_ENTRIES: Final = 500
MOST_BYTES: Final = 1_000_000
"""Of one hand-over, but for a single entry that is larger."""

LEAVES_AT_ONCE: Final = 4_096
"""No read lasts longer than for so many: the program that writes must not wait with its own tidying."""

TICK_S: Final = 0.05
"""A file that was written so short ago may be written again without another time of change."""

R = TypeVar("R")
FileMark = tuple[int, int, int]
"""Of a file: its number, its size, and when it was changed, in ns."""


class Outbox:
    """The entries of one record. It remembers the tree over those before the next hand-over, and no entry."""

    def __init__(self, path: Path, key: DeviceKey) -> None:
        """`key`: of the device that writes the record."""
        self.path, self._key = path, key
        self._tree = Tree()
        self._checked = False
        self._turn = threading.Lock()
        """Of whoever reads: the centre's turn and those of witnesses share the tree."""
        self._quiet: tuple[int, tuple[FileMark, ...]] | None = None

    @property
    def origin(self) -> str:
        """The origin of the record's checkpoints."""
        return origin_of(self._key.public)

    def check(self) -> None:
        """Check that the device has signed the last entry. Raises JournalFileError."""
        with self._turn:
            self._checked = False
        self._reading(lambda _: None)

    def is_quiet(self, after: int) -> bool:
        """Return whether the files are as they were when there was no entry after this number. Opens nothing."""
        return self._quiet is not None and self._quiet == (after, _marks(self.path))

    def next(self, after: int, since: str = "", most: int = MOST_ENTRIES) -> HandOver | None:
        """Return the next entries after this number, at most so many, with their checkpoint, or the checkpoint alone if
        there are none; None if the record has fewer entries. `since`: the newest note that the centre has cosigned.
        Raises JournalFileError."""
        marks, now_s = _marks(self.path), time.time()
        found = self._reading(lambda journal: self._next(journal, after, since, most))
        settled = all(now_s - changed_ns / 1e9 > TICK_S for *_, changed_ns in marks)
        self._quiet = (after, marks) if settled and found is not None and not found.entries else None
        return found

    def add_presence(self, handed: HandOver, centre: VerifierKey, challenge: str) -> HandOver:
        """Return a hand-over with which the device shows a centre that it is there."""
        return show_presence(handed, self._key, centre, challenge)

    def last(self) -> int:
        """Return how many entries the record has. Raises JournalFileError."""
        with raw(self.path) as journal:
            return journal.last()

    def consistency(self, earlier: int, size: int) -> tuple[SignedNote, tuple[bytes, ...]] | None:
        """Return a checkpoint over the first `size` entries, and the proof that it continues that over the first
        `earlier`; None if the record has fewer entries. Raises JournalFileError."""
        return self._reading(lambda journal: self._proof(journal, earlier, size))

    def _reading(self, work: Callable[[RawJournal], R]) -> R:
        """Read; if the file was written meanwhile and SQLite could not see that, raise JournalFileError."""
        with self._turn:
            return self._read_alone(work)

    def _read_alone(self, work: Callable[[RawJournal], R]) -> R:
        resting = _at_rest(self.path)
        with raw(self.path) as journal:
            if not self._checked:
                self._check_last(journal)
            found = work(journal)
        if resting is not None and resting != _at_rest(self.path):
            self._tree, self._checked = Tree(), False
            raise JournalFileError.of(
                self.path, "file", "was written while it was read", "No action needed: it is read again"
            )
        self._checked = True
        return found

    def _check_last(self, journal: RawJournal) -> None:
        """Check that the device has signed the last entry. Raises JournalFileError."""
        tree, signature = Tree(), None
        while part := journal.leaves(tree.size + 1, tree.size + LEAVES_AT_ONCE):
            tree.extend([self._leaf(leaf, tree.size + at) for at, (leaf, _) in enumerate(part, 1)])
            signature = part[-1][1]
            if len(part) < LEAVES_AT_ONCE:
                break
        if tree.size:
            self._check(tree, signature)

    def _check(self, tree: Tree, signature: object) -> None:
        signed = signature if isinstance(signature, bytes) else b""
        if not is_last(self._key.public, tree.size, tree.root(), signed):
            raise self._damaged(tree.size, "does not have this device's signature")

    def _grow(self, journal: RawJournal, tree: Tree, size: int) -> bool:
        """Add leaves to a tree up to this size; return whether there are so many."""
        while tree.size < size:
            part = journal.leaves(tree.size + 1, min(size, tree.size + LEAVES_AT_ONCE))
            if not part:
                return False
            tree.extend([self._leaf(leaf, tree.size + at) for at, (leaf, _) in enumerate(part, 1)])
        return True

    def _next(self, journal: RawJournal, after: int, since: str, most: int) -> HandOver | None:
        if after < self._tree.size:
            self._tree = Tree()
        if not self._grow(journal, self._tree, after):
            return None
        entries: list[HandedEntry] = []
        tree, size, signature = self._tree.copy(), 0, None
        for _, public, sealed, leaf, signed in journal.rows(part=(after + 1, after + min(most, MOST_ENTRIES))):
            number = after + len(entries) + 1
            halves = (public, sealed) if isinstance(public, bytes) and isinstance(sealed, bytes) else (None, None)
            size += sum(len(half) for half in halves if half is not None)
            if entries and size > MOST_BYTES:
                signature = None
                break
            entries.append((*halves, self._leaf(leaf, number)))
            if halves[0] is not None and halves[1] is not None and rec.leaf(*halves) != leaf:
                raise self._damaged(number, "was changed: it does not fit its hash")
            signature = signed
        tree.extend([leaf for *_, leaf in entries])
        if signature is not None:
            self._check(tree, signature)
        more = max(0, journal.last() - tree.size)
        note = signed_checkpoint(self._key, tree.size, tree.root())
        return HandOver(self.origin, after + 1, tuple(entries), note, since, more)

    def _proof(self, journal: RawJournal, earlier: int, size: int) -> tuple[SignedNote, tuple[bytes, ...]] | None:
        whole = Tree()
        if not self._grow(journal, whole, size):
            return None
        steps = []
        for first, last in consistency_spans(earlier, size) if 0 < earlier <= size else ():
            part, at = Tree(), first
            while at < last:
                leaves = journal.leaves(at + 1, min(last, at + LEAVES_AT_ONCE))
                if not leaves:
                    raise self._damaged(at + 1, "is missing")
                part.extend([self._leaf(leaf, at + number) for number, (leaf, _) in enumerate(leaves, 1)])
                at += len(leaves)
            steps.append(part.root())
        return signed_checkpoint(self._key, whole.size, whole.root()), tuple(steps)

    def _leaf(self, leaf: object, number: int) -> bytes:
        if not isinstance(leaf, bytes):
            raise self._damaged(number, "has no hash")
        return leaf

    def _damaged(self, number: int, seen: str) -> JournalFileError:
        advice = "Nothing after it is handed over. Check with `trapdial journal verify`"
        return JournalFileError.of(self.path, f"entry {number}", seen, advice)


def _mark(path: Path) -> FileMark:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _marks(path: Path) -> tuple[FileMark, ...]:
    return _mark(path), _mark(path.with_name(path.name + LOG))


def _at_rest(path: Path) -> FileMark | None:
    """Return the mark of a journal whose log is empty; None for one that is being written. SQLite then reads the file
    as one that never changes, so the caller checks that it did not."""
    mark, log = _marks(path)
    return None if log[1] else mark
