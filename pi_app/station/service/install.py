"""Writes the files of a station as a service below a root, keeps what the owner has changed, and takes them away.

What was written is remembered (`MANIFEST`), so that a file can be told from one that the owner has changed: such a file
is left as it is, the new text is written beside it, and both are said. Nothing is half written: each file is replaced
whole.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

from pi_app.station.service.units import ALL_PATHS
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import make_folder_for_all, replace_file

MANIFEST: Final = "etc/trapdial/installed.json"
MODE: Final = 0o644
NEW: Final = ".trapdial-new"
OLD: Final = ".trapdial-old"
_LONGEST_BYTES: Final = 1_000_000


class Did(Enum):
    """What was done to a file."""

    WRITTEN = "written"
    UPDATED = "updated"
    UNCHANGED = "is up to date"
    KEPT = f"was changed by hand, so it stays; the new one is beside it, with {NEW} at its end"
    REPLACED = f"was changed by hand; it is replaced, and the changed one is beside it, with {OLD} at its end"
    LINKED = "enabled"
    DELETED = "deleted"
    SAVED = f"was changed by hand; it is deleted, and a copy is beside it, with {OLD} at its end"


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file or link, and what was done to it."""

    path: Path
    did: Did

    def __str__(self) -> str:
        return f"{self.path}: {self.did.value}."


def install(
    files: Mapping[str, str], links: Mapping[str, str], root: Path, *, overwrite: bool = False
) -> list[FileStep]:
    """Write the files, and the links that enable units; delete what an earlier install wrote and this one does not.
    Return what was done, file by file. Doing it again changes nothing.

    `overwrite`: replace files that the owner has changed. Raises UserFileError.
    """
    written = _written(root)
    there = {path: _read(root / path) for path in files}
    steps = [
        _install_one(root / path, text, there[path], written.get(path), overwrite=overwrite)
        for path, text in files.items()
    ]
    steps += [_link(root / path, target) for path, target in links.items()]
    gone = sorted((ALL_PATHS | written.keys()) - files.keys() - links.keys())
    steps += [step for path in gone if (step := _delete(root, path, written)) is not None]
    _put(root / MANIFEST, msgspec.json.format(msgspec.json.encode(dict(files))).decode())
    return steps


def installed(root: Path) -> list[Path]:
    """Return what `remove` would delete."""
    paths = [root / path for path in sorted(ALL_PATHS | _written(root).keys())]
    return [path for path in paths if path.is_symlink() or path.exists()]


def remove(root: Path) -> list[FileStep]:
    """Delete everything that an install wrote, and return what was there. Data and settings stay. Raises
    UserFileError."""
    written = _written(root)
    steps = [step for path in sorted(ALL_PATHS | written.keys()) if (step := _delete(root, path, written)) is not None]
    _unlink(root / MANIFEST)
    return steps


def _install_one(path: Path, text: str, there: str | None, written: str | None, *, overwrite: bool) -> FileStep:
    if there is None:
        _put(path, text)
        return FileStep(path, Did.WRITTEN)
    if there == text:
        _unlink(_beside(path, NEW))
        return FileStep(path, Did.UNCHANGED)
    if there == written:
        _put(path, text)
        return FileStep(path, Did.UPDATED)
    if overwrite:
        _put(_beside(path, OLD), there)
        _put(path, text)
        return FileStep(path, Did.REPLACED)
    _put(_beside(path, NEW), text)
    return FileStep(path, Did.KEPT)


def _delete(root: Path, path: str, written: Mapping[str, str]) -> FileStep | None:
    place = root / path
    if place.is_symlink():
        _unlink(place)
        _remove_empty(place.parent)
        return FileStep(place, Did.DELETED)
    there = _read(place)
    _unlink(_beside(place, NEW))
    if there is None:
        return None
    changed = there != written.get(path, there)
    if changed:
        _put(_beside(place, OLD), there)
    _unlink(place)
    return FileStep(place, Did.SAVED if changed else Did.DELETED)


def _link(path: Path, target: str) -> FileStep:
    try:
        if path.is_symlink() and os.readlink(path) == target:
            return FileStep(path, Did.UNCHANGED)
        make_folder_for_all(path.parent)
        path.unlink(missing_ok=True)
        path.symlink_to(target)
    except OSError as error:
        raise _refused(path, "written", error) from error
    return FileStep(path, Did.LINKED)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _written(root: Path) -> dict[str, str]:
    """What the last install wrote. A damaged list counts as none: every file that differs is then the owner's."""
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(_read(root / MANIFEST) or "{}", type=dict[str, str])
    return {}


def _read(path: Path) -> str | None:
    try:
        return read_plain(path, _LONGEST_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused(path, "read", error) from error


def _put(path: Path, text: str) -> None:
    try:
        make_folder_for_all(path.parent)
        replace_file(path, text.encode("utf-8", "surrogateescape"), mode=MODE)
    except OSError as error:
        raise _refused(path, "written", error) from error


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(path, "deleted", error) from error


def _remove_empty(folder: Path) -> None:
    """Remove a folder of links that has become empty: an install has made it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _refused(path: Path, what: str, error: OSError) -> UserFileError:
    advice = (
        "Type: sudo $(command -v trapdial) and the rest" if isinstance(error, PermissionError) else "Check the disk"
    )
    return UserFileError.at(str(path), "", f"it cannot be {what} ({error.strerror or error})", advice)
