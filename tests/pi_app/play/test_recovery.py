"""The recovery stages at a whole table: the referee's notices, and the game that goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from hardware.sims import faults
from pi_app.settings.model import BusSettings, Settings
from tests.pi_app.playing import Played, settings, table


def with_bus(**changes: object) -> Settings:
    """Return the small example with other settings of its bus of dials."""
    small = settings()
    buses: dict[str, BusSettings] = dict(small.buses)
    buses["dials"] = msgspec.structs.replace(buses["dials"], **changes)
    return replace(small, buses=MappingProxyType(buses))


HELD = (
    "bus dials (simulated /dev/i2c-1) has been held down since mux 0x70 was read, so T01 and T02 cannot be read; it is "
    "retried automatically. "
)


def of_the_bus(played: Played) -> list[str]:
    return [line for line in played.heard("referee") if line.startswith("bus ")]


def test_a_chip_that_stopped_in_the_middle_of_a_byte_is_clocked_free_and_play_goes_on(tmp_path: Path) -> None:
    with table(tmp_path, with_bus(clear=True)) as played:
        played.demo.table.buses["dials"].wire.trunk.hold_until(clocks=6)
        played.run(1.0)
        assert of_the_bus(played) == [
            HELD + "No action needed: automatic recovery is running.",
            "bus dials (simulated /dev/i2c-1) blocked every dial, so nine clock pulses were sent to free its lines. "
            "No action needed yet.",
        ]
        assert played.demo.table.sim_pinctrl.functions == {3: "a0", 2: "a0"}
        played.expose("ANN", "T01", -1)
        assert [turn.square for turn in played.turns()] == ["T01"]


def test_a_tile_that_is_set_aside_is_told_once_and_the_other_is_played(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        faults.strike(played.demo.table.tiles["T02"], "stuck-low")
        played.run(4.0)
        assert [line for line in played.heard("referee") if line.startswith("dial T02")] == [
            "dial T02 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) never ended a transfer (errno 110). It is "
            "set aside and retried now and then; the others are read without it. Pull the plug of T02, look for a "
            "short between its wires, and plug it in again."
        ]
        played.expose("ANN", "T01", -1)
        assert [turn.square for turn in played.turns()] == ["T01"]


def test_what_clocks_do_not_free_the_power_does(tmp_path: Path) -> None:
    with table(tmp_path, with_bus(clear=True, power_gpio=22, power_active_high=False)) as played:
        faults.strike(played.demo.table.tiles["T01"], "stuck-low")
        faults.strike(played.demo.table.tiles["T02"], "stuck-low")
        played.run(2.0)
        assert [line.partition(")")[2].partition(".")[0] for line in of_the_bus(played)] == [
            " has been held down since mux 0x70 was read, so T01 and T02 cannot be read; it is retried automatically",
            " blocked every dial, so nine clock pulses were sent to free its lines",
            " blocked every dial, so the power of its tiles is off for 0",
        ]
        played.expose("ANN", "T01", -1)
        assert [turn.square for turn in played.turns()] == ["T01"]


def test_a_bus_that_nothing_helps_is_given_up_in_words_and_the_program_lives(tmp_path: Path) -> None:
    with table(tmp_path) as played:
        wire = played.demo.table.buses["dials"].wire
        wire.trunk.held = True
        played.run(5.0)
        assert of_the_bus(played) == [
            HELD + "Pull the plug of T02, whose channel was open then; if that does not help, switch the power of mux "
            "0x70 off and on."
        ]
        assert [line for line in played.heard("referee") if line.startswith(("dial ", "mux "))] == []
        wire.trunk.held = False
        played.run(1.5)
        played.expose("ANN", "T01", -1)
        assert [turn.square for turn in played.turns()] == ["T01"]
