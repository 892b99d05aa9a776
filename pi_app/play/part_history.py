"""When the parts of one dial failed and recovered, and what room its reports still have in the record."""

from __future__ import annotations

from typing import Final, Literal

from pi_app.dials.steady import Steadiness, failed, good, reported_bad, reported_good
from pi_app.journal.budget import Budget

Part = Literal["readings", "magnet", "angle", "tile", "home"]
"""What can fail of a dial: its readings, its magnet, an angle that stands still, the tile on its lead, and its detents,
which show whose tile it is."""

PARTS: Final[tuple[Part, ...]] = ("readings", "magnet", "angle", "tile", "home")

ENTRIES: Final = Budget(at_once=20, every_ns=300_000_000_000)
"""The entries that the parts of one dial may take: 32 in the worst hour, and 12 in each hour after it. An evening with
four pulled leads of one dial stays below it."""

ALWAYS_FREE: Final = len(PARTS)
"""Recoveries leave this much room: after one, each part can fail once more, and a failure is always recorded."""


class PartHistory:
    """The parts of one dial."""

    def __init__(self) -> None:
        self._parts: dict[Part, Steadiness] = {}
        self._entries = ENTRIES
        self.out_of_room_told = False
        """Whether everybody knows that this dial's reports wait for room."""

    def of(self, part: Part) -> Steadiness:
        """Return what a part did lately."""
        return self._parts.get(part) or Steadiness()

    def failed(self, part: Part, at_ns: int) -> None:
        """Note that a part is bad."""
        self._parts[part] = failed(self.of(part), at_ns)

    def good(self, part: Part, at_ns: int) -> None:
        """Note that a part is good."""
        if part in self._parts:
            self._parts[part] = good(self._parts[part], at_ns)

    def counts_as_good(self, part: Part, now_ns: int) -> bool:
        """Return whether a part's recovery may be reported: it was good for long enough, and there is room."""
        return self.of(part).is_steady(now_ns) and self.has_room(now_ns)

    def has_room(self, now_ns: int) -> bool:
        """Return whether the record has room for what may wait."""
        room = self._entries.room(now_ns) > ALWAYS_FREE
        self.out_of_room_told = self.out_of_room_told and not room
        return room

    def recorded(self, now_ns: int) -> None:
        """Note one more entry."""
        self._entries = self._entries.used(now_ns)

    def reported_good(self, part: Part) -> Steadiness:
        """Note that a recovery was reported. Return what it stands for."""
        was = self.of(part)
        self._parts[part] = reported_good(was)
        return was

    def reported_bad(self, part: Part) -> None:
        """Note that the failures so far were reported in one."""
        self._parts[part] = reported_bad(self.of(part))

    def forget(self, *parts: Part) -> None:
        """Forget what parts did: a new game begins, or a person looked at them."""
        for part in parts:
            self._parts.pop(part, None)
