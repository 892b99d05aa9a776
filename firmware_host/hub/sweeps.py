"""When to look, how often a dial leapt, and the looks that the next report will hold.

A sweep begins at least every 10 ms, and as often as a report shall hold sweeps. A report holds the last of them. Who
comes late skips what was missed and never hurries after it.
"""

import struct

from .paths import LEAP, leapt
from .ticks import after
from .wire import (
    MOST_SWEEPS,
    REPORT_HEAD,
    SWEEP_HEAD,
    TOO_STRONG,
    TOO_WEAK,
    report_length,
    since,
)

SLOWEST_US = 10_000
"""Between two looks at a dial: 100 in a second."""
MOST_U16 = 0xFFFF
NONE = -1
CLOSE = LEAP // 2
"""Counts. Nearer than that a dial did not leap, whichever way round."""


class Sweeps:
    """The looks since the last report. Nothing here grows: a sweep overwrites the oldest one."""

    def __init__(self, dials, clock) -> None:
        self._dials, self._clock = dials, clock
        count = dials.count
        self._looks = [[0] * count for _ in range(MOST_SWEEPS)]
        self._began = [0] * MOST_SWEEPS
        self._took = [0] * MOST_SWEEPS
        self._bodies = [bytearray(report_length(count, sweeps)) for sweeps in range(1, MOST_SWEEPS + 1)]
        self._form = SWEEP_HEAD + str(count) + "H"
        self._leaps = bytearray(count)
        self._former_us = 0
        self._raw = [NONE] * count
        self._seen_us = [0] * count
        self.took_us = self.most_late_us = 0
        self.forget()

    def forget(self) -> None:
        """Nothing has been seen: the next look at a dial is its first."""
        for n in range(len(self._raw)):
            self._raw[n] = NONE
        self._kept = self._next = 0

    def start(self, period_us: int, sweeps: int, gap_us: int) -> None:
        """Report every `period_us` from now on, with at most so many sweeps. `gap_us`: the path rule's limit."""
        each = max(sweeps, -(-period_us // SLOWEST_US))
        self._period_us, self._every_us, self._each = period_us, period_us // each, each
        self._most, self._gap_us = sweeps, gap_us
        self._kept = self._next = 0
        self._due = self._clock()
        self._begin_report(self._due)

    def left_us(self, now: int) -> int:
        """Until the next sweep is due; not above 0 if it is."""
        return since(self._due, now)

    def sweep(self) -> "bytearray | None":
        """Look at all dials now. The body of a report if one is due; it holds until the next sweep."""
        began = self._clock()
        self.most_late_us = max(self.most_late_us, since(began, self._due))
        at = self._next
        self._dials.sweep(self._looks[at], self._every_us // 2)
        ended = self._clock()
        self._began[at], self._took[at] = began, min(since(ended, began), MOST_U16)
        self.took_us = self._took[at]
        self._follow(self._looks[at], began)
        self._next = (at + 1) % MOST_SWEEPS
        self._kept = min(self._kept + 1, self._most)
        self._due = after(self._due, self._every_us)
        if since(ended, self._due) > 0:
            self._due = ended
        self._missing -= 1
        if self._missing > 0 and since(began, self._report_due) < 0:
            return None
        self._begin_report(began)
        return self._body()

    def _begin_report(self, now: int) -> None:
        self._missing = self._each
        self._report_due = after(now, self._period_us)

    def _follow(self, looks: "list[int]", at_us: int) -> None:
        """The time of a look is that of its sweep's beginning, here as on the Pi."""
        raws, seen_us = self._raw, self._seen_us
        former_us, self._former_us = self._former_us, at_us
        soon = 0 <= since(at_us, former_us) <= self._gap_us
        for n in range(len(looks)):
            look = looks[n]
            if look > 0xFFF:
                gave = look >> 12
                if gave != TOO_WEAK and gave != TOO_STRONG:
                    continue
                look &= 0xFFF
            before = raws[n]
            # Mostly a dial was seen in the sweep before and stands where it stood: then the rule need not be asked.
            if not (soon and seen_us[n] == former_us and -CLOSE < look - before < CLOSE) and before != NONE:
                passed_us = since(at_us, seen_us[n])
                if passed_us < 0 or leapt(before, look, passed_us, self._gap_us):
                    self._leaps[n] = (self._leaps[n] + 1) & 0xFF
            raws[n], seen_us[n] = look, at_us

    def _body(self) -> bytearray:
        """The sweeps that are kept and began close enough to each other to be told in one report."""
        newest = (self._next - 1) % MOST_SWEEPS
        count = self._kept
        while since(self._began[newest], self._began[(self._next - count) % MOST_SWEEPS]) > MOST_U16:
            count -= 1
        body = self._bodies[count - 1]
        first = (self._next - count) % MOST_SWEEPS
        struct.pack_into(REPORT_HEAD, body, 0, self._began[first], self._dials.count, count)
        at = 6 + self._dials.count
        body[6:at] = self._leaps
        for later in range(count):
            slot = (first + later) % MOST_SWEEPS
            after_us = since(self._began[slot], self._began[first])
            struct.pack_into(self._form, body, at, after_us, self._took[slot], *self._looks[slot])
            at += 4 + 2 * self._dials.count
        self._kept = 0
        return body
