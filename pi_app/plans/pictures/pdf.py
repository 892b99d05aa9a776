"""Write pages as one PDF with fpdf2 and the standard fonts. The same pages give the same bytes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pi_app.plans.pictures.marks import Area, Areas, Block, Disc, Ink, Mark, Picture, Point, Polyline, Polylines, Text
from pi_app.text.errors import UserFileError

try:
    from fpdf import FPDF
except ImportError:
    raise UserFileError.at(
        "dial faces", "(PDF)", "the library for PDF is not installed (fpdf2)",
        "Install it with `trapdial extras install parts`, or print the SVG",
    ) from None  # fmt: skip

LETTERS: Final = "cp1252"
"""The encoding of the standard fonts: it has all letters of the trap sheet's languages."""
POINT_MM: Final = 25.4 / 72


def pdf(pages: Sequence[Picture]) -> bytes:
    """The file's bytes. Each page has the size of its picture, in millimetres."""
    made = FPDF(unit="mm")
    made.core_fonts_encoding = LETTERS
    made.set_creation_date(datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC))
    made.set_auto_page_break(False)
    made.set_margin(0)
    if pages:
        made.set_title(pages[0].title)
    for page in pages:
        made.add_page(format=(page.width, page.height))
        for mark in page.marks:
            _draw(made, mark, page.style.light)
    return bytes(made.output())


def _draw(made: Any, mark: Mark, colours: Mapping[Ink, str]) -> None:
    match mark:
        case Polyline(points, ink, width, _, closed):
            _line(made, [points], colours[ink], width, closed=closed)
        case Polylines(ways, ink, width):
            _line(made, ways, colours[ink], width)
        case Area(points, ink):
            _fill(made, [points], colours[ink])
        case Areas(shapes, ink):
            _fill(made, shapes, colours[ink])
        case Block(rect, ink, rim, width):
            made.rect(rect.x, rect.y, rect.w, rect.h, style=_inked(made, colours, ink, rim, width))
        case Disc((x, y), radius, ink, rim, width):
            style = _inked(made, colours, ink, rim, width)
            made.ellipse(x - radius, y - radius, 2 * radius, 2 * radius, style=style)
        case Text((x, y), text, size, ink, anchor, bold, turned_deg):
            known = text.encode(LETTERS, "replace").decode(LETTERS)
            made.set_font("Helvetica", "B" if bold else "", size / POINT_MM)
            made.set_text_color(colours[ink])
            back = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * made.get_string_width(known)
            with made.rotation(-turned_deg, x, y):
                made.text(x - back, y, known)


def _line(made: Any, ways: Iterable[tuple[Point, ...]], colour: str, width: float, *, closed: bool = False) -> None:
    made.set_line_width(width)
    made.set_draw_color(colour)
    for points in ways:
        made.polyline([*points], style="D", polygon=closed)


def _fill(made: Any, shapes: Iterable[tuple[Point, ...]], colour: str) -> None:
    made.set_fill_color(colour)
    for points in shapes:
        made.polyline([*points], style="F", polygon=True)


def _inked(made: Any, colours: Mapping[Ink, str], ink: Ink, rim: Ink, width: float) -> str:
    """Set both colours. Return fpdf's style: D, F or DF."""
    if ink:
        made.set_fill_color(colours[ink])
    if rim:
        made.set_draw_color(colours[rim])
        made.set_line_width(width)
    return ("D" if rim else "") + ("F" if ink else "")
