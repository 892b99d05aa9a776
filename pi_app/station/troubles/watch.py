"""Which troubles have begun and which are over, moment by moment: one that comes and goes does not chatter. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pi_app.station.troubles.troubles import StationTrouble, TroubleFound

CALM_NS: Final = 10_000_000_000
"""A trouble is over after so long without it."""


@dataclass(frozen=True, slots=True)
class TroubleChange:
    """A trouble that has begun, or is over."""

    found: TroubleFound
    over: bool


class TroubleWatch:
    """The troubles of a station. `now` holds those that lasts until it is surely over."""

    def __init__(self) -> None:
        self._known: dict[StationTrouble, TroubleFound] = {}
        self._seen_ns: dict[StationTrouble, int] = {}
        self._since_ns: dict[StationTrouble, int] = {}

    @property
    def now(self) -> tuple[TroubleFound, ...]:
        """The troubles now, in the order in which they were found last."""
        return tuple(self._known.values())

    def since_ns(self, trouble: StationTrouble) -> int:
        """Return when a trouble of now began. Raises KeyError for another."""
        return self._since_ns[trouble]

    def update(self, found: Iterable[TroubleFound], now_ns: int) -> tuple[TroubleChange, ...]:
        """Take the troubles of this moment; return what has changed."""
        changes = []
        fresh = {each.trouble: each for each in found}
        for trouble, each in fresh.items():
            if trouble not in self._known:
                self._since_ns[trouble] = now_ns
                changes.append(TroubleChange(each, over=False))
            self._seen_ns[trouble] = now_ns
        for trouble, each in self._known.items():
            if trouble not in fresh and now_ns - self._seen_ns[trouble] >= CALM_NS:
                changes.append(TroubleChange(each, over=True))
        over = {change.found.trouble for change in changes if change.over}
        kept = {trouble: each for trouble, each in self._known.items() if trouble not in over}
        self._known = {**fresh, **{trouble: each for trouble, each in kept.items() if trouble not in fresh}}
        return tuple(changes)
