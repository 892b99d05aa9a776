"""Brings the facts of all records up to date, a small piece at a time."""

from __future__ import annotations

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
    """Learns from the records of a store. Each `step` takes a moment; `says` takes a sentence."""

    store: CentreStore
    piece: int = PIECE
    says: Callable[[str], None] = lambda line: None
    _stuck: set[int] = field(default_factory=set)
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
        try:
            learnt(facts, upto + 1, last, lambda first, to: self.store.rows(number, first, to))
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one record must not keep the others from being learnt
            self._stuck.add(number)
            self._at = None
            self.says(
                f"Nothing is learnt from record {number} after entry {upto} before the centre starts again: "
                f"{type(error).__name__}: {error}. Report this as a bug."
            )
            return True
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
            if each.number not in self._stuck and _upto(kept.get(each.number)) < each.known.size
        ]


def _upto(kept: KeptFacts | None) -> int:
    return kept.upto if kept is not None and is_current(kept.data) else 0


def _facts(kept: KeptFacts) -> tuple[RecordFacts, int]:
    """Return what was learnt so far, and from how many entries: none if another version of the program learnt it."""
    facts = unpacked_facts(kept.data)
    return (RecordFacts(), 0) if facts is None else (facts, kept.upto)
