"""A twin of the YE64, the controller of a 128x64 screen that nobody makes.

0xF0 to 0xF7 choose a page, 0xF8 and a value the column; the column advances with each byte and stops at the last one.
It needs no charge pump. Not modelled: nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from hardware.sims.oled import WIDTH, OledCommand, OledTwin


class Ye64Twin(OledTwin):
    """A YE64 module on I2C."""

    part = "YE64"

    def reset(self) -> None:
        super().reset()
        self.pumped = True

    def all_commands(self) -> Mapping[int, OledCommand]:
        pages = {byte: OledCommand(0, self._set_page) for byte in range(0xF0, 0xF8)}
        return {**super().all_commands(), **pages, 0xF8: OledCommand(1, self._choose_column)}

    def _choose_column(self, command: int, values: bytes) -> None:
        self._column = values[0]

    def _data(self, byte: int) -> None:
        self.ram[self._page * WIDTH + self._column] = byte
        self._column = min(self._column + 1, WIDTH - 1)


def make_twin(address: int) -> OledTwin:
    return Ye64Twin(address)
