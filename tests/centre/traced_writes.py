"""What a program with several processes does to the files below a folder, read from strace, for the disk of
`tests.crash.disk`: every write, sync, and change of a name, in their order.

A sync counts from its beginning, when it was asked for: what another process writes meanwhile is not sure. Everything
else counts when it came back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.crash.disk import Cut, FolderSynced, Image, Made, Op, Removed, Renamed, Synced, Written, numbered

CALLS: Final = (
    "openat,close,lseek,write,pwrite64,pwritev,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,"
    "ftruncate,fallocate,mkdir,mkdirat,rmdir,link,linkat"
)
OPTIONS: Final = ("-f", "-qq", "-y", "-xx", "-s", "4000000", "-e", f"trace={CALLS}", "-e", "signal=none")

_BEGUN: Final = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED: Final = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)$")
_WHOLE: Final = re.compile(r"(\d+) +(\w+)\((.*)$")
_RESULT: Final = re.compile(r"\) += (-?\d+|\?)(?:<(.*?)>)?(?: .*)?$")
_HANDLE: Final = re.compile(r"(\d+|AT_FDCWD)(?:<(.*?)>)?$")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the system that came back. `text`: its arguments as strace writes them."""

    process: int
    name: str
    text: str
    result: int
    path: str
    """Of the file that was opened."""


@dataclass(frozen=True, slots=True)
class SyncBegun:
    """A sync was asked for."""

    text: str


def calls(lines: Iterable[str]) -> Iterator[Call | SyncBegun]:
    """Yield the calls of a trace in the order in which they came back, and each sync also when it was asked for."""
    begun: dict[tuple[int, str], str] = {}
    for line in lines:
        if found := _BEGUN.match(line):
            process, name, text = int(found[1]), found[2], found[3]
            begun[process, name] = text
            if name in ("fsync", "fdatasync"):
                yield SyncBegun(text)
            continue
        if found := _RESUMED.match(line):
            process, name = int(found[1]), found[2]
            text = begun.pop((process, name), "") + found[3]
        elif found := _WHOLE.match(line):
            process, name, text = int(found[1]), found[2], found[3]
            if name in ("fsync", "fdatasync"):
                yield SyncBegun(text)
        else:
            continue
        ended = _RESULT.search(text)
        if ended is None or ended[1] == "?":
            continue
        yield Call(process, name, text[: ended.start()], int(ended[1]), _plain(ended[2] or ""))


def _plain(path: str) -> str:
    return bytes.fromhex(path.replace("\\x", "")).decode() if path.startswith("\\x") else path


def _texts(text: str) -> list[bytes]:
    return [bytes.fromhex(each.replace("\\x", "")) for each in _TEXT.findall(text)]


@dataclass
class Trace:
    """Turns calls into operations of the disk. `told`: a file beside the folder; what is written there is a mark."""

    folder: Path
    image: Image
    told: Path
    ops: list[Op] = field(default_factory=list)
    marks: list[tuple[int, bytes]] = field(default_factory=list)
    """What was written to `told`, each with the number of operations before it."""
    _numbers: dict[str, int] = field(default_factory=dict)
    _sizes: dict[int, int] = field(default_factory=dict)
    _at: dict[tuple[int, int], int] = field(default_factory=dict)
    _count: int = 0

    def __post_init__(self) -> None:
        self._numbers = numbered(self.image)
        self._count = len(self._numbers)
        self._sizes = {number: len(self.image[name] or b"") for name, number in self._numbers.items()}

    def take(self, lines: Iterable[str]) -> None:
        """Take in a whole trace."""
        for each in calls(lines):
            if isinstance(each, SyncBegun):
                self._synced(each.text)
            elif each.result >= 0:
                self._done(each)

    def _name(self, path: str) -> str | None:
        whole = Path(path)
        if not whole.is_absolute():
            whole = self.folder / whole
        return whole.relative_to(self.folder).as_posix() if whole.is_relative_to(self.folder) else None

    def _file(self, text: str) -> tuple[int, str | None, str]:
        """The handle, the name and the path of a call's first argument."""
        found = _HANDLE.match(text.split(",")[0].split(")")[0].strip())
        if found is None or found[1] == "AT_FDCWD":
            return -1, None, ""
        path = _plain(found[2] or "")
        return int(found[1]), self._name(path) if path.startswith("/") else None, path

    def _synced(self, text: str) -> None:
        _, name, path = self._file(text)
        if name is None:
            return
        if name in self._numbers:
            self.ops.append(Synced(self._numbers[name]))
        elif Path(path).is_dir() or name == "." or self.image.get(name, b"") is None:
            self.ops.append(FolderSynced(name))

    def _done(self, call: Call) -> None:
        match call.name:
            case "openat":
                self._opened(call)
            case "lseek":
                handle, _, _ = self._file(call.text)
                self._at[call.process, handle] = call.result
            case "write" | "pwrite64" | "pwritev" | "writev":
                self._wrote(call)
            case "ftruncate" | "fallocate":
                self._cut(call)
            case "rename" | "renameat" | "renameat2" | "link" | "linkat":
                self._renamed(call)
            case "unlink" | "unlinkat" | "rmdir":
                name = self._name(_texts(call.text)[0].decode())
                if name is not None:
                    self._numbers.pop(name, None)
                    self.ops.append(Removed(name))
            case "mkdir" | "mkdirat":
                name = self._name(_texts(call.text)[0].decode())
                if name is not None:
                    self.ops.append(Made(name, None))

    def _opened(self, call: Call) -> None:
        name = self._name(call.path) if call.path.startswith("/") else None
        self._at[call.process, call.result] = 0
        if name is None:
            return
        if name not in self._numbers and "O_CREAT" in call.text:
            self._numbers[name], self._sizes[self._count] = self._count, 0
            self.ops.append(Made(name, self._count))
            self._count += 1
        elif name in self._numbers and "O_TRUNC" in call.text:
            self.ops.append(Cut(self._numbers[name], 0))
            self._sizes[self._numbers[name]] = 0
        if name in self._numbers and "O_APPEND" in call.text:
            self._at[call.process, call.result] = self._sizes[self._numbers[name]]

    def _wrote(self, call: Call) -> None:
        handle, name, path = self._file(call.text)
        data = b"".join(_texts(call.text))[: call.result]
        if path == str(self.told):
            self.marks.append((len(self.ops), data))
            return
        positioned = call.name in ("pwrite64", "pwritev")
        at = int(call.text.rsplit(",", 1)[1]) if positioned else self._at.get((call.process, handle), 0)
        if not positioned:
            self._at[call.process, handle] = at + call.result
        if name is not None and name in self._numbers:
            number = self._numbers[name]
            assert len(data) == call.result, f"strace shortened what was written to {name}"
            self.ops.append(Written(number, at, data))
            self._sizes[number] = max(self._sizes[number], at + len(data))

    def _cut(self, call: Call) -> None:
        _, name, _ = self._file(call.text)
        if name is None or name not in self._numbers:
            return
        number = self._numbers[name]
        numbers = [int(each) for each in re.findall(r", (\d+)", call.text)]
        size = numbers[-1] if call.name == "ftruncate" else max(self._sizes[number], sum(numbers[-2:]))
        self.ops.append(Cut(number, size))
        self._sizes[number] = size

    def _renamed(self, call: Call) -> None:
        old, new = (self._name(each.decode()) for each in _texts(call.text)[:2])
        assert not call.name.startswith("link"), "hard links have no model here"
        if old is None or new is None:
            return
        if old in self._numbers:
            self._numbers[new] = self._numbers.pop(old)
        self.ops.append(Renamed(old, new))
