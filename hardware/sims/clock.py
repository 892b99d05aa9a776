"""A clock that moves only when something moves it: the simulated wire's bits, or a sleep.

Not modelled: the machine's own computing time (charge it through `SimAdapter.call_cost_ns`),
drift, and threads: one thread owns it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

NEVER_NS = 1 << 62
"""Later than any moment of a table's life (146 years)."""

Action = Callable[[], None]


class VirtualClock:
    """`hardware.clock.Clock` in virtual nanoseconds, with actions that fire when their time passes.

    `pace` is called with the new virtual time at every `sleep_until`: a live demo waits there until the
    wall clock has caught up, and the simulation itself never sleeps.
    """

    __slots__ = ("_due_ns", "_now_ns", "_order", "_waiting", "pace")

    def __init__(self, start_ns: int = 0, pace: Callable[[int], None] | None = None) -> None:
        self._now_ns = start_ns
        self._due_ns = NEVER_NS
        self._waiting: list[tuple[int, int, Action]] = []
        self._order = 0
        self.pace = pace

    def now_ns(self) -> int:
        return self._now_ns

    def advance(self, ns: int) -> None:
        """Let `ns` nanoseconds pass (0 or more), and fire the actions that fall due.

        Raises ValueError for a negative step: a clock never goes back.
        """
        if ns < 0:
            raise ValueError(f"a clock cannot go back by {-ns} ns")
        target_ns = self._now_ns + ns
        if target_ns < self._due_ns:
            self._now_ns = target_ns
        else:
            self._pass(target_ns)

    def sleep_until(self, at_ns: int) -> None:
        if at_ns > self._now_ns:
            self._pass(at_ns)
        if self.pace is not None:
            self.pace(self._now_ns)

    def at(self, at_ns: int, action: Action) -> None:
        """Fire `action` when the clock passes `at_ns`: earliest first, then in the order of these calls.

        Inside the action `now_ns()` is `at_ns`. A time that is now fires at the next movement of the clock.
        Raises ValueError for a time that has passed.
        """
        if at_ns < self._now_ns:
            raise ValueError(f"{at_ns} ns has passed; the clock is at {self._now_ns} ns")
        self._order += 1
        heapq.heappush(self._waiting, (at_ns, self._order, action))
        self._due_ns = self._waiting[0][0]

    def _pass(self, target_ns: int) -> None:
        waiting = self._waiting
        while waiting and waiting[0][0] <= target_ns:
            at_ns, _, action = heapq.heappop(waiting)
            self._due_ns = waiting[0][0] if waiting else NEVER_NS
            # An action may itself move the clock, so what comes next may already lie behind it.
            self._now_ns = max(self._now_ns, at_ns)
            action()
        self._now_ns = max(self._now_ns, target_ns)
