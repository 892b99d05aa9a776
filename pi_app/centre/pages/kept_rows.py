"""The rows of all tables, read from the store at most once in some seconds, and never on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.findings.tables import TableRow
from pi_app.centre.store.store import StoreError

KEEP_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class FleetNow:
    """The rows of all tables, and what was found last."""

    rows: Sequence[TableRow]
    findings: Sequence[FleetFinding] = ()


ReadFleet = Callable[[float], FleetNow]
"""Reads what is known of all tables at a time (POSIX seconds). Raises StoreError. It is called in a thread."""


@dataclass(frozen=True, slots=True)
class RowsThen:
    """Rows and findings, when they were read (POSIX seconds), and why they are not newer: a sentence, empty if all is
    well."""

    rows: tuple[TableRow, ...]
    findings: tuple[FleetFinding, ...]
    at_s: float
    trouble: str = ""


class KeptRows:
    """The newest rows. Whoever asks while they are read waits for the same ones."""

    def __init__(self, read: ReadFleet, clock: Callable[[], float], keep_s: float = KEEP_S) -> None:
        self._read, self._clock, self._keep_s = read, clock, keep_s
        self._kept: RowsThen | None = None
        self._until_s = float("-inf")
        self._turn = asyncio.Lock()

    async def get(self) -> RowsThen:
        """Return the rows; those that were read last if the store is away. Raises StoreError if there are none."""
        async with self._turn:
            now_s = self._clock()
            if self._kept is None or not 0 < self._until_s - now_s <= self._keep_s:
                self._kept = await self._newer(now_s)
                self._until_s = self._clock() + self._keep_s
            return self._kept

    async def _newer(self, now_s: float) -> RowsThen:
        try:
            found = await asyncio.to_thread(self._read, now_s)
            return RowsThen(tuple(found.rows), tuple(found.findings), now_s)
        except StoreError as error:
            if self._kept is None:
                raise
            return replace(self._kept, trouble=f"These are the last rows that could be read. {error}")
