"""The doctor: what it says of a sound house, of each thing that can be broken, and of the machine."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hardware.adapter import Adapter
from hardware.chips.as5600 import As5600
from hardware.errors import NoBus, NoPins
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.tca9548a import Tca9548aTwin
from pi_app import doctor_machine as machine
from pi_app import power
from pi_app.calibrating import keep
from pi_app.calibration import Calibration
from pi_app.doctor import examine, failed, speed_hz
from pi_app.doctor_machine import Check, Sign
from pi_app.host import Host
from pi_app.house import House
from pi_app.settings import BusSettings, Settings, example_path, load
from pi_app.simulated import SimulatedTable
from tests.pi_app.hosts import host, put

SMALL = load(example_path("2x2"))
LARGE = load(example_path("8x4"))


def seen(
    settings: Settings,
    root: Path,
    table: SimulatedTable | None = None,
    meanwhile: Callable[[Check], None] = lambda check: None,
) -> list[Check]:
    """All checks of a simulated table; `meanwhile` hears each as it comes."""
    parts = SimulatedTable(settings) if table is None else table
    checks = []
    try:
        for check in examine(replace(settings, where=str(root / "trapdial.toml")), parts, host(root), seconds=0.2):
            checks.append(check)
            meanwhile(check)
    finally:
        parts.close()
    return checks


def line(checks: Sequence[Check], part: str) -> str:
    """The one line of a part."""
    (found,) = [check for check in checks if check.part == part]
    return str(found)


def ill(checks: Sequence[Check]) -> list[str]:
    return [str(check) for check in checks if check.sign is not Sign.GOOD]


# ------------------------------------------------------------------------------------------------ a sound house


def test_of_a_sound_house_everything_is_found_and_nothing_ails(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path)
    assert ill(checks) == []
    assert [check.part for check in checks] == [
        "disk",
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


def test_what_it_says_does_not_depend_on_where_a_dial_stands(tmp_path: Path) -> None:
    here = seen(SMALL, tmp_path, SimulatedTable(SMALL, stands={"T01": 3, "T02": 7}))
    there = seen(SMALL, tmp_path, SimulatedTable(SMALL, stands={"T01": 8, "T02": 1}))
    assert list(map(str, here)) == list(map(str, there))


def test_it_leaves_every_encoder_unburnt_and_its_blank_bits_alone(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    seen(SMALL, tmp_path, table)
    for tile in table.tiles.values():
        assert tile.encoder.burn_commands == []
        assert not tile.encoder.blank_bits_spoilt


# -------------------------------------------------------------------------------------------- broken encoders


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
        "??  encoder of T02 (simulated /dev/i2c-1 mux 0x70 channel 1): was not looked at, because encoder of T01 holds "
        "the bus",
        "??  scan of bus dials (/dev/i2c-1): was not looked at, because encoder of T01 holds the bus",
    ]
    assert line(checks, "mux 0x70") == "ok  mux 0x70 (/dev/i2c-1 0x70): answers and switches; its RESET is not wired"


def test_a_wire_that_needs_second_tries_is_pointed_out(tmp_path: Path) -> None:
    table = SimulatedTable(LARGE)

    def nudge(check: Check) -> None:
        if check.part == "encoder of T08":
            table.clock.at(table.clock.now_ns() + 400_000_000, table.tiles["T03"].encoder.nack_once)

    checks = seen(LARGE, tmp_path, table, nudge)
    (said,) = ill(checks)
    assert said.startswith("??  wire of T03 (simulated /dev/i2c-1 mux 0x70 channel 2): 1 second tries and 0 losses in ")
    assert said.endswith(" looks. A wire that needs second tries today is broken next month: check its plug and lead.")


def test_an_encoder_in_the_wrong_socket_is_found(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    mux = table.buses["dials"].muxes[0x70]
    mux.channels[1].remove(table.tiles["T02"].encoder)
    mux.channels[5].hang(table.tiles["T02"].encoder)
    checks = seen(SMALL, tmp_path, table)
    assert [check.sign for check in checks if check.part == "encoder of T02"] == [Sign.FAILS]
    assert line(checks, "encoder without a square") == (
        "??  encoder without a square (simulated /dev/i2c-1 mux 0x70 channel 5): answers, and no square of the "
        "settings is there. If a square is silent, its plug is in the wrong socket; else give this one a section."
    )


# ------------------------------------------------------------------------------------------- muxes and strangers


def test_a_silent_mux_is_named_and_so_is_what_hangs_behind_it(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    bus = table.buses["dials"]
    bus.wire.trunk.remove(bus.muxes[0x70])
    checks = seen(SMALL, tmp_path, table)
    assert line(checks, "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): gave no answer (errno 121). Check the mux's plug and its power first, then "
        "its straps A0 to A2, and that RESET is pulled up to 3.3 V."
    )
    assert line(checks, "encoder of T01") == (
        "??  encoder of T01 (simulated /dev/i2c-1 mux 0x70 channel 0): was not looked at, because mux 0x70 on the way "
        "to it fails"
    )
    assert line(checks, "scan of bus dials") == (
        "??  scan of bus dials (/dev/i2c-1): was not looked at, because no dial answers"
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


def test_another_chip_with_the_address_of_a_mux_is_unmasked(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    bus = table.buses["dials"]
    bus.wire.trunk.remove(bus.muxes[0x70])
    bus.wire.trunk.hang(Display())
    assert line(seen(SMALL, tmp_path, table), "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): answers, but does not switch as a TCA9548A does. Look for another chip with "
        "this address: a mux, an HT16K33 display, an SHTC3, or the all-call of a PCA9685."
    )


def test_a_reset_wire_that_is_off_is_noticed(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table._resets.clear()
    assert line(seen(SMALL, tmp_path, table), "mux 0x70") == (
        "!!  mux 0x70 (/dev/i2c-1 0x70): answers and switches, but RESET does not reach it. "
        "Check the wire from its RESET to the GPIO that the settings name."
    )


def test_an_encoder_on_the_trunk_besides_the_channels_is_a_clash(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table.buses["dials"].wire.trunk.hang(As5600Twin(table.clock, lambda at_ns: 1000.0))
    assert line(seen(SMALL, tmp_path, table), "stranger 0x36") == (
        "!!  stranger 0x36 (/dev/i2c-1 0x36): something answers that the settings do not name (an AS5600, or a seesaw "
        "encoder), at the address of chips behind a mux: it answers together with them. Take it off the bus, or put it "
        "behind a channel of its own."
    )


def test_a_mux_that_nobody_named_matters_if_it_has_channels_open(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table.buses["dials"].wire.trunk.hang(Tca9548aTwin(0x71))
    closed = seen(SMALL, tmp_path, table)
    assert ill(closed) == [
        "??  stranger 0x71 (/dev/i2c-1 0x71): something answers that the settings do not name (a mux, or an HT16K33 "
        "display). Name it in the settings, or take it off the bus."
    ]
    again = SimulatedTable(SMALL)
    second = Tca9548aTwin(0x71)
    again.buses["dials"].wire.trunk.hang(second)
    second.start(False)
    second.write(0x04)
    second.stop()
    assert line(seen(SMALL, tmp_path, again), "stranger 0x71") == (
        "!!  stranger 0x71 (/dev/i2c-1 0x71): something answers that the settings do not name (a mux, or an HT16K33 "
        "display); if it is a mux, it has channels open. Add a [[bus.dials.mux]] for it, or take it off the bus."
    )


# ------------------------------------------------------------------------------------- screens, pins, buttons


def test_a_silent_screen_and_one_with_the_other_address(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    trunk = table.buses["screens"].wire.trunk
    trunk.remove(table.oleds["ANN"])
    checks = seen(SMALL, tmp_path, table)
    assert ill(checks) == [
        "!!  screen of seat ANN (simulated /dev/i2c-6 0x3C): gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL."
    ]

    text = example_path("2x2").read_text(encoding="utf-8")
    text = text[: text.index("[seat.BEN.screen]")]
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    one_screen = load(tmp_path / "trapdial.toml")
    table = SimulatedTable(one_screen)
    trunk = table.buses["screens"].wire.trunk
    trunk.remove(table.oleds["ANN"])
    trunk.hang(type(table.oleds["ANN"])(0x3D))
    assert line(seen(one_screen, tmp_path, table), "screen of seat ANN").endswith(
        "A screen answers at 0x3D: say so in the settings, or change its solder bridge."
    )


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
        "??  lamp of seat ANN (GPIO20): was not looked at, because the pins cannot be used",
        "??  button of seat ANN (GPIO16): was not looked at, because the pins cannot be used",
        "??  lamp of seat BEN (GPIO21): was not looked at, because the pins cannot be used",
        "??  button of seat BEN (GPIO26): was not looked at, because the pins cannot be used",
        "??  mux 0x70 (/dev/i2c-1 0x70): answers and switches; RESET was not tried, since there are no pins",
    ]


# ------------------------------------------------------------------------------------------------------- buses


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
        "??  mux 0x70 (/dev/i2c-1 0x70): was not looked at, because its bus cannot be used",
        "??  encoder of T01 (/dev/i2c-1): was not looked at, because its bus cannot be used",
        "??  encoder of T02 (/dev/i2c-1): was not looked at, because its bus cannot be used",
    ]
    assert line(checks, "screen of seat BEN").startswith("ok")


def test_a_running_game_is_said_to_run_and_left_alone(tmp_path: Path) -> None:
    assert line(seen(SMALL, tmp_path, PlayedOn(SMALL)), "bus dials") == (
        "!!  bus dials (/dev/i2c-1): is in use: a game, or another trapdial, is running on it. "
        "End that one first. Nothing was read, so it was not disturbed."
    )


def test_a_bus_that_is_slower_than_asked_is_measured(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    table.tiles["T01"].strike("slow-bus")
    assert ill(seen(SMALL, tmp_path, table)) == [
        "??  speed of bus dials (/dev/i2c-1): runs at about 62 kHz, not at 100 kHz. On a Pi 3 or 4 the bus follows the "
        "core's clock: write core_freq=250 into config.txt."
    ]


@pytest.mark.parametrize("call_cost_ns", [0, 80_000, 2_000_000])
def test_the_measured_speed_is_the_wires_whatever_a_call_costs(call_cost_ns: int) -> None:
    with House(SMALL, SimulatedTable(SMALL, call_cost_ns=call_cost_ns)) as house:
        chip = house.wires().chips["T01"]
        assert isinstance(chip, As5600)
        chip.start()
        assert speed_hz(chip, house.parts.clock) == pytest.approx(100_000)


def test_too_few_looks_are_an_alarm(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path, SimulatedTable(LARGE, call_cost_ns=2_000_000))
    said = line(checks, "scan of bus dials")
    assert said.startswith("!!  scan of bus dials (/dev/i2c-1): 28 looks per second where 100 are asked for, 8 of 8 ")
    assert said.endswith("Mend what fails above first; then a faster or a second bus.")


def test_looks_between_alarm_and_wish_are_a_doubt(tmp_path: Path) -> None:
    checks = seen(LARGE, tmp_path, SimulatedTable(LARGE, call_cost_ns=500_000))
    assert [check.sign for check in checks if check.part == "scan of bus dials"] == [Sign.UNSURE]


def test_a_calibration_that_lacks_a_square_or_cannot_be_read(tmp_path: Path) -> None:
    text = example_path("2x2").read_text(encoding="utf-8").replace('calibration = ""', 'calibration = "c.toml"')
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path / "trapdial.toml")
    missing = line(seen(settings, tmp_path), "calibration")
    assert missing.startswith(f"!!  calibration ({tmp_path}/c.toml): ")
    assert missing.endswith("Run trapdial calibrate.")
    even = tuple(round(k * 4096 / 12) for k in range(12))
    keep(tmp_path / "c.toml", {"T01": Calibration(12, 4096, False, even, (2,) * 12, (160,) * 12)})
    assert line(seen(settings, tmp_path), "calibration") == (
        f"??  calibration ({tmp_path}/c.toml): does not know T02. Run trapdial calibrate."
    )


# ------------------------------------------------------------------------------------------------- the machine


def test_the_model_of_a_pi_and_of_something_else(tmp_path: Path) -> None:
    assert str(machine.board(host(tmp_path))) == (
        "??  machine (this one): is no Raspberry Pi (not known). "
        "Run this on the Pi that the wires hang on, or say --simulated."
    )
    put(tmp_path, "proc/cpuinfo", "model name\t: A big one\nModel\t\t: Raspberry Pi 3 Model B Rev 1.2\n")
    assert str(machine.board(host(tmp_path))) == "ok  machine (this one): Raspberry Pi 3 Model B Rev 1.2"
    put(tmp_path, "proc/device-tree/model", b"Raspberry Pi 5 Model B Rev 1.0\0")
    assert str(machine.board(host(tmp_path))) == "ok  machine (this one): Raspberry Pi 5 Model B Rev 1.0"


@pytest.mark.parametrize(
    ("told", "signs", "seen_words"),
    [
        ("throttled=0x0\n", ["ok"], "never too low since the Pi was started"),
        ("throttled=0x50000\n", ["??", "??"], "the voltage was too low since the Pi was started"),
        ("throttled=0x50005\n", ["!!", "??"], "the voltage is too low now"),
        ("throttled=0x8\n", ["??", "ok"], "it is so warm that it runs slower now"),
        ("", [], ""),
        ("no such command", [], ""),
    ],
)
def test_power_as_vcgencmd_tells_it(tmp_path: Path, told: str, signs: list[str], seen_words: str) -> None:
    checks = list(machine.power(host(tmp_path, told)))
    assert [check.sign.value for check in checks] == signs
    assert not checks or checks[0].seen == seen_words


def test_power_as_the_kernel_tells_it_needs_no_other_program(tmp_path: Path) -> None:
    put(tmp_path, power.THROTTLED, "e0002\n")
    assert [str(check) for check in machine.power(host(tmp_path, "throttled=0x0"))] == [
        "??  processor (the Pi): its clock is held down now. Use the Pi's own power supply and a short, thick cable, "
        "and give the tiles a supply of their own.",
        "??  processor (the Pi): it was slowed down since the Pi was started, because of low voltage or heat. "
        "Give it air or a heat sink; a slow Pi reads its dials more seldom.",
        "??  processor (the Pi): it was so warm since the Pi was started that it ran slower. "
        "Give it air or a heat sink; a slow Pi reads its dials more seldom.",
        "ok  power (the Pi's supply): never too low since the Pi was started",
    ]


def test_power_where_only_the_kernels_watch_of_the_supply_tells(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    put(tmp_path, "sys/class/hwmon/hwmon2/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon2/in0_lcrit_alarm", "0\n")
    assert [str(check) for check in machine.power(host(tmp_path))] == ["ok  power (the Pi's supply): not too low now"]
    put(tmp_path, "sys/class/hwmon/hwmon2/in0_lcrit_alarm", "1\n")
    assert [check.seen for check in machine.power(host(tmp_path))] == ["the voltage is too low now"]


@pytest.mark.parametrize(
    ("milli", "said"),
    [
        ("47236", "ok  temperature (the Pi's processor): 47 degrees Celsius"),
        (
            "80100",
            "??  temperature (the Pi's processor): 80 degrees Celsius: every Pi slows itself down there. "
            "Give it air or a heat sink; a slow Pi reads its dials more seldom.",
        ),
    ],
)
def test_how_warm_it_is(tmp_path: Path, milli: str, said: str) -> None:
    assert list(machine.heat(host(tmp_path))) == []
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", milli)
    assert [str(check) for check in machine.heat(host(tmp_path))] == [said]


def test_groups_and_a_login_that_does_not_know_them_yet(tmp_path: Path) -> None:
    put(tmp_path, "etc/group", "root:x:0:\ni2c:x:998:ann,pi\ngpio:x:997:\nbroken\n")
    assert [str(check) for check in machine.groups(host(tmp_path))] == [
        "!!  group i2c (the I2C buses): user pi is in it, but this login does not know it yet. "
        "Log out and in again, or start the Pi again.",
        "!!  group gpio (the pins): user pi is not in it. sudo usermod -aG gpio pi, then log in again.",
    ]
    member = host(tmp_path, group_ids=frozenset({997, 998}))
    assert [str(check) for check in machine.groups(member)] == [
        "ok  group i2c (the I2C buses): user pi is in it",
        "ok  group gpio (the pins): user pi is in it",
    ]
    assert list(machine.groups(host(tmp_path, user_id=0))) == []


def test_a_group_that_only_some_tables_need_is_no_failure(tmp_path: Path) -> None:
    put(tmp_path, "etc/group", "dialout:x:20:\nspi:x:989:\n")
    assert [str(check) for check in machine.groups(host(tmp_path, group_ids=frozenset({989})))] == [
        "??  group dialout (a hub's USB cable): user pi is not in it. "
        "Only if this table has a hub's USB cable: sudo usermod -aG dialout pi, then log in again.",
        "ok  group spi (parts on SPI): user pi is in it",
    ]


PI_4 = b"Raspberry Pi 4 Model B Rev 1.4\0"
PI_5 = b"Raspberry Pi 5 Model B Rev 1.0\0"


@pytest.mark.parametrize(
    ("model", "release", "old"),
    [
        (PI_5, "6.6.20+rpt-rpi-2712", True),
        (PI_5, "6.1.0-rpi8-rpi-2712", True),
        (PI_5, "6.6.28+rpt-rpi-2712", False),
        (PI_5, "6.12.25+rpt-rpi-2712", False),
        (PI_5, "", False),
        (PI_4, "6.6.20+rpt-rpi-v8", False),
        (b"Raspberry Pi Compute Module 5 Rev 1.0", "6.6.20", True),
        (b"Raspberry Pi 500 Rev 1.0", "6.6.20", True),
    ],
)
def test_a_pi_5_whose_kernel_could_hang_its_buses(tmp_path: Path, model: bytes, release: str, old: bool) -> None:
    put(tmp_path, "proc/device-tree/model", model)
    put(tmp_path, "proc/sys/kernel/osrelease", f"{release}\n")
    assert [str(check) for check in machine.kernel(host(tmp_path))] == (
        [
            f"??  kernel (this Pi 5): is {release}, from before April 2024: its I2C can hang until the power is cut. "
            "sudo apt full-upgrade, then start the Pi again."
        ]
        if old
        else []
    )


def versions(**known: str) -> Callable[[str], str]:
    return lambda package: known.get(package, "9.9")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, []),
        (
            {"module_bytes": lambda name: None},
            [f"!!  library lgpio (Python 3.13): is not there. {machine.TAKE_LGPIO}"],
        ),
        (
            {"module_bytes": lambda name: 0},
            [f"!!  library lgpio (Python 3.13): is an empty file (a wheel of version 0.0.0.2). {machine.TAKE_LGPIO}"],
        ),
        (
            {"version": versions(gpiozero="2.0.1.post2")},
            [
                "!!  library gpiozero (version 2.0.1.post2): does not know a Pi 5 for what it is. "
                "make install, or pip install --upgrade gpiozero: 2.0.1.post3 is the first that is sound."
            ],
        ),
        (
            {"version": versions(gpiozero="2.0.1")},
            [
                "!!  library gpiozero (version 2.0.1): looks for a Pi 5's pins in the wrong place. "
                "make install, or pip install --upgrade gpiozero: 2.0.1.post3 is the first that is sound."
            ],
        ),
        ({"version": versions(gpiozero="2.0.1.post3")}, []),
        ({"version": versions(gpiozero="2.1")}, []),
        ({"version": versions(gpiozero="")}, []),
        ({"version": versions(smbus2="0.5.0")}, []),
        (
            {"version": versions(smbus2="0.5.0"), "python": (3, 14)},
            [
                "!!  library smbus2 (version 0.5.0): ends with a buffer overflow on Python 3.14. "
                "make install, or pip install --upgrade smbus2: 0.6 is the first that does not."
            ],
        ),
        ({"version": versions(smbus2="0.6.0"), "python": (3, 14)}, []),
    ],
)
def test_libraries_that_are_known_to_fail(tmp_path: Path, facts: dict[str, Any], said: list[str]) -> None:
    assert [str(check) for check in machine.libraries(host(tmp_path, **facts))] == said


def test_a_clock_that_the_network_has_not_set(tmp_path: Path) -> None:
    assert list(machine.date(host(tmp_path))) == []
    (tmp_path / "run/systemd/timesync").mkdir(parents=True)
    assert [str(check) for check in machine.date(host(tmp_path))] == [
        "??  clock (the date): was not set by the network since the Pi was started. Connect it once, or set the date: "
        "a journal's order is right all the same, its dates are not."
    ]
    (tmp_path / "run/systemd/timesync/synchronized").touch()
    assert [str(check) for check in machine.date(host(tmp_path))] == ["ok  clock (the date): was set by the network"]
    assert [check.sign for check in machine.date(host(tmp_path, now_s=lambda: 1_700_000_000.0))] == [Sign.FAILS]


@pytest.mark.parametrize(
    ("free", "sign", "words"),
    [
        (24_000_000_000, Sign.GOOD, "24.0 GB free of 32.0 GB"),
        (117_000_000, Sign.GOOD, "0.1 GB free of 32.0 GB"),
        (116_000_000, Sign.UNSURE, "is nearly full: 0.1 GB free of 32.0 GB, room for some 49500 events"),
        (18_000_000, Sign.FAILS, "is full: 0.0 GB free of 32.0 GB, room for some 500 events"),
        (5_000_000, Sign.FAILS, "is full: 0.0 GB free of 32.0 GB, room for some 0 events"),
    ],
)
def test_room_on_the_disk(tmp_path: Path, free: int, sign: Sign, words: str) -> None:
    check = machine.disk(host(tmp_path, usage=lambda folder: (32_000_000_000, 0, free)), tmp_path)
    assert (check.sign, check.seen) == (sign, words)


def test_a_disk_that_can_only_be_read_or_not_at_all(tmp_path: Path) -> None:
    assert str(machine.disk(host(tmp_path, read_only=lambda folder: True), tmp_path)) == (
        f"!!  disk (folder of the journal, {tmp_path}): it can only be read. "
        "Linux does that when a card wears out: copy the journal, then take a new card."
    )

    def gone(folder: Path) -> tuple[int, int, int]:
        raise OSError(errno.EIO, "Input/output error")

    assert str(machine.disk(host(tmp_path, usage=gone), tmp_path)) == (
        f"!!  disk (folder of the journal, {tmp_path}): it cannot be looked at. "
        "Look whether its card or stick is still in."
    )


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert str(machine.disk(host(tmp_path), tmp_path / "gone")) == (
        f"!!  disk (folder of the journal, {tmp_path}/gone): is not there. "
        "Make it, or name another journal in the settings."
    )


def test_an_address_that_the_kernel_has_taken(tmp_path: Path) -> None:
    device = tmp_path / "sys/bus/i2c/devices/1-0070"
    device.mkdir(parents=True)
    (device / "driver").symlink_to("../../../drivers/pca954x")
    told = list(machine.kernel_owns(host(tmp_path), "/dev/i2c-1", {0x70: "mux 0x70", 0x71: "mux 0x71"}))
    assert [str(check) for check in told] == [
        "!!  mux 0x70 (/dev/i2c-1 0x70): belongs to the kernel's driver pca954x. "
        "Take its dtoverlay out of config.txt and start the Pi again."
    ]


def test_the_speed_that_the_device_tree_asks_for(tmp_path: Path) -> None:
    assert machine.asked_speed_hz(host(tmp_path), "/dev/i2c-1") is None
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", b"\x00\x06\x1a\x80")
    assert machine.asked_speed_hz(host(tmp_path), "/dev/i2c-1") == 400_000


@pytest.mark.parametrize(
    ("config", "device", "speed_hz"),
    [
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", "/dev/i2c-1", 400_000),
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n", "/dev/i2c-6", None),
        ("dtoverlay=i2c6,baudrate=400000  # screens\n", "/dev/i2c-6", 400_000),
        ("dtoverlay=i2c3-pi5,pins_22_23,baudrate=50000\n", "/dev/i2c-3", 50_000),
        ("#dtparam=i2c_arm_baudrate=400000\n", "/dev/i2c-1", None),
        ("[pi5]\ndtparam=i2c_arm_baudrate=1000000\n[all]\ndtparam=audio=on\n", "/dev/i2c-1", None),
        ("[pi4]\ndtparam=i2c_arm_baudrate=1000000\n", "/dev/i2c-1", 1_000_000),
        ("[pi4]\n[gpio4=1]\ndtparam=i2c_arm_baudrate=1000000\n", "/dev/i2c-1", None),
        ("dtparam=i2c_vc_baudrate=10000\ndtparam=i2c_baudrate=20000\n", "/dev/i2c-0", 10_000),
        ("dtparam=i2c_baudrate=20000\ndtparam=i2c1_baudrate=30000\n", "/dev/i2c-1", 30_000),
        ("", "/dev/i2c-1", None),
    ],
)
def test_the_speed_that_config_txt_sets(tmp_path: Path, config: str, device: str, speed_hz: int | None) -> None:
    put(tmp_path, "proc/device-tree/model", PI_4)
    put(tmp_path, "boot/firmware/config.txt", config)
    assert machine.configured_speed_hz(host(tmp_path), device) == speed_hz


def test_settings_config_txt_and_the_running_kernel_about_one_speed(tmp_path: Path) -> None:
    def said(speed_hz: int) -> list[str]:
        return [str(check) for check in machine.bus_speed(host(tmp_path), "dials", "/dev/i2c-1", speed_hz)]

    differ = (
        "??  speed of bus dials (/dev/i2c-1): config.txt asks for 400000 Hz, the settings for 100000 Hz. "
        "Say the same in both."
    )
    assert said(100_000) == []
    put(tmp_path, "boot/config.txt", "dtparam=i2c_arm_baudrate=400000\n")
    assert said(100_000) == [differ]
    assert said(400_000) == []
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", (100_000).to_bytes(4, "big"))
    assert said(100_000) == [
        "??  speed of bus dials (/dev/i2c-1): config.txt says 400000 Hz, and the Pi still runs with 100000 Hz. "
        "Start the Pi again."
    ]


def test_pins_that_spi_has_taken(tmp_path: Path) -> None:
    assert list(machine.spi_pins(host(tmp_path), [8, 20])) == []
    put(tmp_path, "boot/firmware/config.txt", "dtparam=i2c_arm=on,spi=on\n")
    assert [str(check) for check in machine.spi_pins(host(tmp_path), [20, 9, 8])] == [
        "!!  pins (GPIO8, GPIO9): the settings give them a job, and config.txt gives them to SPI. "
        "Take dtparam=spi=on out of config.txt, or take other pins."
    ]
    assert list(machine.spi_pins(host(tmp_path), [20])) == []
    put(tmp_path, "boot/firmware/config.txt", "dtparam=spi=off\n")
    assert list(machine.spi_pins(host(tmp_path), [8])) == []


@pytest.mark.parametrize(("model", "said"), [(PI_4, True), (PI_5, False)])
def test_a_speed_that_could_not_be_measured_is_only_a_wish(tmp_path: Path, model: bytes, said: bool) -> None:
    put(tmp_path, "proc/device-tree/model", model)
    table = Real(SMALL)
    for tile in table.tiles.values():
        tile.strike("unplugged")
    found = [str(check) for check in seen(SMALL, tmp_path, table) if check.part == "speed of bus dials"]
    assert found == (
        [
            "??  speed of bus dials (/dev/i2c-1): was not measured, and on this model it is often half of what "
            "config.txt asks for. Ask the doctor again when a dial answers: then it measures."
        ]
        if said
        else []
    )


class Real(SimulatedTable):
    """Twins that say that they are real, so that the machine is asked too."""

    simulated = False


def test_on_a_real_table_the_machine_comes_first_and_the_kernel_is_asked(tmp_path: Path) -> None:
    put(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", b"\x00\x06\x1a\x80")
    checks = seen(SMALL, tmp_path, Real(SMALL))
    assert checks[0].part == "machine"
    assert line(checks, "speed of bus dials") == (
        "??  speed of bus dials (/dev/i2c-1): config.txt asks for 400000 Hz, the settings for 100000 Hz. "
        "Say the same in both."
    )
    assert "SIMULATED" not in line(checks, "bus dials")


def test_a_program_that_is_not_there_says_nothing() -> None:
    assert Host().ask(("trapdial-has-no-such-program",)) == ""
    assert Host().ask(("false",)) == ""
    assert Host().ask(("echo", "yes")) == "yes\n"


def test_nothing_of_the_machines_own_clock_is_waited_for(tmp_path: Path) -> None:
    table = SimulatedTable(SMALL)
    assert isinstance(table.clock, VirtualClock)
    seen(SMALL, tmp_path, table)
    assert table.clock.now_ns() > 500_000_000
