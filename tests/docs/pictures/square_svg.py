"""The printed square as SVG, from the model that prints it: its shell as a shaded picture, and under it a dial that can
be turned, with the paper face that `trapdial tables faces` prints."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass
from typing import Final

from PIL import Image

from pi_app.plans.pictures.marks import Area, Disc, Mark, Polyline, Text
from pi_app.plans.printed import bought
from pi_app.plans.printed.faces.faces import Ring, numbers
from pi_app.plans.printed.parts import assembled
from pi_app.plans.printed.solid import block, disc, triangles
from pi_app.plans.printed.square import PrintedSquare
from tests.docs.pictures.render import Colour, Look, Shot, shot

STONE: Final[Colour] = (196, 184, 164)
BASE: Final[Colour] = (92, 94, 102)
CABLE: Final[Colour] = (70, 72, 80)
COLOURS: Final = 255


@dataclass(frozen=True, slots=True)
class SquarePicture:
    """Width and height in pixels of the shell's picture, the shell as an element of an SVG, and the dial below it.

    The dial is drawn in mm around its middle, x to the right and y down; `plane` puts it under the shell's holes.
    """

    width: float
    height: float
    shell: str
    dial: str
    plane: str


def draw_square(look: Look, square: PrintedSquare | None = None) -> SquarePicture:
    """The closed square from this viewpoint."""
    square = square or PrintedSquare()
    parts = assembled(square)
    dial = block(disc(square.dial_diameter), square.dial_top, square.dial_top + 0.1)
    bodies = [(parts["top"], STONE), (parts["base"], BASE), (bought.cable(square), CABLE), (dial, None)]
    shown = shot([(triangles(solid), colour) for solid, colour in bodies], look)
    height, width = shown.pixels.shape[:2]
    picture = f'<image width="{width}" height="{height}" href="data:image/png;base64,{_png(shown)}"/>'
    return SquarePicture(width, height, picture, _dial(square), _plane(shown, square.dial_top))


def _png(shown: Shot) -> str:
    made = io.BytesIO()
    picture = Image.fromarray(shown.pixels, "RGBA").quantize(COLOURS, Image.Quantize.FASTOCTREE)
    picture.save(made, "PNG", optimize=True)
    return base64.b64encode(made.getvalue()).decode()


def _plane(shown: Shot, height: float) -> str:
    """The transform from mm on a level of the square to pixels of its picture."""
    (x0, y0), (x1, y1), (x2, y2) = (shown.place((x, -y, height)) for x, y in ((0, 0), (1, 0), (0, 1)))
    values = (x1 - x0, y1 - y0, x2 - x0, y2 - y0, x0, y0)
    return f"matrix({' '.join(f'{value:.3f}' for value in values)})"


def _dial(square: PrintedSquare) -> str:
    """Its disc with the coin's slot, and the paper ring with the number of each position."""
    outer, inner = square.face_diameter / 2, square.face_hole_diameter / 2
    long, wide = square.coin_slot_length / 2, square.coin_slot_width / 2
    ring = f"M{outer} 0A{outer} {outer} 0 1 0-{outer} 0A{outer} {outer} 0 1 0 {outer} 0z"
    hole = f"M{inner} 0A{inner} {inner} 0 1 0-{inner} 0A{inner} {inner} 0 1 0 {inner} 0z"
    return (
        f'<circle r="{square.dial_diameter / 2}" fill="#d97440"/>'
        f'<rect x="-{wide}" y="-{long}" width="{2 * wide}" height="{2 * long}" rx=".3" fill="#5e2a12"/>'
        f'<path d="M{wide - 0.5}-{long}V{long}" stroke="#98491f" stroke-width=".6"/>'
        f'<path fill-rule="evenodd" fill="#f6f2e6" d="{ring}{hole}"/>'
        + "".join(_mark(mark) for mark in numbers(Ring((0, 0), square)) if not _is_cut_away(mark, inner))
    )


def _is_cut_away(mark: Mark, inner: float) -> bool:
    """Whether it is printed inside the ring's hole, for the scissors."""
    return isinstance(mark, Polyline) and all(math.hypot(*point) < inner - 0.1 for point in mark.points)


def _mark(mark: Mark) -> str:
    match mark:
        case Text((x, y), text, size, _, anchor, _, turned):
            turn = f' transform="rotate({turned:.3g} {x:.2f} {y:.2f})"' if turned else ""
            place = f'x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}" text-anchor="{anchor}"'
            return f'<text {place} font-weight="700" fill="#1b2430"{turn}>{text}</text>'
        case Polyline(points, ink, width):
            colour = "#1b2430" if ink == "ink" else "#999"
            return f'<path d="{_way(points)}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        case Area(points):
            return f'<path d="{_way(points)}z" fill="#1b2430"/>'
        case Disc((x, y), radius, _, _, width):
            place = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
            return f'<circle {place} fill="none" stroke="#1b2430" stroke-width="{width}"/>'
    raise AssertionError(mark)


def _way(points: tuple[tuple[float, float], ...]) -> str:
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
