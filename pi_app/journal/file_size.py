"""The length of a journal's file against the pages that its header counts. SQLite reads no more than those: what lies
behind them is not of the journal. Of a copy that was cut short, it can read what is there.

Only a file at rest can be compared: in play, the newest pages are in SQLite's log.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pi_app.journal.beside import log_size
from pi_app.text.plain_file import open_plain

_HEADER: Final = 100
_MAGIC: Final = b"SQLite format 3\0"
_LARGEST_PAGE: Final = 65_536

LITTLE: Final = 2**24
"""A file of at most so many bytes is read quickly, whatever is in it."""

MOST_FOR_ONE: Final = 8
"""Bytes of a larger file for each byte that the disk holds: a disk may compress what is padded, but not so much."""

AGAIN: Final = "Copy it again from where it was written"


def strange_size(path: Path) -> str:
    """Return what is strange about the length of a file to read; empty if nothing is. Raises OSError."""
    size = counted = 0
    for _ in range(2):  # a program that shortens it may be between the two
        size, counted = _lengths(path)
        if size <= counted or counted == 0:
            break
    else:
        return f"has {size:,} bytes, and its header counts {counted:,}: what is behind them is not of the journal"
    held = os.stat(path).st_blocks * 512
    if size > LITTLE and 0 < held * MOST_FOR_ONE < size:
        return f"has {size:,} bytes, of which the disk holds {held:,}: the others were never written"
    return ""


def cut_short(path: Path) -> str:
    """Return how much there is of a file of which the end is missing; empty if it is all there, or not at rest."""
    try:
        size, counted = _lengths(path)
    except OSError:
        return ""
    return f"{size:,} of {counted:,} bytes: the copy was cut short" if size < counted else ""


def _lengths(path: Path) -> tuple[int, int]:
    """Return the bytes of a file, and those that its header counts; 0 if it counts none that can be compared."""
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        header = file.read(_HEADER)
    if len(header) < _HEADER or not header.startswith(_MAGIC) or log_size(path):
        return size, 0
    page, pages, changed, counted_at = (
        int.from_bytes(header[at : at + long]) for at, long in ((16, 2), (28, 4), (24, 4), (92, 4))
    )
    return size, (_LARGEST_PAGE if page == 1 else page) * pages if changed == counted_at else 0
