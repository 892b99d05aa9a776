"""What to ask a shop for: real boards and components for the names that the parts list has, with alternatives.

Prices are not here: they differ by country and week, so the list has an empty column for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hardware.encoders import ENCODERS
from hardware.screen_kinds import SCREENS

ORDER: Final[Mapping[str, str]] = {
    "Raspberry Pi Zero 2 W": "Raspberry Pi Zero 2 WH (with header), or Zero 2 W and a header of 2 x 20 pins to solder",
    "Raspberry Pi 3": "Raspberry Pi 3 Model B or B+",
    "Raspberry Pi 4": "Raspberry Pi 4 Model B, 1 GB or more",
    "Raspberry Pi 5": "Raspberry Pi 5, 1 GB or more",
    "Raspberry Pi Pico": "Raspberry Pi Pico H (with headers), or Pico",
    "socket of 2 x 20 pins, 2.54 mm": "with solder tails; or single crimped (Dupont) sockets",
    "microSD card": "16 GB or more, class A1 or A2",
    **{f"{kind.part} board": kind.order for kind in ENCODERS.values()},
    "TCA9548A board": "Adafruit 2717; or any TCA9548A or PCA9548A board that leads out RESET and all channels",
    **{f"OLED 128x64, {kind.part}": kind.order for kind in SCREENS.values()},
    "24AA02UID": "Microchip 24AA02UID-I/SN, on an adapter for SOIC-8",
    "24AA025E48": "Microchip 24AA025E48-I/SN, on an adapter for SOIC-8",
    "push button": "momentary, normally open, quiet: PBS-33B (12 mm), or any arcade or panel button",
    "LED": "5 mm, diffused, red, about 2 V and 20 mA; the printed hood fits it",
    "LED of three colours, common cathode": "5 mm, diffused, four legs, common cathode",
    "LED of three colours, common anode": "5 mm, diffused, four legs, common anode",
    "terminal strip": "strip board with screw terminals of 2.54 mm, or lever connectors (WAGO 221-415 joins five)",
    "high-side load switch, 3.3 V": "TI TPS22918 on a board, or any high-side switch for 3.3 V and 1 A",
    "TVS array for 4 lines, 3.3 V": "Nexperia PESD3V3L4UG on an adapter board, or another array for 3.3 V signals",
    "magnet, disc 6 x 2.5 mm, N35H": "usually sold with the encoder's board; N35H or stronger",
    "100 nF": "ceramic X7R, 16 V or more, legs 2.54 or 5 mm apart",
    "10 uF": "ceramic, 10 V or more; or electrolytic, 16 V",
    "USB cable that carries data, micro-B": "USB-A to micro-B, sold for data and not for charging alone",
}

SUPPLIES: Final[Mapping[str, str]] = {
    "Raspberry Pi Zero 2 W": "Raspberry Pi 12.5 W micro USB power supply (5.1 V, 2.5 A)",
    "Raspberry Pi 3": "Raspberry Pi 12.5 W micro USB power supply (5.1 V, 2.5 A)",
    "Raspberry Pi 4": "Raspberry Pi 15 W USB-C power supply (5.1 V, 3 A)",
    "Raspberry Pi 5": "Raspberry Pi 27 W USB-C power supply (5.1 V, 5 A)",
}

REGULATOR: Final = "Pololu D24V10F3 (1 A), or another 3.3 V step-down board for the current, with a 5 V supply"
RESISTOR: Final = "metal film, 1/4 W, 1 % or 5 %"
LATCHED_CABLE: Final = "two twisted pairs of a network cable, or four thin stranded wires"
PLAIN_CABLE: Final = "stranded wire of 0.14 to 0.25 mm2 (AWG 26 to 24), or jumper wires"


def order(part: str) -> str:
    """What to ask for; empty if the part's name says everything."""
    if part in ORDER:
        return ORDER[part]
    if part.endswith("Ohm"):
        return RESISTOR
    if part.startswith("3.3 V regulator"):
        return REGULATOR
    return next((what for name, what in ORDER.items() if part.startswith(f"{name}, ")), "")


TOOLS: Final = (
    ("soldering iron and solder", "pin headers, resistors, wires"),
    ("multimeter", "the checks before power"),
    ("wire stripper and side cutter", "leads"),
    ("crimping tool for the plugs", "none with ready-made pigtails"),
    ("screwdrivers for M2 and M2.5", "the squares and the screens"),
    ("3D printer with a 0.4 mm nozzle", "or a printing service: send it the STL files"),
    ("superglue or epoxy", "magnets and dial faces"),
    ("second magnet", "to find the poles of the others"),
    ("paper printer and scissors", "labels, lamp cards, dial faces"),
    ("coin up to 1.9 mm thick", "turns the dials"),
)
"""Each with what it is for; one of each."""
