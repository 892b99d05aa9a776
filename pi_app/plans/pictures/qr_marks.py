"""A QR code as drawing marks. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pi_app.plans.pictures.marks import Areas, Mark, Point

QUIET: Final = 4
"""The modules of paper that a code needs on each side."""


def qr_marks(at: Point, drawn: Sequence[Sequence[bool]], side: float) -> Iterator[Mark]:
    """Yield a code (`pi_app.pages.qr.modules`) with its quiet zone, as a square from `at` to the right and down."""
    x, y = at
    size = side / (len(drawn) + 2 * QUIET)
    yield Areas(tuple(_runs(drawn, x + QUIET * size, y + QUIET * size, size)), "ink")


def _runs(drawn: Sequence[Sequence[bool]], x: float, y: float, size: float) -> Iterator[tuple[Point, ...]]:
    """The dark modules of each row, as one rectangle for each run."""
    for number, row in enumerate(drawn):
        top, start = y + number * size, None
        for place, dark in enumerate((*row, False)):
            if dark and start is None:
                start = place
            elif not dark and start is not None:
                left, right = x + start * size, x + place * size
                yield (left, top), (right, top), (right, top + size), (left, top + size)
                start = None
