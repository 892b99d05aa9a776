"""The doctor's checks for chips and encoders that the settings do not name."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.sims.as5600 import As5600Twin
from hardware.sims.tca9548a import Tca9548aTwin
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor import Sign
from pi_app.workshop.doctor.strangers import known_at
from tests.pi_app.workshop.doctor.looking import SMALL, ill, line, seen


def test_an_encoder_on_the_trunk_besides_the_channels_is_a_clash(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table.buses["dials"].wire.trunk.hang(As5600Twin(table.clock, lambda at_ns: 1000.0))
    assert line(seen(SMALL, tmp_path, table), "stranger 0x36") == (
        "!!  stranger 0x36 (/dev/i2c-1 0x36): something answers that the settings do not name (an AS5600 or a seesaw "
        "encoder), at the address of chips behind a mux: it answers together with them. Take it off the bus, or put it "
        "behind a channel of its own."
    )


def test_an_unnamed_mux_matters_if_it_has_channels_open(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table.buses["dials"].wire.trunk.hang(Tca9548aTwin(0x71))
    closed = seen(SMALL, tmp_path, table)
    assert ill(closed) == [
        "??  stranger 0x71 (/dev/i2c-1 0x71): something answers that the settings do not name (a mux or an HT16K33 "
        "display). Name it in the settings, or take it off the bus."
    ]
    again = SimulatedTable(SMALL)
    second = Tca9548aTwin(0x71)
    again.buses["dials"].wire.trunk.hang(second)
    second.start(False)
    second.write(0x04)
    second.stop()
    assert line(seen(SMALL, tmp_path, again), "stranger 0x71") == (
        "!!  stranger 0x71 (/dev/i2c-1 0x71): something answers that the settings do not name (a mux or an HT16K33 "
        "display); if it is a mux, it has channels open. Add a [[bus.dials.mux]] for it, or take it off the bus."
    )


@pytest.mark.parametrize(
    ("address", "chips"),
    [
        (0x36, "an AS5600 or a seesaw encoder"),
        (0x40, "an AS5600L, an AS5048B, a PCA9685 or an INA219"),
        (0x43, "an AS5048B, a PCA9685 or an INA219"),
        (0x3C, "a seesaw encoder or a screen"),
        (0x68, "a real-time clock"),
        (0x20, "not one of our chips"),
    ],
)
def test_what_may_have_an_address_is_named(address: int, chips: str) -> None:
    assert known_at(address) == chips


def test_an_encoder_in_the_wrong_socket_is_found(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    mux = table.buses["dials"].muxes[0x70]
    mux.channels[1].remove(table.tiles["T02"].encoder)
    mux.channels[5].hang(table.tiles["T02"].encoder)
    checks = seen(SMALL, tmp_path, table)
    assert [check.sign for check in checks if check.part == "encoder of T02"] == [Sign.FAILS]
    assert line(checks, "encoder without a square") == (
        "??  encoder without a square (simulated /dev/i2c-1 mux 0x70 channel 5): answers, but the settings have "
        "no square there. If a square is silent, its plug is in the wrong socket; otherwise add a section for "
        "this one."
    )


def test_the_kernels_own_mux_is_no_stranger_on_its_channels(tmp_path: Path) -> None:
    """It answers on each of its channels' buses; seen on QEMU's raspi3b with the kernel's driver."""
    table = SimulatedTable(SMALL)
    for address in (0x74, 0x75):
        mux = Tca9548aTwin(address)
        table.buses["dials"].wire.trunk.hang(mux)
        mux.start(False)
        mux.write(0x04)
        mux.stop()
    devices = tmp_path / "sys/bus/i2c/devices"
    for name in ("i2c-1", "0-0074", "0-0075"):
        (devices / name).mkdir(parents=True)
    (devices / "i2c-1/mux_device").symlink_to("../0-0074")
    for name in ("0-0074", "0-0075"):
        (devices / name / "driver").symlink_to("../pca954x")
        (devices / name / "channel-0").symlink_to("../i2c-1")
    assert ill(seen(SMALL, tmp_path, table)) == []
