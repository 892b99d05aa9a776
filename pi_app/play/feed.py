"""Feeds the loop with samples: from sources that are scanned in the loop's thread, or each in its own thread.

A simulated table is scanned in the loop's thread, because its clock is virtual. A real one has a thread per source,
so that a slow disk or a second bus makes no gap between samples. The loop sets the sampling rate
(`pi_app.dials.sampling`). Screens on a bus with dials use the gaps between scans.
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

DialSample = tuple[str, Sample]
"""A dial's label and one sample of it."""

Job = Callable[[], None]

SELDOM_NS: Final = 500_000_000
"""The period of the scans of a quiet table."""


def rounds(samples: Sequence[DialSample]) -> Iterator[Sequence[DialSample]]:
    """Split samples that have queued into the rounds in which they were taken: no dial twice in one round."""
    one: dict[str, DialSample] = {}
    for sample in samples:
        if sample[0] in one:
            yield tuple(one.values())
            one = {}
        one[sample[0]] = sample
    if one:
        yield tuple(one.values())


class Feed(Protocol):
    """Samples all dials of a table."""

    sampling: Sampling
    """The sampling rate; the reader of the samples sets it."""

    def rate_hz(self) -> float:
        """Return the recent samples per second of each dial: of the slowest source. 0: not known yet."""

    def take(self) -> Sequence[DialSample]:
        """Return the samples since the last call, oldest first."""

    def rest(self, until_ns: int) -> None:
        """Wait until `until_ns`; screens may use the time."""

    def run_on(self, source: int, job: Job) -> None:
        """Run a job (a screen's new picture) in the thread of the source, before its next scan."""

    def close(self) -> None:
        """Stop sampling."""


class InlineFeed:
    """Scans in the caller's thread."""

    def __init__(self, sources: Sequence[DialSource], clock: Clock) -> None:
        self._sources, self._clock = sources, clock
        self.sampling = Sampling.STEADY
        self._seldom_ns = 0
        self._samples: list[DialSample] = []
        self._rate = Rate()

    def take(self) -> Sequence[DialSample]:
        now_ns = self._clock.now_ns()
        if self.sampling is not Sampling.SELDOM or now_ns >= self._seldom_ns:
            self._seldom_ns = now_ns + SELDOM_NS
            self._scan()
        samples, self._samples = self._samples, []
        return samples

    def _scan(self) -> None:
        for source in self._sources:
            self._samples.extend(zip(source.dials, source.scan(), strict=True))
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
class _ScanThread:
    """The sources of one thread, with its jobs and its rate. `gaps` is None where late scans are not counted."""

    sources: Sequence[DialSource]
    gaps: ThreadGaps | None
    jobs: queue.SimpleQueue[Job] = field(default_factory=queue.SimpleQueue)
    rate: Rate = field(default_factory=Rate)

    @property
    def has_dials(self) -> bool:
        """Whether there are dials, and not only screens."""
        return any(source.dials for source in self.sources)

    def drain(self) -> None:
        """Run the jobs that wait."""
        for _ in range(self.jobs.qsize()):
            self.jobs.get_nowait()()

    def wait_for_a_job(self, clock: Clock, until_ns: int) -> None:
        """Wait until then, or until a job comes, and run it."""
        with contextlib.suppress(queue.Empty):
            self.jobs.get(timeout=max(0, until_ns - clock.now_ns()) / 1e9)()


class ThreadFeed:
    """Scans the sources every `period_ns`, or as densely as `budget` allows, each in its own thread. Sources that share
    a controller (`together`, by their numbers in `sources`) share a thread: the kernel makes them wait for each other
    anyway. A source's jobs run in its thread. The thread of a bus with screens alone only waits for jobs. `gaps` counts
    the scans that the machine delays."""

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
        numbers = [[n] for n in range(len(sources))] if together is None else together
        groups = [
            _ScanThread([sources[n] for n in group], None if gaps is None else gaps.of_thread()) for group in numbers
        ]
        self._samples: queue.SimpleQueue[Sequence[DialSample]] = queue.SimpleQueue()
        self._jobs = {n: group.jobs for at, group in zip(numbers, groups, strict=True) for n in at}
        self._stop = threading.Event()
        self._died: list[BaseException] = []
        self._rates = [group.rate for group in groups if group.has_dials]
        self._threads = [
            threading.Thread(target=self._run, args=(group,), name=f"scan {at[0]}", daemon=True)
            for at, group in zip(numbers, groups, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, group: _ScanThread) -> None:
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

    def _scan(self, group: _ScanThread, began_ns: int) -> None:
        for source in group.sources:
            if source.dials:
                self._samples.put([*zip(source.dials, source.scan(), strict=True)])
        group.rate.note(self._clock.now_ns())

    def take(self) -> Sequence[DialSample]:
        if self._died:
            raise self._died[0]
        samples: list[DialSample] = []
        for _ in range(self._samples.qsize()):
            samples += self._samples.get_nowait()
        return samples

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
    """Dials that a hub samples. Their samples wait until they are taken."""

    @property
    def rates(self) -> Mapping[str, float]:
        """Good samples per second of each dial; empty while not known yet."""

    def take(self) -> Sequence[DialSample]:
        """Return the samples since the last call, those of each dial oldest first, without waiting."""

    def close(self) -> None:
        """Stop."""


class WithHubs:
    """Another feed with the samples of hubs added."""

    def __init__(self, feed: Feed, hubs: Sequence[Gathered]) -> None:
        self._feed, self._hubs = feed, hubs

    @property
    def sampling(self) -> Sampling:
        return self._feed.sampling

    @sampling.setter
    def sampling(self, sampling: Sampling) -> None:
        self._feed.sampling = sampling

    def rate_hz(self) -> float:
        """Return the rate of the slowest bus or hub. A dial that does not respond is not counted."""
        rates = (self._feed.rate_hz(), *(hz for hub in self._hubs for hz in hub.rates.values()))
        return min((hz for hz in rates if hz > 0), default=0.0)

    def take(self) -> Sequence[DialSample]:
        """Return all samples. A hub sends every sample of a dial that moves, and a few of the others, whatever the
        rate of the buses."""
        samples = [*self._feed.take()]
        for hub in self._hubs:
            samples += hub.take()
        return samples

    def rest(self, until_ns: int) -> None:
        self._feed.rest(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        self._feed.run_on(source, job)

    def close(self) -> None:
        self._feed.close()
        for hub in self._hubs:
            hub.close()
