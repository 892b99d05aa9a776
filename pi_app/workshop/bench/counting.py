"""SummedReport of many simulated rounds: played in parts, over several processes, and added up."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self, TypeVar

from pi_app.dials.tracker import Turn

KEPT_EXAMPLES: Final = 10

Part = TypeVar("Part")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SummedReport:
    """A report whose fields are counts, `examples` of what went wrong, and times called `slowest`."""

    def plus(self, other: Self) -> Self:
        """Return both as one: add counts, keep the larger of two times and the first examples."""
        return replace(self, **{each.name: _sum(each.name, self, other) for each in fields(self)})


def _sum(name: str, one: SummedReport, other: SummedReport) -> Any:
    values = getattr(one, name), getattr(other, name)
    if name.startswith("slowest"):
        return max(values)
    return (values[0] + values[1])[:KEPT_EXAMPLES] if name == "examples" else sum(values)


def spread(play: Callable[[Part], Result], parts: Sequence[Part], jobs: int, *, at_once: int = 1) -> Iterator[Result]:
    """Play each part and return its results in order; in `jobs` processes if more than one and the machine can."""
    pool = None if jobs == 1 else _start_pool(jobs)
    if pool is None:
        yield from map(play, parts)
        return
    with pool:
        yield from pool.map(play, parts, chunksize=at_once)


def _start_pool(jobs: int) -> ProcessPoolExecutor | None:
    """None where /dev/shm cannot be written, which the locks of processes need."""
    try:
        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    except OSError:
        return None


def in_parts(amount: int, size: int, seed: int) -> list[tuple[int, str]]:
    """Cut an amount into parts of at most `size`, each with its own seed."""
    return [(min(size, amount - start), f"{seed}/{start}") for start in range(0, amount, size)]


def described(turns: Iterable[Turn]) -> str:
    """Return reported turns in words."""
    return "; ".join(f"{turn.from_position} to {turn.to_position}, clicks {turn.clicks}" for turn in turns) or "nothing"
