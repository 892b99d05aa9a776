"""Lines from standard input, with one rule for all of them: what is no text costs its line and nothing else.

A line is UTF-8, or else text in the encoding of the user's locale. One that is neither, one longer than
`LONGEST_BYTES`, and one with a control character are refused with a sentence that repeats nothing of them: the line may
have been a secret. Never more than one such line is kept in memory.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final

from pi_app.text.language import N_
from pi_app.text.printed import shown

AT_ONCE: Final = 4096
LONGEST_BYTES: Final = 4096

NOT_TEXT: Final = N_("This line was not read: it is not text in UTF-8. Type it again.")
TOO_LONG: Final = N_("This line was not read: it is too long. Type it again, shorter.")
UNPRINTABLE: Final = N_("This line was not read: it has a character that cannot be printed. Type it again.")


class RefusedLineError(Exception):
    """A line that is no text. The message is a sentence in English, to be translated."""


def read_lines(
    hand_in: Callable[[str], None], refuse: Callable[[str], None], end: Callable[[], None] = lambda: None
) -> None:
    """Hand in each line that is typed, and the reason for each that is not read; call `end` at the end of the input,
    or when its terminal is closed. A thread does it, without Python's buffers, and never keeps the program alive."""
    threading.Thread(target=_read, args=(hand_in, refuse, end), name="words", daemon=True).start()


def _read(hand_in: Callable[[str], None], refuse: Callable[[str], None], end: Callable[[], None]) -> None:
    reader = _reader()
    while (line := reader.next_line()) is not None:
        try:
            hand_in(reader.text(line))
        except RefusedLineError as reason:
            refuse(str(reason))
    end()


def has_input() -> bool:
    """Return whether standard input is more than the null device, which a service has."""
    try:
        return sys.stdin is not None and os.fstat(sys.stdin.fileno()).st_rdev != os.stat(os.devnull).st_rdev
    except (OSError, ValueError):
        return sys.stdin is not None


def next_line() -> str | None:
    """Wait for a line and return it without its line feed; None at the end of the input. Raises RefusedLineError."""
    reader = _reader()
    line = reader.next_line()
    return None if line is None else reader.text(line)


def lines_of_bytes() -> Iterator[str]:
    """Yield each line of standard input, whatever its bytes are: what is no UTF-8 is shown as U+FFFD. Only the first
    `LONGEST_BYTES` + 1 bytes of a line count."""
    reader = _reader()
    while (line := reader.next_line()) is not None:
        yield line.decode(errors="replace")


class LineReader:
    """The bytes of a stream as lines. What was read and not yet handed out waits here."""

    def __init__(self, chunks: Callable[[], bytes], encoding: str) -> None:
        self._chunks, self._encoding = chunks, encoding
        self._waiting = b""

    def next_line(self) -> bytes | None:
        """Return the next line's first `LONGEST_BYTES` + 1 bytes; the rest of a longer one is dropped."""
        kept = b""
        while True:
            line, feed, rest = self._waiting.partition(b"\n")
            kept = (kept + line)[: LONGEST_BYTES + 1]
            if feed:
                self._waiting = rest
                return kept
            self._waiting = self._next_chunk()
            if not self._waiting:
                return kept or None

    def _next_chunk(self) -> bytes:
        try:
            return self._chunks()
        except (OSError, ValueError):  # the terminal or the stream was closed
            return b""

    def text(self, line: bytes) -> str:
        """Decode a line. Raises RefusedLineError."""
        if len(line) > LONGEST_BYTES:
            raise RefusedLineError(TOO_LONG)
        text = self._decoded(line.removesuffix(b"\r")).replace("\t", " ")
        if shown(text) != text:
            raise RefusedLineError(UNPRINTABLE)
        return text

    def _decoded(self, line: bytes) -> str:
        for encoding in dict.fromkeys(("utf-8", self._encoding)):
            with contextlib.suppress(UnicodeError, LookupError):
                return line.decode(encoding)
        raise RefusedLineError(NOT_TEXT)


_READERS: Final[weakref.WeakKeyDictionary[Any, LineReader]] = weakref.WeakKeyDictionary()


def _reader() -> LineReader:
    """Return the one reader of `sys.stdin`."""
    stream = sys.stdin
    if stream is None:
        return LineReader(lambda: b"", "utf-8")
    if stream not in _READERS:
        _READERS[stream] = LineReader(_chunks_of(stream), getattr(stream, "encoding", None) or "utf-8")
    return _READERS[stream]


def _chunks_of(stream: Any) -> Callable[[], bytes]:
    """Read a stream's descriptor: a thread that waits in `sys.stdin` holds its lock, and Python then aborts at the end
    of the program. A stream in memory has no descriptor and never waits."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):
        binary = getattr(stream, "buffer", None)
        if binary is not None:
            return lambda: bytes(binary.read(AT_ONCE))
        return lambda: str(stream.read(AT_ONCE)).encode(errors="surrogateescape")
    return lambda: os.read(descriptor, AT_ONCE)
