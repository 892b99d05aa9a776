"""SH1106: the controller of a small screen, 128x64 (Sino Wealth v2.3).

The wake-up equals that of luma.oled, the usual library for these screens; a test compares the two byte by byte. A game
does not load that library: it takes 3 MB and a tenth of a second, for these few bytes.
"""

from __future__ import annotations

from typing import Final

from hardware.screen_kinds import COMMANDS, CONTRAST, ScreenKind, Window

FIRST_COLUMN: Final = 2
"""It has 132 columns of RAM; a 128 pixel glass is bonded to columns 2 to 129."""


def _window(at: Window) -> bytes:
    """Page, low and high half of the column (p.20-21)."""
    column = at.column + FIRST_COLUMN
    return bytes((0xB0 | at.page, column & 0x0F, 0x10 | column >> 4))


WAKE: Final = (
    b"\xae"  # display off
    b"\x20\x10"  # the SSD1306's memory mode, which this chip does not have; column 0, high half
    b"\xb0"  # page 0
    b"\xc8"  # rows from COM63 to COM0
    b"\x00\x10"  # column 0: low half, high half
    b"\x40"  # start line 0
    b"\xa1"  # segment remap: column 131 is SEG0
    b"\xa6"  # a lit bit is a lit pixel
    b"\xa8\x3f"  # multiplex ratio: 64 rows
    b"\xa4"  # show the RAM
    b"\xd3\x00"  # display offset: none
    b"\xd5\xf0"  # clock: divided by 1, frequency 15
    b"\xd9\x22"  # pre-charge: 2 and 2 clocks
    b"\xda\x12"  # COM pins: alternative
    b"\xdb\x20"  # VCOM level
    b"\x8d\x14"  # the SSD1306's charge pump, which this chip does not have
)


KIND = ScreenKind(
    part="SH1106",
    wake=(COMMANDS + WAKE, CONTRAST + b"\x7f"),
    window=_window,
    whole=False,
    order="1.3 inch, I2C, four pins, 3.3 V; change the hood's screen sizes in trap_square.scad",
    fastest_hz=400_000,
    source="Sino Wealth SH1106",
)
