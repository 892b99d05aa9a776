"""A scene as SVG, written by drawsvg. It follows the reader's light or dark theme, and prints on white paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import drawsvg

from pi_app.plans.wiring.drawing.style import DARK, LIGHT, Area, Block, Disc, Ink, Line, Point, Scene, Shape, Words

FONTS: Final = "'DejaVu Sans', Verdana, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def svg(scene: Scene) -> str:
    """The file's text. It asks nothing of any other file."""
    drawing = drawsvg.Drawing(scene.width, scene.height, font_family=FONTS)
    drawing.set_render_size(f"{scene.width_mm:g}mm", f"{scene.height_mm:g}mm")
    drawing.append_title(scene.title)
    drawing.append_css(_sheet())
    for shape in scene.shapes:
        drawing.append(_drawn(shape))
    text: str = drawing.as_svg()
    return text


def _sheet() -> str:
    dark = "\n".join(_rules(DARK))
    light = "\n".join(_rules(LIGHT))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n@media print {{\n{light}\n}}"


def _rules(inks: Mapping[Ink, str]) -> Iterator[str]:
    for name, value in inks.items():
        yield f".f-{name} {{ fill: {value} }} .s-{name} {{ stroke: {value} }}"


def _drawn(shape: Shape) -> Any:
    match shape:
        case Line(points, ink, width, dash):
            return drawsvg.Path(
                d=_way(points), class_=f"s-{ink}", fill="none", stroke_width=width, stroke_linejoin="round",
                **({"stroke_dasharray": dash} if dash else {"stroke_linecap": "round"}),
            )  # fmt: skip
        case Area(points, fill, rim, width):
            return drawsvg.Path(d=f"{_way(points)} Z", **_filled(fill, rim, width))
        case Block(rect, fill, rim, width, corner, dash):
            extra = {"stroke_dasharray": dash} if dash else {}
            around = {"rx": corner} if corner else {}
            x, y, w, h = (_round(each) for each in (rect.x, rect.y, rect.w, rect.h))
            return drawsvg.Rectangle(x, y, w, h, **_filled(fill, rim, width), **around, **extra)
        case Disc((x, y), radius, fill, rim, width):
            return drawsvg.Circle(_round(x), _round(y), radius, **_filled(fill, rim, width))
        case Words((x, y), text, size, ink, anchor, bold):
            weight = {"font_weight": "600"} if bold else {}
            to = {} if anchor == "start" else {"text_anchor": anchor}
            return drawsvg.Text(text, size, x=_round(x), y=_round(y), class_=f"f-{ink}", **to, **weight)


def _filled(fill: Ink, rim: Ink, width: float) -> dict[str, Any]:
    inside = f"f-{fill}" if fill else ""
    if not rim:
        return {"class_": inside}
    bare = {} if fill else {"fill": "none"}
    return {"class_": f"{inside} s-{rim}".strip(), "stroke_width": width, **bare}


def _way(points: tuple[Point, ...]) -> str:
    return "M" + " L".join(f"{_round(x)},{_round(y)}" for x, y in points)


def _round(number: float) -> float:
    return round(number, 1)
