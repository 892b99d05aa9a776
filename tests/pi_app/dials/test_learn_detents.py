"""A dial is learnt with every hand, and an unclear turn is refused with the reason."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.readings import Magnet as MagnetState
from hardware.sims.hand import HANDS, SimHand, SimMagnet
from pi_app.dials.calibration import Calibration, CalibrationDoubtError
from pi_app.dials.learn_detents import learn
from pi_app.settings.load import example_path, load
from pi_app.workshop.calibrate import MAGNET_FAULTS, SampledTurn, TurnProgress, learnt
from tests.everyday import first
from tests.pi_app.slow_hands import MS, SlowTurn, off_deg
from tests.properties import costly

EVERY_SEED = first(1, range(3))
"""One hand of each kind every day, three in CI."""

T01 = load(example_path("2x2")).squares["T01"]


@pytest.mark.slow
@costly
@example(986613, 1000.0, (100.0, 3000.0), 0.5, True)  # two wrong samples in a row
@example(147, 100.0, (100.0, 3000.0), 0.5, False)  # a wrong sample while the dial snaps
@given(
    st.integers(0, 10**6),
    st.sampled_from([100.0, 200.0, 500.0, 1000.0]),
    st.sampled_from([(1.0, 30.0), (100.0, 300.0), (100.0, 3000.0)]),
    st.sampled_from([0.5, 2.0, 3.9]),
    st.booleans(),
)
def test_every_hand_is_learnt(seed: int, hz: float, creep_ms: tuple[float, float], off: float, invert: bool) -> None:
    turn = SlowTurn(seed, creep_ms=creep_ms, off_deg=off, rings=seed % 2 == 0)
    samples, true = turn.sampled(hz, invert=invert)
    dial = learn(samples, invert=invert)
    assert max(off_deg(a, b) for a, b in zip(dial.centres, true, strict=True)) < 0.5


@pytest.mark.parametrize("seeds", first(1, [range(1), range(1, 5)]))
@pytest.mark.parametrize("hz", [100.0, 1000.0])
@pytest.mark.parametrize("creep_ms", [(20.0, 20.0), (100.0, 100.0), (1000.0, 1000.0)])
def test_a_careful_hand_that_does_nothing_else(hz: float, creep_ms: tuple[float, float], seeds: range) -> None:
    for seed in seeds:
        samples, true = SlowTurn(seed, creep_ms=creep_ms, holds=0, back=0).sampled(hz)
        dial = learn(samples)
        assert max(off_deg(a, b) for a, b in zip(dial.centres, true, strict=True)) < 0.2
        assert max(dial.spread) * 360 / 4096 < 1.1


def test_a_hand_that_holds_everywhere_still_ends_the_turn_where_it_ends() -> None:
    for seed in range(5):
        samples, _ = SlowTurn(seed, holds=1.0, back=0.3).sampled(100)
        progress = TurnProgress(13, 4096)
        over = [at_ns for at_ns, raw in samples if raw is not None and _over(progress, at_ns, raw)]
        assert progress.reached == 13
        assert over[0] > samples[-1][0] - 1300 * MS


def _over(progress: TurnProgress, at_ns: int, raw: int) -> bool:
    progress.take(at_ns, raw)
    return progress.over(at_ns)


def test_an_unsteady_angle_is_the_reason_and_the_magnet_comes_first_where_the_chip_complains() -> None:
    turn = SlowTurn(3, off_deg=0.5)
    noisy = [
        (at_ns, None if raw is None else (raw + (-1) ** n * 15) % 4096)
        for n, (at_ns, raw) in enumerate(turn.sampled(100)[0])
    ]
    with pytest.raises(CalibrationDoubtError) as doubt:
        learn(noisy)
    assert doubt.value.reasons[0].startswith("The angle was not steady while the dial stood: it wandered")
    assert doubt.value.reasons[0].endswith(
        " degrees; 2 is the most. Move the magnet nearer to the chip, or take a stronger one."
    )
    with pytest.raises(CalibrationDoubtError) as doubt:
        learnt(SampledTurn(noisy, MagnetState.TOO_WEAK), T01)
    assert doubt.value.reasons[0] == MAGNET_FAULTS[MagnetState.TOO_WEAK]
    assert doubt.value.reasons[1].startswith("The angle was not steady")


def test_a_turn_that_nobody_ends_says_how_far_it_came() -> None:
    progress = TurnProgress(13, 4096)
    assert progress.given_up() == "It was not turned for 60 seconds; nothing was changed."
    for n in range(100):
        progress.take(n * 10 * MS, 0 if n < 30 else 341 if n < 60 else 683)
    assert progress.given_up() == (
        "It stopped half way, after 2 of 12 clicks, and was not turned for 60 seconds; nothing was changed. "
        "Turn it once round, back to its start mark."
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", EVERY_SEED)
@pytest.mark.parametrize("hz", [100, 300, 1000])
@pytest.mark.parametrize("kind", HANDS)
def test_every_kind_of_hand_is_learnt(kind: str, hz: int, seed: int) -> None:
    """Centres are where the dial rests; position 0, where it rests twice, may lie between the two. A worn dial may be
    refused for being worn, and for nothing else."""
    gap_ms = 700.0
    hand = SimHand(seed, kind=kind)
    end_ns = hand.turn(700 * MS, 12, [gap_ms] * 11) + 900 * MS
    magnet = SimMagnet(hand.angle_counts, seed)
    samples: list[tuple[int, int | None]] = [
        (at_ns, round(magnet(at_ns)) % 4096) for at_ns in range(0, end_ns, 10**9 // hz)
    ]
    again = SimHand(seed, kind=kind)
    again.turn(700 * MS, 12, [gap_ms] * 11)
    quiet = SimMagnet(again.angle_counts, seed, noise_sd_deg=0.0)
    true = [quiet(round((700 + gap_ms * k - 5) * MS)) for k in range(12)]
    ends = quiet(end_ns - 5 * MS)
    dial, reasons = _learnt_or_not(samples)
    if dial is None:
        assert kind == "worn", reasons
        assert all("That detent is worn or broken" in reason for reason in reasons)
        return
    for k, centre in enumerate(dial.centres):
        assert off_deg(centre, true[k]) < (0.5 if k else 0.5 + off_deg(true[0], ends)), k


def _learnt_or_not(samples: list[tuple[int, int | None]]) -> tuple[Calibration | None, tuple[str, ...]]:
    try:
        return learn(samples), ()
    except CalibrationDoubtError as doubt:
        return None, doubt.reasons
