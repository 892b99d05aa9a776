"""Reports of one hub become looks in table time, with what is not known of their paths. Pure.

One for each greeting: a hub that is greeted anew counts its messages, its leaps and its time as from anywhere.
"""

from __future__ import annotations

from firmware_host.hub.wire import TICKS, report, since
from firmware_host.hub_time import HubTime
from firmware_host.unseen import Unseen
from firmware_host.values import HubReport, Sweep

Seen = tuple[int, int, tuple[int, ...]]
"""A sweep as it came: start after the report's hub time, duration (both us), looks."""


class Looks:
    """`time` is the hub's, from the answer to the greeting; `dials`: so many has it; `gap_ms`: the path rule's."""

    __slots__ = ("_first", "_gap_ns", "_heard", "_start_us", "_unseen", "dials", "time", "torn")

    def __init__(self, time: HubTime, dials: int, gap_ms: int) -> None:
        self.time, self.dials = time, dials
        self.torn = False
        """Whether something was lost since the last report."""
        self._unseen = Unseen(gap_ms)
        self._gap_ns = gap_ms * 1_000_000
        self._first = True
        self._start_us: int | None = None
        self._heard: list[tuple[int, bytes, list[Seen], bool]] = []

    def hear(self, body: bytes) -> bool:
        """Take a report; False if it is none of this hub, or says that time went back."""
        told = report(body)
        if told is None or len(told[1]) != self.dials:
            return False
        at_us, leaps, sweeps = told
        last_us = self._start_us
        for after_us, _, _ in sweeps:
            start_us = (at_us + after_us) % TICKS
            if last_us is not None and since(start_us, last_us) <= 0:
                return False
            last_us = start_us
        self._start_us = last_us
        self._heard.append((at_us, leaps, sweeps, not self.torn))
        self.torn = False
        return True

    def handed_over(self, now_ns: int) -> list[HubReport]:
        """What was heard since the last call. That the last of it has come by now says that none is of the future."""
        if not self._heard:
            return []
        heard, self._heard = self._heard, []
        at_us, _, sweeps, _ = heard[-1]
        self.time.came(at_us + sweeps[-1][0] + sweeps[-1][1], now_ns)
        return [self._placed(*each) for each in heard]

    def _placed(self, at_us: int, leaps: bytes, seen: list[Seen], whole: bool) -> HubReport:
        told_ns = self.time.told_ns
        sweeps = tuple(Sweep(*self.time.place(at_us + after_us, took_us), looks) for after_us, took_us, looks in seen)
        unknown = self._unseen.hear(at_us, leaps, seen, whole=whole)
        if self._first:
            self._first = False
            unknown = self._since_before(sweeps[0].at_ns, told_ns)
        return HubReport(sweeps, unknown)

    def _since_before(self, at_ns: int, told_ns: int) -> frozenset[int]:
        """What happened between two greetings nobody counted. Whoever takes the looks sees a gap that is longer than
        the limit; of a shorter one he would take the path for known."""
        short = told_ns > 0 and at_ns - told_ns <= self._gap_ns
        return frozenset(range(self.dials)) if short else frozenset()
