"""YE64: the controller of a 128x64 screen that nobody makes. 0xF0 to 0xF7 choose a page, 0xF8 a column."""

from __future__ import annotations

from hardware.screen_kinds import COMMANDS, ScreenKind

KIND = ScreenKind(
    part="YE64",
    wake=(COMMANDS + b"\xae\xc8",),
    window=lambda at: bytes((0xF0 | at.page, 0xF8, at.column)),
    whole=False,
    order="a screen that nobody sells",
    fastest_hz=200_000,
    source="a datasheet that nobody wrote",
)
