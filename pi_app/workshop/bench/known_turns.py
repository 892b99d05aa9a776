"""The evidence for the dial: hands whose every click is known turn dials, and each turn that the tracker reports is
compared with the hand's.

The hand turns at 2 to 171 clicks/s (of 12; the same turns per second on other dials), there and back, whole turns
and parts of turns, click by click with pauses or in one sweep; it overshoots by up to 6 degrees and rings. The
magnet is up to 4 degrees eccentric, the angle noisy (sd 0.03 to 0.07 degrees). The scan samples every 4 to 12 ms with
jitter, loses samples in bursts (failed reads, or nothing at all), and gives bad angles that seem good: spikes
anywhere on the circle and stale repeats, never two in a row. On hostile dials all that is ten times as frequent.

Every turn must be exactly right or reported as unknown. The same clicks and seed give the same report for any jobs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Final

from pi_app.dials.tracker import FASTEST_TURNS_PER_S, DialShape, Tracker, Turn
from pi_app.workshop.bench.counting import SummedReport, described, in_parts, spread

COUNTS: Final = 4096
DEGREE: Final = COUNTS / 360
REST_MS: Final = 200
PAUSE_MS: Final = 0.3 * REST_MS
MOST_PATIENCE: Final = 20
CLICKS_PER_DIAL: Final = 2_000
CLICKS_PER_JOB: Final = 50_000
RING_MS: Final = 60.0

MakeTracker = Callable[[DialShape], Tracker]


@dataclass(frozen=True, slots=True)
class ClicksReport(SummedReport):
    """`wrong`, `unreported` and `invented` must be 0; `unknown` turns were reported as unknown.

    `unseen` turns came back to where they began without two samples elsewhere: no program can detect them.
    `examples` has the first ten errors: dial, turn, the hand's clicks, the reported ones.
    """

    clicks: int = 0
    turns: int = 0
    samples: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    unreported: int = 0
    invented: int = 0
    unseen: int = 0
    examples: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no turn was wrong, unreported or invented."""
        return self.wrong == self.unreported == self.invented == 0


def run(clicks: int, seed: int, *, jobs: int = 1, make_tracker: MakeTracker = Tracker) -> ClicksReport:
    """Play at least `clicks` true clicks and compare every turn; spread over `jobs` processes if more than one."""
    parts = in_parts(clicks, CLICKS_PER_JOB, seed)
    return reduce(
        ClicksReport.plus, spread(partial(_play_part, make_tracker=make_tracker), parts, jobs), ClicksReport()
    )


def _play_part(part: tuple[int, str], *, make_tracker: MakeTracker) -> ClicksReport:
    clicks, seed = part
    report, dial = ClicksReport(), 0
    while report.clicks < clicks:
        report = report.plus(_play_dial(min(CLICKS_PER_DIAL, clicks - report.clicks), f"{seed}/{dial}", make_tracker))
        dial += 1
    return report


# ------------------------------------------------------------------------------------------- one dial


@dataclass(slots=True)
class _ScanFaults:
    """Chances of an error, per sample."""

    bad: float
    burst: float
    longest_burst: int


@dataclass(slots=True)
class _Samples:
    """The samples of one turn, and whether two in a row were taken a click or more away from its beginning. `raw` None:
    the read failed."""

    at_ns: list[int]
    raw: list[int | None]
    seen_elsewhere: bool = False


