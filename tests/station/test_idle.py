"""The idle lane through the whole loop, with a few visits."""

from __future__ import annotations

import pytest

from tests.station.idle import Counted, run_stations


@pytest.mark.slow
def test_visits_of_a_whole_station_end_neither_early_nor_late() -> None:
    counted = run_stations(12)
    assert counted == Counted(schedules=12, inputs=counted.inputs)
    assert counted.inputs > 12
