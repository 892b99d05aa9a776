"""Whether the parts of a square can be printed, fit each other and click: each a number with its limit.

All is measured on the meshes, in the places where the parts are when the square is put together; what a mesh does not
say (friction, a magnet's height, a chip's) is taken from `PrintedSquare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from pi_app.dials.detents import HYSTERESIS_PITCH, SEATED_PITCH, DialShape
from pi_app.plans.printed import bought, measures, motion
from pi_app.plans.printed.bought import HEAD_AT, SCREW_LENGTH
from pi_app.plans.printed.parts import CLAMP_SCREWS, MOVING, on_bed
from pi_app.plans.printed.solid import Solid, bounds, facets, is_whole, outlines, rectangle
from pi_app.plans.printed.square import BED, LEAST_AIR, LEAST_GAP, LEAST_WALL, MOST_AIR, PrintedSquare

SNUG, MOST_SNUG = 0.08, 0.15
"""Around the flexure's beads, which do not run but sit."""
WIDEST_BRIDGE: Final = 5.0
MOST_STRAIN: Final = 0.02
"""Ours, for PETG or nylon bent many thousand times; snap fits that are bent once are given twice as much."""
MOST_STUCK: Final = 0.15
LEAST_BEND: Final = 0.4
MOST_OFF: Final = 0.25
"""Of the magnet's axis from the chip's (AS5600 datasheet)."""
STEEL: Final = 10.0
"""Screws stay this far from the magnet."""
BEHIND_BEAD: Final = 0.3
"""From the beads' back to where their slide is measured."""
_ROUNDING: Final = 1e-6
_NEAR, _FAR = 1.0, 3.0
"""How far a gap is looked for: the smaller, the faster."""


@dataclass(frozen=True, slots=True)
class MeshCheck:
    """One measured number and its limits; None where it has no such limit."""

    part: str
    what: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def passed(self) -> bool:
        over = self.least is None or self.value >= self.least - _ROUNDING
        return over and (self.most is None or self.value <= self.most + _ROUNDING)

    @property
    def limit(self) -> str:
        """In words: `at least 1.2 mm`."""
        unit = f" {self.unit}".rstrip()
        if self.least is not None and self.most is not None:
            return f"{self.least:g}{unit}" if self.least == self.most else f"{self.least:g} to {self.most:g}{unit}"
        return f"at least {self.least:g}{unit}" if self.least is not None else f"at most {self.most:g}{unit}"


Parts = Mapping[str, Solid]


def checks(square: PrintedSquare, parts: Parts, *, invert: bool = False, bed: float = BED) -> tuple[MeshCheck, ...]:
    """Every check of one square. `parts`: as `parts.assembled` gives them; `invert`: as
    the settings have it; `bed`: side of the printer's room in mm."""
    printable = [check for name, solid in parts.items() for check in of_part(name, solid, bed)]
    if not all(check.passed for check in printable if check.what in CLOSED):
        return tuple(printable)
    shape, click = DialShape(clicks=square.clicks, invert=invert), one_click(square, parts)
    moving = (*gaps(parts), *clicks(square, parts, shape, click), *turning(square, parts, click))
    return (*printable, *moving, *sensing(square, parts))


CLOSED: Final = ("closed", "pieces")
"""Without these nothing else can be measured."""


def of_part(name: str, solid: Solid, bed: float = BED) -> Iterator[MeshCheck]:
    """What can be said of one part alone."""
    yield MeshCheck(name, "closed", float(is_whole(solid)), "", 1, 1)
    yield MeshCheck(name, "pieces", float(len(solid.decompose())), "", 1, 1)
    if not is_whole(solid):
        return
    yield MeshCheck(name, "volume", float(solid.volume()) / 1000, "cm³", 0.1)
    lying = on_bed(name, solid)
    low, high = bounds(lying)
    yield MeshCheck(name, "longest side", float((high - low).max()), "mm", None, bed)
    yield MeshCheck(name, "thinnest wall", measures.thinnest_wall(solid), "mm", LEAST_WALL)
    yield MeshCheck(name, "begins in the air", float(measures.begun_in_the_air(lying)), "", None, 0)
    yield MeshCheck(name, "widest bridge without support", measures.widest_bridge(lying), "mm", None, WIDEST_BRIDGE)


# ------------------------------------------------------------------------------------------ what moves


def gaps(parts: Parts) -> Iterator[MeshCheck]:
    """Between parts that move while the dial rests, and whether any two are in one place."""
    pairs = (("dial", "top"), ("dial", "carrier"), ("spring", "carrier"))
    for one, other in pairs:
        yield MeshCheck(f"{one}, {other}", "gap", gap(parts[one], parts[other]), "mm", LEAST_GAP)
    yield MeshCheck("spring, top", "snug fit of the beads", gap(parts["spring"], parts["top"]), "mm", SNUG, MOST_SNUG)
    yield MeshCheck("dial, spring", "gap at the seat", gap(parts["dial"], parts["spring"]), "mm", LEAST_GAP)
    for n, one in enumerate(MOVING):
        for other in MOVING[n + 1 :]:
            shared = float((parts[one] ^ parts[other]).volume())
            if shared > 1e-3:
                yield MeshCheck(f"{one}, {other}", "both in one place", shared, "mm³", None, 0)


