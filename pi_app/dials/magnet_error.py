"""What a dial's detents reveal about how it was built: a magnet off the centre, a tilted one, a worn detent. Pure.

The distance of each detent from even spacing is split into a wave that goes once round (a magnet beside the middle of
the chip), a wave that goes twice round (a magnet or chip that is not level), and a rest for each detent alone (how it
was printed, and how it wore). The waves are a least squares fit; with evenly spaced detents that is their Fourier sum.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MOST_BESIDE_DEG: Final = 6.0
"""A detent this far from where the others put it is worn. A sound one, printed within 1 degree, stays below 2.8; one
whose friction holds the dial up to 4 degrees behind its middle stays below 6."""

MOST_BESIDE_PART: Final = 0.2
"""On dials of many detents, the limit is this part of the way to the next one."""

OFF_CENTRE_DEG: Final = 3.0
TILTED_DEG: Final = 1.5
"""Waves of this height are reported. They do no harm once they are calibrated."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave round the dial: its amplitude in degrees, and the position where it is highest (0 up to the number of
    clicks, with fractions)."""

    degrees: float
    peak: float


@dataclass(frozen=True, slots=True)
class DetentErrors:
    """How far a dial's detents are off.

    `off_deg[k]`: how far position k is from even spacing, counter-clockwise positive, on average 0. `once` and
    `twice`: the waves, None for too few detents (below 5, below 8). `beside_deg[k]`: how far position k is from where
    all the others put it. `worn`: positions that are further off than a sound one can be.
    """

    off_deg: tuple[float, ...]
    once: Wave | None
    twice: Wave | None
    beside_deg: tuple[float, ...]
    worn: tuple[int, ...]

    def wave_at(self, position: float) -> float:
        """Return the two waves together, in degrees, at a position with fractions."""
        clicks = len(self.off_deg)
        return sum(
            wave.degrees * math.cos(times * math.tau * (position - wave.peak) / clicks)
            for times, wave in ((1, self.once), (2, self.twice))
            if wave is not None
        )


def most_beside_deg(clicks: int) -> float:
    """Return how far a sound detent may be from where the others put it."""
    return min(MOST_BESIDE_DEG, MOST_BESIDE_PART * 360 / clicks)


def detent_errors(centres: Sequence[int], counts_per_turn: int, *, invert: bool) -> DetentErrors:
    """Return the errors of a dial with these centres, in counts, position by position."""
    turn, sign, clicks = counts_per_turn, -1 if invert else 1, len(centres)
    raw = [
        ((sign * (centre - centres[0]) - k * turn / clicks + turn / 2) % turn - turn / 2) * 360 / turn
        for k, centre in enumerate(centres)
    ]
    mean = sum(raw) / clicks
    off = tuple(each - mean for each in raw)
    order = 2 if clicks >= 8 else 1 if clicks >= 5 else 0
    beside = _beside_even(off, order)
    worn: list[int] = []
    limit = most_beside_deg(clicks)
    while (worst := _worst(beside, worn)) is not None and abs(beside[worst]) > limit:
        worn.append(worst)
        if len(worn) > clicks // 4:  # then it is unknown which are the sound ones
            worn.clear()
            beside = _beside_even(off, order)
            break
        beside = _beside_without(off, order, worn)
    fit = _fitted(off, order, worn)
    once = _wave(fit[1], fit[2], 1, clicks) if order >= 1 else None
    twice = _wave(fit[3], fit[4], 2, clicks) if order >= 2 else None
    return DetentErrors(off, once, twice, tuple(beside), tuple(sorted(worn)))


def remarks(errors: DetentErrors) -> list[str]:
    """Return what could be improved on a dial that is good enough, in whole sentences."""
    found = []
    if errors.once is not None and errors.once.degrees >= OFF_CENTRE_DEG:
        found.append(
            f"Its magnet sits beside the middle: that bends the angle by {errors.once.degrees:.1f} degrees either way, "
            f"once round, most near position {_near(errors.once, errors)}. It is allowed for; when you have the tile "
            "open, glue the magnet within 0.25 mm of the chip's middle."
        )
    if errors.twice is not None and errors.twice.degrees >= TILTED_DEG:
        found.append(
            f"Its magnet or its chip is tilted: that bends the angle by {errors.twice.degrees:.1f} degrees either way, "
            f"twice round, most near position {_near(errors.twice, errors)}. It is allowed for; when you have the tile "
            "open, let the magnet lie flat and the board be level with it."
        )
    return found


def _near(wave: Wave, errors: DetentErrors) -> int:
    return round(wave.peak) % len(errors.off_deg)


def _worst(beside: Sequence[float], without: Collection[int]) -> int | None:
    left = [k for k in range(len(beside)) if k not in without]
    return max(left, key=lambda k: abs(beside[k]), default=None)


def _row(k: int, order: int, clicks: int) -> list[float]:
    """Return 1, cos, sin, cos of twice the angle, sin of twice the angle, as far as they are used."""
    turned = math.tau * k / clicks
    return [1.0, *(each for m in range(1, order + 1) for each in (math.cos(m * turned), math.sin(m * turned)))]


def _beside_even(off: Sequence[float], order: int) -> list[float]:
    """Return how far each detent is from the fit of all others. With even spacing, one division leaves one out."""
    clicks = len(off)
    fit = _fitted(off, order, ())
    kept = 1 - (1 + 2 * order) / clicks
    return [(each - fitted) / kept for each, fitted in zip(off, _along(fit, order, clicks), strict=True)]


def _beside_without(off: Sequence[float], order: int, without: Collection[int]) -> list[float]:
    clicks, beside = len(off), []
    for k in range(clicks):
        fit = _fitted(off, order, {*without, k})
        beside.append(off[k] - sum(a * b for a, b in zip(fit, _row(k, order, clicks), strict=True)))
    return beside


def _along(fit: Sequence[float], order: int, clicks: int) -> Iterator[float]:
    for k in range(clicks):
        yield sum(a * b for a, b in zip(fit, _row(k, order, clicks), strict=True))


def _fitted(off: Sequence[float], order: int, without: Collection[int]) -> list[float]:
    """Fit mean and waves by least squares, some detents left out."""
    clicks = len(off)
    rows = [(_row(k, order, clicks), off[k]) for k in range(clicks) if k not in without]
    if not without:
        return [(1 if m == 0 else 2) / clicks * sum(row[m] * y for row, y in rows) for m in range(1 + 2 * order)]
    size = 1 + 2 * order
    table = [
        [sum(row[a] * row[b] for row, _ in rows) for b in range(size)] + [sum(row[a] * y for row, y in rows)]
        for a in range(size)
    ]
    return _solved(table)


def _solved(table: list[list[float]]) -> list[float]:
    """Solve by Gauss-Jordan elimination; the table is symmetric and far from singular."""
    for at, pivot in enumerate(table):
        scale = pivot[at]
        pivot[:] = [each / scale for each in pivot]
        for other in table:
            if other is not pivot and other[at]:
                factor = other[at]
                other[:] = [a - factor * b for a, b in zip(other, pivot, strict=True)]
    return [row[-1] for row in table]


def _wave(cosine: float, sine: float, times: int, clicks: int) -> Wave:
    return Wave(math.hypot(cosine, sine), math.atan2(sine, cosine) / math.tau * clicks / times % (clicks / times))
