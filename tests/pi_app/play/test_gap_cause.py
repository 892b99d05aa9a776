"""A scan that is late on an idle wire counts as the machine's delay."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from pi_app.play.build import Outputs
from pi_app.play.gap_cause import ENOUGH, LATE_READS, QUIET_NS, WINDOW_NS, GapCause, GapNotices, UsualTime
from pi_app.settings import load as st
from pi_app.simulated.demo import Demo
from tests.docs.pages import text

MS = 1_000_000
S = 1_000_000_000


def gaps() -> GapCause:
    return GapCause(str, 35 * MS)


def test_three_late_scans_within_ten_seconds_are_told_in_one_sentence() -> None:
    cause = gaps()
    assert cause.note(0, 50 * MS, 5 * MS, 4 * MS) is None
    assert cause.note(2 * S, 2 * S + 79 * MS, 5 * MS, 5 * MS) is None
    assert cause.note(3 * S, 3 * S + 10 * MS, 45 * MS, 5 * MS) == (
        "processor (this machine): 3 times in 3 s the dials were read late, up to 79 ms, while the wires were idle. "
        "Close other programs; trapdial doctor says how play gets real-time priority."
    )
    assert cause.late_scans == 3


def test_a_slow_wire_is_not_the_machines_fault() -> None:
    cause = gaps()
    for second in range(100):
        assert cause.note(second * S, second * S, 200 * MS, 195 * MS) is None
    assert cause.late_scans == 0


def test_a_single_late_scan_now_and_then_is_nothing() -> None:
    cause = gaps()
    for number in range(100):
        at_ns = number * WINDOW_NS
        assert cause.note(at_ns, at_ns + 100 * MS, 0, 0) is None
    assert cause.late_scans == 100


def test_it_is_not_told_again_for_ten_minutes() -> None:
    cause = gaps()
    told = [at for at in range(1300) if cause.note(at * S, at * S + 100 * MS, 0, 0)]
    assert told == [2, 602, 1202]


@given(some.lists(some.tuples(*[some.integers(0, 10 * S)] * 4), max_size=200))
def test_never_more_than_one_sentence_in_ten_minutes(scans: list[tuple[int, int, int, int]]) -> None:
    cause, now_ns, told_ns = gaps(), 0, []
    for rest_ns, late_ns, took_ns, wire_ns in scans:
        now_ns += rest_ns
        before = cause.late_scans
        told = cause.note(now_ns, now_ns + late_ns, took_ns, wire_ns)
        is_late = late_ns + max(0, took_ns - wire_ns) >= 35 * MS
        assert cause.late_scans == before + is_late
        if told is not None:
            assert is_late
            assert cause.late_scans >= ENOUGH
            told_ns.append(now_ns + late_ns)
        now_ns += late_ns
    assert all(later - earlier >= QUIET_NS for earlier, later in itertools.pairwise(told_ns))


def test_the_usual_time_is_the_shortest_of_late() -> None:
    usual = UsualTime()
    assert usual.of(6 * MS, calm=True) == 6 * MS
    assert usual.of(5 * MS, calm=True) == 5 * MS
    assert usual.of(100 * MS, calm=True) == 5 * MS
    assert usual.of(100 * MS, calm=False) == 100 * MS
    assert 5 * MS < usual.of(5 * MS + 2 * MS, calm=True) < 7 * MS


def test_the_usual_time_follows_a_table_that_became_slower() -> None:
    usual = UsualTime()
    usual.of(5 * MS, calm=True)
    for _ in range(500):
        last_ns = usual.of(50 * MS, calm=True)
    assert 49 * MS < last_ns <= 50 * MS


@given(some.lists(some.tuples(some.integers(0, S), some.booleans()), max_size=100))
def test_no_scan_should_have_taken_longer_than_it_took(scans: list[tuple[int, bool]]) -> None:
    usual = UsualTime()
    for took_ns, calm in scans:
        assert 0 <= usual.of(took_ns, calm=calm) <= took_ns


def test_two_threads_that_are_late_together_make_one_sentence() -> None:
    notices = GapNotices(str, 35 * MS)
    threads = [notices.of_thread(), notices.of_thread()]
    for second in range(3):
        for thread in threads:
            thread.note(second * S, second * S + 50 * MS, 5 * MS, [])
    (told,) = notices.take()
    assert told == LATE_READS.format(times=3, seconds=2, late=50)
    assert notices.take() == []
    assert notices.late_scans == 6


def test_the_referee_reads_it(tmp_path: Path) -> None:
    class Lines:
        def __init__(self) -> None:
            self.told_referee: list[str] = []

        def told(self, viewer: str, line: str, at_ns: int) -> None:
            if viewer == "referee":
                self.told_referee.append(line)

    lines = Lines()
    settings = st.load(st.example_path("2x2"))
    with Demo(settings, tmp_path / "journal.db", outputs=Outputs([lines])) as demo:
        while not demo.loop.ready:
            demo.step()
        thread = demo.builder.gaps.of_thread()
        for second in range(3):
            thread.note(second * S, second * S + 50 * MS, 5 * MS, [])
        demo.step()
    assert LATE_READS.format(times=3, seconds=2, late=50) in lines.told_referee


def test_the_page_quotes_it() -> None:
    told = LATE_READS.format(times=4, seconds=7, late=80)
    assert told in " ".join(text("wiring_docs/service.md").replace("*", "").replace("> ", "").split())
