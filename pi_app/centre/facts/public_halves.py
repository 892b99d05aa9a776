"""What the public halves of a record say about its table. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pi_app.audit.sealed import TURNED
from pi_app.centre.facts.values import MOST_KEPT, RecordFacts
from pi_app.journal.record import entry as rec
from pi_app.journal.record.entry import PublicPart

RESUMED: Final = "resumed"
"""The kind of an entry in which the program has restarted and goes on with a game."""

LONGEST_BOOT: Final = 60
LONGEST_GAME: Final = 60


@dataclass(frozen=True, slots=True)
class EndedRange:
    """A game of Mage Knight that has ended: its first entry and its last one."""

    first: int
    last: int


def learn_public(facts: RecordFacts, parts: Iterable[PublicPart]) -> list[EndedRange]:
    """Add the next entries to the facts; return the games that can be opened now."""
    ended: list[EndedRange] = []
    for part in parts:
        facts.entries += 1
        boot, game = part.boot[:LONGEST_BOOT], _short(part.game)
        if boot != facts.boot:
            facts.boots += 1
        facts.boot, facts.clock, facts.wall_s = boot, part.clock, _seconds(part.wall)
        if part.kind == rec.STARTED:
            facts.begun += 1
            facts.open[game] = (part.seq, boot)
        elif game in facts.open:
            _in_game(facts, part, game, boot)
        if part.kind == rec.ENDED and (found := facts.open.pop(game, None)) is not None and part.play is None:
            ended.append(EndedRange(found[0], part.seq))
    return ended


def _in_game(facts: RecordFacts, part: PublicPart, game: str, boot: str) -> None:
    first, before = facts.open[game]
    if boot != before:
        facts.cut_count += 1
        facts.cuts = [*facts.cuts, 0 if part.clock == "none" else facts.wall_s][-MOST_KEPT:]
        facts.open[game] = (first, boot)
    elif part.kind == RESUMED:
        facts.restarts += 1
    if part.kind == TURNED:
        facts.turns += 1


def _short(game: str) -> str:
    """Name a game in at most so many letters: a public half may have a million."""
    return game if len(game) <= LONGEST_GAME else hashlib.sha256(game.encode("utf-8", "replace")).hexdigest()[:32]


def _seconds(wall: str) -> int:
    """Return a date as POSIX seconds; 0 for one that is none."""
    try:
        return max(0, int(datetime.fromisoformat(wall).timestamp()))
    except (ValueError, OverflowError, OSError):
        return 0
