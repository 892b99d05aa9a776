"""Builds reports: every sample of a moving dial, and one summary of a dial at rest.

A dial is at rest when REST_SAMPLES samples in a row stay within BAND counts of the last reported angle. From then on
its samples are merged into a run: first, last, lowest, highest, how many, and the longest time between two of them. The
first sample outside the band ends the run, and each sample is reported with its own time again.

Nothing is dropped when many dials move: a full report is sent at once, and the next one continues.
"""

import struct

from .path_rule import jumped
from .wire import (
    COUNTS_PER_TURN,
    FULL,
    FULL_RECORD,
    LAST_TICK,
    MOST_BODY,
    ONE,
    ONE_RECORD,
    REPORT_HEAD,
    REPORT_HEAD_LENGTH,
    RUN,
    RUN_RECORD,
    TOO_STRONG,
    TOO_WEAK,
)

BAND = 4
"""Counts around the last reported angle: eight times the rms noise of a chip at rest."""
REST_SAMPLES = 3
"""Samples in the band that are still reported one by one."""
FAR = 64
"""Counts. A dial that moved farther, since the sample before or since its last full read, needs full reads."""
AGREE = 16
"""Counts. Two samples in a row within this distance agree: the dial rests, or turns slowly."""
FULL_READS = 4
"""Full reads that a dial needs after it moved that far."""
MOST_SPAN_US = 60_000
"""From the first sample of a report to the last; its times are u16."""
NONE = -1
ANGLE = COUNTS_PER_TURN - 1


