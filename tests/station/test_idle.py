"""The idle lane through the whole loop, with a few visits."""

from __future__ import annotations

import pytest

from tests.station.idle import Counted, only_pushes, run, run_stations


def test_no_schedule_ends_early_or_late() -> None:
    counted = run(3)
    assert counted == Counted(schedules=3, inputs=counted.inputs)


@pytest.mark.slow
def test_visits_of_a_whole_station_end_neither_early_nor_late() -> None:
    counted = run_stations(12)
    assert counted == Counted(schedules=12, inputs=counted.inputs)
    assert counted.inputs > 12


@pytest.mark.slow
def test_a_push_between_two_clicks_counts_while_a_turn_is_claimed_too() -> None:
    assert only_pushes(40) == 0
