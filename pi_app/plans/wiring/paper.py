"""Sheets of A4 to print 1:1, as SVG: boxes, cut lines and words at places in millimetres."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import drawsvg

WIDTH_MM: Final = 210.0
HEIGHT_MM: Final = 297.0
MARGIN_MM: Final = 10.0
FONTS: Final = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK: Final = "#1a1a1a"
PALE: Final = "#8a8a8a"


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text: `x` is its start or middle, `y` its base line."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    anchor: Literal["start", "middle"] = "start"
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `filled` with ink, or only its rim; `dashed` to cut along."""

    x: float
    y: float
    width: float
    height: float
    filled: bool = False
    dashed: bool = False
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin dashed line to fold along."""

    x1: float
    y1: float
    x2: float
    y2: float


Mark = Words | Box | Rule


def sheet(marks: Iterable[Mark], title: str) -> str:
    """One A4 page. It stays black on white in every theme, since it is made to be printed."""
    drawing = drawsvg.Drawing(WIDTH_MM, HEIGHT_MM, font_family=FONTS)
    drawing.set_render_size(f"{WIDTH_MM:g}mm", f"{HEIGHT_MM:g}mm")
    drawing.append_title(title)
    drawing.append(drawsvg.Rectangle(0, 0, WIDTH_MM, HEIGHT_MM, fill="#ffffff"))
    for mark in marks:
        drawing.append(_drawn(mark))
    text: str = drawing.as_svg()
    return text


def _drawn(mark: Mark) -> Any:
    match mark:
        case Words(x, y, text, size, bold, anchor, pale):
            weight = {"font_weight": "700"} if bold else {}
            return drawsvg.Text(
                text, size, x=round(x, 2), y=round(y, 2), text_anchor=anchor, fill=PALE if pale else INK, **weight
            )
        case Box(x, y, width, height, filled, dashed, radius):
            dashes = {"stroke_dasharray": "1.5 1.5"} if dashed else {}
            return drawsvg.Rectangle(
                round(x, 2), round(y, 2), width, height, rx=radius, fill=INK if filled else "none",
                stroke=PALE if dashed else INK, stroke_width=0.2, **dashes,
            )  # fmt: skip
        case Rule(x1, y1, x2, y2):
            return drawsvg.Line(
                round(x1, 2), round(y1, 2), round(x2, 2), round(y2, 2), stroke=PALE, stroke_width=0.2,
                stroke_dasharray="0.6 1",
            )  # fmt: skip


def in_pages(marks: Sequence[Sequence[Mark]], per_page: int, title: str) -> list[str]:
    """Sheets with so many groups of marks on each."""
    groups = [marks[start : start + per_page] for start in range(0, len(marks), per_page)]
    return [sheet([mark for group in page for mark in group], title) for page in groups]
