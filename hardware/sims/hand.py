"""A hand that turns a detented dial, and the magnet above the sensor. Pure: time and seed in, counts out.

A kind of hand (`HANDS`) is a dial and a finger of `hardware.sims.hand_kinds`, moved by the equation of
`hardware.sims.detent`. The kind "formula" has no physics: a click snaps to the next detent in 15 to 40 ms, overshoots
by 2 to 6 degrees and rings down in about 60 ms. Every kind turns click by click with pauses of 0.15 to 0.6 s, or as
fast as it is asked to; a flick goes up to the 171 clicks/s of a bare shaft. Counts grow counter-clockwise and never
wrap; the sensor wraps them.

Not modelled: a dial that slips back over a lobe or runs on into another detent (such draws are dropped),
iron near the magnet, poll jitter (the wire makes its own), friction that differs from detent to detent, and the speed
that a dial still has when the next click begins while it rings (the angle is continuous, the speed is not).
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence

from hardware.sims.clock import NEVER_NS
from hardware.sims.hand_kinds import HANDS
from hardware.sims.motion import DialMotion, Move
from hardware.sims.trajectories import (
    COUNTS_PER_TURN,
    PACED_VARIANTS,
    STARTS,
    VARIANTS,
    TurnRequest,
    angle_table,
    gap_of,
    pace_of,
    trajectory,
)

COUNTS_PER_DEGREE = COUNTS_PER_TURN / 360
FASTEST_CLICKS_PER_S = 171

SNAP_MS = (15.0, 40.0)
OVERSHOOT_DEG = (2.0, 6.0)
COIN_PAUSE_MS = (150.0, 600.0)
NOISE_SD_DEG = (0.03, 0.07)
ECCENTRICITY_DEG = (1.0, 4.0)

SWEEP_MS = 120.0
"""Even gaps below this are one sweep: the fingers hold the dial between the clicks."""
SEATED_PART = 0.2
"""Part of a click: a dial nearer to the middle of a detent starts from there as every other does."""

__all__ = ["COUNTS_PER_DEGREE", "COUNTS_PER_TURN", "FASTEST_CLICKS_PER_S", "HANDS", "SimHand", "SimMagnet"]


class SimHand:
    """A hand of one kind on one dial of `clicks` detents; the same seed and calls give the same movement.

    A call that comes while the dial still moves begins when the last movement has ended.
    """

    def __init__(self, seed: int, clicks: int = 12, position: int = 0, kind: str = "formula") -> None:
        if clicks < 2:
            raise ValueError(f"a dial has at least 2 detents, not {clicks}")
        if kind not in HANDS:
            raise ValueError(f"there is no hand {kind!r}; the kinds are {', '.join(HANDS)}")
        self.clicks = clicks
        self.kind = HANDS[kind]
        self._random = random.Random(f"hand {seed}")
        self._step_counts = COUNTS_PER_TURN / clicks
        self._detent = float(position)
        self._basin = position
        self._last_click_ns = -NEVER_NS
        self.motion = DialMotion(position * self._step_counts)
        self.angle_counts = self.motion.angle_counts

    @property
    def position(self) -> int | None:
        """The detent, 0 to clicks-1, in which the dial comes to rest; None between two."""
        return int(self._detent) % self.clicks if self._detent.is_integer() else None

    @property
    def at_rest_from_ns(self) -> int:
        """When the dial is at rest."""
        return self.motion.at_rest_from_ns

    @property
    def last_click_ns(self) -> int:
        """When the dial passes from one detent into the next for the last time; far in the past if it never moved."""
        return self._last_click_ns

    def turn(self, start_ns: int, clicks: int, click_gaps_ms: float | Sequence[float] | None = None) -> int:
        """Turn by signed clicks (counter-clockwise positive); return when the dial is at rest.

        `click_gaps_ms`: from the start of one click to the start of the next, one number for all or one
        for each of the |clicks|-1 gaps; if omitted, the hand uses a coin. From between two detents the first
        click goes to the next one on that side. Raises ValueError for missing gaps, and for gaps not above 0.
        """
        gaps_ms = self._gaps_ms(max(0, abs(clicks) - 1), click_gaps_ms)
        at_ns = max(start_ns, self.motion.free_from_ns)
        if self._sweeps(gaps_ms):
            self._twist(at_ns, clicks, gaps_ms[0])
            return max(start_ns, self.at_rest_from_ns)
        for place in range(abs(clicks)):
            gap_ms = gaps_ms[place] if place < len(gaps_ms) else math.inf
            self._click(at_ns, 1 if clicks > 0 else -1, gap_ms)
            at_ns = max(self.motion.free_from_ns, at_ns + _ns(gap_ms)) if gap_ms < math.inf else at_ns
        return max(start_ns, self.at_rest_from_ns)

    def flick(self, start_ns: int, clicks: int, speed_clicks_per_s: float) -> int:
        """Spin by signed clicks at an even speed, 0 to 171 clicks/s; return when the dial is at rest."""
        if not 0 < speed_clicks_per_s <= FASTEST_CLICKS_PER_S:
            raise ValueError(f"a dial is flicked at up to {FASTEST_CLICKS_PER_S} clicks/s, not {speed_clicks_per_s}")
        at_ns = max(start_ns, self.motion.free_from_ns)
        direction = 1 if clicks > 0 else -1
        if self.kind.dial is not None:
            if clicks:
                self._twist(at_ns, clicks, 1e3 / speed_clicks_per_s)
            return max(start_ns, self.at_rest_from_ns)
        for left in range(abs(clicks), 0, -1):
            overshoot = self._drawn(OVERSHOOT_DEG) if left == 1 else 0.0
            self._go(at_ns, self._next_detent(direction), 1e3 / speed_clicks_per_s, overshoot, spinning=True)
            at_ns = self.motion.free_from_ns
        return max(start_ns, self.at_rest_from_ns)

    def stop_between(self, start_ns: int, fraction: float = 0.5) -> int:
        """Creep by part of a click and stay there, held by the fingers: -1 < fraction < 1, not 0; return when it is
        at rest."""
        if not 0 < abs(fraction) < 1:
            raise ValueError(f"between two detents is a part of a click, not {fraction}")
        at_ns = max(start_ns, self.motion.free_from_ns)
        self._go(at_ns, self._detent + fraction, self._drawn(SNAP_MS), 0.0, spinning=True)
        return self.at_rest_from_ns

    def _click(self, at_ns: int, direction: int, gap_ms: float) -> None:
        if self.kind.dial is not None:
            self._push(at_ns, direction, gap_ms)
            return
        takes_ms = min(self._drawn(SNAP_MS), gap_ms)
        overshoot_deg = self._drawn(OVERSHOOT_DEG)
        self._go(at_ns, self._next_detent(direction), takes_ms, overshoot_deg)

    def _sweeps(self, gaps_ms: Sequence[float]) -> bool:
        return self.kind.dial is not None and bool(gaps_ms) and max(gaps_ms) < SWEEP_MS and len(set(gaps_ms)) == 1

    def _push(self, at_ns: int, direction: int, gap_ms: float) -> None:
        """One click at the kind's natural pace, or quicker if the next one comes too soon."""
        order, variant = self._order(at_ns, direction), self._random.randrange(VARIANTS)
        if angle_table(order, variant).arrives_s * 1e3 > gap_ms:
            order, variant = self._order(at_ns, direction, pace_of(gap_ms)), variant % PACED_VARIANTS
        takes_ms = angle_table(order, variant).arrives_s * 1e3
        self._ride(order, variant, at_ns, min(1.0, gap_ms / takes_ms))

    def _twist(self, at_ns: int, clicks: int, gap_ms: float) -> None:
        """Many clicks at an even pace."""
        order = self._order(at_ns, 1 if clicks > 0 else -1, pace_of(gap_ms), abs(clicks))
        self._ride(order, self._random.randrange(PACED_VARIANTS), at_ns, gap_ms / gap_of(pace_of(gap_ms)))

    def _order(self, at_ns: int, direction: int, pace: int | None = None, count: int = 1) -> TurnRequest:
        home = math.floor(self._detent) if direction > 0 else math.ceil(self._detent)
        beside = (self.motion.counts_after_all(at_ns) / self._step_counts - home) * direction
        start = 0 if self._detent.is_integer() or beside < SEATED_PART else min(STARTS - 1, round(beside * STARTS))
        return TurnRequest(self.kind.name, self.clicks, count, direction, pace, start)

    def _ride(self, order: TurnRequest, variant: int, at_ns: int, stretch: float) -> None:
        home = math.floor(self._detent) if order.direction > 0 else math.ceil(self._detent)
        done = trajectory(order, variant, at_ns, home, self.motion.counts_after_all(at_ns), stretch)
        self.motion.add(done)
        goal = home + order.direction * order.count
        if goal != self._basin:
            self._last_click_ns = done.tops_ns[-1] if done.tops_ns else at_ns
        self._detent, self._basin = float(goal), goal

    def _go(self, at_ns: int, detent: float, for_ms: float, overshoot_deg: float, *, spinning: bool = False) -> None:
        outward = math.copysign(overshoot_deg * COUNTS_PER_DEGREE, detent - self._detent)
        move = Move(
            at_ns,
            at_ns + _ns(for_ms),
            self.motion.counts_after_all(at_ns),
            detent * self._step_counts,
            outward if overshoot_deg else 0.0,
            spinning,
        )
        self.motion.add(move)
        basin = math.ceil(detent - 0.5) if detent > self._detent else math.floor(detent + 0.5)
        if basin != self._basin:
            top_counts = (basin - 0.5 if detent > self._detent else basin + 0.5) * self._step_counts
            self._last_click_ns = move.passes_ns(top_counts)
        self._detent, self._basin = detent, basin

    def _next_detent(self, direction: int) -> float:
        return math.floor(self._detent) + 1.0 if direction > 0 else math.ceil(self._detent) - 1.0

    def _gaps_ms(self, count: int, given: float | Sequence[float] | None) -> Sequence[float]:
        if given is None:
            return [self._drawn(COIN_PAUSE_MS) for _ in range(count)]
        gaps_ms = [float(given)] * count if isinstance(given, (int, float)) else list(given)
        if len(gaps_ms) < count or any(gap_ms <= 0 for gap_ms in gaps_ms):
            raise ValueError(f"{count} gaps above 0 ms are needed, not {gaps_ms}")
        return gaps_ms

    def _drawn(self, between: tuple[float, float]) -> float:
        return self._random.uniform(*between)


