"""A dial that jumped in lost samples always has an unknown path; without a loss none has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.wire import GOOD, NO_MAGNET, SILENT, TOO_WEAK
from firmware_host.lost_jumps import LostJumps
from firmware_host.reports import WITH_ANGLE, Record, WireReport
from firmware_host.requirements import HubRequirements
from firmware_host.sims.scripted_hub import ScriptedHub
from tests.firmware_host.exchange import Exchange

GAP_MS = 25
PERIOD_MS, SWEEPS = 20, 2

READ_RESULTS = st.builds(
    lambda given, angle: given << 12 | (angle if given in WITH_ANGLE else 0),
    st.sampled_from([GOOD, GOOD, GOOD, GOOD, TOO_WEAK, SILENT, NO_MAGNET]),
    st.sampled_from([0, 10, 500, 1000, 1592, 1593, 2048, 3000, 4095]),
)
MOTIONS = st.lists(st.tuples(READ_RESULTS, READ_RESULTS), min_size=4, max_size=60)
LOSSES = st.sets(st.integers(0, 29), max_size=8)


class Play:
    """Two dials and their hub; the reports with these numbers, from 0 on, are lost."""

    def __init__(self, motion: list[tuple[int, int]], lost: set[int], seq: int = 255) -> None:
        self.motion, self.lost = motion, lost
        self.made: list[tuple[int, tuple[int, ...]]] = []
        self.sent = 0
        self.arrived: list[int] = []
        hub = ScriptedHub(self.sweep, dials=2, seq=seq, every_us=PERIOD_MS * 1000 // SWEEPS)
        exchange = Exchange(HubRequirements("north", dials=2, period_ms=PERIOD_MS, gap_ms=GAP_MS), hub, lose=self.lose)
        while len(self.made) < len(motion):
            exchange.run(5, step_ms=5)
        self.unknown = dict(zip(self.arrived, (report.unknown for report in exchange.reports), strict=True))

    def sweep(self, at_us: int) -> tuple[int, ...]:
        seen = self.motion[min(len(self.made), len(self.motion) - 1)]
        self.made.append((at_us, seen))
        return seen

    def lose(self, line: bytes) -> bool:
        if not line.startswith(b":84"):
            return False
        number, self.sent = self.sent, self.sent + 1
        if number not in self.lost:
            self.arrived.append(number)
        return number in self.lost

    def values(self, dial: int) -> list[tuple[int, int, int]]:
        """Report, time and angle of each sample with an angle, including lost ones."""
        made = [(n // SWEEPS, at_us, values[dial]) for n, (at_us, values) in enumerate(self.made)]
        return [(report, at_us, value & 0xFFF) for report, at_us, value in made if value >> 12 in WITH_ANGLE]

    def lost_jumps(self, dial: int) -> Iterable[tuple[int, int]]:
        """Reports of the two samples of each jump of which a sample is lost."""
        for (one, at_us, before), (other, later_us, after) in pairwise(self.values(dial)):
            degrees = min((after - before) % 4096, (before - after) % 4096) * 360 / 4096
            if (degrees >= 140 or later_us - at_us > GAP_MS * 1000) and {one, other} & self.lost:
                yield one, other


@given(MOTIONS, LOSSES)
def test_a_jump_in_lost_samples_is_always_reported(motion: list[tuple[int, int]], lost: set[int]) -> None:
    play = Play(motion, lost)
    for dial in (0, 1):
        with_angle = {report for report, _, _ in play.values(dial)}
        for _, other in play.lost_jumps(dial):
            number = next((number for number in play.arrived if number >= other and number in with_angle), None)
            if number is not None and other > play.arrived[0]:  # before the first report there is no path
                assert dial in play.unknown[number]


@given(MOTIONS)
def test_without_a_loss_no_path_is_unknown(motion: list[tuple[int, int]]) -> None:
    assert set(Play(motion, set()).unknown.values()) <= {frozenset()}


@given(MOTIONS, LOSSES)
def test_without_a_jump_no_path_is_unknown(motion: list[tuple[int, int]], lost: set[int]) -> None:
    calm = [(value & 0xFF, value & 0xFF) for value, _ in motion]
    assert set(Play(calm, lost).unknown.values()) <= {frozenset()}


@given(MOTIONS, st.integers(0, 255))
def test_message_numbers_may_wrap(motion: list[tuple[int, int]], seq: int) -> None:
    assert Play(motion, {1, 3}, seq).unknown == Play(motion, {1, 3}).unknown


def report(at_ms: int, jumps: int, *values: int) -> WireReport:
    records = tuple(Record(0, number * 10_000, number * 10_000, value, value) for number, value in enumerate(values))
    return WireReport(at_ms * 1000, 1, bytes((jumps,)), records)


def test_a_received_jump_is_explained() -> None:
    lost = LostJumps(35)
    assert lost.add(report(0, 9, 0, 0), whole=True) == frozenset()
    assert lost.add(report(20, 10, 2048, 2048), whole=True) == frozenset()
    assert lost.add(report(40, 12, 0, 2048), whole=True) == frozenset()


def test_a_jump_across_a_loss_is_not() -> None:
    lost = LostJumps(35)
    lost.add(report(0, 255, 0, 0), whole=True)
    assert lost.add(report(40, 0, 2048, 2048), whole=False) == {0}
    assert lost.add(report(60, 0, 2048, 2048), whole=True) == frozenset()


def test_a_jump_there_and_back_in_lost_samples() -> None:
    lost = LostJumps(35)
    lost.add(report(0, 0, 0, 0), whole=True)
    assert lost.add(report(40, 2, 0, 0), whole=False) == {0}


def test_a_dial_without_an_angle_is_reported_with_its_next_one() -> None:
    silent = SILENT << 12
    lost = LostJumps(1000)
    lost.add(report(0, 0, 0, 0), whole=True)
    assert lost.add(report(40, 1, silent, silent), whole=False) == frozenset()
    assert lost.add(report(60, 1, silent, 5), whole=True) == {0}
    assert lost.add(report(80, 1, 5, 5), whole=True) == frozenset()


def test_more_jumps_than_the_samples_explain_without_a_loss() -> None:
    """A hub that does not send what it counted."""
    lost = LostJumps(35)
    lost.add(report(0, 0, 0, 0), whole=True)
    assert lost.add(report(20, 2, 0, 0), whole=True) == {0}


def test_a_loss_is_over_with_the_next_report() -> None:
    calm, far = (0, 0), (2048, 0)
    play = Play([calm] * 6 + [calm, calm, far, far, calm, far], {1})
    assert set(play.unknown.values()) == {frozenset()}


def test_every_dial_has_its_own_count() -> None:
    made: dict[int, int] = defaultdict(int)
    play = Play([(0, 0), (0, 0), (0, 0), (2048, 0), (0, 0), (0, 0), (0, 0), (0, 0)], {1})
    for unknown in play.unknown.values():
        for dial in unknown:
            made[dial] += 1
    assert made == {0: 1}
