"""Lines for standard output that never hold up a game and never end it.

A thread writes them, past Python's own buffers: a terminal that is paused, a pipe that nobody reads and a daemon thread
at the end of the program then block nobody. A closed output is given up, once and with a word on standard error.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
import threading
from collections import deque
from typing import Final, TextIO

KEPT_LINES: Final = 10_000
"""So many lines wait for a paused output; older ones are dropped."""

CLOSE_WAITS_S: Final = 2.0
"""At the end an output that takes nothing is waited for so long."""

_GONE: Final = frozenset({errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO, errno.ECONNRESET})
"""It never comes back: nobody reads the pipe, the terminal was closed. Anything else may pass, such as a full disk."""

VIEWERS: Final = ("public", "referee")
"""Who a terminal at the table speaks to. Seats read their own screens; the log lies in the journal."""


def warn(line: str) -> None:
    """One line on standard error, if anybody is there to read it."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


def drop_output() -> None:
    """Let nothing that still waits in Python's buffers fail at the end of the program."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


class Terminal:
    """Prints what everyone at the table may read. Close it, or use it as a context manager."""

    def __init__(self, out: TextIO | None = None) -> None:
        """`out`: standard output if left out; a program may have none at all."""
        self._out = sys.stdout if out is None else out
        self._descriptor = _descriptor(self._out)
        self._encoding = getattr(self._out, "encoding", None) or "utf-8"
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._changed = threading.Condition()
        self._closing = self._given_up = self._complained = False
        self._thread = threading.Thread(target=self._run, name="terminal", daemon=True)
        if self._out is not None:
            with contextlib.suppress(OSError, ValueError):
                self._out.flush()
            self._thread.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """A line for one viewer, if it is one that the terminal speaks to."""
        if viewer in VIEWERS:
            self.say(f"{viewer:<8} | {line}")

    def say(self, line: str) -> None:
        """A line as it is. Never waits, never fails."""
        with self._changed:
            if not self._given_up:
                self._lines.append(line)
                self._changed.notify()

    def close(self) -> None:
        """Write what waits, as far as anybody reads it; closing twice is harmless."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(CLOSE_WAITS_S)

    def _run(self) -> None:
        while (text := self._next()) is not None:
            try:
                self._write(text)
            except (OSError, ValueError) as error:
                self._failed(error)

    def _next(self) -> str | None:
        """All lines that wait; None at the end."""
        with self._changed:
            while not self._lines and not self._closing:
                self._changed.wait()
            if not self._lines:
                return None
            text = "\n".join(self._lines) + "\n"
            self._lines.clear()
            return text

    def _write(self, text: str) -> None:
        if self._descriptor is None:
            assert self._out is not None
            self._out.write(text)
            self._out.flush()
            return
        data = text.encode(self._encoding, errors="backslashreplace")
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:  # somebody has set the pipe so
                select.select([], [self._descriptor], [])

    def _failed(self, error: OSError | ValueError) -> None:
        number = error.errno if isinstance(error, OSError) else errno.EBADF  # ValueError: closed by this program
        if number in _GONE:
            with self._changed:
                self._given_up = True
                self._lines.clear()
            warn(f"Standard output was closed ({_why(number)}). Play goes on without it; Ctrl-C or SIGTERM ends it.")
        elif not self._complained:
            self._complained = True
            seen = f"Standard output cannot be written ({_why(number)})."
            warn(f"{seen} Play goes on; lines are missing from it until it can be.")


def _why(number: int | None) -> str:
    return "for a reason that is not known" if number is None else os.strerror(number)


def _descriptor(out: TextIO | None) -> int | None:
    """The open file below a stream; None for one in memory."""
    try:
        return None if out is None else out.fileno()
    except (OSError, ValueError, AttributeError):
        return None
