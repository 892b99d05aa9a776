"""A file system in memory for the kernel: a cpio archive in the form "newc".

Facts: linux Documentation/driver-api/early-userspace/buffer-format.rst. The kernel unpacks several archives that follow
each other in one file, so that the large one can be kept.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

END: Final = "TRAILER!!!"
BLOCK: Final = 512
LEFT_OUT: Final = ("__pycache__",)


def write_archive(file: IO[bytes], parts: Sequence[tuple[Path, str]]) -> None:
    """Write an archive of files and folders, each under the name that it gets ("" for the root itself)."""
    number = itertools.count(1)
    for path, name in parts:
        for folder in _parents(name):
            file.write(entry(next(number), folder, stat.S_IFDIR | 0o755))
        for below, inside in _walk(path, name):
            about = below.lstat()
            if stat.S_ISDIR(about.st_mode):
                content = b""
            elif stat.S_ISLNK(about.st_mode):
                content = os.fsencode(below.readlink())
            else:
                content = below.read_bytes()
            file.write(entry(next(number), inside, about.st_mode, content))
    file.write(entry(0, END, 0))
    file.write(bytes(-file.tell() % BLOCK))


def entry(number: int, name: str, mode: int, content: bytes = b"") -> bytes:
    """One file, folder or link of an archive, owned by root."""
    encoded = os.fsencode(name) + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def _parents(name: str) -> list[str]:
    words = name.split("/")[:-1]
    return ["/".join(words[: n + 1]) for n in range(len(words))]


def _walk(path: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Every file, folder and link below a path that an archive can hold, folders before what is in them."""
    if name:
        yield path, name
    if not path.is_dir() or path.is_symlink():
        return
    for below in sorted(path.iterdir()):
        kind = stat.S_IFMT(below.lstat().st_mode)
        if below.name not in LEFT_OUT and kind in (stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK):
            yield from _walk(below, f"{name}/{below.name}".lstrip("/"))
