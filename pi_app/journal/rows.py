"""A journal's rows as they are in the file, for verifiers. Nothing in them is trusted."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pi_app.journal.file_size import cut_short
from pi_app.journal.files import (
    APPLICATION_ID,
    LOG_STEP,
    UNREADABLE,
    JournalFileError,
    at_rest,
    keys_of,
    named,
    open_file,
)
from pi_app.journal.record import entry as rec
from pi_app.journal.record import succession
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import KeyFileError
from pi_app.journal.record.last_head import NOTHING_KEPT, KeptHead, read_kept
from pi_app.journal.record.limits import MOST_LOGS
from pi_app.journal.record.row_checks import UNREADABLE_ROW
from pi_app.journal.record.runs import CheckedRow, RawRow, RowRun, runs
from pi_app.journal.record.verdict import Damage, RecordVerdict
from pi_app.journal.record.verify import judge
from pi_app.journal.record.verify import verify as check
from pi_app.journal.recorded_game import read_event
from pi_app.text.progress import Progress, counted, no_progress

if TYPE_CHECKING:
    from concurrent.futures import Future


@contextlib.contextmanager
def raw(path: Path) -> Iterator[RawJournal]:
    """Open the rows of a journal, read only. Raises JournalFileError if the file is not a journal."""
    with contextlib.closing(open_file(path, write=False)) as db:
        yield RawJournal(db, path)


class RawJournal:
    """Unchecked rows. `log` is 0 for a journal, and from 1 on for the logs of an archive."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self.path = db, path

    def logs(self) -> tuple[int, ...]:
        """Return the logs in it: (0,) for a journal, (1,) for an archive without entries. Raises JournalFileError, also
        for an archive with two logs of one device."""
        try:
            if self._db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
                return (0,)
            found = self._found_logs()
            devices = [self.device(log) for log in found]
        except UNREADABLE as error:
            raise self._broken(error) from error
        first: dict[str, int] = {}
        for log, device in zip(found, devices, strict=True):
            if device is not None and first.setdefault(device, log) != log:
                seen = f"holds two records of one device, in log {first[device]} and in log {log}"
                raise JournalFileError.of(self.path, "file", seen, "Merge the devices' own journals again")
        return tuple(found) or (1,)

    def _found_logs(self) -> list[int]:
        """Return the numbers of an archive's logs, each found from the one before it. Raises JournalFileError."""
        found: list[int] = []
        after = LOWEST
        while row := self._db.execute(
            "SELECT seq FROM entries WHERE seq >= ? ORDER BY seq LIMIT 1", (after,)
        ).fetchone():
            log = row[0] // LOG_STEP if isinstance(row[0], int) else 0
            if log < 1:
                raise JournalFileError.of(self.path, "file", "holds entries that are of no log", "Merge it again")
            if found and log <= found[-1]:
                raise JournalFileError.of(self.path, "file", "holds logs that are out of order", "Merge it again")
            if len(found) == MOST_LOGS:
                seen = f"holds more than {MOST_LOGS:,} logs"
                raise JournalFileError.of(self.path, "file", seen, "Merge fewer journals into one archive")
            found.append(log)
            after = min((log + 1) * LOG_STEP, HIGHEST)
            if after == HIGHEST:
                break
        return found

    def device(self, log: int) -> str | None:
        """Return the device that the first entry of a log with a public half names; None if it names none."""
        first = log * LOG_STEP
        found = self._db.execute(
            "SELECT public FROM entries WHERE seq BETWEEN ? AND ? AND public IS NOT NULL ORDER BY seq LIMIT 1",
            (first, first + LOG_STEP - 1),
        ).fetchone()
        with contextlib.suppress(msgspec.MsgspecError, TypeError):
            part = rec.read_public(found[0] if found else b"")
            return part.device if part.opening is None else part.opening.device
        return None

    def about(self) -> int:
        """Estimate how many rows there are: the highest number, if the file is long enough."""
        try:
            found = self._db.execute("SELECT max(seq) FROM entries").fetchone()[0]
        except UNREADABLE:
            return 0
        return min(found, self.path.stat().st_size // rec.PUBLIC_BYTES) if isinstance(found, int) else 0

    def rows(self, log: int = 0, part: tuple[int, int] | None = None) -> Iterator[RawRow]:
        """Yield all rows of a log by number: seq, public, sealed, leaf, signature. A row that cannot be read is the
        last one, all None. `part`: only the numbers between these two in the file, both included."""
        first = log * LOG_STEP
        columns = f"seq - {first}, public, sealed, leaf, signature"
        bounds = part or ((first, first + LOG_STEP - 1) if log else (LOWEST, HIGHEST))
        row: RawRow = (0, None, None, None, None)
        try:
            for row in self._db.execute(
                f"SELECT {columns} FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq", bounds
            ):
                yield row
        except UNREADABLE:  # Python reads one row ahead, so the row before may be sound
            following = first + int(str(row[0])) + 1
            with contextlib.suppress(*UNREADABLE):
                yield from self._db.execute(f"SELECT {columns} FROM entries WHERE seq = ?", (following,))
            yield (None, None, None, None, None)

    def leaves(self, first: int, last: int) -> list[tuple[object, object]]:
        """Return leaf and signature of a journal's entries between these numbers, both included. Raises
        JournalFileError."""
        try:
            return self._db.execute(
                "SELECT leaf, signature FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq", (first, last)
            ).fetchall()
        except UNREADABLE as error:
            raise self._broken(error) from error

    def last(self) -> int:
        """Return the number of a journal's last entry; 0 without any. Raises JournalFileError."""
        try:
            return int(self._db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
        except UNREADABLE as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> JournalFileError:
        return JournalFileError.of(
            self.path, "file", f"cannot be read further ({error})", "Keep it, and verify an earlier copy"
        )


LOWEST: Final = -(1 << 63)
HIGHEST: Final = (1 << 63) - 1
"""The range of SQLite's row numbers."""


def logs(path: Path) -> tuple[int, ...]:
    """Return the logs in a file: (0,) for a journal, 1, 2, 3 and so on for an archive. Raises JournalFileError."""
    with raw(path) as journal:
        return journal.logs()


def device_in(path: Path, log: int = 0) -> bytes | None:
    """Return the device that a record names at its beginning, which is not checked here; None if it names none. Raises
    JournalFileError for a file that is no journal."""
    with raw(path) as journal, contextlib.suppress(*UNREADABLE, ValueError):
        return bytes.fromhex(journal.device(log) or "") or None
    return None


def verify(
    path: Path,
    witnesses: Sequence[Head] = (),
    log: int = 0,
    *,
    opens: bool = True,
    progress: Progress = no_progress,
) -> RecordVerdict:
    """Verify a journal or a log of an archive; unless `opens` is False, also open every sealed half whose key is
    published. Raises JournalFileError."""
    kept = kept_head(path, log)
    total = 0 if progress is no_progress else _about(path)

    def told_rows(what: str) -> Iterable[RawRow]:
        return counted(_rows(path, log), progress, f"{path.name}: {what}", total)

    again = partial(told_rows, OPENING) if opens else None
    if log == 0 and _worth_sharing(path):
        found = counted(
            runs_of(path), progress, f"{path.name}: {CHECKING}", total, size=lambda run: 1 + len(run.leaves)
        )
        verdict = _by_every_core(found, witnesses, again, kept)
        if verdict is not None and verdict.damage is None and not verdict.against:
            return verdict  # else verify again in one transaction: another program may have written meanwhile
    return explain(path, check(told_rows(CHECKING), witnesses, read_event, again=again, kept=kept))


def explain(path: Path, verdict: RecordVerdict) -> RecordVerdict:
    """Return the verdict with the reason if the file ends where an entry cannot be read."""
    damage = verdict.damage
    if damage is None or damage.seen != UNREADABLE_ROW or not (short := cut_short(path)):
        return verdict
    return replace(verdict, damage=Damage(damage.seq, f"{damage.seen} ({short})"))


def kept_head(path: Path, log: int = 0) -> KeptHead:
    """Return what is beside a journal's keys about its length; nothing for a log of an archive, which has no keys."""
    return read_kept(keys_of(path)) if log == 0 else NOTHING_KEPT


def contradictions(records: Sequence[tuple[Path, int, RecordVerdict]]) -> Iterator[tuple[int, str]]:
    """Yield each of these records (file, log, verdict) that another one contradicts, by its place, and a sentence."""

    def against(place: int, head: Head) -> Sequence[str]:
        path, log, _ = records[place]
        return verify(path, [head], log, opens=False).against

    named_ones = [(f"{path} (log {log})" if log else str(path), verdict) for path, log, verdict in records]
    yield from succession.contradictions(named_ones, against)


CHECKING: Final = "checking entries"
OPENING: Final = "opening sealed halves"


def _about(path: Path) -> int:
    with raw(path) as journal:
        return journal.about()


def _rows(path: Path, log: int) -> Iterator[RawRow]:
    with raw(path) as journal:
        yield from journal.rows(log)


def head(path: Path, log: int = 0, progress: Progress = no_progress) -> Head:
    """Return the head of a journal, or of a log of an archive: signed now if the device's key is beside it, else with
    the signature of the last row. Raises JournalFileError if the record is damaged."""
    verdict = verify(path, log=log, progress=progress)
    found = Head(verdict.device or b"", verdict.size, verdict.root, verdict.signature)
    if verdict.damage is not None or not found.genuine:
        damage = verdict.damage or Damage(verdict.size, "has no head")
        place = f"entry {named(log * LOG_STEP + damage.seq)}"
        raise JournalFileError.of(path, place, damage.seen, "Check with `trapdial journal verify`")
    with contextlib.suppress(KeyFileError):
        key = keys_of(path).known_device()
        if key is not None and key.public == found.device:
            return Head.made(key, found.size, found.root)
    return found


# ------------------------------------------------------------------------------------------------------ by every core

WORTH_SHARING: Final = 10_000
"""From this many entries on, a journal is verified on all cores."""

STRETCH: Final = 4_096
"""The entries that a core reads at a time."""


def _worth_sharing(path: Path) -> bool:
    """Return whether to verify a journal on all cores: it is long, no program is writing to it, and no thread of this
    program would be cut off by a fork."""
    if (os.cpu_count() or 1) == 1 or threading.active_count() > 1 or not at_rest(path):
        return False
    return _about(path) >= WORTH_SHARING


def _by_every_core(
    found: Iterable[RowRun],
    witnesses: Sequence[Head],
    again: Callable[[], Iterable[RawRow]] | None,
    kept: KeptHead,
) -> RecordVerdict | None:
    """Verify the runs that all cores find; None if a process died."""
    from concurrent.futures import BrokenExecutor

    with contextlib.suppress(BrokenExecutor, OSError):
        return judge(found, witnesses, read_event, again=again, kept=kept)
    return None


def runs_of(path: Path) -> Iterator[RowRun]:
    """Yield the runs of a journal in order, found by one process per core. Each opens the file on its own."""
    from concurrent.futures import ProcessPoolExecutor  # not needed during play
    from multiprocessing import get_context

    with raw(path) as journal:
        starts = [LOWEST, *range(STRETCH, journal.about(), STRETCH)]
    parts = zip(starts, [*(start - 1 for start in starts[1:]), HIGHEST], strict=True)
    here, cores = get_context("fork"), os.cpu_count() or 1
    waiting: deque[Future[list[RowRun]]] = deque()
    with ProcessPoolExecutor(cores, here, _prepare_process) as pool:
        for part in parts:
            waiting.append(pool.submit(_runs_between, path, part))
            if len(waiting) > 2 * cores:  # a part may have as many runs as rows, so only a few may wait
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _prepare_process() -> None:
    """Leave Ctrl-C to the parent. There are no reference cycles here, and a collection would copy the shared memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _runs_between(path: Path, part: tuple[int, int]) -> list[RowRun]:
    """Return the runs of one part; of a first or last part with too many rows, which is damage, only the first and one
    that cannot be read."""
    with raw(path) as journal:
        found = list(itertools.islice(runs(journal.rows(part=part)), STRETCH + 1))
    return found if len(found) <= STRETCH else [found[0], _UNREADABLE]


_UNREADABLE: Final = RowRun(CheckedRow(None, None, None, None, None, fits=False), [])
