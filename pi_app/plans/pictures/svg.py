"""Write a picture as SVG with drawsvg. The file needs no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import drawsvg

from pi_app.plans.pictures.marks import (
    Area,
    Areas,
    Block,
    Disc,
    Ink,
    Mark,
    Picture,
    Point,
    Polyline,
    Polylines,
    Style,
    Text,
)  # fmt: skip
from pi_app.text.printed import shown_lines


def svg(picture: Picture) -> str:
    """The file's text. It follows the reader's theme if its style has a dark one, and prints on white paper."""
    drawing = drawsvg.Drawing(_round(picture.width), _round(picture.height), font_family=picture.style.fonts)
    if picture.mm is not None:
        drawing.set_render_size(*(f"{mm:g}mm" for mm in picture.mm))
    drawing.append_title(picture.title)
    drawing.append_css(_css(picture.style))
    for mark in picture.marks:
        drawing.append(_drawn(mark))
    text: str = drawing.as_svg()
    return shown_lines(text)


def _css(style: Style) -> str:
    light = "\n".join(_rules(style.light))
    if style.dark is None:
        return light
    dark = "\n".join(_rules(style.dark))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n@media print {{\n{light}\n}}"


def _rules(inks: Mapping[Ink, str]) -> Iterator[str]:
    for name, value in inks.items():
        yield f".f-{name} {{ fill: {value} }} .s-{name} {{ stroke: {value} }}"


def _drawn(mark: Mark) -> Any:
    match mark:
        case Polyline(points, ink, width, dash, closed):
            return _stroke([points], ink, width, dash, closed=closed)
        case Polylines(ways, ink, width):
            return _stroke(ways, ink, width)
        case Area(points, ink, rim, width):
            return drawsvg.Path(d=_way(points, closed=True), **_filled(ink, rim, width))
        case Areas(shapes, ink):
            return drawsvg.Path(d=" ".join(_way(points, closed=True) for points in shapes), **_filled(ink))
        case Block(rect, ink, rim, width, corner, dash):
            extra: dict[str, Any] = ({"stroke_dasharray": dash} if dash else {}) | ({"rx": corner} if corner else {})
            x, y, w, h = (_round(each) for each in (rect.x, rect.y, rect.w, rect.h))
            return drawsvg.Rectangle(x, y, w, h, **_filled(ink, rim, width), **extra)
        case Disc((x, y), radius, ink, rim, width):
            return drawsvg.Circle(_round(x), _round(y), _round(radius), **_filled(ink, rim, width))
        case Text((x, y), text, size, ink, anchor, bold, turned_deg):
            extra = ({} if anchor == "start" else {"text_anchor": anchor}) | ({"font_weight": "600"} if bold else {})
            if turned_deg:
                extra["transform"] = f"rotate({_round(turned_deg)} {_round(x)} {_round(y)})"
            return drawsvg.Text(text, round(size, 3), x=_round(x), y=_round(y), class_=f"f-{ink}", **extra)


def _stroke(
    ways: Iterable[tuple[Point, ...]], ink: Ink, width: float, dash: str = "", *, closed: bool = False
) -> drawsvg.Path:
    ends = {"stroke_dasharray": dash} if dash else {"stroke_linecap": "round"}
    return drawsvg.Path(
        d=" ".join(_way(points, closed=closed) for points in ways), class_=f"s-{ink}", fill="none",
        stroke_width=width, stroke_linejoin="round", **ends,
    )  # fmt: skip


def _filled(ink: Ink, rim: Ink = "", width: float = 0) -> dict[str, Any]:
    inside = f"f-{ink}" if ink else ""
    bare = {} if ink else {"fill": "none"}
    return {"class_": f"{inside} s-{rim}".strip(), "stroke_width": width, **bare} if rim else {"class_": inside, **bare}


def _way(points: tuple[Point, ...], *, closed: bool) -> str:
    way = " L".join(f"{_round(x)},{_round(y)}" for x, y in points)
    return f"M{way}{' Z' if closed else ''}"


def _round(number: float) -> float:
    return round(number, 2) + 0.0
