"""What the doctor says of pins, lamps and buttons."""

from __future__ import annotations

from pathlib import Path

from hardware.errors import NoPins
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Check
from tests.pi_app.workshop.doctor.looking import SMALL, ill, seen


def test_a_button_that_is_down_all_the_time_is_stuck(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)

    def press(check: Check) -> None:
        if check.part == "lamp of seat BEN":
            table.press("ANN")

    assert ill(seen(SMALL, tmp_path, table, press)) == [
        "!!  button of seat ANN (GPIO16): was down all the time. Let go of it; if nobody holds it, its two wires "
        "touch, or it is wired to the wrong pin."
    ]


def test_a_button_that_was_pressed_in_passing_is_not(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)

    def press(check: Check) -> None:
        if check.part == "lamp of seat BEN":
            table.press("ANN")
        elif check.part == "bus dials":
            table.release("ANN")

    assert ill(seen(SMALL, tmp_path, table, press)) == []


class NoPinsHere(SimulatedTable):
    """A machine without pins."""

    def pins(self) -> object:
        raise NoPins("the Pi's pins", "Python 3.13", "found an lgpio library that is empty", "Take another.")


def test_without_pins_the_buses_are_examined_all_the_same(tmp_path: Path) -> None:
    checks = seen(SMALL, tmp_path, NoPinsHere(SMALL))
    assert ill(checks) == [
        "!!  the Pi's pins (Python 3.13): found an lgpio library that is empty. Take another.",
        "??  lamp of seat ANN (GPIO20): was not checked, because the pins cannot be used",
        "??  button of seat ANN (GPIO16): was not checked, because the pins cannot be used",
        "??  lamp of seat BEN (GPIO21): was not checked, because the pins cannot be used",
        "??  button of seat BEN (GPIO26): was not checked, because the pins cannot be used",
        "??  mux 0x70 (/dev/i2c-1 0x70): answers and switches; RESET was not tried, since there are no pins",
    ]
