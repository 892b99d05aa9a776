"""A card for each seat."""

from __future__ import annotations

import itertools
from typing import get_args

from pi_app.game.lamp_deal import LampKind
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.plans.wiring.cards import HEIGHT_MM, WIDTH_MM, sheets
from pi_app.report.lamp_code import CODE, CodeWord
from pi_app.settings.load import example_path, load, speaking
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.attack.camera import coded
from tests.pi_app.plans.wiring.drawn import WIDEST_LETTER, above_the_bar, bar_mm, texts
from tests.pi_app.plans.wiring.tables import read, text_of

MIXED = speaking(load(example_path("8x4")), ["de", "fr", "en", "it"])


def test_each_seat_reads_its_own_language() -> None:
    (sheet,) = sheets(MIXED)
    shown = [text for *_, text in texts(sheet)]
    for seat in MIXED.seats.values():
        assert seat.name in shown
        for name in TRAP_NAMES.values():
            assert words(seat.language)(name) in shown


def test_the_signs_are_the_lamps_own() -> None:
    """Long and short boxes in the order of the code."""
    from xml.etree import ElementTree

    (sheet,) = sheets(speaking(load(example_path("2x2")), ["en"]))
    boxes = ElementTree.fromstring(sheet).iter("{http://www.w3.org/2000/svg}rect")
    signs = [float(box.attrib["width"]) > 5 for box in boxes if box.attrib["class"] == "f-ink"]
    of_one = signs[:50]
    assert len(signs) == 100
    assert [tuple(of_one[start : start + 5]) for start in range(0, 50, 5)] == [CODE[word] for word in CODE]
    assert len(CodeWord) == 10


def test_a_card_says_when_its_words_hold() -> None:
    """Of a dealt code it has the patterns alone; its words come with each game."""
    made = {kind: [text for *_, text in texts(sheets(coded(MIXED, kind))[0])] for kind in get_args(LampKind)}
    spoken = words("de")
    assert spoken("Use this card only while your screen is out.") in made["once"]
    assert spoken("Each game deals these patterns again: fill in the words.") in made["dealt"]
    assert "Kreissäge" not in made["dealt"]
    assert made["dealt"].count("." * 30) == 40
    assert {*made["public"]} < {*made["once"]}


def test_words_stay_on_their_card() -> None:
    for language in LANGUAGES:
        spoken = speaking(MIXED, [language])
        cards = [sheet for kind in get_args(LampKind) for sheet in sheets(coded(spoken, kind))]
        for x, y, size, text in itertools.chain.from_iterable(map(above_the_bar, cards)):
            if x % 1 or size < 6:
                assert len(text) * size * WIDEST_LETTER * 0.85 < WIDTH_MM - 8, text
            assert 15 < y < 297 - 15
            assert size < HEIGHT_MM


def test_a_seat_with_a_screen_alone_has_no_card() -> None:
    text = text_of(1, 1).replace("lamp_gpio = 6\n", "")
    assert sheets(read(text)) == []


def test_five_seats_need_a_second_page() -> None:
    text = text_of(1, 4) + '[seat.S9]\nname = "Fifth"\nbutton_gpio = 25\nlamp_gpio = 26\n'
    assert len(sheets(read(text))) == 2


def test_every_page_has_a_bar_of_50_mm_below_its_cards() -> None:
    text = text_of(1, 4) + '[seat.S9]\nname = "Fifth"\nbutton_gpio = 25\nlamp_gpio = 26\n'
    pages = sheets(read(text))
    assert [bar_mm(page) for page in pages] == [50, 50]
    assert all(above_the_bar(page) for page in pages)
