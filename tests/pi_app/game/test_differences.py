"""The 39 places where the sheets differ: each is played as the default says, or has no effect on play.

A difference with a test of its own elsewhere is cited there; the others are looked at here, or have a reason.
"""

from __future__ import annotations

import pytest

from pi_app.game import events as ev
from pi_app.game import rules
from pi_app.game.effects import TRAPS, disarm_later
from pi_app.game.rules import SquareState
from pi_app.game.ruleset import Ruleset
from pi_app.game.trap_table import Trap
from pi_app.game.trap_words import trap_name
from tests.pi_app.games import exposes, played, started, table_with
from tests.rules_report import ROOT

NO_EFFECT = {
    "L-01": "the sentence stands under another heading",
    "L-02": "a word: our tables call the field click_number",
    "L-10": "there is no red filter here",
    "L-17": "of placing, tested with the plan",
    "L-16": "of placing, tested with the plan",
    "L-29": "a hint, and no rule",
    "L-30": "how a paragraph begins",
    "L-32": "our tables have either four fields or a clear face",
    "L-33": "a word",
    "L-34": "a word",
    "L-35": "a word",
    "L-38": "three words for one thing",
    "L-39": "a misprint in one sheet",
}
ELSEWHERE: tuple[str, ...] = (
    "L-05",
    "L-06",
    "L-07",
    "L-08",
    "L-09",
    "L-12",
    "L-13",
    "L-14",
    "L-15",
    "L-18",
    "L-19",
    "L-20",
    "L-21",
)
ELSEWHERE += ("L-36", "L-37")
HERE = ("L-03", "L-04", "L-11", "L-22", "L-23", "L-24", "L-25", "L-26", "L-27", "L-28", "L-31")


def test_each_of_the_39_is_looked_at_once() -> None:
    assert sorted([*NO_EFFECT, *ELSEWHERE, *HERE]) == [f"L-{number:02}" for number in range(1, 40)]


@pytest.mark.parametrize("difference", ELSEWHERE)
def test_those_that_are_tested_elsewhere_are_cited_there(difference: str) -> None:
    files = [ROOT / f"tests/pi_app/game/test_{name}.py" for name in ("effects", "moves")]
    cited = "".join(file.read_text(encoding="utf-8") for file in files)
    assert difference in cited or f"_{difference.lower().replace('-', '_')}_" in cited


def after(trap: Trap | None, *events: ev.AnyEvent, disarm: str = "7") -> tuple[SquareState, int]:
    game = played(started(table_with(trap, disarm=disarm)), *exposes("T01", 3, "ANN"), *events).game
    return game.squares["T01"].state, game.seats["BEN"].xp


ENTERED = ev.Triggered(seat="ANN", square="T01", cause="entered")


def tries(*dice: int, way: ev.Way = "quick") -> ev.DisarmTried:
    return ev.DisarmTried(seat="BEN", square="T01", way=way, dice=(dice[0], dice[1]), plus_die=dice[2])


def test_l_03_entering_sets_off() -> None:
    assert after(Trap.SPIKED_PIT, ENTERED) == (SquareState.TRIGGERED, 0)


def test_l_04_the_open_number_is_fixed_with_the_attempt() -> None:
    assert after(Trap.SPIKED_PIT, tries(6, 5, 6), disarm="6+") == (SquareState.TRIGGERED, 0)
    assert after(Trap.SPIKED_PIT, tries(6, 5, 5), disarm="6+") == (SquareState.DISARMED, 22)


def test_l_11_clear_stays_clear() -> None:
    by_ben = ev.Triggered(seat="BEN", square="T01", cause="entered")
    assert after(None, by_ben, ENTERED) == (SquareState.CLEAR_PUBLIC, 0)
    assert after(None, ENTERED, ENTERED) == (SquareState.EXPOSED, 0)  # T-TRG-16: Ann knows it and walks over it


UNHARMED = ev.JawsAnswered(square="T01", harmed=False)


def test_l_22_withdrawn_jaws_go_off_by_stepping_and_by_failing() -> None:
    assert after(Trap.JAWS_OF_DOOM, ENTERED, UNHARMED) == (SquareState.WITHDRAWN, 0)
    assert after(Trap.JAWS_OF_DOOM, ENTERED, UNHARMED, ENTERED) == (SquareState.TRIGGERED, 0)
    assert after(Trap.JAWS_OF_DOOM, ENTERED, UNHARMED, tries(1, 1, 1)) == (SquareState.TRIGGERED, 0)


def test_l_23_l_24_l_25_the_cage_opens_to_another_figure_against_the_printed_number() -> None:
    assert after(Trap.CAGE, ENTERED, tries(3, 3, 1)) == (SquareState.TRIGGERED, 0)
    assert after(Trap.CAGE, ENTERED, tries(3, 4, 1)) == (SquareState.DISARMED, 22)
    assert disarm_later(Trap.CAGE, Ruleset(retrigger_policy="silent")) == "E-CAGE-3"


def test_l_26_the_slow_way_costs_six_and_adds_two() -> None:
    assert (rules.SLOW_COST, rules.SLOW_BONUS) == (6, 2)
    assert after(Trap.SPIKED_PIT, tries(2, 3, 1, way="slow")) == (SquareState.DISARMED, 22)


def test_l_27_only_the_cage_hinders_after_disarming() -> None:
    assert [trap for trap in Trap if TRAPS[trap].terrain == "E-CAGE-6"] == [Trap.CAGE]


def test_l_28_jaws_that_fell_to_a_counterattack_give_no_experience() -> None:
    answered = ev.JawsAnswered(square="T01", harmed=True)  # E-JAW-7
    assert after(Trap.JAWS_OF_DOOM, ENTERED, answered) == (SquareState.DISARMED, 0)


def test_l_31_after_a_failure_everyone_is_told_which_trap() -> None:
    moment = played(started(table_with(Trap.FIRE_JETS)), *exposes("T01", 3, "ANN"), tries(1, 1, 1))
    assert trap_name(Trap.FIRE_JETS) in moment.report("public").lines["T01"]  # T-TRG-2, T-TRG-10, T-TRG-11
