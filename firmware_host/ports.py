"""Serial ports that may be a hub's, as the machine lists them.

Every board with MicroPython says the same maker and product, and a Pico's USB serial number is its own number in hex
(MicroPython 1.28 rp2 source: mp_usbd_port_get_serial_number). That is a hint for where to look first; only a hub's
answer to a greeting proves which board it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MICROPYTHON: Final = (0x2E8A, 0x0005)
"""USB vendor and product of a board that runs MicroPython on an RP2040 or RP2350."""


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A port that is there. `uid`: what USB says of the board's number, 16 hex digits, or empty."""

    path: str
    uid: str = ""


def listed() -> list[SerialPort]:
    """Boards with MicroPython, by path."""
    from serial.tools.list_ports import comports

    found = []
    for port in comports():
        if (port.vid, port.pid) == MICROPYTHON:
            number = (port.serial_number or "").lower()
            found.append(SerialPort(port.device, number if re.fullmatch(r"[0-9a-f]{16}", number) else ""))
    return sorted(found, key=lambda port: port.path)


def candidates(uid: str, port: str, there: Sequence[SerialPort]) -> list[str]:
    """Paths to try, the likeliest first. A port that is named is the only one; without a name, boards with this number,
    then such as do not say theirs."""
    if port:
        return [port] if Path(port).exists() else []
    required = uid.lower()
    return [
        *(each.path for each in there if not required or each.uid == required),
        *(each.path for each in there if required and not each.uid),
    ]
