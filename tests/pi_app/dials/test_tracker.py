"""Angles to turns: every rule of the dial, and the promise that a turn is right or unknown."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.readings import Proof
from pi_app.dials.tracker import Between, DialShape, Seated, Tracker, Turn
from tests.pi_app.traces import MS, Look, brief, failed, fed, looked, rest, swung, turns_of

# ------------------------------------------------------------------------------------------ the shape


def test_the_default_dial() -> None:
    shape = DialShape()
    assert (shape.clicks, shape.counts_per_turn, shape.gap_limit_ms, shape.rest_ms) == (12, 4096, 35, 600)
    assert shape.seated == pytest.approx(90)
    assert shape.hysteresis == pytest.approx(34.13, abs=0.01)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"clicks": 1}, "a dial has 2 to 100 clicks, not 1"),
        ({"clicks": 12, "counts_per_turn": 360}, "360 counts are too coarse for 12 clicks"),
        ({"rest_ms": 0}, "rest_ms must be above 0, not 0"),
        ({"gap_limit_ms": -1}, "gap_limit_ms must be above 0, not -1"),
        ({"centres": (0, 100)}, "12 clicks need 12 centres, not 2"),
        (
            {"clicks": 2, "counts_per_turn": 4096, "centres": (5, 5)},
            "the centres do not go once round counter-clockwise (is `invert` right?)",
        ),
        (
            {"clicks": 4, "centres": (0, 3072, 2048, 1024)},
            "the centres do not go once round counter-clockwise (is `invert` right?)",
        ),
        ({"seated_counts": 0}, "hysteresis_counts and seated_counts must be above 0"),
        (
            {"seated_counts": 150},
            "seated_counts 150 and hysteresis_counts 34 do not fit between two detents 341 counts apart",
        ),
    ],
)
def test_a_shape_that_cannot_work_is_refused(shape: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011  # the whole sentence is compared below
        DialShape(**shape)  # type: ignore[arg-type]
    assert str(refusal.value) == words


# ------------------------------------------------------------------------------------------ single turns


def test_a_turn_in_all_its_parts() -> None:
    looks = [*rest(2), 2.4, 3.1, None, 4.2, *rest(5)]
    [turn] = turns_of(looks)
    assert turn == Turn(
        start_ns=1010 * MS,
        end_ns=1050 * MS,
        from_position=2,
        to_position=5,
        between=None,
        clicks=3,
        samples=4,
        failed=1,
        longest_gap_ns=20 * MS,
        start_raw=683,
        end_raw=1707,
        passed=3,
        left_ns=1000 * MS,
    )
    assert turn.path == "followed"


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([*rest(0), 1, 2, 3, *rest(4)], [(0, 4, 4)]),
        ([*rest(1), 0, -1, *rest(-2)], [(1, 10, -3)]),
        ([*rest(11), *swung(12)], [(11, 0, 1)]),
        ([*rest(0), *[k / 2 for k in range(24)], *rest(12)], [(0, 0, 12)]),
        ([*rest(5), *[5 - k / 3 for k in range(90)], *rest(-25)], [(5, 11, -30)]),
        ([*rest(0), *swung(1, 60), *swung(2)], [(0, 2, 2)]),
        ([*rest(0), *swung(1, 62), *swung(2)], [(0, 1, 1), (1, 2, 1)]),
        ([0, 0, *swung(3)], [(0, 3, 3)]),
    ],
    ids=["forward", "backward", "over the wrap", "whole turn", "two turns back", "a pause", "a rest", "short rest"],
)
def test_clicks_are_signed_and_whole_turns_count(looks: list[Look], expected: object) -> None:
    assert brief(turns_of(looks)) == expected


@pytest.mark.parametrize(
    "looks",
    [
        [*rest(0), 5, *rest(0), -1, *rest(0), 6, *rest(0), 0.8, *rest(0)],
        [7, *rest(0)],
        [0, 7, *rest(0)],
        [*rest(0), 4, 9, *rest(0)],
        [*rest(0), 4, 4, *rest(0)],
        [*rest(0), 0.3, 0.45, 0.6, 0.5, 0.3, *rest(0)],
        [*rest(0), 1, *rest(0)],
        [*rest(0), 0.3, 0.3, 1, 0.3, 0.3, *rest(0)],
        [*rest(3), 3.2, 3.2, (50, 3.2), 3.2, *rest(3)],
        [*rest(3), *failed(200), *rest(3)],
        [*rest(3), (5000, 3), *rest(3)],
        [*rest(0), 1, *failed(50), *rest(0)],
        rest(0),
        [*rest(3.5), *rest(3.4)],
        failed(50),
    ],
    ids=[
        "spikes",
        "first sample",
        "second sample",
        "two spikes",
        "spike and stale",
        "wiggle",
        "one sample elsewhere",
        "spike in a wiggle",
        "gap in the seat",
        "unplugged",
        "gap",
        "spike then gap",
        "nothing",
        "between",
        "never read",
    ],
)
def test_no_turn(looks: list[Look]) -> None:
    assert turns_of(looks) == []


def test_to_another_detent_and_back_is_a_turn_of_no_clicks() -> None:
    assert brief(turns_of([*rest(4), 4.4, 5, 5, 4.6, *rest(4)])) == [(4, 4, 0)]


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([6, 6, *rest(4)], [(4, 4, None)]),
        ([6, 6, 7.5, 7.5, *rest(4)], [(4, 4, None)]),
        ([*rest(6, 20), *rest(4, 20), *rest(6, 250)], [(4, 6, None)]),
        ([*rest(6, 40), 4, *rest(6, 40), 4, *rest(6, 250)], [(4, 6, None)]),
        (rest(6, 239), []),
        (rest(6, 242), [(4, 6, None)]),
        ([*rest(6, 10), 6.06, *rest(6, 60)], [(4, 6, 2)]),
        ([*rest(6, 300), 6.5, *rest(7)], [(4, 6, None), (6, 7, 1)]),
        ([*rest(5, 3), *rest(4, 3), *rest(5, 3), *rest(4)], [(4, 4, None)]),
        ([*rest(5, 3), *rest(4, 3), *rest(5, 250)], [(4, 5, None)]),
        (rest(5.4, 239), []),
        (rest(5.4, 242), [(4, None, None)]),
    ],
    ids=[
        "there and back",
        "by three",
        "there, back, there",
        "single samples back",
        "not yet",
        "stays",
        "swings",
        "then",
        "back too soon",
        "back too soon, and there",
        "between, not yet",
        "between",
    ],
)
def test_two_unseen_clicks_at_once_are_an_unknown_path(looks: list[Look], expected: object) -> None:
    tracker = Tracker()
    turns = [turn for at_ns, raw in looked([*rest(4), *looks], DialShape()) if (turn := tracker.feed(at_ns, raw))]
    assert brief(turns) == expected


@pytest.mark.parametrize("clicks", [1, -1])
@pytest.mark.parametrize("every_ms", [1, 2.5, 4, 10, 20])
def test_one_unseen_click_is_a_turn_like_any_other(clicks: int, every_ms: float) -> None:
    there, looks = 4 + clicks, round(650 / every_ms)
    [turn] = turns_of([*rest(4, looks), *rest(there, looks)], every_ms=every_ms)
    assert (turn.from_position, turn.to_position, turn.clicks) == (4, there, clicks)
    assert (turn.path, turn.unseen, turn.cut) == ("followed", False, False)


def test_unseen_clicks_add_up() -> None:
    for last in (9, 10, 13):
        looks = [look for position in range(4, last + 1) for look in rest(position, 20)]
        tracker = Tracker()
        live(looks, tracker)
        live(rest(last, 25), tracker, from_ms=10 * len(looks))
        assert not tracker.unseen
        [turn] = live(rest(last), tracker, from_ms=10 * len(looks) + 250)
        assert (turn.clicks, turn.unseen) == (last - 4, False)


@pytest.mark.parametrize(("held_ms", "unseen"), [(290, True), (310, False)])
def test_an_unseen_click_is_accepted_after_three_tenths_of_a_second(held_ms: int, unseen: bool) -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(0), *rest(1, held_ms // 10)], tracker)
    assert (tracker.unseen, tracker.undecided, tracker.moving) == (unseen, unseen, unseen)
    turn = tracker.end_turn(1_000 * MS + held_ms * MS)
    assert (turn is None) is unseen


def test_there_and_back_by_single_clicks_is_accepted_if_slow_enough() -> None:
    assert brief(turns_of([*rest(4), *rest(5, 8), *rest(6, 8), *rest(5)])) == [(4, 5, 1)]
    assert brief(turns_of([*rest(4), 4.3, 4.6, 4.9, *rest(5, 8), *rest(4)])) == [(4, 4, 0)]


GOOD, ELSEWHERE = Proof(64, 2150), Proof(64, 900)


def proven(tracker: Tracker, looks: Sequence[Look], proof: Proof | None, from_ms: int) -> None:
    """The samples 10 ms apart from then on, each with the proof of a full read."""
    for at, (_, raw) in enumerate(looked(looks, tracker.shape)):
        tracker.feed((from_ms + at * 10) * MS, raw, proof)


@pytest.mark.parametrize(
    ("proof", "unseen"), [(GOOD, False), (None, True), (ELSEWHERE, True), (Proof(110, 2150), True)]
)
def test_a_chip_that_was_once_read_in_full_must_be_read_in_full_again(proof: Proof | None, unseen: bool) -> None:
    """Without a full read, or with another field than before, a jump is not accepted however long the dial stands."""
    tracker = Tracker()
    proven(tracker, rest(4), GOOD, from_ms=0)
    proven(tracker, rest(5, 200), proof, from_ms=1_000)
    assert tracker.unseen is unseen


def test_a_full_read_from_before_the_jump_proves_nothing() -> None:
    tracker = Tracker()
    proven(tracker, rest(4), GOOD, from_ms=0)
    proven(tracker, [4.5, *rest(5, 3)], GOOD, from_ms=1_000)
    proven(tracker, rest(6, 100), None, from_ms=1_040)
    assert tracker.unseen


def test_after_a_glitch_a_click_is_accepted_later() -> None:
    tracker = Tracker()
    live([*rest(4), *[5, 5, 4, 4] * 3, *rest(4, 100)], tracker)
    assert not tracker.turning
    live(rest(5, 110), tracker, from_ms=2_120)
    assert tracker.unseen
    live(rest(5, 30), tracker, from_ms=3_220)
    assert not tracker.unseen


def test_a_dial_that_jumped_back_and_forth_glitches_until_it_rests() -> None:
    tracker = Tracker()
    hops = [*rest(4), *[6, 6, 4, 4] * 3, *rest(4, 20)]
    feed(tracker, hops)
    assert tracker.glitching
    feed(tracker, rest(4), after=len(hops))
    assert not tracker.glitching


def test_after_an_implausible_jump_the_place_is_unknown_until_a_hand_is_seen() -> None:
    tracker = Tracker()
    [turn] = live([*rest(0), *rest(6, 300)], tracker)
    assert (turn.to_position, turn.path) == (6, "unknown")
    live(rest(6, 1000), tracker, from_ms=4_000)
    assert tracker.glitching
    live([6.4], tracker, from_ms=14_000)
    assert tracker.glitching, "one sample proves nothing"
    live([6.8, 7], tracker, from_ms=14_010)
    assert not tracker.glitching
    [turn] = live(rest(7), tracker, from_ms=14_030)
    assert (turn.from_position, turn.to_position, turn.clicks) == (6, 7, 1)


def test_no_hold_ends_two_clicks_at_once_before_they_rest_long() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(0), *rest(2, 230)], tracker)
    assert (tracker.unseen, tracker.moving) == (True, True)
    assert tracker.end_turn(3_300 * MS) is None
    live(rest(2, 30), tracker, from_ms=3_300)
    turn = tracker.end_turn(3_600 * MS)
    assert turn is not None
    assert (turn.to_position, turn.path) == (2, "unknown")


HALF_A_CLICK = 171 + 2 * 2
"""And the noise of both ends."""


@example(first=250, ways=[175], picks=[(0, 66), (1, 2)], every_ms=1, noise=[0, 0, 2, 0, 0, 0, 0], at_rest=0)
@given(
    first=st.integers(0, 4095),
    ways=st.lists(st.integers(HALF_A_CLICK, 1000), min_size=1, max_size=3),
    picks=st.lists(st.tuples(st.integers(0, 3), st.integers(2, 80)), max_size=20),
    every_ms=st.integers(1, 35),
    noise=st.lists(st.integers(-2, 2), min_size=7, max_size=7),
    at_rest=st.integers(0, 400),
)
def test_an_angle_that_only_jumps_is_never_a_click(
    first: int, ways: list[int], picks: list[tuple[int, int]], every_ms: int, noise: list[int], at_rest: int
) -> None:
    """However it jumps among up to four values, for two samples or up to 0.28 s: no clicks, no claim."""
    places = list(accumulate(ways, initial=first))
    looks, at = [places[0]] * (700 // every_ms), 0
    for pick, count in picks:
        step = 1 + pick % max(1, len(places) - 1)
        at = (at + step) % len(places)
        looks += [places[at]] * min(count, 280 // every_ms)
    looks += [places[0]] * at_rest
    tracker, now_ns = Tracker(), 0
    for number, raw in enumerate(looks):
        now_ns += every_ms * MS
        turn = tracker.feed(now_ns, (raw + noise[number % len(noise)]) % 4096)
        assert turn is None or turn.clicks is None
        assert tracker.unseen or not tracker.turning or number < 2


def feed(tracker: Tracker, looks: Sequence[Look], after: int = 0) -> None:
    """Feed samples after the first `after` ones, 10 ms apart; the end stays open."""
    for at, (_, raw) in enumerate(looked(looks, tracker.shape), start=after + 1):
        tracker.feed(at * 10 * MS, raw)


def test_resting_between_two_detents() -> None:
    turns = turns_of([*rest(3), *swung(3.5), *swung(4), *swung(2.4), *swung(3)])
    assert brief(turns) == [(3, None, 0), (None, 4, None), (4, None, -1), (None, 3, None)]
    assert [turn.between for turn in turns] == [(3, 4), None, (2, 3), None]
    assert [turn.passed for turn in turns] == [0, 1, -1, 0]
    assert [turn.clicks_range for turn in turns] == [None, (0, 1), None, (0, 1)]
    assert {turn.path for turn in turns} == {"followed"}


def test_between_the_last_detent_and_the_first_is_named_counter_clockwise() -> None:
    [turn] = turns_of([*rest(0), *rest(-0.5)])
    assert (turn.to_position, turn.between) == (None, (11, 0))


@pytest.mark.parametrize(("to", "most"), [(5, (1, 2)), (4, (0, 1)), (2, (-2, -1)), (3, (-1, 0)), (15.5, (11, 12))])
def test_from_between_two_detents_the_clicks_are_a_range(to: float, most: tuple[int, int]) -> None:
    for before in ([], rest(3), rest(4), [*rest(0), *failed(50)]):
        way = [3.5 + (to - 3.5) * k / 60 for k in range(60)]
        turn = turns_of([*before, *swung(3.5), *way, *rest(to)])[-1]
        assert (turn.clicks, turn.clicks_range, turn.path) == (None, most, "followed")


def test_a_turn_that_paused_between_two_detents_under_a_claim_has_all_its_clicks() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(3), 4, 5, *rest(5.5), *swung(6)], tracker)
    turn = tracker.end_turn(4_000 * MS)
    assert turn is not None
    assert (turn.clicks, turn.passed, turn.clicks_range) == (3, 3, None)


def test_joined_from_between_the_range_moves_on() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(3.5), *swung(4), 4.5, *swung(5), 5.5, 6.5, *swung(7)], tracker)
    turn = tracker.end_turn(6_000 * MS)
    assert turn is not None
    assert (turn.clicks, turn.clicks_range) == (None, (3, 4))


def test_a_noisy_rest_is_a_rest() -> None:
    noisy: list[Look] = [3, 3.12, 2.88, 3] * 30
    [turn] = turns_of([*rest(0), *noisy])
    assert (turn.to_position, turn.clicks, turn.cut) == (3, 3, False)


def test_overshoot_and_ringing_are_not_clicks() -> None:
    ring: list[Look] = [4.2, 4.15, 3.85, 3.9, 4.08, 4.05, 3.97]
    [turn] = turns_of([*rest(3), 3.5, *ring, *rest(4)])
    assert turn.clicks == 1


def test_creeping_is_one_turn() -> None:
    assert brief(turns_of([*rest(0), *[k / 500 for k in range(1000)], *rest(2)])) == [(0, 2, 2)]
    assert brief(turns_of([*rest(0), *[k / 1500 for k in range(1500)], *rest(1)])) == [(0, 1, 1)]


# ------------------------------------------------------------------------------------------ doubt


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([*rest(0), (34, 3.94), *rest(4)], [(0, 4, 4)]),
        ([*rest(0), (35, 3.94), *rest(4)], [(0, 4, 4)]),
        ([*rest(0), (36, 1), *rest(1)], [(0, 1, None)]),
        ([*rest(0), *swung(3)], [(0, 3, 3)]),
        ([*rest(0), *swung(4)], [(0, 4, None)]),
        ([*rest(0), *swung(5)], [(0, 5, None)]),
        ([*rest(0), *swung(6)], [(0, 6, None)]),
        ([*rest(0), *swung(7)], [(0, 7, None)]),
        ([*rest(0), *swung(8)], [(0, 8, None)]),
        ([*rest(0), 1, (40, 1), 2, *rest(3)], [(0, 3, None)]),
        ([*rest(0), 1, 2, (40, 3), *rest(3, 10), (36, 3), *rest(3)], [(0, 3, None)]),
        ([*rest(3), 4, 4, *failed(100), *rest(3)], [(3, 3, None)]),
        ([*rest(3), *failed(100), *rest(5)], [(3, 5, None)]),
        ([*rest(7), *failed(4), 1.2, 10.9, 8.3, *rest(7)], [(7, 7, None)]),
        ([*rest(0), 1, 2, 8, 3, *rest(4)], [(0, 4, 4)]),
        ([*rest(0), (20, 1), (20, 7), (20, 3), *rest(4)], [(0, 4, None)]),
        ([*rest(0), 4, 8, *rest(11)], [(0, 11, None)]),
        ([*rest(0), 0.5, (17, 7), (17, 1), *rest(1)], [(0, 1, 1)]),
        ([*rest(0), 0.5, (18, 7), (18, 1), *rest(1)], [(0, 1, None)]),
        ([*rest(0), *failed(20), *rest(0, 10), 1, *rest(2)], [(0, 2, None)]),
        ([*rest(0), *failed(20), *rest(0, 70), 1, *rest(2)], [(0, 2, 2)]),
    ],
    ids=[
        "34 ms",
        "35 ms",
        "36 ms",
        "3",
        "4 is faster than any hand",
        "5",
        "6",
        "7",
        "8 or 4 back is faster than any hand",
        "gap in the turn",
        "gap before the rest",
        "gap and back",
        "unplugged",
        "gap, spike and back",
        "spike on the way",
        "a spike makes a gap",
        "too fast",
        "34 ms round a spike",
        "36 ms round a spike",
        "turned unseen",
        "rested again",
    ],
)
def test_the_gap_limit_and_the_half_turn(looks: list[Look], expected: object) -> None:
    assert brief(turns_of(looks)) == expected


@pytest.mark.parametrize(("every_ms", "step", "count"), [(10, 3, 21), (10, 3.4, 20), (15, 4.5, 20)])
def test_faster_than_the_scan_is_unknown_and_never_a_guess(every_ms: int, step: float, count: int) -> None:
    """At 300 clicks/s and a sample every 10 ms, nine clicks forward look like two spikes and three clicks back."""
    looks: list[Look] = [*rest(0), *[(every_ms, step * k) for k in range(count)], *rest(step * count)]
    [turn] = turns_of(looks)
    assert (turn.from_position, turn.to_position, turn.path) == (0, step * count % 12, "unknown")


def test_too_fast_but_seen_often_enough_is_followed() -> None:
    looks: list[Look] = [*rest(0), *[(1.0, k) for k in range(14)], *rest(14)]
    assert brief(turns_of(looks)) == [(0, 2, 14)]


def test_a_trace_that_begins_in_movement_has_an_unknown_first_turn() -> None:
    [turn] = turns_of([0.3, 1.5, 2.7, 4, *rest(5)])
    assert (turn.start_ns, turn.from_position, turn.to_position, turn.path) == (10 * MS, None, 5, "unknown")


def test_the_last_turn_may_be_cut_off() -> None:
    [moving] = turns_of([*rest(0), 1, 2, 3, 4.5])
    assert (moving.from_position, moving.to_position, moving.between, moving.cut) == (0, None, (4, 5), True)
    [standing] = turns_of([*rest(0), 1, 2, *rest(3, 5)])
    assert (standing.to_position, standing.clicks, standing.cut) == (3, 3, True)
    [jumped] = turns_of([*rest(0), 6, 6])
    assert (jumped.to_position, jumped.path, jumped.cut) == (None, "unknown", True)


def test_a_single_last_sample_elsewhere_is_not_a_turn() -> None:
    assert turns_of([*rest(0), 1]) == []


# ------------------------------------------------------------------------------------------ other dials


@pytest.mark.parametrize("clicks", [2, 5, 8, 12, 16, 24])
@pytest.mark.parametrize("invert", [False, True])
def test_other_dials_and_directions(clicks: int, invert: bool) -> None:
    shape = DialShape(clicks=clicks, invert=invert)
    looks: list[Look] = [*rest(1), *[1 + k / 4 for k in range(9)], *rest(3)]
    assert brief(turns_of(looks, shape)) == [(1, 3 % clicks, 2)]


def test_calibrated_centres() -> None:
    """Detents 20 counts off, the first one beyond the wrap, on a sensor that counts the other way."""
    centres = tuple((4090 - k * 4096 / 12 + (20 if k % 2 else -20)) % 4096 for k in range(12))
    shape = DialShape(centres=centres, invert=True)
    samples: list[tuple[int, int | None]] = []
    for position in (0, 1, 2, 5):
        swing = [20, *[0] * 99]
        samples += [
            ((len(samples) + k) * 10 * MS, round(centres[position] + off) % 4096) for k, off in enumerate(swing)
        ]
    assert brief(fed(Tracker(shape), samples)) == [(0, 1, 1), (1, 2, 1), (2, 5, 3)]


def test_start_and_end_are_the_chips_own_angles() -> None:
    [turn] = turns_of([*rest(0), *rest(1)], DialShape(invert=True))
    assert (turn.start_raw, turn.end_raw) == (0, 4096 - 341)


# ------------------------------------------------------------------------------------------ live


def live(looks: list[Look], tracker: Tracker, from_ms: float = 0) -> list[Turn]:
    samples = [(at_ns + round(from_ms * MS), raw) for at_ns, raw in looked(looks, tracker.shape)]
    return [turn for at_ns, raw in samples if (turn := tracker.feed(at_ns, raw)) is not None]


def test_under_a_claim_only_the_hold_ends_a_turn() -> None:
    tracker = Tracker(ends_at_rest=False)
    assert live([*rest(0), *swung(1), *swung(2), *failed(9), *rest(2), *swung(4)], tracker) == []
    assert tracker.turning
    turn = tracker.end_turn(10_000 * MS)
    assert turn is not None
    assert (turn.from_position, turn.to_position, turn.clicks, turn.start_ns) == (0, 4, 4, 1010 * MS)
    assert not tracker.turning
    assert tracker.end_turn(10_001 * MS) is None


def test_there_and_back_with_rests_under_a_claim_is_one_turn_of_no_clicks() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(0), *swung(1), *swung(0)], tracker)
    turn = tracker.end_turn(9_000 * MS)
    assert turn is not None
    assert (turn.from_position, turn.to_position, turn.clicks) == (0, 0, 0)


def test_a_hold_ends_a_turn_at_once_but_not_while_the_dial_moves() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(0), 1, 2, 3], tracker)
    assert tracker.end_turn(1_030 * MS) is None
    assert tracker.moving
    live([3, 3], tracker, from_ms=1_030)
    turn = tracker.end_turn(1_060 * MS)
    assert turn is not None
    assert (turn.clicks, turn.to_position, turn.cut) == (3, 3, False)


def test_switched_on_again_a_kept_turn_comes_with_the_next_sample_at_rest() -> None:
    tracker = Tracker(ends_at_rest=False)
    assert live([*rest(0), *swung(2)], tracker) == []
    tracker.ends_at_rest = True
    [turn] = live([2], tracker, from_ms=2_000)
    assert turn.clicks == 2


def test_one_doubtful_part_makes_the_whole_claim_unknown() -> None:
    tracker = Tracker(ends_at_rest=False)
    live([*rest(0), *swung(1), *failed(9), *rest(3)], tracker)
    turn = tracker.end_turn(9_000 * MS)
    assert turn is not None
    assert (turn.path, turn.to_position) == ("unknown", 3)


def test_the_state_as_the_dial_goes() -> None:
    tracker = Tracker()

    def state() -> tuple[object, ...]:
        return tracker.stand, tracker.moving, tracker.turning

    assert state() == (None, False, False)
    live([0], tracker)
    assert state() == (None, True, False)
    live([0], tracker, from_ms=10)
    assert state() == (Seated(0), False, False)
    live([0.5, 0.9], tracker, from_ms=20)
    assert state() == (Between(0, 1), True, True)
    live([1.0, 1.0], tracker, from_ms=40)
    assert state() == (Seated(1), False, True)
    live(failed(2), tracker, from_ms=60)
    assert state() == (Seated(1), False, True)
    live(failed(2), tracker, from_ms=80)
    assert state() == (None, False, True)


def test_seated_needs_two_samples() -> None:
    tracker = Tracker()
    live([*rest(0, 10), 1.5, 2.0], tracker)
    before = tracker.stand
    live([2.0], tracker, from_ms=120)
    assert (before, tracker.stand) == (Between(1, 2), Seated(2))


def test_wrong_calls_raise() -> None:
    tracker = Tracker()
    tracker.feed(5, 0)
    with pytest.raises(ValueError, match=r"^time must grow: 5 ns after 5 ns$"):
        tracker.feed(5, 0)
    with pytest.raises(ValueError, match=r"^an angle is 0 to 4095, not 4096$"):
        tracker.feed(6, 4096)
    with pytest.raises(ValueError, match=r"^a turn cannot end at 4 ns, before the last sample at 5 ns$"):
        tracker.end_turn(4)


# ------------------------------------------------------------------------------------------ what always holds


@pytest.mark.parametrize(
    "looks",
    [
        [*rest(0, 486), (100, 0), *rest(0, 26), 1, 2, *rest(3)],
        [*rest(0, 600), 1, 2, *rest(3)],
        [*rest(0, 256), (100, 0), *rest(0, 300), 1, 2, *rest(3)],
        [*rest(0, 256), *failed(10), *rest(0, 300), 1, 2, *rest(3)],
        [*rest(0, 256), 5, *rest(0, 300), 1, 2, *rest(3)],
    ],
    ids=["gap in a block", "no gap", "gap before a block", "failed reads before a block", "spike before a block"],
)
def test_the_fast_path_sees_what_matters(looks: list[Look]) -> None:
    samples, tracker = looked(looks, DialShape()), Tracker()
    turns = tracker.feed_many([at_ns for at_ns, _ in samples], [raw for _, raw in samples])
    assert turns == turns_of(looks)
    assert len(turns) == 1


def test_the_fast_path_refuses_time_that_does_not_grow() -> None:
    tracker = Tracker()
    tracker.feed_many([1, 2], [0, 0])
    with pytest.raises(ValueError, match=r"^time must grow: 4 ns after 5 ns$"):
        tracker.feed_many([3, 5, 4, 6, 7], [0, 0, 0, 0, 0])


def random_walk(seed: int) -> list[tuple[int, int | None]]:
    """Rests, turns, creeping, failed reads and spikes, in any order; rests are long enough for the fast path."""
    draw = random.Random(seed)
    faulty = draw.choice((0, 0, 0.001, 0.01))
    now_ns, angle, samples = draw.randrange(10**9), draw.uniform(0, 4096), list[tuple[int, int | None]]()
    for _ in range(draw.randint(1, 8)):
        speed = draw.choice((0, 0, 0, 1, 30, 300, 3000, 50_000)) * draw.choice((1, -1))
        for _ in range(draw.choice((3, 30, 300, 700))):
            period_ns = MS * (draw.choice((4, 10, 10, 10, 20)) if draw.random() >= faulty else draw.randrange(1, 100))
            now_ns += period_ns
            angle += speed * period_ns / 1e9
            raw = round(angle + draw.gauss(0, 1)) % 4096
            chance = draw.random()
            samples.append((now_ns, None if chance < faulty / 2 else draw.randrange(4096) if chance < faulty else raw))
        if draw.random() < 0.5:
            angle = round(angle / 4096 * 12) * 4096 / 12
    return samples


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 5600), max_size=5), invert=st.booleans())
def test_many_at_once_or_one_by_one_in_any_pieces_give_the_same_turns(seed: int, cuts: list[int], invert: bool) -> None:
    samples, shape = random_walk(seed), DialShape(invert=invert)
    times, angles = [at_ns for at_ns, _ in samples], [raw for _, raw in samples]
    whole, pieces = Tracker(shape), Tracker(shape)
    edges = sorted({0, len(samples), *(cut for cut in cuts if cut < len(samples))})
    by_pieces: list[Turn] = []
    for start, end in pairwise(edges):
        by_pieces += pieces.feed_many(times[start:end], angles[start:end])
        if end % 2:
            assert pieces.stand is None or isinstance(pieces.stand, (Seated, Between))
    last = pieces.finish()
    assert fed(whole, samples) == (by_pieces if last is None else [*by_pieces, last])


@given(seed=st.integers(0, 2**32))
def test_turns_meet_and_their_clicks_add_up(seed: int) -> None:
    tracker = Tracker()
    turns = fed(tracker, random_walk(seed))
    for before, after in pairwise(turns):
        assert before.end_ns < after.start_ns
        assert after.from_position == before.to_position
    for turn in turns:
        assert (turn.to_position is None) != (turn.between is None)
        assert turn.start_ns <= turn.end_ns
        if turn.clicks is not None and turn.from_position is not None and turn.to_position is not None:
            assert (turn.to_position - turn.from_position - turn.clicks) % 12 == 0
    since, position = 0, None
    for turn in turns:
        if turn.clicks is None:
            since, position = 0, turn.to_position
            continue
        if position is None and turn.from_position is not None:
            since, position = 0, turn.from_position
        since += turn.clicks
        if position is not None and turn.to_position is not None:
            assert (turn.to_position - position - since) % 12 == 0


@given(
    legs=st.lists(
        st.tuples(st.integers(-30, 30), st.floats(2, 171), st.sampled_from([0.0, 20.0, 200.0])), min_size=1, max_size=3
    ),
    period_ms=st.floats(3, 17),
    faults=st.lists(
        st.tuples(st.integers(0, 120), st.integers(0, 4095), st.sampled_from(["spike", "stale", "lost"])), max_size=12
    ),
    eccentric=st.floats(0, 45),
)
def test_up_to_the_top_speed_a_turn_is_right_or_unknown(
    legs: list[tuple[int, float, float]], period_ms: float, faults: list[tuple[int, int, str]], eccentric: float
) -> None:
    corners, angle, now_ms = [(0.0, 0.0)], 0.0, 300.0
    corners.append((now_ms, 0.0))
    for clicks, speed, pause_ms in legs:
        now_ms += abs(clicks) / speed * 1e3 + 1e-6
        angle += clicks * 4096 / 12
        corners += [(now_ms, angle), (now_ms + pause_ms, angle)]
        now_ms += pause_ms
    samples: list[tuple[int, int | None]] = []
    place, last_raw, bad_last = 0, 0, False
    table = {where: (raw, what) for where, raw, what in faults}
    for number in range(int((now_ms + 1500) / period_ms)):
        at_ms = number * period_ms
        while place + 2 < len(corners) and corners[place + 1][0] <= at_ms:
            place += 1
        (begin_ms, begin), (end_ms, end) = corners[place], corners[place + 1]
        true = begin + (end - begin) * min(1.0, (at_ms - begin_ms) / (end_ms - begin_ms + 1e-9))
        raw = round(true + eccentric * math.sin(true * math.tau / 4096)) % 4096
        spike, what = table.get(number - int(300 / period_ms) + 5, (0, "good"))
        if what == "lost":
            samples.append((int(at_ms * MS), None))
            continue
        bad = what in ("spike", "stale") and not bad_last
        last_raw = raw if not bad else spike if what == "spike" else last_raw
        bad_last = bad
        samples.append((int(at_ms * MS), last_raw))
    turns = fed(Tracker(DialShape(rest_ms=600)), samples)
    told = [turn.clicks for turn in turns]
    if None not in told:
        assert sum(clicks for clicks in told if clicks is not None) == sum(clicks for clicks, _, _ in legs)


@pytest.mark.parametrize(("every_ms", "clicks_per_s"), [(17, 171), (20, 120), (25, 60), (30, 20)])
def test_the_traces_page_has_the_speeds_that_can_be_followed(every_ms: int, clicks_per_s: int) -> None:
    tracker, turns = Tracker(), []
    for at_ms in range(0, 4000, every_ms):
        clicks = min(12.0, max(0.0, (at_ms - 1000) * clicks_per_s / 1000))
        turn = tracker.feed(at_ms * 1_000_000, round(clicks * 4096 / 12) % 4096)
        turns += [] if turn is None else [turn]
    assert [turn.clicks for turn in turns] == [12]
