"""Finds a dial's detents in one turn of it, however a hand turned it. Pure.

A dial spends its time in its detents, so time per angle (the dwell) shows where they are. A finger that creeps out of a
detent spreads its time over many angles, a snap and its ringing take next to none, and a finger that holds the dial
between two detents adds a peak where no detent can be. Of all peaks, one per position is chosen: long dwell counts for
a peak, an uneven step to its neighbours counts against it.

Assumed: the dial stands at its start mark first and last, at least `STANDS_MS` in every detent, and is sampled at least
50 times a second. If a finger holds the dial beside most of its detents as long as it rests in them, this looks like
detents that do not hold, and is refused.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from pi_app.dials.calibration import WIDEST_SPREAD_DEG, Calibration, CalibrationDoubtError, doubts
from pi_app.dials.detents import wrapped

STANDS_MS: Final = 150
"""Least dwell of a dial in a detent. A dial with less went past."""

PEAK_DEG: Final = 0.75
"""Half the width over which dwell is summed; narrower on dials with many detents."""

PEAK_MS: Final = 60.0
"""Least dwell of a peak."""

LOWEST: Final = 0.75
"""If the dwell does not fall to this part of a peak before the next peak, the two are one."""

MOST_WRONG: Final = 3
"""Wrong samples in a row that are dropped; two follow each other in 3 % of all turns at 1000 samples a second."""

SPIKE_DEG: Final = 3.0
"""A wrong sample is farther than this from those on both sides of it."""

MOST_SNAP_DEG: Final = 90.0
"""A dial snaps less far than this between two samples. A wrong sample between the two can hide a whole turn only if it
is farther than this from both."""

MOST_GAP_MS: Final = 50.0
"""A sample counts for no more time than this: after failed reads the place of the dial is unknown."""

MOST_STEP: Final = 0.45
"""The most that a step may differ from an even one, in pitches."""

USUAL_STEP: Final = 0.2
"""Standard deviation of that difference, in pitches: detents worn or printed 4 degrees off, waves of a magnet."""

AS_LONG: Final = 0.8
"""A second peak with this part of the first one's dwell is as good as the first."""

APART_DEG: Final = 2.0

MOSTLY: Final = 0.75
"""A finger may hold the dial elsewhere at some detents; at this part of them, the dial is at fault."""

NOISE_WIDTH: Final = 5.0
"""Width of a noisy angle at rest, in standard deviations."""

Samples = Iterable[tuple[int, int | None]]


def learn(samples: Samples, *, clicks: int = 12, counts_per_turn: int = 4096, invert: bool = False) -> Calibration:
    """Return the calibration from one turn: from the start mark counter-clockwise click by click, standing a moment in
    every detent, once round and back to the start mark.

    `samples`: time in ns and raw angle (None: a failed read). Raises CalibrationDoubtError with every reason found.
    """
    path = _followed(samples, counts_per_turn, -1 if invert else 1)
    _check_way(path, clicks, invert=invert)
    _check_steady(path)
    peaks = _Dwell.of(path, clicks)
    chosen = _chosen(peaks, path, clicks)
    _check_end(path, clicks)
    _check_peaks(peaks, chosen, clicks)
    stands = [_stand(path, peak.at_deg) for peak in chosen]
    sign = -1 if invert else 1
    per_deg = counts_per_turn / 360
    centres = tuple(round(path.first_raw + sign * stand.centre_deg * per_deg) % counts_per_turn for stand in stands)
    spread = tuple(round(stand.spread_deg * per_deg) for stand in stands)
    dial = Calibration.of_centres(centres, spread, counts_per_turn=counts_per_turn, invert=invert)
    if reasons := doubts(centres, spread, counts_per_turn=counts_per_turn, invert=invert):
        raise CalibrationDoubtError(reasons, dial)
    return dial


# ------------------------------------------------------------------------------------------------------- the path


@dataclass(frozen=True, slots=True)
class _Path:
    """The turn, sample by sample. `angles` are degrees counter-clockwise from the first one, unwrapped; `dwell_ms` is
    the time that each sample counts for; `noise_deg` is the standard deviation of the angle at rest."""

    first_raw: int
    times_ns: Sequence[int]
    angles: Sequence[float]
    dwell_ms: Sequence[float]
    noise_deg: float

    @property
    def net_deg(self) -> float:
        """From the first stand to the last."""
        return median(self.angles[-9:]) - median(self.angles[:9])


