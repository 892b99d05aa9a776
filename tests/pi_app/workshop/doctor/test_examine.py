"""The doctor on a sound table, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

from hardware.sims.clock import VirtualClock
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.hosts import put
from tests.pi_app.workshop.doctor.looking import LARGE, SMALL, Real, ill, line, seen


def test_on_a_sound_table_every_part_is_found_and_nothing_fails(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path)
    assert ill(checks) == []
    assert [check.part for check in checks] == [
        "disk",
        "keys",
        "calibration",
        "pins",
        *(f"lamp of seat {key}" for key in LARGE.seats),
        "bus dials",
        "mux 0x70",
        *(f"encoder of {label}" for label in LARGE.squares),
        "scan of bus dials",
        "bus screensL",
        "screen of seat ANN",
        "screen of seat BEN",
        "bus screensR",
        "screen of seat CAL",
        "screen of seat DEE",
        *(f"button of seat {key}" for key in LARGE.seats),
    ]
    assert line(checks, "mux 0x70") == "ok  mux 0x70 (/dev/i2c-1 0x70): answers and switches; RESET works"
    assert "SIMULATED" in line(checks, "bus dials")


def test_the_report_does_not_depend_on_a_dials_position(tmp_path: Path) -> None:
    here = seen(SMALL, tmp_path, SimulatedTable(SMALL, stands={"T01": 3, "T02": 7}))
    there = seen(SMALL, tmp_path, SimulatedTable(SMALL, stands={"T01": 8, "T02": 1}))
    assert list(map(str, here)) == list(map(str, there))


def test_it_leaves_every_encoder_unburnt_and_its_blank_bits_alone(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    seen(SMALL, tmp_path, table)
    for tile in table.tiles.values():
        assert tile.encoder.burn_commands == []
        assert not tile.encoder.blank_bits_changed


def test_on_a_real_table_the_machine_comes_first_and_the_kernel_is_asked(tmp_path: Path) -> None:
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", b"\x00\x06\x1a\x80")
    checks = seen(SMALL, tmp_path, Real(SMALL))
    assert checks[0].part == "machine"
    assert line(checks, "speed of bus dials") == (
        "??  speed of bus dials (/dev/i2c-1): config.txt asks for 400000 Hz, the settings for 100000 Hz. "
        "Set the same speed in both."
    )
    assert "SIMULATED" not in line(checks, "bus dials")


def test_no_check_waits_for_the_machines_own_clock(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    assert isinstance(table.clock, VirtualClock)
    seen(SMALL, tmp_path, table)
    assert table.clock.now_ns() > 500_000_000
