"""The bought parts as simple solids in their places, for pictures."""

from __future__ import annotations

from itertools import product
from typing import Final

from pi_app.plans.printed.parts import CLAMP_SCREWS
from pi_app.plans.printed.solid import Solid, block, cone, disc, middle_square, rectangle, union
from pi_app.plans.printed.square import CLAMP_SCREW_LENGTH, SCREW_LENGTH, PrintedSquare

HEAD_AT: Final = 2.2
"""Bottom of a countersunk screw's head, in mm above the table."""


def board(square: PrintedSquare) -> Solid:
    """The sensor's board with its four holes, without the chip."""
    half = square.board_holes / 2
    plate = middle_square(square.board)
    for x, y in product((-half, half), repeat=2):
        plate -= disc(3.0, (x, y))
    return block(plate, square.board_bottom, square.board_top)


def chip(square: PrintedSquare) -> Solid:
    return block(rectangle(-2.0, -2.5, 2.0, 2.5), square.board_top, square.chip_top)


def magnet(square: PrintedSquare) -> Solid:
    top = square.shaft_end + square.pocket_depth
    return block(disc(square.magnet_diameter), top - square.magnet_height, top)


def paper(square: PrintedSquare) -> Solid:
    """The face; thicker than paper, to be visible."""
    ring = disc(square.face_diameter) - disc(square.face_hole_diameter)
    return block(ring, square.dial_top, square.dial_top + 0.3)


def screws(square: PrintedSquare) -> Solid:
    """The four screws that close the square."""
    made = []
    for x, y in product((-square.screw_at, square.screw_at), repeat=2):
        head = cone(4.6, 2.4, HEAD_AT, HEAD_AT + 1.1, (x, y), 48)
        made.append(head + block(disc(2.4, (x, y)), HEAD_AT + 1, HEAD_AT + SCREW_LENGTH))
    return union(made)


def clamp_screws(square: PrintedSquare) -> Solid:
    top = square.floor + square.cable_diameter + 1.8
    heads = union(block(disc(4.5, at), top, top + 1.8) for at in CLAMP_SCREWS)
    return heads + union(block(disc(2.4, at), top - CLAMP_SCREW_LENGTH, top + 0.1) for at in CLAMP_SCREWS)


def cable(square: PrintedSquare) -> Solid:
    """A piece of cable, from outside to behind the clamp."""
    round_side = block(disc(square.cable_diameter - 0.8), 0, 24).rotate((90, 0, 0))
    return round_side.translate((0, -13, square.floor + square.cable_diameter / 2 - 0.4))
