"""Lines for standard output that never delay a game and never end it.

A thread writes them and bypasses Python's buffers, so that a paused terminal, a full pipe and a daemon thread at the
end of the program block nothing. A closed output is given up, with one message on standard error.
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

from pi_app.cli.printing import GONE, echo, is_terminal
from pi_app.text.printed import shown

KEPT_LINES: Final = 10_000
"""The most lines that wait for a paused output; older ones are dropped."""

CLOSE_WAITS_S: Final = 2.0
"""The most time to wait, at the end, for an output that accepts nothing."""

WARN_WAITS_S: Final = 0.3
"""The most time to wait for a terminal that shall show a warning or the last line."""

VIEWERS: Final = ("public", "referee")
"""The viewers whose lines a terminal shows. Seats read their own screens; the log is in the journal."""


def warn(line: str) -> None:
    """Print one line on standard error, if it is open; a terminal that accepts nothing does not delay the end."""
    with contextlib.suppress(OSError, ValueError):
        if not is_terminal(sys.stderr) or select.select([], [sys.stderr], [], WARN_WAITS_S)[1]:
            echo(line, err=True)


def drop_output() -> None:
    """Flush Python's buffers, or drop them, so that the end of the program does not fail."""
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
    """Prints lines for everyone at the table. Close it, or use it as a context manager."""

    def __init__(self, out: TextIO | None = None) -> None:
        """`out`: standard output if left out; a program may have none."""
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

    @property
    def shown_to_a_person(self) -> bool:
        """Whether the output is a terminal, and neither a file nor a pipe."""
        return is_terminal(self._out)

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Print a line for one viewer, if the terminal shows its lines."""
        if viewer in VIEWERS:
            self.say(f"{viewer:<8} | {line}")

    def say(self, line: str) -> None:
        """Print a line. Never waits, never fails."""
        line = shown(line)
        with self._changed:
            if not self._given_up:
                self._lines.append(line)
                self._changed.notify()

    def close(self) -> None:
        """Write the waiting lines, if the output accepts them; closing twice is harmless."""
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
        """Wait for lines and return all of them; None at the end."""
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
            except BlockingIOError:  # the pipe is non-blocking
                select.select([], [self._descriptor], [])

    def _failed(self, error: OSError | ValueError) -> None:
        number = error.errno if isinstance(error, OSError) else errno.EBADF  # ValueError: closed by this program
        if number in GONE:
            with self._changed:
                self._given_up = True
                self._lines.clear()
            warn(f"Standard output was closed ({_why(number)}). Play continues without it; Ctrl-C or SIGTERM ends it.")
        elif not self._complained:
            self._complained = True
            seen = f"Standard output cannot be written ({_why(number)})."
            warn(f"{seen} Play continues; lines are lost until it can be written again.")


def _why(number: int | None) -> str:
    return "for an unknown reason" if number is None else os.strerror(number)


def _descriptor(out: TextIO | None) -> int | None:
    """Return the file descriptor of a stream; None for one in memory."""
    try:
        return None if out is None else out.fileno()
    except (OSError, ValueError, AttributeError):
        return None
