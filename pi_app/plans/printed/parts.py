"""The parts of one square as solids, each in its place in the assembled square with the dial at position 0.

`PARTS` has the material and the print orientation of each; none needs supports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Final

from pi_app.plans.printed import profiles
from pi_app.plans.printed.solid import (
    Flat,
    Point,
    Solid,
    block,
    bounds,
    cone,
    disc,
    facets,
    grown,
    hull,
    joined,
    middle_square,
    polygon,
    rectangle,
    union,
)  # fmt: skip
from pi_app.plans.printed.square import PrintedSquare

PADS: Final = 4.0
FRAME: Final = 1.4
HOOD_WALL: Final = 1.6
LAMP_ROOM: Final = 12.6
CLAMP_SCREWS: Final[tuple[Point, Point]] = ((-6.5, -18.5), (6.5, -18.5))
COMB_GAPS: Final = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Around the gauge, on each side."""
COMB_POCKETS: Final = (6.0, 6.1, 6.2, 6.3, 6.4)
COMB_PILOTS: Final = (1.9, 2.0, 2.1, 2.2, 2.3)


def top(square: PrintedSquare) -> Solid:
    """The visible plate with its walls, corner posts, and two sockets for the flexure's ends."""
    low, under, high = square.floor + square.running_gap, square.deck_bottom, square.height
    plate = middle_square(square.outline)
    openings = disc(square.opening_diameter) + polygon(profiles.window(square))
    walls = plate - middle_square(2 * square.inside)
    posts = [_corner_post(square, x, y) for x, y in product((-1, 1), repeat=2)]
    posts += [_socket_block(square, side) for side in (-1, 1)]
    made = block(plate - openings, under, high) + block(walls, low, under)
    made += block(joined(posts), square.carrier_top, under)
    made -= block(joined([disc(square.screw_pilot, at) for at in _corners(square)]), square.carrier_top, under)
    sockets = joined([_socket(square, side) for side in (-1, 1)])
    made -= block(sockets, square.carrier_top, _socket_top(square))
    made -= block(_cable_way(square), low, square.floor + square.cable_diameter + 0.4)
    marks = polygon(profiles.start_mark(square)) + polygon(profiles.arrow(square))
    return made - block(marks, high - square.mark_depth, high)


def _corner_post(square: PrintedSquare, x: int, y: int) -> Flat:
    """Merged into the walls, without a slit."""
    corner = square.inside + square.wall / 2
    to_x, to_y = x * (corner - 1), y * (corner - 1)
    middle = disc(square.post_diameter, (x * square.screw_at, y * square.screw_at))
    return hull([middle, rectangle(to_x - 1, to_y - 1, to_x + 1, to_y + 1)])


def _socket_top(square: PrintedSquare) -> float:
    return square.spring_bottom + square.spring_height + 0.3


def _socket_block(square: PrintedSquare, side: int) -> Flat:
    inner, outer = square.spring_span / 2 - 1.6, square.spring_span / 2 + square.bead_radius + square.bead_fit + 1.6
    low = square.spring_at - square.bead_radius - square.bead_fit - 1.6
    flat = rectangle(inner, low, outer, square.inside + square.wall / 2)
    return flat if side > 0 else flat.mirror((1, 0))


def _socket(square: PrintedSquare, side: int) -> Flat:
    """A slot, open towards the dial and below; the bead turns in it as the flexure bends."""
    half = square.bead_radius + square.bead_fit
    end = square.spring_span / 2 + square.bead_radius + square.bead_fit
    flat = rectangle(0, square.spring_at - half, end, square.spring_at + half)
    return flat if side > 0 else flat.mirror((1, 0))


def _corners(square: PrintedSquare) -> Iterator[Point]:
    for x, y in product((-1, 1), repeat=2):
        yield x * square.screw_at, y * square.screw_at


def _cable_way(square: PrintedSquare) -> Flat:
    half = square.cable_diameter / 2 + 0.2
    return rectangle(-half, -square.outline, half, -square.inside + 3)


def dial(square: PrintedSquare) -> Solid:
    """Disc, cam and shaft in one piece: coin slot above, magnet pocket below, a notch at position 0 at both ends."""
    rim = disc(square.dial_diameter) - polygon(_notch(square))
    lobes = grown(grown(polygon(profiles.cam(square)), -square.tip_radius), square.tip_radius)
    made = block(rim, square.disc_bottom, square.dial_top) + block(lobes, square.cam_bottom, square.disc_bottom)
    made += block(disc(square.shaft_diameter), square.shaft_end, square.cam_bottom)
    made -= block(disc(square.pocket_diameter), square.shaft_end, square.shaft_end + square.pocket_depth)
    made -= block(rectangle(-0.5, 0, 0.5, square.shaft_diameter), square.shaft_end, square.shaft_end + 0.8)
    half_wide, half_long = square.coin_slot_width / 2, square.coin_slot_length / 2
    slot = rectangle(-half_wide, -half_long, half_wide, half_long)
    return made - block(slot, square.dial_top - square.coin_slot_depth, square.dial_top)


