"""Tap and hold from the level of one button."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_app.play.gestures import BOUNCE_MS, ButtonGestures, Gesture

MS = 1_000_000


def gestures(levels: list[tuple[int, bool]], hold_ms: int = 400) -> list[Gesture]:
    """Return the gestures of a button that is polled every 5 ms; `levels` are (at_ms, pressed) changes."""
    thumb, said = ButtonGestures(hold_ms), []
    for now_ms in range(0, levels[-1][0] + 50, 5):
        pressed = [level for at_ms, level in levels if at_ms <= now_ms]
        gesture = thumb.feed(bool(pressed and pressed[-1]), now_ms * MS)
        said += [] if gesture is None else [gesture]
    return said


def test_a_short_press_is_a_tap() -> None:
    assert gestures([(100, True), (250, False)]) == [Gesture.TAP]


def test_a_long_press_is_a_hold_and_then_letting_go() -> None:
    assert gestures([(100, True), (1500, False)]) == [Gesture.HOLD, Gesture.LET_GO]


def test_the_hold_begins_while_the_button_is_still_down() -> None:
    thumb = ButtonGestures(hold_ms=400)
    assert thumb.feed(True, 0) is None
    assert thumb.feed(True, 399 * MS) is None
    assert thumb.feed(True, 400 * MS) is Gesture.HOLD
    assert thumb.feed(True, 5000 * MS) is None


def test_a_bouncing_contact_is_one_press() -> None:
    bounces = [(100, True), (105, False), (110, True), (300, False), (305, True), (310, False)]
    assert gestures(bounces) == [Gesture.TAP]


@given(st.lists(st.booleans(), max_size=300), st.integers(1, 30))
def test_gestures_always_come_in_order(levels: list[bool], step_ms: int) -> None:
    thumb, said = ButtonGestures(hold_ms=100), []
    for n, pressed in enumerate(levels):
        gesture = thumb.feed(pressed, n * step_ms * MS)
        said += [] if gesture is None else [gesture]
    held = False
    for gesture in said:
        assert (gesture is Gesture.LET_GO) == held
        held = gesture is Gesture.HOLD


def test_bounce_is_shorter_than_any_tap_of_a_person() -> None:
    assert BOUNCE_MS < 50
