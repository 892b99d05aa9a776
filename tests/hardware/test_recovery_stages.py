"""The recovery stages alone: events in, steps out."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from hardware.recovery_stages import (
    FIRST_PROBE_NS,
    FIRST_ROUND_NS,
    HEALTHY,
    LONGEST_PROBE_NS,
    LONGEST_ROUND_NS,
    MS,
    BusStages,
    RecoveryStage,
    Step,
)

BOTH = (Step.CLEAR, Step.POWER)


def test_a_dial_goes_from_a_miss_to_stale_and_is_healthy_when_it_answers() -> None:
    dial, stages = HEALTHY, [HEALTHY.stage]
    for _ in range(4):
        dial = dial.missed(hung=False)
        stages.append(dial.stage)
    assert stages == [
        RecoveryStage.HEALTHY,
        RecoveryStage.RETRIED,
        RecoveryStage.RETRIED,
        RecoveryStage.STALE,
        RecoveryStage.STALE,
    ]


def test_the_first_hang_resets_and_the_second_quarantines_the_dial() -> None:
    once = HEALTHY.missed(hung=True)
    assert (once.stage, once.missed(hung=True).stage) == (RecoveryStage.RESET, RecoveryStage.QUARANTINE)
    assert once.missed(hung=False).stage is RecoveryStage.RETRIED


def test_probes_come_ever_more_rarely_but_never_more_than_two_thirds_of_a_second_apart() -> None:
    stages, delays = BusStages(), []
    for _ in range(5):
        stages = stages.hung(0)
        delays.append(stages.next_probe_ns // MS)
    assert delays == [160, 320, 640, 640, 640]
    assert not stages.may_probe(639 * MS)
    assert stages.may_probe(640 * MS)
    assert stages.responded(5).may_probe(5)
    assert stages.answered(9).hung(10).next_probe_ns == 10 + FIRST_PROBE_NS


def test_expensive_probes_are_rarer() -> None:
    cheap, dear = BusStages(), BusStages()
    for _ in range(6):
        cheap, dear = cheap.hung(0, 25 * MS), dear.hung(0, 1_005 * MS)
    assert cheap.next_probe_ns == LONGEST_PROBE_NS
    assert dear.next_probe_ns == 10_050 * MS


def test_a_held_bus_goes_through_its_steps_and_is_then_given_up() -> None:
    stages, steps = BusStages(BOTH), []
    for n in range(6):
        step, stages = stages.hung(n).nothing_read(n)
        steps.append(step)
    assert steps == [Step.PROBE, Step.CLEAR, Step.POWER, Step.GIVE_UP, Step.PROBE, Step.PROBE]
    assert stages.given_up


def test_with_nothing_wired_it_is_given_up_at_once_and_reported_once() -> None:
    stages, steps = BusStages(), []
    for n in range(4):
        step, stages = stages.nothing_read(n * 10**12)
        steps.append(step)
    assert steps == [Step.PROBE, Step.GIVE_UP, Step.PROBE, Step.PROBE]


def test_a_given_up_bus_repeats_its_steps_ever_more_rarely() -> None:
    stages, rounds = BusStages((Step.POWER,)), []
    for now_ns in range(0, 300_000 * MS, 640 * MS):
        step, stages = stages.nothing_read(now_ns)
        if step is Step.POWER:
            rounds.append(now_ns)
    apart = [later - earlier for earlier, later in itertools.pairwise(rounds)]
    assert apart == sorted(apart)
    assert FIRST_ROUND_NS <= apart[0] < FIRST_ROUND_NS + 2 * LONGEST_PROBE_NS
    assert LONGEST_ROUND_NS <= apart[-1] < LONGEST_ROUND_NS + 2 * LONGEST_PROBE_NS


def test_a_bus_that_comes_and_goes_is_not_power_cycled_every_second() -> None:
    stages, powered = BusStages((Step.POWER,)), 0
    for second in range(60):
        for n in range(4):
            step, stages = stages.nothing_read((second * 1000 + n) * MS)
            powered += step is Step.POWER
        stages = stages.answered((second * 1000 + 900) * MS)
    assert powered <= 4


@given(
    st.lists(st.sampled_from(["hung", "let go", "answered", "nothing"]), max_size=60),
    st.sampled_from([(), (Step.CLEAR,), BOTH]),
)
def test_whatever_happens_the_next_probe_is_soon(what: list[str], can: tuple[Step, ...]) -> None:
    stages, now_ns = BusStages(can), 0
    for each in what:
        now_ns += 200 * MS
        if each == "hung":
            stages = stages.hung(now_ns)
        elif each == "let go":
            stages = stages.responded(now_ns)
        elif each == "answered":
            stages = stages.answered(now_ns)
        else:
            step, stages = stages.nothing_read(now_ns)
            assert step in (*can, Step.PROBE, Step.GIVE_UP)
        assert stages.next_probe_ns <= now_ns + LONGEST_PROBE_NS
        assert stages.steps_done <= len(can)
