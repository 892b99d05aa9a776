"""A journal as other tests need one: written by the real one, with a clock that stands."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError, Stamp
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.games import exposes, started

STAMP = Stamp(boot="boot-1", mono_ns=5_000, wall="2026-01-02T03:04:05+00:00", clock="rtc")
EVENTS = (started(), ev.SetupChecked(stands={"T01": 0, "T02": 0}), *exposes("T01", 3, "ANN"))


@contextlib.contextmanager
def open_journal(path: Path) -> Iterator[Journal[Moment, ev.AnyEvent]]:
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as journal:
        yield journal


def write(path: Path, events: tuple[ev.AnyEvent, ...] = EVENTS, game_id: str = "g1") -> Moment:
    moment = NO_GAME
    with open_journal(path) as journal:
        for event in events:
            moment = journal.append(game_id, moment, event)
    return moment


def refusal(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused:
        list(jn.read(path, MAGE_KNIGHT))
    return str(refused.value)
