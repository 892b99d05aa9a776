"""Reads a recorded trace in small pieces and follows it. `pi_app.audit.decode_lines` prints the turns.

A trace is a CSV text with the header `t_ns,raw` or `t_ns,raw,status`, one sample of the dial per line: nanoseconds that
grow, and the chip's angle. An empty `raw` is a failed read. So is any `status` not in `GOOD_STATUS`: an unknown word
never becomes an angle. Byte-order mark, CRLF, blanks around values and empty lines are fine.

Memory does not grow with the trace. Plain stretches are parsed as a whole, and only a piece with anything unusual goes
line by line; turns before a bad line have been returned by then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import lt, sub
from typing import BinaryIO, Final

from pi_app.audit.decode_lines import Pauses, counted
from pi_app.dials.tracker import BLOCK, Tracker, Turn
from pi_app.text.errors import UserFileError

UNCHECKED: Final = ("not checked in this read", "not asked in this look")
"""The magnet was not read; the second is the wording of older traces."""

GOOD_STATUS: Final = frozenset({"", "ok", "good", "0", "too weak", "too strong", *UNCHECKED})
"""A weak or strong field still gives an accepted angle."""

HEADERS: Final = (["t_ns", "raw"], ["t_ns", "raw", "status"])
PIECE_BYTES: Final = 1 << 16
LARGEST_TRACE: Final = 2**32
"""The most bytes of a trace: two days of 1,000 samples a second."""

LONGEST_LINE: Final = 1000
SEEN_CHARACTERS: Final = 40

_PLAIN: Final = re.compile(rb"(?:[0-9]{1,18},[0-9]{1,9}\r?\n)*")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_RECORD_AGAIN: Final = "Cut the trace before this line, or record it again with `trapdial record`"


@dataclass(slots=True)
class Summary:
    """Counts of a trace. `longest_gap_ns` is the longest time between two good samples."""

    samples: int = 0
    failed: int = 0
    turns: int = 0
    unknown: int = 0
    ranges: int = 0
    longest_gap_ns: int = 0
    good_ns: int | None = None

    def line(self) -> str:
        """Return one sentence for a person."""
        ranges = f" and {self.ranges} with a range of clicks" if self.ranges else ""
        return (
            f"{counted(self.turns, 'turn')}, {self.unknown} of them with an unknown path{ranges}; "
            f"{counted(self.samples, 'sample')}, {counted(self.failed, 'failed read')}, "
            f"longest gap {self.longest_gap_ns / 1e6:.1f} ms"
        )

    def take(self, times: list[int], angles: list[int | None]) -> None:
        """Count a piece of samples."""
        good = (
            times if None not in angles else [when for when, raw in zip(times, angles, strict=True) if raw is not None]
        )
        self.samples += len(times)
        self.failed += len(times) - len(good)
        if not good:
            return
        since_ns = good[0] if self.good_ns is None else self.good_ns
        self.longest_gap_ns = max(self.longest_gap_ns, *map(sub, good, [since_ns, *good]))
        self.good_ns = good[-1]


def decode(
    stream: BinaryIO, file: str, tracker: Tracker, summary: Summary, pauses: Pauses | None = None
) -> Iterator[Turn]:
    """Yield the turns of a trace in order, each as soon as it has ended; the end of the trace makes a turn `cut`.

    `file` is how the user named it. Fills `summary`, and feeds `pauses` the samples of each turn. Raises
    UserFileError at the first line that cannot be read, after the turns that ended before it.
    """
    reader = _Reader(stream, file, tracker.shape.counts_per_turn)
    while True:
        times, angles, trouble = reader.next_piece()
        summary.take(times, angles)
        for turn in _fed(tracker, times, angles, pauses):
            yield _counted(turn, summary)
        if trouble is not None:
            raise trouble
        if reader.at_end:
            break
    turn_at_end = tracker.finish()
    if turn_at_end is not None:
        yield _counted(turn_at_end, summary)


def _fed(tracker: Tracker, times: Sequence[int], angles: Sequence[int | None], pauses: Pauses | None) -> Iterator[Turn]:
    for start in range(0, len(times), BLOCK):
        some_times, some_angles = times[start : start + BLOCK], angles[start : start + BLOCK]
        was_off = tracker.off_rest
        turns = tracker.feed_many(some_times, some_angles)
        if pauses is not None and (was_off or turns or tracker.off_rest):
            pauses.see(some_times, some_angles)
        yield from turns


def _counted(turn: Turn, summary: Summary) -> Turn:
    summary.turns += 1
    summary.unknown += turn.path == "unknown"
    summary.ranges += turn.clicks_range is not None
    return turn


# -------------------------------------------------------------------------------------------- lines in


Piece = tuple[list[int], list[int | None], UserFileError | None]
"""Times, angles, and the error in the line after them."""


class _Reader:
    """Reads a trace piece by piece."""

    def __init__(self, stream: BinaryIO, file: str, counts: int) -> None:
        self._stream, self._file, self._counts = stream, file, counts
        self._rest = b""
        self._line = 0
        self._bytes = 0
        self._columns = 0
        self._before_ns: int | None = None
        self.at_end = False

    def next_piece(self) -> Piece:
        """Return the samples of the next few thousand lines."""
        data = self._read()
        self.at_end = not data
        whole, newline, rest = (self._rest + data).rpartition(b"\n")
        if self.at_end:
            whole, newline, rest = whole + newline + rest, b"", b""
        if len(rest) > LONGEST_LINE:
            self._rest = b""
            times, angles, trouble = self._take(whole + newline)
            self._line += 1
            return times, angles, trouble or self._bad_line(rest[:LONGEST_LINE], "a line without an end")
        self._rest = rest
        return self._take(whole + newline)

    def _read(self) -> bytes:
        try:
            data = self._stream.read(PIECE_BYTES)
        except OSError as trouble:
            seen = f"reading stopped ({trouble.strerror or trouble})"
            place = f"line {self._line + 1}"
            raise UserFileError.at(self._file, place, seen, "Check the disk, or copy the trace") from None
        self._bytes += len(data)
        if self._bytes > LARGEST_TRACE:
            seen = f"the trace has more than {LARGEST_TRACE:,} bytes"
            raise UserFileError.at(self._file, f"line {self._line + 1}", seen, "Cut it into several")
        return data

    def _take(self, lines: bytes) -> Piece:
        if self._columns == 2 and _PLAIN.fullmatch(lines):
            values = list(map(int, lines.replace(b"\n", b",").split(b",")[:-1]))
            times, angles = values[0::2], values[1::2]
            in_order = all(map(lt, times, times[1:]))
            follows = not times or self._before_ns is None or self._before_ns < times[0]
            if in_order and follows and (not angles or max(angles) < self._counts):
                self._line += len(times)
                self._before_ns = times[-1] if times else self._before_ns
                return times, list[int | None](angles), None
        return self._take_one_by_one(lines)

    def _take_one_by_one(self, lines: bytes) -> Piece:
        times: list[int] = []
        angles: list[int | None] = []
        try:
            for line in lines.split(b"\n")[: None if self.at_end else -1]:
                self._line += 1
                self._take_line(line, times, angles)
            if self.at_end and not self._columns:
                raise UserFileError.at(self._file, "", "it is empty", f"A trace begins with {_or(HEADERS)}")
        except UserFileError as error:
            return times, angles, error
        return times, angles, None

    def _take_line(self, line: bytes, times: list[int], angles: list[int | None]) -> None:
        fields = [field.strip() for field in self._text(line).split(",")]
        if fields == [""]:
            return
        if not self._columns:
            self._take_header(line, fields)
            return
        if len(fields) != self._columns:
            last = " (the trace may have been cut off here)" if self.at_end else ""
            raise self._bad_line(line, f"{_columns(len(fields))} instead of {self._columns}{last}")
        at_ns = self._number(line, fields[0], "t_ns")
        if self._before_ns is not None and at_ns <= self._before_ns:
            raise self._bad_line(line, f"t_ns {at_ns} is not after the {self._before_ns} before it; time must grow")
        raw = None if fields[1] == "" else self._number(line, fields[1], "raw")
        if raw is not None and not 0 <= raw < self._counts:
            raise self._bad_line(line, f"raw {raw} is outside 0 to {self._counts - 1}")
        if self._columns == 3 and fields[2].lower() not in GOOD_STATUS:
            raw = None
        self._before_ns = at_ns
        times.append(at_ns)
        angles.append(raw)

    def _text(self, line: bytes) -> str:
        if len(line) > LONGEST_LINE:
            raise self._bad_line(line[:LONGEST_LINE], f"a line of {len(line)} bytes")
        try:
            text = line.decode("utf-8-sig" if self._line == 1 else "utf-8")
        except UnicodeDecodeError:
            raise self._bad_line(line, "bytes that are not text") from None
        if "\0" in text:
            raise self._bad_line(line, "binary zeros")
        return text

    def _take_header(self, line: bytes, fields: list[str]) -> None:
        if [field.strip('"').lower() for field in fields] not in HEADERS:
            raise self._bad_line(line, "this is not the header of a trace")
        self._columns = len(fields)

    def _number(self, line: bytes, field: str, column: str) -> int:
        if _NUMBER.fullmatch(field) is None:
            seen = f"{column} is {_shown(field.encode())}, not a whole number"
            raise self._bad_line(line, f"{seen} (the trace may have been cut off here)" if self.at_end else seen)
        return int(field)

    def _bad_line(self, line: bytes, seen: str) -> UserFileError:
        advice = _RECORD_AGAIN if self._columns else f"A trace begins with {_or(HEADERS)}"
        return UserFileError.at(self._file, f"line {self._line}", f"{seen}, in {_shown(line)}", advice)


def _shown(line: bytes) -> str:
    text = ascii(line.decode("utf-8", "replace").strip())
    return text if len(text) <= SEEN_CHARACTERS else text[:SEEN_CHARACTERS] + "...'"


def _or(headers: Iterable[list[str]]) -> str:
    return " or ".join(f"`{','.join(header)}`" for header in headers)


def _columns(number: int) -> str:
    return counted(number, "column")
