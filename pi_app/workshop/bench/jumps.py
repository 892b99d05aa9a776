"""Encoders whose angle jumps while a claim waits for a dial to move.

A dial rests and is read in full now and then. A claim opens and sampling is dense. Then the angle jumps, stays there
for a while and returns; the dial was not touched. If the claim would be bound to the dial, the jump counts as an error.

The kinds of jumps follow public reports (wiring_docs/traces.md names them) and go beyond them:

- `single`: one sample is off, by any angle; `chatter`: for up to a second each sample is, with equal chances, at one of
  up to three other angles;
- `far`: two clicks and more away, into a detent, for up to three seconds;
- `between`: to an angle between detents, for up to three seconds;
- `field`: a stray field takes the angle into the next detent for up to three seconds, and the gain or the strength
  changes;
- `short`: into the next detent, and back sooner than fingers can turn;
- `detent`: into the next detent, for 30 ms on average and without an upper limit. A hand could have made only this one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Final

from hardware.readings import Proof
from pi_app.dials.tracker import DialShape, Tracker
from pi_app.workshop.bench.counting import SummedReport, in_parts, spread

MS: Final = 1_000_000
CLICKS: Final = 12
PITCH: Final = 4096 / CLICKS
IDLE_NS: Final = 10 * MS
DENSE_NS: Final = 4 * MS
RESTS_NS: Final = 700 * MS
FORGOTTEN_NS: Final = 61_000 * MS
"""So long after a jump the program no longer suspects the encoder, so each jump meets a trusted one."""

FULL_AFTER_NS: Final = (20 * MS, 80 * MS, 140 * MS)
GOOD: Final = Proof(64, 2150)
AVERAGE_MS: Final = 30
JUMPS_PER_JOB: Final = 5_000
IMPOSSIBLE: Final = ("single", "chatter", "far", "between", "field", "short")
"""Jumps that no hand can make."""
INTO_A_DETENT: Final = "detent"

Away = Iterator[tuple[int, float]]
"""Stays: how long (ns), and how far from the true angle (clicks)."""


@dataclass(frozen=True, slots=True)
class JumpsReport(SummedReport):
    """How many jumps of each sort were made, and how many satisfied the claim."""

    impossible: int = 0
    impossible_claimed: int = 0
    into_a_detent: int = 0
    into_a_detent_claimed: int = 0


def run(jumps: int, seed: int, *, jobs: int = 1, average_ms: float = AVERAGE_MS) -> JumpsReport:
    """Make so many jumps that no hand can make, all kinds alike, and as many into a detent."""
    parts = in_parts(jumps, JUMPS_PER_JOB, seed)
    return reduce(JumpsReport.plus, spread(partial(_play, average_ms=average_ms), parts, jobs), JumpsReport())


def _play(part: tuple[int, str], *, average_ms: float) -> JumpsReport:
    jumps, seed = part
    dial, report = JumpingDial(seed, average_ms), JumpsReport()
    for number in range(jumps):
        claimed = dial.jump(IMPOSSIBLE[number % len(IMPOSSIBLE)])
        report = report.plus(JumpsReport(impossible=1, impossible_claimed=claimed))
        report = report.plus(JumpsReport(into_a_detent=1, into_a_detent_claimed=dial.jump(INTO_A_DETENT)))
    return report


class JumpingDial:
    """A dial at rest whose encoder jumps."""

    def __init__(self, seed: str, average_ms: float = AVERAGE_MS) -> None:
        self._draw = random.Random(f"hops {seed}")
        self._average_ms = average_ms
        self._now_ns = 0
        self._away: Mapping[str, Callable[[], Away]] = {
            "single": self._single,
            "chatter": self._chatter,
            "far": self._far,
            "between": self._between,
            "field": self._next_detent_long,
            "short": self._short,
            "detent": self._detent,
        }

    def jump(self, kind: str) -> bool:
        """Jump once on a trusted encoder; return whether the claim would be bound to the dial."""
        self._now_ns += FORGOTTEN_NS
        self._tracker = Tracker(SHAPE)
        self._stands = self._draw.randrange(CLICKS) * PITCH + self._draw.gauss(0, 10)
        self._rest(RESTS_NS, IDLE_NS)
        proof = self._other_field() if kind == "field" else GOOD
        claimed = False
        for for_ns, clicks in self._away[kind]():
            claimed = self._stay(for_ns, clicks, proof) or claimed
        return self._rest(RESTS_NS, DENSE_NS) or claimed

    # ------------------------------------------------------------------ kinds

    def _single(self) -> Away:
        yield DENSE_NS, self._draw.uniform(0.5, CLICKS - 0.5)

    def _chatter(self) -> Away:
        angles = [0.0, *(self._draw.uniform(0.5, CLICKS - 0.5) for _ in range(self._draw.randint(1, 3)))]
        for _ in range(self._draw.randint(20, 250)):
            yield DENSE_NS, angles[self._draw.randrange(len(angles))]

    def _far(self) -> Away:
        yield self._long_ns(), self._draw.choice((-1, 1)) * self._draw.randint(2, CLICKS // 2)

    def _between(self) -> Away:
        yield self._long_ns(), self._draw.choice((-1, 1)) * self._draw.uniform(0.4, 0.6)

    def _next_detent_long(self) -> Away:
        yield self._long_ns(), self._draw.choice((-1, 1))

    def _short(self) -> Away:
        yield self._draw.randrange(2 * DENSE_NS, 50 * MS), self._draw.choice((-1, 1))

    def _detent(self) -> Away:
        yield round(self._draw.expovariate(1 / self._average_ms) * MS), self._draw.choice((-1, 1))

    def _long_ns(self) -> int:
        return round(10 ** self._draw.uniform(1, 3.5) * MS)

    def _other_field(self) -> Proof:
        """A stray field that turned the angle by a click. (From some directions it leaves the strength within the
        tolerance: one of those in five passes for a hand, if it stays.)"""
        if self._draw.random() < 0.5:
            return Proof(
                64, round(2150 * self._draw.choice((self._draw.uniform(0.3, 0.65), self._draw.uniform(1.35, 2))))
            )
        return Proof(64 + self._draw.choice((-1, 1)) * self._draw.randint(30, 60), 2150)

    # ------------------------------------------------------------------ samples

    def _rest(self, for_ns: int, every_ns: int) -> bool:
        """Sample the true angle, in full now and then."""
        claimed, until_ns = False, self._now_ns + for_ns
        while self._now_ns < until_ns:
            full = self._now_ns + for_ns == until_ns or self._draw.random() < 0.02
            claimed = self._sample(self._stands, GOOD if full else None, every_ns) or claimed
        return claimed

    def _stay(self, for_ns: int, clicks: float, proof: Proof) -> bool:
        """Sample another angle; a scan reads a dial that moved far in full a few times."""
        claimed, began_ns, fulls = False, self._now_ns, list(FULL_AFTER_NS)
        while self._now_ns < began_ns + for_ns:
            full = bool(fulls) and self._now_ns - began_ns >= fulls[0]
            if full:
                del fulls[0]
            claimed = self._sample(self._stands + clicks * PITCH, proof if full else None, DENSE_NS) or claimed
        return claimed

    def _sample(self, angle: float, proof: Proof | None, every_ns: int) -> bool:
        self._now_ns += every_ns
        tracker = self._tracker
        tracker.feed(self._now_ns, round(angle + self._draw.gauss(0, 0.6)) % 4096, proof)
        return tracker.turning and not tracker.unseen


SHAPE: Final = DialShape(clicks=CLICKS)
