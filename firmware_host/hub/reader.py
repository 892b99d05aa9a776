"""Parses the bytes of the Pi into messages, one byte at a time."""

from .wire import MOST_COMMAND, message

COLON, LF, CR = 0x3A, 0x0A, 0x0D
CAPACITY = MOST_COMMAND - 2
"""Space for the text between the colon and the LF."""

OUTSIDE = -1


class Reader:
    """Parses messages. `buffer` holds the text after the last ":" of a line, and never grows.

    It drops a line that is longer than a command may be, and ignores everything outside lines.
    """

    def __init__(self) -> None:
        self.buffer = bytearray(CAPACITY)
        self._length = OUTSIDE
        self.good = self.damaged = 0

    def feed(self, byte: int) -> "tuple[int, int, bytes] | None":
        """Parse one byte; return kind, seq and body of a message that it completes, else None."""
        if byte == COLON:
            self._length = 0
        elif self._length == OUTSIDE:
            return None
        elif byte == LF:
            return self._end()
        elif self._length == CAPACITY:
            self._length = OUTSIDE
            self.damaged += 1
        else:
            self.buffer[self._length] = byte
            self._length += 1
        return None

    def _end(self) -> "tuple[int, int, bytes] | None":
        length, self._length = self._length, OUTSIDE
        if length and self.buffer[length - 1] == CR:
            length -= 1
        found = message(bytes(self.buffer[:length]))
        if found is None:
            self.damaged += 1
        else:
            self.good += 1
        return found
