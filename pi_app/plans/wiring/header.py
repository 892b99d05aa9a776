"""Pins: of the Pi's header of forty, of the Pico's, and which of them each I2C bus has (Raspberry Pi documentation,
GPIO header; kernel overlays README: i2c0 to i2c6, i2c0-pi5 to i2c3-pi5, i2c-gpio; Pico datasheet, pinout)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PI_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zero2": "Raspberry Pi Zero 2 W",
        "3": "Raspberry Pi 3",
        "4": "Raspberry Pi 4",
        "5": "Raspberry Pi 5",
    }
)

BOARD_PIN: Final[Mapping[int, int]] = MappingProxyType(
    {
        0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8,
        15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
    }
)  # fmt: skip
"""Pin of the header by GPIO number."""

V33_PINS: Final = (1, 17)
V5_PINS: Final = (2, 4)
GROUND_PINS: Final = (6, 9, 14, 20, 25, 30, 34, 39)

PICO_PIN: Final[Mapping[int, int]] = MappingProxyType(
    {
        0: 1, 1: 2, 2: 4, 3: 5, 4: 6, 5: 7, 6: 9, 7: 10, 8: 11, 9: 12, 10: 14, 11: 15, 12: 16, 13: 17, 14: 19, 15: 20,
        16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32, 28: 34,
    }
)  # fmt: skip
PICO_V33_PINS: Final = (36,)
PICO_GROUND_PINS: Final = (38, 3, 8, 13, 18, 23, 28, 33)
PICO_SDA: Final = 4
PICO_SCL: Final = 5
PICO_RESET: Final = 9
PICO_SPEED_HZ: Final = 400_000
"""The defaults of the firmware's `board.py`, except RESET: it is None there until the wire is soldered."""

BCM_BUSES: Final = {3: (4, 5), 4: (8, 9), 5: (12, 13), 6: (22, 23)}
"""SDA and SCL of `dtoverlay=i2cN` on a Pi 4 without further parameters."""

RP1_BUSES: Final = {
    0: ((0, 1), (8, 9)),
    1: ((2, 3), (10, 11)),
    2: ((4, 5), (12, 13)),
    3: ((6, 7), (14, 15), (22, 23)),
}
"""Pairs of SDA and SCL that `dtoverlay=i2cN-pi5` supports; the first is its default."""

PI_PULL_UP_OHM: Final = 1800
"""On GPIO 2 and GPIO 3 of every Pi, to 3.3 V; no other pin has one."""
PULLED_UP: Final = (2, 3)

HIGH_AT_BOOT: Final = range(9)
"""GPIO 0 to 8 are pulled up inside the Pi while no program uses them; 9 to 27 are pulled down
(BCM2835 ARM Peripherals, table 6-31; the same on every model to the 5)."""


def bus_number(device: str) -> int:
    """Of a device such as `/dev/i2c-1`."""
    return int(device.rpartition("-")[2])


def bus_pins(model: str, number: int, sda: int | None, scl: int | None) -> tuple[int, int] | None:
    """SDA and SCL of /dev/i2c-NUMBER as GPIO numbers: from the settings, else the model's defaults; None if unknown."""
    known = {0: (0, 1), 1: (2, 3)}.get(number)
    if model == "5":
        known = RP1_BUSES[number][0] if number in RP1_BUSES else None
    elif model == "4":
        known = known or BCM_BUSES.get(number)
    if sda is None and scl is None:
        return known
    if known is not None:
        return (known[0] if sda is None else sda, known[1] if scl is None else scl)
    return None if sda is None or scl is None else (sda, scl)


def config_line(model: str, number: int, pins: tuple[int, int], speed_hz: int) -> str:
    """The line of config.txt that switches this bus on at these pins. Pins without a controller on this model get a
    bit-banged bus (i2c-gpio)."""
    if number == 1 and pins == (2, 3):
        return f"dtparam=i2c_arm=on,i2c_arm_baudrate={speed_hz}"
    if model == "5" and pins in RP1_BUSES.get(number, ()):
        chosen = "" if pins == RP1_BUSES[number][0] else f",pins_{pins[0]}_{pins[1]}"
        return f"dtoverlay=i2c{number}-pi5{chosen},baudrate={speed_hz}"
    if number == 0 and pins == (0, 1):
        return f"dtparam=i2c_vc=on,i2c_vc_baudrate={speed_hz}"
    if model == "4" and BCM_BUSES.get(number) == pins:
        return f"dtoverlay=i2c{number},baudrate={speed_hz}"
    delay_us = max(1, round(200_000 / speed_hz))
    return f"dtoverlay=i2c-gpio,bus={number},i2c_gpio_sda={pins[0]},i2c_gpio_scl={pins[1]},i2c_gpio_delay_us={delay_us}"