class ReportBuilder:
    """Merges samples into reports. Nothing here grows.

    `moving`: dials that are reported sample by sample. `due`: full reads that each dial still needs. `agrees`: whether
    the last two samples of each dial agree.
    """

    def __init__(self, count, wired, send) -> None:
        """`wired`: numbers of the connected dials. `send(body)` sends a report; the body is reused."""
        self._count, self._wired, self._send = count, tuple(wired), send
        self._mask = sum(1 << n for n in self._wired)
        self._body = bytearray(MOST_BODY)
        self._begin = REPORT_HEAD_LENGTH + count
        self.start(1_000_000)

    def start(self, gap_us: int) -> None:
        """Reset: the next sample of a dial is its first. `gap_us`: the limit of the path rule."""
        count = self._count
        self._gap_us = gap_us
        self._longest_us = gap_us * 3 // 4
        """The longest run. It keeps two samples that reach the Pi less than a gap apart while none is missing."""
        self._jumps = bytearray(count)
        self._anchor = [NONE] * count
        """The last reported value."""
        self._floor, self._ceiling = [0] * count, [NONE] * count
        """Limits of the band, clipped at zero and where another read result begins."""
        self._near_samples = [0] * count
        self._rests = [False] * count
        self._us = [0] * count
        """Time of each dial's last sample."""
        self._good, self._good_us = [NONE] * count, [0] * count
        """The last angle before a dial failed."""
        self._full_angle = [NONE] * count
        self._reads = [0] * count
        self._first, self._first_us = [0] * count, [0] * count
        self._last, self._low, self._high = [0] * count, [0] * count, [0] * count
        """Of a run, relative to its anchor."""
        self._gap = [0] * count
        self._allowed = [NONE] * count
        """How long after its first sample a run may still grow; NONE without a run."""
        self.moving: list[int] = []
        self.due = [0] * count
        self.agrees = [False] * count
        self._base_us = NONE
        self._records, self._at = 0, self._begin

    def add(self, n: int, value: int, at_us: int) -> None:
        """Add a sample: the read result in the upper four bits, the angle in the lower twelve."""
        # On an RP2040 each line costs about 10 us; a dial at rest needs only these.
        if self._floor[n] <= value <= self._ceiling[n]:
            away = value - self._anchor[n]
            if (at_us - self._first_us[n]) & LAST_TICK <= self._allowed[n]:
                if away != self._last[n]:
                    self._last[n] = away
                    if away < self._low[n]:
                        self._low[n] = away
                    elif away > self._high[n]:
                        self._high[n] = away
                passed = at_us - self._us[n] & LAST_TICK
                if passed > self._gap[n]:
                    self._gap[n] = passed
                self._us[n] = at_us
                self._reads[n] += 1
                return
            if self._rests[n] and not self._reads[n] and at_us - self._us[n] & LAST_TICK <= self._longest_us:
                self._begin_run(n, away, at_us)
                return
        self._add_slowly(n, value, at_us)

    def add_full(self, n: int, value: int, at_us: int, agc: int, magnitude: int) -> None:
        """Add a sample of a full read; it has an angle."""
        self._keep_span(at_us)
        near = self._is_near(n, value)
        self._judge(n, value, near)
        self._end_run(n)
        at = self._room(8)
        struct.pack_into(FULL_RECORD, self._body, at, FULL | n, self._after(at_us), value, agc, magnitude)
        self._sent(n, value, at_us)
        self._full_angle[n] = value & ANGLE

    def flush(self, now_us: int) -> None:
        """Send the report, even if it is empty."""
        for n in self._wired:
            if self._reads[n]:
                self._end_run(n)
        if self._base_us == NONE:
            self._base_us = now_us
        self._report()
        self._base_us = NONE

    # --- a sample that is not simply counted

    def _add_slowly(self, n: int, value: int, at_us: int) -> None:
        self._keep_span(at_us)
        late = (at_us - self._us[n]) & LAST_TICK > self._longest_us
        near = self._is_near(n, value)
        if near and not late and self._rests[n]:
            self._run_on(n, value, at_us)
            return
        self._judge(n, value, near)
        self._end_run(n)
        at = self._room(5)
        struct.pack_into(ONE_RECORD, self._body, at, ONE | n, self._after(at_us), value)
        self._sent(n, value, at_us)

    def _is_near(self, n: int, value: int) -> bool:
        anchor = self._anchor[n]
        return anchor >= 0 and anchor >> 12 == value >> 12 and (value - anchor + BAND) & ANGLE <= 2 * BAND

    def _run_on(self, n: int, value: int, at_us: int) -> None:
        """Add a sample in the band whose run is too long, or that lies on the other side of zero."""
        if self._reads[n] and (at_us - self._first_us[n]) & LAST_TICK > self._allowed[n]:
            self._end_run(n)
        away = ((value - self._anchor[n] + BAND) & ANGLE) - BAND
        if not -BAND <= away <= BAND:  # the anchor has moved with the run that just ended
            self._set_anchor(n, value)
            away = 0
        if not self._reads[n]:
            self._begin_run(n, away, at_us)
            return
        self._gap[n] = max(self._gap[n], at_us - self._us[n] & LAST_TICK)
        self._low[n], self._high[n] = min(self._low[n], away), max(self._high[n], away)
        self._reads[n] += 1
        self._last[n], self._us[n] = away, at_us

    def _begin_run(self, n: int, away: int, at_us: int) -> None:
        base_us = self._base_us
        if base_us == NONE or at_us - base_us & LAST_TICK > MOST_SPAN_US:
            self._keep_span(at_us)
            base_us = self._base_us
        self._first[n] = self._low[n] = self._high[n] = self._last[n] = away
        self._first_us[n] = self._us[n] = at_us
        left_us = MOST_SPAN_US - (at_us - base_us & LAST_TICK)
        self._allowed[n] = left_us if left_us < self._longest_us else self._longest_us
        self._gap[n] = 0
        self._reads[n] = 1

    def _judge(self, n: int, value: int, near: bool) -> None:
        """Update whether the dial moves, and whether it needs full reads."""
        anchor = self._current(n)
        same = anchor >= 0 and anchor >> 12 == value >> 12
        step = (value - anchor) & ANGLE
        self.agrees[n] = same and (step + AGREE) & ANGLE <= 2 * AGREE
        if not has_angle(value):
            self.due[n] = 0
        elif not same or (step + FAR) & ANGLE > 2 * FAR or (value - self._full_angle[n] + FAR) & ANGLE > 2 * FAR:
            self.due[n] = FULL_READS
        if not near:
            if n not in self.moving:
                self.moving.append(n)
            self._near_samples[n], self._rests[n] = 0, False
        elif self._near_samples[n] < REST_SAMPLES:
            self._near_samples[n] += 1
            if self._near_samples[n] == REST_SAMPLES:
                self._rests[n] = True
                self.moving.remove(n)

    def _sent(self, n: int, value: int, at_us: int) -> None:
        """Note a sample that is in the report with its own time."""
        before, self._us[n] = self._us[n], at_us
        anchor = self._anchor[n]
        if has_angle(anchor):
            self._good[n], self._good_us[n] = anchor & ANGLE, before
        if has_angle(value) and self._good[n] != NONE:
            passed = (at_us - self._good_us[n]) & LAST_TICK
            if jumped(self._good[n], value & ANGLE, passed, self._gap_us):
                self._jumps[n] = (self._jumps[n] + 1) & 0xFF
        self._set_anchor(n, value)

    def _current(self, n: int) -> int:
        """The last value of a dial, reported or not."""
        anchor = self._anchor[n]
        return anchor & ~ANGLE | (anchor + self._last[n]) & ANGLE if self._reads[n] else anchor

    def _set_anchor(self, n: int, value: int) -> None:
        self._anchor[n] = value
        self._floor[n] = max(value - BAND, value & ~ANGLE)
        self._ceiling[n] = min(value + BAND, value | ANGLE)

    # --- the report

    def _keep_span(self, at_us: int) -> None:
        if self._base_us != NONE and (at_us - self._base_us) & LAST_TICK > MOST_SPAN_US:
            self.flush(at_us)
        if self._base_us == NONE:
            self._base_us = at_us

    def _after(self, at_us: int) -> int:
        return (at_us - self._base_us) & LAST_TICK

    def _end_run(self, n: int) -> None:
        reads = self._reads[n]
        if not reads:
            return
        anchor, last, base_us = self._anchor[n], self._last[n], self._base_us
        value = anchor & ~ANGLE | anchor + last & ANGLE if last else anchor
        passed = self._us[n] - base_us & LAST_TICK
        if reads == 1:
            struct.pack_into(ONE_RECORD, self._body, self._room(5), ONE | n, passed, value)
        else:
            at, low, began = self._room(13), self._low[n], self._first_us[n] - base_us & LAST_TICK
            spread = last - low << 4 | self._high[n] - last
            first = self._first[n] - low
            struct.pack_into(
                RUN_RECORD, self._body, at, RUN | n, began, passed, value, spread, first, reads, self._gap[n]
            )
        self._reads[n] = 0
        self._allowed[n] = NONE
        if last:
            self._set_anchor(n, value)

    def _room(self, size: int) -> int:
        """Where a record goes; send a full report first."""
        if self._at + size > MOST_BODY:
            self._report()
        at = self._at
        self._at += size
        self._records += 1
        return at

    def _report(self) -> None:
        struct.pack_into(REPORT_HEAD, self._body, 0, self._base_us, self._count, self._mask, self._records)
        self._body[REPORT_HEAD_LENGTH : self._begin] = self._jumps
        self._send(self._body[: self._at])
        self._records, self._at = 0, self._begin


def has_angle(value: int) -> bool:
    """Whether a value has an angle."""
    return 0 <= value <= ANGLE or value >> 12 in (TOO_WEAK, TOO_STRONG)
