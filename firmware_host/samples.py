"""Converts the reports of one hub to samples in table time, and finds dials whose path is unknown. Pure.

Each greeting needs a new stream: a hub that is greeted again restarts its message numbers, its jump counts and its
time.
"""

from __future__ import annotations

from operator import attrgetter

from firmware_host.hub.wire import TICKS, since
from firmware_host.hub_time import HubTime
from firmware_host.link_events import HubReport, HubSample
from firmware_host.lost_jumps import LostJumps
from firmware_host.reports import Record, WireReport, parse_report

_time = attrgetter("at_ns")


class SampleStream:
    """`time`: the hub's clock, from its WELCOME; `dials`: how many it has; `gap_ms`: the limit of the path rule."""

    __slots__ = ("_first", "_gap_ns", "_last_ns", "_last_us", "_lost_jumps", "_pending", "dials", "interrupted", "time")

    def __init__(self, time: HubTime, dials: int, gap_ms: int) -> None:
        self.time, self.dials = time, dials
        self.interrupted = False
        """Whether messages were lost since the last report."""
        self._lost_jumps = LostJumps(gap_ms)
        self._gap_ns = gap_ms * 1_000_000
        self._first = True
        self._last_us: list[int | None] = [None] * dials
        self._last_ns = [time.delivered_ns] * dials
        self._pending: list[tuple[WireReport, bool]] = []

    def add(self, body: bytes) -> bool:
        """Add a report; return False if it does not belong to this hub or its time runs backwards."""
        report = parse_report(body)
        if report is None or len(report.jumps) != self.dials:
            return False
        last = self._last_us.copy()
        for record in report.records:
            before = last[record.dial]
            if before is not None and since((report.at_us + record.first_us) % TICKS, before) <= 0:
                return False
            last[record.dial] = (report.at_us + record.last_us) % TICKS
        self._last_us = last
        self._pending.append((report, not self.interrupted))
        self.interrupted = False
        return True

    def take(self, now_ns: int) -> list[HubReport]:
        """The reports since the last call. All of them have arrived, so none of their samples is later than now."""
        if not self._pending:
            return []
        pending, self._pending = self._pending, []
        for report, _ in pending:
            self.time.arrived((report.at_us + report.end_us) % TICKS, now_ns)
        return [self._placed(*each) for each in pending]

    def _placed(self, report: WireReport, whole: bool) -> HubReport:
        delivered_ns = self.time.delivered_ns
        began_ns = self.time.at(report.at_us)
        samples: list[HubSample] = []
        reads = [0] * self.dials
        gap_us = 0
        for record in report.records:
            if record.reads > 1:
                gap_us = max(gap_us, record.gap_us)
                samples.append(self._sample(record, began_ns + record.first_us * 1000, record.first))
            samples.append(self._sample(record, began_ns + record.last_us * 1000, record.value))
            if record.has_angle:
                reads[record.dial] += record.reads
        samples.sort(key=_time)
        end_ns = samples[-1].at_ns if samples else began_ns
        self.time.mark_delivered(end_ns)
        unknown = self._lost_jumps.add(report, whole=whole)
        if self._first and samples:
            self._first = False
            unknown = self._since_before(samples[0].at_ns, delivered_ns)
        return HubReport(end_ns, tuple(samples), unknown, report.wired, tuple(reads), gap_us)

    def _sample(self, record: Record, at_ns: int, value: int) -> HubSample:
        """A sample in table time. Times of a dial always increase, also after a correction of the clock offset."""
        at_ns = self._last_ns[record.dial] = max(at_ns, self._last_ns[record.dial] + 1)
        return HubSample(record.dial, at_ns, value, record.agc, record.magnitude)

    def _since_before(self, at_ns: int, delivered_ns: int) -> frozenset[int]:
        """Dials with an unknown path between two greetings: no counter covers that time. Consumers notice a gap longer
        than the limit; across a shorter one they would assume that the path is known."""
        short = delivered_ns > 0 and at_ns - delivered_ns <= self._gap_ns
        return frozenset(range(self.dials)) if short else frozenset()
