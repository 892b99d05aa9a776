"""The commands of the small screens' chips: SSD1306 rev 1.1 table 9, SH1106 v2.3 p.19 to 27.

A payload is a control byte and the bytes after it. The wake-up equals that of luma.oled, the usual library for these
screens; a test compares the two byte by byte. A game does not load that library: it takes 3 MB and a
tenth of a second, for these few bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

ScreenChip = Literal["ssd1306", "sh1106"]

COMMANDS: Final = b"\x00"
"""Control byte: only commands follow (SSD1306 section 8.1.5.2)."""
PIXELS: Final = b"\x40"
"""Control byte: only display RAM follows."""

OFF: Final = COMMANDS + b"\xae"
ON: Final = COMMANDS + b"\xaf"
CONTRAST: Final = COMMANDS + b"\x81"
"""The level follows."""
NOTHING: Final = COMMANDS + b"\xe3"
"""NOP."""

COLUMN_WINDOW: Final = 0x21
PAGE_WINDOW: Final = 0x22
"""SSD1306 only: first and last column, first and last page of the next window."""


_SSD1306_WAKE: Final = (
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
_SH1106_WAKE: Final = (
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

WAKE: Final[Mapping[ScreenChip, tuple[bytes, ...]]] = MappingProxyType(
    {
        "ssd1306": (COMMANDS + _SSD1306_WAKE, CONTRAST + b"\xcf"),
        "sh1106": (COMMANDS + _SH1106_WAKE, CONTRAST + b"\x7f"),
    }
)
"""Sets up everything but leaves the screen off."""
