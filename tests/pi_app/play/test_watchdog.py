"""The watchdog's orders, and their execution. With real processes: tests/test_endings.py."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware import lights_out
from hardware.adapter import KernelMessage
from hardware.lights_out import DISPLAY_OFF, drive, orders_of, watch
from hardware.screen_kinds import OFF
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.oled import OledTwin
from hardware.sims.sh1106 import Sh1106Twin
from hardware.sims.ssd1306 import Ssd1306Twin
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import SimWire
from pi_app.play.build import TableBuilder
from pi_app.play.parts import RealParts
from pi_app.play.watchdog import Watchdog, guarded, orders
from pi_app.settings import load as st


def test_orders_hold_addresses_and_pins_and_nothing_of_the_game() -> None:
    assert orders(st.load(st.example_path("2x2")), "/dev/gpiochip0") == [
        "screen /dev/i2c-6 60",
        "lamp /dev/gpiochip0 20 0",
        "screen /dev/i2c-6 61",
        "lamp /dev/gpiochip0 21 0",
        "armed",
    ]


def test_a_lamp_with_a_common_anode_is_dark_when_its_pins_are_high(tmp_path: Path) -> None:
    text = st.example_path("2x2").read_text(encoding="utf-8")
    lamp = 'lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 13, colour = "red", common = "anode"}'
    behind = "address = 0x3C\nmux = 0x70\nchannel = 7\n"
    text = text.replace("lamp_gpio = 20 ", f"{lamp} ").replace(
        'bus = "screens"\nchip = "ssd1306" ', 'bus = "dials"\nchip = "ssd1306" ', 1
    )
    text = text.replace("address = 0x3C ", f"{behind}# ", 1)
    (tmp_path / "trapdial.toml").write_text(text, encoding="utf-8")
    assert orders(st.load(tmp_path / "trapdial.toml"), "/dev/gpiochip4")[:5] == [
        "mux /dev/i2c-1 112",
        "screen /dev/i2c-1 60 112 7",
        "lamp /dev/gpiochip4 5 1",
        "lamp /dev/gpiochip4 6 1",
        "lamp /dev/gpiochip4 13 1",
    ]


def test_it_switches_a_screen_off_as_the_driver_does() -> None:
    assert OFF == DISPLAY_OFF


class Bus:
    """A simulated bus for the watchdog. It refuses the first `spoilt` writes."""

    def __init__(self, adapter: SimAdapter, spoilt: int = 0) -> None:
        self._adapter, self._spoilt = adapter, spoilt

    def write(self, address: int, data: bytes) -> None:
        if self._spoilt:
            self._spoilt -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._adapter.prepare((KernelMessage(address, 0, bytearray(data)),))()


def lit(oled: OledTwin, bus: Bus, mux: int = 0, channel: int = 0) -> None:
    if mux:
        bus.write(mux, bytes((1 << channel,)))
    bus.write(oled.address, b"\x00\x8d\x14\xaf")
    assert oled.lit


@pytest.mark.parametrize("spoilt", [0, 1, 4])
def test_screens_behind_muxes_go_off_whatever_channel_was_open(spoilt: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    clock = VirtualClock()
    wire = SimWire(clock, 100_000, "/dev/i2c-1")
    muxes = [Tca9548aTwin(0x70), Tca9548aTwin(0x71)]
    oleds = [Ssd1306Twin(0x3C), Sh1106Twin(0x3C), Ssd1306Twin(0x3D)]
    for mux, oled in zip(muxes, oleds, strict=False):
        wire.trunk.hang(mux)
        mux.channels[3].hang(oled)
    wire.trunk.hang(oleds[2])
    bus = Bus(SimAdapter(wire, clock))
    lit(oleds[2], bus)
    lit(oleds[0], bus, 0x70, 3)
    bus.write(0x70, b"\x00")
    lit(oleds[1], bus, 0x71, 3)  # and here the game was killed
    told = ["mux d 112", "mux d 113", "screen d 60 112 3", "screen d 60 113 3", "screen d 61", "armed"]
    assert watch(iter(told), lambda _: Bus(SimAdapter(wire, clock), spoilt), lambda *_: None)
    assert [oled.lit for oled in oleds] == [False, False, False]
    assert [mux.register for mux in muxes] == [0, 0]


def test_a_missing_bus_and_a_busy_pin_keep_nothing_else_lit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    driven = []

    def refuses(chip: str, gpio: int, level: int) -> None:
        if gpio == 5:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        driven.append((chip, gpio, level))

    def missing(device: str) -> lights_out.BusWriter:
        raise FileNotFoundError(device)

    told = ["screen /dev/i2c-9 60", "lamp c 5 0", "lamp c 6 1", "armed"]
    assert watch(iter(told), missing, refuses)
    assert driven == [("c", 6, 1)]


@pytest.mark.parametrize(
    "told", [[], ["lamp c 5 0"], ["lamp c 5 0", "armed", "done"], ["lamp c 5 0", "armed", "done\n"]]
)
def test_nothing_is_touched_after_a_clean_end_or_with_half_an_order(told: list[str]) -> None:
    def never(*_: object) -> Any:
        raise AssertionError("it touched something")

    assert not watch(iter(told), never, never)


def test_orders_are_read_back_as_they_were_told() -> None:
    told = orders(st.load(st.example_path("8x4")), "/dev/gpiochip0")
    read = orders_of(told)
    assert read is not None
    lines = [f"mux {d} {a}" for d, a in read.muxes]
    assert len(lines) + len(read.screens) + len(read.lamps) == len(told) - 1
    assert read.screens


class Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_uint32), ("padding", ctypes.c_uint32), ("values", ctypes.c_uint64))


class ConfigAttribute(ctypes.Structure):
    _fields_ = (("attr", Attribute), ("mask", ctypes.c_uint64))


class Config(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("num_attrs", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("attrs", ConfigAttribute * 10),
    )


class LineRequest(ctypes.Structure):
    """struct gpio_v2_line_request of linux/gpio.h."""

    _fields_ = (
        ("offsets", ctypes.c_uint32 * 64),
        ("consumer", ctypes.c_char * 32),
        ("config", Config),
        ("num_lines", ctypes.c_uint32),
        ("event_buffer_size", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("fd", ctypes.c_int32),
    )


@pytest.mark.parametrize(("level", "flags"), [(0, 1 << 3 | 1 << 9), (1, 1 << 3 | 1 << 8)])
def test_a_pin_is_asked_for_as_the_kernel_lays_it_out(
    level: int, flags: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[int, bytes]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda file, number, data: asked.append((number, bytes(data))))
    (tmp_path / "gpiochip0").touch()
    drive(str(tmp_path / "gpiochip0"), 21, level)
    ((number, data),) = asked
    assert number == 3 << 30 | ctypes.sizeof(LineRequest) << 16 | 0xB4 << 8 | 7
    request = LineRequest.from_buffer_copy(data)
    assert (request.offsets[0], request.num_lines, request.consumer) == (21, 1, b"trapdial lights out")
    assert (request.config.flags, request.config.num_attrs) == (flags, 1)
    attribute = request.config.attrs[0]
    assert (attribute.attr.id, attribute.attr.values, attribute.mask) == (2, level, 1)


def test_a_bus_is_written_to_as_the_kernel_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda file, number, address: asked.append((number, address)))
    (tmp_path / "i2c-1").touch()
    lights_out.I2c(str(tmp_path / "i2c-1")).write(0x3C, DISPLAY_OFF)
    assert asked == [(0x0703, 0x3C)]
    assert (tmp_path / "i2c-1").read_bytes() == DISPLAY_OFF


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def use(command: str) -> None:
        monkeypatch.setattr("pi_app.play.watchdog.COMMAND", (command,))

    return use


def test_one_that_cannot_be_started_is_told_to_the_referee(
    forgetful: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetful("/nowhere/python")
    settings = st.load(st.example_path("2x2"))
    assert guarded(settings, "/dev/gpiochip0") == (None, "No such file or directory")
    with TableBuilder(settings, RealParts()) as builder:
        assert builder.start_watchdog() == [
            "watchdog (this machine): could not be started (No such file or directory). If the program is killed, "
            "screens and lamps stay on: switch the power off then."
        ]


def test_one_that_has_died_already_is_closed_all_the_same(forgetful: Callable[[str], None]) -> None:
    forgetful("/bin/true")
    watchdog = Watchdog(["armed"])
    watchdog.close()
    watchdog.close()
