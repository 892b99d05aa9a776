"""The common part of the SSD1306 and SH1106 twins: control bytes, command streams, and the glass.

A write begins with a control byte: Co (0x80) clear means that only command (0x00) or data bytes (0x40)
follow until the STOP, Co set that one byte follows and then another control byte (SSD1306 rev 1.1
section 8.1.5.2, SH1106 v2.3 p.15). A command and its values may be cut by a STOP.

Not modelled: brightness over the glass, the time until the charge pump has its voltage, pixel
clock and pre-charge, burn-in, reading display RAM (I2C cannot), and wirings of the glass other than the
usual 128x64 module's, which stands upright with segment remap and COM scan reversed.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hardware.sims.wire import IDLE_HIGH, TwinError

WIDTH, HEIGHT, PAGES = 128, 64, 8


@dataclass(frozen=True, slots=True)
class OledCommand:
    """How many value bytes follow, and the handler of (command byte, values)."""

    values: int
    does: Callable[[int, bytes], None]


class OledTwin(ABC):
    """A 128x64 screen on I2C. `on` and `contrast` are its settings, `lit`: whether it can emit light."""

    part = "OLED"
    ram_columns = WIDTH
    status_low_nibble = 0x0
    """Read back in the status byte; not in the datasheets, seen by many on real chips."""

    def __init__(self, address: int = 0x3C) -> None:
        """Raises ValueError for another address than 0x3C or 0x3D: SA0 is the only choice."""
        if address not in (0x3C, 0x3D):
            raise ValueError(f"an {self.part} has the address 0x3C or 0x3D, not 0x{address:02X}")
        self._address = address
        self._commands = self.all_commands()
        self._receive: Callable[[int], None] = self._control
        self.powered = True
        self.reset()

    @property
    def address(self) -> int:
        return self._address

    @property
    def lit(self) -> bool:
        """Whether it is on, with a supply for the glass."""
        return self.on and self.pumped and self.powered

    # --- the pins

    def start(self, reading: bool) -> bool:
        self._receive = self._control
        return self.powered

    def write(self, byte: int) -> bool:
        if self.powered:
            self._receive(byte)
        return self.powered

    def read(self) -> int:
        """The status byte: bit 6 is set while the display is off."""
        if not self.powered:
            return IDLE_HIGH
        return (0x00 if self.on else 0x40) | self.status_low_nibble

    def stop(self) -> None:
        self._receive = self._control

    # --- the plug

    def unplug(self) -> None:
        """Cut the power: no answer, and dark."""
        self.powered = False

    def plug_in(self) -> None:
        """Power up: settings as after reset, and snow in the RAM."""
        self.powered = True
        self.reset()

    # --- the glass

    def pixels(self) -> bytes:
        """The visible picture, 1024 bytes in page format: byte page*128+x, bit 0 the top row. Dark is all 0."""
        if not self.lit:
            return bytes(WIDTH * PAGES)
        if self._all_on:
            return b"\xff" * (WIDTH * PAGES)
        seen = self._glass()
        return bytes(byte ^ 0xFF for byte in seen) if self._inverse else bytes(seen)

    def lit_pixels(self) -> int:
        """How many pixels are lit."""
        return int.from_bytes(self.pixels(), "little").bit_count()

    def _glass(self) -> bytes | bytearray:
        rows_moved = (self._start_line + self._offset) % HEIGHT
        if rows_moved == 0 and self._com_reversed:
            return self._visible()
        return _rows_moved(self._visible(), rows_moved, flipped=not self._com_reversed)

    def _visible(self) -> bytes | bytearray:
        """The 128 columns of RAM that are bonded to the glass, left to right as seen."""
        return self.ram

    # --- streams

    def _control(self, byte: int) -> None:
        receivers = {0x00: self._command, 0x40: self._data, 0x80: self._one_command, 0xC0: self._one_data}
        if byte not in receivers:
            raise TwinError(f"{self.part}: 0x{byte:02X} is no control byte (its low six bits are 0)")
        self._receive = receivers[byte]

    def _one_command(self, byte: int) -> None:
        self._receive = self._control
        self._command(byte)

    def _one_data(self, byte: int) -> None:
        self._receive = self._control
        self._data(byte)

    def _command(self, byte: int) -> None:
        """Handle a command byte or one of its values; values may arrive in a later transaction."""
        self._gathered.append(byte)
        first = self._gathered[0]
        command = self._commands.get(first)
        if command is None:
            self._gathered.clear()
            raise TwinError(f"{self.part}: command 0x{first:02X} is not in the datasheet, or not in the twin")
        if len(self._gathered) > command.values:
            values = bytes(self._gathered[1:])
            self._gathered.clear()
            command.does(first, values)

    @abstractmethod
    def _data(self, byte: int) -> None:
        """Store a byte of eight pixels at the address pointer."""

    # --- settings that both chips have

    def reset(self) -> None:
        """Set the reset values, and fill the RAM with snow: power-up does not clear it."""
        self.on = False
        self.pumped = False
        self.contrast = 0x7F
        self._inverse = self._all_on = False
        self._start_line = self._offset = 0
        self._segments_reversed = self._com_reversed = False
        self._column = self._page = 0
        self._gathered = bytearray()
        self._receive = self._control
        snow = random.Random(f"{self.part} {self._address}")
        self.ram = bytearray(snow.randbytes(self.ram_columns * PAGES))

    def all_commands(self) -> Mapping[int, OledCommand]:
        """All commands of this chip."""
        analogue = OledCommand(1, change_nothing)
        table = {
            0x81: OledCommand(1, self._set_contrast),
            0xA0: OledCommand(0, self._set_segments),
            0xA1: OledCommand(0, self._set_segments),
            0xA4: OledCommand(0, self._set_all_on),
            0xA5: OledCommand(0, self._set_all_on),
            0xA6: OledCommand(0, self._set_inverse),
            0xA7: OledCommand(0, self._set_inverse),
            0xA8: OledCommand(1, self._set_rows),
            0xAE: OledCommand(0, self._set_on),
            0xAF: OledCommand(0, self._set_on),
            0xD3: OledCommand(1, self._set_offset),
            **dict.fromkeys((0xD5, 0xD9, 0xDA, 0xDB), analogue),  # clock, pre-charge, COM pins, VCOMH
            0xE3: OledCommand(0, change_nothing),
        }
        table |= {byte: OledCommand(0, self._set_start_line) for byte in range(0x40, 0x80)}
        table |= {byte: OledCommand(0, self._set_page) for byte in range(0xB0, 0xB8)}
        table |= {byte: OledCommand(0, self._set_com) for byte in range(0xC0, 0xD0)}
        table |= {byte: OledCommand(0, self._set_column_low) for byte in range(0x10)}
        table |= {byte: OledCommand(0, self._set_column_high) for byte in range(0x10, 0x20)}
        return table

    def _set_contrast(self, command: int, values: bytes) -> None:
        self.contrast = values[0]

    def _set_segments(self, command: int, values: bytes) -> None:
        self._segments_reversed = bool(command & 1)

    def _set_all_on(self, command: int, values: bytes) -> None:
        self._all_on = bool(command & 1)

    def _set_inverse(self, command: int, values: bytes) -> None:
        self._inverse = bool(command & 1)

    def _set_on(self, command: int, values: bytes) -> None:
        self.on = bool(command & 1)

    def _set_offset(self, command: int, values: bytes) -> None:
        self._offset = values[0] & 0x3F

    def _set_start_line(self, command: int, values: bytes) -> None:
        self._start_line = command & 0x3F

    def _set_page(self, command: int, values: bytes) -> None:
        self._page = command & 0x07

    def _set_com(self, command: int, values: bytes) -> None:
        self._com_reversed = bool(command & 0x08)

    def _set_column_low(self, command: int, values: bytes) -> None:
        self._column = self._column & 0xF0 | command & 0x0F

    def _set_column_high(self, command: int, values: bytes) -> None:
        self._column = self._column & 0x0F | (command & 0x0F) << 4

    def _set_rows(self, command: int, values: bytes) -> None:
        if values[0] & 0x3F != HEIGHT - 1:
            raise TwinError(f"{self.part}: the twin's glass has 64 rows, not {(values[0] & 0x3F) + 1}")


def change_nothing(command: int, values: bytes) -> None:
    """Ignore a command that has no visible effect."""


def _rows_moved(picture: bytes | bytearray, rows: int, *, flipped: bool) -> bytearray:
    """The picture with its first `rows` rows wrapped round to the bottom, then perhaps upside down."""
    moved = bytearray(WIDTH * PAGES)
    for x in range(WIDTH):
        column = sum(picture[page * WIDTH + x] << 8 * page for page in range(PAGES))
        column = (column >> rows | column << (HEIGHT - rows)) & (1 << HEIGHT) - 1
        if flipped:
            column = int(f"{column:064b}"[::-1], 2)
        for page in range(PAGES):
            moved[page * WIDTH + x] = column >> 8 * page & 0xFF
    return moved
