"""Measure the click on the meshes of cam and flexure: where the dial rests, how far the flexure bends, where it sticks.

Both are cut at one height. The cam's rim, as radius over angle, is turned under the nose in small steps; the lift is
how far the nose must give way. Angles in degrees counter-clockwise, lengths in mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pi_app.plans.printed.solid import Floats, Solid, bounds, outlines
from pi_app.plans.printed.square import FRICTION

RAYS: Final = 7200
"""Angles at which the rim is sampled: every 0.05 degrees."""
STEPS: Final = 120
"""Steps of turning in one pitch."""


@dataclass(frozen=True, slots=True)
class Rim:
    """The cam's radius at `RAYS` angles from 0."""

    radius: Floats

    @property
    def valleys_deg(self) -> Floats:
        """The middle of every stretch below half the lobes' height, by angle."""
        low = self.radius < (self.radius.min() + self.radius.max()) / 2
        starts = np.flatnonzero(low & ~np.roll(low, 1))
        ends = np.flatnonzero(low & ~np.roll(low, -1))
        if len(starts) and ends[0] < starts[0]:
            ends = np.roll(ends, -1)
        length = (ends - starts) % RAYS
        return np.sort((starts + length / 2) % RAYS * 360 / RAYS)

    def unlike(self) -> float:
        """The largest difference between two lobes."""
        lobes = len(self.valleys_deg)
        if lobes == 0:
            return float(self.radius.max())
        angles = np.arange(lobes * 100) * 360 / (lobes * 100)
        whole = np.arange(RAYS + 1) * 360 / RAYS
        folded = np.interp(angles, whole, np.append(self.radius, self.radius[0])).reshape(lobes, 100)
        return float(np.ptp(folded, axis=0).max())


def rim(dial: Solid, height: float) -> Rim:
    """The outermost outline of the dial at this height, around its axis."""
    line = max(outlines(dial.slice(height)), key=lambda way: float(np.ptp(way[:, 0])))
    angles = np.arange(RAYS) * 2 * np.pi / RAYS
    direction = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    radius = np.zeros(RAYS)
    for start, end in zip(line, np.roll(line, -1, axis=0), strict=True):
        first, way = np.arctan2(start[1], start[0]) % (2 * np.pi), end - start
        last = np.arctan2(end[1], end[0]) % (2 * np.pi)
        if (last - first) % (2 * np.pi) > np.pi:
            first, last = last, first
        count = int(np.floor((last - first) % (2 * np.pi) * RAYS / (2 * np.pi))) + 2
        rays = (int(np.floor(first * RAYS / (2 * np.pi))) + np.arange(count)) % RAYS
        across = direction[rays, 0] * way[1] - direction[rays, 1] * way[0]
        reach = (start[0] * way[1] - start[1] * way[0]) / np.where(np.abs(across) < 1e-12, np.inf, across)
        at = direction[rays] * reach[:, None] - start
        on = (at @ way) / max(float(way @ way), 1e-18)
        good = (on >= -1e-6) & (on <= 1 + 1e-6) & (reach > 0)
        radius[rays[good]] = np.maximum(radius[rays[good]], reach[good])
    return Rim(radius)


@dataclass(frozen=True, slots=True)
class Click:
    """Turning by one pitch, from rest to rest. `lift`: how far the nose must give way at each step, below 0 if free."""

    rim: Rim
    pitch_deg: float
    lift: Floats
    nose_deg: float
    nose_reach: float
    """From the axis to the nose's tip."""

    @property
    def play_deg(self) -> float:
        """How far the resting dial turns to either side before the flexure bends."""
        return float((self.lift < 0).sum() - 1) / 2 / STEPS * self.pitch_deg

    @property
    def bend(self) -> float:
        """How far the flexure bends on top of a lobe."""
        return float(self.lift.max())

    def stuck(self, shaft_radius: float, friction: float = FRICTION) -> float:
        """Part of a pitch, on either side of a lobe's top, in which friction may hold the dial.

        The slope, less its own friction, pushes the dial home; the friction of the shaft's bearing resists."""
        slope = np.gradient(self.lift, np.radians(self.pitch_deg / STEPS))
        reach = self.nose_reach + self.lift
        tangent = np.abs(slope) / reach
        home = reach * (tangent - friction) / (1 + friction * tangent)
        return float(((home <= friction * shaft_radius) & (self.lift >= 0)).sum()) / 2 / STEPS


def click(dial: Solid, spring: Solid, height: float, pitch_deg: float) -> Click:
    """Turn the dial by one pitch under the flexure."""
    line = rim(dial, height)
    nose = _nose(spring, height)
    nearest = int(np.argmin(np.hypot(nose[:, 0], nose[:, 1])))
    nose_deg = float(np.degrees(np.arctan2(nose[nearest, 1], nose[nearest, 0])))
    angles = np.arange(RAYS) * 2 * np.pi / RAYS
    lift = np.array(
        [_lift(line.radius, angles + np.radians(way), nose) for way in np.linspace(0, pitch_deg, STEPS + 1)]
    )
    return Click(line, pitch_deg, lift, nose_deg, float(np.hypot(*nose[nearest])))


def _nose(spring: Solid, height: float) -> Floats:
    """Closely spaced points along the side of the nose that faces the dial."""
    (line,) = outlines(spring.slice(height))
    points = [
        start + (end - start) * part
        for start, end in zip(line, np.roll(line, -1, axis=0), strict=True)
        for part in np.linspace(0, 1, 1 + int(np.linalg.norm(end - start) / 0.02), endpoint=False)
    ]
    near: Floats = np.array(points, dtype=np.float64)
    lowest = bounds(spring)[0][1]
    front: Floats = near[(near[:, 1] < lowest + 2.5) & (np.abs(near[:, 0]) < 3)]
    return front


def _lift(radius: Floats, angles: Floats, nose: Floats) -> float:
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    above = (y > 0) & (np.abs(x) < 5)
    order = np.argsort(x[above])
    return float((np.interp(nose[:, 0], x[above][order], y[above][order]) - nose[:, 1]).max())


def bent(spring: Solid, lift: float) -> Solid:
    """The flexure with its nose pushed back: the line of a strip on two supports with a load in the middle."""
    low, high = bounds(spring)
    half = (high[0] - low[0]) / 2

    def moved(points: Floats) -> Floats:
        from_end = np.clip((half - np.abs(points[:, 0])) / (2 * half), 0, 0.5)
        points[:, 1] += lift * (3 * from_end - 4 * from_end**3)
        return points

    return spring.refine_to_length(1.0).warp_batch(moved)
