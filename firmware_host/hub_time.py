"""Hub time, as times of the table's clock. Pure.

A hub answers a question with its own time, somewhere between the question's leaving and the answer's coming. Of the
last 30 answers the one that took the shortest way counts. What has come cannot lie in the future: an offset that says
so was wrong and is lowered at once.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from firmware_host.hub.wire import since

ANSWERS: Final = 30


class HubTime:
    """One hub, from one greeting to the next. Hub times are microseconds modulo 2^30; table times nanoseconds."""

    __slots__ = ("_answers", "_delivered_ns", "_hub_us", "_offset_ns")

    def __init__(self, hub_us: int, sent_ns: int, came_ns: int, delivered_ns: int) -> None:
        """From the answer to the greeting. `delivered_ns`: what was handed on before this greeting was earlier than that."""
        self._hub_us = hub_us
        self._answers: deque[tuple[int, int]] = deque(maxlen=ANSWERS)
        self._delivered_ns = delivered_ns
        self._offset_ns = 0
        self.answered(hub_us, sent_ns, came_ns)

    @property
    def delivered_ns(self) -> int:
        """The time of the last sample that was handed on."""
        return self._delivered_ns

    def answered(self, hub_us: int, sent_ns: int, came_ns: int) -> None:
        """A question left at `sent_ns`, its answer with the hub's time came at `came_ns`."""
        self._answers.append((came_ns - sent_ns, (sent_ns + came_ns) // 2 - self._whole(hub_us) * 1000))
        self._offset_ns = min(self._answers)[1]

    def arrived(self, end_us: int, now_ns: int) -> None:
        """At `now_ns` something has come that the hub saw end at `end_us`. Say it before `at` for what came."""
        most_ns = now_ns - self._whole(end_us) * 1000
        if self._offset_ns > most_ns:
            self._offset_ns = most_ns
            self._answers = deque(((way, min(offset, most_ns)) for way, offset in self._answers), maxlen=ANSWERS)

    def at(self, hub_us: int) -> int:
        """The table's time then."""
        return self._whole(hub_us) * 1000 + self._offset_ns

    def mark_delivered(self, at_ns: int) -> None:
        """Something of that time was handed on."""
        self._delivered_ns = max(self._delivered_ns, at_ns)

    def _whole(self, hub_us: int) -> int:
        """Hub time that does not begin again."""
        whole = self._hub_us + since(hub_us, self._hub_us)
        self._hub_us = max(whole, self._hub_us)
        return whole
