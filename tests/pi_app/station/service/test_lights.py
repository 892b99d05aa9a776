"""What is to go dark after a service has ended in whatever way: left in the run folder, taken away by a good end."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.lights_out import Orders, orders_of
from pi_app.settings.load import example_path, load
from pi_app.station.service.lights import NAME, left_word

SETTINGS = load(example_path("2x2"))


def test_a_killed_program_leaves_orders_that_the_watchdogs_program_reads(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), left_word(tmp_path, SETTINGS, "/dev/gpiochip0"):
        raise RuntimeError
    lines = (tmp_path / NAME).read_text(encoding="ascii").splitlines()
    assert orders_of(lines) == Orders(
        [], [("/dev/i2c-6", 60, None), ("/dev/i2c-6", 61, None)], [("/dev/gpiochip0", 20, 0), ("/dev/gpiochip0", 21, 0)]
    )


def test_a_good_end_takes_them_away(tmp_path: Path) -> None:
    with left_word(tmp_path, SETTINGS, "/dev/gpiochip0"):
        assert (tmp_path / NAME).exists()
    assert not (tmp_path / NAME).exists()


def test_a_run_folder_that_is_missing_stops_nothing(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "missing"):
        with left_word(folder, SETTINGS, "/dev/gpiochip0"):
            pass
