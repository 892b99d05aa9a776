"""Dice, wear and speed over many games, and how little few throws say."""

from __future__ import annotations

import math

import pytest

from pi_app import events as ev
from pi_app.auditing.statistics import die, statistics, survival
from tests.pi_app.auditing.records import audited
from tests.pi_app.games import exposes, rolled, turned


@pytest.mark.parametrize(("chi", "p"), [(0.0, 1.0), (9.236, 0.1), (11.070, 0.05), (15.086, 0.01), (20.515, 0.001)])
def test_the_chi_squared_distribution_with_five_degrees_is_that_of_the_tables(chi: float, p: float) -> None:
    assert math.isclose(survival(chi), p, rel_tol=1e-3)


def test_few_throws_say_nothing() -> None:
    found = die("dice", [6] * 29)
    assert (found.p, found.words) == (None, "29 throws are too few to tell: it takes 30.")
    assert die("dice", []).chi_squared is None


def test_a_loaded_die_is_said_with_its_caveat() -> None:
    found = die("dice", [6] * 20 + [1, 2, 3, 4, 5] * 4)
    assert found.p is not None
    assert found.p < 0.01
    assert found.words.endswith("Look at more games before you say anything.")


def test_a_fair_die_is_not_accused() -> None:
    found = die("dice", [1, 2, 3, 4, 5, 6] * 10)
    assert (found.counts, found.chi_squared, found.p) == ((10,) * 6, 0.0, 1.0)
    assert found.words == "Nothing speaks against a fair die: it is so uneven in 100 of 100 such tables."


def test_games_are_added_up_square_by_square() -> None:
    disarm = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
    game = audited(*exposes("T01", 3, "ANN"), disarm, ev.Ended())
    found = statistics([game, game])
    assert found.games == 2
    nothing = (0,) * 6
    assert [dice.counts for dice in found.dice] == [(2, 0, 0, 0, 0, 4), nothing, nothing, (0, 0, 2, 0, 0, 0)]
    assert [(each.square, each.games, each.turns, each.findings) for each in found.squares] == [
        ("T01", 2, 2, 0),
        ("T02", 2, 0, 0),
    ]


def test_dice_of_turns_are_looked_at_by_who_rolled_and_a_corrected_one_counts_once() -> None:
    claim = ev.Claimed(seat="ANN", grade="button")
    drop = ev.ClaimDropped(seat="ANN", why="taken back")
    events = (
        claim,
        rolled(6),
        rolled(2),
        turned("T01", 2, "ANN"),
        rolled(1),
        claim,
        rolled(5, how="device"),
        drop,
        claim,
    )
    found = statistics([audited(*events, ev.Ended())])
    _, said, device, _ = found.dice
    assert (said.what, said.counts) == ("dice of turns, as they were said at the table", (1, 0, 0, 0, 0, 0))
    assert (device.what, device.counts) == ("dice of turns, rolled by the device", (0, 0, 0, 0, 1, 0))
