"""Which chips small screens have, and the commands that all of them share.

A kind is a file in `hardware/chips`, and its line here; its twin is in `hardware.sims.screens`. A payload is a control
byte and the bytes after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hardware.kinds import Kinds

COMMANDS: Final = b"\x00"
"""Control byte: only commands follow (SSD1306 rev 1.1 section 8.1.5.2)."""
PIXELS: Final = b"\x40"
"""Control byte: only display RAM follows."""

OFF: Final = COMMANDS + b"\xae"
ON: Final = COMMANDS + b"\xaf"
CONTRAST: Final = COMMANDS + b"\x81"
"""The level follows."""
NOTHING: Final = COMMANDS + b"\xe3"
"""NOP."""


@dataclass(frozen=True, slots=True)
class Window:
    """Where the next bytes of the picture go, ends included. A page has eight rows."""

    page: int
    column: int
    last_page: int
    last_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenKind:
    """One kind of 128x64 screen at 0x3C or 0x3D: the value `KIND` in its file.

    `part`: its name for people. `wake`: the payloads that set up everything but leave it off. `window`: the commands
    that choose where the next bytes go, and `whole` whether one window may have all pages. `order`: what to ask a shop
    for. `fastest_hz`: the fastest clock of its bus, and `source` the datasheet that says so.
    """

    part: str
    wake: tuple[bytes, ...]
    window: Callable[[Window], bytes]
    whole: bool
    order: str
    fastest_hz: int
    source: str


SCREENS: Final = Kinds(
    ScreenKind,
    "ssd1306",
    "sh1106",
)
