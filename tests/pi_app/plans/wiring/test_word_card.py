"""The page of the table's words: twenty at most, on one side, as the table types them."""

from __future__ import annotations

import itertools
import re

import pytest

from pi_app.plans.pictures.marks import A4_MM
from pi_app.plans.wiring.word_card import DICE, LINES, MOST_WORDS, TITLE, sheet
from pi_app.play.commands.words import USAGE
from pi_app.settings.load import example_path, load, speaking
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from pi_app.text.table_words import in_language
from tests.docs.pages import tables
from tests.pi_app.plans.wiring.drawn import WIDEST_LETTER, above_the_bar, bar_mm

TABLE = load(example_path("8x4"))


def shown(language: str) -> list[tuple[float, float, float, str]]:
    return above_the_bar(sheet(speaking(TABLE, [language])))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_one_side_of_paper(language: str) -> None:
    page = sheet(speaking(TABLE, [language]))
    assert 'width="210mm" height="297mm"' in page
    assert bar_mm(page) == 50
    rows: dict[float, list[tuple[float, float]]] = {}
    for x, y, size, text in shown(language):
        right = x + len(text) * size * WIDEST_LETTER * 0.92
        assert right < A4_MM[0] - 8, text
        assert 14 < y < A4_MM[1] - 20, text
        rows.setdefault(y, []).append((x, right))
    for parts in rows.values():
        for (_, right), (left, _) in itertools.pairwise(sorted(parts)):
            assert right < left
    for column in (14.0, 112.0):
        there = sorted(y for x, y, *_ in shown(language) if x == column)
        assert min(below - above for above, below in itertools.pairwise(there)) > 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_the_tables_own_words_with_the_english_ones(language: str) -> None:
    speak, texts = words(language), [text for *_, text in shown(language)]
    assert texts[0] == speak(TITLE)
    assert texts[2] == speak(DICE).format(roll=in_language("roll", speak))
    for line, meaning in LINES:
        verb = line.split()[0]
        own = in_language(verb, speak)
        assert any(text.split()[0] == own for text in texts)
        assert own == verb or verb in texts
        assert any(speak(meaning).startswith(text) for text in texts[3:])


def test_it_has_twenty_words_at_most_and_each_once() -> None:
    verbs = [line.split()[0] for line, _ in LINES]
    assert len(set(verbs)) == len(verbs) == MOST_WORDS == 20
    (rows,) = tables("wiring_docs/table_words.md", "you type", "when")
    assert sorted(verbs) == sorted(word for row in rows for word in re.findall(r"`(\w+)", row["you type"]))


def needed(usage: str) -> str:
    """A usage line without what may be left out, and with `roll` for its dice."""
    while (line := re.sub(r" \[[^][]*\]", "", usage)) != usage:
        usage = line
    return re.sub(r"( DIE)+", " roll", line)


def test_its_lines_are_those_of_the_help() -> None:
    """`hero` alone lists the Heroes; `hits` may have a die."""
    more = {"hero": "hero SEAT NAME ABILITY", "hits": "hits roll"}
    for line, _ in LINES:
        verb = line.split()[0]
        assert line == more.get(verb, needed(USAGE[verb][0]))
