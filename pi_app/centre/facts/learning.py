"""Brings the facts of all records up to date, a small piece at a time, and so slowly that hand-overs do not wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pi_app.centre.facts.ended_game import learn_ended
from pi_app.centre.facts.public_halves import learn_public
from pi_app.centre.facts.values import RecordFacts, is_current, packed_facts, unpacked_facts
from pi_app.centre.store.store import CentreStore, KeptFacts, StoreError
from pi_app.journal.record.row_checks import read_part
from pi_app.journal.record.runs import RawRow

PIECE: Final = 500
"""So many entries are learnt from at a time, and the games that end in them."""

LONGEST_GAME: Final = 10_000
"""A game with more entries than this is not opened. One of an evening has some hundreds."""

SHARE: Final = 0.2
"""The part of one processor core that learning may take."""

LEAST_PAUSE_S: Final = 0.02
IDLE_S: Final = 20.0
"""So often the records are looked through for new entries."""

Rows = Callable[[int, int], Iterable[RawRow]]
"""Returns entries of a record from one number to another one."""


def learnt(facts: RecordFacts, first: int, last: int, rows: Rows) -> None:
    """Add entries to the facts, and the games that end in them."""
    parts = (read_part(public) for _, public, *_ in rows(first, last) if isinstance(public, bytes))
    for game in learn_public(facts, parts):
        if game.last - game.first >= LONGEST_GAME:
            facts.too_long += 1
            continue
        its = list(rows(game.first, game.last))
        if its[0][1] is not None:
            learn_ended(facts, its)


@dataclass
class FactsLearner:
    """Learns from the records of a store. Each `step` takes a moment; `store` is used by nothing else."""

    store: CentreStore
    piece: int = PIECE
    _left: Iterator[tuple[int, int]] = field(default_factory=lambda: iter(()))
    _at: tuple[int, int] | None = None

    def step(self) -> bool:
        """Learn from the next piece; return whether there was one. Raises StoreError."""
        if self._at is None:
            self._at = next(self._left, None)
        if self._at is None:
            self._left = iter(self._waiting())
            self._at = next(self._left, None)
        if self._at is None:
            return False
        number, size = self._at
        kept = self.store.facts(number)
        facts, upto = _facts(kept)
        if upto >= size:
            self._at = None
            return True
        last = min(size, upto + self.piece)
        learnt(facts, upto + 1, last, lambda first, to: self.store.rows(number, first, to))
        holds = self.store.keep_facts(number, kept, last, packed_facts(facts))
        if last == size or not holds:
            self._at = None
        return True

    def _waiting(self) -> list[tuple[int, int]]:
        """Return the number and the size of each record with entries that nothing was learnt from."""
        kept = self.store.all_facts()
        return [
            (each.number, each.known.size)
            for each in self.store.records()
            if _upto(kept.get(each.number)) < each.known.size
        ]

    async def run(self) -> None:
        """Learn until this is cancelled. A database that is away is tried again."""
        while True:
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


def _upto(kept: KeptFacts | None) -> int:
    return kept.upto if kept is not None and is_current(kept.data) else 0


def _facts(kept: KeptFacts) -> tuple[RecordFacts, int]:
    """Return what was learnt so far, and from how many entries: none if another version of the program learnt it."""
    facts = unpacked_facts(kept.data)
    return (RecordFacts(), 0) if facts is None else (facts, kept.upto)
