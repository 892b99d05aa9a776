"""SSD1306: the controller of a small screen, 128x64 (Solomon Systech rev 1.1).

The wake-up equals that of luma.oled, the usual library for these screens; a test compares the two byte by byte. A game
does not load that library: it takes 3 MB and a tenth of a second, for these few bytes.
"""

from __future__ import annotations

from typing import Final

from hardware.screen_kinds import COMMANDS, CONTRAST, ScreenKind, Window

COLUMNS, PAGES = 0x21, 0x22
"""First and last column, first and last page of the next window (table 9)."""


def _window(at: Window) -> bytes:
    return bytes((COLUMNS, at.column, at.last_column, PAGES, at.page, at.last_page))


WAKE: Final = (
    b"\xae"  # display off
    b"\xd5\x80"  # clock: divided by 1, frequency 8
    b"\xa8\x3f"  # multiplex ratio: 64 rows
    b"\xd3\x00"  # display offset: none
    b"\x40"  # start line 0
    b"\x8d\x14"  # charge pump on
    b"\x20\x00"  # memory mode: horizontal
    b"\xa1"  # segment remap: column 127 is SEG0
    b"\xc8"  # rows from COM63 to COM0
    b"\xda\x12"  # COM pins: alternative, no left/right remap
    b"\xd9\xf1"  # pre-charge: 1 and 15 clocks
    b"\xdb\x40"  # VCOMH level
    b"\xa4"  # show the RAM
    b"\xa6"  # a lit bit is a lit pixel
)


KIND = ScreenKind(
    part="SSD1306",
    wake=(COMMANDS + WAKE, CONTRAST + b"\xcf"),
    window=_window,
    whole=True,
    order="0.96 inch, I2C, four pins, 3.3 V; the printed hood fits it",
    fastest_hz=400_000,
    source="Solomon Systech SSD1306",
)
