"""Where samples come from: sources scanned in this thread, or each in a thread of its own.

The loop cannot tell which. A simulated table is scanned in the loop's own thread, since its clock is virtual; a
real one gets a thread per source, so that a slow disk or a second bus never makes a gap between the samples. The loop
says how densely to sample (`pi_app.dials.sampling`). Screens that wait get the gaps of the idle rate first, so that a
table whose screens hang on its dials' bus shows a picture as soon as ever.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from hardware.clock import Clock
from hardware.readings import DialSource, Sample
from pi_app.dials.sampling import LEAST_PERIOD_NS, CpuBudget, Rate, Sampling
from pi_app.play.gap_cause import GapNotices, ThreadGaps

Look = tuple[str, Sample]
"""A dial's name and what one look at it gave."""

Job = Callable[[], None]

SELDOM_NS: Final = 500_000_000
"""From look to look at a quiet table."""


def rounds(looks: Sequence[Look]) -> Iterator[Sequence[Look]]:
    """Looks that were gathered while nobody took them, in the rounds in which they were made: no dial twice in one."""
    one: dict[str, Look] = {}
    for look in looks:
        if look[0] in one:
            yield tuple(one.values())
            one = {}
        one[look[0]] = look
    if one:
        yield tuple(one.values())


class Feed(Protocol):
    """All dials of a table, looked at again and again."""

    sampling: Sampling
    """How often. Whoever takes the looks sets it."""

    def rate_hz(self) -> float:
        """How often each dial was sampled in the last moments, per second: the slowest source. 0: not known yet."""

    def take(self) -> Sequence[Look]:
        """The looks since the last call, in the order in which they were made."""

    def rest(self, until_ns: int) -> None:
        """Nothing to do here before `until_ns`: gaps may be used for screens."""

    def run_on(self, source: int, job: Job) -> None:
        """Run a job (a screen's new picture) where the source's wires are used, before its next scan."""

    def close(self) -> None:
        """Stop looking."""


class InlineFeed:
    """Scans in the caller's thread."""

    def __init__(self, sources: Sequence[DialSource], clock: Clock) -> None:
        self._sources, self._clock = sources, clock
        self.sampling = Sampling.STEADY
        self._seldom_ns = 0
        self._looks: list[Look] = []
        self._rate = Rate()

    def take(self) -> Sequence[Look]:
        now_ns = self._clock.now_ns()
        if self.sampling is not Sampling.SELDOM or now_ns >= self._seldom_ns:
            self._seldom_ns = now_ns + SELDOM_NS
            self._scan()
        looks, self._looks = self._looks, []
        return looks

    def _scan(self) -> None:
        for source in self._sources:
            self._looks.extend(zip(source.dials, source.scan(), strict=True))
        self._rate.note(self._clock.now_ns())

    def rest(self, until_ns: int) -> None:
        for source in self._sources:
            source.use_gap(until_ns)
        while self.sampling is Sampling.DENSE and (now_ns := self._clock.now_ns()) < until_ns - LEAST_PERIOD_NS:
            self._scan()
            self._clock.sleep_until(now_ns + LEAST_PERIOD_NS)
        self._clock.sleep_until(until_ns)

    def rate_hz(self) -> float:
        return self._rate.hz if self._sources else 0.0

    def run_on(self, source: int, job: Job) -> None:
        job()

    def close(self) -> None:
        """Nothing is open here."""


@dataclass(frozen=True, slots=True)
class _Group:
    """What one thread scans, and what it keeps of that. `gaps`: only where somebody wants to know who makes them."""

    sources: Sequence[DialSource]
    gaps: ThreadGaps | None
    jobs: queue.SimpleQueue[Job] = field(default_factory=queue.SimpleQueue)
    rate: Rate = field(default_factory=Rate)

    @property
    def has_dials(self) -> bool:
        """Else only screens hang here."""
        return any(source.dials for source in self.sources)

    def drain(self) -> None:
        """Do the jobs that wait."""
        for _ in range(self.jobs.qsize()):
            self.jobs.get_nowait()()

    def wait_for_a_job(self, clock: Clock, until_ns: int) -> None:
        """Rest until then, or until a job comes, and do it."""
        with contextlib.suppress(queue.Empty):
            self.jobs.get(timeout=max(0, until_ns - clock.now_ns()) / 1e9)()


