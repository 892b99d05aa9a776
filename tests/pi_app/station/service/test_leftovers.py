"""After a reset nothing of the last group is in the station's memory, on its screens or in a file beside the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.station import leftovers

pytestmark = pytest.mark.slow


def test_nothing_is_left_of_a_group(tmp_path: Path) -> None:
    assert leftovers.search(tmp_path) == {}


def test_a_planted_leak_is_found(tmp_path: Path) -> None:
    assert set(leftovers.search(tmp_path, plant=True)) == {"down"}