def _notch(square: PrintedSquare) -> profiles.Points:
    rim = square.dial_diameter / 2
    return (0.0, rim - 1.2), (1.2, rim + 0.4), (-1.2, rim + 0.4)


def spring(square: PrintedSquare) -> Solid:
    """The flexure: a strip with a bead at each end for the plate's sockets, and a nose for the cam."""
    return block(spring_outline(square), square.spring_bottom, square.spring_bottom + square.spring_height)


def spring_outline(square: PrintedSquare) -> Flat:
    """The flexure's outline from above."""
    half, low = square.spring_span / 2, square.spring_at - square.spring / 2
    strip = rectangle(-half, low, half, low + square.spring)
    beads = [disc(2 * square.bead_radius, (side * half, square.spring_at)) for side in (-1, 1)]
    nose = disc(2 * square.nose_radius, (0, square.nose_at))
    return joined([strip, *beads, hull([nose, rectangle(-2.2, low, 2.2, low + square.spring / 2)])])


def carrier(square: PrintedSquare) -> Solid:
    """The plate between dial and sensor: its hole is the bushing, its pads and frame hold the board."""
    low, high = square.carrier_bottom, square.carrier_top
    bore = disc(square.shaft_diameter + 2 * square.running_gap)
    screws = joined([disc(square.screw_hole, at) for at in _corners(square)])
    room = middle_square(square.board + 2 * square.board_gap)
    inner = square.board / 2 + square.board_gap
    pads = joined([_pad(inner, x, y) for x, y in product((-1, 1), repeat=2)])
    frame = middle_square(2 * (inner + FRAME)) - room - rectangle(-7, -square.outline, 7, 0)
    made = block(middle_square(2 * (square.inside - square.running_gap)) - bore - screws, low, high)
    return made + block(pads, square.board_top, low) + block(frame, square.board_bottom, low)


def _pad(inner: float, x: int, y: int) -> Flat:
    across, along = (
        sorted((x * (inner - PADS), x * (inner + FRAME / 2))),
        sorted((y * (inner - PADS), y * (inner + FRAME / 2))),
    )
    return rectangle(across[0], along[0], across[1], along[1])


def base(square: PrintedSquare) -> Solid:
    """The closed floor, a lip against light, posts for screws and board, and bosses for the cable clamp."""
    floor, lip_top = square.floor, square.floor + 2.0
    reach = square.inside - square.running_gap
    lip = middle_square(2 * reach) - middle_square(2 * (reach - FRAME)) - _cable_way(square)
    made = block(middle_square(square.outline), 0, floor) + block(lip, floor, lip_top)
    made += block(joined([disc(square.post_diameter, at) for at in _corners(square)]), 0, square.carrier_bottom)
    half = square.board_holes / 2
    posts = joined([disc(4.0, (x * half, y * half)) for x, y in product((-1, 1), repeat=2)])
    made += block(posts, floor, square.board_bottom - 0.1)
    made += block(joined([disc(5.6, at) for at in CLAMP_SCREWS]), floor, floor + square.cable_diameter + 0.6 - 1.6)
    made -= block(joined([disc(square.screw_pilot, at) for at in CLAMP_SCREWS]), floor, square.carrier_bottom)
    return made - union(_screw_way(square, at) for at in _corners(square))


def _screw_way(square: PrintedSquare, at: Point) -> Solid:
    """A hole for a countersunk screw from below; its cone prints without supports."""
    sunk, sides = (square.screw_head - square.screw_hole) / 2, facets(square.screw_head)
    return union(
        (
            cone(square.screw_head, square.screw_head, -1, 2.0, at, sides),
            cone(square.screw_head, square.screw_hole, 2.0, 2.0 + sunk, at, sides),
            cone(square.screw_hole, square.screw_hole, 2.0 + sunk, square.carrier_bottom + 1, at, sides),
        )
    )


def clamp(square: PrintedSquare) -> Solid:
    """The bar that holds the cable down with two ridges."""
    low = square.floor + square.cable_diameter - 0.6
    bar = hull([disc(6.0, at) for at in CLAMP_SCREWS]) - joined([disc(square.screw_hole, at) for at in CLAMP_SCREWS])
    ridges = joined([rectangle(-2.4, y - 0.6, 2.4, y + 0.6) for y in (-20.0, -17.0)])
    return block(bar, low, low + 2.4) + block(ridges, low - 0.6, low)


