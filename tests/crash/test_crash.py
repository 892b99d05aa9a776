"""A power cut loses nothing that was reported, causes no false alarm, and needs no repair.

Here a few hundred cuts and the proof that the test can fail; `make crash-test` makes 10^5.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pi_app.journal import Journal, writing
from pi_app.journal.files import open_file
from pi_app.journal.record import key_ring
from pi_app.journal.recorded_game import kind_of
from tests.crash.disk import Op, Renamed, Synced, Told
from tests.crash.points import strike
from tests.crash.runs import life


@pytest.mark.slow
def test_power_cuts_lose_nothing_alarm_nobody_and_need_no_hand() -> None:
    tally = strike(1, 300, lives=2)
    assert tally.wrong == []
    assert tally.points >= 300
    assert len(tally.folders) > 100


def test_tokens_are_drawn_in_the_lives_that_the_power_cuts_meet() -> None:
    appended: list[str] = []
    append = Journal.append

    def heard(journal: Any, game: str, before: Any, event: Any) -> Any:
        appended.append(kind_of(event))
        return append(journal, game, before, event)

    with mock.patch.object(Journal, "append", heard):
        life({}, 4, checkpoint_after=10_000)
    assert {"token drawn", "token moved"} <= set(appended)


@pytest.mark.slow
def test_a_journal_that_does_not_wait_for_the_disk_is_found_out() -> None:
    opened = open_file

    def hasty(path: Path, **how: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = opened(path, **how)
        db.execute("PRAGMA synchronous=OFF")
        return db

    with mock.patch.object(writing, "open_file", hasty):
        wrong = strike(1, 200, lives=1).wrong
    assert any("told but lost" in each for each in wrong)


@pytest.mark.slow
def test_telling_before_the_sync_is_found_out() -> None:
    wrong = strike(2, 200, lives=1, alter=told_early).wrong
    assert any("told but lost" in each for each in wrong)


def told_early(ops: Sequence[Op]) -> Sequence[Op]:
    """What was done, with everything told before the sync that makes it sure."""
    early: list[Op] = []
    for op in ops:
        if isinstance(op, Told) and early and isinstance(early[-1], Synced):
            early.insert(-1, op)
        else:
            early.append(op)
    return early


@pytest.mark.slow
def test_a_key_whose_folder_is_not_sure_is_found_out() -> None:
    with mock.patch.object(key_ring, "_sync_folders", mock.Mock()):
        wrong = strike(1, 300, lives=1).wrong
    assert any("device.key" in each or "key of its game" in each for each in wrong)


@pytest.mark.slow
def test_a_key_that_is_renamed_before_it_is_synced_is_found_out() -> None:
    wrong = strike(1, 300, lives=1, alter=renamed_unsynced).wrong
    assert any("holds no key" in each or "device.key" in each for each in wrong)


def renamed_unsynced(ops: Sequence[Op]) -> Sequence[Op]:
    """What was done, without the syncs of files that get another name next."""
    return [op for op, then in zip(ops, [*ops[1:], None], strict=True) if not isinstance(then, Renamed)]
