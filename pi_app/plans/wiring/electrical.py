"""Limits of the parts of a table, and the formulas of a line. Every number has its source; nothing is measured.

Sources: NXP UM10204 rev. 7 (the I2C bus), TI SCPS207 (TCA9548A), TI SCPS145 (P82B715), Microchip DS20005202
(24AA02UID), Solomon Systech SSD1306 1.1, Raspberry Pi documentation (GPIO), BCM2835 ARM Peripherals, Raspberry Pi Pico
datasheet, USB 2.0; for encoders, the files of their drivers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from hardware.encoders import ENCODERS
from hardware.screen_kinds import SCREENS

UM10204: Final = "NXP UM10204 section 6.1"
"""Characteristics of SDA and SCL; rev. 7 of October 2021, as everywhere here."""
UM10204_ADDRESSES: Final = "NXP UM10204 section 3.1.10"
"""Each target has its own address."""
PULL_UP_SOURCE: Final = "NXP UM10204 section 7.1"
MUX_SOURCE: Final = "TI SCPS207"
CABLE_SOURCE: Final = "TI SCPS145"
PI_SOURCE: Final = "Raspberry Pi documentation, GPIO"
BOOT_SOURCE: Final = "BCM2835 ARM Peripherals, table 6-31"
PICO_SOURCE: Final = "Raspberry Pi Pico datasheet"
SCREEN_SOURCE: Final = "Solomon Systech SSD1306, 1025 bytes a picture"
USB_SOURCE: Final = "USB 2.0 section 7.1.16"

# ------------------------------------------------------------------------------------------------- a line

RAIL_V: Final = 3.3
LOW_V: Final = 0.4
"""A line counts as low up to this (V_OL of UM10204)."""
SINK_MA: Final = 3.0
"""The current that a chip must be able to sink at LOW_V (I_OL of UM10204; a TCA9548A too at least 3 mA)."""
LEAST_OHM: Final = 1000 * (RAIL_V - LOW_V) / SINK_MA
"""967 Ohm: with a smaller pull-up a chip might not pull the line low."""

MOST_PF: Final = 400
"""On one line at up to 400 kHz (C_b of UM10204). At 1 MHz it allows 550 for 20 mA drivers, which no part here has."""

RISE_FACTOR: Final = math.log(0.7 / 0.3)
"""From 30 % of the supply to 70 %: 0.8473 (UM10204 section 7.1)."""

RISE_NS: Final = ((100_000, 1000), (400_000, 300), (1_000_000, 120))
"""Longest rise time up to each speed: Standard-mode, Fast-mode, Fast-mode Plus (t_r of UM10204)."""

PIN_PF: Final = 10
"""Of one pin of a chip, at most (C_i of UM10204)."""
MUX_PF: Final = 28
"""Of SDA or SCL of a TCA9548A, at most; MUX_CHANNEL_PF of one channel (C_io of TI SCPS207, from memory: that table was
not at hand)."""
MUX_CHANNEL_PF: Final = 7.5


def most_rise_ns(speed_hz: int) -> int:
    """The longest rise time that a bus of this speed allows."""
    return next(limit for most_hz, limit in RISE_NS if speed_hz <= most_hz)


def parallel_ohm(ohms: Sequence[int]) -> float | None:
    """Resistors in parallel; None without any."""
    return 1 / sum(1 / ohm for ohm in ohms) if ohms else None


def rise_ns(ohm: float, pf: float) -> float:
    """How long a line takes to rise (UM10204 section 7.1: 0.8473 R C)."""
    return RISE_FACTOR * ohm * pf / 1000


def most_pf(ohm: float, speed_hz: int) -> float:
    """The most capacitance with which a line with this pull-up rises in time; MOST_PF may be less."""
    return 1000 * most_rise_ns(speed_hz) / (RISE_FACTOR * ohm)


# ----------------------------------------------------------------------------------------------- a cable

MOST_LEAD_M: Final = 2.0
"""Of an I2C lead without a buffer. By SCPS145, 400 pF is reached after a few metres; at 100 pF/m, 2 m leave room for
chips. Beyond: a P82B715 at each end (3000 pF, 50 m)."""
MOST_USB_M: Final = 5.0
"""26 ns of delay at full speed (USB 2.0 section 7.1.16)."""


# ----------------------------------------------------------------------------------------------- currents

MEMORY_MA: Final = 3.0
"""While it is written (Microchip DS20005202)."""
SCREEN_MA: Final = 20.0
"""A 128x64 OLED with some of its pixels lit: about 20 mA according to makers of modules."""
MUX_MA: Final = 0.1
"""At 400 kHz and 3.6 V at most 0.035 (TI SCPS207), rounded up to 0.1."""

LAMP_V: Final = 2.0
"""Across a lit red lamp. Green, blue and white ones drop more, so they draw less current."""

PIN_MA: Final = 16.0
"""Of one GPIO of a Pi; PINS_MA of all together (Raspberry Pi documentation)."""
PINS_MA: Final = 50.0
PICO_RAIL_MA: Final = 300
"""At 3V3(OUT) of a Pico (Pico datasheet)."""


def lamp_ma(ohm: int) -> float:
    """The current of one leg of a lamp through its resistor."""
    return 1000 * (RAIL_V - LAMP_V) / ohm


# -------------------------------------------------------------------------------------------------- speed

FASTEST: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "TCA9548A": (400_000, MUX_SOURCE),
        **{kind.part: (kind.fastest_hz, kind.source) for kind in SCREENS.values()},
        "24AA02UID": (400_000, "Microchip DS20005202"),
        "24AA025E48": (400_000, "Microchip DS20002124"),
        **{kind.part: (kind.fastest_hz, kind.source) for kind in ENCODERS.values() if kind.fastest_hz is not None},
    }
)
"""The fastest clock of a chip in Hz, and its source. For the others only UM10204's end at 1 MHz is known."""

