"""A hand that turns a detented dial, and the magnet that the sensor sees. Pure: time and seed in, counts out.

A click snaps to the next detent in 15 to 40 ms, overshoots by 2 to 6 degrees and rings down in about
60 ms. A coin in the slot turns click by click with pauses of 0.15 to 0.6 s; a flick spins freely, up to the
171 clicks/s of a bare shaft. Counts grow counter-clockwise and never wrap; the sensor wraps them.

What it does not model: a dial that slips back over a detent, wear, bearing play, iron near the magnet,
poll jitter (the wire makes its own), and friction that differs from detent to detent.
"""

from __future__ import annotations

import functools
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.sims.clock import NEVER_NS

COUNTS_PER_TURN = 4096
COUNTS_PER_DEGREE = COUNTS_PER_TURN / 360
FASTEST_CLICKS_PER_S = 171

SNAP_MS = (15.0, 40.0)
OVERSHOOT_DEG = (2.0, 6.0)
COIN_PAUSE_MS = (150.0, 600.0)
NOISE_SD_DEG = (0.03, 0.07)
ECCENTRICITY_DEG = (1.0, 4.0)

RING_PERIOD_NS = 12_000_000
RING_DECAY_NS = 8_000_000
RING_OVER_NS = 8 * RING_DECAY_NS
"""After eight decay times the ring is below a tenth of a count."""

KEPT_MOVES = 64
"""Moves kept behind the cursor: a demo that runs for days must not grow."""


def _first_swing() -> float:
    """How high the first swing of a damped sine of amplitude 1 goes."""
    omega, decay = 2 * math.pi / RING_PERIOD_NS, 1 / RING_DECAY_NS
    peak_ns = math.atan(omega / decay) / omega
    return math.exp(-decay * peak_ns) * math.sin(omega * peak_ns)


FIRST_SWING = _first_swing()


@dataclass(frozen=True, slots=True)
class Move:
    """One movement: from `start_ns` to `end_ns` from one angle to another, and how far it overshoots.

    Not `spinning`, it accelerates out of the detent; spinning, it runs through evenly.
    """

    start_ns: int
    end_ns: int
    from_counts: float
    to_counts: float
    overshoot_counts: float = 0.0
    spinning: bool = False

    def counts_at(self, t_ns: int) -> float:
        """Where the dial stands at `t_ns`, at or after the start."""
        if t_ns < self.end_ns:
            done = (t_ns - self.start_ns) / (self.end_ns - self.start_ns)
            way = done if self.spinning else done * done
            return self.from_counts + (self.to_counts - self.from_counts) * way
        since_ns = t_ns - self.end_ns
        if since_ns >= RING_OVER_NS or not self.overshoot_counts:
            return self.to_counts
        swing = math.exp(-since_ns / RING_DECAY_NS) * math.sin(2 * math.pi * since_ns / RING_PERIOD_NS)
        return self.to_counts + self.overshoot_counts / FIRST_SWING * swing


class Motion:
    """Moves in order of time, and the angle at any moment; at rest a look-up costs next to nothing."""

    __slots__ = ("_cursor", "_moves", "_starts_ns", "_still_counts", "_still_from_ns", "_still_until_ns")

    def __init__(self, at_counts: float = 0.0) -> None:
        self._moves = [Move(-NEVER_NS, -NEVER_NS, at_counts, at_counts)]
        self._starts_ns = [-NEVER_NS]
        self._cursor = 0
        self._still_counts = at_counts
        self._still_from_ns, self._still_until_ns = -NEVER_NS, NEVER_NS

    @property
    def moves(self) -> Sequence[Move]:
        """The moves so far (the oldest ones of a long run are forgotten)."""
        return tuple(self._moves[1:])

    @property
    def free_from_ns(self) -> int:
        """When the last move has reached its place: the next one may start then."""
        return self._moves[-1].end_ns

    @property
    def at_rest_from_ns(self) -> int:
        """When the last move has rung down."""
        last = self._moves[-1]
        return last.end_ns + (RING_OVER_NS if last.overshoot_counts else 0)

    @property
    def goal_counts(self) -> float:
        """Where the dial stands after the last move."""
        return self._moves[-1].to_counts

    def add(self, move: Move) -> None:
        """Append a move. Raises ValueError if it starts before the last one has ended, or ends at once."""
        if not self.free_from_ns <= move.start_ns < move.end_ns:
            raise ValueError(
                f"a move from {move.start_ns} to {move.end_ns} ns cannot follow one that ends at {self.free_from_ns} ns"
            )
        self._forget_long_past()
        self._moves.append(move)
        self._starts_ns.append(move.start_ns)
        self._still_until_ns = min(self._still_until_ns, move.start_ns)

    def angle_counts(self, t_ns: int) -> float:
        """The dial's angle in counts, not wrapped. Raises ValueError for a time that is forgotten."""
        if self._still_from_ns <= t_ns < self._still_until_ns:
            return self._still_counts
        place = self._place(t_ns)
        move = self._moves[place]
        rest_ns = move.end_ns + (RING_OVER_NS if move.overshoot_counts else 0)
        if t_ns >= rest_ns:
            self._still_from_ns, self._still_until_ns = rest_ns, self._start_after(place)
            self._still_counts = move.to_counts
            return move.to_counts
        return move.counts_at(t_ns)

    def counts_after_all(self, t_ns: int) -> float:
        """The angle at a time that no move follows: it may lie far ahead of what is asked for otherwise."""
        return self._moves[-1].counts_at(t_ns)

    def _place(self, t_ns: int) -> int:
        """Which move rules at `t_ns`: mostly the one under the cursor or the next."""
        for place in (self._cursor, self._cursor + 1):
            if place < len(self._starts_ns) and self._starts_ns[place] <= t_ns < self._start_after(place):
                self._cursor = place
                return place
        place = bisect_right(self._starts_ns, t_ns) - 1
        if place < 0:
            raise ValueError(f"the movement at {t_ns} ns is forgotten")
        self._cursor = place
        return place

    def _start_after(self, place: int) -> int:
        return self._starts_ns[place + 1] if place + 1 < len(self._starts_ns) else NEVER_NS

    def _forget_long_past(self) -> None:
        if self._cursor > 2 * KEPT_MOVES:
            del self._moves[:KEPT_MOVES], self._starts_ns[:KEPT_MOVES]
            self._cursor -= KEPT_MOVES


