"""Bytes as they come from the Pi, one by one, and the messages in them."""

from .wire import MOST_COMMAND, message

COLON, LF, CR = 0x3A, 0x0A, 0x0D
ROOM = MOST_COMMAND - 2
"""For what stands between the colon and the LF."""

OUTSIDE = -1


class Reader:
    """Takes bytes and gives messages. It keeps what follows the last ":" of a line, and never grows.

    A line that is longer than a command may be is dropped; whatever stands outside of lines is not ours.
    """

    def __init__(self) -> None:
        self._text = bytearray(ROOM)
        self._length = OUTSIDE
        self.good = self.damaged = 0

    def feed(self, byte: int) -> "tuple[int, int, bytes] | None":
        """Kind, seq and body of the message that this byte completes; None if it completes none."""
        if byte == COLON:
            self._length = 0
        elif self._length == OUTSIDE:
            return None
        elif byte == LF:
            return self._end()
        elif self._length == ROOM:
            self._length = OUTSIDE
            self.damaged += 1
        else:
            self._text[self._length] = byte
            self._length += 1
        return None

    def _end(self) -> "tuple[int, int, bytes] | None":
        length, self._length = self._length, OUTSIDE
        if length and self._text[length - 1] == CR:
            length -= 1
        found = message(bytes(self._text[:length]))
        if found is None:
            self.damaged += 1
        else:
            self.good += 1
        return found
