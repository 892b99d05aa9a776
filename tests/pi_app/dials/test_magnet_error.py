"""Truth tests: magnets and detents that are wrong by a known amount, and sound dials that must never be refused."""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardware.sims.hand import SimHand, SimMagnet
from pi_app.dials.calibration import Calibration, CalibrationDoubtError, doubts
from pi_app.dials.learn_detents import learn
from pi_app.dials.magnet_error import detent_errors, remarks
from tests.pi_app.drawn_dials import centres_of

TURN = 4096
TOLERANCE_DEG = 0.2
"""The error allowed in a wave's height, on a dial whose detents are printed exactly."""


def turned_once(magnet: SimMagnet, hand: SimHand) -> list[tuple[int, int | None]]:
    """One slow turn as `trapdial calibrate` samples it, 100 times a second."""
    over_ns = hand.turn(700_000_000, hand.clicks, 500.0) + 700_000_000
    return [(at_ns, round(magnet(at_ns)) % TURN) for at_ns in range(0, over_ns, 10_000_000)]


def learnt(samples: list[tuple[int, int | None]], clicks: int) -> Calibration:
    """The calibration, also if both waves together bend the angle too far to be played on."""
    try:
        return learn(samples, clicks=clicks)
    except CalibrationDoubtError as refused:
        return refused.dial or pytest.fail("the refusal brought no dial")


@example(seed=1, off_centre=6.0, tilt=3.0, clicks=8)
@given(st.integers(0, 10**6), st.floats(0, 6), st.floats(0, 3), st.sampled_from([8, 10, 12, 16, 20]))
@settings(max_examples=25, deadline=None)
def test_both_waves_are_found_in_a_simulated_turn(seed: int, off_centre: float, tilt: float, clicks: int) -> None:
    hand = SimHand(seed, clicks)
    magnet = SimMagnet(hand.angle_counts, seed, eccentricity_deg=off_centre, tilt_deg=tilt)
    form = learnt(turned_once(magnet, hand), clicks).errors
    assert form.once is not None
    assert form.twice is not None
    assert form.once.degrees == pytest.approx(off_centre, abs=TOLERANCE_DEG)
    assert form.twice.degrees == pytest.approx(tilt, abs=TOLERANCE_DEG)
    assert max(map(abs, form.beside_deg)) < 0.3
    assert form.worn == ()


@pytest.mark.slow
def test_ten_thousand_sound_dials_and_none_is_refused() -> None:
    draw = random.Random(20)
    for _ in range(10_000):
        clicks, turn = draw.choice([8, 10, 12, 12, 12, 16, 20, 24]), draw.choice([4096, 16384])
        invert = draw.random() < 0.5
        centres = centres_of(draw, clicks, turn, invert=invert)
        spread = [round(draw.uniform(0, 1.5) * turn / 360) for _ in range(clicks)]
        assert doubts(centres, spread, counts_per_turn=turn, invert=invert) == []


@given(st.integers(0, 10**6), st.integers(0, 11), st.sampled_from([-1, 1]), st.floats(8.0, 12.0), st.booleans())
@settings(max_examples=200, deadline=None)
@pytest.mark.slow
def test_one_worn_detent_is_named_and_no_other(seed: int, at: int, way: int, by_deg: float, invert: bool) -> None:
    draw = random.Random(seed)
    centres = centres_of(draw, 12, TURN, printed_deg=0.5, invert=invert)
    centres[at] = round(centres[at] + (-1 if invert else 1) * way * by_deg * TURN / 360) % TURN
    form = detent_errors(centres, TURN, invert=invert)
    assert form.worn == (at,)
    assert form.beside_deg[at] == pytest.approx(way * by_deg, abs=1.6)
    (reason,) = doubts(centres, [3] * 12, counts_per_turn=TURN, invert=invert)
    assert reason == (
        f"At position {at} the dial stands {abs(form.beside_deg[at]):.1f} degrees beside where its other detents put "
        "it; 6 is the most. That detent is worn or broken: look at its lobe, and at the nose that falls into it."
    )


@given(st.integers(0, 10**6), st.integers(0, 11), st.integers(2, 10))
@settings(max_examples=60, deadline=None)
def test_two_worn_detents_are_both_named(seed: int, at: int, apart: int) -> None:
    centres = centres_of(random.Random(seed), 12, TURN, printed_deg=0.2)
    both = sorted({at, (at + apart) % 12})
    for k, by_deg in zip(both, (9, -9), strict=True):
        centres[k] = round(centres[k] + by_deg * TURN / 360) % TURN
    assert detent_errors(centres, TURN, invert=False).worn == tuple(both)


