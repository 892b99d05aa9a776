"""Dice, wear and speed over many games, and how little few throws say."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from pi_app.audit.statistics import die, spread_of, statistics, survival, worn_words
from pi_app.audit.values import GameAudit, RestSeen
from pi_app.game import events as ev
from tests.pi_app.audit.records import audited
from tests.pi_app.audit.thresholds import tables
from tests.pi_app.games import exposes, rolled, turned


@pytest.mark.parametrize(("chi", "p"), [(0.0, 1.0), (9.236, 0.1), (11.070, 0.05), (15.086, 0.01), (20.515, 0.001)])
def test_the_chi_squared_distribution_with_five_degrees_is_that_of_the_tables(chi: float, p: float) -> None:
    assert math.isclose(survival(chi), p, rel_tol=1e-3)


def test_few_throws_prove_nothing() -> None:
    found = die("dice", [6] * 29)
    assert (found.p, found.words) == (None, "29 throws are too few: the test needs 30.")
    assert die("dice", []).chi_squared is None


def test_a_loaded_die_is_reported_with_a_caveat() -> None:
    found = die("dice", [6] * 20 + [1, 2, 3, 4, 5] * 4)
    assert found.p is not None
    assert found.p < 0.01
    assert found.words.endswith("Check more games before you conclude.")


def test_a_fair_die_is_not_reported() -> None:
    found = die("dice", [1, 2, 3, 4, 5, 6] * 10)
    assert (found.counts, found.chi_squared, found.p) == ((10,) * 6, 0.0, 1.0)
    assert found.words == ("No evidence against a fair die, which is this uneven in 100 of 100 such tables.")


def test_games_are_added_up_square_by_square() -> None:
    disarm = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
    game = audited(*exposes("T01", 3, "ANN"), disarm, ev.Ended())
    found = statistics([game, game])
    assert found.games == 2
    nothing = (0,) * 6
    assert [dice.counts for dice in found.dice] == [(2, 0, 0, 0, 0, 4), nothing, nothing, (0, 0, 2, 0, 0, 0)]
    assert [(each.square, each.games, each.turns, each.findings) for each in found.squares] == [
        ("T01", 2, 2, 2),  # T-DIS-5: it was never turned to its disarmed mark
        ("T02", 2, 0, 0),
    ]


def test_dice_of_turns_count_by_who_rolled_and_a_corrected_one_once() -> None:
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
    assert (said.what, said.counts) == ("dice of turns, as reported at the table", (1, 0, 0, 0, 0, 0))
    assert (device.what, device.counts) == ("dice of turns, rolled by the device", (0, 0, 0, 0, 1, 0))


# ------------------------------------------------------------------------------------------------------------ detents


def dials(*errors: tuple[int, float]) -> GameAudit:
    """A game in which one dial rested so: position and error."""
    rests = tuple(RestSeen(square="T01", entry=2, at_s=1.0, position=at, error_deg=error) for at, error in errors)
    return msgspec.structs.replace(audited(ev.Ended()), rests=rests)


def spread(position: int, sd: float, rests: int = 10) -> list[tuple[int, float]]:
    """Rests at both sides alike, so that their standard deviation is `sd` within a few hundredths."""
    return [(position, sd if n % 2 else -sd) for n in range(rests)]


def test_a_detent_that_spreads_more_than_the_others_of_its_dial_looks_worn() -> None:
    found = statistics([dials(*spread(0, 0.1), *spread(1, 0.1), *spread(2, 2.0), *spread(3, 0.1))])
    assert [(each.position, each.worn) for each in found.detents] == [(0, False), (1, False), (2, True), (3, False)]
    assert worn_words(found.detents) == [
        "T01: detent 2 looks worn. Its 10 rests spread by 2.11 degrees (standard deviation), those of the dial's "
        "other detents by 0.11. Check it before you replace it."
    ]


def test_a_dial_whose_detents_are_all_as_loose_is_not_worn_in_one() -> None:
    found = statistics([dials(*spread(0, 2.0), *spread(1, 2.0), *spread(2, 2.0))])
    assert worn_words(found.detents) == ["None of the 3 detents that can be judged looks worn."]


def test_a_small_spread_is_no_wear() -> None:
    found = statistics([dials(*spread(0, 0.01), *spread(1, 0.4), *spread(2, 0.01))])
    assert not any(each.worn for each in found.detents)


def test_four_rests_prove_no_wear() -> None:
    found = statistics([dials(*spread(0, 0.1, 4), *spread(1, 2.0, 4))])
    assert [each.p for each in found.detents] == [None, None]
    assert worn_words(found.detents) == ["Too few rests to judge wear: it takes 5 in a detent."]


@pytest.mark.parametrize(
    ("free", "others_free", "ratio", "p"),
    [(4, 40, 2.606, 0.05), (9, 60, 2.718, 0.01), (9, 60, 2.040, 0.05), (19, 120, 2.4, 0.0022)],
)
def test_the_f_test_is_that_of_the_tables(free: int, others_free: int, ratio: float, p: float) -> None:
    """Values of the F distribution from the usual tables; the approximation is good to a tenth of p."""

    def alike(count: int, square: float) -> list[float]:
        each = math.sqrt(square * (count - 1) / (count - count % 2))
        return [each, -each] * (count // 2) + [0.0] * (count % 2)

    found = spread_of(0, {0: alike(free + 1, ratio), 1: alike(others_free + 1, 1.0)})
    assert found is not None
    assert math.isclose(found[1], p, rel_tol=0.1)


@pytest.mark.slow
def test_the_page_says_what_the_thresholds_cost_and_find() -> None:
    page = (Path(__file__).resolve().parents[3] / "wiring_docs" / "audit.md").read_text(encoding="utf-8")
    assert [line for line in tables() if line not in page] == []
