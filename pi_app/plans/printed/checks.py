"""Check that the parts of a square can be printed, fit each other and click: each check is a number with its limit.

Everything is measured on the meshes of the assembled parts; what a mesh does not have (friction, the height of magnet
and chip) comes from `PrintedSquare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from pi_app.dials.detents import HYSTERESIS_PITCH, SEATED_PITCH, DialShape
from pi_app.plans.printed import bought, measures, motion
from pi_app.plans.printed.bought import HEAD_AT
from pi_app.plans.printed.parts import CLAMP_SCREWS, MOVING, on_bed
from pi_app.plans.printed.solid import Solid, bounds, facets, is_whole, outlines, rectangle
from pi_app.plans.printed.square import BED, LEAST_AIR, LEAST_GAP, LEAST_WALL, MOST_AIR, SCREW_LENGTH, PrintedSquare

SNUG, MOST_SNUG = 0.08, 0.15
"""Around the flexure's beads, which have a snug fit."""
WIDEST_BRIDGE: Final = 5.0
MOST_STRAIN: Final = 0.02
"""Our limit for PETG or nylon bent many thousand times; snap fits that bend once may have twice as much."""
MOST_STUCK: Final = 0.15
LEAST_BEND: Final = 0.4
MOST_OFF: Final = 0.25
"""Between the axes of magnet and chip (AS5600 datasheet)."""
STEEL: Final = 10.0
"""Least distance from screws to the magnet."""
BEHIND_BEAD: Final = 0.3
"""From the back of the beads to the line where their slide is measured."""
SLIDES: Final = 40.0
"""How far from the dial's axis a stop of the flexure is searched."""
_ROUNDING: Final = 1e-6
_NEAR, _FAR = 1.0, 3.0
"""How far to search for a gap: shorter is faster."""


@dataclass(frozen=True, slots=True)
class MeshCheck:
    """One measured number and its limits, if any."""

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
        """As text: `at least 1.2 mm`."""
        unit = f" {self.unit}".rstrip()
        if self.least is not None and self.most is not None:
            return f"{self.least:g}{unit}" if self.least == self.most else f"{self.least:g} to {self.most:g}{unit}"
        return f"at least {self.least:g}{unit}" if self.least is not None else f"at most {self.most:g}{unit}"


Parts = Mapping[str, Solid]


def checks(square: PrintedSquare, parts: Parts, *, invert: bool = False, bed: float = BED) -> tuple[MeshCheck, ...]:
    """Every check of one square. `parts`: from `parts.assembled`; `invert`: from the settings; `bed`: side of the
    printer's bed in mm."""
    printable = [check for name, solid in parts.items() for check in of_part(name, solid, bed)]
    if not all(check.passed for check in printable if check.what in CLOSED):
        return tuple(printable)
    shape, click = DialShape(clicks=square.clicks, invert=invert), one_click(square, parts)
    moving = (*gaps(parts), *clicks(square, parts, shape, click), *turning(square, parts, click))
    return (*printable, *moving, *sensing(square, parts))


CLOSED: Final = ("closed", "pieces")
"""If these fail, nothing else can be measured."""


def of_part(name: str, solid: Solid, bed: float = BED) -> Iterator[MeshCheck]:
    """The checks of a single part."""
    yield MeshCheck(name, "closed", float(is_whole(solid)), "", 1, 1)
    yield MeshCheck(name, "pieces", float(len(solid.decompose())), "", 1, 1)
    if not is_whole(solid):
        return
    yield MeshCheck(name, "volume", float(solid.volume()) / 1000, "cm³", 0.1)
    lying = on_bed(name, solid)
    low, high = bounds(lying)
    yield MeshCheck(name, "longest side", float((high - low).max()), "mm", None, bed)
    yield MeshCheck(name, "thinnest wall", measures.thinnest_wall(solid), "mm", LEAST_WALL)
    yield MeshCheck(name, "layers that begin in the air", float(measures.begun_in_the_air(lying)), "", None, 0)
    yield MeshCheck(name, "widest bridge without support", measures.widest_bridge(lying), "mm", None, WIDEST_BRIDGE)


# ------------------------------------------------------------------------------------------ what moves