class _SampledDial:
    """One dial with its magnet, its scan and its hand. Angles are true counts, counter-clockwise, not wrapped."""

    def __init__(self, seed: str) -> None:
        draw = self._draw = random.Random(f"clicks {seed}")
        self.clicks = draw.choice((12, 12, 12, 12, 8, 10, 16))
        self.invert = draw.random() < 0.5
        self.pitch = COUNTS / self.clicks
        self.detent = draw.randrange(self.clicks)
        self._period_ns = draw.uniform(4e6, 12e6)
        hostile = draw.random() < 0.4
        self._faults = _ScanFaults(0.03, 0.03, 6) if hostile else _ScanFaults(0.003, 0.003, 12)
        eccentric, phase = draw.uniform(0, 4) * DEGREE, draw.uniform(0, math.tau)
        self._magnet = [eccentric * math.sin(math.tau * k / COUNTS + phase) for k in range(COUNTS)]
        sd = draw.uniform(0.03, 0.07) * DEGREE
        self._noise = [draw.gauss(0, sd) for _ in range(1009)]
        self._now_ns = draw.uniform(0, 1e9)
        self._last_raw = 0
        self._sampled = 0
        self._bad_last = True
        self._until_bad = self._until_burst = 0
        self._draw_bad()
        self._draw_burst()

    @property
    def shape(self) -> DialShape:
        return DialShape(clicks=self.clicks, invert=self.invert, rest_ms=REST_MS)

    # -------------------------------------------------------------- the hand

    def hand(self) -> list[tuple[float, float]]:
        """Return one turn as corners (ms, counts) with straight lines between them, from the dial's position."""
        draw = self._draw
        corners = [(0.0, self.detent * self.pitch)]
        for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
            clicks = draw.choice((1, 2, 3, 4, 5, 6, draw.randint(1, 3 * self.clicks), self.clicks))
            self._leg(corners, clicks * draw.choice((1, -1)))
        self._ring(corners)
        return corners

    def _leg(self, corners: list[tuple[float, float]], clicks: int) -> None:
        draw, (at_ms, angle) = self._draw, corners[-1]
        self.detent += clicks
        fastest = FASTEST_TURNS_PER_S * self.clicks
        if draw.random() < 0.3 and abs(clicks) < 7:
            self._coin(corners, clicks)
            return
        slowest = 2 if abs(clicks) < 3 else 10
        speed = fastest if draw.random() < 0.2 else slowest * (fastest / slowest) ** draw.random()
        corners.append((at_ms + abs(clicks) / speed * 1e3, angle + clicks * self.pitch))
        if speed > 10 and draw.random() < 0.5:
            self._pause(corners)

    def _pause(self, corners: list[tuple[float, float]]) -> None:
        corners.append((corners[-1][0] + self._draw.uniform(1, PAUSE_MS), corners[-1][1]))

    def _coin(self, corners: list[tuple[float, float]], clicks: int) -> None:
        """Turn click by click: each snaps, then waits for the next."""
        for done in range(abs(clicks)):
            if done:
                self._pause(corners)
            at_ms, angle = corners[-1]
            corners.append((at_ms + self._draw.uniform(15, 40), angle + math.copysign(self.pitch, clicks)))

    def _ring(self, corners: list[tuple[float, float]]) -> None:
        at_ms, angle = corners[-1]
        swing = self._draw.uniform(2, 6) * DEGREE * self._draw.choice((1, -1))
        while abs(swing) > 4:
            corners.append((corners[-1][0] + 8, angle + swing))
            swing *= -0.5
        corners.append((max(corners[-1][0] + 4, at_ms + RING_MS), angle))

    # -------------------------------------------------------------- the scan

    def sample(self, corners: list[tuple[float, float]], rest_ms: float) -> _Samples:
        """Scan while the hand goes along `corners` and then rests."""
        start_ns, seen = self._now_ns, _Samples([], [])
        began_at = corners[0][1]
        until_ns = start_ns + corners[-1][0] * 1e6
        away_before = False
        for at_ns in self._times(until_ns + rest_ms * 1e6):
            angle = self._angle(corners, (at_ns - start_ns) / 1e6)
            good = self._report(seen, int(at_ns), angle)
            away = good and self.pitch <= (angle - began_at) % COUNTS <= COUNTS - self.pitch
            seen.seen_elsewhere = seen.seen_elsewhere or (away and away_before)
            away_before = away
        return seen

    def _times(self, until_ns: float) -> Iterator[float]:
        period_ns, draw = self._period_ns, self._draw.random
        self._corner = 0
        while self._now_ns < until_ns:
            self._now_ns += period_ns * (0.85 + 0.3 * draw())
            yield self._now_ns

    def _angle(self, corners: list[tuple[float, float]], at_ms: float) -> float:
        corner = self._corner
        while corner + 1 < len(corners) and corners[corner + 1][0] <= at_ms:
            corner += 1
        self._corner = corner
        begin_ms, begin = corners[corner]
        if corner + 1 == len(corners):
            return begin
        end_ms, end = corners[corner + 1]
        return begin + (end - begin) * (at_ms - begin_ms) / (end_ms - begin_ms)

    def _report(self, seen: _Samples, at_ns: int, angle: float) -> bool:
        """Take one sample: good, lost or bad. Return whether it was good."""
        self._sampled += 1
        if self._sampled >= self._until_burst:
            if self._sampled >= self._until_burst + self._burst:
                self._draw_burst()
            if self._burst_fails:
                seen.at_ns.append(at_ns)
                seen.raw.append(None)
            return False
        bad = self._sampled >= self._until_bad and not self._bad_last
        if not bad:
            wrapped = round(angle + self._magnet[int(angle) % COUNTS] + self._noise[self._sampled % 1009]) % COUNTS
            self._last_raw = (COUNTS - wrapped) % COUNTS if self.invert else wrapped
        else:
            self._draw_bad()
            if self._draw.random() < 0.6:
                self._last_raw = self._draw.randrange(COUNTS)
        self._bad_last = bad
        seen.at_ns.append(at_ns)
        seen.raw.append(self._last_raw)
        return not bad

    def _draw_bad(self) -> None:
        self._until_bad = self._sampled + 2 + int(self._draw.expovariate(self._faults.bad))

    def _draw_burst(self) -> None:
        self._until_burst = self._sampled + 1 + int(self._draw.expovariate(self._faults.burst))
        self._burst = self._draw.randint(1, self._faults.longest_burst) if self._draw.random() < 0.5 else 1
        self._burst_fails = self._draw.random() < 0.5


