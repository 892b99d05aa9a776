"""What the doctor says of a bus: broken tiles on it, a part that holds it, a bus that cannot be opened."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hardware.adapter import Adapter
from hardware.errors import NoBus
from pi_app.settings.load import BusSettings, example_path, load
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import failed
from tests.pi_app.workshop.doctor.looking import LARGE, SMALL, ill, line, seen


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            "unplugged",
            "!!  encoder of T02 ({place}): gave no answer (errno 121). "
            "Check its plug, then its power, then SDA and SCL.",
        ),
        (
            "stuck-low",
            "!!  encoder of T02 ({place}): never ended a transfer (errno 110). "
            "Unplug this tile: it holds its lead down. Then look for a short between its wires.",
        ),
        (
            "magnet-weak",
            "??  encoder of T02 ({place}): magnet too weak (gain 128 of 128). "
            "Bring it closer, and check that it is magnetised across its diameter.",
        ),
        (
            "magnet-strong",
            "??  encoder of T02 ({place}): magnet too strong (gain 0 of 128). Move it away from the chip.",
        ),
        (
            "magnet-missing",
            "!!  encoder of T02 ({place}): no magnet seen (gain 128 of 128). "
            "Put the dial in, with its magnet 0.5 to 3 mm above the chip.",
        ),
    ],
)
def test_a_broken_tile_is_named_and_costs_the_others_nothing(tmp_path: Path, fault: str, said: str) -> None:
    table = SimulatedTable(LARGE)
    table.tiles["T02"].strike(fault)
    checks = seen(LARGE, tmp_path, table)
    assert ill(checks) == [said.format(place="simulated /dev/i2c-1 mux 0x70 channel 1")]
    assert failed(checks) is said.startswith("!!")


def test_without_a_reset_wire_a_held_bus_is_said_to_be_held(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace("reset_gpio = 17", "#")
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path / "trapdial.toml")
    table = SimulatedTable(settings)
    table.tiles["T01"].strike("stuck-low")
    checks = seen(settings, tmp_path, table)
    assert ill(checks) == [
        "!!  encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): never ended a transfer (errno 110). "
        "Unplug this tile: it holds its lead down. Then look for a short between its wires.",
        "??  encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): was not checked, because encoder of T01 holds "
        "the bus",
        "??  scan of bus dials (/dev/i2c-1): was not checked, because encoder of T01 holds the bus",
    ]
    assert line(checks, "mux 0x70") == "ok  mux 0x70 (/dev/i2c-1 0x70): answers and switches; its RESET is not wired"


class NoDials(SimulatedTable):
    """The dials' bus cannot be opened, for the reason that the kernel gives."""

    number = errno.ENOENT

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        if name == "dials":
            error = NoBus("I2C bus", bus.device, "is not there", "Switch I2C on.")
            raise error from OSError(self.number, os.strerror(self.number))
        return super().adapter(name, bus)


class PlayedOn(NoDials):
    number = errno.EWOULDBLOCK


def test_a_missing_bus_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    for name in ("i2c-20", "i2c-6"):
        (tmp_path / "dev" / name).touch()
    checks = seen(SMALL, tmp_path, NoDials(SMALL))
    assert ill(checks) == [
        "!!  bus dials (/dev/i2c-1): is not there. Switch I2C on. I2C devices that are there: /dev/i2c-6, /dev/i2c-20.",
        "??  mux 0x70 (/dev/i2c-1 0x70): was not checked, because its bus cannot be used",
        "??  encoder of T01 (/dev/i2c-1): was not checked, because its bus cannot be used",
        "??  encoder of T02 (/dev/i2c-1): was not checked, because its bus cannot be used",
    ]
    assert line(checks, "screen of seat BEN").startswith("ok")


def test_a_running_game_is_said_to_run_and_left_alone(tmp_path: Path) -> None:
    assert line(seen(SMALL, tmp_path, PlayedOn(SMALL)), "bus dials") == (
        "!!  bus dials (/dev/i2c-1): is in use: a game, or another trapdial, is running on it. "
        "End that one first. Nothing was read, so it was not disturbed."
    )
