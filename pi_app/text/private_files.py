"""Writes files and folders that only their owner can read.

Every file that could hold a secret is written through this module; tests/attack/test_modes.py finds one that is not.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_WRITE: Final = os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, each for its owner alone. An existing folder stays as it is."""
    if not folder.parent.exists():
        make_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=FOLDER_MODE)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def make_folder_for_all(folder: Path) -> None:
    """Create a folder of the system and its missing parents, which everybody may read. It never holds a secret."""
    for each in (*reversed(folder.parents), folder):
        with contextlib.suppress(FileExistsError):
            each.mkdir()
            each.chmod(0o755)


def new_file(path: Path | str, dir_fd: int | None = None) -> int:
    """Create a file that did not exist, and return a handle to write to it. Raises OSError."""
    return os.open(path, _WRITE | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, FILE_MODE, dir_fd=dir_fd)


def emptied_file(path: Path) -> int:
    """Return a handle to an empty file of this name: a new one, or this user's own, which loses its content and its old
    mode. A device such as /dev/stdout is opened as it is. Raises OSError for another user's file and for a link."""
    with contextlib.suppress(FileExistsError):
        return new_file(path)
    handle = os.open(path, _WRITE | (0 if _is_device(path) else os.O_NOFOLLOW))
    try:
        there = os.fstat(handle)
        if stat.S_ISREG(there.st_mode):
            if there.st_uid != os.geteuid():
                raise PermissionError(errno.EPERM, "it belongs to another user")
            os.fchmod(handle, FILE_MODE)
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _is_device(path: Path) -> bool:
    kind = path.stat().st_mode
    return stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)


def replace_file(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Replace a file whole or not at all, even if the power fails; return when it is on disk. Raises OSError."""
    handle, draft = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(handle, mode)
            os.fsync(handle)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    sync_folder(path.absolute().parent)


_DRAFT: Final = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9._ -]*\.[a-z0-9_]{8}")
"""A name that `replace_file` gives to what it has not renamed yet."""


def remove_drafts(folder: Path) -> None:
    """Remove the files that `replace_file` left in a folder when the power failed. Call this when no other program
    writes there. A disk that refuses keeps them."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _DRAFT.fullmatch(path.name) and not path.is_dir():
                path.unlink(missing_ok=True)


def mode_of(path: Path) -> int:
    """Return the mode of a user's own file, to keep it when the file is edited; FILE_MODE if there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return FILE_MODE


def sync_folder(folder: Path) -> None:
    """Return when the names in the folder are on disk. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
