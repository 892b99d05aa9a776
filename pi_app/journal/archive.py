"""Export records after play, merge several into one file, delete a game for good.

Each result can be verified: an export proves each entry under a signed head, a merged file holds the records unchanged,
and a deleted game leaves its hashes and an entry that records the deletion.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from pi_app import journal as jn
from pi_app.journal import LOG_STEP, JournalFileError, Stamp, machine_stamp, named
from pi_app.journal.deletion import RemovedGame, deletion
from pi_app.journal.files import check_files
from pi_app.journal.handing_on import handed_on
from pi_app.journal.record import entry as rec
from pi_app.journal.record.export import compared, entry_line, head_line, verify_export, wanted
from pi_app.journal.record.export_lines import ExportLines, TooMuchError
from pi_app.journal.record.heads import Head, is_last
from pi_app.journal.record.key_ring import KeyRing
from pi_app.journal.record.keys import DeviceKey, KeyFileError
from pi_app.journal.record.limits import LARGEST_EXPORT
from pi_app.journal.record.merkle import Proofs, Tree, consistency_proof, root_of
from pi_app.journal.record.verdict import GameSeen, RecordVerdict, fingerprint
from pi_app.journal.recorded_game import read_event
from pi_app.text.language import count_entries
from pi_app.text.plain_file import NotPlainError, open_plain
from pi_app.text.private_files import new_file
from pi_app.text.progress import Progress, counted, no_progress

# ------------------------------------------------------------------------------------------------------------- export


def export(
    path: Path,
    out: IO[bytes],
    games: Collection[str] = (),
    witnesses: Sequence[Head] = (),
    progress: Progress = no_progress,
    *,
    for_centre: bool = False,
) -> int:
    """Write these games of a journal or an archive, or all entries, as JSON lines with proofs. Return how many entries
    were written. Each witness's head is included with the proof that its record continues it. `for_centre`: with what
    a centre needs to take the whole record.

    Raises JournalFileError if the record is damaged, a game is not in it, a witness saw another record, or a centre
    could not take it.
    """
    records = [(log, _sound(path, log, progress)) for log in jn.logs(path)]
    for number, seen in enumerate(witnesses, 1):
        if all(verdict.device != seen.device for _, verdict in records):
            raise _unlike(path, number, seen, "and no record here is of that device")
    known = {game.game: game for _, verdict in records for game in verdict.games}
    for game in games:
        _must_be_there(path, game, known)
    count = 0
    for log, verdict in records:
        spans = wanted(verdict.games, games)
        if not games or spans:
            here = spans if games else [range(1, verdict.size + 1)]
            count += _export(path, log, out, here, witnesses, progress, for_centre)
    return count


def _export(
    path: Path,
    log: int,
    out: IO[bytes],
    spans: Sequence[range],
    witnesses: Sequence[Head],
    progress: Progress,
    for_centre: bool,
) -> int:
    head, count = jn.head(path, log, progress), 0
    with jn.raw(path) as journal:
        handed = handed_on(path, head, journal.rows(log)) if for_centre else None
        leaves = [leaf for *_, leaf, _ in journal.rows(log) if isinstance(leaf, bytes)][: head.size]
        proofs = Proofs(leaves)
        out.write(head_line(head, _continued(path, head, leaves, witnesses), handed))
        rows = counted(journal.rows(log), progress, f"{path.name}: writing entries", len(leaves))
        for seq, public, sealed, leaf, _ in rows:
            if (
                isinstance(seq, int)
                and any(seq in span for span in spans)
                and isinstance(public, bytes)
                and isinstance(sealed, bytes)
                and isinstance(leaf, bytes)
            ):
                out.write(entry_line(seq, public, sealed, leaf, proofs.of(seq - 1)))
                count += 1
    return count


def _continued(
    path: Path, head: Head, leaves: Sequence[bytes], witnesses: Sequence[Head]
) -> Iterator[tuple[Head, list[bytes]]]:
    """Yield the witnesses' heads of this record, each with its consistency proof. Raises JournalFileError."""
    for number, seen in enumerate(witnesses, 1):
        if seen.device != head.device:
            continue
        if not 0 < seen.size <= len(leaves):
            raise _unlike(path, number, seen, f"and it has {len(leaves)}")
        if root_of(leaves[: seen.size]) != seen.root:
            raise _unlike(path, number, seen, "other ones than those that it begins with")
        yield seen, consistency_proof(leaves, seen.size)


def _unlike(path: Path, number: int, seen: Head, why: str) -> JournalFileError:
    told = f"saw {count_entries(seen.size)} of device {fingerprint(seen.device)}, {why}"
    advice = "Nothing was written; check with `trapdial journal verify --witness`"
    return JournalFileError.of(path, f"witness {number}", told, advice)


def is_export(path: Path) -> bool:
    """Return whether a file begins like an export."""
    try:
        with open_plain(path) as file:
            return file.read(1) == b"{"
    except OSError:
        return False


