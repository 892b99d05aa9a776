"""A sheet as SVG in mm, by drawsvg: black on white paper in light and in dark, since it is made to be printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import drawsvg

from pi_app.plans.printed.faces.marks import Area, Circle, Ink, Line, Mark, Point, Sheet, Words

FONTS: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
INKS: Final[dict[Ink, str]] = {"black": "#000000", "grey": "#777777", "white": "#ffffff"}


def svg(sheet: Sheet) -> str:
    """The file's text: printed at 100 % it has the size that it says."""
    drawing = drawsvg.Drawing(sheet.width, sheet.height, font_family=FONTS)
    drawing.set_render_size(f"{sheet.width:g}mm", f"{sheet.height:g}mm")
    drawing.append_title(sheet.title)
    drawing.append(drawsvg.Rectangle(0, 0, sheet.width, sheet.height, fill=INKS["white"]))
    for mark in sheet.marks:
        for element in _drawn(mark):
            drawing.append(element)
    text: str = drawing.as_svg()
    return text


def _drawn(mark: Mark) -> Iterator[Any]:
    match mark:
        case Line(points, wide, ink, closed):
            yield drawsvg.Path(d=_way(points, closed=closed), fill="none", stroke=INKS[ink], stroke_width=wide)
        case Circle((x, y), radius, wide):
            extra = {"fill": "none", "stroke": INKS["black"], "stroke_width": wide}
            yield drawsvg.Circle(_round(x), _round(y), _round(radius), **extra)
        case Area(points, ink):
            yield drawsvg.Path(d=_way(points, closed=True), fill=INKS[ink])
        case Words((x, y), words, size, turned_deg, anchor, bold, ink):
            font = {"font_weight": "bold"} if bold else {}
            if turned_deg:
                font["transform"] = f"rotate({_round(turned_deg)} {_round(x)} {_round(y)})"
            yield drawsvg.Text(
                words, round(size, 3), x=_round(x), y=_round(y), fill=INKS[ink], text_anchor=anchor, **font
            )


def _way(points: tuple[Point, ...], *, closed: bool) -> str:
    way = " L".join(f"{_round(x)},{_round(y)}" for x, y in points)
    return f"M{way}{' Z' if closed else ''}"


def _round(number: float) -> float:
    return round(number, 3) + 0.0
