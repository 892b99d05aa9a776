"""Labels for both ends of every lead: flags to cut out, wrap around the cable, and glue back to back."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from pi_app.plans.pictures.marks import A4_MM, Block, Mark, Polyline, Rect, Text, in_pages
from pi_app.plans.pictures.svg import svg
from pi_app.plans.wiring.values import Wiring

HALF_MM: Final = 40.0
ROUND_MM: Final = 10.0
"""The part around the cable, between the two halves."""
HEIGHT_MM: Final = 16.0
COLUMNS: Final = 2
ROWS: Final = 16
PER_PAGE: Final = COLUMNS * ROWS
_ACROSS: Final = 29
"""Letters in a line of the small print."""
_WIDE: Final = 0.64
"""Of a bold letter's size."""


def flags(wiring: Wiring) -> list[tuple[str, str, str]]:
    """The label, the place of this end and of the other one; two flags per lead."""
    return [(lead.label, *ends) for lead in wiring.leads for ends in ((lead.near, lead.far), (lead.far, lead.near))]


def sheets(wiring: Wiring) -> list[str]:
    """SVG pages of A4, to print 1:1."""
    groups = [tuple(_flag(place % PER_PAGE, *flag)) for place, flag in enumerate(flags(wiring))]
    return [svg(page) for page in in_pages(groups, PER_PAGE, f"Labels of {wiring.name}")]


def _flag(place: int, label: str, here: str, other: str) -> Iterator[Mark]:
    row, column = divmod(place, COLUMNS)
    width = 2 * HALF_MM + ROUND_MM
    x = (A4_MM[0] - COLUMNS * width - (COLUMNS - 1) * 4) / 2 + column * (width + 4)
    y = (A4_MM[1] - ROWS * HEIGHT_MM - (ROWS - 1) * 1.2) / 2 + row * (HEIGHT_MM + 1.2)
    yield Block(Rect(x, y, width, HEIGHT_MM), "", "grey", 0.2, dash="1.5 1.5")
    for fold in (x + HALF_MM, x + HALF_MM + ROUND_MM):
        yield Polyline(((fold, y), (fold, y + HEIGHT_MM)), "grey", 0.2, "0.6 1")
    for left in (x, x + HALF_MM + ROUND_MM):
        yield from _half(left + 1.5, y, label, here, other)


def _half(x: float, y: float, label: str, here: str, other: str) -> Iterator[Mark]:
    size = min(3.8, (HALF_MM - 3) / len(label) / _WIDE)
    yield Text((x, y + 4.4), label, round(size, 2), bold=True)
    lines = [(line, True) for line in _wrapped(f"this end: {here}")]
    lines += [(line, False) for line in _wrapped(f"other end: {other}")]
    step = min(2.6, (HEIGHT_MM - 8.6) / max(1, len(lines) - 1))
    for number, (line, bold) in enumerate(lines):
        yield Text((x, y + 7.4 + number * step), line, min(2.1, step * 0.8), bold=bold)


def _wrapped(text: str) -> list[str]:
    """Lines of small print; `channel 3` is not broken."""
    return textwrap.wrap(text.replace("channel ", "channel\N{NO-BREAK SPACE}"), _ACROSS)
