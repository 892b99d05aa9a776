"""Many games together: are the dice fair, do detents wear, how fast are dials turned. Pure.

Few throws prove little, and the sentences say so.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Final

import msgspec

from pi_app.audit.values import GameAudit
from pi_app.game.rules import DIE

LEAST_EXPECTED: Final = 5
"""Below this expected count per face the chi-squared distribution is a bad approximation: 30 throws of one die."""

UNLIKELY: Final = 0.01
"""One of a hundred tables calls a fair die uneven, and sound detents worn."""

WORN_RESTS: Final = 5
"""A detent is judged from this many rests on, against at least twice as many in the others of its dial."""

WORN_DEG: Final = 0.5
"""A spread below this (standard deviation) is no wear, however even the others are: a fifth of the way from a centre to
where a dial of twelve clicks is no longer seated would take four of them."""

STILL_DEG: Final = 0.05
"""The least spread assumed of the others: half a step of a 12-bit encoder."""


class DieStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """How often each face came; `p`: probability that a fair die is at least that uneven, None for too few throws."""

    what: str
    counts: tuple[int, int, int, int, int, int]
    throws: int
    chi_squared: float | None
    p: float | None
    words: str


class DetentStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One detent of one dial: how far from its centre the dial came to rest there, in degrees. `drift_deg`: the later
    half of the rests against the earlier one. `others_sd_deg`: the spread in the dial's other detents; `p`: probability
    that a detent like those spreads at least this much; `worn`: too unlikely, among all detents that were judged."""

    square: str
    position: int
    rests: int
    mean_deg: float
    sd_deg: float | None
    drift_deg: float | None
    others_sd_deg: float | None
    p: float | None
    worn: bool


class SquareStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One square over all games. Speeds in clicks per second; a turn under a claim has its pauses in it."""

    square: str
    games: int
    turns: int
    findings: int
    speed_median: float | None
    speed_top: float | None
    calibrated: bool


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """Over all games that have ended; `sealed` counts the others, which are not used."""

    games: int
    sealed: int
    dice: tuple[DieStatistics, ...]
    detents: tuple[DetentStatistics, ...]
    squares: tuple[SquareStatistics, ...]


def statistics(games: Iterable[GameAudit]) -> Statistics:
    """Compute the statistics of these games."""
    every = tuple(games)
    ended = [game for game in every if not game.sealed]
    thrown = [pips for game in ended for pips in game.disarm_dice]
    rolled = [rolled for game in ended for rolled in game.turn_dice]
    clicks = [clicks for game in ended for clicks in first_turns(game)]
    return Statistics(
        games=len(ended),
        sealed=len(every) - len(ended),
        dice=(
            die("dice of disarms, as reported at the table", thrown),
            die("dice of turns, as reported at the table", [each.die for each in rolled if each.how == "said"]),
            die("dice of turns, rolled by the device", [each.die for each in rolled if each.how == "device"]),
            die("clicks of first turns, an indirect die", clicks),
        ),
        detents=_detents(ended),
        squares=_squares(ended),
    )


def first_turns(game: GameAudit) -> list[int]:
    """Return the clicks of turns that a die should decide: claimed, from the start mark, 1 to 6."""
    return [
        turn.clicks
        for turn in game.turns
        if turn.seat is not None and turn.from_position == 0 and turn.clicks is not None and turn.clicks in DIE
    ]


def die(what: str, throws: Sequence[int]) -> DieStatistics:
    """Test six faces against a fair die."""
    count = Counter(pips for pips in throws if pips in DIE)
    counts = tuple(count[pips] for pips in DIE)
    total = sum(counts)
    expected = total / 6
    chi = sum((each - expected) ** 2 / expected for each in counts) if total else None
    p = survival(chi) if chi is not None and expected >= LEAST_EXPECTED else None
    return DieStatistics(
        what=what,
        counts=counts,  # type: ignore[arg-type]
        throws=total,
        chi_squared=None if chi is None else round(chi, 3),
        p=None if p is None else round(p, 4),
        words=_judged(total, p),
    )


def _judged(total: int, p: float | None) -> str:
    if p is None:
        return f"{total} throws are too few: the test needs {6 * LEAST_EXPECTED}."
    if p < UNLIKELY:
        return f"A fair die is this uneven in {100 * p:.2g} of 100 such tables. Check more games before you conclude."
    return f"No evidence against a fair die, which is this uneven in {100 * p:.0f} of 100 such tables."


def survival(chi_squared: float) -> float:
    """Return the probability that chi-squared with five degrees of freedom is at least this."""
    half = chi_squared / 2
    return math.erfc(math.sqrt(half)) + math.sqrt(2 * chi_squared / math.pi) * math.exp(-half) * (1 + chi_squared / 3)


def _detents(games: Sequence[GameAudit]) -> tuple[DetentStatistics, ...]:
    errors: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for rest in game.rests:
            errors[rest.square][rest.of_dial].append(rest.error_deg)
    spreads = {
        (square, position): spread
        for square, dial in errors.items()
        for position in dial
        if (spread := spread_of(position, dial)) is not None
    }
    return tuple(
        _detent(square, position, errors[square][position], spreads.get((square, position)), len(spreads))
        for square in sorted(errors)
        for position in sorted(errors[square])
    )


def _detent(
    square: str, position: int, seen: Sequence[float], spread: tuple[float, float] | None, judged: int
) -> DetentStatistics:
    sd = math.sqrt(_squares_of(seen) / (len(seen) - 1)) if len(seen) > 1 else None
    return DetentStatistics(
        square=square,
        position=position,
        rests=len(seen),
        mean_deg=round(fmean(seen), 2),
        sd_deg=None if sd is None else round(sd, 2),
        drift_deg=_drift(seen),
        others_sd_deg=None if spread is None else round(spread[0], 2),
        p=None if spread is None else round(spread[1], 6),
        worn=spread is not None and sd is not None and sd > WORN_DEG and spread[1] < UNLIKELY / judged,
    )


def spread_of(position: int, dial: Mapping[int, Sequence[float]]) -> tuple[float, float] | None:
    """Return the spread in the other detents of a dial, in degrees, and the probability that one like those spreads at
    least as much as this one: an F test, by Paulson's normal approximation. None for too few rests."""
    its = dial[position]
    others = [seen for other, seen in dial.items() if other != position and len(seen) > 1]
    free, others_free = len(its) - 1, sum(len(seen) - 1 for seen in others)
    if len(its) < WORN_RESTS or others_free < 2 * WORN_RESTS:
        return None
    pooled = math.sqrt(sum(map(_squares_of, others)) / others_free)
    ratio = _squares_of(its) / free / max(pooled, STILL_DEG) ** 2
    one, two = 2 / (9 * free), 2 / (9 * others_free)
    root = ratio ** (1 / 3)
    return pooled, math.erfc(((1 - two) * root - (1 - one)) / math.sqrt(2 * (two * root**2 + one))) / 2


