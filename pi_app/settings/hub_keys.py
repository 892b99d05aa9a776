"""The keys of hubs, beside the settings: `trapdial.toml.hubs/ID.key`, one file for each board, for the owner only.

`trapdial hub install` makes them. A key is never printed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from firmware_host.hub.wire import KEY_BYTES
from pi_app.text.errors import UserFileError
from pi_app.text.private_files import make_folder, new_file, sync_folder

SUFFIX: Final = ".key"
DRAFT: Final = ".installing"


def folder_of(settings_file: Path) -> Path:
    """Return the folder of the keys of these settings."""
    return settings_file.with_name(f"{settings_file.name}.hubs")


def load(settings_file: Path) -> Mapping[str, bytes]:
    """Return the keys by board id. Raises UserFileError if others may read or replace one, or if one is damaged."""
    folder = folder_of(settings_file)
    if not os.path.lexists(folder):
        return {}
    _check(folder, folder.lstat(), folder=True)
    try:
        return {file.stem: _read(file) for file in sorted(folder.iterdir()) if file.suffix == SUFFIX}
    except OSError as error:
        raise _unreadable(folder, error) from None


def _read(file: Path) -> bytes:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise _unreadable(file, error) from None
    try:
        _check(file, os.fstat(handle), folder=False)
        key = os.read(handle, KEY_BYTES + 1)
    finally:
        os.close(handle)
    if len(key) != KEY_BYTES:
        seen = f"it is not a hub's key of {KEY_BYTES} bytes"
        raise UserFileError.at(str(file), "", seen, "Run `trapdial hub install` again with this board plugged in")
    return key


def _check(path: Path, found: os.stat_result, *, folder: bool) -> None:
    """Refuse what is not the owner's alone."""
    if not (stat.S_ISDIR if folder else stat.S_ISREG)(found.st_mode):
        seen = f"it is not a plain {'folder' if folder else 'file'}"
        raise UserFileError.at(str(path), "", seen, "Remove it, and run `trapdial hub install` again for each hub")
    if found.st_uid != os.geteuid():
        raise UserFileError.at(str(path), "", "it belongs to another user", f"Run `sudo chown $USER {path}`")
    if found.st_mode & 0o077:
        seen = f"other users may read or change it (mode {stat.S_IMODE(found.st_mode):o})"
        advice = f"Run `chmod {'700' if folder else '600'} {path}`, then `trapdial hub install` again for each hub"
        raise UserFileError.at(str(path), "", seen, advice)


@contextlib.contextmanager
def new_key(settings_file: Path) -> Iterator[tuple[Path, bytes]]:
    """Write a new key into a draft; `keep` gives it its name. Without `keep` nothing is left of it. Raises
    UserFileError."""
    folder = folder_of(settings_file)
    key = os.urandom(KEY_BYTES)
    draft = folder / f"{DRAFT}-{os.getpid()}"
    try:
        make_folder(folder)
        _check(folder, folder.lstat(), folder=True)
        draft.unlink(missing_ok=True)
        _write(draft, key)
    except OSError as error:
        seen = f"the key cannot be written ({error.strerror})"
        raise UserFileError.at(str(folder), "", seen, "Check the folder, who may write there, and the disk") from None
    try:
        yield draft, key
    finally:
        draft.unlink(missing_ok=True)


def keep(draft: Path, uid: str) -> Path:
    """Make the draft the key of this board; its older key is replaced."""
    kept = draft.with_name(f"{uid}{SUFFIX}")
    draft.replace(kept)
    sync_folder(kept.parent)
    return kept


def _write(path: Path, key: bytes) -> None:
    handle = new_file(path)
    try:
        os.write(handle, key)
        os.fsync(handle)
    finally:
        os.close(handle)


def _unreadable(path: Path, error: OSError) -> UserFileError:
    seen = f"it cannot be read ({error.strerror})"
    return UserFileError.at(str(path), "", seen, "Run this as the user who installed the hubs")
