"""What a power cut leaves of files that were being written: a model of a disk that promises as little as it may.

Everything that was written to a file before a sync of that file came back is there. Of what came after, every piece of
512 or 4096 bytes may be there or not, whatever became of the others, later ones without earlier ones. That a name was
made, changed or taken away is sure once its folder was synced; before that each of these may be there or not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
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
    """A name was taken away: a file's, or that of an empty folder."""

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
    began: bool = False
    """Whether a game began with it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A screen shows a face from here on: how often that seat has now seen that square's in this game."""

    game: str
    seat: str
    square: str
    times: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A small thing beside the record gets another value. Until that `is_sure` the older one may be back."""

    what: str
    value: str
    is_sure: bool


NameChange = Made | Renamed | Removed
Change = Written | Cut
Seen = Told | Shown | Kept
Op = NameChange | Change | Synced | FolderSynced | Seen

Image = Mapping[str, bytes | None]
"""What lies in a folder: content by name, None for a folder."""


@dataclass(slots=True)
class _File:
    sure: bytes = b""
    pending: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class _Folder:
    """What its names stand for: a file by its number, or a folder. `sure` is on the disk, `now` what programs see."""

    sure: dict[str, int | _Folder] = field(default_factory=dict)
    now: dict[str, int | _Folder] = field(default_factory=dict)
    pending: list[_Step] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Step:
    """A change of one name of a folder, by the last part of it: what it stands for now, or, for a rename, the folder
    and the name that it moves to."""

    name: str
    stands_for: int | _Folder | None = None
    into: _Folder | None = None
    to: str = ""


Entries = dict[str, "int | _Folder"]


class Disk:
    """The disk at one moment of a recording."""

    def __init__(self, image: Image) -> None:
        """Everything of `image` is there for good; its files are numbered in the order of their names."""
        numbers = numbered(image)
        self._files = {number: _File(image[name] or b"") for name, number in numbers.items()}
        self._root = _Folder()
        for name in sorted(image):
            self._folder(name).sure[_last(name)] = _Folder() if image[name] is None else numbers[name]
            self._folder(name).now[_last(name)] = self._folder(name).sure[_last(name)]

    def happen(self, op: Op) -> None:
        """Take in the next thing that was done."""
        match op:
            case Written() | Cut():
                self._files[op.file].pending.append(op)
            case Synced(file):
                self._files[file] = _File(_with_all(self._files[file]))
            case FolderSynced(name):
                self._sync(self._root if name == "." else self._at(name))
            case Made() | Renamed() | Removed():
                self._change(op)
            case Told() | Shown() | Kept():
                pass

    def unsure(self) -> bool:
        """Whether a power cut now could leave one thing or another."""
        return any(folder.pending for folder in self._folders()) or any(file.pending for file in self._files.values())

    def after_a_cut(self, draw: random.Random) -> dict[str, bytes | None]:
        """What one power cut leaves."""
        left = {id(folder): dict(folder.sure) for folder in self._folders()}
        for folder in self._folders():
            for step in _some(folder.pending, draw):
                _do(step, left[id(folder)], None if step.into is None else left[id(step.into)])
        return dict(self._left_in(self._root, "", left, draw))

    def _left_in(
        self, folder: _Folder, before: str, left: Mapping[int, Entries], draw: random.Random
    ) -> Iterator[tuple[str, bytes | None]]:
        for name, stands_for in left[id(folder)].items():
            if isinstance(stands_for, _Folder):
                yield before + name, None
                yield from self._left_in(stands_for, f"{before}{name}/", left, draw)
            else:
                yield before + name, _left_of(self._files[stands_for], draw)

    def _change(self, change: NameChange) -> None:
        """Change a name for programs at once, and on the disk with the next sync of its folder, or by chance."""
        folder = self._folder(change.name)
        match change:
            case Made(name, file):
                if file is not None:
                    self._files[file] = _File()
                step = _Step(_last(name), _Folder() if file is None else file)
            case Removed(name):
                step = _Step(_last(name))
            case Renamed(name, to):
                step = _Step(_last(name), into=self._folder(to), to=_last(to))
        _do(step, folder.now, None if step.into is None else step.into.now)
        folder.pending.append(step)

    @staticmethod
    def _sync(folder: _Folder) -> None:
        for step in folder.pending:
            _do(step, folder.sure, None if step.into is None else step.into.sure)
        folder.pending = []

    def _folder(self, name: str) -> _Folder:
        """The folder that a name is in."""
        parent, _, _ = name.rpartition("/")
        return self._at(parent) if parent else self._root

    def _at(self, name: str) -> _Folder:
        found = self._folder(name).now[_last(name)]
        assert isinstance(found, _Folder), name
        return found

    def _folders(self) -> list[_Folder]:
        """Every folder that programs see, or that may still be on the disk."""
        found, waiting = dict[int, _Folder](), [self._root]
        while waiting:
            folder = waiting.pop()
            if id(folder) in found:
                continue
            found[id(folder)] = folder
            steps = [each for step in folder.pending for each in (step.stands_for, step.into)]
            there = (*folder.sure.values(), *folder.now.values(), *steps)
            waiting += [each for each in there if isinstance(each, _Folder)]
        return list(found.values())


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _do(step: _Step, entries: Entries, into: Entries | None) -> None:
    if into is None:
        entries.pop(step.name, None)
        if step.stands_for is not None:
            entries[step.name] = step.stands_for
    elif step.name in entries:
        into[step.to] = entries.pop(step.name)


def numbered(image: Image) -> dict[str, int]:
    """The files of an image with their numbers, counted from 0."""
    return {
        name: number for number, name in enumerate(sorted(n for n, content in image.items() if content is not None))
    }


def _some(changes: list[_Step], draw: random.Random) -> list[_Step]:
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
    """What lies in a folder; SQLite's shared memory and sockets are left out, which do not outlive the machine."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith("-shm") and (path.is_dir() or path.is_file())
    }


def lay_out(image: Image, folder: Path) -> None:
    """Put an image into an empty folder."""
    for name in sorted(image):
        content = image[name]
        if content is None:
            (folder / name).mkdir(mode=0o700)
        else:
            (folder / name).write_bytes(content)
