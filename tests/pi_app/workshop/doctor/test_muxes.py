"""The doctor's checks of muxes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from msgspec.structs import replace as changed

from pi_app.simulated.table import SimulatedTable
from tests.pi_app.workshop.doctor.looking import SMALL, line, seen


def test_a_silent_mux_and_the_parts_behind_it_are_named(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    bus = table.buses["dials"]
    bus.wire.trunk.remove(bus.muxes[0x70])
    checks = seen(SMALL, tmp_path, table)
    assert line(checks, "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): gave no answer (errno 121). Check the mux's plug and its power first, then "
        "its straps A0 to A2, and that RESET is pulled up to 3.3 V."
    )
    assert line(checks, "encoder of T01") == (
        "??  encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): was not checked, because mux 0x70 before "
        "it fails"
    )
    assert line(checks, "scan of bus dials") == (
        "??  scan of bus dials (/dev/i2c-1): was not checked, because no dial answers"
    )


class Display:
    """A chip with a mux's address that is none: it remembers nothing."""

    address = 0x70

    def start(self, reading: bool) -> bool:
        return True

    def write(self, byte: int) -> bool:
        return True

    def read(self) -> int:
        return 0

    def stop(self) -> None:
        """It does not matter to it."""


def test_another_chip_with_the_address_of_a_mux_is_noticed(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    bus = table.buses["dials"]
    bus.wire.trunk.remove(bus.muxes[0x70])
    bus.wire.trunk.hang(Display())
    assert line(seen(SMALL, tmp_path, table), "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): answers, but does not switch as a TCA9548A does. Check for another chip "
        "with this address: a mux, an HT16K33 display, an SHTC3 or the all-call of a PCA9685."
    )


def test_a_reset_wire_that_is_off_is_noticed(tmp_path: Path) -> None:
    bus = SMALL.buses["dials"]
    unwired = changed(bus, mux=tuple(changed(mux, reset_gpio=None) for mux in bus.mux))
    table = SimulatedTable(replace(SMALL, buses={**SMALL.buses, "dials": unwired}))
    assert line(seen(SMALL, tmp_path, table), "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): answers and switches, but RESET does not reach it. "
        "Check the wire from its RESET to the GPIO that the settings name."
    )
