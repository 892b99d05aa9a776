"""Every number of one printed trap square, in mm, and the checks of these numbers. Pure: no geometry yet.

The table is z = 0, up is +z, the start mark is at +y. From below: the base, the sensor's board, the carrier with the
bushing, the dial (shaft, cam, disc), the top plate. Sources: Mage Knight 3D Dungeons tiles are 2 inches square; the
magnet, its distance and its place are from the AS5600 datasheet (ams OSRAM, v1-06); the rest is our own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from pi_app.text.errors import UserFileError, problem

FEWEST_CLICKS: Final = 6
MOST_CLICKS: Final = 24
LEAST_WALL: Final = 1.2
"""Three lines of a 0.4 mm nozzle."""
LEAST_GAP: Final = 0.2
"""Between parts that move."""
LEAST_AIR, MOST_AIR = 0.5, 3.0
"""From the magnet's face to the chip's top, for a disc of 6 x 2.5 mm (AS5600 datasheet)."""
FRICTION: Final = 0.25
"""PETG on PLA or PETG, dry: tables give 0.2 to 0.3."""
BED: Final = 220.0
SCREW_LENGTH: Final = 16
CLAMP_SCREW_LENGTH: Final = 5


@dataclass(frozen=True, slots=True)
class PrintedSquare:
    """The numbers of one square, in mm and degrees. Those of a board, a screen or a cable are yours to measure."""

    clicks: int = 12
    """6 to 24: as many lobes, and as many positions on the face."""

    outline: float = 50.8
    """2 inches, as the tiles."""
    wall: float = 1.6
    """Of the square's sides."""
    deck: float = 2.0
    """Thickness of the top plate's top."""
    mark_depth: float = 0.6
    """How deep the start mark and the arrow are cut."""
    opening_diameter: float = 17.0
    """The round hole for the coin."""
    window_from: float = 9.8
    """Radius of the window's inner edge."""
    window_to: float = 17.8
    """Radius of its outer edge."""

    dial_diameter: float = 38.0
    """Of its disc."""
    disc: float = 2.0
    """Thickness of the disc that carries the face."""
    cam: float = 4.0
    """Thickness of the cam."""
    shaft_diameter: float = 10.0
    """Runs in the carrier."""
    coin_slot_width: float = 2.0
    """Takes coins of up to 1.9 mm."""
    coin_slot_length: float = 12.0
    coin_slot_depth: float = 2.0
    lobe_height: float = 2.0
    """The most that a lobe may rise above its valley."""
    flank_deg: float = 35.0
    """Target slope of a lobe's flank, against the direction of the rim."""
    cam_least_radius: float = 8.5
    """The middle of the flanks is never nearer to the axis."""
    cam_largest_radius: float = 13.8
    """The middle of the flanks is never farther from the axis."""
    tip_radius: float = 0.3
    """The lobes' tops are rounded by this."""

    magnet_diameter: float = 6.0
    """A disc, magnetised across."""
    magnet_height: float = 2.5
    pocket_diameter: float = 6.1
    pocket_depth: float = 2.6
    air_gap: float = 1.0
    """From the magnet's face to the chip's top."""

    nose_radius: float = 0.8
    """Of the flexure's nose."""
    seat_gap: float = 0.2
    """Approximate gap between the nose and each flank when the dial rests."""
    spring: float = 1.4
    """Thickness of the flexure."""
    spring_height: float = 3.6
    spring_span: float = 31.6
    """From bead to bead."""
    spring_at: float = 16.8
    """From the dial's middle to the flexure's."""
    bead_radius: float = 1.4
    """Of the flexure's ends."""

    bead_fit: float = 0.1
    """Around the beads in their sockets: a snug fit, in which they only rock a little."""

    running_gap: float = 0.22
    """Around the shaft."""
    lift_gap: float = 0.3
    """Between the carrier and the cam."""
    face_gap: float = 0.5
    """Between the dial's disc and the top plate; the paper face lies in it."""

    board: float = 23.0
    """Side of the sensor's board."""
    board_thickness: float = 1.6
    board_holes: float = 18.0
    """From hole to hole of the board; the base's posts press there."""
    board_gap: float = 0.1
    """On each side of the board."""
    chip_height: float = 1.6
    """Of the AS5600 above its board; 1.75 at most (SOIC-8)."""
    under_board: float = 4.0
    """Room for solder and wires."""
    carrier: float = 3.0
    """Thickness of the carrier's plate: the bushing's length."""
    floor: float = 1.6
    """Thickness of the base."""

    screw_at: float = 19.8
    """Distance of the four screws from the middle, in x and in y."""
    screw_pilot: float = 2.1
    """M2.5 cuts its own thread in this."""
    screw_hole: float = 2.9
    """Clearance hole for M2.5."""
    screw_head: float = 5.0
    """For a countersunk head."""
    post_diameter: float = 7.6
    """Around each screw."""

    cable_diameter: float = 4.0
    """The clamp squeezes it by a third."""

    screen_width: float = 27.3
    """The board of a 0.96 inch screen, its holes, and the opening before it: makers differ, measure yours."""
    screen_height: float = 27.8
    screen_holes_x: float = 23.5
    screen_holes_y: float = 23.8
    screen_view_x: float = 23.0
    screen_view_y: float = 16.0
    lamp_diameter: float = 5.1
    """A 5 mm lamp is pressed in."""
    hood_depth: float = 18.0
    """How far its walls stand out."""

    # ---------------------------------------------------------------------------- heights above the table

    @property
    def board_bottom(self) -> float:
        return self.floor + self.under_board

    @property
    def board_top(self) -> float:
        return self.board_bottom + self.board_thickness

    @property
    def chip_top(self) -> float:
        return self.board_top + self.chip_height

    @property
    def shaft_end(self) -> float:
        """The magnet is recessed: its pocket is deeper than the magnet is high."""
        return self.chip_top + self.air_gap - (self.pocket_depth - self.magnet_height)

    @property
    def carrier_bottom(self) -> float:
        return self.shaft_end + 0.4

    @property
    def carrier_top(self) -> float:
        return self.carrier_bottom + self.carrier

    @property
    def cam_bottom(self) -> float:
        return self.carrier_top + self.lift_gap

    @property
    def disc_bottom(self) -> float:
        return self.cam_bottom + self.cam

    @property
    def dial_top(self) -> float:
        return self.disc_bottom + self.disc

    @property
    def deck_bottom(self) -> float:
        return self.dial_top + self.face_gap

    @property
    def height(self) -> float:
        """Of the whole square; the tiles beside it need risers of this height less their own."""
        return self.deck_bottom + self.deck

    @property
    def spring_bottom(self) -> float:
        return self.carrier_top + self.running_gap

    # ------------------------------------------------------------------------------------ across, and the cam

    @property
    def inside(self) -> float:
        """Half the width inside the walls."""
        return self.outline / 2 - self.wall

    @property
    def pitch_deg(self) -> float:
        return 360 / self.clicks

    @property
    def cam_radius(self) -> float:
        """Of the middle of the flanks: large enough for a lobe of `lobe_height` with flanks of `flank_deg`."""
        wanted = self.clicks * self.lobe_height / (math.pi * math.tan(math.radians(self.flank_deg)))
        return min(max(wanted, self.cam_least_radius), self.cam_largest_radius)

    @property
    def lobe(self) -> float:
        """Height of a lobe before its tip is rounded."""
        steep = math.pi * self.cam_radius / self.clicks * math.tan(math.radians(self.flank_deg))
        return min(self.lobe_height, steep)

    @property
    def valley_radius(self) -> float:
        return self.cam_radius - self.lobe / 2

    @property
    def tip_reach(self) -> float:
        """Radius of the sharp tips."""
        return self.cam_radius + self.lobe / 2

    @property
    def valley_flank_deg(self) -> float:
        """Slope of the flanks at the bottom of a valley."""
        return math.degrees(math.atan(self.lobe / math.radians(self.pitch_deg / 2) / self.valley_radius))

    @property
    def nose_at(self) -> float:
        """From the dial's middle to the nose's, at rest."""
        return self.valley_radius + (self.nose_radius + self.seat_gap) / math.cos(math.radians(self.valley_flank_deg))

    @property
    def window_half_deg(self) -> float:
        """The window shows one position, never parts of two."""
        return min(0.45 * self.pitch_deg, 16.0)

    # ----------------------------------------------------------------------------------------- the paper face

    @property
    def face_diameter(self) -> float:
        """Of the paper on the dial; the disc's notch stays visible."""
        return self.dial_diameter - 1.0

    @property
    def face_hole_diameter(self) -> float:
        """Its hole, hidden under the edge of the plate's opening."""
        return self.opening_diameter - 1.0


