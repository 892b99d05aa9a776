"""Finds dials that jumped in lost samples. Pure.

A hub counts, for each dial, how often two successive good samples break the path rule. The Pi counts the same in the
samples that it received. If the hub counted more, a sample with a jump is missing, and the dial's path is unknown.

Both ends use the hub's time, not the table's, so that they judge the same numbers.
"""

from __future__ import annotations

from firmware_host.hub.wire import TICKS
from firmware_host.path_rule import jumped
from firmware_host.reports import ANGLE, WireReport


class LostJumps:
    """The dials of one hub, from one greeting to the next."""

    __slots__ = ("_gap_ns", "_jumps", "_last", "_owed")

    def __init__(self, gap_ms: int) -> None:
        self._gap_ns = gap_ms * 1_000_000
        self._jumps: bytes | None = None
        self._last: list[tuple[int, int] | None] = []
        self._owed: set[int] = set()

    def add(self, report: WireReport, *, whole: bool) -> frozenset[int]:
        """Dials with a sample in this report whose path up to that sample is unknown. `whole`: no message was lost
        since the report before.

        A jump noticed while its dial has no angle is reported with the next angle.
        """
        if self._jumps is None or not whole:
            self._last = [None] * len(report.jumps)
        counted, self._jumps = self._jumps, report.jumps
        explained, seen = self._walk(report)
        if counted is None:
            return frozenset()
        if report.jumps != counted or any(explained):
            for dial, (now, before) in enumerate(zip(report.jumps, counted, strict=True)):
                if (now - before - explained[dial]) % 256:
                    self._owed.add(dial)
        unknown = frozenset(self._owed & seen)
        self._owed -= seen
        return unknown

    def _walk(self, report: WireReport) -> tuple[list[int], set[int]]:
        """The number of jumps of each dial between received samples, and the dials with a sample. No dial jumps within
        a run: it is short, and its samples are near each other."""
        explained = [0] * len(report.jumps)
        seen = set()
        for record in report.records:
            if not record.has_angle:
                continue
            dial, last = record.dial, self._last[record.dial]
            if last is not None:
                passed_us = (report.at_us + record.first_us - last[1]) % TICKS
                explained[dial] += jumped(last[0], record.first & ANGLE, passed_us * 1000, self._gap_ns)
            self._last[dial] = (record.value & ANGLE, report.at_us + record.last_us)
            seen.add(dial)
        return explained, seen