def _squares_of(errors: Sequence[float]) -> float:
    """Return the sum of the squared deviations from the mean."""
    mean = fmean(errors)
    return math.fsum((each - mean) ** 2 for each in errors)


def worn_words(detents: Iterable[DetentStatistics]) -> list[str]:
    """Return a sentence for each worn detent; one sentence if none is worn, or none can be judged."""
    every = tuple(detents)
    found = [
        f"{each.square}: detent {each.position} looks worn. Its {each.rests} rests spread by {each.sd_deg} "
        f"degrees (standard deviation), those of the dial's other detents by {each.others_sd_deg}. Check it before you "
        "replace it."
        for each in every
        if each.worn
    ]
    judged = sum(each.p is not None for each in every)
    if not judged:
        return [f"Too few rests to judge wear: it takes {WORN_RESTS} in a detent."]
    return found or [f"None of the {judged} detents that can be judged looks worn."]


def _drift(errors: Sequence[float]) -> float | None:
    half = len(errors) // 2
    return round(fmean(errors[-half:]) - fmean(errors[:half]), 2) if half >= 2 else None


def _squares(games: Sequence[GameAudit]) -> tuple[SquareStatistics, ...]:
    labels = sorted({dial.square for game in games for dial in game.dials})
    found = []
    for label in labels:
        its = [game for game in games if any(dial.square == label for dial in game.dials)]
        turns = [turn for game in its for turn in game.turns if turn.square == label]
        speeds = [turn.clicks_per_s for turn in turns if turn.clicks_per_s is not None]
        found.append(
            SquareStatistics(
                square=label,
                games=len(its),
                turns=len(turns),
                findings=sum(found.square == label for game in its for found in game.findings),
                speed_median=round(median(speeds), 2) if speeds else None,
                speed_top=round(max(speeds), 2) if speeds else None,
                calibrated=all(dial.calibrated for game in its for dial in game.dials if dial.square == label),
            )
        )
    return tuple(found)