def _followed(samples: Samples, turn: int, sign: int) -> _Path:
    good = _without_spikes([(at_ns, raw) for at_ns, raw in samples if raw is not None], turn)
    if not good:
        raise _doubt("No angle was read while the dial was turned. Run `trapdial doctor` to find out why.")
    times, angles, at = [at_ns for at_ns, _ in good], [0.0], 0
    for (_, before), (_, raw) in pairwise(good):
        at += sign * wrapped(raw - before, turn)
        angles.append(at * 360 / turn)
    half_ms = [min((b - a) / 2e6, MOST_GAP_MS / 2) for a, b in pairwise(times)]
    dwell = [a + b for a, b in zip([0.0, *half_ms], [*half_ms, 0.0], strict=True)]
    bends = [abs(angles[i + 1] - 2 * angles[i] + angles[i - 1]) for i in range(1, len(angles) - 1)]
    noise = median(bends) / (math.sqrt(6) * 0.6745) if bends else 0.0
    return _Path(good[0][1], times, angles, dwell, max(noise, 0.02))


def _without_spikes(good: list[tuple[int, int]], turn: int) -> list[tuple[int, int]]:
    """Drop wrong samples: up to MOST_WRONG in a row, farther from the samples on both sides than these are apart. The
    dial may snap meanwhile; a sample on its way lies between the two."""
    spike, snap = SPIKE_DEG * turn / 360, MOST_SNAP_DEG * turn / 360

    def apart(one: int, other: int) -> int:
        return abs(wrapped(one - other, turn))

    def wrong_from(i: int, before: int) -> int:
        for count in range(1, MOST_WRONG + 1):
            if i + count >= len(good):
                break
            after = good[i + count][1]
            step, near = apart(before, after), max(spike, apart(before, after))
            if step <= snap and all(
                min(apart(raw, before), apart(raw, after)) > near for _, raw in good[i : i + count]
            ):
                return count
        return 0

    kept, i = good[:1], 1
    while i < len(good):
        if wrong := wrong_from(i, kept[-1][1]):
            i += wrong
        else:
            kept.append(good[i])
            i += 1
    return kept


def _doubt(reason: str) -> CalibrationDoubtError:
    return CalibrationDoubtError([reason])


def _check_way(path: _Path, clicks: int, *, invert: bool) -> None:
    """Check that the dial was turned once round, the right way."""
    pitch = 360 / clicks
    most, least, net = max(path.angles), min(path.angles), round(path.net_deg / pitch)
    if most < pitch / 2 and least > -pitch / 2:
        raise _doubt("The dial was not turned. Turn it click by click, once round, and wait half a second each time.")
    if net < 0:
        flip = "leave `invert` out" if invert else "set `invert = true`"
        raise _doubt(
            "The angle fell where it should grow: the dial was turned clockwise, or its sensor counts the "
            f"other way. Turn it counter-clockwise; if you did, {flip}."
        )
    if net == 0:
        raise _doubt("The dial was turned and came back the same way. Turn it counter-clockwise, once round.")
    if net >= clicks:
        return
    stands = _Dwell.of(path, clicks).count(path)
    if stands == clicks + 1:
        raise _doubt(
            f"After {clicks} clicks the dial was {360 - path.net_deg:.0f} degrees from where it began: it does not "
            f"have {clicks} detents, or `clicks` of its trap table is wrong."
        )
    raise _doubt(
        f"The dial stopped half way, after {net} of {clicks} clicks. Turn it exactly once round, back to the start "
        "mark; if you did, `clicks` of its trap table is wrong."
    )


def _check_steady(path: _Path) -> None:
    if (wandered := NOISE_WIDTH * path.noise_deg) > WIDEST_SPREAD_DEG:
        raise _doubt(
            f"The angle was not steady while the dial stood: it wandered over {wandered:.1f} degrees; "
            f"{WIDEST_SPREAD_DEG:.0f} is the most. Move the magnet nearer to the chip, or take a stronger one."
        )


