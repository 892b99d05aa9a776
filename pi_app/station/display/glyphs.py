"""What a Linux console can show: 256 glyphs of its font, and which ones.

Two fonts are common: the kernel's own (code page 437) and Debian's Lat15. They share ASCII, most accented letters, the
box lines, and the full block; the half blocks are in the kernel's font alone. `TEXT` is what both have. A console
tells which glyphs its font has (GIO_UNIMAP, ioctl_console(2)), so the display asks it.
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import struct
import unicodedata
from functools import cache
from typing import Final

from pi_app.displays.letters import plain

HALF_BLOCKS: Final = "▀▄"
FULL_BLOCK: Final = "█"
LINES: Final = "─│┌┐└┘"

ACCENTED: Final = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜáíóúñÑ¿¡«»ß°"
TEXT: Final = frozenset(map(chr, range(32, 127))) | frozenset(ACCENTED + LINES + FULL_BLOCK)
"""Every glyph of the display, beside the half blocks."""

GIO_UNIMAP: Final = 0x4B66
"""linux/kd.h: the map from Unicode to the glyphs of the console's font."""

_PAIRS: Final = 2048


_STRAIGHT: Final = str.maketrans({"’": "'", "“": '"', "”": '"', "„": '"', "œ": "oe", "Œ": "OE"})


@cache
def console_text(text: str) -> str:
    """The text in glyphs that every console has: round quotes straight, a capital without its accent if the fonts
    lack it."""
    return "".join(map(_glyph, plain(text).translate(_STRAIGHT)))


def _glyph(character: str) -> str:
    if character in TEXT:
        return character
    base = unicodedata.normalize("NFD", character)[0]
    return base if base in TEXT else "?"


def glyphs_of(handle: int) -> frozenset[str] | None:
    """Which characters the font of a Linux console has; None for any other terminal."""
    pairs = array.array("H", bytes(4 * _PAIRS))
    address, _ = pairs.buffer_info()
    asked = bytearray(struct.pack("@HP", _PAIRS, address))
    try:
        fcntl.ioctl(handle, GIO_UNIMAP, asked)
    except OSError:
        return None
    (count,) = struct.unpack_from("@H", asked)
    return frozenset(map(chr, pairs[: 2 * min(count, _PAIRS) : 2]))


def has_half_blocks(handle: int) -> bool:
    """Whether this terminal can draw half a cell: every one but a console whose font lacks the glyphs."""
    known: frozenset[str] | None = None
    with contextlib.suppress(ValueError):
        known = glyphs_of(handle) if os.isatty(handle) else None
    return known is None or set(HALF_BLOCKS) <= known
