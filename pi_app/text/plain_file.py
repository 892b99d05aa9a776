"""Open a file that a user named: only a plain file, and only as many bytes as its reader has use for.

A FIFO, a socket, a device, a folder and a file that the kernel makes up are refused at once: reading one may wait for
ever, never end, or do something. Every command that reads a file opens it here (`tests/test_opened_files.py`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

from pi_app.text.errors import UserFileError

KINDS: Final = {
    stat.S_IFIFO: "a FIFO (a pipe)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
ADVICE: Final = "Name a plain file; write what a pipe or a device gives to a file first"


class NotPlainError(OSError):
    """This is not a plain file, or a larger one than its reader takes. `strerror` says what it is."""

    def __init__(self, seen: str, advice: str = ADVICE) -> None:
        super().__init__(None, seen)
        self.advice = advice

    @property
    def streams(self) -> bool:
        """Whether standard input could take its place."""
        return self.advice == ADVICE

    def __str__(self) -> str:
        return str(self.strerror)


def check_plain(path: Path) -> os.stat_result:
    """Return what the disk says of a plain file. Raises NotPlainError for another kind, OSError if there is none.

    For files that another library opens by name (SQLite); use `open_plain` for all others.
    """
    try:
        found = os.stat(path)
    except ValueError:
        raise OSError(errno.EINVAL, "its name has a NUL in it") from None
    _check_kind(found)
    return found


def open_plain(path: Path, most: int | None = None) -> BufferedReader:
    """Open a plain file for reading, if it has at most `most` bytes; None: its reader stops when it has enough.

    Raises NotPlainError for another kind or a larger one, and OSError if it cannot be opened.
    Another program may exchange the file between the first check and the opening, so the opened one is checked again;
    opening never waits.
    """
    check_plain(path)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        _check_kind(found)
        if most is not None and found.st_size > most:
            raise NotPlainError(f"{found.st_size:,} bytes long, and {most:,} are read at most", "Check the name")
        if found.st_size == 0 and _gives_something(handle):
            raise NotPlainError("a file of the kernel's, without a size", ADVICE)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_plain(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file. Raises as `open_plain`, also for a file that grew past `most` meanwhile."""
    with open_plain(path, most) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise NotPlainError(f"longer than {most:,} bytes", "Check the name")
    return data


def refusal(name: str, error: OSError, advice: str) -> UserFileError:
    """Return the error for a file that could not be opened; `advice`: what to try if it is a plain file."""
    if isinstance(error, NotPlainError):
        return UserFileError.at(name, "", f"it is {error}", error.advice)
    return UserFileError.at(name, "", f"it cannot be read ({error.strerror or error})", advice)


def _check_kind(found: os.stat_result) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFDIR:
        raise NotPlainError("a folder, not a plain file", "Name a file in it")
    if kind != stat.S_IFREG:
        raise NotPlainError(f"{KINDS.get(kind, 'a special file')}, not a plain file")


def _gives_something(handle: int) -> bool:
    """Return whether a file of 0 bytes has content all the same, or does not let itself be read (`/proc/kmsg`)."""
    with contextlib.suppress(OSError):
        return os.pread(handle, 1, 0) != b""
    return True
