"""The named kinds of hand: a dial and a finger. Every pair is a range from which each variant draws. SI units.

A dial is the printed trap square's by default: the lengths below are those of `pi_app.plans.printed.square` (a test
compares them), the flexure's stiffness is that of a strip on two supports. wiring_docs/hands.md has the sources of
every figure and says which of them are estimates.

Not modelled: a hand that changes its technique within one turn, and two hands on one dial.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from hardware.sims.detent import Detent, Finger

Range = tuple[float, float]

FEWEST_CLICKS, MOST_CLICKS = 6, 24
"""The printable dials. One with fewer or more clicks moves as the nearest of these, to scale."""

MOST_PLAY: Final = 1.1
"""A printer's error, over the nominal play."""

MM: Final = 1e-3
DEG: Final = math.pi / 180

FLEXURE_N_PER_M: Final = 48 * 2e9 * (3.6 * MM * (1.4 * MM) ** 3 / 12) / (31.6 * MM) ** 3
"""A strip of PETG (2 GPa), 3.6 mm high and 1.4 mm thick, on supports 31.6 mm apart: 2.5 N/mm."""


@dataclass(frozen=True, slots=True)
class Cam:
    """The cam of a printed dial with so many clicks, in m and radians."""

    pitch: float
    slope: float
    reach: float
    play: float
    """The free travel of the nose to either side, with strip and shaft in the middle of their own play."""
    loose: float
    """The additional travel with both to one side: 0.1 mm of the beads, 0.22 mm of the bushing."""
    crest: float

    @property
    def most_beside(self) -> float:
        """How far beside the middle of its detent a dial may rest."""
        return MOST_PLAY * self.play + self.loose


def cam(clicks: int) -> Cam:
    """The dimensions of `pi_app.plans.printed.square`, for the nearest printable number of clicks."""
    clicks = min(max(clicks, FEWEST_CLICKS), MOST_CLICKS)
    pitch, steep = 2 * math.pi / clicks, math.tan(35 * DEG)
    radius = min(max(clicks * 2.0 * MM / (math.pi * steep), 8.5 * MM), 13.8 * MM)
    lobe = min(2.0 * MM, math.pi * radius / clicks * steep)
    slope = lobe / (pitch / 2)
    valley = math.atan(slope / (radius - lobe / 2))
    tip = math.atan(slope / (radius + lobe / 2))
    return Cam(
        pitch,
        slope,
        radius,
        0.2 * MM / math.cos(valley) / slope,
        (0.1 + 0.22) * MM / radius,
        (0.8 + 0.3) * MM * math.sin(tip) / (radius + lobe / 2 + 0.8 * MM),
    )


@dataclass(frozen=True, slots=True)
class DialRanges:
    """A dial's ranges. `play` and `loose` are parts of the cam's; `valley` and `crest` are parts of half a click."""

    spring: Range = (0.85 * FLEXURE_N_PER_M, 1.15 * FLEXURE_N_PER_M)
    preload: Range = (0.0, 0.0)
    play: Range = (0.6, MOST_PLAY)
    loose: Range = (0.0, 0.3)
    valley: Range = (0.02, 0.04)
    crest: Range | None = None
    rubbing: Range = (0.2, 0.3)
    bearing: Range = (1e-4, 4e-4)
    sticking: Range = (1.05, 1.3)
    viscous: Range = (1e-5, 4e-5)
    inertia: Range = (5.5e-7, 7.5e-7)

    def drawn(self, draw: random.Random, clicks: int) -> Detent:
        """One dial of this kind."""
        shape = cam(clicks)
        half = shape.pitch / 2
        return Detent(
            pitch=shape.pitch,
            slope=shape.slope,
            reach=shape.reach,
            play=shape.play * draw.uniform(*self.play) + shape.loose * draw.uniform(*self.loose),
            valley=half * draw.uniform(*self.valley),
            crest=shape.crest if self.crest is None else half * draw.uniform(*self.crest),
            spring=draw.uniform(*self.spring),
            preload=draw.uniform(*self.preload),
            rubbing=draw.uniform(*self.rubbing),
            bearing=draw.uniform(*self.bearing),
            sticking=draw.uniform(*self.sticking),
            viscous=draw.uniform(*self.viscous),
            inertia=draw.uniform(*self.inertia),
        )


@dataclass(frozen=True, slots=True)
class FingerRanges:
    """A finger's ranges. Speeds are those of a clockwise turn; `outward` is how much faster a counter-clockwise one is.

    `limit` is over the torque that the dial needs."""

    speed: Range = (9.0, 25.0)
    stiffness: Range = (0.1, 0.25)
    damping: Range = (8e-4, 1.6e-3)
    limit: Range = (1.5, 3.0)
    inertia: Range = (1.0e-6, 2.4e-6)
    slack: Range = (0.0, 0.0)
    lingers_s: Range = (0.02, 0.08)
    hold_speed: Range = (0.0, 0.0)
    pause_at: Range = (0.0, 0.0)
    pause_s: Range = (0.0, 0.0)
    grips: bool = True
    lets_go: bool = False
    outward: float = 0.9

    def drawn(self, draw: random.Random, detent: Detent, direction: int) -> Finger:
        """One finger of this kind on a dial."""
        return Finger(
            speed=draw.uniform(*self.speed) * (self.outward if direction > 0 else 1.0),
            stiffness=draw.uniform(*self.stiffness),
            damping=draw.uniform(*self.damping),
            limit=draw.uniform(*self.limit) * detent.climb_torque,
            inertia=draw.uniform(*self.inertia),
            slack=draw.uniform(*self.slack),
            lingers_s=draw.uniform(*self.lingers_s),
            hold_speed=draw.uniform(*self.hold_speed),
            pause_at=draw.uniform(*self.pause_at),
            pause_s=draw.uniform(*self.pause_s),
            grips=self.grips,
            lets_go=self.lets_go,
        )


