"""Which dials leapt in looks that did not arrive. Pure.

A hub counts, for each dial, how often two successive good looks break the path rule. The Pi counts the same in the
looks that it has. Where the hub counted more, a look is missing in which it happened, and nobody knows the dial's path.

The hub's time is taken for both, and not the table's, so that both ends judge the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_host.hub.wire import GOOD, TOO_STRONG, TOO_WEAK, since
from firmware_host.paths import leapt

HOLDS: Final = frozenset((GOOD, TOO_WEAK, TOO_STRONG))
"""Looks that have an angle."""


class Unseen:
    """The dials of one hub, from one greeting to the next."""

    __slots__ = ("_gap_ns", "_last", "_leaps", "_owed")

    def __init__(self, gap_ms: int) -> None:
        self._gap_ns = gap_ms * 1_000_000
        self._leaps: bytes | None = None
        self._last: list[tuple[int, int] | None] = []
        self._owed: set[int] = set()

    def hear(
        self, at_us: int, leaps: bytes, sweeps: Sequence[tuple[int, int, tuple[int, ...]]], *, whole: bool
    ) -> frozenset[int]:
        """Dials of which a look is here, and whose path to the first such look is unknown. `whole`: nothing was lost
        since the report before.

        A leap that is noticed while its dial gives no look is told with the next look.
        """
        if self._leaps is None or not whole:
            self._last = [None] * len(leaps)
        counted = self._leaps
        self._leaps = leaps
        explained, looked = self._walk(at_us, sweeps, len(leaps))
        if counted is None:
            return frozenset()
        for dial, (now, before) in enumerate(zip(leaps, counted, strict=True)):
            if (now - before - explained[dial]) % 256:
                self._owed.add(dial)
        unknown = frozenset(self._owed & looked)
        self._owed -= looked
        return unknown

    def _walk(
        self, at_us: int, sweeps: Sequence[tuple[int, int, tuple[int, ...]]], dials: int
    ) -> tuple[list[int], set[int]]:
        """How often each dial leapt from look to look that is here, and which dials have one."""
        explained = [0] * dials
        looked = set()
        for after_us, _, looks in sweeps:
            sweep_us = at_us + after_us
            for dial, look in enumerate(looks):
                if look >> 12 not in HOLDS:
                    continue
                angle = look & 0xFFF
                last = self._last[dial]
                if last is not None:
                    explained[dial] += leapt(last[0], angle, since(sweep_us, last[1]) * 1000, self._gap_ns)
                self._last[dial] = (angle, sweep_us)
                looked.add(dial)
        return explained, looked
