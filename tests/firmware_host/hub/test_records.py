"""Reports contain every sample of a moving dial, and a complete summary of a dial at rest."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub import wire
from firmware_host.hub.records import BAND, FULL_READS, REST_SAMPLES, ReportBuilder
from firmware_host.reports import Record, WireReport, parse_report

GAP_US = 35_000

Taken = tuple[int, int, int]
"""Dial, time, value."""


class Sent:
    """A builder for `count` dials, and the reports that it sent."""

    def __init__(self, count: int = 2, gap_us: int = GAP_US) -> None:
        self.bodies: list[bytes] = []
        self.records = ReportBuilder(count, range(count), lambda body: self.bodies.append(bytes(body)))
        self.records.start(gap_us)

    @property
    def reports(self) -> list[WireReport]:
        found = [parse_report(body) for body in self.bodies]
        assert None not in found
        return [report for report in found if report is not None]

    def of(self, dial: int) -> list[tuple[int, Record]]:
        """Each record of a dial with the hub time of its report."""
        return [(report.at_us, record) for report in self.reports for record in report.records if record.dial == dial]


def fed(values: list[int], every_us: int = 2_500, period_us: int = 20_000) -> Sent:
    sent = Sent()
    at_us = due_us = 1_000_000
    for value in values:
        at_us += every_us
        sent.records.add(0, value, at_us)
        if at_us >= due_us + period_us:
            due_us = at_us
            sent.records.flush(at_us)
    sent.records.flush(at_us)
    return sent


def test_a_dial_at_rest_is_one_record_in_a_report() -> None:
    reports = fed([1000, 1001, 999, 1000, 1002, 1000, 998, 1001] * 10).reports
    assert [len(report.records) for report in reports[1:]] == [1] * (len(reports) - 2) + [0]
    runs = [report.records[0] for report in reports[1:-1]]
    assert all(run.reads >= 4 and run.lowest + (run.value & 0xFFF) >= 998 for run in runs)
    assert sum(record.reads for _, record in fed([1000] * 80).of(0)) == 80
    assert {run.gap_us for run in runs} == {2_500}


def test_a_dial_that_moves_is_sent_sample_by_sample() -> None:
    snap = [round(1000 + 341 * (1 - math.cos(math.pi * n / 8)) / 2) for n in range(9)]
    found = [record for _, record in fed([1000] * 20 + snap + [1341] * 20).of(0)]
    assert [record.value for record in found if record.reads == 1][REST_SAMPLES + 1 :][:8] == snap[1:]
    assert found[-2].value == 1341
    assert found[-2].reads > 2


def test_the_last_sample_before_a_move_keeps_its_time() -> None:
    sent = fed([1000] * 13 + [1040])
    run, first_away = sent.of(0)[-2:]
    assert run[0] + run[1].last_us == 1_000_000 + 13 * 2_500
    assert first_away[0] + first_away[1].last_us == 1_000_000 + 14 * 2_500


def test_a_dial_that_rests_at_zero_is_at_rest() -> None:
    sent = fed([0, 4095, 1, 0, 4094, 2, 0, 4095] * 10)
    assert sum(record.reads for _, record in sent.of(0)) == 80
    assert len(sent.of(0)) < 20
    assert sent.records.moving == []


@pytest.mark.parametrize(
    ("before", "after"),
    [(4095, wire.NO_MAGNET << 12), (wire.TOO_WEAK << 12 | 4095, wire.TOO_STRONG << 12), (7, wire.TOO_WEAK << 12 | 7)],
)
def test_another_status_is_never_merged(before: int, after: int) -> None:
    found = [record for _, record in fed([before] * 20 + [after] * 20).of(0)]
    assert {record.first >> 12 for record in found if record.value == after} == {after >> 12}
    assert sum(record.reads for record in found if record.value == after) == 20


def test_nothing_is_dropped_when_all_dials_move() -> None:
    sent = Sent(16)
    at_us = 0
    for step in range(40):
        for dial in range(16):
            at_us += 500
            sent.records.add(dial, (dial * 100 + step * 50) & 0xFFF, at_us)
        sent.records.flush(at_us) if step % 3 == 2 else None
    sent.records.flush(at_us)
    for dial in range(16):
        found = [record.value for _, record in sent.of(dial)]
        assert found == [(dial * 100 + step * 50) & 0xFFF for step in range(40)]
    assert max(map(len, sent.bodies)) <= wire.MOST_BODY
    assert sorted(sent.records.moving) == list(range(16))


def test_a_pause_keeps_its_length() -> None:
    sent = Sent()
    for at_us in (*range(0, 30_000, 2_500), *range(200_000, 230_000, 2_500)):
        sent.records.add(0, 500, at_us)
    sent.records.flush(230_000)
    times = [at + each for at, record in sent.of(0) for each in (record.first_us, record.last_us)]
    assert max(b - a for a, b in pairwise(times)) == 200_000 - 27_500
    assert sent.reports[-1].jumps[0] == 1


def test_full_reads_are_due_after_a_far_move_and_when_the_dial_agrees() -> None:
    sent = Sent()
    records = sent.records
    records.add(0, 1000, 1_000)
    assert (records.due[0], records.agrees[0]) == (FULL_READS, False)
    for number in range(FULL_READS):
        records.add(0, 1000, 2_000 + 2_000 * number)
        assert records.agrees[0]
        records.add_full(0, 1000, 3_000 + 2_000 * number, 64, 2100)
        records.due[0] -= 1
    assert records.due[0] == 0
    for number, value in enumerate((1040, 1080)):  # slowly away
        records.add(0, value, 20_000 + 2_000 * number)
    assert (records.due[0], records.agrees[0]) == (FULL_READS, False)
    records.add(0, wire.SILENT << 12, 30_000)
    assert records.due[0] == 0
    records.flush(40_000)
    full = [record for _, record in sent.of(0) if record.agc >= 0]
    assert {(record.value, record.agc, record.magnitude) for record in full} == {(1000, 64, 2100)}


VALUES = st.one_of(
    st.integers(990, 1010),
    st.integers(0, 4095),
    st.sampled_from([0, 1, 4095, 4094]),
    st.builds(
        lambda result, angle: result << 12 | angle,
        st.sampled_from([wire.TOO_WEAK, wire.TOO_STRONG]),
        st.sampled_from([0, 1000, 4095]),
    ),
    st.sampled_from([wire.SILENT << 12, wire.NO_MAGNET << 12, wire.NOT_READ << 12]),
)
STEPS = st.lists(
    st.tuples(
        st.integers(0, 2), VALUES, st.sampled_from([500, 900, 2_500, 2_500, 8_000, 40_000, 90_000]), st.booleans()
    ),
    max_size=300,
)
REPEATED = st.builds(
    lambda dial, value, times: [(dial, value, 700, False)] * times, st.integers(0, 2), VALUES, st.integers(1, 40)
)


@given(st.lists(st.one_of(STEPS, REPEATED), max_size=8), st.integers(0, wire.TICKS - 1), st.sampled_from([5, 35, 1000]))
def test_any_samples_and_any_reports(chunks: list[list[tuple[int, int, int, bool]]], at_us: int, gap_ms: int) -> None:
    """Reported samples were taken, at that time; merged ones lie in a band; no sample is missing from the counts."""
    sent = Sent(3, gap_ms * 1000)
    taken: dict[int, list[tuple[int, int]]] = {0: [], 1: [], 2: []}
    for dial, value, passed_us, flushes in (step for chunk in chunks for step in chunk):
        at_us = (at_us + passed_us) % wire.TICKS
        sent.records.add(dial, value, at_us)
        taken[dial].append((at_us, value))
        if flushes:
            sent.records.flush(at_us)
    sent.records.flush(at_us)
    for dial, samples in taken.items():
        rest = samples
        for base_us, record in sent.of(dial):
            these, rest = rest[: record.reads], rest[record.reads :]
            ends = [
                ((base_us + record.first_us) % wire.TICKS, record.first),
                ((base_us + record.last_us) % wire.TICKS, record.value),
            ]
            assert [these[0], these[-1]] == ends
            assert {value >> 12 for _, value in these} == {record.value >> 12}
            away = [(value - record.value + 2048) % 4096 - 2048 for _, value in these]
            assert (min(away), max(away)) == (record.lowest, record.highest)
            assert record.highest - record.lowest <= 2 * BAND
            if record.reads > 1:
                assert record.last_us - record.first_us <= gap_ms * 1000
                assert record.gap_us >= max((b[0] - a[0]) % wire.TICKS for a, b in pairwise(these))
        assert rest == []