def gaps(parts: Parts) -> Iterator[MeshCheck]:
    """Gaps between moving parts while the dial rests, and whether any two parts overlap."""
    pairs = (("dial", "top"), ("dial", "carrier"), ("spring", "carrier"))
    for one, other in pairs:
        yield MeshCheck(f"{one}, {other}", "gap", gap(parts[one], parts[other]), "mm", LEAST_GAP)
    yield MeshCheck("spring, top", "snug fit of the beads", gap(parts["spring"], parts["top"]), "mm", SNUG, MOST_SNUG)
    yield MeshCheck("dial, spring", "gap at rest", gap(parts["dial"], parts["spring"]), "mm", LEAST_GAP)
    for n, one in enumerate(MOVING):
        for other in MOVING[n + 1 :]:
            shared = float((parts[one] ^ parts[other]).volume())
            if shared > 1e-3:
                yield MeshCheck(f"{one}, {other}", "overlap", shared, "mm³", None, 0)


def gap(one: Solid, other: Solid) -> float:
    """The shortest distance between two parts, up to 1 mm; 0 if they touch, below 0 if they overlap."""
    shared = float((one ^ other).volume())
    return -shared if shared > 1e-6 else float(one.min_gap(other, _NEAR))


def one_click(square: PrintedSquare, parts: Parts) -> motion.Click:
    """Turn the dial by one click under the nose."""
    return motion.click(parts["dial"], parts["spring"], _middle(parts["spring"]), square.pitch_deg)


def clicks(square: PrintedSquare, parts: Parts, shape: DialShape, click: motion.Click) -> Iterator[MeshCheck]:
    """The cam under the nose: aligned with the decoder, free at rest, bent on the lobes, never held in between."""
    dial, spring = parts["dial"], parts["spring"]
    rim, height = click.rim, _middle(spring)
    lobes = len(rim.valleys_deg)
    yield MeshCheck("dial", "lobes", lobes, "", square.clicks, square.clicks)
    yield MeshCheck("dial", "valleys off the decoder's centres", beside(shape, rim, click.nose_deg), "°", None, 0.2)
    yield MeshCheck("dial", "difference between lobes", rim.unlike(), "mm", None, 0.02)
    yield from _rest(square, parts, click)
    yield MeshCheck("dial", "held by friction near a lobe's top", 100 * click.stuck(_shaft(dial) / 2), "% of a click",
                None, 100 * MOST_STUCK)  # fmt: skip
    yield MeshCheck("spring", "bent at rest", max(0.0, float(click.lift[0])), "mm", None, 0)
    yield MeshCheck(
        "spring", "bent on a lobe, less its play", click.bend - max(0.0, gap(spring, parts["top"])), "mm", LEAST_BEND
    )
    span, thick = _strip(spring, height)
    yield MeshCheck("spring", "strain on a lobe", 100 * 6 * thick * click.bend / span**2, "%", None, 100 * MOST_STRAIN)


def _middle(solid: Solid) -> float:
    """The height of its middle above the table."""
    low, high = bounds(solid)
    return float(low[2] + high[2]) / 2


def _rest(square: PrintedSquare, parts: Parts, click: motion.Click) -> Iterator[MeshCheck]:
    """How far from a click's middle a dial may rest: the nose is free there, the strip slides, the shaft has play."""
    loose = slide(parts["spring"], parts["top"]) + bearing_play(parts["dial"], parts["carrier"])
    rests = click.play_deg + math.degrees(loose / click.nose_reach)
    yield MeshCheck("dial", "rest position off the click's middle", rests, "°", None, square.pitch_deg * SEATED_PITCH)
    most = square.pitch_deg * (0.5 - HYSTERESIS_PITCH)
    yield MeshCheck("dial", "rest positions apart, turned both ways", 2 * rests, "°", None, most)


def slide(spring: Solid, top: Solid) -> float:
    """How far the flexure can slide lengthwise, either way; as far as is searched if nothing stops it."""
    high = bounds(spring)[1]
    at = (0.0, float(high[1]) - BEHIND_BEAD, _middle(spring))
    stops = [float(hit.position[0]) for hit in top.ray_cast(at, (SLIDES, *at[1:]))[:1]]
    return min([*stops, SLIDES]) - float(high[0])


def bearing_play(dial: Solid, carrier: Solid) -> float:
    """How far the shaft can move sideways in its bushing."""
    return (measures.bore(carrier, bounds(carrier)[1][2] - 1.5) - _shaft(dial)) / 2