def test_a_worn_detent_in_a_simulated_turn_is_refused_by_name() -> None:
    hand = SimHand(3)
    pitch = TURN / 12

    def worn(at_ns: int) -> float:
        """The sixth lobe is ground off on one side: the dial comes to rest 7 degrees too far."""
        angle = hand.angle_counts(at_ns)
        near = max(0.0, 1 - abs(angle - 5 * pitch) / (pitch / 2))
        return angle + 7 * TURN / 360 * min(1.0, 2 * near)

    with pytest.raises(CalibrationDoubtError) as doubt:
        learn(turned_once(SimMagnet(worn, 3, eccentricity_deg=3.0), hand))
    (reason,) = doubt.value.reasons
    assert re.match(r"At position 5 the dial stands [67]\.\d degrees beside", reason)
    assert "That detent is worn or broken" in reason


def test_a_missing_detent_in_a_simulated_turn_is_refused_by_name() -> None:
    hand = SimHand(4)
    at_ns = 700_000_000
    for clicks in (4, 2, 7):  # the second pair is one snap: nothing holds the dial at position 5
        at_ns = hand.turn(at_ns, clicks, 500.0 if clicks != 2 else 45.0) + 400_000_000
    samples: list[tuple[int, int | None]] = [
        (t, round(SimMagnet(hand.angle_counts, 4)(t)) % TURN) for t in range(0, at_ns + 400_000_000, 10_000_000)
    ]
    with pytest.raises(CalibrationDoubtError) as doubt:
        learn(samples)
    assert str(doubt.value) == (
        "The dial went past position 5 without standing in it. Wait half a second in every detent; if the dial does "
        "not stay there, that detent is missing or worn flat: check its lobe."
    )


@pytest.mark.parametrize(
    ("once", "twice", "reason"),
    [
        (
            20.0,
            0.0,
            "Its magnet sits beside the middle: that bends the angle by 20 degrees either way, once round, and leaves "
            "too little room between detents. Glue it within 0.25 mm of the chip's middle.",
        ),
        (
            0.0,
            9.0,
            "Its magnet or its chip is tilted: that bends the angle by 9 degrees either way, twice round, and leaves "
            "too little room between detents. Let the magnet lie flat and the board be level with it.",
        ),
    ],
)
def test_a_magnet_far_off_centre_is_named_as_the_reason(once: float, twice: float, reason: str) -> None:
    centres = [
        round((30 * k + once * math.sin(math.tau * k / 12) + twice * math.cos(2 * math.tau * k / 12)) * TURN / 360)
        % TURN
        for k in range(12)
    ]
    assert doubts(centres, [3] * 12, counts_per_turn=TURN, invert=False) == [reason]


def test_remarks_give_degrees_and_position() -> None:
    centres = [
        round(
            (30 * k + 3.5 * math.cos(math.tau * (k - 4) / 12) + 1.8 * math.cos(2 * math.tau * (k - 2) / 12))
            * TURN
            / 360
        )
        % TURN
        for k in range(12)
    ]
    assert remarks(detent_errors(centres, TURN, invert=False)) == [
        "Its magnet sits beside the middle: that bends the angle by 3.5 degrees either way, once round, most near "
        "position 4. It is allowed for; when you have the tile open, glue the magnet within 0.25 mm of the chip's "
        "middle.",
        "Its magnet or its chip is tilted: that bends the angle by 1.8 degrees either way, twice round, most near "
        "position 2. It is allowed for; when you have the tile open, let the magnet lie flat and the board be level "
        "with it.",
    ]
    assert remarks(detent_errors([k * TURN // 12 for k in range(12)], TURN, invert=False)) == []


@pytest.mark.parametrize(
    ("clicks", "once", "twice"), [(2, False, False), (4, False, False), (6, True, False), (8, True, True)]
)
def test_few_detents_tell_little(clicks: int, once: bool, twice: bool) -> None:
    form = detent_errors([k * TURN // clicks for k in range(clicks)], TURN, invert=False)
    assert (form.once is not None, form.twice is not None) == (once, twice)


def test_the_waves_together_give_back_the_dial() -> None:
    centres = centres_of(random.Random(1), 12, TURN, printed_deg=0.0)
    form = detent_errors(centres, TURN, invert=False)
    for k, off in enumerate(form.off_deg):
        assert form.wave_at(k) == pytest.approx(off, abs=0.1)


def test_a_dial_full_of_wrong_detents_names_gaps_and_no_scapegoat() -> None:
    centres = [round((30 * k + (-1) ** k * 10) * TURN / 360) % TURN for k in range(12)]
    assert detent_errors(centres, TURN, invert=False).worn == ()
    assert all("the dial turned" in reason for reason in doubts(centres, [3] * 12, counts_per_turn=TURN, invert=False))