def problems(square: PrintedSquare) -> tuple[str, ...]:
    """Every reason why these numbers make no square, as sentences."""
    found = [*_odd(square)] or [*_misfits(square)]
    return tuple(problem("trap square", f"({place})", seen, advice) for place, seen, advice in found)


def check(square: PrintedSquare) -> None:
    """Raises UserFileError with every problem of the numbers."""
    if found := problems(square):
        raise UserFileError(found)


Misfit = tuple[str, str, str]
"""The number, the problem, the advice."""


def _odd(square: PrintedSquare) -> Iterator[Misfit]:
    for field in fields(square):
        value = getattr(square, field.name)
        if not 0 < value < math.inf:
            yield field.name, f"it is {value}", "Give a length above 0 mm"
    if square.clicks < FEWEST_CLICKS:
        seen = f"the lobes of {square.clicks} clicks are so long and flat that friction holds the dial between two"
        yield "clicks", seen, f"Print dials of {FEWEST_CLICKS} to {MOST_CLICKS} clicks"
    if square.clicks > MOST_CLICKS:
        seen = f"the lobes of {square.clicks} clicks are too low to feel, with too little room for a number"
        yield "clicks", seen, f"Print dials of {FEWEST_CLICKS} to {MOST_CLICKS} clicks"


def _misfits(square: PrintedSquare) -> Iterator[Misfit]:
    def least(place: str, value: float, limit: float, what: str, advice: str) -> Iterator[Misfit]:
        if value < limit - 1e-9:
            yield place, f"{what} {value:.2f} mm, must be at least {limit:g} mm", advice

    for name in ("wall", "deck", "disc", "floor", "spring", "carrier"):
        yield from least(name, getattr(square, name), LEAST_WALL, "it is", "Make it thicker")
    for name in ("running_gap", "lift_gap", "face_gap", "seat_gap"):
        yield from least(name, getattr(square, name), LEAST_GAP, "the gap between the parts is", "Make it wider")
    yield from least(
        "pocket_diameter", (square.shaft_diameter - square.pocket_diameter) / 2, LEAST_WALL,
        "the shaft's wall around the magnet is", "Make shaft_diameter larger, or use a smaller magnet",
    )  # fmt: skip
    yield from least(
        "cam_least_radius", square.valley_radius - square.shaft_diameter / 2, 0.3,
        "the cam's valleys are outside the shaft by", "Make cam_least_radius larger, or lobe_height smaller",
    )  # fmt: skip
    yield from least(
        "spring_at", square.spring_at - square.spring / 2 - square.tip_reach, 0.5,
        "the gap between the lobes' tips and the flexure is", "Make spring_at larger, or cam_largest_radius smaller",
    )  # fmt: skip
    yield from least(
        "dial_diameter", square.inside - square.dial_diameter / 2, 2.0,
        "the gap between the dial and the wall is", "Make dial_diameter smaller",
    )  # fmt: skip
    yield from least(
        "window_from", square.window_from - square.opening_diameter / 2, LEAST_WALL,
        "the plate between the opening and the window is", "Make window_from larger, or opening_diameter smaller",
    )  # fmt: skip
    yield from least(
        "window_to", square.face_diameter / 2 - square.window_to, 0.5,
        "the face extends beyond the window by", "Make window_to smaller, or dial_diameter larger",
    )  # fmt: skip
    yield from least(
        "screw_at", square.inside - square.running_gap - square.screw_at - square.post_diameter / 2, -0.1,
        "the gap between the screws' posts and the walls is", "Make screw_at or post_diameter smaller",
    )  # fmt: skip
    yield from least(
        "board", square.screw_at - square.post_diameter / 2 - square.board / 2 - square.board_gap - 1.4, 0.5,
        "the gap between the board's frame and the screws' posts is", "Use a smaller board",
    )  # fmt: skip
    if not LEAST_AIR <= square.air_gap <= MOST_AIR:
        seen = f"the magnet is {square.air_gap:g} mm from the chip, must be {LEAST_AIR} to {MOST_AIR:g} mm"
        yield "air_gap", seen, "Use 1 mm"
    if square.pocket_diameter <= square.magnet_diameter or square.pocket_depth < square.magnet_height:
        seen = (
            f"a magnet of {square.magnet_diameter:g} x {square.magnet_height:g} mm does not fit a pocket of "
            f"{square.pocket_diameter:g} x {square.pocket_depth:g} mm"
        )
        yield "pocket_diameter", seen, "Make the pocket 0.1 mm larger than the magnet"
