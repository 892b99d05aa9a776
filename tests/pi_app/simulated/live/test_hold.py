"""A key that repeats, and never reports its release."""

from __future__ import annotations

from pi_app.simulated.live.hold import HoldKey

MS = 1_000_000
AT_MOST_NS = 9_000 * MS


def played(presses_ms: list[int], until_ms: int, at_most_ns: int = AT_MOST_NS) -> list[tuple[int, bool]]:
    """Return when the button was pressed and released, polled every 10 ms."""
    key, changes = HoldKey(at_most_ns), []
    for now_ms in range(0, until_ms, 10):
        said = [key.pressed(now_ms * MS)] if now_ms in presses_ms else []
        said.append(key.passed(now_ms * MS))
        changes += [(now_ms, change) for change in said if change is not None]
    return changes


def test_one_press_holds_until_the_time_is_out() -> None:
    assert played([100], 20_000) == [(100, True), (9_110, False)]


def test_a_second_press_lets_go_at_once() -> None:
    assert played([100, 3_000], 5_000) == [(100, True), (3_000, False)]


def test_a_soon_second_press_lets_go_once_it_is_clear_that_it_does_not_repeat() -> None:
    assert played([100, 600], 5_000) == [(100, True), (730, False)]


def test_a_key_held_down_holds_for_just_as_long() -> None:
    repeats = [100, 600, *range(640, 2_000, 40)]
    assert played(repeats, 5_000) == [(100, True), (max(repeats) + 260, False)]


def test_a_key_that_repeats_at_once_is_one_press() -> None:
    assert played([100, 130, 160], 1_000) == [(100, True), (420, False)]


def test_after_letting_go_it_holds_again() -> None:
    assert played([100, 2_000, 3_000, 5_000], 6_000) == [(100, True), (2_000, False), (3_000, True), (5_000, False)]