def gap(one: Solid, other: Solid) -> float:
    """The least way from one part to the other, up to 1 mm; 0 if they touch, below 0 if they are in one place."""
    shared = float((one ^ other).volume())
    return -shared if shared > 1e-6 else float(one.min_gap(other, _NEAR))


def one_click(square: PrintedSquare, parts: Parts) -> motion.Click:
    """The dial turned by one click under the nose."""
    return motion.click(parts["dial"], parts["spring"], _middle(parts["spring"]), square.pitch_deg)


def clicks(square: PrintedSquare, parts: Parts, shape: DialShape, click: motion.Click) -> Iterator[MeshCheck]:
    """The cam under the nose: as the decoder wants it, free at rest, bent on the lobes, and never held between."""
    dial, spring = parts["dial"], parts["spring"]
    rim, height = click.rim, _middle(spring)
    lobes = len(rim.valleys_deg)
    yield MeshCheck("dial", "lobes", lobes, "", square.clicks, square.clicks)
    yield MeshCheck("dial", "valleys beside the decoder's centres", beside(shape, rim, click.nose_deg), "°", None, 0.2)
    yield MeshCheck("dial", "lobes unlike each other", rim.unlike(), "mm", None, 0.02)
    yield from _rest(square, parts, click)
    yield MeshCheck("dial", "held by friction beside a lobe's top", 100 * click.stuck(_shaft(dial) / 2), "% of a click",
                None, 100 * MOST_STUCK)  # fmt: skip
    yield MeshCheck("spring", "bent at the seat", max(0.0, float(click.lift[0])), "mm", None, 0)
    yield MeshCheck(
        "spring", "bent on a lobe, less its play", click.bend - max(0.0, gap(spring, parts["top"])), "mm", LEAST_BEND
    )
    span, thick = _strip(spring, height)
    yield MeshCheck("spring", "strain on a lobe", 100 * 6 * thick * click.bend / span**2, "%", None, 100 * MOST_STRAIN)


def _middle(solid: Solid) -> float:
    """Half its height above the table."""
    low, high = bounds(solid)
    return float(low[2] + high[2]) / 2


def _rest(square: PrintedSquare, parts: Parts, click: motion.Click) -> Iterator[MeshCheck]:
    """How far from a click's middle a dial may rest: the nose is free there, its strip slides, the shaft has play."""
    loose = slide(parts["spring"], parts["top"]) + bearing_play(parts["dial"], parts["carrier"])
    rests = click.play_deg + math.degrees(loose / click.nose_reach)
    yield MeshCheck("dial", "rests beside the middle of a click", rests, "°", None, square.pitch_deg * SEATED_PITCH)
    most = square.pitch_deg * (0.5 - HYSTERESIS_PITCH)
    yield MeshCheck("dial", "rests apart, turned one way and the other", 2 * rests, "°", None, most)


def slide(spring: Solid, top: Solid) -> float:
    """How far the flexure can slide along itself, either way."""
    high = bounds(spring)[1]
    at = (0.0, float(high[1]) - BEHIND_BEAD, _middle(spring))
    return float(top.ray_cast(at, (40.0, *at[1:]))[0].position[0] - high[0])


def bearing_play(dial: Solid, carrier: Solid) -> float:
    """How far the shaft can move aside in its bushing."""
    return (measures.bore(carrier, bounds(carrier)[1][2] - 1.5) - _shaft(dial)) / 2


def beside(shape: DialShape, rim: motion.Rim, nose_deg: float) -> float:
    """How far the worst valley is from where the decoder's even centres want it under the nose, in degrees."""
    turned = np.array(shape.ccw_centres()) * 360 / shape.counts_per_turn
    wanted = np.sort((nose_deg - turned) % 360)
    if len(wanted) != len(rim.valleys_deg):
        return 180.0
    off = (wanted[:, None] - rim.valleys_deg[None, :] + 180) % 360 - 180
    return float(np.abs(off).min(axis=1).max())


def _shaft(dial: Solid) -> float:
    low = bounds(dial)[0][2]
    (line, *_) = sorted((np.ptp(way[:, 0]) for way in outlines(dial.slice(low + 1.5))), reverse=True)
    return float(line)


def _strip(spring: Solid, height: float) -> tuple[float, float]:
    """Length between the ends, and thickness of the thinnest part beside the nose."""
    low, high = bounds(spring)
    inside = spring.trim_by_plane((1, 0, 0), 5).trim_by_plane((-1, 0, 0), -9)
    thin_low, thin_high = bounds(inside)
    thick = float(thin_high[1] - thin_low[1])
    return float(high[0] - low[0]) - 2 * thick, thick


