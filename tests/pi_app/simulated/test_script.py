"""The script of an automatic demo depends on the seed alone."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.simulated import script as planning
from pi_app.simulated.actions import Press, Release, TurnDial, TypeLine
from pi_app.simulated.script import KnownTable, script

SEATS = ("ANN", "BEN", "CAL")
SQUARES = ("T01", "T02", "T03", "T04")
TABLE = KnownTable(SEATS, SQUARES)


def exposes_of(seed: int, exposes: int) -> int:
    acts = [act for _, act in script(seed, TABLE, exposes).actions]
    turned = sum(isinstance(act, TurnDial) and act.clicks > 0 for act in acts)
    viewed = sum(isinstance(act, TypeLine) and act.line.startswith("expose") for act in acts)
    return turned + viewed


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_a_plan_holds_so_many_exposes_in_order_of_time(seed: int, exposes: int) -> None:
    made = script(seed, TABLE, exposes)
    times = [at_ns for at_ns, _ in made.actions]
    assert times == sorted(times)
    assert made.end_ns >= times[-1]
    assert exposes_of(seed, exposes) == exposes


@given(st.integers(0, 10_000))
def test_thumbs_go_down_and_up_in_turn(seed: int) -> None:
    down: set[str] = set()
    for _, act in script(seed, TABLE, 20).actions:
        if isinstance(act, Press):
            assert act.seat not in down
            down.add(act.seat)
        elif isinstance(act, Release):
            down.remove(act.seat)
    assert not down


@given(st.integers(0, 10_000))
def test_t_exp_4_every_roll_is_one_die_and_every_dial_is_turned_once_a_game(seed: int) -> None:
    turned: set[str] = set()
    for _, act in script(seed, TABLE, 20).actions:
        if isinstance(act, TurnDial) and act.clicks > 0:
            assert 1 <= act.clicks <= 6
            assert len(act.gaps_ms) == act.clicks - 1
            assert act.square not in turned
            turned.add(act.square)
        elif isinstance(act, TypeLine) and act.line == "new":
            turned.clear()


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert script(7, TABLE, 20) == script(7, TABLE, 20)
    assert script(7, TABLE, 20) != script(8, TABLE, 20)


def test_a_plan_cannot_know_what_lies_under_the_squares() -> None:
    source = inspect.getsource(planning)
    assert "tables" not in source.replace("trap table", "")
    assert set(KnownTable.__dataclass_fields__) == {"seats", "squares", "turned", "known", "claiming"}


@pytest.mark.parametrize("seats", [("ANN",), SEATS])
def test_a_game_that_goes_on_is_planned_from_where_it_is(seats: tuple[str, ...]) -> None:
    table = KnownTable(seats, SQUARES, turned={"T01": 3, "T02": 5, "T03": 1}, claiming=("ANN",))
    acts = script(1, table, 1).actions
    assert isinstance(acts[0][1], Press)
    assert all(act.square == "T04" for _, act in acts if isinstance(act, TurnDial))