def _check_end(path: _Path, clicks: int) -> None:
    """Check that the turn ended at the start mark: otherwise every position would be off."""
    net = round(path.net_deg * clicks / 360)
    if net % clicks:
        raise _doubt(
            f"The dial was turned by {net} clicks, past its start mark. Turn it exactly once round, {clicks} clicks; "
            "if you did, `clicks` of its trap table is wrong."
        )


# ------------------------------------------------------------------------------------------------------ the peaks


@dataclass(frozen=True, slots=True)
class _Peak:
    """An angle near which the dial spent time: degrees from the first sample, within one turn."""

    at_deg: float
    dwell_ms: float


@dataclass(frozen=True, slots=True)
class _Dwell:
    """The peaks of the dwell, by angle."""

    half_deg: float
    peaks: tuple[_Peak, ...]

    @classmethod
    def of(cls, path: _Path, clicks: int) -> _Dwell:
        """Sum the dwell by angle, all turns together, and find its peaks, the longest first."""
        half = max(min(PEAK_DEG, 15 / clicks), min(2 * path.noise_deg, 60 / clicks))
        bins = round(360 / half * 3)
        time = [0.0] * bins
        for angle, dwell in zip(path.angles, path.dwell_ms, strict=True):
            time[round(angle * bins / 360) % bins] += dwell
        near = [sum(time[(b + off) % bins] for off in range(-3, 4)) for b in range(bins)]
        return cls(half, tuple(_peaks(near, time, bins)))

    def count(self, path: _Path) -> int:
        """Return in how many places the dial stood; the first and the last count separately."""
        stood = [peak for peak in self.peaks if peak.dwell_ms >= STANDS_MS]
        again = abs(path.net_deg) % 360 < self.half_deg * 2 or abs(path.net_deg) % 360 > 360 - self.half_deg * 2
        return len(stood) + (1 if again else 0)


def _peaks(near: Sequence[float], time: Sequence[float], bins: int) -> list[_Peak]:
    """Return local maxima that stand out from the higher ones beside them."""
    taken: list[int] = []
    found: list[_Peak] = []
    tops = [b for b in range(bins) if near[b] >= PEAK_MS and near[b - 1] <= near[b] >= near[(b + 1) % bins]]
    for b in sorted(tops, key=lambda b: -near[b]):
        place = bisect_left(taken, b)
        if taken:
            before, after = taken[place - 1], taken[place % len(taken)]
            valley = max(_lowest(near, before, b), _lowest(near, b, after))
            if valley > LOWEST * near[b]:
                continue
        taken.insert(place, b)
        around = [(off, time[(b + off) % bins]) for off in range(-3, 4)]
        middle = sum(off * ms for off, ms in around) / sum(ms for _, ms in around)
        found.append(_Peak((b + middle) * 360 / bins, near[b]))
    return found


def _lowest(near: Sequence[float], first: int, last: int) -> float:
    bins = len(near)
    return min(near[(first + step) % bins] for step in range((last - first) % bins + 1))


def _off(peak: _Peak, start: _Peak, k: int, pitch: float) -> float:
    """Return how far a peak is from where position k would be with even spacing."""
    return (peak.at_deg - start.at_deg - k * pitch + 180) % 360 - 180


def _chosen(dwell: _Dwell, path: _Path, clicks: int) -> list[_Peak]:
    """Choose one peak per position. Raises CalibrationDoubtError if the dial did not stand in every one."""
    pitch = 360 / clicks
    first = median(path.angles[:9])
    starts = [peak for peak in dwell.peaks if abs((peak.at_deg - first + 180) % 360 - 180) <= pitch / 2.5]
    reached, best = 0, (-math.inf, [_Peak(0.0, 0.0)])
    for start in starts:
        far, found = _best_round(dwell.peaks, start, clicks)
        reached = max(reached, far)
        if found is not None and found[0] > best[0]:
            best = found
    missing = [k for k, peak in enumerate(best[1]) if peak.dwell_ms < STANDS_MS]
    if best[0] > -math.inf and not missing:
        return best[1]
    stood = sum(peak.dwell_ms >= STANDS_MS for peak in dwell.peaks)
    if stood > clicks:
        raise _doubt(_too_many(stood, clicks))
    k = missing[0] if best[0] > -math.inf else min(reached + 1, clicks - 1)
    raise _doubt(
        f"The dial went past position {k} without standing in it. Wait half a second in every detent; if the dial "
        "does not stay there, that detent is missing or worn flat: check its lobe."
    )