class ThreadFeed:
    """Scans the sources `period_ns` apart, or as densely as `budget` allows, each in its own thread. Those that share a
    controller (`together`, by their places in `sources`) take turns in one: the kernel would make them wait for each
    other anyway. A source's jobs run in its thread. A bus with screens alone is never scanned densely: its thread
    waits for jobs. `gaps` learns when the machine makes scans late."""

    def __init__(
        self,
        sources: Sequence[DialSource],
        clock: Clock,
        period_ns: int,
        together: Sequence[Sequence[int]] | None = None,
        budget: CpuBudget | None = None,
        gaps: GapNotices | None = None,
    ) -> None:
        self._clock, self._period_ns = clock, period_ns
        self._budget = budget
        self.sampling = Sampling.STEADY
        places = [[n] for n in range(len(sources))] if together is None else together
        groups = [_Group([sources[n] for n in group], None if gaps is None else gaps.of_thread()) for group in places]
        self._looks: queue.SimpleQueue[Sequence[Look]] = queue.SimpleQueue()
        self._jobs = {n: group.jobs for at, group in zip(places, groups, strict=True) for n in at}
        self._stop = threading.Event()
        self._died: list[BaseException] = []
        self._rates = [group.rate for group in groups if group.has_dials]
        self._threads = [
            threading.Thread(target=self._run, args=(group,), name=f"scan {at[0]}", daemon=True)
            for at, group in zip(places, groups, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, group: _Group) -> None:
        try:
            asked_ns = next_ns = seldom_ns = self._clock.now_ns()
            while not self._stop.is_set():
                woke_ns = self._clock.now_ns()
                group.drain()
                began_ns = self._clock.now_ns()
                if self.sampling is not Sampling.SELDOM or began_ns >= seldom_ns:
                    seldom_ns = began_ns + SELDOM_NS
                    self._scan(group, began_ns)
                    if group.gaps is not None and group.has_dials:
                        group.gaps.note(asked_ns, woke_ns, self._clock.now_ns() - began_ns, group.sources)
                next_ns = max(min(next_ns, began_ns) + self._period_ns, self._clock.now_ns())
                for source in group.sources:
                    source.use_gap(next_ns)
                if self._budget is not None and self.sampling is Sampling.DENSE and group.has_dials:
                    self._budget.note()
                    next_ns = max(began_ns + self._budget.period_ns, self._clock.now_ns())
                asked_ns = max(next_ns, self._clock.now_ns())
                if group.has_dials:
                    self._clock.sleep_until(asked_ns)
                else:
                    group.wait_for_a_job(self._clock, asked_ns)
        except BaseException as error:  # noqa: BLE001 - a bug in a scan must stop the table, not one thread in silence
            self._died.append(error)

    def _scan(self, group: _Group, began_ns: int) -> None:
        for source in group.sources:
            if source.dials:
                self._looks.put([*zip(source.dials, source.scan(), strict=True)])
        group.rate.note(self._clock.now_ns())

    def take(self) -> Sequence[Look]:
        if self._died:
            raise self._died[0]
        looks: list[Look] = []
        for _ in range(self._looks.qsize()):
            looks += self._looks.get_nowait()
        return looks

    def rest(self, until_ns: int) -> None:
        self._clock.sleep_until(until_ns)

    def rate_hz(self) -> float:
        return min((rate.hz for rate in self._rates), default=0.0)

    def run_on(self, source: int, job: Job) -> None:
        self._jobs[source].put(job)

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=5.0)


class Gathered(Protocol):
    """A group of dials that somebody else looks at: a hub. Its looks wait until they are taken."""

    @property
    def rates(self) -> Mapping[str, float]:
        """Good samples in a second at each dial; empty while that is not known yet."""

    def take(self) -> Sequence[Look]:
        """The looks since the last call, each dial's in the order in which they were made. Never waits."""

    def close(self) -> None:
        """Take no more."""


class WithHubs:
    """Another feed, and what hubs have gathered meanwhile."""

    def __init__(self, feed: Feed, hubs: Sequence[Gathered]) -> None:
        self._feed, self._hubs = feed, hubs

    @property
    def sampling(self) -> Sampling:
        return self._feed.sampling

    @sampling.setter
    def sampling(self, sampling: Sampling) -> None:
        self._feed.sampling = sampling

    def rate_hz(self) -> float:
        """Of the slowest bus or hub. A dial that does not answer is not counted."""
        rates = (self._feed.rate_hz(), *(hz for hub in self._hubs for hz in hub.rates.values()))
        return min((hz for hz in rates if hz > 0), default=0.0)

    def take(self) -> Sequence[Look]:
        """A hub sends every sample of a dial that moves, and a few of the others: all of them are handed on, however
        seldom the buses are sampled."""
        looks = [*self._feed.take()]
        for hub in self._hubs:
            looks += hub.take()
        return looks

    def rest(self, until_ns: int) -> None:
        self._feed.rest(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        self._feed.run_on(source, job)

    def close(self) -> None:
        self._feed.close()
        for hub in self._hubs:
            hub.close()
