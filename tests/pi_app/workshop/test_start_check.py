"""Before a game: problems that refuse it, all at once, and those that are only reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from hardware.adapter import Adapter
from hardware.errors import NoBus, NoPins
from hardware.panel import Lamp
from hardware.sims import faults
from hardware.sims.as5048b import As5048bTwin
from hardware.sims.as5600 import As5600Twin
from hardware.sims.mt6701 import Mt6701Twin
from hardware.sims.seesaw import SeesawTwin
from hardware.sims.wire import TwinChip
from pi_app.settings.load import example_path, load
from pi_app.settings.model import BusSettings, Settings
from pi_app.simulated.table import SimulatedTable
from pi_app.text.errors import WiringRefusedError
from pi_app.workshop.start_check import StartCheck, start_check
from tests.pi_app.hosts import host, put
from tests.pi_app.playing import Blank

SMALL = load(example_path("2x2"))


def looked_at(
    root: Path, break_it: Callable[[SimulatedTable], object] = lambda table: None, used: Settings = SMALL
) -> StartCheck:
    table = SimulatedTable(used)
    return of(root, table, break_it, used)


def of(
    root: Path,
    table: SimulatedTable,
    break_it: Callable[[SimulatedTable], object] = lambda table: None,
    used: Settings = SMALL,
) -> StartCheck:
    break_it(table)
    try:
        return start_check(replace(used, where=str(root / "trapdial.toml")), table, host(root))
    finally:
        table.close()


def with_bus(**changes: object) -> Settings:
    buses: dict[str, BusSettings] = dict(SMALL.buses)
    buses["dials"] = msgspec.structs.replace(buses["dials"], **changes)
    return replace(SMALL, buses=MappingProxyType(buses))


def test_a_sound_table_is_played(tmp_path: Path) -> None:
    found = looked_at(tmp_path)
    assert found == StartCheck((), ())
    found.insist()


def test_a_wiring_out_of_its_limits_is_played_and_reported(tmp_path: Path) -> None:
    chosen = msgspec.structs.replace(SMALL.wiring, bus_pull_up_ohm=4700, supply_ma=65)
    found = looked_at(tmp_path, used=replace(SMALL, wiring=chosen))
    assert found == StartCheck(
        (),
        (
            "supply (3.3 V of the Pi): 61 mA for 2 encoders, 2 screens, 1 mux, 2 lamps, at most 65 mA (supply_ma of "
            '[wiring]). Near the limit. Use a larger regulator: supply = "regulator" in [wiring], with its '
            "supply_ma.",
            "rise time (bus screens): 458 ns with 4700 Ohm and 115 pF at 400 kHz, at most 300 ns (NXP UM10204 section "
            "6.1). Use shorter leads, a slower bus, or pull-ups of 3079 Ohm or less in total.",
        ),
    )


def test_pins_that_spi_has_are_reported(tmp_path: Path) -> None:
    put(tmp_path, "boot/firmware/config.txt", "dtparam=spi=on\n")
    ann = msgspec.structs.replace(SMALL.seats["ANN"], lamp_gpio=11)
    assert looked_at(tmp_path) == StartCheck((), ())
    seats = MappingProxyType({**SMALL.seats, "ANN": ann})
    assert looked_at(tmp_path, used=replace(SMALL, seats=seats)).noticed == (
        "pins of SPI (GPIO 11): 1 of 5 in use, at most 0 (Raspberry Pi documentation, GPIO). Remove dtparam=spi=on "
        "from config.txt, or use other pins.",
    )


def test_a_table_with_unknown_pins_is_played(tmp_path: Path) -> None:
    assert looked_at(tmp_path, used=with_bus(device="/dev/i2c-11")) == StartCheck((), ())


@pytest.mark.parametrize(
    ("fault", "reported"),
    [
        (
            "unplugged",
            "encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): gave no answer (errno 121). Check its plug, "
            "then its power, then SDA and SCL.",
        ),
        (
            "magnet-missing",
            "encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): no magnet seen (gain 128 of 128). Put the dial "
            "in, with its magnet 0.5 to 3 mm above the chip.",
        ),
        (
            "stuck-low",
            "encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): never ended a transfer (errno 110). Unplug this "
            "tile: it holds its lead down. Then check for a short between its wires.",
        ),
    ],
)
def test_a_missing_dial_is_reported_and_play_begins(tmp_path: Path, fault: str, reported: str) -> None:
    found = looked_at(tmp_path, lambda table: faults.strike(table.tiles["T02"], fault))
    assert found == StartCheck((), (reported,))


def test_a_mux_that_is_not_there_is_refused(tmp_path: Path) -> None:
    found = looked_at(tmp_path, lambda table: table.buses["dials"].muxes[0x70].unplug())
    assert found.refused == (
        "mux 0x70 (/dev/i2c-1 0x70): gave no answer (errno 121). Check the mux's plug and its power first, then its "
        "straps A0 to A2, and that RESET is pulled up to 3.3 V.",
    )
    assert found.noticed == ()


def test_another_chip_in_an_encoders_place_is_refused(tmp_path: Path) -> None:
    def exchange(table: SimulatedTable) -> None:
        tile = table.tiles["T01"]
        tile.segment.remove(tile.encoder)
        tile.segment.hang(Blank())

    assert looked_at(tmp_path, exchange) == StartCheck(
        (
            "encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): answers with ones only. Check that an AS5600 is "
            "wired here and nothing else has its address.",
        ),
        (),
    )


def in_place_of(table: SimulatedTable, label: str, chip: TwinChip) -> None:
    tile = table.tiles[label]
    tile.segment.remove(tile.encoder)
    tile.segment.hang(chip)


def test_a_seesaw_in_an_as5600s_place_is_refused(tmp_path: Path) -> None:
    found = looked_at(tmp_path, lambda t: in_place_of(t, "T01", SeesawTwin(t.clock, lambda at_ns: 0.0, address=0x36)))
    assert found.refused == (
        "encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): did not take its settings. Check that an AS5600 is "
        "wired here and nothing else has its address.",
    )


def mt6701_for_t01(table: SimulatedTable) -> None:
    in_place_of(table, "T01", Mt6701Twin(table.clock, lambda at_ns: 0.0))


OTHER_KIND = (
    "encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): nothing answers at 0x36, but something does at 0x06 (an "
    "MT6701). Plug the right tile in, or write its `chip` and `address` into [square.T01]."
)


def test_an_encoder_of_another_kind_at_another_address_is_refused_by_name(tmp_path: Path) -> None:
    assert looked_at(tmp_path, mt6701_for_t01) == StartCheck((OTHER_KIND,), ())


def test_a_stranger_on_the_bus_itself_is_not_taken_for_a_silent_tiles_encoder(tmp_path: Path) -> None:
    def strange(table: SimulatedTable) -> None:
        table.buses["dials"].wire.trunk.hang(As5048bTwin(table.clock, lambda at_ns: 0.0, address=0x40))
        table.tiles["T02"].unplug()

    assert looked_at(tmp_path, strange) == StartCheck(
        (),
        (
            "encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): gave no answer (errno 121). Check its plug, "
            "then its power, then SDA and SCL.",
        ),
    )


def test_a_wrong_chip_a_missing_mux_and_a_taken_pin_are_refused_together(tmp_path: Path) -> None:
    small = SMALL.buses["dials"]
    used = with_bus(mux=(*small.mux, msgspec.structs.replace(small.mux[0], address=0x71, reset_gpio=None)))

    others: list[Lamp] = []

    def break_it(table: SimulatedTable) -> None:
        table.buses["dials"].muxes[0x71].unplug()
        mt6701_for_t01(table)
        others.append(Lamp(table.pins(), 20))

    lamp, *rest = looked_at(tmp_path, break_it, used).refused
    assert lamp.startswith("lamp of seat ANN (GPIO20): could not get its pin (")
    assert lamp.endswith("). Check the pin's number in the settings, and that nothing else uses it.")
    assert rest == [
        "mux 0x71 (/dev/i2c-1 0x71): gave no answer (errno 121). Check the mux's plug and its power first, then its "
        "straps A0 to A2, and that RESET is pulled up to 3.3 V.",
        OTHER_KIND,
    ]


def test_a_chip_that_would_answer_together_with_the_dials_is_refused(tmp_path: Path) -> None:
    found = looked_at(
        tmp_path, lambda table: table.buses["dials"].wire.trunk.hang(As5600Twin(table.clock, lambda at_ns: 1000.0))
    )
    assert found.refused == (
        "stranger 0x36 (/dev/i2c-1 0x36): something answers that the settings do not name (an AS5600 or a seesaw "
        "encoder), at the address of chips behind a mux: it answers together with them. Take it off the bus, or put it "
        "behind a channel of its own.",
    )


class Broken(SimulatedTable):
    """A Pi without pins, whose first bus may not be opened."""

    def adapter(self, name: str, bus: BusSettings) -> Adapter:
        if name == "dials":
            raise NoBus("I2C bus", bus.device, "may not be opened by this user", "Join the group that may.")
        return super().adapter(name, bus)

    def pins(self) -> object:
        raise NoPins("the Pi's pins", "Python 3.13", "found no lgpio library", "Take lgpio from the system.")


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    found = of(tmp_path, Broken(SMALL))
    assert found.refused == (
        "the Pi's pins (Python 3.13): found no lgpio library. Take lgpio from the system.",
        "bus dials (/dev/i2c-1): may not be opened by this user. Join the group that may.",
    )
    with pytest.raises(WiringRefusedError) as refused:
        found.insist()
    assert str(refused.value).splitlines() == list(found.refused)


def test_pins_that_could_not_be_given_back_are_refused(tmp_path: Path) -> None:
    used = with_bus(clear=True)
    assert looked_at(tmp_path, used=used) == StartCheck((), ())
    found = looked_at(tmp_path, lambda table: table.sim_pinctrl.functions.update({2: "ip"}), used)
    assert found.refused == (
        "lines of bus dials (GPIO2): is not SDA of an I2C controller now (pinctrl says: 2: ip    pu | hi // GPIO2 = "
        "input). Compare scl_gpio and sda_gpio with the bus's dtoverlay, or remove clear = true from the settings.",
    )


class OnAPi(SimulatedTable):
    """Twins that say nothing of being twins."""

    simulated = False


def test_a_mux_that_the_kernel_drives_is_refused(tmp_path: Path) -> None:
    device = tmp_path / "sys/bus/i2c/devices/1-0070"
    device.mkdir(parents=True)
    (device / "driver").symlink_to("../../../bus/i2c/drivers/pca954x")
    (device / "channel-0").symlink_to("../i2c-11")
    found = of(tmp_path, OnAPi(SMALL))
    (refused,) = found.refused
    assert refused.startswith("mux 0x70 (/dev/i2c-1): is driven by the kernel (its channels are /dev/i2c-11")
    assert found.noticed == ()
