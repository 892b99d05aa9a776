"""The lines of an export, one after the other, none longer than the limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pi_app.journal.record.limits import LONGEST_LINE


class TooMuchError(Exception):
    """A file has more of something than a reader takes. `place` is where, the message what."""

    def __init__(self, place: str, seen: str) -> None:
        self.place = place
        super().__init__(seen)


class ExportLines:
    """Iterate once. `again` reads the lines from an earlier one to the present one a second time, so that the entries
    of a game need no memory until its key stands at its end."""

    def __init__(self, stream: BinaryIO) -> None:
        """Begin at the start of `stream`, which can seek."""
        self._stream, self._moved = stream, False
        self.number = 0
        """The number of the present line."""
        self.at = 0
        """Where the present line begins."""

    def __iter__(self) -> Iterator[bytes]:
        end = 0
        while line := self._stream.readline(LONGEST_LINE + 1):
            self.number, self.at = self.number + 1, end
            if len(line) > LONGEST_LINE:
                raise TooMuchError(f"line {self.number}", f"is longer than {LONGEST_LINE:,} bytes")
            end += len(line)
            yield line
            if self._moved:
                self._stream.seek(end)
                self._moved = False

    def again(self, start: int) -> Iterator[bytes]:
        """Yield the lines from the one that begins at `start` to the present one."""
        at, until, self._moved = start, self.at, True
        while at <= until:
            self._stream.seek(at)
            line = self._stream.readline(LONGEST_LINE)
            if not line:
                return
            at += len(line)
            yield line
