"""Draw the pictures of the page: `python -m tests.docs.pictures.printed_parts wiring_docs/printed`.

Each is an SVG with the shaded picture inside and labels that follow the reader's light or dark theme.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import drawsvg

from pi_app.plans.pictures.marks import sheet
from pi_app.plans.pictures.svg import svg
from pi_app.plans.printed import bought, motion
from pi_app.plans.printed.faces.faces import Ring, numbers
from pi_app.plans.printed.parts import MOVING, PARTS, assembled, on_bed
from pi_app.plans.printed.solid import Solid, triangles
from pi_app.plans.printed.square import PrintedSquare
from tests.docs.pictures.render import Colour, Look, Shot, png, shot

COLOURS: Final[Mapping[str, Colour]] = MappingProxyType(
    {
        "top": (205, 188, 158), "dial": (217, 116, 64), "spring": (64, 134, 204), "carrier": (122, 172, 126),
        "base": (128, 130, 140), "clamp": (190, 104, 164), "hood": (112, 124, 140), "comb": (206, 196, 130),
        "gauge": (217, 116, 64), "board": (38, 96, 150), "chip": (40, 40, 46), "magnet": (214, 216, 222),
        "paper": (248, 246, 238), "screws": (190, 196, 204), "clamp screws": (190, 196, 204), "cable": (90, 92, 100),
    }
)  # fmt: skip
FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
CSS: Final = """
.t { fill: #1b2430 } .s { fill: #5a6675 } .l { stroke: #5a6675; fill: none } .d { fill: #5a6675 }
@media (prefers-color-scheme: dark) {
.t { fill: #e9edf2 } .s { fill: #9ba7b6 } .l { stroke: #9ba7b6 } .d { fill: #9ba7b6 }
}
"""
Point3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """Text on the right or left of a picture, with a line to a place in it."""

    words: str
    at: Point3
    right: bool = True
    small: str = ""


SIDE: Final = 230.0
STEP: Final = 40.0


def page(title: str, shown: Shot, labels: Sequence[Label], *, left: float = 20.0, right: float = SIDE) -> str:
    """One picture with its labels."""
    rows, columns = shown.pixels.shape[:2]
    drawing = drawsvg.Drawing(left + columns + right, rows + 20, font_family=FONTS)
    drawing.append_title(title)
    drawing.append_css(CSS)
    drawing.append(_image(shown, left, 10))
    for side in (False, True):
        mine = sorted((label for label in labels if label.right is side), key=lambda label: shown.place(label.at)[1])
        floor = 10.0
        for label in mine:
            x, y = shown.place(label.at)
            floor = max(floor + STEP, y + 15)
            edge = left + columns + 16 if side else left - 16
            for element in _label(label, (left + x, y + 10), (edge, min(floor, rows + 4)), "start" if side else "end"):
                drawing.append(element)
    text: str = drawing.as_svg()
    return text


def _image(shown: Shot, x: float, y: float) -> Any:
    rows, columns = shown.pixels.shape[:2]
    return drawsvg.Image(x, y, columns, rows, data=png(shown.pixels), mime_type="image/png", embed=True)


def _label(label: Label, spot: tuple[float, float], text: tuple[float, float], anchor: str) -> list[Any]:
    away = -6 if anchor == "start" else 6
    made = [
        drawsvg.Line(spot[0], spot[1], text[0] + away, text[1] - 5, class_="l", stroke_width=1),
        drawsvg.Circle(spot[0], spot[1], 2.5, class_="d"),
        drawsvg.Text(label.words, 16, text[0], text[1], class_="t", text_anchor=anchor, font_weight="600"),
    ]
    if label.small:
        made.append(drawsvg.Text(label.small, 13, text[0], text[1] + 16, class_="s", text_anchor=anchor))
    return made


def _drawn(bodies: Mapping[str, Solid], look: Look) -> Shot:
    return shot([(triangles(solid), COLOURS[name]) for name, solid in bodies.items()], look)


def whole(square: PrintedSquare) -> dict[str, Solid]:
    """The assembled square with its bought parts."""
    parts = assembled(square)
    return {
        **{name: parts[name] for name in MOVING},
        "board": bought.board(square), "chip": bought.chip(square), "magnet": bought.magnet(square),
        "paper": bought.paper(square), "screws": bought.screws(square),
        "clamp screws": bought.clamp_screws(square), "cable": bought.cable(square),
    }  # fmt: skip


APART: Final[Mapping[str, float]] = MappingProxyType(
    {
        "screws": -26, "base": 0, "cable": 4, "clamp": 12, "clamp screws": 22, "board": 26, "chip": 26, "carrier": 42,
        "spring": 64, "magnet": 56, "dial": 76, "paper": 90, "top": 130,
    }
)  # fmt: skip


def exploded(square: PrintedSquare) -> str:
    """The exploded view, in the order of assembly."""
    bodies = {name: solid.translate((0, 0, APART[name])) for name, solid in whole(square).items()}
    edge = square.outline / 2

    def at(name: str, x: float, y: float, z: float) -> Point3:
        return x, y, z + APART[name]

    labels = (
        Label("top plate", at("top", edge, -edge + 4, 14), small="window, start mark, coin hole"),
        Label("paper face", at("paper", 17, -4, square.dial_top), small="glued on the dial"),
        Label("dial", at("dial", 18.6, -3, square.dial_top - 1), small="disc, cam, shaft; coin slot"),
        Label("flexure", at("spring", 12, square.spring_at, square.spring_bottom + 2), small="PETG or nylon"),
        Label("magnet", at("magnet", 3, -1, square.shaft_end + 1), small="glued into the shaft"),
        Label("sensor carrier", at("carrier", 22, -8, square.carrier_top - 1), small="bushing above, frame below"),
        Label("AS5600 board", at("board", 11, -5, square.board_top), small="chip up, wires down"),
        Label("cable clamp", at("clamp", 8, -19, square.floor + 5), small="two screws M2.5 x 5"),
        Label("base", at("base", edge, -12, 1), small="closed below"),
        Label("four screws", at("screws", square.screw_at, -square.screw_at, 8), small="M2.5 x 16, countersunk"),
    )
    return page("A trap square, exploded", _drawn(bodies, Look(28, 24, 6.5)), labels)


def upside_down(square: PrintedSquare) -> str:
    """The same turned over, as it lies on the bench during assembly, with numbered steps."""
    bodies = {name: solid.translate((0, 0, APART[name])) for name, solid in whole(square).items()}
    turned = {name: solid.rotate((180, 0, 0)) for name, solid in bodies.items()}
    edge, reach = square.outline / 2, square.inside

    def at(name: str, x: float, y: float, z: float) -> Point3:
        return x, -y, -(z + APART[name])

    labels = (
        Label("1. top plate", at("top", -edge, 4, 12), small="on its face"),
        Label("2. dial", at("dial", -18.8, 3, square.dial_top - 1), small="paper below, magnet above"),
        Label("3. flexure", at("spring", -13, square.spring_at, square.spring_bottom), small="beads into sockets"),
        Label("4. carrier", at("carrier", -reach, 8, square.carrier_top - 1), small="then the board, chip down"),
        Label("5. cable", at("cable", 0, -34, square.floor + 2), small="under the clamp on the base"),
        Label("6. base", at("base", -edge, 12, 1), small="four screws"),
    )
    return page("A trap square, assembled upside down", _drawn(turned, Look(208, 34, 6.0)), labels)


def section(square: PrintedSquare) -> str:
    """A cut through the middle, from the right."""
    bodies = {name: solid.trim_by_plane((-1, 0, 0), -0.01) for name, solid in whole(square).items()}
    shown = {name: solid for name, solid in bodies.items() if not solid.is_empty()}
    half = square.outline / 2
    labels = (
        Label("top plate", (0, half - 1, square.height - 1)),
        Label("window", (0, 14, square.height - 1), small="shows one position"),
        Label("flexure", (0, square.spring_at, square.spring_bottom + 2), small="its nose on the cam"),
        Label("carrier", (0, 20, square.carrier_bottom + 1.5)),
        Label("post", (-9, 9, 4), small="presses the board up"),
        Label("base", (0, 18, 0.8)),
        Label("dial", (0, -16, square.dial_top - 0.4), right=False, small="disc with paper, cam, shaft"),
        Label("coin slot", (0, -4, square.dial_top - 1.6), right=False),
        Label("magnet", (0, -2, square.shaft_end + 1.4), right=False),
        Label(
            "air gap",
            (0, -1, square.chip_top + square.air_gap / 2),
            right=False,
            small=f"{square.air_gap:g} mm to the chip",
        ),
        Label("board", (0, -9, square.board_bottom + 0.8), right=False, small="in the carrier's frame"),
        Label("clamp, cable", (0, -18.5, square.floor + 4.4), right=False),
    )
    return page("A trap square, cut in the middle", _drawn(shown, Look(90, 0, 12)), labels, left=SIDE)


def click(square: PrintedSquare) -> str:
    """The cam and the flexure from above: at rest, and on top of a lobe."""
    parts = {name: solid for name, solid in whole(square).items() if name in ("top", "dial", "spring", "carrier")}
    height = square.spring_bottom + square.spring_height / 2
    lift = motion.click(parts["dial"], parts["spring"], height, square.pitch_deg).bend
    on_lobe = {
        **parts,
        "dial": parts["dial"].rotate((0, 0, square.pitch_deg / 2)),
        "spring": motion.bent(parts["spring"], lift),
    }
    looks = [
        _drawn({name: solid.trim_by_plane((0, 0, -1), -height) for name, solid in bodies.items()}, Look(0, 90, 7.5))
        for bodies in (parts, on_lobe)
    ]
    rows, columns = looks[0].pixels.shape[:2]
    drawing = drawsvg.Drawing(2 * columns + 60, rows + 60, font_family=FONTS)
    drawing.append_title("The click: at rest, and on a lobe")
    drawing.append_css(CSS)
    words = (("at rest: the nose is free in a valley", 0), (f"on a lobe: bent by {lift:.1f} mm", columns + 20))
    for shown, (text, x) in zip(looks, words, strict=True):
        drawing.append(_image(shown, 20 + x, 10))
        drawing.append(drawsvg.Text(text, 16, 20 + x + columns / 2, rows + 36, class_="t", text_anchor="middle"))
    made: str = drawing.as_svg()
    return made


def on_the_bed(square: PrintedSquare) -> str:
    """Every part in its position on the printer's bed."""
    looks = {"top": Look(208, 52, 4.4)}
    shots = {
        name: _drawn({name: on_bed(name, solid)}, looks.get(name, Look(32, 42, 4.4)))
        for name, solid in assembled(square).items()
    }
    columns, wide, high = 3, 380, 345
    rows = -(-len(shots) // columns)
    drawing = drawsvg.Drawing(columns * wide, rows * high, font_family=FONTS)
    drawing.append_title("The parts as they are printed")
    drawing.append_css(CSS)
    for number, (name, shown) in enumerate(shots.items()):
        across, down = number % columns, number // columns
        tall, broad = shown.pixels.shape[:2]
        drawing.append(_image(shown, across * wide + (wide - broad) / 2, down * high + (high - 40 - tall) / 2))
        middle, foot = across * wide + wide / 2, down * high + high
        head = drawsvg.Text(f"{name}.stl", 16, middle, foot - 30, class_="t", text_anchor="middle", font_weight="600")
        drawing.append(head)
        drawing.append(drawsvg.Text(PARTS[name].what, 13, middle, foot - 13, class_="s", text_anchor="middle"))
    made: str = drawing.as_svg()
    return made


def outside(square: PrintedSquare) -> str:
    """The square from above and from below, closed."""
    bodies = whole(square)
    from_above = _drawn(bodies, Look(24, 46, 6.5))
    from_below = _drawn({name: solid.rotate((180, 0, 0)) for name, solid in bodies.items()}, Look(24, 40, 6.5))
    columns = from_above.pixels.shape[1]
    rows = max(from_above.pixels.shape[0], from_below.pixels.shape[0])
    drawing = drawsvg.Drawing(columns + from_below.pixels.shape[1] + 60, rows + 50, font_family=FONTS)
    drawing.append_title("A trap square from above and from below")
    drawing.append_css(CSS)
    for shown, x, text in ((from_above, 20.0, "from above"), (from_below, columns + 40.0, "from below: closed")):
        drawing.append(_image(shown, x, 10))
        middle = x + shown.pixels.shape[1] / 2
        drawing.append(drawsvg.Text(text, 16, middle, rows + 34, class_="t", text_anchor="middle"))
    made: str = drawing.as_svg()
    return made


def faces(square: PrintedSquare) -> str:
    """Paper rings with position numbers, for four dials."""
    width = square.face_diameter + 8
    marks = [
        mark
        for place, clicks in enumerate((8, 12, 16, 24))
        for mark in numbers(Ring((width * (place + 0.5), width / 2), replace(square, clicks=clicks)))
    ]
    return svg(sheet((4 * width, width), "Dial faces: position numbers", marks))


PICTURES: Final[Mapping[str, Callable[[PrintedSquare], str]]] = MappingProxyType(
    {
        "outside.svg": outside,
        "exploded.svg": exploded,
        "upside_down.svg": upside_down,
        "section.svg": section,
        "click.svg": click,
        "on_the_bed.svg": on_the_bed,
        "faces.svg": faces,
    }
)


def write(folder: Path) -> None:
    """All pictures of the usual square."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(PrintedSquare()), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python -m tests.docs.pictures.printed_parts wiring_docs/printed")
    write(Path(sys.argv[1]))
