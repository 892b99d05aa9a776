"""The screen as text, at several sizes; colour alone carries no information."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pi_app.simulated.live.advice import advice
from pi_app.simulated.live.cells import StyledLine, width_of
from pi_app.simulated.live.drawing import Chosen, draw, draw_too_small
from pi_app.simulated.live.lamp_reading import card_rows
from pi_app.simulated.live.layout import lay_out
from pi_app.simulated.live.values import Claiming, LogLine, Snapshot
from pi_app.simulated.live.widgets import style
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.simulated.live.views import ANN, BEN, DARK, EN, T01, T02, TABLE, plain

SIZES = [(80, 22), (100, 30), (120, 38), (140, 60), (200, 58), (300, 100)]


def drawn(table: Snapshot, width: int = 80, height: int = 22, chosen: Chosen | None = None) -> list[str]:
    return [plain(line) for line in lines_of(table, width, height, chosen or Chosen())]


def lines_of(table: Snapshot, width: int, height: int, chosen: Chosen) -> tuple[StyledLine, ...]:
    layout = lay_out(width, height, len(table.squares), len(table.seats), seat=chosen.seat, square=chosen.square)
    assert layout is not None
    return draw(table, chosen, layout, width, height, EN)


def test_a_small_terminal() -> None:
    rows = [row.rstrip() for row in drawn(TABLE)]
    assert rows[:6] == [
        " Trapdial  SIMULATED TABLE   SAMPLE traps   Small table                 1:02:03",
        "▸1 Ann    lamp ○ dark    button ▲ up     2 Ben    lamp ○ dark    button ▲ up",
        f"│{' ' * 64}│  ⡇ ▸T01",
        f"│{' ' * 64}│  ⠁  concealed",
        f"│{' ' * 64}│  ⡇  T02",
        f"│{' ' * 64}│  ⠁  concealed",
    ]
    assert rows[18:] == [
        f"└{'─' * 64}┘",
        "  0:00  Small table. The game is on. SIMULATED: no real dial was read.",
        "  1:05  referee: Finding T-AUD-2: T02 was turned without a claim.",
        " » Tap: c taps Ann's button and claims the next dial that moves.",
    ]


def test_a_large_terminal_draws_dials_and_every_glass() -> None:
    squares = (replace(T01, plugged=False), replace(T02, moving=True, turned_by="Ben", turned=3.0))
    seats = (
        replace(ANN, lamp=True, held=True, rolled=4, claiming=Claiming.OPEN),
        replace(BEN, pixels=None, lamp=None, card=card_rows("")),
    )
    rows = drawn(replace(TABLE, squares=squares, seats=seats), 180, 36)
    assert rows[1].split() == ["▸T01", "lead", "out", "T02", "turning"]
    assert rows[12].split() == ["concealed", "concealed"]
    assert rows[15][:66].rstrip() == "▸1 Ann       lamp ● bright  button ▼ held  screen dark  rolled ⚃ 4"
    assert rows[15][67:133].rstrip() == " 2 Ben       lamp ○ none    button ▲ up    screen –"
    assert rows[17][67:133].strip(" │") == "Ben has no screen: count the flashes, then read the card."
    assert rows[35].startswith(" » Rolled ⚃ 4. The lead of T01 is pulled: p plugs it in")


@pytest.mark.parametrize(("size", "first"), [((80, 22), ["⡁", " "]), ((120, 38), ["▘", "▖"]), ((300, 100), ["▀", "▄"])])
def test_a_glass_is_drawn_pixel_for_pixel_in_every_way(size: tuple[int, int], first: list[str]) -> None:
    lit = bytes([0b1001]) + bytes(1023)
    rows = drawn(replace(TABLE, seats=(replace(ANN, pixels=lit), BEN)), *size)
    row = next(n for n, text in enumerate(rows) if text[:1] == "│")
    assert [rows[row][1], rows[row + 1][1]] == first


@pytest.mark.parametrize("size", SIZES)
def test_a_dark_screen_has_a_frame_and_a_lit_one_shines_in_gold(size: tuple[int, int]) -> None:
    for lit in (False, True):
        ann = replace(ANN, pixels=b"\xff" * 1024 if lit else DARK)
        lines = lines_of(replace(TABLE, seats=(ann, BEN)), *size, Chosen())
        number = next(n for n, line in enumerate(lines) if plain(line)[:1] == "│")
        (edge, name), (inside, glass), *_ = lines[number]
        assert (edge[0], name) == ("│", f"{'oled1' if lit else 'edge'}@ground")
        assert (set(inside[:64]) == {" "}) is not lit
        assert glass == "oled1@glass"
        ink = style(name).color
        assert ink is not None
        red, green, blue = ink.get_truecolor()
        assert (red > green > 2 * blue) is lit, "gold"


def test_a_brighter_contrast_glows_more() -> None:
    def ink(contrast: int) -> str:
        table = replace(TABLE, seats=(replace(ANN, pixels=b"\xff" * 1024, contrast=contrast), BEN))
        return next(name for text, name in lines_of(table, 80, 22, Chosen())[5] if "⣿" in text)

    assert (ink(0x20), ink(0xFF)) == ("oled1@glass", "oled7@glass")


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("chosen", [Chosen(), Chosen(seat=1, square=1, back=3)])
def test_every_size_is_filled_exactly_and_says_simulated(width: int, height: int, chosen: Chosen) -> None:
    rows = drawn(TABLE, width, height, chosen)
    assert len(rows) == height
    assert {width_of(row) for row in rows} == {width}
    assert " SIMULATED TABLE " in rows[0]
    assert " SAMPLE traps " in rows[0]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_style_has_its_colours(width: int, height: int) -> None:
    squares = tuple(
        replace(T01, label=f"T{n:02}", state=state, told=state.lower(), between=n == 2)
        for n, state in enumerate(["CONCEALED", "EXPOSED", "TRIGGERED", "WITHDRAWN", "DISARMED", "CLEAR_PUBLIC"])
    )
    seats = (replace(ANN, pixels=b"\xff" * 1024, contrast=255, lamp=True, held=True), replace(BEN, pixels=None))
    for line in lines_of(replace(TABLE, squares=squares, seats=seats), width, height, Chosen()):
        for _, name in line:
            assert style(name).color is not None
            assert style(name).bgcolor is not None


def test_nothing_is_said_by_colour_alone() -> None:
    """Every two states of a lamp, a button, a lead and a choice differ in their text."""
    plain_table = drawn(TABLE)
    for other in (
        replace(TABLE, squares=(replace(T01, told=""), T02)),
        replace(TABLE, seats=(replace(ANN, lamp=True), BEN)),
        replace(TABLE, seats=(replace(ANN, held=True), BEN)),
        replace(TABLE, squares=(replace(T01, plugged=False), T02)),
        replace(TABLE, squares=(replace(T01, between=True), T02)),
        replace(TABLE, squares=(replace(T01, told="exposed by Ann"), T02)),
    ):
        assert drawn(other) != plain_table
    assert drawn(TABLE, chosen=Chosen(square=1)) != plain_table
    assert drawn(TABLE, chosen=Chosen(seat=1)) != plain_table


def test_a_long_name_and_a_wide_one_keep_the_columns() -> None:
    seats = (replace(ANN, name="Wolfeschlegelsteinha"), replace(BEN, name="魔法使いのベン"))
    row = drawn(replace(TABLE, table_name="語" * 40, seats=seats))[1]
    assert row == "▸1 Wolfe… lamp ○ dark    button ▲ up     2 魔法…  lamp ○ dark    button ▲ up    "


def test_what_was_said_can_be_leafed_back() -> None:
    many = replace(TABLE, log=tuple(LogLine(n, "public", f"line {n}") for n in range(20)))
    assert [row.split()[-1] for row in drawn(many)[19:21]] == ["18", "19"]
    assert [row.split()[-1] for row in drawn(many, chosen=Chosen(back=5))[19:21]] == ["13", "14"]
    assert [row.split()[-1] for row in drawn(many, chosen=Chosen(back=99))[19:21]] == ["0", "1"]


def test_a_sentence_whose_beginning_has_no_room_is_left_out() -> None:
    long = "The dial of T01 was turned by one click against the rules, and nobody had claimed it before that."
    log = (LogLine(1, "public", long), LogLine(2, "public", "short"))
    rows = [row.strip() for row in drawn(replace(TABLE, log=log))[19:21]]
    assert rows == ["0:02  short", ""]
    assert drawn(replace(TABLE, log=log[:1]))[19].strip().startswith("0:01  The dial")


def test_a_sentence_that_is_longer_than_the_log_begins_with_its_beginning() -> None:
    table = replace(TABLE, log=(LogLine(1, "referee", "one two three four five six seven eight nine ten " * 4),))
    rows = [row.strip() for row in drawn(table)[19:21]]
    assert rows[0].startswith("0:01  referee: one two three")
    assert rows[1].endswith("…")
    scrolled = [row.strip() for row in drawn(table, chosen=Chosen(back=1))[19:21]]
    assert "…" not in "".join(scrolled)


@pytest.mark.parametrize("size", SIZES)
def test_a_squares_line_ends_with_a_whole_word(size: tuple[int, int]) -> None:
    told = "triggered; Buzz Saw; quick disarm attempt by Ann"
    squares = tuple(replace(T01, label=f"T{n:02}", state="TRIGGERED", told=told) for n in range(8))
    text = "\n".join(drawn(replace(TABLE, squares=squares), *size))
    ends = {word.rstrip("…") for word in text.split() if word.endswith("…")}
    assert ends <= {"triggered", "Saw"}
    assert text.count("triggered") == 8


def test_a_narrow_list_has_the_first_word_rather_than_half_a_clause() -> None:
    told = "exposed by Wolfeschlegelsteinha"
    rows = drawn(replace(TABLE, squares=(replace(T01, state="EXPOSED", told=told), T02)))
    assert rows[3][66:].split() == ["⠁", "exposed"]


def test_the_chosen_seat_reads_the_log_and_the_squares_in_its_own_language() -> None:
    log = (
        LogLine(1, "public", "T01: aufgedeckt von Ann.", ("ANN",)),
        LogLine(1, "public", "T01: revelada por Ann.", ("BEN",)),
        LogLine(2, "referee", "Jeder Anzeiger steht auf seiner Startmarke."),
    )
    square = replace(
        T01, told="aufgedeckt von Ann", translated=(("de", "aufgedeckt von Ann"), ("es", "revelada por Ann"))
    )
    seats = (replace(ANN, language="de"), replace(BEN, language="es"))
    table = replace(TABLE, log=log, squares=(square, T02), seats=seats)
    for seat, own, other in ((0, "aufgedeckt", "revelada"), (1, "revelada", "aufgedeckt")):
        text = "\n".join(drawn(table, 120, 38, chosen=Chosen(seat=seat)))
        assert (f"0:01  T01: {own}" in text, text.count(own), other in text) == (True, 2, False)
        assert "referee: Jeder Anzeiger" in text


def test_many_squares_scroll_with_the_choice() -> None:
    squares = tuple(replace(T01, label=f"T{n:02}") for n in range(40))
    text = "\n".join(drawn(replace(TABLE, squares=squares), chosen=Chosen(square=33)))
    assert "▸T33" in text
    assert "T00" not in text


def test_a_tiny_terminal_says_what_it_needs() -> None:
    rows = [plain(line).rstrip() for line in draw_too_small(50, 4, EN)]
    assert rows == [
        "SIMULATED TABLE. This screen needs 80 columns and",
        "24 rows; make the window larger.",
        "",
        "",
    ]
    assert draw_too_small(0, 0, EN) == ()


def test_what_was_rolled_never_takes_the_room_of_a_key() -> None:
    ann = replace(ANN, rolled=4)
    short, whole = replace(T01, between=True), replace(T01, state="EXPOSED")
    assert drawn(replace(TABLE, squares=(short, T02), seats=(ann, BEN)))[-1].rstrip() == (
        " » Rolled ⚃ 4. T01 is between two clicks: b turns it to one."
    )
    assert drawn(replace(TABLE, squares=(whole, T02), seats=(ann, BEN)))[-1].rstrip() == (
        " » l looks again, d⏎ disarms T01, t⏎ triggers it for Ann; or choose another."
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_in_every_language_the_screen_is_full_and_what_does_not_fit_ends_in_an_ellipsis(
    language: str, size: tuple[int, int]
) -> None:
    width, height = size
    speak = words(language)
    claiming = replace(ANN, claiming=Claiming.OPEN)
    for table in (TABLE, replace(TABLE, seats=(claiming, BEN))):
        layout = lay_out(width, height, 2, 2, seat=0, square=0)
        assert layout is not None
        rows = [plain(line) for line in draw(table, Chosen(), layout, width, height, speak)]
        assert {width_of(row) for row in rows} == {width}
        told = advice(table, table.seats[0], T01, speak).replace("`", "").translate({0xA0: " ", 0x202F: " "})
        shown = rows[-1].removeprefix(" » ").rstrip()
        assert shown == told or (shown.endswith("…") and told.startswith(shown[:-1]))
