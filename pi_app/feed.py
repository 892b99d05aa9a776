"""Where samples come from: sources scanned in this thread, or each in a thread of its own.

The loop cannot tell which. A simulated table is scanned in the loop's own thread, since its clock is virtual; a
real one gets a thread per source, so that a slow disk or a second bus never makes a gap in the looks.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from hardware.clock import Clock
from hardware.readings import DialSource, Sample

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

    quiet: bool
    """Whether a look now and then is enough: nobody plays and nothing stirs. Whoever takes the looks sets it."""

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
        self.quiet = False
        self._seldom_ns = 0

    def take(self) -> Sequence[Look]:
        now_ns = self._clock.now_ns()
        if self.quiet and now_ns < self._seldom_ns:
            return ()
        self._seldom_ns = now_ns + SELDOM_NS
        looks: list[Look] = []
        for source in self._sources:
            looks.extend(zip(source.dials, source.scan(), strict=True))
        return looks

    def rest(self, until_ns: int) -> None:
        for source in self._sources:
            source.use_gap(until_ns)
        self._clock.sleep_until(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        job()

    def close(self) -> None:
        """Nothing is open here."""


class ThreadFeed:
    """Scans the sources `period_ns` apart, each in its own thread. Those that share a controller (`together`, by their
    places in `sources`) take turns in one: the kernel would make them wait for each other anyway. A source's jobs run
    in its thread."""

    def __init__(
        self,
        sources: Sequence[DialSource],
        clock: Clock,
        period_ns: int,
        together: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self._clock, self._period_ns = clock, period_ns
        self.quiet = False
        groups = [[n] for n in range(len(sources))] if together is None else together
        self._looks: queue.SimpleQueue[Look] = queue.SimpleQueue()
        queues: list[queue.SimpleQueue[Job]] = [queue.SimpleQueue() for _ in groups]
        self._jobs = {n: jobs for group, jobs in zip(groups, queues, strict=True) for n in group}
        self._stop = threading.Event()
        self._died: list[BaseException] = []
        self._threads = [
            threading.Thread(
                target=self._run, args=([sources[n] for n in group], jobs), name=f"scan {group[0]}", daemon=True
            )
            for group, jobs in zip(groups, queues, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, sources: Sequence[DialSource], jobs: queue.SimpleQueue[Job]) -> None:
        try:
            next_ns = seldom_ns = self._clock.now_ns()
            while not self._stop.is_set():
                _drain(jobs)
                if not self.quiet or self._clock.now_ns() >= seldom_ns:
                    seldom_ns = self._clock.now_ns() + SELDOM_NS
                    self._scan(sources)
                next_ns = max(next_ns + self._period_ns, self._clock.now_ns())
                for source in sources:
                    source.use_gap(next_ns)
                self._clock.sleep_until(next_ns)
        except BaseException as error:  # noqa: BLE001 - a bug in a scan must stop the table, not one thread in silence
            self._died.append(error)

    def _scan(self, sources: Sequence[DialSource]) -> None:
        for source in sources:
            for look in zip(source.dials, source.scan(), strict=True):
                self._looks.put(look)

    def take(self) -> Sequence[Look]:
        if self._died:
            raise self._died[0]
        looks = []
        for _ in range(self._looks.qsize()):
            looks.append(self._looks.get_nowait())
        return looks

    def rest(self, until_ns: int) -> None:
        self._clock.sleep_until(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        self._jobs[source].put(job)

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=5.0)


class Gathered(Protocol):
    """A group of dials that somebody else looks at: a hub. Its looks wait until they are taken."""

    def take(self) -> Sequence[Look]:
        """The looks since the last call, each dial's in the order in which they were made. Never waits."""

    def close(self) -> None:
        """Take no more."""


class WithHubs:
    """Another feed, and what hubs have gathered meanwhile."""

    def __init__(self, feed: Feed, hubs: Sequence[Gathered]) -> None:
        self._feed, self._hubs = feed, hubs

    @property
    def quiet(self) -> bool:
        return self._feed.quiet

    @quiet.setter
    def quiet(self, quiet: bool) -> None:
        self._feed.quiet = quiet

    def take(self) -> Sequence[Look]:
        looks = [*self._feed.take()]
        for hub in self._hubs:
            gathered = hub.take()
            looks += [*rounds(gathered)][-1] if self.quiet and gathered else gathered
        return looks

    def rest(self, until_ns: int) -> None:
        self._feed.rest(until_ns)

    def run_on(self, source: int, job: Job) -> None:
        self._feed.run_on(source, job)

    def close(self) -> None:
        self._feed.close()
        for hub in self._hubs:
            hub.close()


def _drain(jobs: queue.SimpleQueue[Job]) -> None:
    for _ in range(jobs.qsize()):
        jobs.get_nowait()()
