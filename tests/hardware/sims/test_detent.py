"""The equation of a detented dial: conservation of energy, places of rest, and a small enough step."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.sims.detent import SAMPLE_S, STEP_S, Detent, Path, run
from hardware.sims.hand_kinds import HANDS, DialRanges
from tests.everyday import first

PHYSICAL = sorted(kind for kind in HANDS if HANDS[kind].dial is not None)
DIALS = st.sampled_from([kind.dial for kind in HANDS.values() if kind.dial is not None])


def lasts_s(path: Path) -> float:
    return (len(path.angles) - 1) * SAMPLE_S


def drawn(dial: DialRanges, seed: int = 0, clicks: int = 12) -> Detent:
    return dial.drawn(random.Random(seed), clicks)


def frictionless(detent: Detent) -> Detent:
    return replace(detent, rubbing=0.0, bearing=0.0, viscous=0.0)


def swings(path: Path) -> list[float]:
    """The angles at which the dial reverses."""
    return [
        here for before, here, after in zip(path.angles, path.angles[1:], path.angles[2:], strict=False)
        if (here - before) * (after - here) < 0
    ]  # fmt: skip


def snap_s(path: Path) -> float:
    """The time from 10 to 90 % of the way, interpolated."""
    start, travel = path.angles[0], path.angles[-1] - path.angles[0]
    times = []
    for part in (0.1, 0.9):
        wanted = start + part * travel
        place = next(place for place, here in enumerate(path.angles) if here >= wanted)
        step = path.angles[place] - path.angles[place - 1]
        times.append((place - (path.angles[place] - wanted) / step) * SAMPLE_S)
    return times[1] - times[0]


@given(DIALS, st.integers(0, 99), st.floats(0.3, 0.46), st.sampled_from([6, 12, 24]))
def test_without_friction_and_finger_energy_is_conserved(dial: DialRanges, seed: int, part: float, clicks: int) -> None:
    detent = frictionless(drawn(dial, seed, clicks))
    start = detent.pitch * part
    path = run(detent, None, 0, start, longest_s=0.3)
    begun = detent.potential(start)
    peaks = [detent.potential(angle) for angle in swings(path)]
    assert len(peaks) > 3
    assert path.tops_s == ()
    assert peaks == pytest.approx([begun] * len(peaks), rel=0.02)


@settings(max_examples=60, deadline=None)
@given(DIALS, st.integers(0, 99), st.floats(-0.499, 0.499), st.sampled_from([6, 12, 24]))
def test_with_friction_energy_never_grows_and_the_dial_comes_to_rest(
    dial: DialRanges, seed: int, part: float, clicks: int
) -> None:
    detent = drawn(dial, seed, clicks)
    start = detent.pitch * part
    path = run(detent, None, 0, start)
    peaks = [detent.potential(angle) for angle in (start, *swings(path), path.angles[-1])]
    assert all(later <= earlier * 1.001 + 1e-12 for earlier, later in itertools.pairwise(peaks))
    assert path.tops_s == ()
    assert lasts_s(path) < 2.0


@settings(max_examples=60, deadline=None)
@given(DIALS, st.integers(0, 99), st.floats(-3, 3))
def test_the_cam_torque_is_the_slope_of_the_energy(dial: DialRanges, seed: int, clicks: float) -> None:
    detent = drawn(dial, seed)
    angle, little = clicks * detent.pitch, 1e-6
    slope = (detent.potential(angle + little) - detent.potential(angle - little)) / (2 * little)
    near_a_top = abs(abs(clicks) % 1 - 0.5) < 1e-4
    if not near_a_top:
        assert detent.cam_torque(angle) == pytest.approx(-slope, abs=2e-5 * detent.climb_torque + 1e-6, rel=1e-3)


@pytest.mark.parametrize("kind", first(1, ["crisp", *PHYSICAL]))
def test_half_the_step_changes_no_snap_by_2_percent(kind: str) -> None:
    dial, touch = HANDS[kind].dial, HANDS[kind].touch
    assert dial is not None
    assert touch is not None
    compared = 0
    for seed in range(6):
        draw = random.Random(seed)
        detent = dial.drawn(draw, 12)
        finger = touch.drawn(draw, detent, 1)
        whole, half = (run(detent, finger, 1, 0.0, step_s=step_s) for step_s in (STEP_S, STEP_S / 2))
        if len(whole.tops_s) == len(half.tops_s) == 1:
            compared += 1
            assert snap_s(half) == pytest.approx(snap_s(whole), rel=0.02)
    assert compared >= 4


@pytest.mark.parametrize("kind", PHYSICAL)
def test_a_dial_rests_in_its_play_and_slides_to_the_middle_from_half_way(kind: str) -> None:
    dial = HANDS[kind].dial
    assert dial is not None
    detent = drawn(dial)
    for part in (-0.9, 0.4):
        start = part * detent.play
        assert set(run(detent, None, 0, start).angles) == {start}
    rests = run(detent, None, 0, detent.pitch * 0.3).angles[-1]
    assert abs(rests) < detent.play + math.radians(0.7)


def test_dry_friction_holds_a_dial_on_top_of_a_lobe_and_little_beside_it() -> None:
    """The page of the printed parts says 5 % of a click for the usual dial."""
    detent = replace(drawn(DialRanges()), rubbing=0.25, bearing=0.0, sticking=1.0, crest=math.radians(2.7))
    held = [
        part / 1000 for part in range(400, 500) if lasts_s(run(detent, None, 0, detent.pitch * part / 1000)) < 0.003
    ]
    assert held
    assert min(held) == pytest.approx(0.5 - 0.04, abs=0.02)


def test_a_finger_that_is_too_weak_never_gets_over_the_lobe() -> None:
    coin = HANDS["coin"]
    assert coin.dial is not None
    assert coin.touch is not None
    draw = random.Random(1)
    detent = coin.dial.drawn(draw, 12)
    finger = replace(coin.touch.drawn(draw, detent, 1), limit=0.6 * detent.climb_torque)
    path = run(detent, finger, 1, 0.0, longest_s=0.5)
    assert path.tops_s == ()
    assert max(path.angles) < detent.pitch / 2


def test_a_dial_runs_the_same_in_both_directions() -> None:
    detent = drawn(DialRanges())
    forth, back = (run(detent, None, 0, sign * detent.pitch * 0.45) for sign in (1, -1))
    assert list(forth.angles) == pytest.approx([-angle for angle in back.angles], abs=1e-9)


def test_a_sticking_dial_stays_where_a_sliding_one_moves_on() -> None:
    """In the play only friction acts; beside it the nose pushes, and friction at rest holds the dial longer."""
    slides = replace(drawn(DialRanges()), rubbing=0.0, bearing=1e-3, sticking=1.0)
    sticks = replace(slides, sticking=2.0)
    angle = next(
        part / 1000 * slides.pitch for part in range(60, 500)
        if abs(slides.cam_torque(part / 1000 * slides.pitch)) > 1.5 * slides.bearing
    )  # fmt: skip
    assert run(slides, None, 0, angle).angles[-1] < angle - 1e-4
    assert set(run(sticks, None, 0, angle).angles) == {angle}


def test_grease_brakes_a_dial() -> None:
    dry = replace(frictionless(drawn(DialRanges())), bearing=1e-4)
    peaks = [max(map(abs, swings(run(replace(dry, viscous=viscous), None, 0, dry.pitch * 0.4))), default=0.0)
             for viscous in (0.0, 1e-4, 3e-4)]  # fmt: skip
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[2] < peaks[0] / 2
