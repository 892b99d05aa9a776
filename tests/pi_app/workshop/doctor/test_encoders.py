"""The doctor's checks where another kind of encoder answers than the settings name."""

from __future__ import annotations

from pathlib import Path

from hardware.sims.as5600l import As5600LTwin
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.workshop.doctor.looking import SMALL, line, seen

PLACE = "simulated /dev/i2c-1 mux 0x70 channel 1"


def without_t02() -> SimulatedTable:
    table = SimulatedTable(SMALL)
    table.buses["dials"].muxes[0x70].channels[1].remove(table.tiles["T02"].encoder)
    return table


def test_a_tile_of_another_kind_is_named(tmp_path: Path) -> None:
    table = without_t02()
    table.buses["dials"].muxes[0x70].channels[1].hang(As5600LTwin(table.clock, lambda at_ns: 1000.0))
    assert line(seen(SMALL, tmp_path, table), "encoder of T02") == (
        f"!!  encoder of T02 ({PLACE}): nothing answers at 0x36, but something does at 0x40 (an AS5600L or an "
        "AS5048B). Plug the right tile in, or write its `chip` and `address` into [square.T02]."
    )


def test_what_answers_on_the_trunk_is_not_taken_for_a_tile_of_another_kind(tmp_path: Path) -> None:
    table = without_t02()
    table.buses["dials"].wire.trunk.hang(As5600LTwin(table.clock, lambda at_ns: 1000.0))
    assert line(seen(SMALL, tmp_path, table), "encoder of T02") == (
        f"!!  encoder of T02 ({PLACE}): gave no answer (errno 121). Check its plug, then its power, then SDA and SCL."
    )
