"""A tile on the wrong lead is rejected, the right one is accepted; how often the check is wrong."""

from __future__ import annotations

import math
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_check import (
    BETWEEN,
    FRICTION_DEG,
    HELD_BY_FRICTION,
    REPLUG_NS,
    STRANGER,
    UNMOVED,
    UNMOVED_DEG,
    WRONG_AT_MOST,
    Opinion,
    TileCheck,
    TileState,
)
from tests.pi_app.drawn_dials import TURN, dial

GAMES = int(os.environ.get("TRAPDIAL_REPLUGS", "500"))


def deg(degrees: float) -> int:
    return round(degrees * TURN / 360)


def rest(draw: random.Random, at: Calibration, position: int) -> int:
    """As the module assumes it."""
    held = draw.random() < HELD_BY_FRICTION
    off = draw.uniform(-FRICTION_DEG, FRICTION_DEG) if held else draw.gauss(0, 0.5)
    if draw.random() < BETWEEN:
        off = draw.uniform(0, 360)
    return (at.centres[position] + deg(off)) % TURN


def replugged(draw: random.Random, squares: int, *, wrong: bool) -> tuple[TileCheck, list[Opinion]]:
    """Two to all leads of a table were pulled; T01's is plugged in again, into its own tile or into that of T02, and
    its dial is turned until its rests decide, or 60 times."""
    dials = {f"T{n:02}": dial(draw, keyed_within_deg=draw.choice([3.0, 15.0])) for n in range(1, squares + 1)}
    check = TileCheck(dials)
    pulled = list(dials)[: draw.randint(2, squares)]
    stood = {label: rest(draw, dials[label], draw.randrange(12)) for label in pulled}
    assert check.back("T01", REPLUG_NS, stood)
    true = "T02" if wrong else "T01"
    if draw.random() < UNMOVED:
        raw = (stood[true] + deg(draw.gauss(0, UNMOVED_DEG))) % TURN
    else:
        raw = rest(draw, dials[true], draw.randrange(12))
    said: list[Opinion] = []
    while check.withheld("T01") and len(said) < 60:
        known = check.rested("T01", raw)
        if not known:
            break
        said.append(known["T01"])
        raw = rest(draw, dials[true], draw.randrange(12))
    return check, said


def at_most(times: int, games: int) -> bool:
    """Whether so many are no more than chance allows of `WRONG_AT_MOST`: its mean and five standard deviations."""
    mean = games * WRONG_AT_MOST
    return bool(times <= mean + 5 * math.sqrt(mean))


def test_the_right_tile_is_accepted_mostly_at_once() -> None:
    ends = [replugged(random.Random(f"right {n}"), 2 + n % 7, wrong=False)[1] for n in range(GAMES)]
    assert at_most(sum(said[-1].state is TileState.WRONG for said in ends), GAMES)
    assert sum(said[-1].state is TileState.VERIFIED for said in ends) > 0.999 * GAMES
    assert sum(said[0].state is TileState.VERIFIED for said in ends) > 0.5 * GAMES