def verify_exported(path: Path, witnesses: Sequence[Head] = ()) -> tuple[RecordVerdict, ...]:
    """Verify an export, with one verdict for each head in it. Raises JournalFileError if it cannot be read."""
    try:
        with open_plain(path, LARGEST_EXPORT) as file:
            return tuple(compared(found, witnesses) for found in verify_export(ExportLines(file), read_event))
    except TooMuchError as error:
        advice = "No export of a real record is like that; ask for it again"
        raise JournalFileError.of(path, error.place, str(error), advice) from error
    except NotPlainError as error:
        raise JournalFileError.of(path, "file", f"is {error}", error.advice) from error
    except OSError as error:
        raise JournalFileError.of(path, "file", f"cannot be read ({error.strerror})", "Check the name") from error


def _sound(path: Path, log: int, progress: Progress = no_progress) -> RecordVerdict:
    verdict = jn.verify(path, log=log, progress=progress)
    if verdict.damage is not None:
        place = f"entry {named(log * LOG_STEP + verdict.damage.seq)}"
        raise JournalFileError.of(
            path, place, verdict.damage.seen, "Nothing was written; check with `trapdial journal verify`"
        )
    return verdict


def _must_be_there(path: Path, game: str, known: dict[str, GameSeen]) -> None:
    found = known.get(game)
    if found is None:
        there = ", ".join(name for name, seen in known.items() if not seen.deleted) or "none"
        raise JournalFileError.of(path, f"game {game}", "is not in this record", f"Its games are: {there}")
    if found.deleted:
        raise JournalFileError.of(path, f"game {game}", "was deleted from this record", "Use an export of it")


# -------------------------------------------------------------------------------------------------------------- merge


@dataclass(frozen=True, slots=True)
class _Log:
    """A record for an archive."""

    path: Path
    log: int
    device: bytes
    leaves: tuple[bytes, ...]

    @property
    def name(self) -> str:
        """The file, and the log in it, for messages."""
        return f"{self.path} (log {self.log})" if self.log else str(self.path)

    def begins_like(self, other: _Log) -> bool:
        """Return whether both begin with the same entry of one device."""
        return self.device == other.device and self.leaves[:1] == other.leaves[:1]


def merge(paths: Sequence[Path], archive: Path, progress: Progress = no_progress) -> tuple[str, ...]:
    """Copy the records in these journals and archives into one new file; of two copies of one record the longer one.
    Return the name of each copied record.

    Raises JournalFileError, and leaves no file, if a record is damaged, if two copies differ, or if `archive` exists.
    """
    chosen: list[_Log] = []
    for path in paths:
        for log in jn.logs(path):
            _choose(chosen, _record_of(path, log, progress))
    if not chosen:
        raise JournalFileError.of(paths[0], "file", "holds no record", "Name journals with games")
    with _new_file(archive) as db:
        for number, each in enumerate(chosen, 1):
            with jn.raw(each.path) as journal:
                rows = ((number * LOG_STEP + int(str(seq)), *rest) for seq, *rest in journal.rows(each.log))
                db.executemany(jn.INSERT, rows)
    return tuple(each.name for each in chosen)


def _record_of(path: Path, log: int, progress: Progress) -> _Log:
    verdict = _sound(path, log, progress)
    with jn.raw(path) as journal:
        leaves = tuple(leaf for *_, leaf, _ in journal.rows(log) if isinstance(leaf, bytes))
    return _Log(path, log, verdict.device or b"", leaves)


def _choose(chosen: list[_Log], new: _Log) -> None:
    for place, old in enumerate(chosen):
        if not new.begins_like(old):
            if new.device == old.device:
                seen = f"is of the same device as {old.name} ({fingerprint(new.device)}), and begins with another entry"
                advice = (
                    "One of them was made up, or begun again: find out which one the witnesses saw, and merge that one"
                )
                raise JournalFileError.of(new.path, f"entry {named(new.log * LOG_STEP + 1)}", seen, advice)
            continue
        longer, shorter = (new, old) if len(new.leaves) > len(old.leaves) else (old, new)
        if longer.leaves[: len(shorter.leaves)] != shorter.leaves:
            seq = next(n for n, (a, b) in enumerate(zip(old.leaves, new.leaves, strict=False), 1) if a != b)
            raise JournalFileError.of(
                new.path,
                f"entry {named(new.log * LOG_STEP + seq)}",
                f"differs from the one in {old.name}, and both are of the device {fingerprint(new.device)}: one of "
                "them was rewritten",
                "Find out which one the witnesses saw with `trapdial journal verify --witness`, and merge that one",
            )
        chosen[place] = longer
        return
    chosen.append(new)


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[sqlite3.Connection]:
    """Create an archive, complete when the block ends; delete it if anything fails."""
    check_files(path, write=True)
    try:
        os.close(new_file(path))
    except FileExistsError as error:
        raise JournalFileError.of(path, "file", "exists already", "Name a new file; nothing was changed") from error
    except OSError as error:
        raise JournalFileError.of(
            path, "file", f"cannot be created ({error.strerror})", "Choose another folder"
        ) from error
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=MEMORY")  # an unfinished archive is deleted, so it needs no `-journal`
            db.execute("PRAGMA synchronous=FULL")
            db.execute("BEGIN EXCLUSIVE")
            db.execute(f"PRAGMA application_id={jn.ARCHIVE_ID}")
            db.execute(f"PRAGMA user_version={jn.FORMAT}")
            db.execute(jn.SCHEMA)
            yield db
            db.execute("COMMIT")
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise JournalFileError.of(path, "file", f"could not be written ({error})", "Free some space") from error
        raise


