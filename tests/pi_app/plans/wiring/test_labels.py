"""Labels for both ends of every lead."""

from __future__ import annotations

from collections import Counter

import pytest

from pi_app.plans.wiring.labels import HALF_MM, flags, sheets
from pi_app.plans.wiring.nets import wired
from pi_app.settings.load import EXAMPLES
from tests.pi_app.plans.wiring.drawn import WIDEST_LETTER, above_the_bar, bar_mm, texts
from tests.pi_app.plans.wiring.tables import example, read, text_of


@pytest.mark.parametrize("size", EXAMPLES)
def test_each_lead_has_two_labels(size: str) -> None:
    wiring = example(size)
    shown = Counter(words for svg in sheets(wiring) for *_, words in texts(svg))
    for lead in wiring.leads:
        assert shown[lead.label] == 4, "two flags, each with two halves"


def test_each_label_names_both_ends() -> None:
    both = [flag[1:] for flag in flags(example("2x2")) if flag[0] == "D-T02"]
    assert both == [
        ("dials mux 0x70 channel 1 and supply strip", "tile T02"),
        ("tile T02", "dials mux 0x70 channel 1 and supply strip"),
    ]


def test_words_stay_on_their_half() -> None:
    """With the longest names that settings allow."""
    text = text_of(2, 4, hub_tiles=2).replace("dials", "ABCDEFGHIJKLMNOPQRST").replace("west", "WESTWESTWESTWESTWEST")
    for svg in sheets(wired(read(text))):
        lines = above_the_bar(svg)
        assert lines
        for _, _, size, words in lines:
            assert len(words) * size * WIDEST_LETTER < HALF_MM - 1.5, words


@pytest.mark.parametrize("size", EXAMPLES)
def test_every_page_has_a_bar_of_50_mm_below_its_labels(size: str) -> None:
    for svg in sheets(example(size)):
        assert bar_mm(svg) == 50
        assert above_the_bar(svg)
