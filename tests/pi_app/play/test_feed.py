"""Both kinds of feeds keep one contract."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from hardware.clock import MachineClock
from hardware.readings import Reading, Sample
from hardware.sims.clock import VirtualClock
from pi_app.dials.sampling import LEAST_PERIOD_NS, CpuBudget, Sampling
from pi_app.play.feed import SELDOM_NS, DialSample, Feed, InlineFeed, ThreadFeed, WithHubs, rounds
from pi_app.play.gap_cause import GapNotices

MS = 1_000_000


class Counting:
    """A source whose two dials count the scans. `scanned` is set after a few."""

    calm = True

    def __init__(self, names: Sequence[str]) -> None:
        self.dials = names
        self.scans = 0
        self.gaps = 0
        self.scanned = threading.Event()
        self.fails: Exception | None = None

    def scan(self) -> Sequence[Sample]:
        self.scans += 1
        if self.scans > 3:
            self.scanned.set()
        if self.fails is not None:
            raise self.fails
        return [Reading(n, self.scans) for n, _ in enumerate(self.dials)]

    def use_gap(self, until_ns: int) -> None:
        self.gaps += 1


def in_this_thread(sources: Sequence[Counting]) -> Feed:
    return InlineFeed(sources, VirtualClock())


def in_threads(sources: Sequence[Counting]) -> Feed:
    return ThreadFeed(sources, MachineClock(), period_ns=100_000)


MAKERS = [in_this_thread, in_threads]


def until_scanned(feed: Feed, sources: Sequence[Counting]) -> list[DialSample]:
    """Return the samples of a feed whose sources have all been scanned a few times."""
    looks: list[DialSample] = []
    for source in sources:
        while not source.scanned.wait(0 if isinstance(feed, InlineFeed) else 5):
            looks += feed.take()
    return [*looks, *feed.take()]


@pytest.mark.parametrize("make", MAKERS)
def test_looks_come_by_name_and_in_order(make: Callable[[Sequence[Counting]], Feed]) -> None:
    sources = [Counting(["T01", "T02"]), Counting(["T03"])]
    feed = make(sources)
    looks = until_scanned(feed, sources)
    feed.close()
    assert {name for name, _ in looks} == {"T01", "T02", "T03"}
    times = [sample.at_ns for name, sample in looks if name == "T01"]
    assert times == sorted(times) == list(range(1, len(times) + 1))


@pytest.mark.parametrize("make", MAKERS)
def test_jobs_are_run_where_the_source_is_used(make: Callable[[Sequence[Counting]], Feed]) -> None:
    sources = [Counting(["T01"])]
    feed = make(sources)
    ran = threading.Event()
    feed.run_on(0, ran.set)
    assert ran.wait(5)
    feed.close()


def scanning() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("scan ")]


def test_the_gap_between_scans_is_offered_to_the_screens() -> None:
    source, clock = Counting(["T01"]), VirtualClock()
    feed = InlineFeed([source], clock)
    feed.rest(5_000)
    assert source.gaps == 1
    assert clock.now_ns() == 5_000


def test_a_bug_in_a_scanning_thread_stops_the_table() -> None:
    source = Counting(["T01"])
    source.fails = ZeroDivisionError("a bug")
    feed = ThreadFeed([source], MachineClock(), period_ns=100_000)
    for thread in scanning():
        thread.join(5)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        feed.take()
    feed.close()


def test_closing_ends_the_threads() -> None:
    feed = ThreadFeed([Counting(["T01"])], MachineClock(), period_ns=100_000)
    feed.close()
    assert scanning() == []


def test_sources_on_one_controller_share_a_thread_and_their_jobs_run_there() -> None:
    sources = [Counting(["T01"]), Counting(["T02"]), Counting(["T03"])]
    feed = ThreadFeed(sources, MachineClock(), 100_000, together=[[0, 2], [1]])
    ran: list[str] = []
    run = threading.Semaphore(0)

    def note() -> None:
        ran.append(threading.current_thread().name)
        run.release()

    for n in range(3):
        feed.run_on(n, note)
    assert all(run.acquire(timeout=5) for _ in sources)
    looks = until_scanned(feed, sources)
    feed.close()
    assert sorted(ran) == ["scan 0", "scan 0", "scan 1"]
    assert {name for name, _ in looks} == {"T01", "T02", "T03"}
    assert all(source.gaps for source in sources)


def test_gathered_looks_are_parted_where_a_dial_comes_again() -> None:
    a1, b1, a2, a3, b3 = ((name, Reading(0, n)) for n, name in enumerate("abaab"))
    assert list(rounds([a1, b1, a2, a3, b3])) == [(a1, b1), (a2,), (a3, b3)]
    assert list(rounds([])) == []


def test_a_quiet_table_is_looked_at_twice_a_second_and_at_once_when_it_is_no_longer_quiet() -> None:
    source, clock = Counting(["T01"]), VirtualClock()
    feed = InlineFeed([source], clock)
    feed.take()
    feed.sampling = Sampling.SELDOM
    for _ in range(200):
        feed.take()
        feed.rest(clock.now_ns() + 10_000_000)
    assert source.scans == 1 + 3
    assert source.gaps == 200
    feed.sampling = Sampling.STEADY
    assert [name for name, _ in feed.take()] == ["T01"]


def test_the_threads_of_a_quiet_table_rest_and_their_jobs_are_run() -> None:
    source, clock = Counting(["T01"]), MachineClock()
    feed = ThreadFeed([source], clock, period_ns=100_000)

    def run_a_job() -> None:
        ran = threading.Event()
        feed.run_on(0, ran.set)
        assert ran.wait(5)

    feed.sampling = Sampling.SELDOM
    run_a_job()  # behind the last look of a table that was not quiet
    began_ns, before = clock.now_ns(), source.scans
    for _ in range(100):  # as long as 100 looks take
        run_a_job()
    scans, seldom = source.scans - before, (clock.now_ns() - began_ns) // SELDOM_NS
    feed.sampling = Sampling.STEADY
    assert source.scanned.wait(5)
    feed.close()
    assert scans <= 2 + seldom


def test_densely_a_source_is_scanned_again_until_the_rest_is_over() -> None:
    source, clock = Counting(["T01"]), VirtualClock()
    feed = InlineFeed([source], clock)
    feed.take()
    feed.sampling = Sampling.DENSE
    feed.rest(10_000_000)
    assert clock.now_ns() == 10_000_000
    assert [sample.at_ns for _, sample in feed.take()] == list(range(2, 5 + 2))


def test_a_bus_of_screens_alone_is_not_scanned_and_its_jobs_wake_it() -> None:
    """A job runs at once although the thread rests for a minute: a picture does not wait for the next round."""
    source, asked = Counting([]), list[str]()

    def now_ns() -> int:
        asked.append(threading.current_thread().name)
        return 0

    feed = ThreadFeed([source], MachineClock(), 60_000_000_000, budget=CpuBudget(0.25, 10_000_000, now_ns=now_ns))
    feed.sampling = Sampling.DENSE
    for _ in range(3):
        ran = threading.Event()
        feed.run_on(0, ran.set)
        assert ran.wait(5)
    assert source.scans == 0
    feed.run_on(0, feed._stop.set)
    feed.close()
    assert source.gaps >= 3
    assert "scan 0" not in asked, "the budget is for dials"
    assert feed.take() == []


def test_a_bus_of_screens_alone_says_nothing_about_the_rate_of_the_dials() -> None:
    sources = [Counting(["T01"]), Counting([])]
    feed = ThreadFeed(sources, MachineClock(), period_ns=100_000)
    while not feed.rate_hz():
        feed.take()
    feed.close()


class Stepped:
    """A clock that advances only in sleeps. `slept` is set by a sleep of exactly `wanted_ns`."""

    def __init__(self, wanted_ns: int) -> None:
        self._now_ns, self._wanted_ns = 0, wanted_ns
        self.slept = threading.Event()

    def now_ns(self) -> int:
        return self._now_ns

    def sleep_until(self, at_ns: int) -> None:
        if at_ns - self._now_ns == self._wanted_ns:
            self.slept.set()
        self._now_ns = max(self._now_ns, at_ns)


@pytest.mark.parametrize(
    ("sampling", "slept_ns"),
    [(Sampling.STEADY, 10_000_000), (Sampling.DENSE, LEAST_PERIOD_NS), (Sampling.DENSE, 5_000_000)],
)
def test_a_thread_samples_at_the_idle_rate_or_as_densely_as_the_budget_says(sampling: Sampling, slept_ns: int) -> None:
    clock = Stepped(slept_ns)
    budget = CpuBudget(0.25, 10_000_000, cpu_ns=lambda: 0, now_ns=lambda: 0)
    budget.period_ns = slept_ns
    feed = ThreadFeed([Counting(["T01"])], clock, period_ns=10_000_000, budget=budget)
    feed.sampling = sampling
    assert clock.slept.wait(5)
    feed.close()


class LateClock:
    """A clock that advances only in sleeps and scans. Each sleep ends `late_ns` late; after `sleeps` of them everything
    waits until `end` is set."""

    def __init__(self, late_ns: int, sleeps: int) -> None:
        self.passed_ns, self._late_ns, self._left = 0, late_ns, sleeps
        self.over, self.end = threading.Event(), threading.Event()

    def now_ns(self) -> int:
        return self.passed_ns

    def sleep_until(self, at_ns: int) -> None:
        self._left -= 1
        if self._left < 0:
            self.over.set()
            self.end.wait(5)
        self.passed_ns = max(self.passed_ns, at_ns) + self._late_ns


class Lasting(Counting):
    """A source whose scans take these times, and are calm by default."""

    def __init__(self, clock: LateClock, took_ns: Sequence[int], *, calm: bool = True) -> None:
        super().__init__(["T01"])
        self._clock, self._took_ns = clock, iter(took_ns)
        self.calm = calm

    def scan(self) -> Sequence[Sample]:
        self._clock.passed_ns += next(self._took_ns, 5 * MS)
        return super().scan()


def told_of_gaps(clock: LateClock, source: Counting) -> Sequence[str]:
    notices = GapNotices(str, 35 * MS)
    feed = ThreadFeed([source], clock, 10 * MS, gaps=notices)
    assert clock.over.wait(5)
    told = notices.take()
    clock.end.set()
    feed.close()
    return told


LATE = (
    "processor (this machine): 3 times in 1 s the dials were read late, up to {ms} ms, while the wires were idle. "
    "Close other programs; trapdial doctor says how play gets real-time priority."
)


def test_a_machine_that_wakes_its_scans_late_is_named() -> None:
    clock = LateClock(50 * MS, sleeps=6)
    assert told_of_gaps(clock, Counting(["T01"])) == [LATE.format(ms=50)]


def test_a_machine_that_stops_in_the_middle_of_scans_is_named() -> None:
    clock = LateClock(0, sleeps=20)
    assert told_of_gaps(clock, Lasting(clock, [5 * MS] * 10 + [90 * MS] * 3)) == [LATE.format(ms=85)]


@pytest.mark.parametrize(
    ("took_ms", "calm"),
    [
        ([200] * 20, True),  # a slow wire with many dials
        ([5] * 10 + [65] * 10, False),  # time-outs of a tile that hangs
        ([5] * 10 + [35] * 10, True),  # not so late that a click could be missed
    ],
)
def test_the_machine_is_not_named_for_what_the_wires_took(took_ms: Sequence[int], calm: bool) -> None:
    clock = LateClock(0, sleeps=25)
    assert told_of_gaps(clock, Lasting(clock, [ms * MS for ms in took_ms], calm=calm)) == []


class Sluggish(Counting):
    """A source whose screens take longer than the gap."""

    def __init__(self, clock: LateClock) -> None:
        super().__init__(["T01"])
        self._clock = clock

    def use_gap(self, until_ns: int) -> None:
        self._clock.passed_ns = until_ns + 60 * MS


def test_the_machine_is_not_named_for_screens_that_hang() -> None:
    clock = LateClock(0, sleeps=20)
    assert told_of_gaps(clock, Sluggish(clock)) == []


def test_the_rate_of_the_last_moments_is_known_after_a_while() -> None:
    clock = VirtualClock()
    feed = InlineFeed([Counting(["T01"])], clock)
    assert feed.rate_hz() == 0
    for _ in range(11):
        feed.take()
        feed.rest(clock.now_ns() + 10_000_000)
    assert feed.rate_hz() == pytest.approx(100)


# ------------------------------------------------------------------------------------------------------- hubs


class Hub:
    """A hub whose samples wait until they are taken."""

    def __init__(self, **rates: float) -> None:
        self.rates = rates
        self.waiting: list[DialSample] = []
        self.closed = False

    def take(self) -> Sequence[DialSample]:
        taken, self.waiting = self.waiting, []
        return taken

    def close(self) -> None:
        self.closed = True


def test_what_hubs_gathered_comes_with_the_looks_of_the_buses() -> None:
    hub = Hub()
    feed = WithHubs(InlineFeed([Counting(["T01"])], VirtualClock()), [hub])
    hub.waiting = [("T02", Reading(7, 1)), ("T02", Reading(8, 2))]
    assert feed.take() == [("T01", Reading(0, 1)), ("T02", Reading(7, 1)), ("T02", Reading(8, 2))]
    assert feed.take() == [("T01", Reading(0, 2))]


def test_of_a_quiet_table_every_sample_of_a_hub_is_taken() -> None:
    """The first dial that moves on a hub is followed from its first sample."""
    hub = Hub()
    feed = WithHubs(InlineFeed([], VirtualClock()), [hub])
    feed.sampling = Sampling.SELDOM
    sent: list[DialSample] = [("T02", Reading(raw, raw)) for raw in range(1, 9)]
    hub.waiting = [*sent[:5], ("T03", Reading(1, 1)), *sent[5:]]
    assert feed.take() == [*sent[:5], ("T03", Reading(1, 1)), *sent[5:]]
    assert feed.take() == []


def test_the_rate_is_that_of_the_slowest_bus_or_hub() -> None:
    clock = VirtualClock()
    buses = InlineFeed([Counting(["T01"])], clock)
    feed = WithHubs(buses, [Hub(T02=240.0, T03=80.0), Hub(T04=150.0)])
    assert feed.rate_hz() == 80
    for _ in range(11):
        buses.take()
        clock.sleep_until(clock.now_ns() + 20_000_000)
    assert feed.rate_hz() == pytest.approx(50)


def test_a_silent_dial_and_a_hub_that_said_nothing_yet_have_no_rate() -> None:
    assert WithHubs(InlineFeed([], VirtualClock()), [Hub(T02=0.0, T03=80.0), Hub()]).rate_hz() == 80
    assert WithHubs(InlineFeed([], VirtualClock()), [Hub()]).rate_hz() == 0


def test_a_table_of_hubs_alone_has_the_hubs_rate() -> None:
    clock = VirtualClock()
    feed = WithHubs(InlineFeed([], clock), [Hub(T02=80.0)])
    for _ in range(20):
        feed.take()
        clock.sleep_until(clock.now_ns() + 50_000_000)
    assert feed.rate_hz() == 80


def test_closing_closes_hubs_too() -> None:
    hub = Hub()
    WithHubs(InlineFeed([], VirtualClock()), [hub]).close()
    assert hub.closed
