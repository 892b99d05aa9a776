"""What a power cut leaves of files that were being written: a model of a disk that promises as little as it may.

Everything that was written to a file before a sync of that file came back is there. Of what came after, every piece of
512 or 4096 bytes may be there or not, whatever became of the others, later ones without earlier ones. That a name was
made, changed or taken away is sure once its folder was synced; before that each of these may be there or not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SECTORS: Final = (512, 4096)


@dataclass(frozen=True, slots=True)
class Made:
    """A new file or folder (`file` is None) under this name, relative to the recorded folder."""

    name: str
    file: int | None


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes of a file from `at` on."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A file got this size."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """A sync of this file came back."""

    file: int


@dataclass(frozen=True, slots=True)
class Renamed:
    """A name became another, which whatever stood under that lost."""

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A name was taken away."""

    name: str


@dataclass(frozen=True, slots=True)
class FolderSynced:
    """A sync of this folder came back; the recorded folder itself is called "."."""

    name: str


@dataclass(frozen=True, slots=True)
class Told:
    """An append came back: from here on the table may tell of it. `head` is that of the record then, as text."""

    game: str
    seq: int
    head: str


NameChange = Made | Renamed | Removed
Change = Written | Cut
Op = NameChange | Change | Synced | FolderSynced | Told

Image = Mapping[str, bytes | None]
"""What lies in a folder: content by name, None for a folder."""


@dataclass(slots=True)
class _File:
    sure: bytes = b""
    pending: list[Change] = field(default_factory=list)


class Disk:
    """The disk at one moment of a recording."""

    def __init__(self, image: Image) -> None:
        """Everything of `image` is there for good; its files are numbered in the order of their names."""
        self._files = {number: _File(image[name] or b"") for name, number in numbered(image).items()}
        self._names: dict[str, int | None] = {name: numbered(image).get(name) for name in image}
        self._pending: dict[str, list[NameChange]] = {}

    def happen(self, op: Op) -> None:
        """Take in the next thing that was done."""
        match op:
            case Written() | Cut():
                self._files[op.file].pending.append(op)
            case Synced(file):
                self._files[file] = _File(_with_all(self._files[file]))
            case FolderSynced(name):
                for change in self._pending.pop(name, []):
                    _rename(self._names, change)
            case Made() | Renamed() | Removed():
                if isinstance(op, Made) and op.file is not None:
                    self._files[op.file] = _File()
                self._pending.setdefault(_folder(op.name), []).append(op)
            case Told():
                pass

    def unsure(self) -> bool:
        """Whether a power cut now could leave one thing or another."""
        return any(self._pending.values()) or any(file.pending for file in self._files.values())

    def after_a_cut(self, draw: random.Random) -> dict[str, bytes | None]:
        """What one power cut leaves."""
        names = dict(self._names)
        for changes in self._pending.values():
            for change in _some(changes, draw):
                _rename(names, change)
        there = {name for name, file in names.items() if file is None} | {"."}
        return {
            name: None if file is None else _left_of(self._files[file], draw)
            for name, file in names.items()
            if _folder(name) in there
        }


def numbered(image: Image) -> dict[str, int]:
    """The files of an image with their numbers, counted from 0."""
    return {
        name: number for number, name in enumerate(sorted(n for n, content in image.items() if content is not None))
    }


def _folder(name: str) -> str:
    return str(Path(name).parent)


def _rename(names: dict[str, int | None], change: NameChange) -> None:
    match change:
        case Made(name, file):
            names[name] = file
        case Removed(name):
            names.pop(name, None)
        case Renamed(name, to):
            if name in names:
                names[to] = names.pop(name)


def _some(changes: list[NameChange], draw: random.Random) -> list[NameChange]:
    """Names of one folder: the first few of the changes, or any of them."""
    if draw.random() < 0.7:
        return changes[: draw.randint(0, len(changes))]
    return [change for change in changes if draw.random() < 0.5]


def _with_all(file: _File) -> bytes:
    content = bytearray(file.sure)
    for change in file.pending:
        _apply(content, change)
    return bytes(content)


def _apply(content: bytearray, change: Change) -> None:
    if isinstance(change, Cut):
        del content[change.size :]
        content.extend(bytes(change.size - len(content)))
        return
    content.extend(bytes(max(0, change.at - len(content))))
    content[change.at : change.at + len(change.data)] = change.data


def _left_of(file: _File, draw: random.Random) -> bytes:
    """Nothing of what is pending, all of it, the first part, or any sectors."""
    kept = draw.choice((0.0, 1.0, 0.1, 0.5, 0.9, None, None))
    pieces = _pieces(file.pending, draw.choice(SECTORS))
    if kept is None:
        pieces = pieces[: draw.randint(0, len(pieces))]
    content = bytearray(file.sure)
    for piece in pieces:
        if kept is None or draw.random() < kept:
            _apply(content, piece)
    longest = max((p.at + len(p.data) for p in pieces if isinstance(p, Written)), default=0)
    if longest > len(content) and draw.random() < 0.2:
        content.extend(bytes(longest - len(content)))
    return bytes(content)


def _pieces(changes: list[Change], sector: int) -> list[Change]:
    """Each write in parts that lie in one sector each."""
    found: list[Change] = []
    for change in changes:
        if isinstance(change, Cut):
            found.append(change)
            continue
        at, end = change.at, change.at + len(change.data)
        while at < end:
            until = min(end, (at // sector + 1) * sector)
            found.append(Written(change.file, at, change.data[at - change.at : until - change.at]))
            at = until
    return found


def read_image(folder: Path) -> dict[str, bytes | None]:
    """What lies in a folder; SQLite's shared memory is left out, which does not outlive the machine."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith("-shm")
    }


def lay_out(image: Image, folder: Path) -> None:
    """Put an image into an empty folder."""
    for name in sorted(image):
        content = image[name]
        if content is None:
            (folder / name).mkdir(mode=0o700)
        else:
            (folder / name).write_bytes(content)
