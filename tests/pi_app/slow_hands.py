"""Hands that calibrate a dial, drawn from a seed: how they leave a detent, pause on the way, and let it swing."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Final

from hardware.sims.hand import COUNTS_PER_TURN, SimMagnet

PITCH: Final = COUNTS_PER_TURN / 12
PER_DEG: Final = COUNTS_PER_TURN / 360
MS: Final = 1_000_000

Samples = list[tuple[int, int | None]]


@dataclass
class SlowTurn:
    """A turn of a dial of 12 clicks, once round. `rests[k]` is where it really comes to rest, in degrees, before the
    magnet bends it: friction holds it up to `off_deg` behind the middle of a detent."""

    seed: int
    creep_ms: tuple[float, float] = (100, 3000)
    snap_ms: tuple[float, float] = (3, 60)
    holds: float = 0.3
    back: float = 0.15
    off_deg: float = 2.0
    rings: bool = True
    rest_ms: tuple[float, float] = (400, 900)
    points: list[tuple[float, float]] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draw = random.Random(f"slow hand {self.seed}")
        self._ms, self._deg = 0.0, 0.0
        self.rests = [30 * k + self._draw.uniform(-self.off_deg, 0) for k in range(12)]
        self._go(self.rests[0], 0)
        self._go(self.rests[0], 700)
        for k in range(1, 13):
            self._click(k)
            if self._draw.random() < self.back:
                self._click(k - 1, back=True)
                self._click(k)
        self._go(self._rest(12), 900)

    def _rest(self, k: int) -> float:
        return self.rests[k % 12] + 360 * (k // 12)

    def _click(self, k: int, *, back: bool = False) -> None:
        """Creep out of the detent to the crest, hold the dial on the way now and then, snap into the next, rest."""
        draw, aim = self._draw, self._rest(k)
        crest = self._deg + (aim - self._deg) * draw.uniform(0.4, 0.55)
        creep = math.exp(draw.uniform(math.log(self.creep_ms[0]), math.log(self.creep_ms[1])))
        if draw.random() < self.holds:
            part = draw.uniform(0.35, 1.0)
            self._go(self._deg + (crest - self._deg) * part, creep * part)
            self._go(self._deg, draw.uniform(100, 500))
        self._go(crest, creep / 2)
        snap = draw.uniform(*self.snap_ms)
        self._go(aim, snap)
        if self.rings:
            for swing in (4.0, -2.5, 1.5, -0.8, 0.4):
                self._go(aim + math.copysign(swing, aim - crest), 6)
            self._go(aim, 4)
        self._go(aim, 250 if back else draw.uniform(*self.rest_ms))

    def _go(self, deg: float, for_ms: float) -> None:
        self._ms, self._deg = self._ms + for_ms, deg
        self.points.append((self._ms, deg))

    def counts_at(self, t_ns: int) -> float:
        """Return the dial's own angle, in counts."""
        ms, points = t_ns / MS, self.points
        low, high = 0, len(points) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if points[middle][0] <= ms else (low, middle)
        (a_ms, a), (b_ms, b) = points[low], points[high]
        part = 1.0 if b_ms == a_ms else min(1.0, max(0.0, (ms - a_ms) / (b_ms - a_ms)))
        return (a + (b - a) * part) * PER_DEG

    def sampled(self, hz: float, *, invert: bool = False) -> tuple[Samples, list[float]]:
        """What an encoder with an eccentric magnet gives at this rate, some reads failed, some spoilt; and the angles
        of the detents as it sees them, in counts."""
        magnet = SimMagnet(self.counts_at, self.seed)
        quiet = SimMagnet(float, self.seed, noise_sd_deg=0.0)
        sign = -1 if invert else 1
        samples: Samples = []
        t_ns, end_ns = 1000, int(self.points[-1][0] * MS)
        while t_ns < end_ns:
            raw: int | None = round(sign * magnet(t_ns)) % COUNTS_PER_TURN
            chance = self._draw.random()
            raw = None if chance < 0.003 else self._draw.randrange(COUNTS_PER_TURN) if chance > 0.999 else raw
            samples.append((t_ns, raw))
            t_ns += int(1e9 / hz * self._draw.uniform(0.9, 1.1))
        return samples, [sign * quiet(round(rest * PER_DEG)) % COUNTS_PER_TURN for rest in self.rests]


def off_deg(learnt: float, true: float) -> float:
    """Return the distance of two angles in counts."""
    return abs((learnt - true + COUNTS_PER_TURN / 2) % COUNTS_PER_TURN - COUNTS_PER_TURN / 2) / PER_DEG