def beside(shape: DialShape, rim: motion.Rim, nose_deg: float) -> float:
    """Largest distance of a valley from the decoder's evenly spaced centres under the nose, in degrees."""
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
    """Length between the ends, and least thickness beside the nose."""
    low, high = bounds(spring)
    inside = spring.trim_by_plane((1, 0, 0), 5).trim_by_plane((-1, 0, 0), -9)
    thin_low, thin_high = bounds(inside)
    thick = float(thin_high[1] - thin_low[1])
    return float(high[0] - low[0]) - 2 * thick, thick


def turning(square: PrintedSquare, parts: Parts, click: motion.Click) -> Iterator[MeshCheck]:
    """Dial and flexure at every angle between two clicks."""
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
    yield MeshCheck("dial, spring", "overlap while it turns", most_shared, "mm³", None, 0.5)
    yield MeshCheck("dial, spring", "overlap if it did not bend", plain, "mm³", 0.5)
    yield MeshCheck("spring, top", "gap behind the bent flexure", least_room, "mm", LEAST_GAP)
    turned = parts["dial"].rotate((0, 0, 180 / facets(square.shaft_diameter)))
    yield MeshCheck("dial, carrier", "gap when turned", gap(turned, parts["carrier"]), "mm", LEAST_GAP)
    yield MeshCheck("dial, top", "gap when turned", gap(turned, parts["top"]), "mm", LEAST_GAP)


# ------------------------------------------------------------------------------------ the magnet and its chip


def sensing(square: PrintedSquare, parts: Parts) -> Iterator[MeshCheck]:
    """Magnet, chip and steel parts."""
    dial, carrier = parts["dial"], parts["carrier"]
    end = bounds(dial)[0][2]
    pocket, deep = measures.bore(dial, end + 1.2), measures.ceiling(dial, 0, 0) - end
    yield MeshCheck(
        "dial", "magnet pocket, diameter", pocket, "mm", square.magnet_diameter + 0.05, square.magnet_diameter + 0.2
    )
    high = square.magnet_height
    yield MeshCheck("dial", "magnet pocket, depth", deep, "mm", high, high + 0.3)
    pad = square.board / 2 - 1.5
    chip_top = measures.ceiling(carrier, pad, pad) + square.chip_height
    face = end + deep - square.magnet_height
    down = gap_down(dial, carrier)
    yield MeshCheck("dial", "magnet to chip, dial resting", face - down - chip_top, "mm", LEAST_AIR, MOST_AIR)
    up = square.deck_bottom - square.dial_top
    yield MeshCheck("dial", "magnet to chip, dial lifted", face + up - chip_top, "mm", LEAST_AIR, MOST_AIR)
    yield MeshCheck(
        "dial, carrier", "magnet off the bushing's middle", bearing_play(dial, carrier), "mm", None, MOST_OFF
    )
    near = min(math.hypot(*at) for at in ((square.screw_at, square.screw_at), *CLAMP_SCREWS))
    yield MeshCheck("base", "open area below, screws in", open_below(square, parts["base"]), "mm²", None, 0.01)
    tip, edge = HEAD_AT + SCREW_LENGTH, square.screw_at
    yield MeshCheck("base, top", "screw thread engagement", tip - bounds(carrier)[1][2], "mm", 4)
    blind = measures.ceiling(parts["top"], edge, edge) - tip
    yield MeshCheck("top", "clearance beyond the screws' tips", blind, "mm", 0.5)
    yield MeshCheck("base", "distance from screws to magnet", near - 1.25 - square.magnet_diameter / 2, "mm", STEEL)


def open_below(square: PrintedSquare, base: Solid) -> float:
    """Uncovered area of the square from below: the pointer must not be visible."""
    closed = (base + bought.screws(square)).project()
    low, high = bounds(base)
    return float((rectangle(low[0], low[1], high[0], high[1]) - closed).area())


def gap_down(dial: Solid, carrier: Solid) -> float:
    """How far the dial can sink until the cam rests on the carrier."""
    top = bounds(carrier)[1][2]
    return float(dial.ray_cast((7.0, 0.0, float(top)), (7.0, 0.0, float(top) + 20))[0].position[2] - top)


def failures(found: tuple[MeshCheck, ...]) -> tuple[str, ...]:
    """One sentence for each failed check."""
    return tuple(
        f"{check.part} ({check.what}): measured {check.value:.2f} {check.unit}".rstrip()
        + f", must be {check.limit}. Change the numbers of the square."
        for check in found
        if not check.passed
    )
