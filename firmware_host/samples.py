"""Reports of one hub become samples in table time, with what is not known of their paths. Pure.

One for each greeting: a hub that is greeted again counts its messages, its leaps and its time from any number.
"""

from __future__ import annotations

from operator import attrgetter

from firmware_host.hub.wire import TICKS, since
from firmware_host.hub_time import HubTime
from firmware_host.link_events import HubReport, HubSample
from firmware_host.lost_jumps import Unseen
from firmware_host.reports import Record, Report, parsed

_time = attrgetter("at_ns")


class Looks:
    """`time` is the hub's, from the answer to the greeting; `dials`: so many has it; `gap_ms`: the path rule's."""

    __slots__ = ("_first", "_gap_ns", "_heard", "_last_ns", "_last_us", "_unseen", "dials", "time", "torn")

    def __init__(self, time: HubTime, dials: int, gap_ms: int) -> None:
        self.time, self.dials = time, dials
        self.torn = False
        """Whether something was lost since the last report."""
        self._unseen = Unseen(gap_ms)
        self._gap_ns = gap_ms * 1_000_000
        self._first = True
        self._last_us: list[int | None] = [None] * dials
        self._last_ns = [time.told_ns] * dials
        self._heard: list[tuple[Report, bool]] = []

    def hear(self, body: bytes) -> bool:
        """Take a report; False if it is none of this hub, or says that time went back."""
        told = parsed(body)
        if told is None or len(told.leaps) != self.dials:
            return False
        last = self._last_us.copy()
        for record in told.records:
            before = last[record.dial]
            if before is not None and since((told.at_us + record.first_us) % TICKS, before) <= 0:
                return False
            last[record.dial] = (told.at_us + record.last_us) % TICKS
        self._last_us = last
        self._heard.append((told, not self.torn))
        self.torn = False
        return True

    def handed_over(self, now_ns: int) -> list[HubReport]:
        """What was heard since the last call. That the last of it has come by now says that none is of the future."""
        if not self._heard:
            return []
        heard, self._heard = self._heard, []
        for report, _ in heard:
            self.time.came((report.at_us + report.end_us) % TICKS, now_ns)
        return [self._placed(*each) for each in heard]

    def _placed(self, report: Report, whole: bool) -> HubReport:
        told_ns = self.time.told_ns
        began_ns = self.time.at(report.at_us)
        samples: list[HubSample] = []
        reads = [0] * self.dials
        gap_us = 0
        for record in report.records:
            if record.reads > 1:
                gap_us = max(gap_us, record.gap_us)
                samples.append(self._sample(record, began_ns + record.first_us * 1000, record.first))
            samples.append(self._sample(record, began_ns + record.last_us * 1000, record.look))
            if record.holds:
                reads[record.dial] += record.reads
        samples.sort(key=_time)
        end_ns = samples[-1].at_ns if samples else began_ns
        self.time.told(end_ns)
        unknown = self._unseen.hear(report, whole=whole)
        if self._first and samples:
            self._first = False
            unknown = self._since_before(samples[0].at_ns, told_ns)
        return HubReport(end_ns, tuple(samples), unknown, report.wired, tuple(reads), gap_us)

    def _sample(self, record: Record, at_ns: int, look: int) -> HubSample:
        """Its time grows, also when the difference of both clocks was corrected in between."""
        at_ns = self._last_ns[record.dial] = max(at_ns, self._last_ns[record.dial] + 1)
        return HubSample(record.dial, at_ns, look, record.agc, record.magnitude)

    def _since_before(self, at_ns: int, told_ns: int) -> frozenset[int]:
        """What happened between two greetings nobody counted. Whoever takes the samples sees a gap that is longer than
        the limit; of a shorter one he would take the path for known."""
        short = told_ns > 0 and at_ns - told_ns <= self._gap_ns
        return frozenset(range(self.dials)) if short else frozenset()
