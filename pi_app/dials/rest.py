"""Where a dial rests, and its excursion from one rest to the next. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pi_app.dials.detents import Between, Detents, Seated, Stand
from pi_app.dials.turn import Turn
from pi_app.dials.unwrap import Follower

NEAR_PER_STRAY: Final = 4
"""A place at which a dial comes to rest may have one stray sample for this many near ones."""

STRAYS_FORGOTTEN_NS: Final = 600_000_000
"""After this long without one, earlier strays no longer count, however dense the samples were."""

RINGS_OUT_NS: Final = 300_000_000
"""A ring is over after this."""

TRAIL_STEPS: Final = 24
"""Creep is measured against the angle of `rest_ms` ago, kept in this many steps."""

RECENT: Final = 8
RECENT_EVERY_NS: Final = 8_000_000
"""This many angles are kept where a dial comes to rest, this far apart."""


class RestCandidate:
    """A place where a moving dial may come to rest: one sample began it, and later ones are near."""

    __slots__ = (
        "_first",
        "_kept_ns",
        "_stray_ns",
        "_trail",
        "away",
        "centre",
        "failed",
        "near",
        "recent",
        "samples",
        "since_ns",
        "strays",
    )

    def __init__(self, at_ns: int, angle: int, samples: int, failed: int) -> None:
        self.since_ns = at_ns
        self.centre: float = angle
        self._first = [angle]
        self._kept_ns = at_ns
        self._trail = deque([(at_ns, angle)])
        self.near = 1
        self.recent = deque([(at_ns, angle)], RECENT)
        self.samples, self.failed = samples, failed
        self.away: RestCandidate | None = None
        self.strays = self._stray_ns = 0

    @property
    def steady(self) -> bool:
        """Whether few recent samples lay elsewhere: an angle that jumps between two values rests at neither."""
        return NEAR_PER_STRAY * self.strays <= self.near

    def stray(self, at_ns: int) -> None:
        """Count one sample far elsewhere."""
        self.strays += 1
        self._stray_ns = at_ns

    def take(self, at_ns: int, angle: int) -> None:
        """Take one more sample near the centre; the first few correct the centre."""
        self.away = None
        if self.strays and at_ns - self._stray_ns > STRAYS_FORGOTTEN_NS:
            self.strays = 0
        self.near += 1
        if at_ns - self._kept_ns >= RECENT_EVERY_NS:
            self._keep(at_ns, angle)

    def _keep(self, at_ns: int, angle: int) -> None:
        """Keep an angle: however dense the samples are, the kept ones span a ring."""
        self._kept_ns = at_ns
        self.recent.append((at_ns, angle))
        if len(self._first) < RECENT:
            self._first.append(angle)
            self.centre = sum(self._first) / len(self._first)

    def middle(self) -> int:
        """Return the median of the last angles, which no spike can shift."""
        ordered = sorted(angle for _, angle in self.recent)
        return ordered[len(ordered) // 2]

    def rests(self, at_ns: int, rest_ns: float, creep_counts: float, near_counts: float) -> bool:
        """Whether it stood for `rest_ns` without creeping."""
        now, trail = self.middle(), self._trail
        if at_ns - trail[-1][0] >= rest_ns / TRAIL_STEPS:
            if len(trail) == 1:
                trail[0] = (trail[0][0], now)  # its first sample may be the end of a swing
            trail.append((at_ns, now))
            if at_ns - self.since_ns < RINGS_OUT_NS and abs(now - self._first[0]) <= 2 * near_counts:
                self.centre = now  # the middle of its ringing has moved
            while len(trail) > 1 and trail[1][0] <= at_ns - rest_ns:
                trail.popleft()
        first_ns, before = trail[0]
        if at_ns - first_ns < rest_ns or self.near < 2 or abs(now - before) > creep_counts:
            return False
        return self.away is None and self.steady


@dataclass(slots=True)
class Rest:
    """The last rest: its angle, how the dial stood, and the number of the last detent reached there. `implausible`: an
    implausible jump took it there. `window`: the angles, as read, at which the dial has not left it."""

    angle: int
    raw: int
    stand: Stand
    detent: float
    implausible: bool
    window: frozenset[int | None] | None = None


@dataclass(slots=True)
class Excursion:
    """A dial that is off its rest. It may turn out to be noise, a wiggle or a turn. `off`: samples off the rest;
    `reached`: another detent; `elsewhere`: two samples in a row lay elsewhere; `unsure`: it may have begun unseen."""

    start_ns: int
    start_raw: int
    detent: float
    around: tuple[int, int]
    left_around: tuple[int, int]
    left_ns: int
    longest_gap_ns: int
    good_ns: int
    place: RestCandidate | None = None
    off: int = 0
    samples: int = 0
    failed: int = 0
    reached: bool = False
    elsewhere: bool = False
    unsure: bool = False

    def reach(self, angle: int, detents: Detents, rest: Rest | None) -> None:
        """Note the detent that the last two samples are at or beyond."""
        before, now = self.around, detents.around(angle)
        self.around = now
        upward, downward = min(before[0], now[0]), max(before[1], now[1])
        if upward > self.detent:
            self.detent, self.reached = upward, True
        elif downward < self.detent:
            self.detent, self.reached = downward, True
        if not self.elsewhere and self.off >= 2 and rest is not None:
            self.elsewhere = rest.stand not in (detents.named(before), detents.named(now))

    def note_place(self, at_ns: int, angle: int, follower: Follower, near: float, pitch: float) -> None:
        """One sample away from where it seemed to come to rest may be a spike; two in a row are a new place."""
        place = self.place
        if place is not None and abs(angle - place.centre) <= near:
            place.take(at_ns, angle)
            return
        since_ns, since_raw = follower.since
        if abs(follower.wrap(angle - since_raw)) > near:
            since_ns = at_ns
        new = RestCandidate(since_ns, angle, self.samples, self.failed)
        if place is None:
            self.place = new
        elif place.away is None or (place.away.centre < place.centre) != (angle < place.centre):
            place.away = new
            if abs(angle - place.centre) > pitch / 2:
                place.stray(at_ns)
        elif abs(angle - place.away.centre) <= near:
            place.away.take(at_ns, angle)
            self.place = place.away
        else:
            self.place = new

    def turn(
        self,
        place: RestCandidate,
        came_from: Stand | None,
        stand: Stand,
        passed: int | None,
        *,
        reached: int,
        unseen: bool,
        as_read: Callable[[int], int],
    ) -> Turn:
        """Return the turn that it was. `reached`: the detent at its end; `as_read`: the chip's angle for an angle."""
        low, high = self.left_around
        certain = isinstance(came_from, Seated) or low == high
        return Turn(
            start_ns=self.start_ns,
            end_ns=place.since_ns,
            from_position=came_from.position if isinstance(came_from, Seated) else None,
            to_position=stand.position if isinstance(stand, Seated) else None,
            between=(stand.low, stand.high) if isinstance(stand, Between) else None,
            clicks=passed if certain else None,
            samples=place.samples,
            failed=place.failed,
            longest_gap_ns=self.longest_gap_ns,
            start_raw=as_read(self.start_raw),
            end_raw=as_read(place.middle()),
            passed=passed,
            clicks_range=None if certain or passed is None else (reached - high, reached - low),
            left_ns=self.left_ns,
            unseen=unseen,
        )
