"""How much room words need."""

from __future__ import annotations

import pytest

from pi_app.plans.pictures.marks import Text
from pi_app.plans.wiring.drawing.style import extent, text_width, wrapped

# Measured in DejaVu Sans and DejaVu Sans Bold of 100 units, one of the widest fonts that readers have.
MEASURED = {
    "GND": (229.3, 248.8),
    "GPIO 22": (405.0, 451.6),
    "P-supply-strip": (681.6, 790.4),
    "SSD1306 0x3C": (746.5, 812.7),
    "button ANN": (579.6, 657.8),
}


@pytest.mark.parametrize("text", MEASURED)
def test_words_are_never_taken_for_narrower_than_they_are(text: str) -> None:
    plain, bold = MEASURED[text]
    assert plain <= text_width(text, 100) <= 1.2 * plain
    assert bold <= text_width(text, 100, bold=True) <= 1.2 * bold


def test_words_lie_where_they_are_anchored() -> None:
    wide = text_width("GND", 10)
    left = extent(Text((100, 50), "GND", 10))
    middle = extent(Text((100, 50), "GND", 10, anchor="middle"))
    right = extent(Text((100, 50), "GND", 10, anchor="end"))
    assert (left.x, middle.x, right.right) == (100, 100 - wide / 2, 100)
    assert left.y < 50 < left.bottom


def test_long_words_are_broken_between_words_only() -> None:
    text = "VDD5V and VDD3V3 joined, DIR to 3.3 V, OUT and PGO left open"
    lines = wrapped(text, 10, 150)
    assert " ".join(lines) == text
    assert all(text_width(line, 10) <= 150 for line in lines)
    assert wrapped("indivisible", 10, 5) == ["indivisible"]