@dataclass(frozen=True, slots=True)
class HandKind:
    """A kind of hand on a kind of dial. Without them it is the formula, without physics."""

    name: str
    says: str
    dial: DialRanges | None = None
    touch: FingerRanges | None = None


PRINTED: Final = DialRanges()
CRISP: Final = DialRanges(
    preload=(0.3e-3, 0.6e-3), play=(0.0, 0.0), loose=(0.0, 0.0), valley=(0.05, 0.1), crest=(0.6, 0.85),
    rubbing=(0.08, 0.14), viscous=(1.5e-4, 3e-4), inertia=(4.5e-7, 7e-7),
)  # fmt: skip
COIN: Final = FingerRanges(slack=(0.5 * DEG, 1.6 * DEG))

HANDS: Final[Mapping[str, HandKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            HandKind("formula", "no physics: a click of 15 to 40 ms that always rings"),
            HandKind(
                "crisp", "a preloaded, greased dial, and a quick finger that winds up until it gives way",
                CRISP, FingerRanges(speed=(40.0, 110.0), stiffness=(0.5, 1.2), inertia=(0.0, 0.0), limit=(2.0, 4.0)),
            ),
            HandKind(
                "greased", "a printed dial full of stiff grease, turned with a coin",
                replace(PRINTED, rubbing=(0.06, 0.12), viscous=(4e-4, 1.2e-3), sticking=(1.0, 1.1)), COIN,
            ),
            HandKind(
                "ringing", "a dry dial with slippery parts; the finger lets go at the top of the lobe",
                replace(PRINTED, rubbing=(0.03, 0.07), viscous=(2e-6, 1e-5), bearing=(2e-5, 8e-5)),
                FingerRanges(lets_go=True, speed=(6.0, 20.0)),
            ),
            HandKind(
                "stiff", "a flexure of 1.6 to 1.8 mm, turned with a coin",
                replace(PRINTED, spring=(1.5 * FLEXURE_N_PER_M, 2.1 * FLEXURE_N_PER_M)), COIN,
            ),
            HandKind(
                "soft", "a flexure of 1.0 to 1.2 mm, turned with two fingers",
                replace(PRINTED, spring=(0.36 * FLEXURE_N_PER_M, 0.63 * FLEXURE_N_PER_M)), FingerRanges(),
            ),
            HandKind(
                "worn", "a slack, dry, sticky dial that rests beside the middle of its detent",
                replace(
                    PRINTED, spring=(0.5 * FLEXURE_N_PER_M, 0.8 * FLEXURE_N_PER_M), play=(1.0, MOST_PLAY),
                    loose=(0.5, 1.0), rubbing=(0.25, 0.35), bearing=(4e-4, 1.2e-3), sticking=(1.2, 1.6),
                    valley=(0.04, 0.1),
                ),
                replace(COIN, slack=(1.0 * DEG, 3.5 * DEG)),
            ),
            HandKind("coin", "a printed dial as drawn, turned with a coin in its slot", PRINTED, COIN),
            HandKind(
                "nail", "a finger nail in the slot: it pushes quickly, cannot hold back, and slips out at the top",
                replace(PRINTED, rubbing=(0.12, 0.22)),
                FingerRanges(speed=(25.0, 60.0), stiffness=(0.4, 0.9), limit=(1.1, 1.6), grips=False, lets_go=True),
            ),
            HandKind(
                "left-handed", "a coin in the left hand: counter-clockwise is its quick way",
                PRINTED, replace(COIN, outward=1.4, speed=(8.0, 16.0)),
            ),
            HandKind(
                "held-back", "two fingers that hold the dial back and let it down into the detent",
                PRINTED,
                FingerRanges(speed=(8.0, 18.0), stiffness=(0.4, 0.8), damping=(2e-3, 5e-3), hold_speed=(5.0, 12.0)),
            ),
            HandKind(
                "slow", "a firm grip that turns slowly all the way",
                PRINTED,
                FingerRanges(speed=(1.5, 5.0), stiffness=(0.4, 0.8), damping=(2e-3, 5e-3), lingers_s=(0.05, 0.3)),
            ),
            HandKind(
                "hesitant", "a coin that stops half way up the lobe, and goes on",
                PRINTED, replace(COIN, pause_at=(0.15, 0.4), pause_s=(0.05, 0.4)),
            ),
        )
    }
)  # fmt: skip
"""The kinds by name."""

BARE: Final = DialRanges(
    spring=(0.03 * FLEXURE_N_PER_M, 0.06 * FLEXURE_N_PER_M), play=(0.0, 0.3), loose=(0.0, 0.0), valley=(0.1, 0.3),
    rubbing=(0.05, 0.1), bearing=(2e-5, 1e-4), viscous=(5e-6, 2e-5),
)  # fmt: skip
"""A shaft with hardly a detent, for flicks faster than a printed dial allows."""

TWIST: Final = FingerRanges(stiffness=(0.6, 1.2), damping=(1.5e-3, 3e-3), limit=(4.0, 6.0), inertia=(1.0e-6, 2.0e-6))
"""Fingers that twist the dial through many clicks without releasing it."""
