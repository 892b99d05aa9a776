"""Write a picture as PNG with Pillow, for readers without a browser."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from pi_app.plans.pictures.marks import (
    Area,
    Areas,
    Block,
    Disc,
    Ink,
    Picture,
    Point,
    Polyline,
    Polylines,
    Text,
)  # fmt: skip

SCALE: Final = 2
"""Pixels of the file per unit: sharp on paper and on fine screens."""

_FINER: Final = 3
"""Oversampling, to smooth the edges."""

_ANCHORS: Final = {"start": "ls", "middle": "ms", "end": "rs"}
_DASH: Final = 2
_BOLDER: Final = 0.022
"""Extra stroke width of bold letters, relative to their size: the font has only one weight."""


def png(picture: Picture, colours: Mapping[Ink, str] | None = None) -> bytes:
    """The file's bytes, with the paper's colour as background."""
    colours = picture.style.light if colours is None else colours
    size = round(picture.width * SCALE * _FINER), round(picture.height * SCALE * _FINER)
    image = Image.new("RGB", size, colours["paper"])
    draw = ImageDraw.Draw(image)
    for mark in picture.marks:
        match mark:
            case Polyline():
                _stroke(draw, mark, colours[mark.ink])
            case Polylines(ways, colour, width):
                for points in ways:
                    _stroke(draw, Polyline(points, colour, width), colours[colour])
            case Areas(shapes, colour):
                for points in shapes:
                    draw.polygon([_large(at) for at in points], fill=colours[colour])
            case Area():
                draw.polygon([_large(at) for at in mark.points], fill=colours[mark.ink])
                if mark.rim:
                    _stroke(draw, Polyline(mark.points, mark.rim, mark.width, closed=True), colours[mark.rim])
            case Block():
                _block(draw, mark, colours)
            case Disc():
                _disc(draw, mark, colours)
            case Text():
                _text(draw, mark, colours[mark.ink])
    small = image.resize((round(picture.width * SCALE), round(picture.height * SCALE)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True, dpi=(96 * SCALE, 96 * SCALE))
    return file.getvalue()


def _large(at: Point) -> Point:
    return at[0] * SCALE * _FINER, at[1] * SCALE * _FINER


def _stroke(draw: ImageDraw.ImageDraw, mark: Polyline, colour: str) -> None:
    points = [_large(at) for at in (*mark.points, *mark.points[:1])] if mark.closed else [*map(_large, mark.points)]
    width = max(1, round(mark.width * SCALE * _FINER))
    if not mark.dash:
        draw.line(points, fill=colour, width=width, joint="curve")
        return
    for at in range(0, len(points) - 1, _DASH):
        draw.line(points[at : at + 2], fill=colour, width=width)


def _disc(draw: ImageDraw.ImageDraw, mark: Disc, colours: Mapping[Ink, str]) -> None:
    x, y = _large(mark.at)
    for radius, colour in (
        (mark.radius + mark.width / 2, mark.rim),
        (mark.radius - mark.width / 2, mark.ink),
    ):
        r = radius * SCALE * _FINER
        draw.ellipse((x - r, y - r, x + r, y + r), fill=colours[colour])


def _block(draw: ImageDraw.ImageDraw, mark: Block, colours: Mapping[Ink, str]) -> None:
    """Its outline lies half outside, as in an SVG."""
    box = mark.rect.grown(mark.width / 2 if mark.rim else 0)
    draw.rounded_rectangle(
        (*_large((box.x, box.y)), *_large((box.right, box.bottom))),
        radius=(mark.corner + mark.width / 2 if mark.corner else 0) * SCALE * _FINER,
        fill=colours[mark.ink] if mark.ink else None,
        outline=colours[mark.rim] if mark.rim else None,
        width=max(1, round(mark.width * SCALE * _FINER)),
    )


def _text(draw: ImageDraw.ImageDraw, mark: Text, colour: str) -> None:
    thicker = round(mark.size * SCALE * _FINER * _BOLDER) if mark.bold else 0
    draw.text(
        _large(mark.at),
        mark.text.replace("\N{MINUS SIGN}", "-"),
        font=_font(round(mark.size * SCALE * _FINER)),
        fill=colour,
        anchor=_ANCHORS[mark.anchor],
        stroke_width=thicker,
        stroke_fill=colour,
    )


@cache
def _font(pixels: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, the same on every machine. It has no minus sign."""
    return ImageFont.load_default(pixels)
