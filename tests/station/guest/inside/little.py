"""A small Type=notify service, with which the stage proves itself before it judges the real one.

`little.py MODE FOLDER` keeps a file of numbered entries, each with a digest over all before it, and prints `told N
DIGEST` for each. Modes: `honest` tells what is on the disk; `forgetful` tells first and writes rarely; `mute` never
gets ready. `little.py verify FOLDER` prints the last whole entry, or what is wrong.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import time
from pathlib import Path
from typing import Final

PAUSE_S: Final = 0.02
FEED_S: Final = 1.0
RARELY: Final = 500
"""Entries that the forgetful one keeps in memory."""


def digest(before: str, number: int) -> str:
    return hashlib.sha256(f"{before} {number}".encode()).hexdigest()[:16]


def whole(path: Path) -> tuple[list[str], int]:
    """The digests of the entries up to the first that is not whole or not right, and their bytes."""
    digests: list[str] = []
    size = 0
    for row in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
        expected = digest(digests[-1] if digests else "", len(digests) + 1)
        if row != f"{len(digests) + 1} {expected}\n".encode():
            break
        digests.append(expected)
        size += len(row)
    return digests, size


def notify(word: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(word.encode(), os.environ["NOTIFY_SOCKET"])


def keep(mode: str, path: Path) -> None:
    digests, size = whole(path)
    number, last, waiting, fed_s = len(digests), digests[-1] if digests else "", b"", 0.0
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.ftruncate(file, size)
    os.lseek(file, size, os.SEEK_SET)
    notify("READY=1")
    while True:
        number, last = number + 1, digest(last, number + 1)
        waiting += f"{number} {last}\n".encode()
        if mode == "honest" or number % RARELY == 0:
            os.write(file, waiting)
            os.fsync(file)
            waiting = b""
        sys.stdout.write(f"told {number} {last}\n")
        sys.stdout.flush()
        if time.monotonic() - fed_s >= FEED_S:
            notify("WATCHDOG=1")
            fed_s = time.monotonic()
        time.sleep(PAUSE_S)


def main(mode: str, folder: str) -> None:
    path = Path(folder) / "entries"
    if mode == "verify":
        digests, _ = whole(path)
        sys.stdout.write(f"{len(digests)} {digests[-1] if digests else '-'}\n")
        return
    if mode == "mute":
        time.sleep(3600)
    keep(mode, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
