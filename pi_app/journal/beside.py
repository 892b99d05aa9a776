"""The files beside a journal that SQLite would act on: `-journal`, `-wal` and `-shm`. They are checked before it opens
the journal.

A journal is in WAL mode, so SQLite never leaves a `-journal` beside it; one that lies there would be written back into
the record by the next program that writes. A `-wal` belongs beside a journal in play. What in it does not carry the
salts and checksums of its header, SQLite ignores for every reader and writer alike.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from pi_app.journal.record.limits import LARGEST_BESIDE
from pi_app.text.plain_file import open_plain

ROLLBACK: Final = "-journal"
LOG: Final = "-wal"
INDEX: Final = "-shm"

_MAGIC: Final = (0x377F0682, 0x377F0683)
_VERSION: Final = 3_007_000
_KINDS: Final = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO (a pipe)"}


def strange_beside(path: Path) -> tuple[str, str] | None:
    """Return what is wrong with the files beside a journal, as what was seen and what to do; None if nothing is.

    If the journal is named by a symbolic link, SQLite looks beside the file that it leads to.
    """
    real = Path(os.path.realpath(path))
    rollback = real.with_name(real.name + ROLLBACK)
    if os.path.lexists(rollback):
        seen = (
            f"has a rollback journal beside it, {rollback.name}. This program leaves none; the next program that "
            "writes would change the record to what stands in it"
        )
        return seen, "Keep a copy of both files, move that one into another folder, and verify the record again"
    for suffix in (LOG, INDEX):
        seen = _strange(real, suffix)
        if seen:
            return seen, "Keep a copy of both files, and move that one into another folder"
    return None


def log_size(path: Path) -> int:
    """Return the bytes of SQLite's log beside a journal; 0 if there is none."""
    real = Path(os.path.realpath(path))
    try:
        return os.lstat(real.with_name(real.name + LOG)).st_size
    except OSError:
        return 0


def _strange(real: Path, suffix: str) -> str:
    """Return what is strange about one of these files; empty if it is as SQLite leaves it, or not there."""
    beside = real.with_name(real.name + suffix)
    try:
        found = os.lstat(beside)
    except OSError:
        return ""
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        return f"has {_KINDS.get(kind, 'a special file')} beside it, {beside.name}, where SQLite keeps a plain file"
    if found.st_uid not in _owners(real):
        return f"has a file beside it, {beside.name}, that belongs to another user"
    if suffix != LOG:
        return ""
    if found.st_size > LARGEST_BESIDE:
        return (
            f"has a file beside it, {beside.name}, of {found.st_size:,} bytes, and {LARGEST_BESIDE:,} are read at most"
        )
    return "" if _is_log(beside) else f"has a file beside it, {beside.name}, that is not SQLite's log"


def _owners(real: Path) -> set[int]:
    try:
        return {os.geteuid(), os.stat(real).st_uid}
    except OSError:
        return {os.geteuid()}


def _is_log(beside: Path) -> bool:
    """Return whether a file begins like SQLite's log. A power cut may leave zeros, or less than the header."""
    try:
        with open_plain(beside) as file:
            header = file.read(32)
    except OSError:
        return True  # SQLite cannot read it either, and says so
    if len(header) < 32 or not any(header):
        return True
    return int.from_bytes(header[:4], "big") in _MAGIC and int.from_bytes(header[4:8], "big") == _VERSION


def remove_journal(path: Path) -> None:
    """Remove a journal without an entry, and what SQLite leaves beside it on a full disk. Raises OSError."""
    for name in (path.name, path.name + LOG, path.name + INDEX):
        path.with_name(name).unlink(missing_ok=True)
