"""The doctor's checks of a bus's speed, its sampling rates, and wires that need retries."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hardware.chips.as5600 import As5600
from hardware.sims import faults
from pi_app.play.build import TableBuilder
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check, Sign
from pi_app.workshop.doctor.pace import speed_hz
from tests.pi_app.hosts import put
from tests.pi_app.workshop.doctor.looking import LARGE, PI_4, PI_5, SMALL, Real, ill, line, seen


def test_a_bus_that_is_slower_than_asked_is_measured(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    faults.strike(table.tiles["T01"], "slow-bus")
    assert ill(seen(SMALL, tmp_path, table)) == [
        "??  speed of bus dials (/dev/i2c-1): runs at about 62 kHz, not at 100 kHz. On a Pi 3 or 4 the bus follows the "
        "core's clock: write core_freq=250 into config.txt."
    ]


@pytest.mark.parametrize("call_cost_ns", [0, 80_000, 2_000_000])
def test_the_measured_speed_is_the_wires_whatever_a_call_costs(call_cost_ns: int) -> None:
    with TableBuilder(SMALL, SimulatedTable(SMALL, call_cost_ns=call_cost_ns)) as builder:
        chip = builder.wires().chips["T01"]
        assert isinstance(chip, As5600)
        chip.start()
        assert speed_hz(chip, builder.parts.clock) == pytest.approx(100_000)


@pytest.mark.parametrize(("model", "said"), [(PI_4, True), (PI_5, False)])
def test_a_speed_that_could_not_be_measured_is_reported(tmp_path: Path, model: bytes, said: bool) -> None:
    put(tmp_path, "proc/device-tree/model", model)
    table = Real(SMALL)
    for tile in table.tiles.values():
        faults.strike(tile, "unplugged")
    found = [str(check) for check in seen(SMALL, tmp_path, table) if check.part == "speed of bus dials"]
    assert found == (
        [
            "??  speed of bus dials (/dev/i2c-1): was not measured, and on this model it is often half of the "
            "speed in config.txt. Run the doctor again when a dial answers."
        ]
        if said
        else []
    )


def test_too_few_samples_are_an_alarm(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path, SimulatedTable(LARGE, call_cost_ns=2_000_000))
    said = line(checks, "scan of bus dials")
    assert said.startswith(
        "!!  scan of bus dials (/dev/i2c-1): 27 samples a second at most, where scan_hz asks for 100 while "
        "idle, 8 of 8 "
    )
    assert said.endswith(" ms. Use a faster or a second bus.")


@pytest.mark.parametrize(
    ("settings", "call_cost_ns", "idle_hz", "densest"),
    [
        (SMALL, 0, 100, "500"),
        (LARGE, 0, 100, "2.."),
        (LARGE, 80_000, 100, "1.."),
        (SMALL, 0, 600, "600"),
    ],
)
def test_both_rates_are_shown(
    tmp_path: Path, settings: Settings, call_cost_ns: int, idle_hz: int, densest: str
) -> None:
    """While idle as the settings say; while a claim is open as densely as the wire allows, 500 a second at most."""
    asked = replace(settings, table=msgspec.structs.replace(settings.table, scan_hz=idle_hz, max_cpu=0.4))
    said = line(seen(asked, tmp_path, SimulatedTable(asked, call_cost_ns=call_cost_ns)), "scan of bus dials")
    squares = len(settings.squares)
    assert re.fullmatch(
        rf"ok  scan of bus dials \(/dev/i2c-1\): {idle_hz} samples a second while idle, up to {densest} while a "
        rf"claim is open \(within max_cpu = 0\.4\), {squares} of {squares} dials read, longest gap [0-9]+ ms",
        said,
    ), said


def test_failures_are_to_be_fixed_first(tmp_path: Path) -> None:
    table = SimulatedTable(LARGE, call_cost_ns=2_000_000)
    faults.strike(table.tiles["T02"], "unplugged")
    said = line(seen(LARGE, tmp_path, table), "scan of bus dials")
    assert said.endswith(" First fix the failures above; then use a faster or a second bus.")


def test_a_rate_between_alarm_and_target_is_a_doubt(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path, SimulatedTable(LARGE, call_cost_ns=500_000))
    assert [check.sign for check in checks if check.part == "scan of bus dials"] == [Sign.UNSURE]


def test_a_wire_that_needs_retries_is_reported(tmp_path: Path) -> None:
    table = SimulatedTable(LARGE)

    def nudge(check: Check) -> None:
        if check.part == "encoder of T08":
            table.clock.at(table.clock.now_ns() + 400_000_000, table.tiles["T03"].encoder.nack_once)

    checks = seen(LARGE, tmp_path, table, nudge)
    (said,) = ill(checks)
    assert said.startswith("??  wire of T03 (simulated /dev/i2c-1 mux 0x70 channel 2): 1 retry and 0 losses in ")
    assert said.endswith(" samples. A wire that needs retries today is broken next month: check its plug and lead.")
