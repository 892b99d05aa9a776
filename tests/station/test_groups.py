"""The lane of `tests.station.groups`, with few groups, and its planted fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.simulated.visitors import TEMPERS
from tests.station.groups import lines, run


def test_groups_come_and_go_without_anybody_of_the_staff(tmp_path: Path) -> None:
    tally = run(tmp_path, 1, seed=8)
    assert (tally.groups, tally.stuck, tally.manual, tally.lost, tally.unfed) == (1, [], [], 0, 0)
    assert max(tally.reset_s) <= 1


@pytest.mark.slow
def test_every_temper_comes_and_goes_while_faults_strike(tmp_path: Path) -> None:
    tally = run(tmp_path, len(TEMPERS))
    assert set(tally.tempers) == set(TEMPERS)
    assert tally.struck
    assert (tally.stuck, tally.manual, tally.lost, tally.unfed) == ([], [], 0, 0)
    assert "0 stuck; 0 manual steps" in list(lines(tally))


@pytest.mark.slow
def test_a_visit_that_never_ends_is_found(tmp_path: Path) -> None:
    tally = run(tmp_path, 8, plant=True)
    assert [found.split(" ", 2)[:2] for found in tally.stuck] == [["group", "3"]]
