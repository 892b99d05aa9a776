"""From looks at one dial to its turns: angle to detent, rest to rest. Pure.

A dial rests, leaves its rest, and rests again; what lies between is one turn. `pi_app.dials.unwrap` unwraps the
angles and says when that is doubtful; here unwrapped angles become detents. The rules:

- Seated means within `seated_counts` of a detent's centre, in two samples in a row; anything else that stands
  is between two detents, and said so. A dial has moved when it is more than `hysteresis_counts` from where it
  rested, twice. A detent counts as reached when two samples in a row are at its seat or beyond. Seats lie at
  least `hysteresis_counts` beyond the midlines (checked), so from one detent to the next and back is never noise.
- What stays within `hysteresis_counts` for `rest_ms`, and does not creep, rests. A rest ends a turn.
- A turn is reported if another detent was reached on the way, if the dial now stands otherwise than before
  (seated, or between which two), or if something may have happened unseen while it was away from there.
- A dial that stands again after a gap in which a whole turn fits has to rest anew before a path from there is sure.
- `passed` counts the last detent reached or passed: resting between 3 and 4 is still 3 when it came from 3, so that
  what turns in a row passed always adds up. `clicks` says the same where it is certain: a turn that began between two
  detents has a range of clicks (`clicks_range`), one more or one less.
- A move that no sample saw on its way (`pi_app.dials.jumps`) counts like any other once the evidence says that a hand
  made it (`pi_app.dials.evidence`): in a detent, held, and proven by a full read. Without that its path is unknown and
  the dial must stand much longer to rest; and where no hand can have turned it, it hops until one is seen.
- While the path is in doubt no hold ends a turn before the dial rests.

What nobody can know: a dial that turns whole turns inside gaps, seen elsewhere by fewer than two samples in a row,
and stands as before, has not moved as far as anyone can tell.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import lt, sub
from typing import Final, Literal

from hardware.readings import Proof
from pi_app.dials.detents import FASTEST_TURNS_PER_S, Between, Detents, DialShape, Seated, Stand
from pi_app.dials.evidence import FEWEST, Evidence
from pi_app.dials.jumps import Jumps
from pi_app.dials.unwrap import SENSOR_ERROR_TURN, Follower

CREEP_PITCH: Final = 0.025
"""A dial that drifts by more than this in `rest_ms` (at 12 clicks and 600 ms: one click in 24 s) still moves."""

NEAR_PER_STRAY: Final = 4
"""A place at which a dial comes to rest bears one stray sample for so many that are near."""

STRAYS_FORGOTTEN_NS: Final = 600_000_000
"""So long without one, and earlier strays say nothing of the place, however densely it was sampled then."""

JUMPED_RESTS: Final = 4
"""A dial that nobody saw turn must stand so much longer to rest."""

RINGS_OUT_NS: Final = 300_000_000
"""A ring is over after this."""

TRAIL_STEPS: Final = 24
"""Whether a dial creeps is seen from where it was `rest_ms` ago, kept in so many steps."""

RECENT: Final = 8
RECENT_EVERY_NS: Final = 8_000_000
"""Of the angles where a dial comes to rest so many are kept, so far apart."""
BLOCK: Final = 256


@dataclass(frozen=True, slots=True)
class DialState:
    """A dial at its last sample. `stand` is None when it is lost: no two good samples yet, or none for too long.

    `moving`: it is off its rest, and the last two samples differ or do not prove that it stands. `turning`: it has left
    its last rest for another place, or has turned and the turn is not ended. `good_age_ns`: how old the last good
    one is (None: there was none).
    """

    stand: Stand | None
    moving: bool
    turning: bool
    good_age_ns: int | None


@dataclass(frozen=True, slots=True)
class Turn:
    """All movement from one rest to the next. Times are those of samples, angles are the chip's.

    `start_ns`: first sample that left the rest; `end_ns`: first of the new rest. Positions are None between two
    detents or unseen; `between` then names the two at the end, in counter-clockwise order. `clicks` are signed,
    counter-clockwise positive, whole turns counted; None if they are not certain. `passed`: detents, None exactly if
    `path` is "unknown". `clicks_range`: lowest and highest of a turn that was followed and began between two detents.
    `samples` and `failed` reads from start to end; `longest_gap_ns` between good samples, from the last one at the old
    rest (`left_ns`) on. `cut`: the samples ended before the new rest was one. `unseen`: the angle jumped, and the
    evidence for a hand never came in.
    """

    start_ns: int
    end_ns: int
    from_position: int | None
    to_position: int | None
    between: tuple[int, int] | None
    clicks: int | None
    samples: int
    failed: int
    longest_gap_ns: int
    start_raw: int
    end_raw: int
    cut: bool = False
    passed: int | None = None
    clicks_range: tuple[int, int] | None = None
    left_ns: int = 0
    unseen: bool = False

    @property
    def path(self) -> Literal["followed", "unknown"]:
        """Whether it is known which way the dial went and how often round."""
        return "unknown" if self.clicks is None and self.passed is None else "followed"


def joined(first: Turn, then: Turn) -> Turn:
    """Two turns in a row as one: under a claim, pauses do not end a turn."""
    before, after = _detents_passed(first), _detents_passed(then)
    passed = None if before is None or after is None else before + after
    lowest = None if passed is None or first.clicks_range is None else first.clicks_range[0] + (after or 0)
    return replace(
        then,
        start_ns=first.start_ns,
        left_ns=first.left_ns,
        unseen=first.unseen and then.unseen,
        from_position=first.from_position,
        clicks=passed if lowest is None else None,
        passed=passed,
        clicks_range=None if lowest is None else (lowest, lowest + 1),
        samples=first.samples + then.samples,
        failed=first.failed + then.failed,
        longest_gap_ns=max(first.longest_gap_ns, then.longest_gap_ns),
        start_raw=first.start_raw,
    )


def _detents_passed(turn: Turn) -> int | None:
    return turn.clicks if turn.passed is None else turn.passed


class _Place:
    """Where a moving dial may be coming to rest: it began with one sample and the later ones are near."""

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
        self.away: _Place | None = None
        self.strays = self._stray_ns = 0

    @property
    def steady(self) -> bool:
        """Whether few samples lay elsewhere lately: an angle that hops between two values stands at neither."""
        return NEAR_PER_STRAY * self.strays <= self.near

    def stray(self, at_ns: int) -> None:
        """One sample lay far elsewhere."""
        self.strays += 1
        self._stray_ns = at_ns

    def take(self, at_ns: int, angle: int) -> None:
        """One more sample near the centre; the first few make the centre better."""
        self.away = None
        if self.strays and at_ns - self._stray_ns > STRAYS_FORGOTTEN_NS:
            self.strays = 0
        self.near += 1
        if at_ns - self._kept_ns >= RECENT_EVERY_NS:
            self._keep(at_ns, angle)

    def _keep(self, at_ns: int, angle: int) -> None:
        """However densely a dial is sampled, the last angles span a ring."""
        self._kept_ns = at_ns
        self.recent.append((at_ns, angle))
        if len(self._first) < RECENT:
            self._first.append(angle)
            self.centre = sum(self._first) / len(self._first)

    def middle(self) -> int:
        """The angle where it stands now: the middle one of the last samples, which no spike can shift."""
        return _middle(angle for _, angle in self.recent)

    def rests(self, at_ns: int, rest_ns: float, creep_counts: float, near_counts: float) -> bool:
        """Whether it stood for `rest_ns` and did not creep while it did."""
        now, trail = self.middle(), self._trail
        if at_ns - trail[-1][0] >= rest_ns / TRAIL_STEPS:
            if len(trail) == 1:
                trail[0] = (trail[0][0], now)  # its first sample may be the end of a swing
            trail.append((at_ns, now))
            if at_ns - self.since_ns < RINGS_OUT_NS and abs(now - self._first[0]) <= 2 * near_counts:
                self.centre = now  # it rings around another middle than it began at
            while len(trail) > 1 and trail[1][0] <= at_ns - rest_ns:
                trail.popleft()
        first_ns, before = trail[0]
        if at_ns - first_ns < rest_ns or self.near < 2 or abs(now - before) > creep_counts:
            return False
        return self.away is None and self.steady


@dataclass(slots=True)
class _Rest:
    """The last rest: about where, how the dial stood, and the number of the last detent reached there."""

    angle: int
    raw: int
    stand: Stand
    detent: float
    implausible: bool
    window: frozenset[int | None] | None = None


@dataclass(slots=True)
class _Excursion:
    """A dial that is off its rest. It may turn out to be noise, a wiggle or a turn."""

    start_ns: int
    start_raw: int
    detent: float
    around: tuple[int, int]
    left_around: tuple[int, int]
    left_ns: int
    longest_gap_ns: int
    good_ns: int
    place: _Place | None = None
    off: int = 0
    samples: int = 0
    failed: int = 0
    reached: bool = False
    elsewhere: bool = False
    unsure: bool = False


class Tracker:
    """Follows one dial, sample by sample.

    `ends_at_rest` may be switched at any moment: while it is off (under a claim) rests do not end a turn; what was
    turned is kept, joined, and handed out by `end_turn`, or by the next sample at rest after it is on again.
    """

    def __init__(self, shape: DialShape | None = None, *, ends_at_rest: bool = True) -> None:
        self.shape = shape = DialShape() if shape is None else shape
        self.ends_at_rest = ends_at_rest
        turn = shape.counts_per_turn
        gap_ns = round(shape.gap_limit_ms * 1e6)
        speed = min(shape.top_speed_turns_per_s, FASTEST_TURNS_PER_S * 35e6 / gap_ns)
        self._follower = Follower(turn, shape.clicks, shape.top_speed_turns_per_s * turn, gap_ns)
        self._detents = Detents(shape)
        self._turn, self._half, self._gap_ns = turn, turn // 2, gap_ns
        self._near = shape.hysteresis
        self._creep = shape.pitch * CREEP_PITCH
        self._rest_ns = shape.rest_ms * 1e6
        self._rest: _Rest | None = None
        self._excursion: _Excursion | None = None
        self._held: Turn | None = None
        self._firsts: list[tuple[int, int]] = []
        self._now_ns: int | None = None
        self._good_ns: int | None = None
        self._pair: tuple[int, int] | None = None
        self._whole_turn_ns = int((turn - 2 * shape.hysteresis) / (speed * turn) * 1e9)
        self._rested_ns = (0, 0)
        self._strays = 0
        self._stray_since = (0, 0)
        self._unsure_until_ns: float = -math.inf
        self._evidence = Evidence()
        self._origin: int | None = None  # where a jump that was never accepted took it from
        self._jumps = Jumps(
            turn,
            shape.clicks,
            shape.top_speed_turns_per_s * turn,
            turn * SENSOR_ERROR_TURN,
            in_steps=shape.in_steps,
        )

    # ------------------------------------------------------------------ what it knows

    @property
    def stand(self) -> Stand | None:
        """Where the dial is; None when it is lost."""
        if self._now_ns is None or self._good_ns is None or self._now_ns - self._good_ns > self._gap_ns:
            return None
        if self._rest is not None and not self._is_off:
            return self._rest.stand
        return None if self._pair is None else self._stand_of_pair(*self._pair)

    @property
    def moving(self) -> bool:
        """Whether it is off its rest, and the last two samples differ or do not prove that it stands."""
        if not self._is_off:
            return self._rest is None and bool(self._firsts)
        return not self._stands

    @property
    def glitching(self) -> bool:
        """Whether its angle jumps as no hand turns it: a fault of the encoder, and where it stands is not known.

        Where no hand can have turned it, it stays so until it is seen turning, or is back."""
        implausible = self._rest is not None and self._rest.implausible and not self._jumps.moved
        return self._jumps.glitching or implausible

    @property
    def unseen(self) -> bool:
        """Whether no sample has shown a hand at work since the dial rested, and the evidence is not in yet: it may be a
        hop or a crisp click."""
        return (self._is_off and not self._jumps.seen) or self._jumps.quick_returns > 0 or self.glitching

    @property
    def turning(self) -> bool:
        """Whether it has left its last rest for another place, or a turn is kept until `end_turn`."""
        excursion = self._excursion
        left = excursion is not None and excursion.off >= 2 and (excursion.elsewhere or excursion.reached)
        return self._held is not None or left

    @property
    def off_rest(self) -> bool:
        """Whether it is off its last rest, or has none yet."""
        return self._is_off or self.moving

    @property
    def undecided(self) -> bool:
        """Whether the dial stands where no sample saw it go, and the evidence for a hand may still come in."""
        return self._is_off and self._jumps.undecided

    @property
    def held_ns(self) -> int:
        """How long a dial that is off its last rest has stood where it is; 0 while it moves or that is in doubt."""
        excursion = self._excursion
        if excursion is None or excursion.place is None or not self._stands:
            return 0
        return (self._good_ns or 0) - excursion.place.since_ns

    @property
    def moved_between(self) -> tuple[int, int]:
        """When the dial that is off its rest was last sampled there, and first sampled off it: the hand began between.
        At its rest, both are the last sample."""
        excursion = self._excursion
        if excursion is None or excursion.off < 2:
            return (self._good_ns or 0, self._good_ns or 0)
        return excursion.left_ns, excursion.start_ns

    @property
    def state(self) -> DialState:
        """All of it as one value."""
        age_ns = None if self._good_ns is None or self._now_ns is None else self._now_ns - self._good_ns
        return DialState(self.stand, self.moving, self.turning, age_ns)

    @property
    def _is_off(self) -> bool:
        return self._excursion is not None and self._excursion.off >= 2

    @property
    def _stands(self) -> bool:
        """Whether it stands now. In doubt of how it came there, it has to rest for that."""
        excursion = self._excursion
        place = None if excursion is None else excursion.place
        if excursion is None or place is None or place.near < 2 or place.away is not None:
            return False
        if self._in_doubt(excursion) and (self._good_ns or 0) - place.since_ns < self._rest_needed_ns:
            return False
        return place.steady and not self._follower.waiting

    def _in_doubt(self, excursion: _Excursion) -> bool:
        return self._follower.doubtful or excursion.unsure or self._jumps.doubtful

    @property
    def _rest_needed_ns(self) -> float:
        """How long it must stand to rest: much longer where nobody saw it turn to."""
        return self._rest_ns * JUMPED_RESTS if self._jumps.jumped else self._rest_ns

    def _stand_of_pair(self, before: int, angle: int) -> Stand:
        stand = self._detents.stand_at(angle)
        if isinstance(stand, Between) or self._detents.stand_at(before) == stand:
            return stand
        earlier = self._detents.stand_at(before)
        if isinstance(earlier, Between):
            return earlier
        step, clicks = (1 if angle < before else -1), self.shape.clicks
        low, high = sorted((0, step))
        return Between((stand.position + low) % clicks, (stand.position + high) % clicks)

    # ------------------------------------------------------------------ samples in

    def feed(self, at_ns: int, raw: int | None, proof: Proof | None = None) -> Turn | None:
        """Take one sample of the dial (None: the read failed) and return the turn that it ends, if any. `proof` comes
        with a full read.

        Raises ValueError if time does not grow, or for an angle outside 0 to counts_per_turn-1.
        """
        if self._now_ns is not None and at_ns <= self._now_ns:
            raise ValueError(f"time must grow: {at_ns} ns after {self._now_ns} ns")
        if raw is None:
            self._now_ns = at_ns
            if self._excursion is not None:
                self._excursion.failed += 1
            return None
        if not 0 <= raw < self._turn:
            raise ValueError(f"an angle is 0 to {self._turn - 1}, not {raw}")
        self._now_ns = at_ns
        turn = self._look(at_ns, (self._turn - raw) % self._turn if self.shape.invert else raw)
        if proof is not None:
            (self._evidence.rested if self._excursion is None else self._evidence.read)(proof)
        return turn

    def feed_many(self, at_ns: Sequence[int], raw: Sequence[int | None]) -> list[Turn]:
        """`feed` for many looks of equal count, much faster while the dial rests; the same turns."""
        turns: list[Turn] = []
        for start in range(0, len(at_ns), BLOCK):
            times, angles = at_ns[start : start + BLOCK], raw[start : start + BLOCK]
            if not self._rests_all_along(times, angles):
                turns += [
                    turn
                    for when, angle in zip(times, angles, strict=True)
                    if (turn := self.feed(when, angle)) is not None
                ]
        return turns

    def _rests_all_along(self, times: Sequence[int], angles: Sequence[int | None]) -> bool:
        """Take a block in which nothing happens. The last two samples leave the same traces as all of them."""
        rest = self._rest
        if rest is None or self._is_off or self._strays or self._held is not None:
            return False
        if len(times) != len(angles) or len(times) < 4:
            return False
        if rest.window is None:
            rest.window = self._angles_at(rest)
        if not rest.window.issuperset(angles) or not all(map(lt, times, times[1:])):
            return False
        rested = (*self._rested_ns, *times)
        if self._now_ns is None or times[0] <= self._now_ns or max(map(sub, rested[2:], rested)) >= self._whole_turn_ns:
            return False
        self._rested_ns = (times[-4], times[-3])
        for when, angle in zip(times[-2:], angles[-2:], strict=True):
            self.feed(when, angle)
        return True

    def _angles_at(self, rest: _Rest) -> frozenset[int | None]:
        """The angles, as read, at which the dial has not left its rest."""
        reach = math.floor(self._near)
        return frozenset(self._as_read((rest.raw + away) % self._turn) for away in range(-reach, reach + 1))

    def _look(self, at_ns: int, raw: int) -> Turn | None:
        self._good_ns = at_ns
        rest = self._rest
        if rest is None and self._excursion is None:
            self._look_first(at_ns, raw)
            return None
        if rest is not None and not self._is_off:
            away = (raw - rest.raw + self._half) % self._turn - self._half
            if -self._near <= away <= self._near:
                if self._strays >= 2 and at_ns - self._rested_ns[0] >= self._whole_turn_ns:
                    self._come_back(at_ns, raw, rest.angle + away)
                    return None
                self._excursion, self._strays = None, 0
                self._follower.stand(at_ns, raw, rest.angle + away)
                self._jumps.rest()
                self._note_rest(at_ns)
                return self._hand_out()
            self._count_stray(at_ns, raw, rest)
        self._see_jumps(at_ns, raw)
        return self._look_at_moving(at_ns, raw)

    def _see_jumps(self, at_ns: int, raw: int) -> None:
        jumps = self._jumps
        jumped_ns, returns, implausible = jumps.jumped_ns, jumps.quick_returns, jumps.implausible
        jumps.see(at_ns, raw, self._follower.last[1], self._rested_ns, self._origin)
        if jumps.jumped_ns != jumped_ns:
            self._evidence.jumped()
        if jumps.quick_returns > returns or (jumps.implausible and not implausible):
            self._evidence.caught(at_ns)

    def _count_stray(self, at_ns: int, raw: int, rest: _Rest) -> None:
        """Two samples in a row elsewhere, believed or not, cannot both be bad."""
        if self._detents.stand_at(raw) != rest.stand:
            self._strays += 1
            if self._strays == 1:
                self._stray_since = (at_ns, raw)
        elif self._strays < 2:
            self._strays = 0

    def _come_back(self, at_ns: int, raw: int, angle: int) -> None:
        """The dial was elsewhere long enough for a whole turn, though no way there and back could be followed."""
        assert self._rest is not None
        self._follower.start(at_ns, raw, doubtful=True, angle=angle)
        excursion = self._begin(self._stray_since, (self._rested_ns[1], self._rest.raw))
        excursion.elsewhere = True
        excursion.off = excursion.samples = self._strays
        self._strays = 0
        self._excursion_takes(at_ns, angle)

    def _note_rest(self, at_ns: int) -> None:
        """A whole turn fits unseen into this gap (one sample in it may be bad): what follows soon may belong to it."""
        older_ns, last_ns = self._rested_ns
        if at_ns - older_ns >= self._whole_turn_ns:
            self._unsure_until_ns = at_ns + self._rest_ns
        self._rested_ns = (last_ns, at_ns)

    def _look_first(self, at_ns: int, raw: int) -> None:
        """Until two of three samples agree there is no rest to turn from: then it was moving before the first."""
        follower = self._follower
        for when, angle in reversed(self._firsts):
            if abs(step := follower.wrap(raw - angle)) <= self._near:
                follower.start(when, angle, doubtful=False)
                follower.stand(at_ns, raw, angle + step)
                around = self._detents.around(angle + step)
                self._rest_at(angle + step, self._detents.named(around), _unsure(around))
                return
        self._firsts.append((at_ns, raw))
        if len(self._firsts) == 3:
            follower.start(at_ns, raw, doubtful=True)
            excursion = self._begin(self._firsts[0], self._firsts[0])
            excursion.good_ns = self._firsts[1][0]
            self._excursion_takes(at_ns, raw)

    def _hand_out(self) -> Turn | None:
        if self._held is None or not self.ends_at_rest:
            return None
        held, self._held = self._held, None
        return held

    # ------------------------------------------------------------------ off the rest

    def _look_at_moving(self, at_ns: int, raw: int) -> Turn | None:
        follower = self._follower
        left, waited = follower.last, len(follower.waiting)
        if not follower.follow(at_ns, raw):
            return None
        if self._excursion is None:
            self._begin(follower.since, left)
        elif waited:
            self._excursion.samples += waited
        self._excursion_takes(at_ns, follower.angle)
        if self._jumps.undecided:
            self._decide(at_ns)
        return self._end_if_at_rest(at_ns)

    def _decide(self, at_ns: int) -> None:
        """Accept a place that no sample saw the dial go to, if all the evidence is there."""
        excursion = self._excursion
        place = None if excursion is None else excursion.place
        if place is None or place.near < FEWEST or place.away is not None or not place.steady:
            return
        held_ns = at_ns - max(place.since_ns, self._jumps.jumped_ns)
        if held_ns < self._evidence.needed_ns(at_ns) or not self._evidence.suffices:
            return
        middle = place.middle()
        if isinstance(self._detents.stand_at(middle), Seated) and not self._jumps.is_origin(middle % self._turn):
            self._jumps.accept()

    def _begin(self, since: tuple[int, int], left: tuple[int, int]) -> _Excursion:
        """A sample off the rest, at or after `since`; `left` was the last one there."""
        rest, follower = self._rest, self._follower
        angle = follower.angle if rest is None else rest.angle + follower.wrap(left[1] - rest.raw)
        around = self._detents.around(angle)
        left_around = around if rest is None else self._detents.around(rest.angle)
        detent = _unsure(around) if rest is None else rest.detent
        excursion = _Excursion(since[0], left[1], detent, around, left_around, left[0], since[0] - left[0], since[0])
        excursion.unsure = since[0] < self._unsure_until_ns
        self._excursion, self._pair = excursion, (angle, angle)
        return excursion

    def _excursion_takes(self, at_ns: int, angle: int) -> None:
        excursion = self._excursion
        assert excursion is not None
        excursion.samples += 1
        excursion.off += 1
        if (gap_ns := self._follower.since[0] - excursion.good_ns) > excursion.longest_gap_ns:
            excursion.longest_gap_ns = gap_ns
        excursion.good_ns = at_ns
        if self._pair is not None:
            self._pair = (self._pair[1], angle)
        self._reach(excursion, angle)
        self._near_or_away(excursion, at_ns, angle)

    def _reach(self, excursion: _Excursion, angle: int) -> None:
        """Two samples at or beyond a detent have reached it."""
        before, now = excursion.around, self._detents.around(angle)
        excursion.around = now
        upward, downward = min(before[0], now[0]), max(before[1], now[1])
        if upward > excursion.detent:
            excursion.detent, excursion.reached = upward, True
        elif downward < excursion.detent:
            excursion.detent, excursion.reached = downward, True
        if not excursion.elsewhere and excursion.off >= 2 and self._rest is not None:
            excursion.elsewhere = self._rest.stand not in (self._detents.named(before), self._detents.named(now))

    def _near_or_away(self, excursion: _Excursion, at_ns: int, angle: int) -> None:
        """One sample away from where it seemed to come to rest may be a spike; two in a row are a new place."""
        place = excursion.place
        if place is not None and abs(angle - place.centre) <= self._near:
            place.take(at_ns, angle)
            return
        since_ns, since_raw = self._follower.since
        if abs(self._follower.wrap(angle - since_raw)) > self._near:
            since_ns = at_ns
        new = _Place(since_ns, angle, excursion.samples, excursion.failed)
        if place is None:
            excursion.place = new
        elif place.away is None or (place.away.centre < place.centre) != (angle < place.centre):
            place.away = new
            if abs(angle - place.centre) > self.shape.pitch / 2:
                place.stray(at_ns)
        elif abs(angle - place.away.centre) <= self._near:
            place.away.take(at_ns, angle)
            excursion.place = place.away
        else:
            excursion.place = new

    # ------------------------------------------------------------------ at rest again

    def _end_if_at_rest(self, at_ns: int) -> Turn | None:
        excursion = self._excursion
        if excursion is None or excursion.place is None or excursion.off < 2:
            return None
        if not excursion.place.rests(at_ns, self._rest_needed_ns, self._creep, self._near):
            return None
        self._keep(self._settle(excursion, excursion.place))
        return self._hand_out()

    def end_turn(self, at_ns: int) -> Turn | None:
        """End the turn now, as a claim's look does, and return it; None if there is none, or the dial still moves.

        `at_ns` is not before the last sample. The dial stands if its last two samples agree; in doubt of how it came
        there, if it rests.
        """
        if self._now_ns is not None and at_ns < self._now_ns:
            raise ValueError(f"a turn cannot end at {at_ns} ns, before the last sample at {self._now_ns} ns")
        excursion = self._excursion
        if excursion is not None and excursion.place is not None and excursion.off >= 2:
            if not self._stands:
                return None
            self._keep(self._settle(excursion, excursion.place))
        held, self._held = self._held, None
        return held

    def finish(self) -> Turn | None:
        """The samples are at their end: the turn that was cut off by that, if there is one."""
        self._take_what_waits()
        excursion = self._excursion
        if excursion is not None and excursion.place is not None and excursion.off >= 2:
            stood, angle = self._stands, self._follower.angle
            turn = self._settle(excursion, excursion.place)
            if turn is not None and not stood:
                turn = replace(turn, to_position=None, between=self._beside(angle))
            self._keep(None if turn is None else replace(turn, cut=True))
        held, self._held = self._held, None
        return held

    def _take_what_waits(self) -> None:
        left, follower = self._follower.last, self._follower
        if not follower.give_up_waiting():
            return
        if self._excursion is None:
            self._begin(follower.since, left)
        self._excursion_takes(follower.since[0], follower.angle)
        self._excursion_takes(follower.last[0], follower.angle)

    def _keep(self, turn: Turn | None) -> None:
        if turn is not None:
            self._held = turn if self._held is None else joined(self._held, turn)

    def _beside(self, angle: int) -> tuple[int, int]:
        """The two detents beside an angle at which the dial did not come to rest."""
        low, high = self._detents.around(angle)
        return low % self.shape.clicks, (low + 1 if low == high else high) % self.shape.clicks

    def _settle(self, excursion: _Excursion, place: _Place) -> Turn | None:
        """Rest where the dial now stands, and make a turn of the way there if it was one."""
        before, doubtful = self._rest, self._in_doubt(excursion) or (self._jumps.returned and excursion.reached)
        angle = place.middle()
        around = self._detents.around(angle)
        stand = self._detents.named(around)
        came_from = None if before is None else before.stand
        detent = float(around[0]) if isinstance(stand, Seated) else excursion.detent
        clicks = detent - excursion.detent if before is None else detent - before.detent
        turn = None
        if excursion.reached or stand != came_from or (doubtful and excursion.elsewhere):
            passed = None if doubtful else _whole(clicks)
            turn = self._made(excursion, place, came_from, stand, passed, math.floor(detent))
        if doubtful:
            detent = _unsure(around)
        self._follower.settle(angle + self._follower.wrap(self._follower.last[1] - angle))
        self._rest_at(angle, stand, detent)
        self._excursion = None
        return turn

    def _made(
        self,
        excursion: _Excursion,
        place: _Place,
        came_from: Stand | None,
        stand: Stand,
        clicks: int | None,
        reached: int,
    ) -> Turn:
        low, high = excursion.left_around
        certain = isinstance(came_from, Seated) or low == high
        return Turn(
            start_ns=excursion.start_ns,
            end_ns=place.since_ns,
            from_position=came_from.position if isinstance(came_from, Seated) else None,
            to_position=stand.position if isinstance(stand, Seated) else None,
            between=(stand.low, stand.high) if isinstance(stand, Between) else None,
            clicks=clicks if certain else None,
            samples=place.samples,
            failed=place.failed,
            longest_gap_ns=excursion.longest_gap_ns,
            start_raw=self._as_read(excursion.start_raw),
            end_raw=self._as_read(place.middle() % self._turn),
            passed=clicks,
            clicks_range=None if certain or clicks is None else (reached - high, reached - low),
            left_ns=excursion.left_ns,
            unseen=self.unseen,
        )

    def _as_read(self, raw: int) -> int:
        return (self._turn - raw) % self._turn if self.shape.invert else raw

    def _rest_at(self, angle: int, stand: Stand, detent: float) -> None:
        if not self.unseen:
            self._origin = None
        elif self._origin is None and self._rest is not None:
            self._origin = self._rest.raw
        self._rest = _Rest(angle, angle % self._turn, stand, detent, self._jumps.implausible)
        self._strays = 0
        self._jumps.rest()
        if self._good_ns is not None:
            self._rested_ns = (self._good_ns, self._good_ns)


def _middle(angles: Iterable[int]) -> int:
    ordered = sorted(angles)
    return ordered[len(ordered) // 2]


def _unsure(around: tuple[int, int]) -> float:
    """A detent, or half way between two: whichever is reached first then counts as one click."""
    return (around[0] + around[1]) / 2


def _whole(clicks: float) -> int:
    return math.ceil(clicks) if clicks > 0 else math.floor(clicks)


__all__ = ["FASTEST_TURNS_PER_S", "Between", "DialShape", "DialState", "Seated", "Stand", "Tracker", "Turn", "joined"]