def turning(square: PrintedSquare, parts: Parts, click: motion.Click) -> Iterator[MeshCheck]:
    """The dial and the flexure at every angle in between."""
    least_room, most_shared, plain = _FAR, 0.0, 0.0
    for step in range(0, motion.STEPS + 1, motion.STEPS // 12):
        lift = max(0.0, float(click.lift[step]))
        dial = parts["dial"].rotate((0, 0, square.pitch_deg * step / motion.STEPS))
        strip = motion.bent(parts["spring"], lift)
        most_shared = max(most_shared, float((dial ^ strip).volume()))
        plain = max(plain, float((dial ^ parts["spring"]).volume()))
    strip = motion.bent(parts["spring"], click.bend)
    walls = parts["top"].trim_by_plane((1, 0, 0), -11).trim_by_plane((-1, 0, 0), -11)
    least_room = float(strip.min_gap(walls, _FAR))
    yield MeshCheck("dial, spring", "in one place while it turns", most_shared, "mm³", None, 0.5)
    yield MeshCheck("dial, spring", "in one place if it did not bend", plain, "mm³", 0.5)
    yield MeshCheck("spring, top", "gap behind the bent flexure", least_room, "mm", LEAST_GAP)
    turned = parts["dial"].rotate((0, 0, 180 / facets(square.shaft_diameter)))
    yield MeshCheck("dial, carrier", "gap when turned", gap(turned, parts["carrier"]), "mm", LEAST_GAP)
    yield MeshCheck("dial, top", "gap when turned", gap(turned, parts["top"]), "mm", LEAST_GAP)


# ------------------------------------------------------------------------------------ the magnet and its chip


def sensing(square: PrintedSquare, parts: Parts) -> Iterator[MeshCheck]:
    """Magnet, chip and what is made of steel."""
    dial, carrier = parts["dial"], parts["carrier"]
    end = bounds(dial)[0][2]
    pocket, deep = measures.bore(dial, end + 1.2), measures.ceiling(dial, 0, 0) - end
    yield MeshCheck(
        "dial", "magnet pocket, across", pocket, "mm", square.magnet_diameter + 0.05, square.magnet_diameter + 0.2
    )
    high = square.magnet_height
    yield MeshCheck("dial", "magnet pocket, deep", deep, "mm", high, high + 0.3)
    pad = square.board / 2 - 1.5
    chip_top = measures.ceiling(carrier, pad, pad) + square.chip_height
    face = end + deep - square.magnet_height
    down = gap_down(dial, carrier)
    yield MeshCheck("dial", "magnet to chip, dial resting", face - down - chip_top, "mm", LEAST_AIR, MOST_AIR)
    up = square.deck_bottom - square.dial_top
    yield MeshCheck("dial", "magnet to chip, dial lifted", face + up - chip_top, "mm", LEAST_AIR, MOST_AIR)
    yield MeshCheck(
        "dial, carrier", "magnet beside the bushing's middle", bearing_play(dial, carrier), "mm", None, MOST_OFF
    )
    near = min(math.hypot(*at) for at in ((square.screw_at, square.screw_at), *CLAMP_SCREWS))
    yield MeshCheck("base", "open below, with its screws in", open_below(square, parts["base"]), "mm²", None, 0.01)
    tip, edge = HEAD_AT + SCREW_LENGTH, square.screw_at
    yield MeshCheck("base, top", "screws bite", tip - bounds(carrier)[1][2], "mm", 4)
    blind = measures.ceiling(parts["top"], edge, edge) - tip
    yield MeshCheck("top", "room before the screws' tips", blind, "mm", 0.5)
    yield MeshCheck("base", "screws from the magnet", near - 1.25 - square.magnet_diameter / 2, "mm", STEEL)


def open_below(square: PrintedSquare, base: Solid) -> float:
    """How much of the square is not covered when one looks at it from below: the pointer must not be seen."""
    closed = (base + bought.screws(square)).project()
    low, high = bounds(base)
    return float((rectangle(low[0], low[1], high[0], high[1]) - closed).area())


def gap_down(dial: Solid, carrier: Solid) -> float:
    """How far the dial sinks until the cam lies on the carrier."""
    top = bounds(carrier)[1][2]
    return float(dial.ray_cast((7.0, 0.0, float(top)), (7.0, 0.0, float(top) + 20))[0].position[2] - top)


def failures(found: tuple[MeshCheck, ...]) -> tuple[str, ...]:
    """One whole sentence for each check that is missed."""
    return tuple(
        f"{check.part} ({check.what}): measured {check.value:.2f} {check.unit}".rstrip()
        + f", and must be {check.limit}. Change the numbers of the square."
        for check in found
        if not check.passed
    )
