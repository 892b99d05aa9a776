"""Lines from standard input, read without Python's buffers in a thread that never keeps the program alive."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

AT_ONCE: Final = 4096


def read_lines(hand_in: Callable[[str], None]) -> None:
    """Hand in each line that is typed. Play continues at the end of the input, or when its terminal is closed: a
    service has no input."""
    threading.Thread(target=_read, args=(hand_in,), name="words", daemon=True).start()


def _read(hand_in: Callable[[str], None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in _lines():
            hand_in(line)


def _lines() -> Iterator[str]:
    """Read the descriptor of `sys.stdin`: a thread that waits in `sys.stdin` holds its lock, and Python then aborts at
    the end of the program. A stream in memory has no descriptor and never waits."""
    if sys.stdin is None:
        return
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):
        yield from sys.stdin
        return
    decoder, rest = codecs.getincrementaldecoder("utf-8")(errors="replace"), ""
    while data := os.read(descriptor, AT_ONCE):
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        yield from lines
    if rest:
        yield rest
