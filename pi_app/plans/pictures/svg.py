"""A picture as SVG, written by drawsvg. It follows the reader's light or dark theme, and prints on white paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import drawsvg

from pi_app.plans.pictures.marks import (
    DARK,
    LIGHT,
    Area,
    Areas,
    Colour,
    Disc,
    Mark,
    Picture,
    Point,
    Stroke,
    Strokes,
    Text,
)

FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def svg(picture: Picture) -> str:
    """The file's text. It asks nothing of any other file."""
    drawing = drawsvg.Drawing(picture.width, picture.height, font_family=FONTS)
    drawing.append_title(picture.title)
    drawing.append_css(_sheet())
    for mark in picture.marks:
        for element in _drawn(mark):
            drawing.append(element)
    text: str = drawing.as_svg()
    return text


def _sheet() -> str:
    dark = "\n".join(_rules(DARK))
    light = "\n".join(_rules(LIGHT))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n@media print {{\n{light}\n}}"


def _rules(colours: Mapping[Colour, str]) -> Iterator[str]:
    for name, value in colours.items():
        yield f".f-{name} {{ fill: {value} }} .s-{name} {{ stroke: {value} }}"


def _drawn(mark: Mark) -> Iterator[Any]:
    match mark:
        case Stroke(points, colour, width, closed, dashed):
            extra = {"stroke_dasharray": "3 4"} if dashed else {}
            yield drawsvg.Path(
                d=_way(points, closed=closed), class_=f"s-{colour}", fill="none", stroke_width=width,
                stroke_linejoin="round", stroke_linecap="round", **extra,
            )  # fmt: skip
        case Strokes(ways, colour, width):
            way = " ".join(_way(points, closed=False) for points in ways)
            yield drawsvg.Path(d=way, class_=f"s-{colour}", fill="none", stroke_width=width, stroke_linecap="round")
        case Areas(shapes, colour):
            yield drawsvg.Path(d=" ".join(_way(points, closed=True) for points in shapes), class_=f"f-{colour}")
        case Area(points, colour):
            yield drawsvg.Path(d=_way(points, closed=True), class_=f"f-{colour}")
        case Disc((x, y), radius, colour, rim, rim_width):
            yield drawsvg.Circle(_round(x), _round(y), radius, class_=f"f-{colour} s-{rim}", stroke_width=rim_width)
        case Text((x, y), words, size, colour, anchor, bold):
            weight = {"font_weight": "600"} if bold else {}
            yield drawsvg.Text(
                words, size, x=_round(x), y=_round(y), class_=f"f-{colour}", text_anchor=anchor, **weight
            )


def _way(points: tuple[Point, ...], *, closed: bool) -> str:
    way = " L".join(f"{_round(x)},{_round(y)}" for x, y in points)
    return f"M{way}{' Z' if closed else ''}"


def _round(number: float) -> float:
    return round(number, 2)
