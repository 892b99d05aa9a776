"""Where in the gap between two columns each wire goes up or down: few crossings, the wires of a lead side by side, and
no two wires on top of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pi_app.plans.wiring.drawing.style import PITCH

PASSES: Final = 6


@dataclass(frozen=True, slots=True)
class TrackRun:
    """A wire in a gap: the heights at which it comes and goes, and from which side (`left` or not) each time."""

    strand: int
    lead: str
    ends: tuple[tuple[float, bool], tuple[float, bool]]

    top: float = field(init=False)
    bottom: float = field(init=False)

    def __post_init__(self) -> None:
        (one, _), (other, _) = self.ends
        object.__setattr__(self, "top", min(one, other))
        object.__setattr__(self, "bottom", max(one, other))

    def at(self, from_left: bool) -> list[float]:
        """The heights at which it comes from that side."""
        return [y for y, left in self.ends if left is from_left]


def tracks_of(runs: Sequence[TrackRun]) -> dict[int, int]:
    """The track of each strand, counted from the left."""
    leads: dict[str, list[TrackRun]] = {}
    for run in runs:
        leads.setdefault(run.lead, []).append(run)
    bundles = sorted(leads.values(), key=lambda bundle: min(run.top for run in bundle))
    ordered = _fewest_crossings([tuple(_inside(bundle)) for bundle in bundles])
    tracks: dict[int, int] = {}
    placed: list[tuple[TrackRun, int]] = []
    for bundle in ordered:
        for run in bundle:
            top, bottom = run.top - PITCH, run.bottom + PITCH  # in one track they must not nearly touch either
            track = max((at + 1 for other, at in placed if top < other.bottom and other.top < bottom), default=0)
            tracks[run.strand] = track
            placed.append((run, track))
    return tracks


def _inside(bundle: Sequence[TrackRun]) -> list[TrackRun]:
    return [run for (run,) in _fewest_crossings([(run,) for run in sorted(bundle, key=lambda run: run.top)])]


Bundle = tuple[TrackRun, ...]


def _fewest_crossings(bundles: Sequence[Bundle]) -> list[Bundle]:
    """From left to right: each is moved to where it crosses the others least, until nothing gets better."""
    order = list(range(len(bundles)))
    cost = _costs(bundles)
    for _ in range(PASSES):
        before = list(order)
        for each in list(order):
            order.remove(each)
            order.insert(_best_place(each, order, cost), each)
        if order == before:
            break
    return [bundles[n] for n in order]


def _costs(bundles: Sequence[Bundle]) -> Mapping[tuple[int, int], int]:
    """How often wires cross if the first bundle is left of the second; pairs that cannot cross are left out."""
    found: dict[tuple[int, int], int] = {}
    spans = [(min(run.top for run in bundle), max(run.bottom for run in bundle)) for bundle in bundles]
    for a, one in enumerate(bundles):
        for b, other in enumerate(bundles):
            if a != b and spans[a][0] < spans[b][1] and spans[b][0] < spans[a][1]:
                found[a, b] = sum(_crossings(left, right) for left in one for right in other)
    return found


def _crossings(left: TrackRun, right: TrackRun) -> int:
    """How often two wires cross if the first is left of the second."""
    if left.top >= right.bottom or right.top >= left.bottom:
        return 0
    over = sum(right.top < y < right.bottom for y in left.at(from_left=False))
    return over + sum(left.top < y < left.bottom for y in right.at(from_left=True))


def _best_place(each: int, others: Sequence[int], cost: Mapping[tuple[int, int], int]) -> int:
    """How many of the others stay left of it."""
    crossed = sum(cost.get((each, other), 0) for other in others)
    best, place = crossed, 0
    for n, other in enumerate(others):
        crossed += cost.get((other, each), 0) - cost.get((each, other), 0)
        if crossed < best:
            best, place = crossed, n + 1
    return place
