"""Swapped leads found by detents: most swaps, no sound table, and dials that are too much alike."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.dials.calibration import Calibration
from pi_app.dials.fingerprint import SEATS_WITHIN_DEG, Fingerprints, SwapCheck, SwapState, told_apart
from tests.pi_app.drawn_dials import TURN, dial


def rest(draw: random.Random, at: Calibration, position: int, sd_deg: float = SEATS_WITHIN_DEG) -> int:
    return round(at.centres[position % at.clicks] + draw.gauss(0, sd_deg) * TURN / 360) % TURN


def table(draw: random.Random, squares: int) -> dict[str, Calibration]:
    return {f"T{n:02}": dial(draw) for n in range(1, squares + 1)}


def played(
    draw: random.Random, dials: dict[str, Calibration], leads: dict[str, str], rests: int
) -> tuple[Fingerprints, list[SwapCheck]]:
    """Every dial is turned to another detent again and again; `leads`: whose dial really hangs on a square's lead."""
    prints, news = Fingerprints(dials), []
    for label in dials:
        position = 0
        for _ in range(rests):
            prints.rested(label, rest(draw, dials[leads.get(label, label)], position))
            position += draw.randrange(1, 12)
            news += prints.new_swaps()
    return prints, news


@pytest.mark.slow
def test_no_sound_table_is_reported() -> None:
    """100 tables of eight squares, 12 rests of each dial: 28 pairs each, 2800 chances to be wrong."""
    accused = sum(bool(played(random.Random(seed), table(random.Random(-seed), 8), {}, 12)[1]) for seed in range(100))
    assert accused == 0


@pytest.mark.slow
def test_most_swaps_are_found_within_a_few_rests() -> None:
    found = {4: 0, 12: 0}
    for rests in found:
        for seed in range(40):
            draw = random.Random(seed)
            dials = table(draw, 8)
            _, news = played(draw, dials, {"T02": "T05", "T05": "T02"}, rests)
            assert {(each.one, each.other) for each in news} <= {("T02", "T05")}
            found[rests] += bool(news)
    assert found[4] > 24
    assert found[12] > 36


@given(st.integers(0, 10**6))
def test_a_twin_dial_is_called_too_alike(seed: int) -> None:
    draw = random.Random(seed)
    one = dial(draw)
    other = Calibration.of_centres(
        [(centre + draw.choice([-2, 0, 2])) % TURN for centre in one.centres],
        one.spread,
        counts_per_turn=TURN,
        invert=False,
    )
    assert not told_apart(one, other)
    prints, news = played(draw, {"T01": one, "T02": other}, {"T01": "T02", "T02": "T01"}, 12)
    assert news == []
    (finding,) = prints.checks()
    assert finding.state is SwapState.TOO_ALIKE


@given(st.integers(0, 10**6), st.integers(0, 2))
def test_two_rests_are_never_enough(seed: int, of_one: int) -> None:
    draw = random.Random(seed)
    dials = table(draw, 2)
    prints = Fingerprints(dials)
    for n in range(2):
        label, other = ("T01", "T02") if n < of_one else ("T02", "T01")
        prints.rested(label, rest(draw, dials[other], 3 * n))
    assert prints.new_swaps() == []


@given(st.integers(0, 10**6))
def test_one_dial_that_moved_in_its_holder_is_no_swap(seed: int) -> None:
    """All its rests are wrong by the same amount; the other dial is in place."""
    draw = random.Random(seed)
    dials = table(draw, 2)
    prints = Fingerprints(dials)
    for position in range(12):
        prints.rested("T01", (rest(draw, dials["T01"], position) + 40) % TURN)
        prints.rested("T02", rest(draw, dials["T02"], position, 0.1))
    assert prints.new_swaps() == []


def test_a_likely_swap_is_reported_once_until_a_lead_was_out() -> None:
    draw = random.Random(4)
    dials = table(draw, 2)
    prints, news = played(draw, dials, {"T01": "T02", "T02": "T01"}, 12)
    (finding,) = news
    assert (finding.one, finding.other, finding.state) == ("T01", "T02", SwapState.LIKELY_SWAPPED)
    assert 0.9 <= finding.probability <= 1
    prints.rested("T01", rest(draw, dials["T02"], 0))
    assert prints.new_swaps() == []
    prints.plugged("T01")
    (finding,) = prints.checks()
    assert finding.state is SwapState.UNDECIDED
    prints.plugged("T02")
    for position in range(12):
        prints.rested("T01", rest(draw, dials["T02"], position))
        prints.rested("T02", rest(draw, dials["T01"], position))
    assert len(prints.new_swaps()) == 1


def test_dials_of_other_kinds_are_not_compared() -> None:
    draw = random.Random(1)
    prints = Fingerprints({"T01": dial(draw), "T02": dial(draw, clicks=8)})
    prints.rested("T01", 0)
    prints.rested("T99", 0)
    assert list(prints.checks()) == []


def test_dials_in_place() -> None:
    draw = random.Random(2)
    prints, _ = played(draw, table(draw, 2), {}, 12)
    (finding,) = prints.checks()
    assert finding.state is SwapState.IN_PLACE
    assert finding.probability < 1e-4
