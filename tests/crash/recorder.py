"""Hears every write and sync of this process below one folder, and can make them fail or take long.

SQLite: the very library that Python's sqlite3 uses is asked, through ctypes, to open its files in its own way and to
hand each write, sync, cut and removal past this recorder. Python's own files (the keys): the functions of `os`.

Not heard: SQLite's shared memory (the file ending in -shm), which SQLite makes again after a power cut.
"""

from __future__ import annotations

import contextlib
import ctypes as c
import errno
import os
import sqlite3  # noqa: F401 - loads the library that is listened to
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

from tests.crash.disk import Cut, FolderSynced, Image, Made, Op, Removed, Renamed, Synced, Written, numbered, read_image

Fault = Callable[[Op], None]
"""Called before anything is done; raises OSError to have it fail."""

OK: Final = 0
SQLITE_FULL: Final = 13
SQLITE_IOERR: Final = {Written: 10 | 3 << 8, Synced: 10 | 4 << 8, Cut: 10 | 6 << 8}

HEARD: Final = ("open", "fsync", "rename", "replace", "unlink", "mkdir", "rmdir", "ftruncate")
"""The functions of `os` that are listened to."""

_P, _I, _L = c.c_void_p, c.c_int, c.c_longlong
_OPEN = c.CFUNCTYPE(_I, _P, _P, _P, _I, c.POINTER(_I))
_DELETE = c.CFUNCTYPE(_I, _P, c.c_char_p, _I)
_WRITE = c.CFUNCTYPE(_I, _P, _P, _I, _L)
_TRUNCATE = c.CFUNCTYPE(_I, _P, _L)
_SYNC = c.CFUNCTYPE(_I, _P, _I)
_OPEN_FOLDER = c.CFUNCTYPE(_I, c.c_char_p, c.POINTER(_I))
_SET_CALL = c.CFUNCTYPE(_I, _P, c.c_char_p, _P)
_GET_CALL = c.CFUNCTYPE(_P, _P, c.c_char_p)


class _Vfs(c.Structure):
    """sqlite3_vfs, version 3, as far as it is needed here."""

    _fields_ = (
        ("version", _I),
        ("file_bytes", _I),
        ("longest_name", _I),
        ("next", _P),
        ("name", c.c_char_p),
        ("own", _P),
        ("open", _P),
        ("delete", _P),
        ("others", _P * 11),
        ("set_call", _P),
        ("get_call", _P),
        ("next_call", _P),
    )


