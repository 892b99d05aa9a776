"""From wrapped angles to an unwrapped path, or to "path unknown". Pure.

Assumed: a dial turns no faster than `top_speed`, except for one click, which its detent may pull between any two
samples (a crisp one snaps in 3 ms); the difference of two good samples is at most `error` from the true one (eccentric
magnet at both ends, noise); of two good-looking samples in a row at most one is bad (a spike anywhere on the circle, a
stale repeat). Failed reads are no samples at all.

Then the last good sample before any good one is at most two samples back. So every sample keeps the set of unwrapped
angles from which it can have come: from the last sample (nothing was bad) and from the one before (the last one was
bad), by every whole-turn reading that the top speed allows in that time. The true angle of a good sample is always in
its set, by induction. A set of one is certain; a larger set is a doubt, and a turn that ends in doubt is "path
unknown". (Judging each three samples a, s, b alone is not enough: if s was accepted through a bad a, correcting b by
the direct way from a corrupts a path that was right.)

Two rules need no proof. Over `gap_limit_ns` between good samples, or a step of 140 degrees or more (five of twelve
detents are 150), the path is unknown. And a sample that no speed explains waits: the next ones show it to be a spike,
or, by staying, a true jump.

While all samples link up and three of them span less than `sure_ns`, the set has one member and need not be searched:
(N - |way|) <= top_speed * span cannot hold beside |way| <= top_speed * span.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from pi_app.dials.jumps import longest_snap

Paths = tuple[tuple[int, bool], ...]
"""The unwrapped angles that a sample may have, likeliest first, each with whether it is doubtful."""

Node = tuple[int, int, Paths]
"""One sample: time, wrapped angle, paths (none if no speed explains it)."""

STEP_LIMIT_TURN: Final = 140 / 360
SENSOR_ERROR_TURN: Final = 8.8 / 360
"""Eccentricity of 4 degrees at either end of a step, and 0.8 for noise (sd 0.07)."""

UNDER_HALF: Final = 14.25 * 0.035
"""Turns at 171 clicks/s of 12 in 35 ms: just under half a turn, which is what a gap limit stands for."""

MOST_PATHS: Final = 3
TOO_MANY_JUMPS: Final = 4
LONGEST_AMBIGUITY: Final = 4
"""After this many samples in a row the two readings of a path will not become one again."""


class Follower:
    """Follows one dial. After `follow` returned True: `angle` (unwrapped counts), `doubtful`, and `since` (time and
    wrapped angle of the first waiting sample that it confirms; the sample itself if none)."""

    __slots__ = (
        "_ambiguous_for",
        "_anchor",
        "_capped",
        "_capped_speed",
        "_error",
        "_gap_ns",
        "_half",
        "_jumps",
        "_last",
        "_linked",
        "_older",
        "_quarter",
        "_snap",
        "_speed",
        "_step_limit",
        "_sure_ns",
        "_turn",
        "_waiting",
        "angle",
        "doubtful",
        "since",
    )

    def __init__(self, counts_per_turn: int, clicks: int, top_speed_counts_per_s: float, gap_limit_ns: int) -> None:
        self._snap = longest_snap(counts_per_turn, clicks)
        self._turn, self._half, self._quarter = counts_per_turn, counts_per_turn // 2, counts_per_turn // 4
        self._speed = top_speed_counts_per_s / 1e9
        self._capped = counts_per_turn * UNDER_HALF
        self._capped_speed = self._capped / gap_limit_ns
        self._error = counts_per_turn * SENSOR_ERROR_TURN
        self._step_limit = counts_per_turn * STEP_LIMIT_TURN
        self._gap_ns = gap_limit_ns
        self._sure_ns = min(gap_limit_ns, int((counts_per_turn - 3 * self._error) / (2 * self._speed)))
        self.start(0, 0, doubtful=False)

    def start(self, at_ns: int, raw: int, *, doubtful: bool, angle: int | None = None) -> None:
        """Begin a path here; `angle` is the unwrapped angle if it is known."""
        self.angle = raw if angle is None else angle
        self.doubtful = doubtful
        self.since = (at_ns, raw)
        paths: Paths = ((self.angle, doubtful),)
        self._last: Node = (at_ns, raw, paths)
        self._older: Node | None = None
        self._anchor = self._last
        self._linked = False
        self._waiting: list[tuple[int, int]] = []
        self._ambiguous_for = self._jumps = 0

    @property
    def last(self) -> tuple[int, int]:
        """Time and wrapped angle of the last accepted sample."""
        return self._anchor[0], self._anchor[1]

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """Samples since then that no speed explains."""
        return self._waiting

    def wrap(self, counts: int) -> int:
        """Return a difference of angles the short way round: -half to half-1."""
        return (counts + self._half) % self._turn - self._half

    def stand(self, at_ns: int, raw: int, angle: int) -> None:
        """Take a sample of a dial at rest: its unwrapped angle is known and nothing is doubtful."""
        last = self._last
        reach = self._reach(at_ns - last[0])
        step = self.wrap(raw - last[1])
        self._linked = abs(step) <= reach and last[2] == ((angle - step, False),)
        self._older, self._last = last, (at_ns, raw, ((angle, False),))
        self._accept(angle, False)
        self._jumps = 0

    def settle(self, angle: int) -> None:
        """The dial has come to rest at the last sample: earlier doubts end."""
        (at_ns, raw, _), older = self._last, self._older
        self.start(at_ns, raw, doubtful=False, angle=angle)
        if older is not None and abs(back := self.wrap(older[1] - raw)) <= self._error:
            self._older = (older[0], older[1], ((angle + back, False),))
            self._linked = True

    def follow(self, at_ns: int, raw: int) -> bool:
        """Take the next sample of a moving dial. Return False while no speed explains it."""
        last = self._last
        passed_ns = at_ns - last[0]
        moved = (raw - last[1] + self._half) % self._turn - self._half
        reach = max(passed_ns * self._speed, self._snap) + self._error
        if (
            self._linked
            and self._older is not None
            and at_ns - self._older[0] <= self._sure_ns
            and -reach <= moved <= reach
            and -self._step_limit < moved < self._step_limit
        ):
            angle, doubtful = last[2][0]
            angle += moved
            self._older, self._last = last, (at_ns, raw, ((angle, doubtful),))
            self.angle, self.doubtful, self.since = angle, doubtful, (at_ns, raw)
            self._anchor = self._last
            self._jumps = 0
            return True
        return self._follow_all_paths(at_ns, raw)

    def give_up_waiting(self) -> bool:
        """At the end of the samples, accept in doubt the waiting ones if two agree. Return True if so."""
        if len(self._waiting) < 2:
            return False
        (before_ns, before), (at_ns, raw) = self._waiting[-2:]
        if abs(self.wrap(raw - before)) > self._error:
            return False
        self._start_over(at_ns, raw, since=(before_ns, before))
        return True

    # ------------------------------------------------------------------ the set of paths

    def _follow_all_paths(self, at_ns: int, raw: int) -> bool:
        last, older = self._last, self._older
        too_long = bool(last[2]) and at_ns - last[0] > self._gap_ns
        if too_long or self._jumps_too_often(at_ns, raw):
            self._start_over(at_ns, raw, since=(at_ns, raw))
            return True
        paths: dict[int, bool] = {}
        self._extend(paths, last, at_ns, raw)
        linked = bool(paths)
        if older is not None:
            self._extend(paths, older, at_ns, raw)
        since = self._first_that_agrees(at_ns, raw)
        if not paths:
            return self._explain_late(at_ns, raw, since)
        self._push((at_ns, raw, tuple(paths.items())), linked, since)
        return True

    def _jumps_too_often(self, at_ns: int, raw: int) -> bool:
        """A spike is one jump there and one back. After many in a row the dial is too fast for the scan: leaving out
        every second sample would explain them all, wrongly."""
        step = abs(self.wrap(raw - self._last[1]))
        jump = step > self._quarter and step > self._reach(at_ns - self._last[0])
        self._jumps = self._jumps + 1 if jump else 0
        return self._jumps >= TOO_MANY_JUMPS

    def _extend(self, paths: dict[int, bool], node: Node, at_ns: int, raw: int) -> None:
        """Add every angle that the sample may have if `node` was good; doubtful only if all ways there are."""
        passed_ns = at_ns - node[0]
        reach = self._reach(passed_ns)
        too_long = passed_ns > self._gap_ns
        for way in self._ways(self.wrap(raw - node[1]), reach):
            too_far = abs(way) >= self._step_limit
            for angle, doubtful in node[2]:
                paths[angle + way] = paths.get(angle + way, True) and (doubtful or too_long or too_far)

    def _reach(self, passed_ns: int) -> float:
        """Return how far a dial can seem to turn in that time. A gap limit above 35 ms promises under half a turn."""
        turned = min(passed_ns * self._speed, max(self._capped, passed_ns * self._capped_speed))
        return max(turned, self._snap) + self._error

    def _ways(self, short: int, reach: float) -> Iterator[int]:
        for way in (short, short - self._turn, short + self._turn):
            if abs(way) <= reach:
                yield way

    def _push(self, node: Node, linked: bool, since: tuple[int, int]) -> None:
        before, self._older, self._last = self._last, self._last, node
        paths = node[2]
        single = len(paths) == 1
        self._ambiguous_for = 0 if single else self._ambiguous_for + 1
        if len(paths) > MOST_PATHS or self._ambiguous_for > LONGEST_AMBIGUITY:
            self._start_over(node[0], node[1], since=since, angle=paths[0][0])
            return
        angle, doubtful = paths[0]
        self._linked = linked and single and len(before[2]) == 1 and before[2][0][1] == doubtful
        self._accept(angle, doubtful or not single)
        self.since = since

    def _accept(self, angle: int, doubtful: bool) -> None:
        self.angle, self.doubtful = angle, doubtful
        self._anchor = self._last
        self.since = (self._last[0], self._last[1])
        if self._waiting:
            self._waiting = []

    def _start_over(self, at_ns: int, raw: int, *, since: tuple[int, int], angle: int | None = None) -> None:
        if angle is None:
            angle = self._anchor[2][0][0] + self.wrap(raw - self._anchor[1])
        self.start(at_ns, raw, doubtful=True, angle=angle)
        self.since = since

    # ------------------------------------------------------------------ samples that no speed explains

    def _explain_late(self, at_ns: int, raw: int, since: tuple[int, int]) -> bool:
        """Explain several samples in a row that did not fit: all bad, or a dial that is faster than any hand."""
        anchor = self._anchor
        passed_ns = at_ns - anchor[0]
        if passed_ns > self._gap_ns:
            self._start_over(at_ns, raw, since=since)
            return True
        paths: dict[int, bool] = {}
        self._extend(paths, anchor, at_ns, raw)
        steps = self._steps_through_waiting(at_ns, raw)
        chain = sum(steps)
        if paths and (len(steps) > 2 or chain != self.wrap(raw - anchor[1])):
            self._start_over(at_ns, raw, since=since)
            return True
        if not paths and len(steps) > 2 and max(map(abs, steps)) <= self._quarter:
            paths = {angle + chain: doubtful for angle, doubtful in anchor[2]}
            since = self._waiting[0]
        if not paths:
            self._waiting.append((at_ns, raw))
            self._older, self._last, self._linked = self._last, (at_ns, raw, ()), False
            return False
        self._push((at_ns, raw, tuple(paths.items())), False, since)
        return True

    def _steps_through_waiting(self, at_ns: int, raw: int) -> list[int]:
        angles = [self._anchor[1], *(waited for _, waited in self._waiting), raw]
        return [self.wrap(after - before) for before, after in pairwise(angles)]

    def _first_that_agrees(self, at_ns: int, raw: int) -> tuple[int, int]:
        first = (at_ns, raw)
        for waited in reversed(self._waiting):
            if abs(self.wrap(first[1] - waited[1])) > self._reach(first[0] - waited[0]):
                break
            first = waited
        return first
