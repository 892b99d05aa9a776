"""The lane of `tests.station.page_kills`, with one kill, and its planted fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.station.page_kills import run


@pytest.mark.slow
def test_a_killed_page_process_costs_a_visit_a_few_seconds(tmp_path: Path) -> None:
    tally = run(tmp_path, 1, seed=2)
    assert (tally.kills, tally.red) == (1, [])


@pytest.mark.slow
def test_a_phone_that_stays_away_is_found(tmp_path: Path) -> None:
    assert run(tmp_path, 1, seed=2, plant=True).red == ["the phone did not come back"]
