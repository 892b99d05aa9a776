"""Learns from records as they come and looks for findings, so slowly that hand-overs do not wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pi_app.centre.facts.learning import FactsLearner
from pi_app.centre.findings.fleet import fleet_findings
from pi_app.centre.findings.found import written_findings
from pi_app.centre.store.store import CentreStore, StoreError

SHARE: Final = 0.05
"""The part of one processor core that this may take."""

LEAST_PAUSE_S: Final = 0.02
BUSY_S: Final = 1.0
IDLE_S: Final = 60.0
"""So often the records are looked through for new entries."""

FINDINGS_S: Final = 300.0
"""So often findings are looked for, if there is anything new."""


@dataclass
class FleetWatch:
    """Keeps facts and findings of a store up to date. `store` is used by nothing else; `says` takes a sentence."""

    store: CentreStore
    clock: Callable[[], float]
    says: Callable[[str], None] = lambda line: None
    now_s: Callable[[], float] = time.monotonic
    is_busy: Callable[[], bool] = lambda: False
    """Whether nothing is to be learnt now, because tables wait for the processor."""
    _learner: FactsLearner = field(init=False)
    _news: bool = True
    _looked_s: float = float("-inf")

    def __post_init__(self) -> None:
        self._learner = FactsLearner(self.store, says=self.says)

    def step(self) -> bool:
        """Learn from some entries, or look for findings; return whether there was anything to do. Raises StoreError."""
        if self._learner.step():
            self._news = True
            return True
        if not self._news or self.now_s() - self._looked_s < FINDINGS_S:
            return False
        self._looked_s, self._news = self.now_s(), False
        self.store.keep_findings(written_findings(fleet_findings(self.store, int(self.clock()))))
        return True

    async def run(self) -> None:
        """Do that until this is cancelled. A database that is away is tried again."""
        while True:
            if self.is_busy():
                await asyncio.sleep(BUSY_S)
                continue
            piece = asyncio.get_running_loop().run_in_executor(None, self._timed)
            try:
                more, took_s = await asyncio.shield(piece)
            except asyncio.CancelledError:
                with contextlib.suppress(StoreError):
                    await piece
                raise
            except StoreError:
                more, took_s = False, 0.0
            await asyncio.sleep(max(LEAST_PAUSE_S, took_s * (1 - SHARE) / SHARE) if more else IDLE_S)

    def _timed(self) -> tuple[bool, float]:
        began = time.thread_time()
        return self.step(), time.thread_time() - began
