"""Reports of one hub become samples in table time, with what is not known of their paths. Pure.

One for each greeting: a hub that is greeted again counts its messages, its leaps and its time from any number.
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
    """`time` is the hub's, from the answer to the greeting; `dials`: so many has it; `gap_ms`: the path rule's."""

    __slots__ = ("_first", "_gap_ns", "_last_ns", "_last_us", "_lost_jumps", "_pending", "dials", "interrupted", "time")

    def __init__(self, time: HubTime, dials: int, gap_ms: int) -> None:
        self.time, self.dials = time, dials
        self.interrupted = False
        """Whether something was lost since the last report."""
        self._lost_jumps = LostJumps(gap_ms)
        self._gap_ns = gap_ms * 1_000_000
        self._first = True
        self._last_us: list[int | None] = [None] * dials
        self._last_ns = [time.delivered_ns] * dials
        self._pending: list[tuple[WireReport, bool]] = []

    def add(self, body: bytes) -> bool:
        """Take a report; False if it is none of this hub, or says that time went back."""
        delivered = parse_report(body)
        if delivered is None or len(delivered.jumps) != self.dials:
            return False
        last = self._last_us.copy()
        for record in delivered.records:
            before = last[record.dial]
            if before is not None and since((delivered.at_us + record.first_us) % TICKS, before) <= 0:
                return False
            last[record.dial] = (delivered.at_us + record.last_us) % TICKS
        self._last_us = last
        self._pending.append((delivered, not self.interrupted))
        self.interrupted = False
        return True

    def take(self, now_ns: int) -> list[HubReport]:
        """What was heard since the last call. That the last of it has come by now says that none is of the future."""
        if not self._pending:
            return []
        heard, self._pending = self._pending, []
        for report, _ in heard:
            self.time.arrived((report.at_us + report.end_us) % TICKS, now_ns)
        return [self._placed(*each) for each in heard]

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
        """Its time grows, also when the difference of both clocks was corrected in between."""
        at_ns = self._last_ns[record.dial] = max(at_ns, self._last_ns[record.dial] + 1)
        return HubSample(record.dial, at_ns, value, record.agc, record.magnitude)

    def _since_before(self, at_ns: int, delivered_ns: int) -> frozenset[int]:
        """What happened between two greetings nobody counted. Whoever takes the samples sees a gap that is longer than
        the limit; of a shorter one he would take the path for known."""
        short = delivered_ns > 0 and at_ns - delivered_ns <= self._gap_ns
        return frozenset(range(self.dials)) if short else frozenset()
