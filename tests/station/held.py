"""What a process holds: memory and descriptors, and whether they grow."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.freed_memory import give_back_memory

MOST_KB: Final = 1000
"""A station may grow by less than this, once it is warm."""

LEAST_LOOKS: Final = 5


@dataclass(frozen=True)
class Holding:
    """What a process holds. `rss_kb`: resident memory; `used_kb`: what the C library has handed out and not got back,
    Python's large objects and SQLite's pages among it; `objects`: those that Python's collector knows."""

    rss_kb: int
    used_kb: int
    objects: int
    descriptors: int


_FIELDS: Final = (
    *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
    *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
)


class _MallInfo(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in _FIELDS)


_libc: Final = ctypes.CDLL(None)
_libc.mallinfo2.restype = _MallInfo


INTERNED: Final = 1_000_000


def settle() -> None:
    """Have CPython rebuild its table of interned strings until it keeps its size. It does that when it has no more room
    for new ones, also for short-lived ones, such as the parts of a path: for the first time after some 300 groups. That
    takes 2.6 MB for good, the old table and the new one, and no more after that."""
    for number in range(INTERNED):
        sys.intern(f"interned {number}")
    give_back_memory()  # as the next reset does: else the first look would be too large, and hide what grows


def holding() -> Holding:
    """Look at this process, after a collection."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    found = _libc.mallinfo2()
    return Holding(
        pages * resource.getpagesize() // 1024,
        (found.uordblks + found.hblkhd) // 1024,
        len(gc.get_objects()),
        len(os.listdir("/proc/self/fd")),
    )


def grown(looks: Sequence[Holding]) -> str:
    """Return what grew between the first of these looks and the last ones, or changed; empty if nothing did."""
    if len(looks) < LEAST_LOOKS:
        return ""
    more_kb = min(each.rss_kb for each in looks[-3:]) - looks[0].rss_kb
    if more_kb >= MOST_KB:
        return f"memory grew by {more_kb} kB"
    counts = sorted({each.descriptors for each in looks})
    return "" if len(counts) == 1 else f"descriptors changed: {counts}"
