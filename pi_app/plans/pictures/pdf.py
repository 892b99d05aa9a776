"""Sheets as one PDF, by fpdf2, with the fonts that every reader has. The same sheets give the same bytes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Final

from pi_app.plans.printed.faces.marks import Area, Circle, Ink, Line, Mark, Sheet, Words
from pi_app.text.errors import UserFileError

try:
    from fpdf import FPDF
except ImportError:
    raise UserFileError.at(
        "dial faces", "(PDF)", "the library for PDF is not installed (fpdf2)",
        "Install it with `pip install 'trapdial[parts]'`, or print the SVG",
    ) from None  # fmt: skip

INKS: Final[dict[Ink, int]] = {"black": 0, "grey": 119, "white": 255}
LETTERS: Final = "cp1252"
"""What the fonts have that every reader brings: all letters of the trap sheet's languages."""
POINT_MM: Final = 25.4 / 72


def written(sheets: Sequence[Sheet]) -> bytes:
    """The file's bytes; each page has its sheet's own size."""
    pdf = FPDF(unit="mm")
    pdf.core_fonts_encoding = LETTERS
    pdf.set_creation_date(datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC))
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    if sheets:
        pdf.set_title(sheets[0].title)
    for sheet in sheets:
        pdf.add_page(format=(sheet.width, sheet.height))
        for mark in sheet.marks:
            _draw(pdf, mark)
    return bytes(pdf.output())


def _draw(pdf: Any, mark: Mark) -> None:
    match mark:
        case Line(points, wide, ink, closed):
            pdf.set_line_width(wide)
            pdf.set_draw_color(INKS[ink])
            pdf.polyline([*points], style="D", polygon=closed)
        case Circle((x, y), radius, wide):
            pdf.set_line_width(wide)
            pdf.set_draw_color(INKS["black"])
            pdf.ellipse(x - radius, y - radius, 2 * radius, 2 * radius, style="D")
        case Area(points, ink):
            pdf.set_fill_color(INKS[ink])
            pdf.polyline([*points], style="F", polygon=True)
        case Words((x, y), words, size, turned_deg, anchor, bold, ink):
            said = words.encode(LETTERS, "replace").decode(LETTERS)
            pdf.set_font("Helvetica", "B" if bold else "", size / POINT_MM)
            pdf.set_text_color(INKS[ink])
            with pdf.rotation(-turned_deg, x, y):
                pdf.text(x - (pdf.get_string_width(said) / 2 if anchor == "middle" else 0), y, said)
