"""Why a disk refuses a write, what helps, and one message per cause."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_OWNER: Final = "Give the file and its folder to the user who plays (chown), or choose another place with --journal"

ADVICE: Final[Mapping[int, str]] = {
    errno.ENOSPC: "Free some space on its disk",
    errno.EDQUOT: "Free some of this user's space: the quota is used up",
    errno.EIO: "The card or stick fails: copy the journal and its keys to another one, and play on there",
    errno.EROFS: (
        "Linux has made the disk read-only, as it does when a card fails: copy the journal and its keys, and take a "
        "new card"
    ),
    errno.EACCES: _OWNER,
    errno.EPERM: _OWNER,
    errno.EBUSY: "Another program holds the journal: close whatever has it open, a backup or a database viewer",
    errno.ENOENT: "The file was moved or deleted during the game: put it back",
    errno.EMFILE: "Too many files are open: start the program again with --resume",
    errno.ENOMEM: "The memory is used up: close other programs",
}
"""By errno, without a full stop."""

PASSING: Final = frozenset(
    (
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
        *(errno.EBUSY, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    )
)
"""What the machine or its disk refuses, and not the file: it may work later."""

USED_UP: Final = frozenset((errno.ENOSPC, errno.EDQUOT))
"""Of a disk, or of this user's part of it."""

_BY_SQLITE: Final = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EIO,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


def refused_by(error: BaseException | None) -> int | None:
    """Return why the machine or its disk refused something, as one of PASSING, from an error or from what caused it.
    None if the file itself is at fault."""
    while error is not None:
        number = error.errno if isinstance(error, OSError) else getattr(error, "number", None)
        if isinstance(error, sqlite3.Error):
            number = _BY_SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if number in PASSING:
            return number
        error = error.__cause__
    return None


OTHERWISE: Final = "Check who owns the folder, and that the disk has room"


def advice(number: int | None) -> str:
    """Return what helps against an errno."""
    return OTHERWISE if number is None else ADVICE.get(number, OTHERWISE)


PROBE_BYTES: Final = 65_536
"""The beginning of a game, or twice the index that SQLite makes for its log."""


def refusal(folder: Path) -> int | None:
    """Return the errno with which a folder refuses a file of PROBE_BYTES; None if it accepts one."""
    probe = folder / f".trapdial-probe-{os.getpid()}"
    try:
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return errno.EROFS
        handle = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            left = PROBE_BYTES
            while left:
                left -= os.write(handle, bytes(left))
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        return error.errno
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)
    return None


def why_full(error: BaseException, folder: Path) -> int | None:
    """Return the errno of a disk or a quota that is used up, if that is why SQLite failed; else None. SQLite reports
    what it cannot write beside a file as "disk I/O error", or as a file that it cannot open."""
    if not isinstance(error, sqlite3.Error):
        return None
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if kind not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL):
        return None
    number = errno.ENOSPC if kind == sqlite3.SQLITE_FULL else refusal(folder)
    return number if number in USED_UP else None


CALM_NS: Final = 60_000_000_000
"""A refusal so soon after an accepted event is the same trouble, and is not reported again."""


class Refusals:
    """Reports each cause once while it lasts, and its end once: a retry each second must not fill the screen."""

    def __init__(self) -> None:
        self._reported: dict[str, int] = {}
        self._lasts = self._to_end = False

    def is_new(self, cause: str, now_ns: int) -> bool:
        """Return whether a refusal must be reported. A refusal without a cause concerns one event only."""
        if not cause:
            return True
        known = cause in self._reported and (self._lasts or now_ns - self._reported[cause] < CALM_NS)
        self._lasts = True
        self._reported[cause] = now_ns
        self._to_end = self._to_end or not known
        return not known

    def is_over(self) -> bool:
        """Note that the disk has accepted an event; return whether the end of a trouble must be reported."""
        reported, self._lasts, self._to_end = self._to_end, False, False
        return reported
