"""Many processes come to the verdict of one, or leave it to that one."""

from __future__ import annotations

import os
import random
import signal
import threading
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app import many_hands
from pi_app.record.heads import Head
from pi_app.record.verify import Verdict
from tests.pi_app.record.attacking import Record, play
from tests.pi_app.record.forging import edit

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the tests' own runner has threads


def several(path: Path, heads: tuple[Head, ...] = (), log: int = 0, *, opens: bool = True) -> Verdict | None:
    """What two processes say."""
    return many_hands._verdict(path, heads, log, opens=opens, processes=2)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_hands, "PART", 3)


def some_record(path: Path) -> Record:
    seeds = (f"hands {number}" for number in range(100))
    for seed in seeds:
        path.unlink(missing_ok=True)
        record = play(path, random.Random(seed))
        if len(record.ended) > 1 and record.size > 12 and not record.of_kind("game deleted"):
            return record
        (jn.keys_of(path).folder / "last.head").unlink()
    raise AssertionError("no such record")


@pytest.mark.usefixtures("small_parts")
def test_the_verdict_is_that_of_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    record = some_record(path)
    heads = (record.head(4), record.head(record.size))
    assert several(path, heads) == jn.verify(path, heads)
    assert several(path, heads, opens=False) == jn.verify(path, heads, opens=False)
    assert several(path, (Head.made(record.device, 5, bytes(32)),)) == jn.verify(
        path, (Head.made(record.device, 5, bytes(32)),)
    )


@pytest.mark.usefixtures("small_parts")
def test_what_is_wrong_is_left_to_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    record = some_record(path)
    edit(path, "UPDATE entries SET sealed = zeroblob(680) WHERE seq = ?", record.size - 2)
    assert several(path) is None
    edit(path, "DELETE FROM entries")
    assert several(path) is None
    path.write_bytes(b"nothing of ours")
    assert several(path) is None


@pytest.mark.usefixtures("small_parts")
def test_what_changes_meanwhile_is_left_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.db"
    some_record(path)
    moments = iter(((1, 2, 3), (1, 2, 4)))
    monkeypatch.setattr(many_hands, "_state_of", lambda path: next(moments))
    assert several(path) is None


def test_pages_that_are_not_in_order_are_left_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.db"
    some_record(path)
    monkeypatch.setattr(jn.RawJournal, "is_in_order", lambda journal: False)
    assert several(path) is None


def test_a_short_record_a_single_core_and_a_program_with_threads_are_left_to_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    some_record(path)
    asked: list[int] = []

    def told(*_: object, processes: int, **__: object) -> None:
        asked.append(processes)

    monkeypatch.setattr(many_hands, "_verdict", told)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2})
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    many_hands.verdict(path, (), 0, opens=True)
    assert asked == []
    monkeypatch.setattr(many_hands, "LONG_BYTES", 1)
    many_hands.verdict(path, (), 0, opens=True)
    assert asked == [3]
    path.with_name("journal.db-wal").write_bytes(b"somebody plays")
    many_hands.verdict(path, (), 0, opens=True)
    path.with_name("journal.db-wal").unlink()
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    many_hands.verdict(path, (), 0, opens=True)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
    many_hands.verdict(path, (), 0, opens=True)
    assert asked == [3]


def test_a_process_ends_when_it_is_told_to_whatever_was_done_about_it_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """`trapdial play` catches SIGTERM to end a game; forked after that, a process would wait for ever."""
    handled: dict[int, object] = {}
    monkeypatch.setattr(signal, "signal", handled.__setitem__)
    many_hands._begin()
    assert handled == {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: signal.SIG_DFL}