def _play_dial(clicks: int, seed: str, make_tracker: MakeTracker) -> ClicksReport:
    dial = _SampledDial(seed)
    tracker = make_tracker(dial.shape)
    report = ClicksReport()
    settling = dial.sample([(0.0, dial.detent * dial.pitch)], 2 * REST_MS)
    report = report.plus(_compare(tracker.feed_many(settling.at_ns, settling.raw), None, settling, seed))
    while report.clicks < clicks:
        start, corners = dial.detent, dial.hand()
        seen = dial.sample(corners, rest_ms=1.5 * REST_MS)
        turns = tracker.feed_many(seen.at_ns, seen.raw)
        turns += _until_at_rest(dial, tracker)
        turned = (start, dial.detent, dial.clicks)
        report = report.plus(_compare(turns, turned, seen, f"{seed} turn {report.turns}"))
    return report


def _until_at_rest(dial: _SampledDial, tracker: Tracker) -> list[Turn]:
    """Wait for a tracker that still sees a turn: gaps and spikes may have restarted its wait."""
    turns: list[Turn] = []
    for _ in range(MOST_PATIENCE):
        if not tracker.turning:
            break
        more = dial.sample([(0.0, dial.detent * dial.pitch)], REST_MS)
        turns += tracker.feed_many(more.at_ns, more.raw)
    return turns


def _compare(turns: list[Turn], turned: tuple[int, int, int] | None, seen: _Samples, name: str) -> ClicksReport:
    """Compare the reported turns with the hand's: detent before, after, clicks per turn; None: no turn."""
    samples = len(seen.at_ns)
    if turned is None:
        invented = len(turns)
        return ClicksReport(samples=samples, invented=invented, examples=_example(name, turned, turns, invented))
    before, after, ring = turned
    clicks = max(1, abs(after - before))
    done = partial(ClicksReport, clicks=clicks, turns=1, samples=samples)
    if not turns:
        unseen = int(not seen.seen_elsewhere and (after - before) % ring == 0)
        return done(unseen=unseen, unreported=1 - unseen, examples=_example(name, turned, turns, 1 - unseen))
    there = turns[0].from_position == before % ring and turns[-1].to_position == after % ring
    if there and any(turn.clicks is None for turn in turns):
        return done(unknown=1)
    if there and len(turns) == 1 and turns[0].clicks == after - before:
        return done(right=1)
    return done(wrong=1, examples=_example(name, turned, turns, 1))


def _example(name: str, turned: tuple[int, int, int] | None, turns: list[Turn], bad: int) -> tuple[str, ...]:
    if not bad:
        return ()
    hand = "nothing" if turned is None else f"{turned[1] - turned[0]:+d} of {turned[2]} from {turned[0] % turned[2]}"
    return (f"dial {name}: the hand turned {hand}, reported: {described(turns)}",)
