"""Splits the bytes of a port into messages and console text. Pure; it holds one line at most.

A message is the text after the last ":" of a line, if its CRC is right. All else is text of another program: a prompt,
a traceback, half a message.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from firmware_host.hub.wire import MOST_LINE, message

Message = tuple[int, int, bytes]
"""Kind, seq, body."""

LONGEST_TEXT: Final = 160
"""Characters kept of a line of text."""

TEXTS: Final = 4
"""Kept lines of a console."""
TEXT_NS: Final = 10_000_000_000

_FRAME = re.compile(r":?(?=[A-Fa-f]*[0-9]|[A-Fa-f]{8})[0-9A-Fa-f]{6,}")
"""Six hex digits in a row are not a word if one of them is a digit; "Traceback" has six letters that are hex digits."""
_LIKE_A_MESSAGE = re.compile(rb"\s*[0-9A-Fa-f]{12,}\s*")
_HEX = frozenset("0123456789abcdefABCDEF:")


class LineSplitter:
    """Splits bytes into lines. `damaged` counts lines that look like damaged messages."""

    __slots__ = ("_rest", "damaged", "texts")

    def __init__(self) -> None:
        self._rest = b""
        self.damaged = self.texts = 0

    @property
    def held(self) -> int:
        """Bytes of the unfinished line."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[Message | str]:
        """The messages and harmless lines of text in these bytes, in order. The result does not depend on how the bytes
        are chunked."""
        *whole, rest = (self._rest + data).split(b"\n")
        if len(rest) > MOST_LINE:
            _, colon, tail = rest.rpartition(b":")
            rest = colon + tail if colon and len(tail) < MOST_LINE else b""
        self._rest = rest
        found: list[Message | str] = []
        for line in whole:
            before, colon, behind = line.rpartition(b":")
            parsed = message(behind.rstrip(b"\r")) if colon else None
            if parsed is None:
                self._other(line, found)
                self.damaged += bool(colon) and _LIKE_A_MESSAGE.fullmatch(behind) is not None
                continue
            if before:
                self._other(before, found)
            found.append(parsed)
        return found

    def _other(self, line: bytes, found: list[Message | str]) -> None:
        if text := harmless(line):
            self.texts += 1
            found.append(text)


class RecentTexts:
    """The last lines of a console. Older ones are unrelated to the current failure."""

    def __init__(self) -> None:
        self._texts: deque[tuple[int, str]] = deque(maxlen=TEXTS)

    def add(self, text: str, now_ns: int) -> None:
        """Keep a line."""
        self._texts.append((now_ns, text))

    def clear(self) -> None:
        """Forget all lines."""
        self._texts.clear()

    def recent(self, now_ns: int) -> list[str]:
        """The lines of the last ten seconds."""
        return [text for at_ns, text in self._texts if now_ns - at_ns <= TEXT_NS]


def harmless(line: bytes) -> str:
    """Strip a line of text for display: one line, no control characters, and nothing that may be a piece of a report,
    since a report holds angles. Empty if nothing is left."""
    text = "".join(chr(byte) if 32 <= byte < 127 else " " for byte in line[: 4 * LONGEST_TEXT])
    text = " ".join(_FRAME.sub("...", text).split())
    letters = text.replace(".", "").replace(" ", "")
    if not letters or 2 * sum(letter in _HEX for letter in letters) > len(letters):
        return ""
    return text[:LONGEST_TEXT]
