"""From the bytes of a port to messages and to text of the console. Pure; it holds no more than one line.

A message is what follows the last ":" of a line, if its check holds. All else is text that somebody's program wrote:
a prompt, a traceback, half a message.
"""

from __future__ import annotations

import re
from typing import Final

from firmware_host.hub.wire import MOST_LINE, message

Message = tuple[int, int, bytes]
"""Kind, seq, body."""

LONGEST_TEXT: Final = 160
"""Characters that are kept of a line of text."""

_FRAME = re.compile(r":?(?=[A-Fa-f]*[0-9]|[A-Fa-f]{8})[0-9A-Fa-f]{6,}")
"""Six hex digits in a row are no word, if one of them is a digit; "Traceback" has six letters that are hex digits."""
_LIKE_A_MESSAGE = re.compile(rb"\s*[0-9A-Fa-f]{12,}\s*")
_HEX = frozenset("0123456789abcdefABCDEF:")


class LineSplitter:
    """Cuts bytes into lines. `damaged` counts lines that were to be messages."""

    __slots__ = ("_rest", "damaged", "texts")

    def __init__(self) -> None:
        self._rest = b""
        self.damaged = self.texts = 0

    def feed(self, data: bytes) -> list[Message | str]:
        """What came, in order: messages, and lines of text that may be shown to anybody. The same messages however the
        bytes are cut."""
        *whole, rest = (self._rest + data).split(b"\n")
        if len(rest) > MOST_LINE:
            _, colon, tail = rest.rpartition(b":")
            rest = colon + tail if colon and len(tail) < MOST_LINE else b""
        self._rest = rest
        found: list[Message | str] = []
        for line in whole:
            before, colon, behind = line.rpartition(b":")
            told = message(behind.rstrip(b"\r")) if colon else None
            if told is None:
                self._other(line, found)
                self.damaged += bool(colon) and _LIKE_A_MESSAGE.fullmatch(behind) is not None
                continue
            if before:
                self._other(before, found)
            found.append(told)
        return found

    def _other(self, line: bytes, found: list[Message | str]) -> None:
        if text := harmless(line):
            self.texts += 1
            found.append(text)


def harmless(line: bytes) -> str:
    """A line of text that may stand in a message to people: one line, no control characters, and nothing that can be a
    piece of a report, since a piece of a report holds angles. Empty if nothing is left."""
    text = "".join(chr(byte) if 32 <= byte < 127 else " " for byte in line[: 4 * LONGEST_TEXT])
    text = " ".join(_FRAME.sub("...", text).split())
    letters = text.replace(".", "").replace(" ", "")
    if not letters or 2 * sum(letter in _HEX for letter in letters) > len(letters):
        return ""
    return text[:LONGEST_TEXT]