_Round = tuple[float, list[_Peak]]


def _best_round(peaks: Sequence[_Peak], start: _Peak, clicks: int) -> tuple[int, _Round | None]:
    """Return the last position reached, and the best choice of one peak per position with `start` at the start mark,
    with its score; None if there is none."""
    pitch = 360 / clicks
    ways: list[tuple[float, float, list[_Peak]]] = [(0.0, math.log(start.dwell_ms), [start])]
    for k in range(1, clicks + 1):
        here: list[tuple[float, float, list[_Peak]]] = []
        for peak in peaks if k < clicks else [start]:
            off = 0.0 if k == clicks else _off(peak, start, k, pitch)
            costs = [
                (score - _cost(off - was, pitch), chosen)
                for was, score, chosen in ways
                if abs(off - was) <= MOST_STEP * pitch
            ]
            if costs:
                score, chosen = max(costs, key=lambda each: each[0])
                here.append((off, score + math.log(peak.dwell_ms), [*chosen, peak]))
        if not here:
            return k - 1, None
        ways = here
    _, score, chosen = max(ways, key=lambda way: way[1])
    return clicks, (score, chosen[:clicks])


def _cost(step_deg: float, pitch: float) -> float:
    return (step_deg / (USUAL_STEP * pitch)) ** 2 / 2


def _too_many(stood: int, clicks: int) -> str:
    return (
        f"The dial stood in {stood} places on its way round, more than the {clicks} detents of its trap table. Let go "
        "of it in every detent and hold it nowhere else; if you did, `clicks` of its trap table is wrong."
    )


def _check_peaks(dwell: _Dwell, chosen: Sequence[_Peak], clicks: int) -> None:
    """Refuse a turn that could be another dial's: places as good as the chosen ones, at most positions."""
    pitch = 360 / clicks
    beside: list[float] = []
    between = 0
    for peak in dwell.peaks:
        if peak in chosen:
            continue
        away, mine = min((abs((peak.at_deg - each.at_deg + 180) % 360 - 180), each.dwell_ms) for each in chosen)
        if peak.dwell_ms < AS_LONG * mine or away <= min(APART_DEG, pitch / 15):
            continue
        if away > pitch / 3:
            between += 1
        else:
            beside.append(away)
    if between >= MOSTLY * clicks:
        raise _doubt(_too_many(sum(peak.dwell_ms >= STANDS_MS for peak in dwell.peaks), clicks))
    if len(beside) >= MOSTLY * clicks:
        raise _doubt(
            f"In {len(beside)} detents the dial stood in two places for about as long, {max(beside):.1f} degrees "
            "apart. Let go of it in every detent; if you did, its detents do not hold it: check the lobes and the nose."
        )


# ----------------------------------------------------------------------------------------------------- the stands


@dataclass(frozen=True, slots=True)
class _Stand:
    centre_deg: float
    spread_deg: float


def _stand(path: _Path, at_deg: float) -> _Stand:
    """Return where exactly the dial stood near a peak: the middle of its time there. Its spread is that of its longest
    stay."""
    near = max(0.4, 3 * path.noise_deg)
    ways = [(angle - at_deg + 180) % 360 - 180 for angle in path.angles]
    aside = min(abs(way) for way in ways)
    timed = sorted((way, ms) for way, ms in zip(ways, path.dwell_ms, strict=True) if abs(way) <= near + aside)
    middle, half = timed[len(timed) // 2][0], sum(ms for _, ms in timed) / 2
    for way, ms in timed:
        half -= ms
        if half <= 0:
            middle = way
            break
    within = max(0.5, 5 * path.noise_deg)
    best: tuple[int, float] = (0, 0.0)
    low = high = began = None
    for way, at_ns in zip(ways, path.times_ns, strict=True):
        if abs(way - middle) > within:
            low = high = began = None
            continue
        low = way if low is None else min(low, way)
        high = way if high is None else max(high, way)
        began = at_ns if began is None else began
        best = max(best, (at_ns - began, high - low))
    return _Stand(at_deg + middle, best[1])
