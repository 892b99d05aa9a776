"""Notices about one part that come again and again are counted and summed up. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pi_app.journal.budget import Budget
from pi_app.text.language import N_, Words

NOTICES: Final = Budget(at_once=6, every_ns=600_000_000_000)
"""The notices about one part that are sent: 12 in the worst hour. A sum takes the place of one."""

_PART: Final = re.compile(r"[^():]*\([^()]*\)")
"""The part and the place of a notice, which begin it."""

MORE: Final = N_("{part}: more notices like these: {times}.")


class RepeatedNotices:
    """The notices of all parts."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._sent: dict[str, Budget] = {}
        self._held: dict[str, int] = {}

    def take(self, notice: str, now_ns: int) -> Sequence[str]:
        """Take one notice. Return what to send now."""
        found = _PART.match(notice)
        part = notice if found is None else found[0]
        if part in self._held or self._sent.get(part, NOTICES).room(now_ns) < 1:
            self._held[part] = self._held.get(part, 0) + 1
            return ()
        self._sent[part] = self._sent.get(part, NOTICES).used(now_ns)
        return (notice,)

    def sums(self, now_ns: int) -> Sequence[str]:
        """Return a sum for each part whose notices were held back, as soon as it may be sent."""
        due = [part for part in self._held if self._sent[part].room(now_ns) > 0]
        for part in due:
            self._sent[part] = self._sent[part].used(now_ns)
        return [self._words(MORE).format(part=part, times=self._held.pop(part)) for part in due]
