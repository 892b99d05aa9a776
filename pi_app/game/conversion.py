"""Converting a token or a chest into Mage Spawn: the count matters more than the points (R-WMT-4). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from pi_app.text.user_file import Complaints, Problem, check_keys, errors_of, load_with, read_sections, read_toml

MOST_FIGURES: Final = 12
MOST_NAME_BYTES: Final = 480
"""Of all names in one conversion, as the record writes them: twelve of 40 letters without accents."""
MOST_KINDS: Final = 60
MOST_CHOICES: Final = 200
"""At most so many equal choices are listed; `Conversion.cut` marks that there are more."""


class SpawnFigure(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One kind of figure in a Mage Spawn pool: its price in points, and its number."""

    name: Annotated[str, Meta(pattern=r"^\S(.{0,38}\S)?\Z", max_length=40, description="a text of 1 to 40 characters")]
    points: Annotated[int, Meta(ge=1, le=999, description="points from 1 to 999")]
    count: Annotated[int, Meta(ge=1, le=99, description="a whole number from 1 to 99")] = 1


class Conversion(msgspec.Struct, frozen=True):
    """`figures` in all for `points`, as any one of `choices`, which the opponent picks. No figures: nothing can be
    placed. `cut`: there are more choices than are listed."""

    figures: int = 0
    points: int = 0
    choices: tuple[tuple[str, ...], ...] = ()
    cut: bool = False


def convert(pool: Sequence[SpawnFigure], figures: int, points: int) -> Conversion:
    """The best choices of a pool for "`figures` figures, `points` points" (R-WMT-4): as many figures as possible, up to
    `figures` and for at most `points`; among these the dearest."""
    pool = sorted(pool)
    totals = _totals(pool, figures, points)
    for count in range(figures, 0, -1):
        if totals[0][count]:
            best = max(totals[0][count])
            found = _choices(pool, totals, count, best)
            choices = [choice for choice, _ in zip(found, range(MOST_CHOICES + 1), strict=False)]
            return Conversion(count, best, tuple(choices[:MOST_CHOICES]), len(choices) > MOST_CHOICES)
    return Conversion()


def without(pool: Sequence[SpawnFigure], placed: Iterable[str]) -> tuple[SpawnFigure, ...]:
    """The pool without the figures that stand on the table."""
    gone = Counter(placed)
    left = (replace(kind, count=kind.count - gone[kind.name]) for kind in pool if kind.count > gone[kind.name])
    return tuple(left)


_Totals = list[list[set[int]]]


def _totals(pool: Sequence[SpawnFigure], figures: int, points: int) -> _Totals:
    """[i][k]: the possible totals, up to `points`, of k figures out of pool[i:]."""
    none: list[set[int]] = [{0}, *(set() for _ in range(figures))]
    totals = [none]
    for kind in reversed(pool):
        after = totals[0]
        here: list[set[int]] = []
        for count in range(figures + 1):
            ways = range(min(kind.count, count) + 1)
            sums = {each + n * kind.points for n in ways for each in after[count - n]}
            here.append({each for each in sums if each <= points})
        totals.insert(0, here)
    return totals


def _choices(
    pool: Sequence[SpawnFigure], totals: _Totals, count: int, total: int, at: int = 0
) -> Iterator[tuple[str, ...]]:
    """Every choice of `count` figures out of pool[at:] for exactly `total`, each once."""
    if at == len(pool):
        yield ()
        return
    kind = pool[at]
    for n in range(min(kind.count, count), -1, -1):
        left = total - n * kind.points
        if left in totals[at + 1][count - n]:
            for rest in _choices(pool, totals, count - n, left, at + 1):
                yield (*(kind.name,) * n, *rest)


def load(path: Path) -> tuple[SpawnFigure, ...]:
    """The Mage Spawn pool of a file. Raises UserFileError with every error of the file."""
    return load_with(parse, path)


def parse(text: str, file: str) -> tuple[tuple[SpawnFigure, ...], tuple[Problem, ...]]:
    """The Mage Spawn pool in a file, and every problem. `file` is its name in problems."""
    complaints = Complaints(file)
    raw = read_toml(text, complaints)
    if raw is None:
        return (), tuple(complaints.found)
    check_keys(raw, ("figure",), "", complaints)
    pool = read_sections(SpawnFigure, raw, "figure", MOST_KINDS, complaints)
    if len({figure.name for figure in pool}) < len(pool):
        complaints.error("[[figure]]", "", "a name appears twice; write each kind once, with its count")
    return (() if errors_of(complaints.found) else pool), tuple(complaints.found)