class Hand:
    """A hand on one dial of `clicks` detents; same seed and same orders, same movement.

    Every order may come while the dial still moves: it then begins when the last one has ended.
    """

    def __init__(self, seed: int, clicks: int = 12, position: int = 0) -> None:
        if clicks < 2:
            raise ValueError(f"a dial has at least 2 detents, not {clicks}")
        self.clicks = clicks
        self._random = random.Random(f"hand {seed}")
        self._step_counts = COUNTS_PER_TURN / clicks
        self._detent = float(position)
        self.motion = Motion(position * self._step_counts)
        self.angle_counts = self.motion.angle_counts

    @property
    def position(self) -> int | None:
        """The detent, 0 to clicks-1, where the dial comes to rest; None between two."""
        return int(self._detent) % self.clicks if self._detent.is_integer() else None

    @property
    def at_rest_from_ns(self) -> int:
        """When the dial stands still."""
        return self.motion.at_rest_from_ns

    def turn(self, start_ns: int, clicks: int, click_gaps_ms: float | Sequence[float] | None = None) -> int:
        """Turn by signed clicks (counter-clockwise positive); returns when the dial stands still.

        `click_gaps_ms`: from the start of one click to the start of the next, one number for all or one
        for each of the |clicks|-1 gaps; left out, the hand uses a coin. From between two detents the first
        click goes to the next one on that side. Raises ValueError for gaps that are missing or not above 0.
        """
        gaps_ms = self._gaps_ms(max(0, abs(clicks) - 1), click_gaps_ms)
        at_ns = max(start_ns, self.motion.free_from_ns)
        for place in range(abs(clicks)):
            gap_ms = gaps_ms[place] if place < len(gaps_ms) else math.inf
            self._click(at_ns, 1 if clicks > 0 else -1, gap_ms)
            at_ns = max(self.motion.free_from_ns, at_ns + _ns(gap_ms)) if gap_ms < math.inf else at_ns
        return max(start_ns, self.at_rest_from_ns)

    def flick(self, start_ns: int, clicks: int, speed_clicks_per_s: float) -> int:
        """Spin by signed clicks at an even speed, 0 to 171 clicks/s; returns when the dial stands still."""
        if not 0 < speed_clicks_per_s <= FASTEST_CLICKS_PER_S:
            raise ValueError(f"a dial is flicked at up to {FASTEST_CLICKS_PER_S} clicks/s, not {speed_clicks_per_s}")
        at_ns = max(start_ns, self.motion.free_from_ns)
        direction = 1 if clicks > 0 else -1
        for left in range(abs(clicks), 0, -1):
            overshoot = self._drawn(OVERSHOOT_DEG) if left == 1 else 0.0
            self._go(at_ns, self._next_detent(direction), 1e3 / speed_clicks_per_s, overshoot, spinning=True)
            at_ns = self.motion.free_from_ns
        return max(start_ns, self.at_rest_from_ns)

    def stop_between(self, start_ns: int, fraction: float = 0.5) -> int:
        """Creep by part of a click and stay there: -1 < fraction < 1, not 0; returns when it stands."""
        if not 0 < abs(fraction) < 1:
            raise ValueError(f"between two detents is a part of a click, not {fraction}")
        at_ns = max(start_ns, self.motion.free_from_ns)
        self._go(at_ns, self._detent + fraction, self._drawn(SNAP_MS), 0.0, spinning=True)
        return self.at_rest_from_ns

    def _click(self, at_ns: int, direction: int, gap_ms: float) -> None:
        snap_ms = min(self._drawn(SNAP_MS), gap_ms)
        overshoot_deg = self._drawn(OVERSHOOT_DEG)
        self._go(at_ns, self._next_detent(direction), snap_ms, overshoot_deg)

    def _go(self, at_ns: int, detent: float, for_ms: float, overshoot_deg: float, *, spinning: bool = False) -> None:
        outward = math.copysign(overshoot_deg * COUNTS_PER_DEGREE, detent - self._detent)
        self.motion.add(
            Move(
                at_ns,
                at_ns + _ns(for_ms),
                self.motion.counts_after_all(at_ns),
                detent * self._step_counts,
                outward if overshoot_deg else 0.0,
                spinning,
            )
        )
        self._detent = detent

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


class Magnet:
    """What the sensor sees of a dial: eccentricity (a sine once a turn), tilt (a sine twice a turn) and noise, all in
    the seed.

    The noise is a function of seed and time alone, so what else is read, and how often, changes nothing.
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
        """What is left out is drawn: noise 0.03 to 0.07 degrees sd, eccentricity 1 to 4 degrees. The magnet lies flat
        unless it is said how far its tilt bends the angle."""
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
