"""Journals for tests, written by the real one, with a clock that does not move."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError, Stamp, writing
from pi_app.journal.files import open_file
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.games import exposes, started

STAMP = Stamp(boot="boot-1", mono_ns=5_000, wall="2026-01-02T03:04:05+00:00", clock="rtc")
EVENTS = (started(), ev.SetupChecked(stands={"T01": 0, "T02": 0}), *exposes("T01", 3, "ANN"))
WHOLE = (*EVENTS, ev.Ended())


@contextlib.contextmanager
def open_journal(path: Path) -> Iterator[Journal[Moment, ev.AnyEvent]]:
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as journal:
        yield journal


@contextlib.contextmanager
def connected(path: Path) -> Iterator[tuple[Journal[Moment, ev.AnyEvent], sqlite3.Connection]]:
    """An open journal, and the connection that it writes with."""
    opened: list[sqlite3.Connection] = []

    def kept(path: Path, *, write: bool, shrinks: bool = False) -> sqlite3.Connection:
        opened.append(open_file(path, write=write, shrinks=shrinks))
        return opened[-1]

    with mock.patch.object(writing, "open_file", kept), open_journal(path) as journal:
        yield journal, opened[0]


def write(path: Path, events: tuple[ev.AnyEvent, ...] = EVENTS, game_id: str = "g1") -> Moment:
    moment = NO_GAME
    with open_journal(path) as journal:
        for event in events:
            moment = journal.append(game_id, moment, event)
    return moment


def forget_head(path: Path) -> None:
    """What beside the keys knows how long the record was: a thief who has the file alone changes a copy elsewhere."""
    (jn.keys_of(path).folder / "last.head").unlink()


def refusal(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused:
        list(jn.read(path, MAGE_KNIGHT))
    return str(refused.value)
