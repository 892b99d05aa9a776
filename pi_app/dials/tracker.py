"""From samples of one dial to its turns: angle to detent, rest to rest. Pure.

A dial rests, leaves its rest, and rests again; the movement between two rests is one turn. `pi_app.dials.unwrap`
unwraps the angles and reports doubt; this module turns unwrapped angles into detents. The rules:

- Seated means within `seated_counts` of a detent's centre, in two samples in a row; a dial that stands anywhere else is
  between two detents. A dial has moved when it is more than `hysteresis_counts` from where it rested, twice. A detent
  counts as reached when two samples in a row are at its seat or beyond. Seats lie at least `hysteresis_counts` beyond
  the midlines (checked), so a move from one detent to the next and back is never noise.
- A dial that stays within `hysteresis_counts` for `rest_ms`, and does not creep, rests. A rest ends a turn.
- A turn is reported if another detent was reached on the way, if the dial now stands otherwise than before (seated, or
  between which two), or if something may have happened unseen while it was away.
- After a gap in which a whole turn fits, a standing dial must rest again before a path from there is certain.
- `passed` counts the last detent reached or passed: resting between 3 and 4 is still 3 when it came from 3, so that the
  counts of turns in a row always add up. `clicks` is the same where it is certain: a turn that began between two
  detents has a range of clicks (`clicks_range`), one more or one less.
- A move that no sample showed (`pi_app.dials.jumps`) counts like any other once the evidence says that a hand made it
  (`pi_app.dials.evidence`): in a detent, held, and verified by a full read. Without that its path is unknown and the
  dial must stand much longer to rest; and if no hand can have made it, the dial is glitching until a hand is seen.
- While the path is in doubt no claim ends a turn before the dial rests.

Undetectable: a dial that turns whole turns inside gaps, is seen elsewhere by fewer than two samples in a row, and
stands as before has not moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import lt, sub
from typing import Final

from hardware.readings import Proof
from pi_app.dials.detents import FASTEST_TURNS_PER_S, Between, DialShape, Seated, Stand
from pi_app.dials.evidence import FEWEST
from pi_app.dials.rest import Excursion, Rest, RestCandidate
from pi_app.dials.state import DialState
from pi_app.dials.turn import Turn, joined

BLOCK: Final = 256


class Tracker(DialState):
    """Follows one dial, sample by sample.

    While `ends_at_rest` is off (under a claim), turns are kept, joined, and returned by `end_turn`, or by the next
    sample at rest after it is on again.
    """

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
        turn = self._take(at_ns, (self._turn - raw) % self._turn if self.shape.invert else raw)
        if proof is not None:
            (self._evidence.rested if self._excursion is None else self._evidence.read)(proof)
        return turn

    def feed_many(self, at_ns: Sequence[int], raw: Sequence[int | None]) -> list[Turn]:
        """`feed` for two sequences of equal length, much faster while the dial rests; the same turns."""
        turns: list[Turn] = []
        for start in range(0, len(at_ns), BLOCK):
            times, angles = at_ns[start : start + BLOCK], raw[start : start + BLOCK]
            if not self._rests_all_along(times, angles):
                fed = (self.feed(when, angle) for when, angle in zip(times, angles, strict=True))
                turns += [turn for turn in fed if turn is not None]
        return turns

    def _rests_all_along(self, times: Sequence[int], angles: Sequence[int | None]) -> bool:
        """Take a block of samples at rest, if it is one. The last two leave the same state as all of them."""
        rest = self._rest
        if rest is None or self._is_off or self._strays or self._held is not None:
            return False
        if len(times) != len(angles) or len(times) < 4:
            return False
        if rest.window is None:
            reach = math.floor(self._near)
            rest.window = frozenset(self._as_read(rest.raw + away) for away in range(-reach, reach + 1))
        if not rest.window.issuperset(angles) or not all(map(lt, times, times[1:])):
            return False
        rested = (*self._rested_ns, *times)
        if self._now_ns is None or times[0] <= self._now_ns or max(map(sub, rested[2:], rested)) >= self._whole_turn_ns:
            return False
        self._rested_ns = (times[-4], times[-3])
        for when, angle in zip(times[-2:], angles[-2:], strict=True):
            self.feed(when, angle)
        return True

    def _take(self, at_ns: int, raw: int) -> Turn | None:
        self._good_ns = at_ns
        rest = self._rest
        if rest is None and self._excursion is None:
            self._take_first(at_ns, raw)
            return None
        if rest is not None and not self._is_off:
            away = (raw - rest.raw + self._half) % self._turn - self._half
            if -self._near <= away <= self._near:
                if self._strays >= 2 and at_ns - self._rested_ns[0] >= self._whole_turn_ns:
                    self._come_back(at_ns, raw, rest)
                    return None
                self._excursion, self._strays = None, 0
                self._follower.stand(at_ns, raw, rest.angle + away)
                self._jumps.rest()
                self._note_rest(at_ns)
                return None if self._held is None or not self.ends_at_rest else self._hand_out()
            self._count_stray(at_ns, raw, rest)
        self._see_jumps(at_ns, raw)
        return self._take_moving(at_ns, raw)

    def _see_jumps(self, at_ns: int, raw: int) -> None:
        jumps = self._jumps
        jumped_ns, returns, implausible = jumps.jumped_ns, jumps.quick_returns, jumps.implausible
        jumps.see(at_ns, raw, self._follower.last[1], self._rested_ns, self._origin)
        if jumps.jumped_ns != jumped_ns:
            self._evidence.jumped()
        if jumps.quick_returns > returns or (jumps.implausible and not implausible):
            self._evidence.caught(at_ns)

    def _count_stray(self, at_ns: int, raw: int, rest: Rest) -> None:
        """Count samples elsewhere, accepted or not: two in a row cannot both be bad."""
        if self._detents.stand_at(raw) != rest.stand:
            self._strays += 1
            if self._strays == 1:
                self._stray_since = (at_ns, raw)
        elif self._strays < 2:
            self._strays = 0

    def _come_back(self, at_ns: int, raw: int, rest: Rest) -> None:
        """The dial was elsewhere long enough for a whole turn, though its path there and back is unknown."""
        angle = rest.angle + self._follower.wrap(raw - rest.raw)
        self._follower.start(at_ns, raw, doubtful=True, angle=angle)
        excursion = self._begin(self._stray_since, (self._rested_ns[1], rest.raw))
        excursion.elsewhere = True
        excursion.off = excursion.samples = self._strays
        self._strays = 0
        self._take_off_rest(excursion, at_ns, angle)

    def _note_rest(self, at_ns: int) -> None:
        """A whole turn fits into this gap unseen (one sample in it may be bad): the next move may belong to it."""
        older_ns, last_ns = self._rested_ns
        if at_ns - older_ns >= self._whole_turn_ns:
            self._unsure_until_ns = at_ns + self._rest_ns
        self._rested_ns = (last_ns, at_ns)

    def _take_first(self, at_ns: int, raw: int) -> None:
        """Wait until two of three samples agree on a rest; otherwise the dial was moving before the first."""
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
            self._take_off_rest(excursion, at_ns, raw)

    def _hand_out(self) -> Turn | None:
        held, self._held = self._held, None
        return held

    # ------------------------------------------------------------------ off the rest

    def _take_moving(self, at_ns: int, raw: int) -> Turn | None:
        follower = self._follower
        left, waited = follower.last, len(follower.waiting)
        if not follower.follow(at_ns, raw):
            return None
        excursion = self._excursion
        if excursion is None:
            excursion = self._begin(follower.since, left)
        elif waited:
            excursion.samples += waited
        self._take_off_rest(excursion, at_ns, follower.angle)
        place = excursion.place
        if place is None or excursion.off < 2:
            return None
        if self._jumps.undecided:
            self._decide(at_ns, place)
        if not place.rests(at_ns, self._rest_needed_ns, self._creep, self._near):
            return None
        self._keep(self._settle(excursion, place))
        return self._hand_out() if self.ends_at_rest else None

    def _decide(self, at_ns: int, place: RestCandidate) -> None:
        """Accept a place that the dial reached unseen, if all the evidence is there."""
        if place.near < FEWEST or place.away is not None or not place.steady:
            return
        held_ns = at_ns - max(place.since_ns, self._jumps.jumped_ns)
        if held_ns < self._evidence.needed_ns(at_ns) or not self._evidence.suffices:
            return
        middle = place.middle()
        if isinstance(self._detents.stand_at(middle), Seated) and not self._jumps.is_origin(middle % self._turn):
            self._jumps.accept()

    def _begin(self, since: tuple[int, int], left: tuple[int, int]) -> Excursion:
        """Begin an excursion with a sample at or after `since`; `left` was the last one at the rest."""
        rest, follower = self._rest, self._follower
        angle = follower.angle if rest is None else rest.angle + follower.wrap(left[1] - rest.raw)
        around = self._detents.around(angle)
        left_around = around if rest is None else self._detents.around(rest.angle)
        detent = _unsure(around) if rest is None else rest.detent
        excursion = Excursion(since[0], left[1], detent, around, left_around, left[0], since[0] - left[0], since[0])
        excursion.unsure = since[0] < self._unsure_until_ns
        self._excursion, self._pair = excursion, (angle, angle)
        return excursion

    def _take_off_rest(self, excursion: Excursion, at_ns: int, angle: int) -> None:
        excursion.samples += 1
        excursion.off += 1
        if (gap_ns := self._follower.since[0] - excursion.good_ns) > excursion.longest_gap_ns:
            excursion.longest_gap_ns = gap_ns
        excursion.good_ns = at_ns
        if self._pair is not None:
            self._pair = (self._pair[1], angle)
        excursion.reach(angle, self._detents, self._rest)
        excursion.note_place(at_ns, angle, self._follower, self._near, self.shape.pitch)

    # ------------------------------------------------------------------ at rest again

    def end_turn(self, at_ns: int) -> Turn | None:
        """End the turn now, as a claim does, and return it; None if there is none, or the dial still moves.

        `at_ns` is not before the last sample. The dial stands if its last two samples agree; while its path is in
        doubt, if it rests.
        """
        if self._now_ns is not None and at_ns < self._now_ns:
            raise ValueError(f"a turn cannot end at {at_ns} ns, before the last sample at {self._now_ns} ns")
        excursion = self._excursion
        if excursion is not None and excursion.place is not None and excursion.off >= 2:
            if not self._stands:
                return None
            self._keep(self._settle(excursion, excursion.place))
        return self._hand_out()

    def finish(self) -> Turn | None:
        """End at the last sample: return the turn that this cuts off, if there is one."""
        self._take_waiting()
        excursion = self._excursion
        if excursion is not None and excursion.place is not None and excursion.off >= 2:
            stood, angle = self._stands, self._follower.angle
            turn = self._settle(excursion, excursion.place)
            if turn is not None and not stood:
                turn = replace(turn, to_position=None, between=self._beside(angle))
            self._keep(None if turn is None else replace(turn, cut=True))
        return self._hand_out()

    def _take_waiting(self) -> None:
        left, follower = self._follower.last, self._follower
        if not follower.give_up_waiting():
            return
        excursion = self._excursion or self._begin(follower.since, left)
        self._take_off_rest(excursion, follower.since[0], follower.angle)
        self._take_off_rest(excursion, follower.last[0], follower.angle)

    def _keep(self, turn: Turn | None) -> None:
        if turn is not None:
            self._held = turn if self._held is None else joined(self._held, turn)

    def _beside(self, angle: int) -> tuple[int, int]:
        """Return the two detents beside an angle at which the dial did not come to rest."""
        low, high = self._detents.around(angle)
        return low % self.shape.clicks, (low + 1 if low == high else high) % self.shape.clicks

    def _settle(self, excursion: Excursion, place: RestCandidate) -> Turn | None:
        """Rest where the dial now stands. Return the turn that took it there, if it was one."""
        before, doubtful = self._rest, self._in_doubt(excursion) or (self._jumps.returned and excursion.reached)
        angle = place.middle()
        around = self._detents.around(angle)
        stand = self._detents.named(around)
        came_from = None if before is None else before.stand
        detent = float(around[0]) if isinstance(stand, Seated) else excursion.detent
        clicks = detent - excursion.detent if before is None else detent - before.detent
        turn = None
        if excursion.reached or stand != came_from or (doubtful and excursion.elsewhere):
            passed = None if doubtful else math.ceil(clicks) if clicks > 0 else math.floor(clicks)
            reached = math.floor(detent)
            turn = excursion.turn(
                place, came_from, stand, passed, reached=reached, unseen=self.unseen, as_read=self._as_read
            )
        if doubtful:
            detent = _unsure(around)
        self._follower.settle(angle + self._follower.wrap(self._follower.last[1] - angle))
        self._rest_at(angle, stand, detent)
        self._excursion = None
        return turn

    def _as_read(self, angle: int) -> int:
        return (-angle if self.shape.invert else angle) % self._turn

    def _rest_at(self, angle: int, stand: Stand, detent: float) -> None:
        if not self.unseen:
            self._origin = None
        elif self._origin is None and self._rest is not None:
            self._origin = self._rest.raw
        self._rest = Rest(angle, angle % self._turn, stand, detent, self._jumps.implausible)
        self._strays = 0
        self._jumps.rest()
        if self._good_ns is not None:
            self._rested_ns = (self._good_ns, self._good_ns)


def _unsure(around: tuple[int, int]) -> float:
    """Return a detent, or the middle between two: the one that is reached first then counts as one click."""
    return (around[0] + around[1]) / 2


__all__ = ["FASTEST_TURNS_PER_S", "Between", "DialShape", "Seated", "Stand", "Tracker", "Turn", "joined"]