class SimMagnet:
    """A dial's angle as the sensor sees it: with eccentricity (a sine once a turn), tilt (a sine twice a turn) and
    noise, all from the seed.

    The noise is a function of seed and time only, so other reads do not change it.
    """

    __slots__ = (
        "_angle_at",
        "_eccentric_counts",
        "_noise",
        "_offset",
        "_phase",
        "_seen",
        "_seen_true",
        "_tilt_phase",
        "_tilted_counts",
        "noise_sd_counts",
    )

    def __init__(
        self,
        angle_at: Callable[[int], float],
        seed: int,
        *,
        noise_sd_deg: float | None = None,
        eccentricity_deg: float | None = None,
        tilt_deg: float = 0.0,
    ) -> None:
        """Omitted values are drawn: noise 0.03 to 0.07 degrees sd, eccentricity 1 to 4 degrees. `tilt_deg`: how far the
        magnet's tilt bends the angle."""
        draw = random.Random(f"magnet {seed}")
        drawn_noise, drawn_eccentricity = draw.uniform(*NOISE_SD_DEG), draw.uniform(*ECCENTRICITY_DEG)
        self._phase = draw.uniform(0, 2 * math.pi)
        self._offset = draw.getrandbits(48)
        self._tilt_phase = draw.uniform(0, 2 * math.pi)
        self._tilted_counts = COUNTS_PER_DEGREE * tilt_deg
        self._angle_at = angle_at
        self.noise_sd_counts = (drawn_noise if noise_sd_deg is None else noise_sd_deg) * COUNTS_PER_DEGREE
        self._eccentric_counts = COUNTS_PER_DEGREE * (
            drawn_eccentricity if eccentricity_deg is None else eccentricity_deg
        )
        self._noise = _unit_noise()
        self._seen_true = math.nan
        self._seen = 0.0

    def __call__(self, t_ns: int) -> float:
        """The angle in counts that reaches the sensor at `t_ns`, not wrapped."""
        true = self._angle_at(t_ns)
        if true != self._seen_true:
            self._seen_true = true
            turned = 2 * math.pi * true / COUNTS_PER_TURN
            self._seen = true + self._eccentric_counts * math.sin(turned + self._phase)
            if self._tilted_counts:
                self._seen += self._tilted_counts * math.sin(2 * turned + self._tilt_phase)
        mixed = (t_ns + self._offset) * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF
        return self._seen + self.noise_sd_counts * self._noise[mixed >> 52]


@functools.cache
def _unit_noise() -> tuple[float, ...]:
    """4096 draws of a normal distribution of sd 1, shared by all magnets."""
    draw = random.Random("sensor noise")
    return tuple(draw.gauss(0, 1) for _ in range(4096))


def _ns(ms: float) -> int:
    return max(1, round(ms * 1e6))
