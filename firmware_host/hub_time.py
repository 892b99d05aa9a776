"""Converts hub time to times of the table's clock. Pure.

A hub answers a request with its own time, between the request's departure and the answer's arrival. Of the last 30
answers the one with the shortest round trip counts. A received sample cannot be later than now: an offset that says so
is wrong and is lowered at once.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from firmware_host.hub.wire import since

ANSWERS: Final = 30


class HubTime:
    """The clock of one hub, from one greeting to the next. Hub times are microseconds modulo 2^30; table times
    nanoseconds."""

    __slots__ = ("_answers", "_delivered_ns", "_hub_us", "_offset_ns")

    def __init__(self, hub_us: int, sent_ns: int, arrived_ns: int, delivered_ns: int) -> None:
        """From the answer to the greeting. Everything delivered before this greeting is earlier than `delivered_ns`."""
        self._hub_us = hub_us
        self._answers: deque[tuple[int, int]] = deque(maxlen=ANSWERS)
        self._delivered_ns = delivered_ns
        self._offset_ns = 0
        self.answered(hub_us, sent_ns, arrived_ns)

    @property
    def delivered_ns(self) -> int:
        """The time of the last delivered sample."""
        return self._delivered_ns

    def answered(self, hub_us: int, sent_ns: int, arrived_ns: int) -> None:
        """Use an answer with the hub's time: its request left at `sent_ns`, it arrived at `arrived_ns`."""
        self._answers.append((arrived_ns - sent_ns, (sent_ns + arrived_ns) // 2 - self._whole(hub_us) * 1000))
        self._offset_ns = min(self._answers)[1]

    def arrived(self, end_us: int, now_ns: int) -> None:
        """Data that the hub completed at `end_us` arrived at `now_ns`. Call this before `at` for that data."""
        most_ns = now_ns - self._whole(end_us) * 1000
        if self._offset_ns > most_ns:
            self._offset_ns = most_ns
            self._answers = deque(((way, min(offset, most_ns)) for way, offset in self._answers), maxlen=ANSWERS)

    def at(self, hub_us: int) -> int:
        """The table time of a hub time."""
        return self._whole(hub_us) * 1000 + self._offset_ns

    def mark_delivered(self, at_ns: int) -> None:
        """Note that data of this time was delivered."""
        self._delivered_ns = max(self._delivered_ns, at_ns)

    def _whole(self, hub_us: int) -> int:
        """Hub time without wrapping."""
        whole = self._hub_us + since(hub_us, self._hub_us)
        self._hub_us = max(whole, self._hub_us)
        return whole
