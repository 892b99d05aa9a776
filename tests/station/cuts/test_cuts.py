"""A power cut loses nothing that a station told or showed, and no start after it needs a hand.

Here one recorded life is cut where most is at stake, and faults are planted; `make station-cuts` makes 10^5 cuts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from unittest import mock

import pytest

from pi_app.journal import past
from tests.crash.disk import FolderSynced, Image, Kept, Op, Renamed, Shown, Synced, Told
from tests.crash.points import places
from tests.crash.runs import folder_with
from tests.station.cuts.judge import allowed_of, faults
from tests.station.cuts.lives import life

CUTS = 3
"""At each place."""

Recorded = tuple[Image, Sequence[Op]]


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return life({}, 0, random.Random("a station's life"))


def wrong(recorded: Recorded, at: Callable[[Op], bool], most: int = 25) -> list[str]:
    """The faults after cuts of the power right after such things were done, at some places."""
    draw, found = random.Random(7), list[str]()
    began, ops = recorded
    chosen = [number for number, op in enumerate(ops, 1) if at(op)]
    chosen = sorted(draw.sample(chosen, min(most, len(chosen))))
    for disk, seen, number in places(began, ops):
        for _ in range(CUTS * (number in chosen)):
            with folder_with(disk.after_a_cut(draw)) as folder:
                found += faults(folder, seen, draw)
    return found


def is_a(*kinds: type) -> Callable[[Op], bool]:
    return lambda op: isinstance(op, kinds)


@pytest.mark.slow
def test_a_station_needs_no_hand_after_a_cut_where_most_is_at_stake(recorded: Recorded) -> None:
    _, ops = recorded
    renamed = [op.name for op in ops if isinstance(op, Renamed)]
    assert "journal.db" in renamed, "a record was put aside"
    assert {op.what for op in ops if isinstance(op, Kept)} == {"hours", "ring", "tries", "ready", "settings"}
    assert sum(isinstance(op, Shown) for op in ops) > 3
    assert wrong(recorded, is_a(Renamed, Shown, Kept)) == []


@pytest.mark.slow
def test_a_face_that_is_shown_before_the_disk_has_it_is_found_out(recorded: Recorded) -> None:
    began, ops = recorded
    early: list[Op] = []
    for op in ops:
        last = max(number for number, each in enumerate([Synced(0), *early]) if isinstance(each, Synced))
        early.insert(max(0, last - 1) if isinstance(op, Shown) else len(early), op)
    assert any("shown but lost" in each for each in wrong((began, early), is_a(Shown)))


@pytest.mark.slow
def test_an_entry_that_is_told_before_the_disk_has_it_is_found_out(recorded: Recorded) -> None:
    began, ops = recorded
    unsynced = [op for op, then in zip(ops, [*ops[1:], ops[-1]], strict=True) if not _is_sync_before_told(op, then)]
    assert any("told but lost" in each for each in wrong((began, unsynced), is_a(Told)))


def _is_sync_before_told(op: Op, then: Op) -> bool:
    return isinstance(op, Synced) and isinstance(then, Told)


@pytest.mark.slow
def test_names_that_are_not_synced_are_found_out(recorded: Recorded) -> None:
    began, ops = recorded
    unsynced = [op for op in ops if not isinstance(op, FolderSynced)]
    assert any("hours" in each or "settings" in each or "told" in each for each in wrong((began, unsynced), is_a(Told)))


@pytest.mark.slow
def test_a_record_that_is_put_aside_without_a_sync_is_found_out() -> None:
    with mock.patch.object(past, "sync_folder", mock.Mock()):
        hasty = life({}, 0, random.Random("a station's life"))
    began, ops = hasty
    moved = [number for number, op in enumerate(ops) if isinstance(op, Renamed) and op.name == "journal.db"]
    after = {id(op) for number in moved for op in ops[number : number + 60]}
    assert wrong((began, ops), lambda op: id(op) in after, most=60) != []


def test_a_small_thing_may_have_its_old_value_until_the_new_one_is_sure() -> None:
    seen = [Kept("hours", "a", True), Kept("tries", "1", True), Kept("hours", "b", False), Kept("hours", "c", False)]
    assert allowed_of(seen, "hours") == ["a", "b", "c"]
    assert allowed_of([*seen, Kept("hours", "c", True)], "hours") == ["c"]
    assert allowed_of(seen, "ring") == []
