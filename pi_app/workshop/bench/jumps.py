"""The other error: encoders whose angle hops while a claim waits for a dial to move.

A dial rests, read in full now and then. A claim opens and sampling is dense. Then the angle hops, stays for a while,
and is back; nobody has touched the dial. A hop is counted against the program if the claim would be bound to the dial.

The kinds follow what people have reported (wiring_docs/traces.md names the reports) and go beyond it:

- `single`: one sample is off, by anything; `chatter`: each sample for up to a second is, as likely as not, at one of up
  to three other places;
- `far`: two clicks and more away, into a detent, and there for up to three seconds;
- `between`: to a place that is no detent, and there for up to three seconds;
- `field`: a stray field takes it into the next detent for up to three seconds, and the gain or the strength changes;
- `short`: into the next detent, and back sooner than fingers turn round;
- `detent`: into the next detent, for a time that is 30 ms on average and has no upper end. That one a hand could have
  made: all the rest could not.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from typing import Final

from hardware.readings import Proof
from pi_app.dials.tracker import DialShape, Tracker

MS: Final = 1_000_000
CLICKS: Final = 12
PITCH: Final = 4096 / CLICKS
IDLE_NS: Final = 10 * MS
DENSE_NS: Final = 4 * MS
RESTS_NS: Final = 700 * MS
FORGOTTEN_NS: Final = 61_000 * MS
"""So long after a hop the program suspects the encoder no more: every hop finds it trustful."""

FULL_AFTER_NS: Final = (20 * MS, 80 * MS, 140 * MS)
GOOD: Final = Proof(64, 2150)
AVERAGE_MS: Final = 30
HOPS_PER_JOB: Final = 5_000
NO_HAND: Final = ("single", "chatter", "far", "between", "field", "short")
INTO_A_DETENT: Final = "detent"

Away = Iterator[tuple[int, float]]
"""Where the angle is for how long (ns) and how far away (clicks)."""


@dataclass(frozen=True, slots=True)
class HopsReport:
    """How many hops of each sort were made, and how many took the claim."""

    no_hand: int = 0
    taken_by_no_hand: int = 0
    into_a_detent: int = 0
    taken_in_a_detent: int = 0

    def plus(self, other: HopsReport) -> HopsReport:
        """Two reports as one."""
        return HopsReport(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def run(hops: int, seed: int, *, jobs: int = 1, average_ms: float = AVERAGE_MS) -> HopsReport:
    """So many hops that no hand could have made, all kinds alike, and as many into a detent."""
    parts = [(min(HOPS_PER_JOB, hops - start), f"{seed}/{start}") for start in range(0, hops, HOPS_PER_JOB)]
    play, report = partial(_play, average_ms=average_ms), HopsReport()
    if jobs == 1:
        for done in map(play, parts):
            report = report.plus(done)
        return report
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in pool.map(play, parts):
            report = report.plus(done)
    return report


def _play(part: tuple[int, str], *, average_ms: float) -> HopsReport:
    hops, seed = part
    dial, report = HoppingDial(seed, average_ms), HopsReport()
    for number in range(hops):
        report = report.plus(HopsReport(no_hand=1, taken_by_no_hand=dial.hop(NO_HAND[number % len(NO_HAND)])))
        report = report.plus(HopsReport(into_a_detent=1, taken_in_a_detent=dial.hop(INTO_A_DETENT)))
    return report


class HoppingDial:
    """A dial at rest whose encoder hops."""

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

    def hop(self, kind: str) -> bool:
        """One hop of a kind, on a dial that was well before. Whether it would have taken the claim."""
        self._now_ns += FORGOTTEN_NS
        self._tracker = Tracker(SHAPE)
        self._stands = self._draw.randrange(CLICKS) * PITCH + self._draw.gauss(0, 10)
        self._rest(RESTS_NS, IDLE_NS)
        proof = self._other_field() if kind == "field" else GOOD
        taken = False
        for for_ns, clicks in self._away[kind]():
            taken = self._stay(for_ns, clicks, proof) or taken
        return self._rest(RESTS_NS, DENSE_NS) or taken

    # ------------------------------------------------------------------ kinds

    def _single(self) -> Away:
        yield DENSE_NS, self._draw.uniform(0.5, CLICKS - 0.5)

    def _chatter(self) -> Away:
        places = [0.0, *(self._draw.uniform(0.5, CLICKS - 0.5) for _ in range(self._draw.randint(1, 3)))]
        for _ in range(self._draw.randint(20, 250)):
            yield DENSE_NS, places[self._draw.randrange(len(places))]

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
        """A stray field that turned the angle by a click. (From some directions it leaves the strength within what is
        allowed for: one of those in five passes for a hand, if it stays.)"""
        if self._draw.random() < 0.5:
            return Proof(
                64, round(2150 * self._draw.choice((self._draw.uniform(0.3, 0.65), self._draw.uniform(1.35, 2))))
            )
        return Proof(64 + self._draw.choice((-1, 1)) * self._draw.randint(30, 60), 2150)

    # ------------------------------------------------------------------ samples

    def _rest(self, for_ns: int, every_ns: int) -> bool:
        """At its rest, read in full now and then."""
        taken, until_ns = False, self._now_ns + for_ns
        while self._now_ns < until_ns:
            full = self._now_ns + for_ns == until_ns or self._draw.random() < 0.02
            taken = self._sample(self._stands, GOOD if full else None, every_ns) or taken
        return taken

    def _stay(self, for_ns: int, clicks: float, proof: Proof) -> bool:
        """Elsewhere; a scan reads a dial that moved far in full a few times."""
        taken, began_ns, fulls = False, self._now_ns, list(FULL_AFTER_NS)
        while self._now_ns < began_ns + for_ns:
            full = bool(fulls) and self._now_ns - began_ns >= fulls[0]
            if full:
                del fulls[0]
            taken = self._sample(self._stands + clicks * PITCH, proof if full else None, DENSE_NS) or taken
        return taken

    def _sample(self, angle: float, proof: Proof | None, every_ns: int) -> bool:
        self._now_ns += every_ns
        tracker = self._tracker
        tracker.feed(self._now_ns, round(angle + self._draw.gauss(0, 0.6)) % 4096, proof)
        return tracker.turning and not tracker.unseen


SHAPE: Final = DialShape(clicks=CLICKS)
