"""What may be sent to a terminal, a page or a spreadsheet, letter by letter."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.text.printed import in_csv, in_markdown, shown, shown_json, shown_lines
from tests.attack.dirty import raw_letters

ANY = st.text(st.characters(codec=None, categories=None), max_size=12)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("T01: exposed by Ann.", "T01: exposed by Ann."),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x00\x1b[2J\x7f\x9b", r"\x00\x1b[2J\x7f\x9b"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
        ("\udcff\ud800", r"\udcff\ud800"),
        ("\ue000\U0010ffff", r"\ue000\U0010ffff"),
        ("A\U000e0041\U000e007f", r"A\U000e0041\U000e007f"),
        ("A\ufe0fnn\u200b\u3164\u034f", r"A\ufe0fnn\u200b\u3164\u034f"),
        ("👨\u200d👩", r"👨\u200d👩"),
        (r"\x1b", r"\x1b"),
    ],
)
def test_what_acts_or_is_not_seen_is_shown(text: str, printed: str) -> None:
    assert shown(text) == printed


@pytest.mark.parametrize(
    "text",
    ["Zoë", "אנה", "سلمى", "安娜", "Анна", "Ἄννα", "❤\ufe0f", "1\ufe0f\u20e3", "🇩🇪", "«\xa0oui\u202f!\xa0»", "┌─⠀⣿▄▀│"],
)
def test_letters_of_every_script_and_emoji_stay(text: str) -> None:
    assert shown(text) == shown_lines(text) == shown_json(text) == text


def test_every_character_of_unicode() -> None:
    """Exactly those that a reader sees stay; what is shown is ASCII, and showing it again changes nothing."""
    for letter in map(chr, (*range(0x33480), *range(0xE0000, 0xE1010), 0xF0000, 0x10FFFD, sys.maxunicode)):
        printed = shown(letter)
        if printed == letter:
            assert unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"), hex(ord(letter))
        else:
            assert printed.isascii(), hex(ord(letter))
            assert printed.startswith("\\"), hex(ord(letter))


@given(ANY)
def test_nothing_raw_is_left(text: str) -> None:
    assert raw_letters(shown(text)) <= {"U+FE0F"}
    assert "\n" not in shown(text)
    assert shown(shown(text)) == shown(text)
    assert raw_letters(shown_lines(text)) <= {"U+FE0F"}
    assert shown_lines(text).count("\n") == text.count("\n")


@given(st.recursive(ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner), max_leaves=5))
def test_json_keeps_its_values(value: object) -> None:
    text = shown_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert raw_letters(text) <= {"U+FE0F"}
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("Ann & Ben", r"Ann \& Ben"),
        ("<b>*x*</b>", r"\<b\>\*x\*\</b\>"),
        ("[x](y)|z", r"\[x\](y)\|z"),
        ("# x", r"\# x"),
        ("1. x", r"1\. x"),
        ("- x", r"\- x"),
        ("a\n# b", r"a\\n\# b"),
    ],
)
def test_markdown_is_escaped(text: str, escaped: str) -> None:
    assert in_markdown(text) == escaped


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" @x", "' @x"),
        ("+", "+"),
        ("-5 V", "'-5 V"),
        ("\t=1", r"\t=1"),
        ("\r=1", r"\r=1"),
        ("Ann", "Ann"),
    ],
)
def test_a_cell_is_no_formula(text: str, cell: str) -> None:
    assert in_csv(text) == cell
