"""A twin of the SSD1306 OLED controller with a 128x64 glass, from Solomon Systech SSD1306 rev 1.1.

Horizontal, vertical and page addressing (0x20), windows (0x21, 0x22) which also put the pointer at their
start, contrast, on and off, inverse, start line and offset. Segment remap affects only what is written
after it (section 10.1.8). Without the charge pump (0x8D 0x14) the glass stays dark.

Not modelled: scrolling (0x26 to 0x2F but "stop", 0xA3: TwinError), fewer rows than 64, the
COM pin layouts of other glasses, and a busy time after power-up. See `hardware.sims.oled` for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from hardware.sims.oled import PAGES, WIDTH, OledCommand, OledTwin, change_nothing
from hardware.sims.wire import TwinError

HORIZONTAL, VERTICAL, PAGE = 0, 1, 2


class Ssd1306Twin(OledTwin):
    """An SSD1306 module on I2C."""

    part = "SSD1306"
    status_low_nibble = 0x3

    def reset(self) -> None:
        super().reset()
        self._mode = PAGE
        self._columns = (0, WIDTH - 1)
        self._pages = (0, PAGES - 1)

    def all_commands(self) -> Mapping[int, OledCommand]:
        return {
            **super().all_commands(),
            0x20: OledCommand(1, self._set_mode),
            0x21: OledCommand(2, self._set_columns),
            0x22: OledCommand(2, self._set_pages),
            0x2E: OledCommand(0, change_nothing),  # "stop scrolling": the twin never scrolls
            0x8D: OledCommand(1, self._set_pump),
        }

    def _data(self, byte: int) -> None:
        column = self._column
        # The remap sits before the RAM, so what is already written stays where it is.
        x = column if self._segments_reversed else WIDTH - 1 - column
        self.ram[self._page * WIDTH + x] = byte
        if column != self._columns[1] and column < WIDTH - 1 and self._mode != VERTICAL:
            self._column = column + 1
        else:
            self._step()

    def _step(self) -> None:
        """The end of a window's row, or any step in vertical mode."""
        if self._mode == VERTICAL:
            if self._page != self._pages[1]:
                self._page = (self._page + 1) % PAGES
                return
            self._page = self._pages[0]
            at_end = self._column == self._columns[1]
            self._column = self._columns[0] if at_end else (self._column + 1) % WIDTH
            return
        self._column = self._columns[0]
        if self._mode == HORIZONTAL:
            at_end = self._page == self._pages[1]
            self._page = self._pages[0] if at_end else (self._page + 1) % PAGES

    def _set_mode(self, command: int, values: bytes) -> None:
        if values[0] & 3 == 3:
            raise TwinError("SSD1306: memory addressing mode 3 is not a valid one")
        self._mode = values[0] & 3

    def _set_columns(self, command: int, values: bytes) -> None:
        self._columns = self._window(values, WIDTH)
        self._column = self._columns[0]

    def _set_pages(self, command: int, values: bytes) -> None:
        self._pages = self._window(values, PAGES)
        self._page = self._pages[0]

    def _window(self, values: bytes, size: int) -> tuple[int, int]:
        first, last = (value & (size - 1) for value in values)
        if last < first:
            raise TwinError(f"SSD1306: a window cannot go from {first} to {last}")
        return first, last

    def _set_column_high(self, command: int, values: bytes) -> None:
        super()._set_column_high(command & 0x17, values)

    def _set_pump(self, command: int, values: bytes) -> None:
        self.pumped = bool(values[0] & 0x04)


def make_twin(address: int) -> OledTwin:
    return Ssd1306Twin(address)
