from __future__ import annotations

from pi_app.play.typing_pace import TYPED, TypingPace

S = 1_000_000_000


def test_lines_that_come_too_fast_do_not_count_and_that_is_told_once() -> None:
    pace = TypingPace()
    taken = [pace.accepts("check", 0) for _ in range(1000)]
    assert taken == [True] * TYPED.at_once + [False] * (1000 - TYPED.at_once)
    assert [pace.to_be_told(), pace.to_be_told()] == [True, False]


def test_the_end_of_a_game_always_counts() -> None:
    pace = TypingPace()
    assert all(pace.accepts("check", 0) for _ in range(TYPED.at_once))
    assert pace.accepts(" END ", 0)
    assert pace.accepts("quit", 0)
    assert not pace.accepts("check", 5 * S)
    assert pace.accepts("check", 6 * S)


def test_after_a_pause_it_is_told_again() -> None:
    pace = TypingPace()
    pace.accepts("check", 0)
    assert pace.to_be_told()
    assert pace.accepts("check", S)
    assert not pace.to_be_told()
    assert pace.accepts("check", 3600 * S)
    assert pace.to_be_told()
