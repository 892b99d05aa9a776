"""Garbage is collected between steps, and the full collection runs only while no player waits."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.play.garbage import OLDER, YOUNG, collect_due, manual_collection
from pi_app.settings import load as settings_file
from pi_app.simulated.demo import Demo


class Knot:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.myself = self


def knot() -> weakref.ref[Knot]:
    return weakref.ref(Knot())


def many() -> list[list[int]]:
    return [[number] for number in range(2 * YOUNG)]


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    gc.collect()  # Python 3.12 freezes objects of its own in a full collection; all others none
    before = gc.get_freeze_count()
    assert gc.isenabled()
    yield
    assert gc.isenabled()
    gc.collect()
    assert gc.get_freeze_count() == before


@pytest.mark.slow
def test_by_hand_means_that_nothing_is_collected_until_it_is_asked_for() -> None:
    with manual_collection():
        left = knot()
        kept = many()
        assert left() is not None
        collect_due(idle=False)
        assert left() is None
        assert len(kept) == 2 * YOUNG


@pytest.mark.slow
def test_little_garbage_is_left_lying() -> None:
    with manual_collection():
        gc.collect()
        left = knot()
        collect_due(idle=True)
        assert left() is not None


@pytest.mark.slow
def test_the_long_collection_waits_until_nobody_is_waited_for() -> None:
    with manual_collection():
        old, kept = Knot(), []
        gc.collect()
        left = weakref.ref(old)
        del old
        for _ in range(OLDER * OLDER * 2):
            kept.append(many())
            collect_due(idle=False)
        assert left() is not None
        assert gc.get_count()[2] > OLDER
        kept.append(many())
        collect_due(idle=True)
        assert left() is None


@pytest.mark.slow
def test_outside_of_a_game_python_is_left_alone() -> None:
    left = knot()
    collect_due(idle=True)
    assert left() is not None
    gc.collect()


def test_an_error_gives_the_collector_back() -> None:
    with pytest.raises(RuntimeError, match="anything"), manual_collection():
        raise RuntimeError("anything")


def test_a_game_is_played_by_hand_and_gives_the_collector_back(tmp_path: Path) -> None:
    with Demo(settings_file.load(settings_file.example_path("2x2")), tmp_path / "journal.db") as demo:
        assert not gc.isenabled()
        demo.step()
    assert gc.isenabled()
