"""Hub time converts to table time: always increasing, never in the future, near the truth."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.records import ReportBuilder
from firmware_host.hub.wire import TICKS
from firmware_host.hub_time import ANSWERS, HubTime
from firmware_host.requirements import HubRequirements
from firmware_host.samples import SampleStream
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import ScriptedHub
from tests.firmware_host.exchange import MS, Exchange, still


def test_the_middle_of_request_and_answer() -> None:
    time = HubTime(5_000, 100 * MS, 102 * MS, 0)
    assert time.at(6_000) == 102 * MS


def test_the_shortest_round_trip_of_the_last_answers_counts() -> None:
    time = HubTime(0, 100 * MS, 120 * MS, 0)
    time.answered(100_000, 200 * MS, 202 * MS)
    time.answered(200_000, 300 * MS, 380 * MS)
    assert time.at(300_000) == 401 * MS
    for number in range(ANSWERS):
        time.answered(1_000_000 * (number + 1), (1_100 + 1_000 * number) * MS, (1_110 + 1_000 * number) * MS)
    assert time.at(40_000_000) == 40_105 * MS


def test_hub_time_wraps() -> None:
    time = HubTime(TICKS - 1_000, 100 * MS, 100 * MS, 0)
    assert time.at(TICKS - 500) == 100 * MS + 500_000
    assert time.at(500) == 100 * MS + 1_500_000
    assert time.at(TICKS + 700) == 100 * MS + 1_700_000


def test_a_received_sample_is_not_in_the_future() -> None:
    time = HubTime(0, 100 * MS, 140 * MS, 0)
    time.arrived(10_000, 125 * MS)
    assert time.at(9_000) == 124 * MS


def test_a_lower_offset_counts_from_now_on() -> None:
    time = HubTime(0, 100 * MS, 140 * MS, 0)
    assert time.at(5_000) == 125 * MS
    time.arrived(6_000, 110 * MS)
    assert time.at(5_000) == 109 * MS
    assert time.at(30_000) == 134 * MS


def test_the_last_delivered_time_never_decreases() -> None:
    time = HubTime(0, 100 * MS, 100 * MS, 150 * MS)
    time.mark_delivered(140 * MS)
    assert time.delivered_ns == 150 * MS
    time.mark_delivered(160 * MS)
    assert time.delivered_ns == 160 * MS


def test_samples_of_an_earlier_greeting_stay_earlier() -> None:
    bodies: list[bytearray] = []
    records = ReportBuilder(1, range(1), bodies.append)
    records.add(0, 5, 20_000)
    records.flush(20_000)
    values = SampleStream(HubTime(0, 100 * MS, 100 * MS, 150 * MS), 1, 35)
    assert values.add(bytes(bodies[0]))
    (report,) = values.take(160 * MS)
    assert [(sample.at_ns, sample.value) for sample in report.samples] == [(150 * MS + 1, 5)]
    assert report.unknown == {0}


@pytest.mark.slow
@given(
    seed=st.integers(0, 1 << 30),
    ahead_us=st.one_of(st.integers(0, TICKS), st.just(TICKS - 1_500_000)),
    most_ms=st.sampled_from([0, 1, 5, 50]),
    drift_ppm=st.integers(-200, 200),
)
def test_any_delays(seed: int, ahead_us: int, most_ms: int, drift_ppm: int) -> None:
    """Samples of each dial in increasing order, none later than its arrival, none farther off than the wire's delay."""
    draw = random.Random(seed)
    truth: list[int] = []
    hub = ScriptedHub(still(7, 8), dials=2)
    script = hub.script

    def sweep(at_us: int) -> tuple[int, ...]:
        truth.append(round((at_us - ahead_us) / (1 + drift_ppm / 1e6) * 1000))
        return script(at_us)

    hub.script = sweep
    exchange = Exchange(HubRequirements("north", dials=2), hub)
    last_ns = 0
    delivered = 0
    for _ in range(80):
        exchange.now_ns += round(draw.uniform(5, 40) * MS)
        exchange.ahead_us = ahead_us + round(exchange.now_ns / 1000 * drift_ppm / 1e6)
        seen = len(exchange.reports)
        exchange.step(delay_ns=round(draw.uniform(0, most_ms) * MS) + 10_000)
        for report in exchange.reports[seen:]:
            for sample in report.samples:
                if sample.dial == 0:
                    assert last_ns < sample.at_ns <= exchange.now_ns
                    last_ns = sample.at_ns
                    assert min(abs(sample.at_ns - each) for each in truth) <= (most_ms + 3) * MS
                    delivered += 1
    assert delivered > 40


@pytest.mark.parametrize("ahead_us", [0, TICKS // 2, TICKS - 200_000])
def test_a_session_across_the_wrap_of_hub_time(ahead_us: int) -> None:
    exchange = Exchange(ahead_us=ahead_us)
    exchange.run(1_000)
    times = [sample.at_ns for report in exchange.reports for sample in report.samples if sample.dial == 0]
    assert times == sorted(times)
    assert min(b - a for a, b in pairwise(times)) > 9 * MS
    assert isinstance(exchange.session, HubSession)
