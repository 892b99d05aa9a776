"""Screens send in the gaps between scans, and get a small share of a bus that leaves none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from hardware.clock import Clock
from hardware.errors import HardwareError

SCREEN_SHARE: Final = 0.04
"""Of the bus's time, for screens, even if the dials could use all of it."""

MOST_EXTRA_NS: Final = 1_000_000
"""Slices take longer than their estimate (a mux in between, the kernel); learned, but never from one long hiccup."""


class SliceSource(Protocol):
    """A screen, as the scan sees it: it sends slices of at most a few milliseconds."""

    def waiting(self) -> bool:
        """Whether a slice should be sent now."""

    def send_slice(self) -> None:
        """Send the next one. May raise HardwareError; the screen tracks its own state."""

    def slice_cost_ns(self) -> int:
        """How long the next one will keep the wire busy."""


class ScreenGaps:
    """Screens take turns. They earn time beyond the gaps, and never save up more than the next slice takes."""

    def __init__(self, screens: Sequence[SliceSource], share: float, now_ns: int) -> None:
        self._screens = list(screens)
        self._share = share
        self._earned_ns = 0.0
        self._extra_ns = 0
        self._since_ns = now_ns
        self.failures = 0

    def use(self, clock: Clock, until_ns: int, *, only_gaps: bool = False) -> list[HardwareError]:
        """Send what fits, and unless `only_gaps` what was earned; return the failures. A screen that failed waits for
        the next gap."""
        troubles: list[HardwareError] = []
        if not self._screens:
            return troubles
        now_ns = clock.now_ns()
        self._earned_ns += self._share * (now_ns - self._since_ns)
        self._since_ns = now_ns
        failed: list[SliceSource] = []
        while (screen := self._whose_turn(failed)) is not None:
            cost_ns = screen.slice_cost_ns() + self._extra_ns
            self._earned_ns = min(self._earned_ns, cost_ns)
            if now_ns + cost_ns > until_ns and (only_gaps or self._earned_ns < cost_ns):
                break
            self._screens.sort(key=lambda other: other is screen)  # to the end of the queue
            try:
                screen.send_slice()
            except HardwareError as error:
                troubles.append(error)
                failed.append(screen)
            spent_ns = clock.now_ns() - now_ns
            now_ns += spent_ns
            if not failed:
                self._extra_ns = min(self._extra_ns + max(0, spent_ns - cost_ns), MOST_EXTRA_NS)
            self._earned_ns = max(0.0, self._earned_ns - spent_ns)
        self.failures += len(troubles)
        return troubles

    def _whose_turn(self, failed: Sequence[SliceSource]) -> SliceSource | None:
        return next((screen for screen in self._screens if screen not in failed and screen.waiting()), None)