ALARM_HZ: Final = 60
"""The fastest recorded hand turns 171 clicks of a 12-click dial per second. Tracking it takes 29 samples per second, or
57 if every other read fails."""
TRANSFER_US: Final = (60, 150)
"""Overhead of a transfer on a Pi beside its bits: kernel, driver and program. Estimated for planning, not measured."""

HUB_BITS: Final = 97
"""Of one sample of a hub's dial, its mux included; HUB_DIAL_US is MicroPython's overhead (the table in
wiring_docs/hub.md: calculated, not measured)."""
HUB_DIAL_US: Final = (245, 340)


# ---------------------------------------------------------------------------------------------- addresses


@dataclass(frozen=True, slots=True)
class Clash:
    """Chips of different makers with the same address; both answer if they are on one line."""

    addresses: range
    ours: str
    others: str


def _one(address: int) -> range:
    return range(address, address + 1)


def _of_encoders() -> Iterator[Clash]:
    """Those of all kinds of encoders; kinds at the same addresses are one."""
    ours: dict[tuple[range, str], list[str]] = {}
    for kind in ENCODERS.values():
        for clash in kind.clashes:
            ours.setdefault(clash, []).append(kind.part)
    return (Clash(addresses, ", ".join(parts), others) for (addresses, others), parts in ours.items())


_OTHER_CLASHES: Final = (
    Clash(range(0x3C, 0x3E), "a screen", "the seventh and eighth seesaw encoder"),
    Clash(
        range(0x50, 0x58), "24AA02UID, 24AA025E48 (0x50 only)", "every other EEPROM, and a quad seesaw encoder at 0x50"
    ),
    Clash(_one(0x70), "mux", "HT16K33, SHTC3, MB1232, and the all-call of every PCA9685"),
    Clash(range(0x71, 0x78), "mux", "HT16K33"),
)
CLASHES: Final = tuple(sorted((*_of_encoders(), *_OTHER_CLASHES), key=lambda clash: clash.addresses[0]))
"""Well-known clashes, from the chips' datasheets."""
