"""Burn-in: pictures shift with the time and nothing else, and stay complete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.displays.canvas import HEIGHT, WIDTH, area
from pi_app.displays.frame import LIT_PIXELS
from pi_app.displays.picture import canvas_of, draw
from pi_app.displays.seat import SeatDisplay
from pi_app.displays.shift import MOST_ACROSS, MOST_DOWN, STEP_NS, Shift, placed, shift_at, shifted
from pi_app.report.pictures import Say, SeatPicture, ShowFace
from tests.pi_app.displays.frames import CLEAR, face

HOUR_NS = 3_600_000_000_000

frames = st.binary(min_size=1024, max_size=1024)
shifts = st.builds(Shift, st.integers(-MOST_ACROSS, MOST_ACROSS), st.integers(-MOST_DOWN, MOST_DOWN))


def pixels(frame: bytes) -> set[tuple[int, int]]:
    return {(at % WIDTH, at // WIDTH * 8 + bit) for at, byte in enumerate(frame) for bit in range(8) if byte >> bit & 1}


@given(frame=frames, shift=st.builds(Shift, st.integers(-200, 200), st.integers(-100, 100)))
@pytest.mark.slow
def test_every_pixel_moves_the_same_way_and_wraps_around(frame: bytes, shift: Shift) -> None:
    moved = {((x + shift.across) % WIDTH, (y + shift.down) % HEIGHT) for x, y in pixels(frame)}
    assert pixels(shifted(frame, shift)) == moved


def test_golden_corner() -> None:
    frame = bytes([0x80]) + bytes(1023)  # the left column, row 7
    assert shifted(frame, Shift(-1, 1)) == bytes(128 + 127) + b"\x01" + bytes(1024 - 256)
    assert shifted(frame, Shift()) == frame


@given(frame=frames, shift=shifts)
def test_s_6_no_pixel_more_or_less_is_lit(frame: bytes, shift: Shift) -> None:
    assert len(pixels(shifted(frame, shift))) == len(pixels(frame))


def test_all_places_follow_one_pixel_at_a_time_and_equally_long() -> None:
    steps = [shift_at(step * STEP_NS) for step in range(16 * 8)]
    assert steps[0] == Shift(0, 0), "a short game is not moved at all"
    assert {shift.across for shift in steps} == set(range(-MOST_ACROSS, MOST_ACROSS + 1))
    assert {shift.down for shift in steps} == set(range(-MOST_DOWN, MOST_DOWN + 1))
    assert len({(shift.across, shift.down) for shift in steps}) == 9 * 5
    for one, next_one in zip(steps, [*steps[1:], steps[0]], strict=True):
        assert abs(one.across - next_one.across) + abs(one.down - next_one.down) in (1, 2)
    assert 16 * 8 * STEP_NS <= 24 * HOUR_NS, "within a day"


TRAP = face()
SAID = Say(lines=("Turn a dial first, then hold to look.",), label="T01")


@pytest.mark.parametrize("hours", [0, 1, 5.5, 100, 5_000])
def test_s_6_where_a_face_stands_follows_from_the_time_and_not_from_the_face(hours: float) -> None:
    now_ns = round(hours * HOUR_NS)
    across = shift_at(now_ns).across
    for picture in (CLEAR, TRAP):
        frame = draw(picture, str)
        assert placed(frame, picture, now_ns) == shifted(frame, Shift(across))
        assert len(pixels(placed(frame, picture, now_ns))) == LIT_PIXELS


def test_neutral_words_move_down_too() -> None:
    moments = [step * STEP_NS for step in range(128)]
    frame = draw(SAID, str)
    assert len({placed(frame, SAID, at) for at in moments}) == 9 * 5
    assert len({placed(draw(TRAP, str), TRAP, at) for at in moments}) == 9


@pytest.mark.parametrize("picture", [CLEAR, TRAP, face(note="x" * 60, effect="many words " * 9, sample=True)])
def test_letters_of_a_face_never_leave_at_an_edge(picture: ShowFace) -> None:
    ink = canvas_of(picture, str).ink
    for edge in (area(0, 0, MOST_ACROSS, HEIGHT), area(WIDTH - MOST_ACROSS, 0, WIDTH, HEIGHT)):
        assert ink & edge == 0


@given(words=st.lists(st.text(st.characters(codec="ascii", categories=["L"]), max_size=60), max_size=6))
def test_neutral_words_never_leave_at_an_edge(words: list[str]) -> None:
    ink = canvas_of(Say(lines=tuple(words), label="T01"), str).ink
    whole = area(0, 0, WIDTH, HEIGHT)
    inner = area(MOST_ACROSS, MOST_DOWN, WIDTH - MOST_ACROSS, HEIGHT - MOST_DOWN)
    assert ink & (whole ^ inner) == 0


class Glass:
    """A screen that records its frames."""

    trouble = None

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def show(self, frame: bytes, *, whole: bool) -> None:
        self.frames.append(frame)

    def light(self, contrast: int) -> None:
        """Ignored."""

    def dark(self) -> None:
        """Ignored."""


def test_a_seat_shows_the_same_picture_elsewhere_an_hour_later() -> None:
    glass = Glass()
    display = SeatDisplay(str, draw, screen=glass)
    shown: list[SeatPicture] = [SAID, TRAP]
    for picture in shown:
        display.show(picture, 0)
        display.show(picture, HOUR_NS)
    first, later, face_first, face_later = glass.frames
    assert (first, face_first) == (draw(SAID, str), draw(TRAP, str))
    assert later == shifted(first, shift_at(HOUR_NS)) != first
    assert face_later == shifted(face_first, Shift(shift_at(HOUR_NS).across)) != face_first
