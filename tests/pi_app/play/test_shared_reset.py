"""Two muxes of a bus that share a RESET wire, in settings, drawings, simulation and recovery."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.plans.wiring.guide import guide
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.refused import insist
from pi_app.play.build import TableBuilder
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.text.errors import UserFileError

SECOND = "[[bus.dials.mux]]\naddress = 0x71\nreset_gpio = 17\n\n[square.T01]"


def shared(folder: Path) -> Settings:
    """Return the small example with T02 behind a second mux, which shares the RESET wire."""
    text = example_path("2x2").read_text(encoding="utf-8").replace("[square.T01]", SECOND, 1)
    before, section, after = text.partition("[square.T02]")
    (folder / "t.toml").write_text(before + section + after.replace("mux = 0x70", "mux = 0x71", 1), encoding="utf-8")
    return load(folder / "t.toml")


def test_a_pulse_for_one_mux_resets_both_and_both_are_forgotten(tmp_path: Path) -> None:
    settings = shared(tmp_path)
    table = SimulatedTable(settings)
    twins = table.buses["dials"].muxes
    with TableBuilder(settings, table) as builder:
        muxes = builder.wires().muxes
        one, other = muxes["dials", 0x70], muxes["dials", 0x71]
        one.channel(0)
        for mux in (one, other):
            mux.deselect()
        assert (one.mask, other.mask) == (0, 0)
        other.put(1 << 1)
        assert twins[0x71].register == 1 << 1
        assert one.pulse_reset()
        assert (one.mask, other.mask) == (None, None)
        assert (twins[0x70].register, twins[0x71].register) == (0, 0)


def test_a_game_reads_both_sides_after_a_reset(tmp_path: Path) -> None:
    settings = shared(tmp_path)
    table = SimulatedTable(settings)
    with TableBuilder(settings, table) as builder:
        wires = builder.wires()
        (scan,) = [scan for scan in wires.scans if scan.dials]
        for _ in range(20):
            scan.scan()
        wires.muxes["dials", 0x70].pulse_reset()
        scan.reset_counts()
        for _ in range(20):
            scan.scan()
        assert all(scan.counts(label).losses == 0 for label in ("T01", "T02"))


def test_it_is_one_wire_to_the_strip_and_one_to_each_mux(tmp_path: Path) -> None:
    settings = shared(tmp_path)
    insist(settings)
    said = guide(wired(settings), settings, "t.toml")
    assert said.count("Raspberry Pi pin 11, GPIO 17 | dials strip, RESET") == 1
    assert said.count("dials strip, RESET | mux 0x7") == 2


def test_muxes_of_two_buses_have_a_wire_each(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8")
    screens = text.replace("[bus.screens]", "[[bus.screens.mux]]\naddress = 0x72\nreset_gpio = 17\n\n[bus.screens]", 1)
    (tmp_path / "t.toml").write_text(screens, encoding="utf-8")
    with pytest.raises(UserFileError) as refused:
        load(tmp_path / "t.toml")
    assert any("GPIO 17 is already reset_gpio of [[bus.dials.mux]]" in problem for problem in refused.value.problems)
