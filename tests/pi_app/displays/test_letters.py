"""Our font: complete, distinct, and never silently missing a letter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.displays.letters import bits, letter, plain, width, wrapped

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ACCENTED = "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöùúûüýÿß"
SIGNS = ".,:;!?+-=/()[]<>'\"*&#%_°¿¡«»|@’“”„œŒ"
BOX = letter("\u4e2d")


def test_golden_letters() -> None:
    assert letter("g") == ("....", "....", "....", ".###", "#..#", ".###", "...#", ".##.")
    assert letter("ä") == ("....", "#.#.", "....", ".###", "#..#", "#..#", ".###", "....")
    assert letter("Ä") == ("#..#", "....", ".##.", "#..#", "####", "#..#", "#..#", "....")
    assert letter("ç") == ("...", "...", "...", ".##", "#..", "#..", ".##", "..#")
    assert letter("É") == ("..#.", "....", "####", "#...", "###.", "#...", "####", "....")
    assert letter("Ï") == ("#.#", "...", "###", ".#.", ".#.", ".#.", "###", "...")
    assert letter("í") == ("..#", ".#.", "...", ".#.", ".#.", ".#.", ".#.", "...")


@pytest.mark.parametrize("bold", [False, True])
def test_every_letter_of_five_languages_is_drawn_and_only_o_and_zero_look_alike(bold: bool) -> None:
    drawn = {character: bits(character, bold=bold) for character in LATIN + ACCENTED + SIGNS + "\u4e2d"}
    alike = {character for character in drawn if list(drawn.values()).count(drawn[character]) > 1}
    assert alike == {"O", "0"}


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("character", LATIN + ACCENTED + SIGNS + " ")
def test_a_letter_is_eight_rows_within_its_width(character: str, bold: bool) -> None:
    wide, rows = bits(character, bold=bold)
    assert len(rows) == 8
    assert all(0 <= row < 1 << wide for row in rows)
    assert len({len(row) for row in letter(character)}) == 1


@pytest.mark.parametrize("character", ["\u4e2d", "ạ", "Ж", "\t"])
def test_a_missing_character_is_a_box(character: str) -> None:
    assert letter(character) == BOX


def rows_of(character: str) -> list[str]:
    wide, rows = bits(character, bold=True)
    return [f"{row:0{wide}b}".replace("1", "#").replace("0", ".") for row in rows]


def test_bold_doubles_uprights_and_never_closes_a_gap() -> None:
    assert rows_of("h") == [".....", "##...", "##...", "####.", "##.##", "##.##", "##.##", "....."]
    assert rows_of("4")[3:5] == ["#.##.", "#####"]
    assert rows_of("m")[3:5] == ["#######.", "##.##.##"]


def test_texts_are_converted_to_characters_of_the_font() -> None:
    assert plain("Chute d’objet – œuf … 3×3\u00a0æ") == "Chute d’objet - œuf ... 3*3 ae"
    assert plain("a\u0308") == "ä"


def test_widths_add_up() -> None:
    assert [width(text) for text in ("", "i", "ii", "A b", "m")] == [0, 1, 3, 4 + 1 + 2 + 1 + 4, 5]
    assert width("A", bold=True) == 5


def test_wrapping_breaks_at_spaces_and_only_where_it_must_within_a_word() -> None:
    assert wrapped("Noxious Acid Pool", 60) == ("Noxious Acid", "Pool")
    assert wrapped("abcdefgh", 20) == ("abcd", "efgh")
    assert wrapped("  ", 20) == ()
    assert wrapped("Speer-Fallgrube", 80, bold=True) == ("Speer-", "Fallgrube")


def test_a_line_is_never_broken_before_a_french_colon() -> None:
    assert wrapped("Points d’expérience\u00a0: 7", 80) == ("Points", "d’expérience\u00a0: 7")


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("aMil Wöß-,中"), max_size=40), wide=st.integers(10, 90), bold=st.booleans())
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, wide: int, bold: bool) -> None:
    lines = wrapped(text, wide, bold=bold)
    assert all(width(line, bold=bold) <= wide for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
