"""Lists the serial ports that may be a hub's.

Every board with MicroPython reports the same manufacturer and product, and a Pico's USB serial number is its board id
in hex (MicroPython 1.28 rp2 source: mp_usbd_port_get_serial_number). That is only a hint which port to try first; the
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
    """A present port. `uid`: the board id in its USB serial number, 16 hex digits, or empty."""

    path: str
    uid: str = ""


def listed() -> list[SerialPort]:
    """Ports of boards with MicroPython, sorted by path."""
    from serial.tools.list_ports import comports

    found = []
    for port in comports():
        if (port.vid, port.pid) == MICROPYTHON:
            number = (port.serial_number or "").lower()
            found.append(SerialPort(port.device, number if re.fullmatch(r"[0-9a-f]{16}", number) else ""))
    return sorted(found, key=lambda port: port.path)


def candidates(uid: str, port: str, there: Sequence[SerialPort]) -> list[str]:
    """Paths to try, the likeliest first. A named port is the only one; without a name, boards with this id, then boards
    without an id."""
    if port:
        return [port] if Path(port).exists() else []
    required = uid.lower()
    return [
        *(each.path for each in there if not required or each.uid == required),
        *(each.path for each in there if required and not each.uid),
    ]
