"""Pixels as cells, computed by hand; and lines that keep their width with any text."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import BRAILLE, HALF_BLOCKS, QUADRANTS, screen_lines, width_of

DARK = bytes(1024)


def frame(*lit: tuple[int, int]) -> bytes:
    """Return a frame with these (x, y) lit."""
    made = bytearray(1024)
    for x, y in lit:
        made[y // 8 * 128 + x] |= 1 << y % 8
    return bytes(made)


def test_darkness_is_spaces_so_that_no_font_draws_hollow_dots() -> None:
    for screen in (BRAILLE, QUADRANTS, HALF_BLOCKS, (12, 4)):
        assert screen_lines(DARK, screen) == (" " * screen[0],) * screen[1]


@pytest.mark.parametrize(
    ("pixel", "row", "column", "cell"),
    [
        ((0, 0), 0, 0, "⠁"),
        ((0, 1), 0, 0, "⠂"),
        ((0, 2), 0, 0, "⠄"),
        ((0, 3), 0, 0, "⡀"),
        ((1, 0), 0, 0, "⠈"),
        ((1, 3), 0, 0, "⢀"),
        ((127, 63), 15, 63, "⢀"),
        ((64, 12), 3, 32, "⠁"),
    ],
)
def test_each_pixel_is_one_braille_dot_in_its_place(pixel: tuple[int, int], row: int, column: int, cell: str) -> None:
    lines = screen_lines(frame(pixel), BRAILLE)
    assert lines[row][column] == cell
    assert sum(len(line.strip()) for line in lines) == 1


def test_a_full_frame_is_full_cells() -> None:
    for screen, cell in ((BRAILLE, "⣿"), (QUADRANTS, "█"), (HALF_BLOCKS, "█"), ((12, 4), "⣿")):
        assert screen_lines(b"\xff" * 1024, screen) == (cell * screen[0],) * screen[1]


def test_half_blocks_stand_two_pixels_high() -> None:
    lines = screen_lines(frame((3, 0), (4, 1), (5, 0), (5, 1), (127, 63)), HALF_BLOCKS)
    assert lines[0].rstrip() == "   ▀▄█"
    assert lines[31] == " " * 127 + "▄"


def test_a_quadrant_block_has_its_pixels_where_they_are() -> None:
    """The names of the blocks (Unicode 16, Block Elements) say which quarters they fill."""
    places = {(0, 0): "UPPER LEFT", (0, 1): "LOWER LEFT", (1, 0): "UPPER RIGHT", (1, 1): "LOWER RIGHT"}
    halves = {"▌": {"UPPER LEFT", "LOWER LEFT"}, "▐": {"UPPER RIGHT", "LOWER RIGHT"}}
    halves |= {"▀": {"UPPER LEFT", "UPPER RIGHT"}, "▄": {"LOWER LEFT", "LOWER RIGHT"}, "█": set(places.values())}
    for count in range(1, 5):
        for lit in itertools.combinations(places, count):
            cell = screen_lines(frame(*((6 + x, 2 + y) for x, y in lit)), QUADRANTS)[1][3]
            names = set(unicodedata.name(cell).removeprefix("QUADRANT ").split(" AND "))
            assert halves.get(cell, names) == {places[place] for place in lit}


def test_a_reduced_screen_keeps_every_light() -> None:
    for screen in ((32, 8), (12, 4)):
        lines = screen_lines(frame((77, 44)), screen)
        lit = [(x, y) for y, row in enumerate(lines) for x, cell in enumerate(row) if cell > " "]
        assert lit == [(77 * screen[0] // 128, 44 * screen[1] // 64)]


FILLED = {" ": 0, "█": 4, **dict.fromkeys("▌▐▀▄▞▚", 2), **dict.fromkeys("▘▖▝▗", 1), **dict.fromkeys("▛▙▜▟", 3)}


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=1024, max_size=1024))
def test_no_pixel_is_lost_or_made_up(picture: bytes) -> None:
    lit = int.from_bytes(picture, "little").bit_count()
    dots = sum(
        (ord(cell) - 0x2800).bit_count() for line in screen_lines(picture, BRAILLE) for cell in line if cell != " "
    )
    halves = sum(FILLED[cell] // 2 for line in screen_lines(picture, HALF_BLOCKS) for cell in line)
    quarters = sum(FILLED[cell] for line in screen_lines(picture, QUADRANTS) for cell in line)
    assert (dots, halves, quarters) == (lit, lit, lit)


def test_a_dial_at_its_start_mark_and_after_three_clicks_counter_clockwise() -> None:
    assert cells.dial(6, 12, 0.0) == (
        "   ⠄ ⢸⡇ ⠠   ",
        " ⠄   ⢸⡇   ⠠ ",
        "     ⢸⡇     ",
        "⠉    ⠈⠁    ⠉",
        " ⠂        ⠐ ",
        "   ⠂  ⡄ ⠐   ",
    )
    # The hand is two pixels thick and nine long: x 3 to 12 in the rows 11 and 12.
    assert cells.dial(6, 12, 3.0)[2:4] == (" ⢀⣀⣀⣀⣀⡀     ", "⠉⠈⠉⠉⠉⠉⠁    ⠉")


def test_counter_clockwise_goes_left_from_the_top() -> None:
    def weight_left(turned: float) -> int:
        plain, there = cells.dial(8, 12, 0.0), cells.dial(8, 12, turned)
        return sum(a != b for one, two in zip(plain, there, strict=True) for a, b in zip(one[:7], two[:7], strict=True))

    assert weight_left(2) > 0
    assert weight_left(-2) == 0


def test_the_smallest_dial_is_a_hand_alone() -> None:
    assert cells.dial(2, 12, 0.0) == ("  ⡇ ", "  ⠁ ")
    assert cells.dial(2, 12, 3.0) == ("  ⠁ ", "⠉⠉⠁ ")
    assert cells.dial(2, 12, 6.0) == ("  ⠁ ", "  ⡇ ")


def test_a_canvas_keeps_runs_of_one_style_together() -> None:
    canvas = cells.Canvas(8, 2, "text@ground")
    canvas.put(1, 0, "Ann", "name@ground")
    canvas.fill(6, 0, 9, 1, "key@bar")
    assert canvas.lines() == (
        ((" ", "text@ground"), ("Ann", "name@ground"), ("  ", "text@ground"), ("  ", "key@bar")),
        ((" " * 8, "text@ground"),),
    )


def test_what_does_not_fit_is_cut_and_wide_letters_are_never_halved() -> None:
    canvas = cells.Canvas(4, 1, "s@p")
    assert canvas.put(1, 0, "語語", "s@p") == 3
    assert canvas.lines() == (((" 語 ", "s@p"),),)
    assert canvas.put(0, 5, "below", "s@p") == 0


def test_what_no_terminal_should_be_sent_becomes_a_question_mark() -> None:
    canvas = cells.Canvas(6, 1, "s@p")
    canvas.put(0, 0, "a\x1b[2Jb", "s@p")
    assert canvas.lines() == ((("a?[2Jb", "s@p"),),)


def test_cut_says_that_it_cut() -> None:
    assert cells.cut("Great table", 11) == "Great table"
    assert cells.cut("Great table", 8) == "Great…"
    assert cells.cut("Great table", 6) == "Great…"
    assert cells.cut("Great table", 5) == "Grea…"
    assert cells.cut("語語語", 4) == "語…"
    assert cells.cut("Ann", 0) == ""


TRIGGERED = "triggered; Buzz Saw; quick disarm attempt by Ann"


@pytest.mark.parametrize(
    ("width", "rows", "lines"),
    [
        (12, 2, ("triggered;", "Buzz Saw…")),
        (24, 1, ("triggered; Buzz Saw…",)),
        (30, 2, ("triggered; Buzz Saw; quick", "disarm attempt by Ann")),
        (12, 1, ("triggered…",)),
        (9, 1, ("triggere…",)),
    ],
)
def test_whole_clauses_are_kept_and_the_first_ones(width: int, rows: int, lines: tuple[str, ...]) -> None:
    assert cells.first_clauses(TRIGGERED, width, rows) == lines


@given(st.text("ab ;,é語", max_size=60), st.integers(2, 30), st.integers(1, 3))
def test_clauses_never_need_more_room_than_there_is(text: str, width: int, rows: int) -> None:
    lines = cells.first_clauses(text, width, rows)
    assert len(lines) <= rows
    assert all(width_of(line) <= width for line in lines)


def test_wrap_breaks_between_words_and_within_only_if_it_must() -> None:
    assert cells.wrap("exposed by Ann", 12) == ("exposed by", "Ann")
    assert cells.wrap("a incomprehensible b", 6) == ("a", "incomp", "rehens", "ible b")
    assert cells.wrap("", 9) == ()


@given(st.text(max_size=60), st.integers(2, 30))
def test_no_line_is_ever_too_wide(text: str, width: int) -> None:
    assert all(cells.width_of(line) <= width for line in cells.wrap(text, width))
    assert cells.width_of(cells.cut(text, width)) <= width
    canvas = cells.Canvas(width, 1, "s@p")
    canvas.put(0, 0, text, "s@p")
    assert sum(cells.width_of(run) for run, _ in canvas.lines()[0]) == width
