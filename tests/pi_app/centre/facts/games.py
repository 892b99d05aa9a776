"""Records with games that say something about their dials, and a store that has learnt from them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pi_app.centre.facts.learning import FactsLearner
from pi_app.centre.facts.values import RecordFacts, unpacked_facts
from pi_app.centre.store.store import CentreStore, Commit
from pi_app.centre.taking.known_record import taken
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.happenings import Event
from pi_app.journal.recorded_game import Play
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.centre.records import entries_of, new_store
from tests.pi_app.games import started

BEGAN = datetime(2026, 5, 16, 14, 0, tzinfo=UTC)
ORIGIN = "trapdial.invalid/record/" + "a1" * 32


class Clock:
    """One second between two entries. `boot` and `source` may be changed at any time."""

    def __init__(self) -> None:
        self.tick, self.boot = 0, "boot 1"
        self.source: ClockSource = "ntp"

    def __call__(self) -> Stamp:
        self.tick += 1
        wall = (BEGAN + timedelta(seconds=self.tick)).isoformat()
        return Stamp(self.boot, self.tick * 1_000_000_000, wall, self.source)


Played = Sequence[Event | str]
"""Events of a game; a text is the boot from there on."""


def write(
    path: Path, *games: Played, begin: ev.Started | None = None, clock: Clock | None = None, first: int = 1
) -> Path:
    """A journal of these games, the first of this number; one that is to go on has no `Ended` in it."""
    stamp = clock or Clock()
    play: Play[Any, Any] = MAGE_KNIGHT
    with Journal(path, play, stamp) as journal:
        for number, events in enumerate(games, first):
            moment: Any = NO_GAME
            for event in (begin or started(), *events):
                if isinstance(event, str):
                    stamp.boot = event
                else:
                    moment = journal.append(f"g{number}", moment, event)
    return path


def hand_over(store: CentreStore, path: Path, origin: str = ORIGIN) -> None:
    """Commit what a store does not have yet of a record."""
    record = store.record(origin)
    assert record is not None
    entries = entries_of(path)[record.known.size :]
    found = taken(record.known, entries)
    commit = Commit(number=record.number, before=record.known.size, entries=entries, taken=found, cosigned="", at_s=1)
    assert store.commit([commit]) == [True]


def learn(store: CentreStore, piece: int = 500) -> None:
    learner = FactsLearner(store, piece)
    while learner.step():
        pass


def facts_of(store: CentreStore, origin: str = ORIGIN) -> RecordFacts:
    record = store.record(origin)
    assert record is not None
    kept = store.facts(record.number)
    assert kept.upto == record.known.size
    facts = unpacked_facts(kept.data)
    assert facts is not None
    return facts


def facts_from(path: Path, piece: int = 500) -> RecordFacts:
    """Hand a record over to a new store, learn, and return the facts."""
    store = new_store(path.with_suffix(f".centre{piece}"), ORIGIN)
    try:
        hand_over(store, path)
        learn(store, piece)
        return facts_of(store)
    finally:
        store.close()