# ------------------------------------------------------------------------------------------------------------- delete


NEEDS_KEYS: Final = (
    "Delete it from its own journal and merge again; or name the folder with that device's keys with --keys"
)


@dataclass(frozen=True, slots=True)
class FoundGame:
    """A game to delete. `done`: it was deleted before, and only its remains are erased again."""

    log: int
    game: GameSeen
    device: bytes

    @property
    def done(self) -> bool:
        return self.game.deleted


def find(path: Path, game: str) -> FoundGame:
    """Find a game in a journal or an archive. Raises JournalFileError if it is not there or the file is damaged."""
    records = [(log, _sound(path, log)) for log in jn.logs(path)]
    for log, verdict in records:
        for seen in verdict.games:
            if seen.game == game:
                return FoundGame(log, seen, verdict.device or b"")
    there = ", ".join(seen.game for _, verdict in records for seen in verdict.games if not seen.deleted) or "none"
    raise JournalFileError.of(path, f"game {game}", "is not in this record", f"Its games are: {there}")


def delete(path: Path, game: str, keys: Path | None = None, stamp: Callable[[], Stamp] = machine_stamp) -> FoundGame:
    """Delete a game from a record for good. Its hashes stay, and an entry records the deletion.

    One transaction removes the halves and adds that entry. Then their remains in the file are overwritten, and the
    game's key is deleted; if that is interrupted, call this again. Raises JournalFileError.
    """
    jn.logs(path)
    lock = jn.lock(path)
    try:
        found = find(path, game)
        check_files(path, write=True)
        ring = KeyRing(keys) if keys is not None else jn.keys_of(path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=2.0)) as db:
            if found.log:  # a power cut must not leave a `-journal` beside an archive
                db.execute("PRAGMA journal_mode=MEMORY")
                db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("PRAGMA secure_delete=ON")
            if not found.done:
                key = _device_key(path, found, ring)
                with jn.transaction(db):
                    _delete_rows(db, path, found, key, stamp())
            erase_remains(db)
            if found.log:
                db.execute("PRAGMA journal_mode=MEMORY")
        ring.forget(game)
    except (sqlite3.Error, KeyFileError) as error:
        raise JournalFileError.of(
            path, "file", f"could not be changed ({error})", "Close every program that reads it, and try again"
        ) from error
    finally:
        os.close(lock)
    return found


def _device_key(path: Path, found: FoundGame, ring: KeyRing) -> DeviceKey:
    key = ring.device() if ring.has_device else None
    if key is None or key.public != found.device:
        advice = NEEDS_KEYS if found.log else f"Put its keys back into {ring.folder}, or name their folder: --keys"
        raise JournalFileError.of(
            path,
            f"game {found.game.game}",
            f"can only be deleted with the key of the device that wrote it ({fingerprint(found.device)})",
            advice,
        )
    return key


def _delete_rows(db: sqlite3.Connection, path: Path, found: FoundGame, key: DeviceKey, stamp: Stamp) -> None:
    game, first = found.game, found.log * LOG_STEP
    leaves = [
        bytes(leaf)
        for (leaf,) in db.execute(
            "SELECT leaf FROM entries WHERE seq > ? AND seq < ? ORDER BY seq", (first, first + LOG_STEP)
        )
    ]
    numbers = [
        (seq,)
        for seq, public in db.execute(
            "SELECT seq, public FROM entries WHERE seq BETWEEN ? AND ?", (first + game.first, first + game.last)
        )
        if public is not None and rec.read_public(public).game == game.game
    ]
    tree = Tree(leaves)
    (last,) = db.execute("SELECT signature FROM entries WHERE seq = ?", (first + tree.size,)).fetchone()
    if not is_last(key.public, tree.size, tree.root(), last or b""):
        raise JournalFileError.of(
            path, f"entry {named(first + tree.size)}", "was not written by this device", "Keep the file and a copy"
        )
    removed = RemovedGame(game.game, game.first, game.last, _said_first(db, first, game))
    row = deletion(removed, tree, leaves[-1], key, stamp)
    db.executemany("UPDATE entries SET public = NULL, sealed = NULL WHERE seq = ?", numbers)
    jn.insert(db, (first + row[0], *row[1:]))


def _said_first(db: sqlite3.Connection, first: int, game: GameSeen) -> rec.Continues | None:
    """Return what the first entry of a log says of an older record, if it is of this game."""
    if game.first != 1:
        return None
    (public,) = db.execute("SELECT public FROM entries WHERE seq = ?", (first + 1,)).fetchone()
    return rec.read_public(public).continues


def erase_remains(db: sqlite3.Connection) -> None:
    """Erase the deleted halves from free pages of the file and from its log."""
    db.execute("VACUUM")
    busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise sqlite3.OperationalError("another program reads it, so its log could not be emptied")
