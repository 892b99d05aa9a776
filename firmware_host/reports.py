"""Parses a report of the wire. Pure; `wiring_docs/hub_wire.md` has the layout, `hub/records.py` builds it."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from firmware_host.hub import wire
from firmware_host.hub.records import BAND

WITH_ANGLE: Final = frozenset((wire.GOOD, wire.TOO_WEAK, wire.TOO_STRONG))
"""Read results with an angle."""

ANGLE: Final = wire.COUNTS_PER_TURN - 1
NONE: Final = -1


class Record(NamedTuple):
    """A record of one dial: a sample, a sample of a full read (`agc` is not -1), or a run of samples.

    Times are microseconds after the report's. Of a run, `value` is the last and `first` the first one; `lowest` and
    `highest` are counts relative to the last. A single sample has equal times and equal values.
    """

    dial: int
    first_us: int
    last_us: int
    first: int
    value: int
    reads: int = 1
    gap_us: int = 0
    lowest: int = 0
    highest: int = 0
    agc: int = NONE
    magnitude: int = NONE

    @property
    def has_angle(self) -> bool:
        """Whether it has an angle."""
        return self.value >> 12 in WITH_ANGLE


class WireReport(NamedTuple):
    """A parsed report. `wired`: bit n is set if dial n is there; `jumps`: number of jumps of each dial, modulo 256."""

    at_us: int
    wired: int
    jumps: bytes
    records: tuple[Record, ...]

    @property
    def end_us(self) -> int:
        """The time of the last sample, relative to the report's."""
        return max((record.last_us for record in self.records), default=0)


_head = struct.Struct(wire.REPORT_HEAD)
_one = struct.Struct(wire.ONE_RECORD)
_run = struct.Struct(wire.RUN_RECORD)
_full = struct.Struct(wire.FULL_RECORD)


def parse_report(body: bytes) -> WireReport | None:
    """Parse the body of a report; None if it is malformed or contradicts itself."""
    try:
        at_us, dials, wired, count = _head.unpack_from(body)
        jumps = body[_head.size : _head.size + dials]
        if not 1 <= dials <= wire.MOST_DIALS or at_us >= wire.TICKS or len(jumps) < dials or wired >> dials:
            return None
        records, at = [], _head.size + dials
        for _ in range(count):
            record, at = _record(body, at)
            if record is None or not wired >> record.dial & 1:
                return None
            records.append(record)
    except (struct.error, IndexError):
        return None
    return WireReport(at_us, wired, jumps, tuple(records))


def _record(body: bytes, at: int) -> tuple[Record | None, int]:
    """The record at this offset, and the offset of the next one."""
    kind = body[at] & 0xF0
    if kind == wire.RUN:
        return _a_run(*_run.unpack_from(body, at)), at + _run.size
    if kind == wire.ONE:
        which, after_us, value = _one.unpack_from(body, at)
        return Record(which & 0x0F, after_us, after_us, value, value), at + _one.size
    if kind == wire.FULL:
        which, after_us, value, agc, magnitude = _full.unpack_from(body, at)
        full = Record(which & 0x0F, after_us, after_us, value, value, agc=agc, magnitude=magnitude)
        return (full if full.has_angle and magnitude <= ANGLE else None), at + _full.size
    return None, at


def _a_run(
    which: int, first_us: int, last_us: int, value: int, spread: int, first: int, reads: int, gap_us: int
) -> Record | None:
    above_low, below_high = spread >> 4, spread & 0x0F
    if reads < 2 or first_us >= last_us or above_low + below_high > 2 * BAND or first > above_low + below_high:
        return None
    if value >> 12 not in WITH_ANGLE and spread:
        return None
    before = value & ~ANGLE | (value - above_low + first) & ANGLE
    return Record(which & 0x0F, first_us, last_us, before, value, reads, gap_us, -above_low, below_high)
