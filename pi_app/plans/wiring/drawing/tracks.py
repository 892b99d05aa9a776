"""Assign tracks to the wires in the gap between two columns: few crossings, the wires of a lead side by side, and no
overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pi_app.plans.wiring.drawing.style import PITCH

PASSES: Final = 6


@dataclass(frozen=True, slots=True)
class TrackRun:
    """A wire in a gap: the heights of its two ends, each with whether it is on the left."""

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
        """The heights of its ends on that side."""
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
            top, bottom = run.top - PITCH, run.bottom + PITCH  # wires in one track keep a distance
            track = max((at + 1 for other, at in placed if top < other.bottom and other.top < bottom), default=0)
            tracks[run.strand] = track
            placed.append((run, track))
    return tracks


def _inside(bundle: Sequence[TrackRun]) -> list[TrackRun]:
    return [run for (run,) in _fewest_crossings([(run,) for run in sorted(bundle, key=lambda run: run.top)])]


Bundle = tuple[TrackRun, ...]


def _fewest_crossings(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Bundles from left to right: move each to its place with the fewest crossings until nothing improves."""
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
    """Crossings with the first bundle left of the second; pairs that cannot cross are omitted."""
    found: dict[tuple[int, int], int] = {}
    spans = [(min(run.top for run in bundle), max(run.bottom for run in bundle)) for bundle in bundles]
    for a, one in enumerate(bundles):
        for b, other in enumerate(bundles):
            if a != b and spans[a][0] < spans[b][1] and spans[b][0] < spans[a][1]:
                found[a, b] = sum(_crossings(left, right) for left in one for right in other)
    return found


def _crossings(left: TrackRun, right: TrackRun) -> int:
    """Crossings of two wires with the first left of the second."""
    if left.top >= right.bottom or right.top >= left.bottom:
        return 0
    over = sum(right.top < y < right.bottom for y in left.at(from_left=False))
    return over + sum(left.top < y < left.bottom for y in right.at(from_left=True))


def _best_place(each: int, others: Sequence[int], cost: Mapping[tuple[int, int], int]) -> int:
    """The best place: the number of others left of it."""
    crossed = sum(cost.get((each, other), 0) for other in others)
    best, place = crossed, 0
    for n, other in enumerate(others):
        crossed += cost.get((other, each), 0) - cost.get((each, other), 0)
        if crossed < best:
            best, place = crossed, n + 1
    return place