def test_a_bus_that_was_without_power_leaves_few_dials_to_verify_by_hand() -> None:
    verified = dials_seen = 0
    for n in range(max(20, GAMES // 40)):
        draw = random.Random(f"outage {n}")
        dials = {f"T{n:02}": dial(draw, keyed_within_deg=draw.choice([3.0, 15.0])) for n in range(1, 9)}
        check = TileCheck(dials)
        stood = {label: rest(draw, dials[label], draw.randrange(12)) for label in dials}
        for label in dials:
            check.back(label, REPLUG_NS, stood)
        for label in dials:
            check.rested(label, (stood[label] + deg(draw.gauss(0, UNMOVED_DEG))) % TURN)
        dials_seen += len(dials)
        verified += sum(not check.withheld(label) for label in dials)
    assert verified > 0.8 * dials_seen


def test_a_wrong_tile_is_not_accepted() -> None:
    through = decided = games = 0
    for n in range(GAMES):
        check, said = replugged(random.Random(f"wrong {n}"), 2 + n % 7, wrong=True)
        if check.too_alike("T01", "T02"):
            continue
        games += 1
        through += said[-1].state is TileState.VERIFIED
        decided += said[-1].state is TileState.WRONG
    assert games > GAMES * 0.8
    assert at_most(through, games)
    assert decided > 0.99 * games


@given(st.integers(0, 10**6), st.integers(0, 11))
def test_one_pulled_lead_is_verified_by_one_rest_that_fits(seed: int, position: int) -> None:
    draw = random.Random(seed)
    dials = {label: dial(draw) for label in ("T01", "T02", "T03")}
    check = TileCheck(dials)
    assert check.back("T01", REPLUG_NS, {"T01": dials["T01"].centres[0]})
    assert check.withheld("T01")
    raw = (dials["T01"].centres[position] + deg(draw.uniform(-3.9, 3.9))) % TURN
    assert check.rested("T01", raw) == {"T01": Opinion(TileState.VERIFIED)}
    assert not check.withheld("T01")


@given(st.integers(0, 10**6))
def test_a_stranger_between_all_detents_is_rejected(seed: int) -> None:
    draw = random.Random(seed)
    own = dial(draw)
    check = TileCheck({"T01": own})
    check.back("T01", REPLUG_NS, {"T01": own.centres[0]})
    said = [check.rested("T01", (own.centres[k] + deg(15)) % TURN).get("T01") for k in range(4)]
    assert Opinion(TileState.WRONG, STRANGER) in said
    assert Opinion(TileState.VERIFIED) not in said
    assert check.withheld("T01")
    check.accept("T01")
    assert not check.withheld("T01")


def test_a_short_silence_an_uncalibrated_dial_and_a_tile_with_a_memory_are_not_checked() -> None:
    own = dial(random.Random(1))
    check = TileCheck({"T01": own}, {"T09": own})
    assert not check.back("T01", REPLUG_NS - 1, {"T01": 5})
    assert not check.back("T02", REPLUG_NS, {"T02": 5})
    assert not check.back("T09", REPLUG_NS, {"T09": 5})
    assert not any(check.withheld(label) for label in ("T01", "T02", "T09"))


def test_two_exchanged_tiles_are_both_rejected_in_either_order() -> None:
    draw = random.Random(3)
    dials = {"T01": dial(draw, keyed_within_deg=15), "T02": dial(draw, keyed_within_deg=15)}
    check = TileCheck(dials)
    stood = {"T01": dials["T01"].centres[2], "T02": dials["T02"].centres[7]}
    check.back("T01", REPLUG_NS, stood)
    assert check.rested("T01", stood["T02"]) == {"T01": Opinion(TileState.WRONG, "T02")}
    check.back("T02", REPLUG_NS, {"T02": stood["T02"]})
    assert check.rested("T02", stood["T01"]) == {"T02": Opinion(TileState.WRONG, "T01")}
    check.back("T01", REPLUG_NS, {"T01": stood["T02"]})  # both put right
    assert check.rested("T01", stood["T01"]) == {"T01": Opinion(TileState.VERIFIED)}
    check.back("T02", REPLUG_NS, {"T02": stood["T01"]})
    assert check.rested("T02", stood["T02"]) == {"T02": Opinion(TileState.VERIFIED)}


def test_dials_that_are_too_alike_are_named() -> None:
    draw = random.Random(5)
    one = dial(draw)
    near = tuple((centre + 2) % TURN for centre in one.centres)
    twin = Calibration.of_centres(near, one.spread, counts_per_turn=TURN, invert=False)
    far = tuple((centre + 100) % TURN for centre in one.centres)
    other = Calibration.of_centres(far, one.spread, counts_per_turn=TURN, invert=False)
    check = TileCheck({"T01": one, "T02": other}, {"T03": twin})
    assert list(check.unprotected()) == [("T01", "T03")]


@pytest.mark.parametrize("raw", [0, 1000, 4095])
def test_a_dial_that_is_not_being_checked_gets_no_opinion(raw: int) -> None:
    assert TileCheck({"T01": dial(random.Random(1))}).rested("T01", raw) == {}
