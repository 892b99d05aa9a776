"""Every kind of hand keeps the contract of `SimHand`: its goal, continuity and repeatability."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.sims.clock import NEVER_NS
from hardware.sims.detent import SAMPLE_S
from hardware.sims.hand import COUNTS_PER_DEGREE, HANDS, SimHand
from hardware.sims.hand_kinds import cam
from hardware.sims.motion import KEPT_MOVES
from hardware.sims.trajectories import VARIANTS, AngleTable, Trajectory, TurnRequest, angle_table
from tests.everyday import first

MS = 1_000_000
STEP = 4096 / 12
KINDS = sorted(HANDS)
PHYSICAL = sorted(kind for kind in HANDS if HANDS[kind].dial is not None)
MOST_BESIDE = math.degrees(cam(12).most_beside) * COUNTS_PER_DEGREE

orders = st.lists(
    st.tuples(
        st.sampled_from(["turn", "coin", "gaps", "flick", "between"]),
        st.integers(-7, 7).filter(bool),
        st.sampled_from([5, 20, 60, 119, 121, 300]),
        st.sampled_from([0, 1, 30, 700]),
    ),
    min_size=1,
    max_size=5,
)


def obey(hand: SimHand, plan: list[tuple[str, int, int, int]]) -> int:
    """Begin each turn some ms before or after the dial rests; return when the last one has ended."""
    end_ns = 0
    for what, clicks, gap_ms, later_ms in plan:
        at_ns = max(0, end_ns + (later_ms - 20) * MS)
        if what == "turn":
            end_ns = hand.turn(at_ns, clicks, float(gap_ms))
        elif what == "coin":
            end_ns = hand.turn(at_ns, clicks)
        elif what == "gaps":
            end_ns = hand.turn(at_ns, clicks, [float(gap_ms + 7 * place) for place in range(abs(clicks))])
        elif what == "flick":
            end_ns = hand.flick(at_ns, clicks, 1000 / max(6, gap_ms))
        else:
            end_ns = hand.stop_between(at_ns, clicks / 8)
    return end_ns


def goal(plan: list[tuple[str, int, int, int]]) -> float:
    """The final position, in clicks."""
    at = 0.0
    for what, clicks, *_ in plan:
        if what == "between":
            at += clicks / 8
        else:
            at = float((math.floor(at) if clicks > 0 else math.ceil(at)) + clicks)
    return at


@pytest.mark.slow
@given(st.sampled_from(PHYSICAL), orders, st.integers(0, 30))
def test_every_turn_ends_at_its_goal_and_is_continuous(
    kind: str, plan: list[tuple[str, int, int, int]], seed: int
) -> None:
    hand = SimHand(seed, kind=kind)
    end_ns = obey(hand, plan)
    angles = [hand.angle_counts(t_ns) for t_ns in range(0, end_ns + MS, MS // 4)]
    assert max(abs(b - a) for a, b in itertools.pairwise(angles)) < STEP / 6
    beside = abs(hand.angle_counts(end_ns) - goal(plan) * STEP)
    if goal(plan).is_integer():
        assert hand.position == goal(plan) % 12
        assert beside <= MOST_BESIDE + 0.01
    else:
        assert hand.position is None
        assert beside == 0
    assert hand.at_rest_from_ns <= end_ns
    assert all(hand.angle_counts(end_ns + later) == hand.angle_counts(end_ns) for later in (1, MS, 10**12))


@pytest.mark.parametrize("kind", first(3, KINDS))
def test_same_seed_and_turns_same_movement(kind: str) -> None:
    plan = [("coin", 3, 60, 0), ("turn", -6, 20, 30), ("between", 3, 5, 1), ("flick", 4, 20, 700)]
    first, again, other = SimHand(3, kind=kind), SimHand(3, kind=kind), SimHand(4, kind=kind)
    ends = {obey(first, plan), obey(again, plan)}
    assert len(ends) == 1
    assert obey(other, plan) not in ends
    times = range(0, ends.pop(), 3 * MS)
    assert [first.angle_counts(t_ns) for t_ns in times] == [again.angle_counts(t_ns) for t_ns in times]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_last_click_is_when_the_dial_passes_the_top_of_the_last_lobe(kind: str) -> None:
    hand = SimHand(5, kind=kind)
    assert hand.last_click_ns == -NEVER_NS
    for start_ns, clicks in ((0, 1), (10_000 * MS, -1), (20_000 * MS, 4)):
        before = hand.angle_counts(start_ns)
        end_ns = hand.turn(start_ns, clicks, 80.0)
        assert start_ns < hand.last_click_ns < end_ns
        direction = 1 if clicks > 0 else -1
        top = (round(before / STEP) + clicks - direction / 2) * STEP
        assert hand.angle_counts(hand.last_click_ns) == pytest.approx(top, abs=STEP / 12)
        assert (hand.angle_counts(hand.last_click_ns - MS) - top) * direction < 0
        after = [hand.angle_counts(hand.last_click_ns + later * MS) for later in range(1, 100)]
        assert all((angle - top) * direction > 0 for angle in after)


@pytest.mark.parametrize("kind", KINDS)
def test_a_click_back_to_where_the_dial_came_from_is_no_click(kind: str) -> None:
    hand = SimHand(1, kind=kind)
    up_ns = hand.turn(0, 1)
    clicked_ns = hand.last_click_ns
    held_ns = hand.stop_between(up_ns + 100 * MS, 0.3)
    assert hand.last_click_ns == clicked_ns
    hand.turn(held_ns + 100 * MS, -1)
    assert (hand.position, hand.last_click_ns) == (1, clicked_ns)
    over_ns = hand.stop_between(hand.at_rest_from_ns, 0.7)
    assert clicked_ns < hand.last_click_ns < over_ns


@pytest.mark.slow
@pytest.mark.parametrize("kind", PHYSICAL)
@pytest.mark.parametrize("clicks", [2, 6, 24, 30])
def test_dials_of_every_number_of_clicks(kind: str, clicks: int) -> None:
    hand = SimHand(2, clicks, 1, kind)
    end_ns = hand.flick(hand.turn(0, -3), 5, 25)
    assert hand.position == 3 % clicks
    pitch = 4096 / clicks
    beside = cam(clicks).most_beside / cam(clicks).pitch
    assert abs(hand.angle_counts(end_ns) - 3 * pitch) <= beside * pitch + 0.01


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"^there is no hand 'sticky'; the kinds are formula, crisp, greased, "):
        SimHand(1, kind="sticky")


def snap_ms(kind: str, clicks: int = 12) -> tuple[float, ...]:
    """How long each variant of a kind takes for the middle 80 % of one click, in ms, shortest first."""
    return tuple(
        sorted(
            _snap_ms(angle_table(TurnRequest(kind, clicks, 1, direction), variant))
            for direction in (1, -1)
            for variant in range(VARIANTS)
        )
    )


def _snap_ms(kept: AngleTable) -> float:
    start, travel = kept.counts[0], kept.counts[-1] - kept.counts[0]
    return 1e3 * (_passes_s(kept.counts, start + 0.9 * travel) - _passes_s(kept.counts, start + 0.1 * travel))


def _passes_s(counts: Sequence[float], wanted: float) -> float:
    """When a path first reaches an angle, between its samples."""
    place = next(place for place, here in enumerate(counts) if here >= wanted)
    return (place - (counts[place] - wanted) / (counts[place] - counts[place - 1])) * SAMPLE_S


@pytest.mark.slow
def test_snaps_reach_from_a_few_ms_to_more_than_sixty() -> None:
    every = {kind: snap_ms(kind) for kind in PHYSICAL}
    assert min(min(snaps) for snaps in every.values()) <= 4
    assert max(max(snaps) for snaps in every.values()) >= 60
    assert all(list(snaps) == sorted(snaps) for snaps in every.values())


@pytest.mark.parametrize("kind", PHYSICAL)
def test_a_flick_runs_at_its_speed_however_many_clicks(kind: str) -> None:
    for speed, clicks in ((171, 24), (171, -9), (40, 12), (25, 5)):
        hand = SimHand(9, kind=kind)
        hand.flick(0, clicks, speed)
        (move,) = hand.motion.moves
        assert isinstance(move, Trajectory)
        assert len(move.tops_ns) == abs(clicks)
        gaps = [b - a for a, b in itertools.pairwise(move.tops_ns)]
        assert sum(gaps[1:]) / len(gaps[1:]) == pytest.approx(1e9 / speed, rel=0.1)
        steps = [abs(hand.angle_counts(top_ns) / STEP) % 1 for top_ns in move.tops_ns]
        assert steps == pytest.approx([0.5] * abs(clicks), abs=0.05)


@pytest.mark.parametrize("kind", PHYSICAL)
def test_a_sweep_of_many_clicks_keeps_its_gaps(kind: str) -> None:
    hand = SimHand(4, kind=kind)
    end_ns = hand.turn(0, 50, 50.0)
    assert hand.position == 2
    assert end_ns == pytest.approx(50 * 50 * MS, abs=400 * MS)
    assert len(hand.motion.moves) == 1


def test_a_left_hand_is_quicker_counter_clockwise_and_a_right_hand_clockwise() -> None:
    def usual_ms(kind: str, direction: int) -> float:
        lasts = [hand.turn(0, direction) for hand in (SimHand(seed, kind=kind) for seed in range(60))]
        return sorted(lasts)[30] / MS

    assert usual_ms("left-handed", 1) < usual_ms("left-handed", -1)
    assert usual_ms("coin", -1) < usual_ms("coin", 1)


def test_a_worn_dial_rests_beside_the_middle_and_the_next_click_begins_there() -> None:
    beside = []
    for seed in range(40):
        hand = SimHand(seed, kind="worn")
        end_ns = hand.turn(0, 1)
        beside.append((hand.angle_counts(end_ns) - STEP) / COUNTS_PER_DEGREE)
        hand.turn(end_ns + 500 * MS, 1)
        assert hand.angle_counts(end_ns + 500 * MS) == pytest.approx(hand.angle_counts(end_ns), abs=1e-6)
    assert max(map(abs, beside)) > 2.5
    assert min(beside) < -1 < 1 < max(beside)


def test_days_of_turning_use_bounded_memory() -> None:
    hand = SimHand(1, kind="coin")
    end_ns = 0
    for turn in range(3 * KEPT_MOVES):
        end_ns = hand.turn(end_ns + 300 * MS, 1 if turn % 2 else -1)
        hand.angle_counts(end_ns)
    assert len(hand.motion.moves) < 2 * KEPT_MOVES + 2


def test_a_turn_of_no_clicks_moves_nothing() -> None:
    hand = SimHand(7, kind="coin")
    assert (hand.turn(3, 0), hand.flick(4, 0, 50)) == (3, 4)
    assert hand.motion.moves == ()
