"""A twin of the SH1106 OLED controller with a 128x64 glass, from Sino Wealth SH1106 v2.3.

132 columns of RAM, of which the glass shows 2 to 129; page addressing only: the column advances after
each byte and stays at 131, the page never advances. The DC-DC converter is on after reset (0xAD 0x8B)
and can be switched off (0xAD 0x8A).

Not modelled: read-modify-write (0xE0, 0xEE: TwinError), the pump voltage's effect on
brightness, fewer rows than 64. Guess: 0x20 and 0x8D, SSD1306 commands that common drivers send to this
chip too, are single bytes without effect; so the value after them counts as another command.
See `hardware.sims.oled` for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from hardware.sims.oled import PAGES, WIDTH, OledCommand, OledTwin, change_nothing
from hardware.sims.wire import TwinError

RAM_COLUMNS = 132
FIRST_VISIBLE = 2


class Sh1106Twin(OledTwin):
    """An SH1106 module on I2C."""

    part = "SH1106"
    ram_columns = RAM_COLUMNS
    status_low_nibble = 0x8

    def reset(self) -> None:
        super().reset()
        self.pumped = True

    def all_commands(self) -> Mapping[int, OledCommand]:
        idle = OledCommand(0, change_nothing)
        table = {**super().all_commands(), 0x20: idle, 0x8D: idle, 0xAD: OledCommand(1, self._set_converter)}
        return table | dict.fromkeys(range(0x30, 0x34), idle)

    def _data(self, byte: int) -> None:
        if self._column < RAM_COLUMNS:
            self.ram[self._page * RAM_COLUMNS + self._column] = byte
        self._column = min(self._column + 1, RAM_COLUMNS - 1)

    def _visible(self) -> bytearray:
        seen = bytearray()
        for page in range(PAGES):
            first = page * RAM_COLUMNS + FIRST_VISIBLE
            row = self.ram[first : first + WIDTH]
            seen += row if self._segments_reversed else row[::-1]
        return seen

    def _set_converter(self, command: int, values: bytes) -> None:
        if values[0] not in (0x8A, 0x8B):
            raise TwinError(f"SH1106: 0xAD takes 0x8A or 0x8B, not 0x{values[0]:02X}")
        self.pumped = bool(values[0] & 1)


def make_twin(address: int) -> OledTwin:
    return Sh1106Twin(address)
