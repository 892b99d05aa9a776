"""The rules as data."""

from __future__ import annotations

import pytest

from pi_app.game.rules import TRANSITIONS, Happening, SquareState, after, chance_of_36

QUICK = {2: 36, 3: 35, 4: 33, 5: 30, 6: 26, 7: 21, 8: 15, 9: 10, 10: 6, 11: 3, 12: 1, 13: 0, 14: 0, 15: 0}
SLOW = {2: 36, 3: 36, 4: 36, 5: 35, 6: 33, 7: 30, 8: 26, 9: 21, 10: 15, 11: 10, 12: 6, 13: 3, 14: 1, 15: 0}


@pytest.mark.parametrize("value", QUICK)
def test_t_dis_4_chances_of_thirty_six(value: int) -> None:
    """Two dice, and 2 more for the slow way alone (T-DIS-2, T-DIS-3)."""
    assert chance_of_36(value, slow=False) == QUICK[value]
    assert chance_of_36(value, slow=True) == SLOW[value]


def test_an_unlisted_pair_is_refused_with_both_names() -> None:
    with pytest.raises(ValueError, match="no way from 'disarmed' when a disarm fails"):
        after(SquareState.DISARMED, Happening.DISARM_FAILED)


def test_every_state_but_concealed_can_be_reached_and_left_or_is_final() -> None:
    reached = {state for state, _ in TRANSITIONS.values()}
    left = {state for state, _ in TRANSITIONS}
    assert reached == set(SquareState) - {SquareState.CONCEALED}
    assert set(SquareState) - left == {SquareState.DISARMED, SquareState.CLEAR_PUBLIC}


def test_every_transition_cites_a_rule() -> None:
    assert all(rule.count("-") == 2 for _, rule in TRANSITIONS.values())
