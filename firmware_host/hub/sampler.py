"""Schedules the samples: back to back, moving dials more often, and full reads from time to time.

One sweep samples each dial once. Between two sweeps the loop serves USB and the watchdog. While one or two dials move,
the sampler reads them again after every third other dial; on a board with more than eight dials one dial, after every
sixth.
"""

from .dials import NONE
from .records import FULL_READS, ReportBuilder
from .ticks import after
from .wire import since

BETWEEN = 3
"""Samples of other dials between two of a moving dial."""
FEW = 2
"""When more dials move, none has priority: the others would wait too long."""
MANY = 8
"""With more dials on the board, twice as many samples lie between, and half as many dials have priority."""
FULL_APART_US = 20_000
"""Between two full reads of a dial that came to rest."""
EACH_FULL_US = 1_000_000
"""Every dial has a full read within this time."""
ROOM_US = 5_000
"""Time for setting up dials in one sweep."""
SECOND_US = 1_000_000
MOST_U16 = 0xFFFF


class Sampler:
    """Samples the dials while the Pi wants reports. `send(body)` sends a report."""

    def __init__(self, dials, clock, send) -> None:
        self._dials, self._clock = dials, clock
        self.records = ReportBuilder(dials.count, dials.wired, send)
        self.took_us = self.longest_us = self.rate = 0
        """Duration of the last sweep, the longest time from one sweep to the next, and sweeps in the last whole second.
        """
        self._period_us = SECOND_US
        self._full_us = [0] * dials.count
        share = 1 if len(dials.wired) <= MANY else 2
        self._between, self._few = BETWEEN * share, FEW // share

    def start(self, period_us: int, gap_us: int, *, again: bool) -> None:
        """Report every `period_us` from now on. `gap_us`: the path rule's limit. `again`: it was already sampling."""
        if not again:
            now = self._clock()
            self.records.start(gap_us)
            self._round_us = self._second_us = self._began_us = now
            self._turn = self._sweeps = 0
            self.longest_us = 0
        self._period_us = period_us
        self._due_us = after(self._clock(), period_us)

    def sweep(self) -> None:
        """Sample each dial once, and send a report if one is due."""
        dials, records = self._dials, self.records
        began = self._clock()
        self._note_beginning(began)
        dials.begin(began, ROOM_US)
        full = self._whose_turn(began)
        others = 0
        sample, take, clock, due = dials.sample, records.add, self._clock, records.due
        for n in dials.wired:
            if n == full or due[n]:
                self._sample(n, n == full)
            else:
                take(n, sample(n, False), clock())
            if records.moving:
                others += 1
                if others == self._between:
                    others = 0
                    self._sample_moving(n)
        dials.end()
        ended = self._clock()
        self.took_us = min(since(ended, began), MOST_U16)
        late_us = since(ended, self._due_us)
        if late_us >= 0:
            records.flush(ended)
            self._due_us = after(ended if late_us > self._period_us else self._due_us, self._period_us)

    def _note_beginning(self, began: int) -> None:
        self.longest_us = max(self.longest_us, since(began, self._began_us))
        self._began_us = began
        self._sweeps += 1
        passed_us = since(began, self._second_us)
        if not 0 <= passed_us < SECOND_US:
            self.rate = self._sweeps if 0 <= passed_us < 2 * SECOND_US else 0
            self._sweeps, self._second_us = 0, began

    def _whose_turn(self, began: int) -> int:
        """The dial that has a full read in this sweep in any case."""
        wired = self._dials.wired
        if not wired or 0 <= since(began, self._round_us) < EACH_FULL_US // len(wired):
            return NONE
        self._round_us = began
        self._turn = (self._turn + 1) % len(wired)
        return wired[self._turn]

    def _sample_moving(self, but: int) -> None:
        moving = self.records.moving
        if len(moving) <= self._few:
            for n in tuple(moving):
                if n != but and self._dials.is_ready(n):
                    self._sample(n, full=False)

    def _sample(self, n: int, full: bool) -> None:
        dials, records = self._dials, self.records
        if records.due[n] and records.agrees[n] and not full:
            full = records.due[n] == FULL_READS or since(self._clock(), self._full_us[n]) >= 0
        value = dials.sample(n, full)
        now = self._clock()
        if full and dials.agc != NONE:
            self._full_us[n] = after(now, FULL_APART_US)
            records.add_full(n, value, now, dials.agc, dials.magnitude)
            if records.due[n]:
                records.due[n] -= 1
        else:
            records.add(n, value, now)