def hood(square: PrintedSquare) -> Solid:
    """For a lamp and a 0.96 inch screen: only the player in front of it sees in. It stands on its long wall."""
    beside = square.screen_width + 9
    half_x, half_y = (beside + LAMP_ROOM + 3 * HOOD_WALL) / 2, square.screen_height / 2 + 3.2
    split = half_x - LAMP_ROOM - 1.5 * HOOD_WALL
    screen = (HOOD_WALL - half_x + beside / 2, 0.0)
    lamp = (half_x - HOOD_WALL - LAMP_ROOM / 2, 0.0)
    plate = rectangle(-half_x, -half_y, half_x, half_y)
    view = rectangle(screen[0] - square.screen_view_x / 2, -square.screen_view_y / 2,
                     screen[0] + square.screen_view_x / 2, square.screen_view_y / 2)  # fmt: skip
    holes = [
        disc(2.2, (screen[0] + x * square.screen_holes_x / 2, y * square.screen_holes_y / 2))
        for x, y in product((-1, 1), repeat=2)
    ]
    walls = plate - rectangle(-half_x + 1.6, -half_y + 1.6, half_x - 1.6, half_y - 1.6)
    walls += rectangle(split - 0.8, -half_y, split + 0.8, half_y)
    made = block(plate, 0, 2) + block(walls, 2, 2 + square.hood_depth)
    made += block(disc(square.lamp_diameter + 3, lamp), 2, 6)
    return made - block(joined([view, *holes, disc(square.lamp_diameter, lamp)]), 0, 6)


def comb(square: PrintedSquare) -> Solid:
    """A test print: five bores for the gauge, five pockets for the magnet, five holes for a screw, by size."""
    made = block(rectangle(-38, -18, 38, 18), 0, 4)
    for number, (gap, pocket, pilot) in enumerate(zip(COMB_GAPS, COMB_POCKETS, COMB_PILOTS, strict=True)):
        x = 14.5 * (number - 2)
        made -= block(disc(square.shaft_diameter + 2 * gap, (x, 9)), 0, 4)
        made -= block(disc(pocket, (x, -4)), 4 - square.pocket_depth, 4)
        made -= block(disc(pilot, (x, -13)), 0, 4)
        for notch in range(number + 1):
            left = x + 2.4 * (notch - number / 2)
            made -= block(polygon(((left - 0.6, 18.1), (left, 16.8), (left + 0.6, 18.1))), 0, 4)
    return made


def gauge(square: PrintedSquare) -> Solid:
    """A piece of shaft with a grip, to test in the comb."""
    return block(disc(square.shaft_diameter + 4), 0, 2) + block(disc(square.shaft_diameter), 2, 12)


# ------------------------------------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to print one part. `turned`: upside down on the bed. `walls`: lines of a 0.4 mm nozzle."""

    make: Callable[[PrintedSquare], Solid]
    what: str
    material: str
    layer_mm: float
    walls: int
    turned: bool
    orientation: str


PARTS: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        "comb": Recipe(comb, "tolerance comb: print it first", "PLA or PETG", 0.2, 3, False, "flat"),
        "gauge": Recipe(gauge, "gauge for the comb: print it first", "PETG", 0.12, 4, False, "on its grip"),
        "top": Recipe(top, "top plate with its walls", "PLA or PETG", 0.2, 3, True, "on its face"),
        "dial": Recipe(dial, "dial: disc, cam and shaft", "PETG", 0.12, 4, True, "on its face"),
        "spring": Recipe(spring, "flexure that clicks", "PETG or nylon, not PLA", 0.12, 4, False, "flat"),
        "carrier": Recipe(carrier, "carrier of the sensor's board", "PLA or PETG", 0.2, 3, True, "frame upwards"),
        "base": Recipe(base, "base, closed below", "PLA or PETG, dark", 0.2, 3, False, "flat"),
        "clamp": Recipe(clamp, "cable clamp", "PLA or PETG", 0.2, 3, True, "ridges upwards"),
        "hood": Recipe(hood, "hood for lamp and screen: one for a seat", "PLA or PETG, dark", 0.2, 3, False, "flat"),
    }
)

MOVING: Final = ("top", "dial", "spring", "carrier", "base", "clamp")
"""The parts of a square, from top to bottom."""

PLATES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"first.3mf": ("comb", "gauge"), "square.3mf": MOVING})
"""Parts printed together: once per printer, and once per square."""


def assembled(square: PrintedSquare) -> dict[str, Solid]:
    """Every part by name, in its place in the square."""
    return {name: recipe.make(square) for name, recipe in PARTS.items()}


def on_bed(name: str, solid: Solid) -> Solid:
    """The part as it is printed: turned if needed, centred on the origin, its lowest point at z = 0."""
    lying = solid.rotate((180, 0, 0)) if PARTS[name].turned else solid
    low, high = bounds(lying)
    return lying.translate((-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2]))