class _Methods(c.Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = (
        ("version", _I),
        ("close", _P),
        ("read", _P),
        ("write", _P),
        ("cut", _P),
        ("sync", _P),
        ("others", _P * 13),
    )


_METHODS: Final = (0, 8 + 12 * 8, 8 + 16 * 8, 8 + 18 * 8)
"""Bytes of sqlite3_io_methods by version, where a pointer has eight."""


def _library() -> Any:
    import _sqlite3

    found = c.CDLL(getattr(_sqlite3, "__file__", None))
    found.sqlite3_vfs_find.restype = c.POINTER(_Vfs)
    found.sqlite3_vfs_find.argtypes = (c.c_char_p,)
    found.sqlite3_vfs_register.argtypes = (c.POINTER(_Vfs), _I)
    found.sqlite3_vfs_unregister.argtypes = (c.POINTER(_Vfs),)
    return found


class Recorder:
    """`ops` is what was done below `folder` since `began`. Use `recording` to have one listen."""

    def __init__(self, folder: Path, fault: Fault | None = None) -> None:
        self.folder = folder.resolve()
        self.began: Image = read_image(self.folder)
        self.ops: list[Op] = []
        self.fault = fault
        self._files = numbered(self.began)
        self._count = len(self._files)
        self._contents = {name: self.began[name] or b"" for name in self._files}
        self._kept: list[Any] = []
        self._of_sqlite: set[int] = set()
        self._library = _library()

    # ------------------------------------------------------------------ what was done

    def name(self, path: object, within: int | None = None) -> str | None:
        """A path's name below the folder; None if it is not there. `within`: the handle of the folder it is in."""
        if not isinstance(path, str | os.PathLike):
            return None
        before = "" if within is None else os.readlink(f"/proc/self/fd/{within}")
        whole = Path(os.path.abspath(os.path.join(before, path)))
        return whole.relative_to(self.folder).as_posix() if whole.is_relative_to(self.folder) else None

    def _made(self, name: str) -> int:
        self._files[name] = self._count
        self._count += 1
        self._contents[name] = b""
        self.ops.append(Made(name, self._files[name]))
        return self._files[name]

    def _ask(self, op: Op) -> None:
        if self.fault is not None:
            self.fault(op)

    # ------------------------------------------------------------------ SQLite

    @contextlib.contextmanager
    def _sqlite(self) -> Iterator[None]:
        below = self._library.sqlite3_vfs_find(None)
        mine = _Vfs()
        c.memmove(c.byref(mine), below, c.sizeof(_Vfs))
        mine.name = b"recorder"
        mine.open = self._function(_OPEN, self._xopen(_OPEN(below.contents.open)))
        mine.delete = self._function(_DELETE, self._xdelete(_DELETE(below.contents.delete)))
        set_call, get_call = _SET_CALL(below.contents.set_call), _GET_CALL(below.contents.get_call)
        open_folder = _OPEN_FOLDER(get_call(below, b"openDirectory"))
        set_call(below, b"openDirectory", self._function(_OPEN_FOLDER, self._xfolder(open_folder)))
        self._library.sqlite3_vfs_register(c.byref(mine), 1)
        try:
            yield
        finally:
            self._library.sqlite3_vfs_unregister(c.byref(mine))
            self._library.sqlite3_vfs_register(below, 1)
            set_call(below, b"openDirectory", None)

    def _function(self, kind: Any, function: Callable[..., int]) -> Any:
        made = kind(function)
        self._kept.append(made)
        return c.cast(made, _P)

    def _xopen(self, below: Any) -> Callable[..., int]:
        def xopen(vfs: int, path: int | None, file: int, flags: int, out: Any) -> int:
            name = None if path is None else self.name(os.fsdecode(c.string_at(path)))
            known = name is None or (self.folder / name).exists()
            code = int(below(vfs, path, file, flags, out))
            if code == OK and name is not None:
                if not known:
                    self._made(name)
                self._listen(file, name)
            return code

        return xopen

    def _listen(self, file: int, name: str) -> None:
        """Have an open file's calls go past here."""
        place = _P.from_address(file)
        theirs = _Methods()
        version = _I.from_address(place.value or 0).value
        c.memmove(c.byref(theirs), place.value or 0, _METHODS[min(version, 3)])
        write, cut, sync = _WRITE(theirs.write), _TRUNCATE(theirs.cut), _SYNC(theirs.sync)
        number = self._files[name]
        self._of_sqlite.add(number)

        def done(op: Op, below: Callable[[], int]) -> int:
            try:
                self._ask(op)
            except OSError as error:
                return SQLITE_FULL if error.errno == errno.ENOSPC else SQLITE_IOERR[type(op)]
            code = int(below())
            if code == OK:
                self.ops.append(op)
            return code

        def xwrite(f: int, data: int, amount: int, at: int) -> int:
            return done(Written(number, at, c.string_at(data, amount)), lambda: write(f, data, amount, at))

        theirs.write = self._function(_WRITE, xwrite)
        theirs.cut = self._function(_TRUNCATE, lambda f, size: done(Cut(number, size), lambda: cut(f, size)))
        theirs.sync = self._function(_SYNC, lambda f, flags: done(Synced(number), lambda: sync(f, flags)))
        self._kept.append(theirs)
        place.value = c.addressof(theirs)

    def _xdelete(self, below: Any) -> Callable[..., int]:
        def xdelete(vfs: int, path: bytes, sync_folder: int) -> int:
            name = self.name(os.fsdecode(path))
            if name is not None and (self.folder / name).exists():
                self.ops.append(Removed(name))
                self._files.pop(name, None)
            return int(below(vfs, path, sync_folder))

        return xdelete

    def _xfolder(self, below: Any) -> Callable[..., int]:
        """SQLite opens a folder only to sync it."""

        def xfolder(path: bytes, handle: Any) -> int:
            name = self.name(os.path.dirname(os.fsdecode(path)))
            if name is not None:
                self.ops.append(FolderSynced(name))
            return int(below(path, handle))

        return xfolder

    # ------------------------------------------------------------------ Python's own files

    @contextlib.contextmanager
    def _python(self) -> Iterator[None]:
        real = {name: getattr(os, name) for name in HEARD}

        def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
            name = self.name(path, more.get("dir_fd"))
            new = name is not None and not os.path.lexists(self.folder / name)
            if new and flags & os.O_CREAT and name is not None:
                self._ask(Made(name, None))
            handle: int = real["open"](path, flags, *rest, **more)
            if name is not None and new and flags & os.O_CREAT:
                self._made(name)
            elif name is not None and flags & os.O_TRUNC:
                self._look_at(name)
            return handle

        def fsynced(handle: int) -> None:
            path = os.readlink(f"/proc/self/fd/{handle}")
            name = self.name(path)
            if name is not None and stat.S_ISDIR(os.fstat(handle).st_mode):
                self._ask(FolderSynced(name))
                real["fsync"](handle)
                self.ops.append(FolderSynced(name))
            elif name is not None:
                self._ask(Synced(self._files[name]))
                real["fsync"](handle)
                self._look_at(name)
                self.ops.append(Synced(self._files[name]))

        def renamed(path: Any, to: Any, **more: Any) -> None:
            old, new = self.name(path, more.get("src_dir_fd")), self.name(to, more.get("dst_dir_fd"))
            if old is None or new is None:
                real["rename"](path, to, **more)
                return
            self._ask(Renamed(old, new))
            if old in self._files:
                self._look_at(old)
            real["rename"](path, to, **more)
            self._move(old, new)
            self.ops.append(Renamed(old, new))

        def unlinked(path: Any, **more: Any) -> None:
            name = self.name(path, more.get("dir_fd"))
            if name is not None and not os.path.lexists(self.folder / name):
                name = None
            if name is not None:
                self._ask(Removed(name))
            real["unlink"](path, **more)
            if name is not None:
                self._files.pop(name, None)
                self.ops.append(Removed(name))

        def made(path: Any, *rest: Any, **more: Any) -> None:
            name = self.name(path)
            if name is not None and not os.path.lexists(path):
                self._ask(Made(name, None))
            real["mkdir"](path, *rest, **more)
            if name is not None:
                self.ops.append(Made(name, None))

        def taken(path: Any, **more: Any) -> None:
            name = self.name(path, more.get("dir_fd"))
            if name is not None:
                self._ask(Removed(name))
            real["rmdir"](path, **more)
            if name is not None:
                self.ops.append(Removed(name))

        def cut(handle: int, size: int) -> None:
            name = self.name(os.readlink(f"/proc/self/fd/{handle}"))
            if name is not None:
                self._ask(Cut(self._files[name], size))
            real["ftruncate"](handle, size)
            if name is not None:
                self._contents[name] = self._contents[name][:size]
                self.ops.append(Cut(self._files[name], size))

        theirs = {
            "open": opened, "fsync": fsynced, "rename": renamed, "replace": renamed, "unlink": unlinked, "mkdir": made,
            "rmdir": taken, "ftruncate": cut,
        }  # fmt: skip
        with contextlib.ExitStack() as patched:
            for name, function in theirs.items():
                patched.enter_context(mock.patch.object(os, name, function))
            yield

    def _move(self, old: str, new: str) -> None:
        """A file, or a folder with all that is in it, has another name."""
        for name in [each for each in self._files if each == old or each.startswith(f"{old}/")]:
            self._files[new + name.removeprefix(old)] = self._files.pop(name)
            self._contents[new + name.removeprefix(old)] = self._contents.pop(name)

    def _look_at(self, name: str) -> None:
        """Whether Python has written to a file, which no function of `os` tells. SQLite's own writes are told."""
        if self._files[name] in self._of_sqlite:
            return
        content = (self.folder / name).read_bytes()
        if content != self._contents.get(name, b""):
            if len(content) < len(self._contents.get(name, b"")):
                self.ops.append(Cut(self._files[name], len(content)))
            self.ops.append(Written(self._files[name], 0, content))
            self._contents[name] = content


@contextlib.contextmanager
def recording(folder: Path, fault: Fault | None = None) -> Iterator[Recorder]:
    """Listen to everything that this process does below the folder from now on. Files that SQLite has open at the end
    must be closed before."""
    recorder = Recorder(folder, fault)
    with recorder._sqlite(), recorder._python():
        yield recorder
