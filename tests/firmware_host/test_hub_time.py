"""Hub time becomes table time: always growing, never in the future, near the truth."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.wire import TICKS
from firmware_host.hub_time import ANSWERS, HubTime
from firmware_host.session import Session
from firmware_host.sims.scripted_hub import ScriptedHub
from firmware_host.wanted import Wanted
from tests.firmware_host.talk import MS, Talk, still


def test_the_middle_of_question_and_answer() -> None:
    time = HubTime(5_000, 100 * MS, 102 * MS, 0)
    assert time.place(6_000, 500) == (102 * MS, 500_000)


def test_the_shortest_way_of_the_last_answers_counts() -> None:
    time = HubTime(0, 100 * MS, 120 * MS, 0)
    time.answered(100_000, 200 * MS, 202 * MS)
    time.answered(200_000, 300 * MS, 380 * MS)
    assert time.place(300_000, 0) == (401 * MS, 0)
    for number in range(ANSWERS):
        time.answered(1_000_000 * (number + 1), (1_100 + 1_000 * number) * MS, (1_110 + 1_000 * number) * MS)
    assert time.place(40_000_000, 0) == (40_105 * MS, 0)


def test_hub_time_begins_again() -> None:
    time = HubTime(TICKS - 1_000, 100 * MS, 100 * MS, 0)
    assert time.place(TICKS - 500, 100) == (100 * MS + 500_000, 100_000)
    assert time.place(500, 100) == (100 * MS + 1_500_000, 100_000)
    assert time.place(TICKS + 700, 100)[0] == 100 * MS + 1_700_000


def test_what_has_come_is_not_of_the_future() -> None:
    time = HubTime(0, 100 * MS, 140 * MS, 0)
    time.came(10_000, 125 * MS)
    assert time.place(9_000, 1_000) == (124 * MS, 1 * MS)


def test_a_lower_offset_moves_what_follows() -> None:
    time = HubTime(0, 100 * MS, 140 * MS, 0)
    assert time.place(0, 5_000) == (120 * MS, 5 * MS)
    time.came(6_000, 110 * MS)
    assert time.place(5_000, 1_000) == (125 * MS + 1, 0)
    assert time.place(30_000, 1_000) == (134 * MS, 1 * MS)


def test_what_an_earlier_greeting_told_stays_earlier() -> None:
    time = HubTime(0, 100 * MS, 100 * MS, 150 * MS)
    assert time.place(20_000, 1_000) == (150 * MS + 1, 0)


@pytest.mark.slow
@given(
    seed=st.integers(0, 1 << 30),
    ahead_us=st.one_of(st.integers(0, TICKS), st.just(TICKS - 1_500_000)),
    most_ms=st.sampled_from([0, 1, 5, 50]),
    drift_ppm=st.integers(-200, 200),
)
def test_any_delays(seed: int, ahead_us: int, most_ms: int, drift_ppm: int) -> None:
    """Looks of each dial in growing order, none after it came, none farther from the truth than the wire is slow."""
    draw = random.Random(seed)
    truth: list[int] = []
    hub = ScriptedHub(still(7, 8), dials=2)
    script = hub.script

    def look(at_us: int) -> tuple[int, ...]:
        truth.append(round((at_us - ahead_us) / (1 + drift_ppm / 1e6) * 1000))
        return script(at_us)

    hub.script = look
    talk = Talk(Wanted("north", dials=2), hub)
    last_ns = 0
    told = 0
    for _ in range(80):
        talk.now_ns += round(draw.uniform(5, 40) * MS)
        talk.ahead_us = ahead_us + round(talk.now_ns / 1000 * drift_ppm / 1e6)
        seen = len(talk.reports)
        talk.step(delay_ns=round(draw.uniform(0, most_ms) * MS) + 10_000)
        for report in talk.reports[seen:]:
            for sweep in report.sweeps:
                assert last_ns < sweep.at_ns
                last_ns = sweep.at_ns + sweep.took_ns
                assert last_ns <= talk.now_ns
                assert sweep.took_ns <= 480_000
                assert abs(sweep.at_ns - truth[told]) <= (most_ms + 3) * MS
                told += 1
    assert told > 40


@pytest.mark.parametrize("ahead_us", [0, TICKS // 2, TICKS - 200_000])
def test_a_session_over_the_end_of_hub_time(ahead_us: int) -> None:
    talk = Talk(ahead_us=ahead_us)
    talk.run(1_000)
    times = [sweep.at_ns for report in talk.reports for sweep in report.sweeps]
    assert times == sorted(times)
    assert min(b - a for a, b in pairwise(times)) > 9 * MS
    assert isinstance(talk.session, Session)
