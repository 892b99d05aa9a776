from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.clock import NEVER_NS
from hardware.sims.hand import COUNTS_PER_DEGREE, SimHand, SimMagnet
from hardware.sims.motion import KEPT_MOVES, DialMotion, Move

MS = 1_000_000
STEP = 4096 / 12


def path(hand: SimHand, from_ns: int, to_ns: int, step_ns: int = MS // 4) -> list[float]:
    return [hand.angle_counts(t_ns) for t_ns in range(from_ns, to_ns, step_ns)]


def test_counter_clockwise_grows_and_the_dial_ends_in_a_detent() -> None:
    hand = SimHand(1)
    done_ns = hand.turn(5 * MS, 3)
    assert hand.angle_counts(5 * MS) == 0
    assert hand.angle_counts(done_ns) == 3 * STEP
    assert hand.position == 3
    back_ns = hand.turn(done_ns, -5)
    assert hand.angle_counts(back_ns) == -2 * STEP
    assert hand.position == 10


def test_a_click_snaps_in_15_to_40_ms_overshoots_2_to_6_degrees_and_rings_down() -> None:
    for seed in range(20):
        hand = SimHand(seed)
        done_ns = hand.turn(0, 1)
        (move,) = hand.motion.moves
        assert 15 * MS <= move.end_ns <= 40 * MS
        overshoot = max(path(hand, 0, done_ns)) - STEP
        assert 2 * COUNTS_PER_DEGREE * 0.98 <= overshoot <= 6 * COUNTS_PER_DEGREE
        ringing = path(hand, move.end_ns, done_ns)
        assert min(ringing) < STEP < max(ringing)
        assert abs(hand.angle_counts(done_ns - 1) - STEP) < 0.1
        assert done_ns - move.end_ns < 100 * MS


def test_clockwise_overshoots_the_other_way() -> None:
    hand = SimHand(3)
    done_ns = hand.turn(0, -1)
    assert min(path(hand, 0, done_ns)) < -STEP - 2 * COUNTS_PER_DEGREE * 0.98


def test_a_coin_pauses_between_clicks() -> None:
    hand = SimHand(5)
    hand.turn(0, 12)
    starts = [move.start_ns for move in hand.motion.moves]
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert len(gaps) == 11
    assert all(150 * MS <= gap <= 600 * MS for gap in gaps)
    assert len(set(gaps)) == 11


def test_gaps_may_be_given() -> None:
    hand = SimHand(5)
    hand.turn(0, 3, [100.0, 50.0])
    assert [move.start_ns for move in hand.motion.moves] == [0, 100 * MS, 150 * MS]
    hand.turn(10_000 * MS, -3, 5)
    assert [move.start_ns for move in hand.motion.moves][3:] == [10_000 * MS, 10_005 * MS, 10_010 * MS]
    for gaps in ([1.0], [1.0, 0.0], 0):
        with pytest.raises(ValueError, match=r"^2 gaps above 0 ms are needed, not \["):
            hand.turn(0, 3, gaps)


def test_a_turn_that_comes_too_early_waits_for_the_last_click() -> None:
    hand = SimHand(7)
    hand.turn(0, 1)
    hand.turn(1, 1)
    first, second = hand.motion.moves
    assert second.start_ns == first.end_ns
    assert hand.position == 2


def test_a_click_that_interrupts_the_ring_goes_on_from_where_the_dial_is() -> None:
    hand = SimHand(7)
    hand.turn(0, 1)
    start_ns = hand.motion.free_from_ns + 2_500_000  # the top of the first swing
    before = hand.angle_counts(start_ns - 1)
    hand.turn(start_ns, 1)
    assert hand.motion.moves[1].start_ns == start_ns
    assert before > STEP + COUNTS_PER_DEGREE
    assert hand.angle_counts(start_ns) == pytest.approx(before, abs=0.01)


def test_a_turn_of_no_clicks_moves_nothing() -> None:
    hand = SimHand(7)
    hand.turn(0, 0)
    assert hand.turn(3, 0) == 3
    assert hand.motion.moves == ()


def test_a_flick_runs_evenly_at_its_speed_and_rests_in_a_detent() -> None:
    hand = SimHand(9)
    done_ns = hand.flick(0, 24, 171)
    moves = hand.motion.moves
    assert len(moves) == 24
    assert moves[-1].end_ns == pytest.approx(24 / 171 * 1e9, rel=1e-6)
    assert hand.angle_counts(moves[-1].end_ns // 2) == pytest.approx(12 * STEP, abs=1)
    assert hand.angle_counts(done_ns) == 24 * STEP
    assert hand.position == 0


@pytest.mark.parametrize("speed", [0, -5, 171.1])
def test_no_hand_flicks_faster_than_a_bare_shaft(speed: float) -> None:
    with pytest.raises(ValueError, match=f"^a dial is flicked at up to 171 clicks/s, not {speed}$"):
        SimHand(1).flick(0, 1, speed)


def test_a_stop_between_two_detents_and_on_from_there_either_way() -> None:
    for direction, position in ((1, 3), (-1, 2)):
        hand = SimHand(2, position=2)
        between_ns = hand.stop_between(0, 0.5)
        assert hand.position is None
        assert hand.angle_counts(between_ns + 10_000 * MS) == 2.5 * STEP
        done_ns = hand.turn(20_000 * MS, direction)
        assert hand.position == position
        assert hand.angle_counts(done_ns) == position * STEP
    with pytest.raises(ValueError, match=r"^between two detents is a part of a click, not 1$"):
        SimHand(2).stop_between(0, 1)


def test_a_dial_has_two_detents_at_least() -> None:
    with pytest.raises(ValueError, match=r"^a dial has at least 2 detents, not 1$"):
        SimHand(1, clicks=1)


def test_same_seed_same_hand_other_seed_other_hand() -> None:
    def played(seed: int) -> list[float]:
        hand = SimHand(seed)
        hand.turn(0, 4)
        hand.flick(5_000 * MS, -6, 60)
        return path(hand, 0, 6_000 * MS, 3 * MS)

    assert played(4) == played(4)
    assert played(4) != played(5)


orders = st.lists(
    st.tuples(st.sampled_from(["turn", "flick", "between"]), st.integers(-6, 6), st.integers(0, 900)),
    min_size=1,
    max_size=6,
)


def obey(hand: SimHand, plan: list[tuple[str, int, int]]) -> int:
    at_ns = 0
    for what, clicks, wait_ms in plan:
        at_ns += wait_ms * MS
        if what == "turn":
            hand.turn(at_ns, clicks)
        elif what == "flick":
            hand.flick(at_ns, clicks, 40)
        else:
            hand.stop_between(at_ns, 0.4 if clicks >= 0 else -0.4)
    return max(at_ns, hand.at_rest_from_ns)


@settings(max_examples=40, deadline=None)
@given(orders)
def test_no_dial_jumps(plan: list[tuple[str, int, int]]) -> None:
    """However turns overlap, the angle is continuous: 0.1 ms never moves it by a third of a click."""
    hand = SimHand(11)
    end_ns = obey(hand, plan)
    angles = path(hand, 0, end_ns + MS, MS // 10)
    assert max(abs(b - a) for a, b in itertools.pairwise(angles)) < STEP / 20


@settings(max_examples=40, deadline=None)
@given(orders, st.lists(st.integers(0, 4_000), max_size=30))
def test_look_ups_in_any_order_give_the_same_angles(plan: list[tuple[str, int, int]], times_ms: list[int]) -> None:
    hand, other = SimHand(11), SimHand(11)
    obey(hand, plan)
    obey(other, plan)
    expected = {t_ms: hand.angle_counts(t_ms * MS) for t_ms in sorted(times_ms)}
    assert all(other.angle_counts(t_ms * MS) == expected[t_ms] for t_ms in times_ms)


def test_moves_follow_each_other() -> None:
    motion = DialMotion()
    motion.add(Move(10, 20, 0.0, 5.0))
    with pytest.raises(ValueError, match=r"^a move from 19 to 30 ns cannot follow one that ends at 20 ns$"):
        motion.add(Move(19, 30, 5.0, 6.0))


def test_a_cached_rest_ends_when_a_move_is_added() -> None:
    hand = SimHand(1)
    assert hand.angle_counts(900 * MS) == 0
    hand.turn(500 * MS, 1)
    assert hand.angle_counts(900 * MS) == STEP


def test_days_of_turning_use_bounded_memory_and_the_past_is_refused() -> None:
    hand = SimHand(1)
    for turn in range(3 * KEPT_MOVES):
        hand.angle_counts(hand.turn(turn * 200 * MS, 1 if turn % 2 else -1))
    assert len(hand.motion.moves) < 2 * KEPT_MOVES + 2
    with pytest.raises(ValueError, match=r"^the movement at 0 ns is no longer kept$"):
        hand.angle_counts(0)


def test_a_turn_of_many_clicks_drops_no_future_move() -> None:
    """Found by the soak: the hand looked up the end of a planned click, and dropped the moves before it."""
    hand = SimHand(1)
    hand.turn(0, 5 * KEPT_MOVES, 50.0)
    assert len(hand.motion.moves) == 5 * KEPT_MOVES
    assert hand.angle_counts(45 * MS) == pytest.approx(STEP, abs=STEP / 4)


def test_noise_has_the_drawn_spread_and_no_drift() -> None:
    for seed in range(5):
        magnet = SimMagnet(lambda _: 100.0, seed, eccentricity_deg=0)
        assert 0.03 * COUNTS_PER_DEGREE <= magnet.noise_sd_counts <= 0.07 * COUNTS_PER_DEGREE
        seen = [magnet(t_ns) - 100 for t_ns in range(0, 4_000 * 499_000, 499_000)]
        assert statistics.stdev(seen) == pytest.approx(magnet.noise_sd_counts, rel=0.1)
        assert abs(statistics.mean(seen)) < 0.1 * magnet.noise_sd_counts
        neighbours = statistics.correlation(seen[:-1], seen[1:])
        assert abs(neighbours) < 0.1


def test_eccentricity_is_one_sine_a_turn_of_1_to_4_degrees() -> None:
    for seed in range(5):
        magnet = SimMagnet(float, seed, noise_sd_deg=0)  # an angle in counts that is the time in ns
        off = [magnet(angle) - angle for angle in range(0, 4096, 8)]
        height = max(map(abs, off))
        assert 1 * COUNTS_PER_DEGREE * 0.99 <= height <= 4 * COUNTS_PER_DEGREE
        assert sum(off) == pytest.approx(0, abs=1e-6)
        assert off[0] == pytest.approx(-off[256], abs=1e-6)


def test_noise_depends_on_seed_and_time_only() -> None:
    times = [random.Random(1).randrange(10**12) for _ in range(100)]
    first, again, other = (SimMagnet(lambda _: 0.0, seed) for seed in (1, 1, 2))
    forward = [first(t_ns) for t_ns in times]
    backward = [again(t_ns) for t_ns in reversed(times)]
    assert forward == backward[::-1]
    assert forward != [other(t_ns) for t_ns in times]
    assert not any(math.isnan(angle) for angle in forward)


@given(st.integers(0, 99), st.integers(1, 5), st.lists(st.integers(0, 3_000), min_size=1, max_size=20))
def test_a_hand_says_how_long_it_rests(seed: int, clicks: int, looks_ms: list[int]) -> None:
    hand = SimHand(seed)
    hand.turn(0, clicks)
    for now_ns in sorted(each * 1_000_000 for each in looks_ms):
        until_ns = hand.motion.still_until_ns(now_ns)
        rests = [hand.motion.angle_counts(at_ns) for at_ns in (now_ns, (now_ns + min(until_ns, 10**10)) // 2)]
        assert until_ns >= now_ns
        assert rests[0] == rests[1]
    assert hand.motion.still_until_ns(hand.at_rest_from_ns) == NEVER_NS
