"""The ladder alone: what happened, and what comes next."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from hardware.recovery_stages import (
    FIRST_CLIMB_NS,
    FIRST_PROBE_NS,
    LONGEST_CLIMB_NS,
    LONGEST_PROBE_NS,
    MS,
    SOUND,
    BusLadder,
    Rung,
    Step,
)

BOTH = (Step.CLEAR, Step.POWER)


def test_a_dial_climbs_from_a_miss_to_stale_and_falls_back_when_it_answers() -> None:
    dial, rungs = SOUND, [SOUND.rung]
    for _ in range(4):
        dial = dial.missed(hung=False)
        rungs.append(dial.rung)
    assert rungs == [Rung.SOUND, Rung.ASKED_AGAIN, Rung.ASKED_AGAIN, Rung.STALE, Rung.STALE]


def test_the_first_hang_is_forgiven_and_the_second_sets_the_dial_aside() -> None:
    once = SOUND.missed(hung=True)
    assert (once.rung, once.missed(hung=True).rung) == (Rung.RESET, Rung.QUARANTINE)
    assert once.missed(hung=False).rung is Rung.ASKED_AGAIN


def test_probes_come_ever_more_rarely_but_never_more_than_two_thirds_of_a_second_apart() -> None:
    ladder, delays = BusLadder(), []
    for _ in range(5):
        ladder = ladder.hung(0)
        delays.append(ladder.next_probe_ns // MS)
    assert delays == [160, 320, 640, 640, 640]
    assert not ladder.may_probe(639 * MS)
    assert ladder.may_probe(640 * MS)
    assert ladder.let_go(5).may_probe(5)
    assert ladder.answered(9).hung(10).next_probe_ns == 10 + FIRST_PROBE_NS


def test_the_dearer_a_probe_the_rarer_it_is() -> None:
    cheap, dear = BusLadder(), BusLadder()
    for _ in range(6):
        cheap, dear = cheap.hung(0, 25 * MS), dear.hung(0, 1_005 * MS)
    assert cheap.next_probe_ns == LONGEST_PROBE_NS
    assert dear.next_probe_ns == 10_050 * MS


def test_a_held_bus_is_climbed_step_by_step_and_then_given_up() -> None:
    ladder, steps = BusLadder(BOTH), []
    for n in range(6):
        step, ladder = ladder.hung(n).nothing_read(n)
        steps.append(step)
    assert steps == [Step.PROBE, Step.CLEAR, Step.POWER, Step.GIVE_UP, Step.PROBE, Step.PROBE]
    assert ladder.given_up


def test_with_nothing_wired_it_is_given_up_at_once_and_said_once() -> None:
    ladder, steps = BusLadder(), []
    for n in range(4):
        step, ladder = ladder.nothing_read(n * 10**12)
        steps.append(step)
    assert steps == [Step.PROBE, Step.GIVE_UP, Step.PROBE, Step.PROBE]


def test_a_given_up_bus_is_climbed_again_ever_more_rarely() -> None:
    ladder, climbs = BusLadder((Step.POWER,)), []
    for now_ns in range(0, 300_000 * MS, 640 * MS):
        step, ladder = ladder.nothing_read(now_ns)
        if step is Step.POWER:
            climbs.append(now_ns)
    apart = [later - earlier for earlier, later in itertools.pairwise(climbs)]
    assert apart == sorted(apart)
    assert FIRST_CLIMB_NS <= apart[0] < FIRST_CLIMB_NS + 2 * LONGEST_PROBE_NS
    assert LONGEST_CLIMB_NS <= apart[-1] < LONGEST_CLIMB_NS + 2 * LONGEST_PROBE_NS


def test_a_bus_that_comes_and_goes_is_not_power_cycled_every_second() -> None:
    ladder, powered = BusLadder((Step.POWER,)), 0
    for second in range(60):
        for n in range(4):
            step, ladder = ladder.nothing_read((second * 1000 + n) * MS)
            powered += step is Step.POWER
        ladder = ladder.answered((second * 1000 + 900) * MS)
    assert powered <= 4


@given(
    st.lists(st.sampled_from(["hung", "let go", "answered", "nothing"]), max_size=60),
    st.sampled_from([(), (Step.CLEAR,), BOTH]),
)
def test_whatever_happens_the_next_probe_is_never_far(what: list[str], can: tuple[Step, ...]) -> None:
    ladder, now_ns = BusLadder(can), 0
    for each in what:
        now_ns += 200 * MS
        if each == "hung":
            ladder = ladder.hung(now_ns)
        elif each == "let go":
            ladder = ladder.let_go(now_ns)
        elif each == "answered":
            ladder = ladder.answered(now_ns)
        else:
            step, ladder = ladder.nothing_read(now_ns)
            assert step in (*can, Step.PROBE, Step.GIVE_UP)
        assert ladder.next_probe_ns <= now_ns + LONGEST_PROBE_NS
        assert ladder.climbed <= len(can)
