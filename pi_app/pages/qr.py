"""QR codes as rows of modules, for print and for small screens."""

from __future__ import annotations

from typing import Any, Literal

Modules = tuple[tuple[bool, ...], ...]
"""The rows of a QR code from the top, without its quiet zone; True is dark."""

Level = Literal["L", "M", "Q", "H"]
"""How much may be damaged: 7, 15, 25 or 30 %."""


def modules(text: str, level: Level = "M") -> Modules:
    """Draw a text as the smallest QR code. An address of a page with its join secret (`page_url`) is packed as letters,
    `#`, letters: so it is of version 3 (29 modules) at level M, also with a port."""
    import segno  # with half of the standard library: a table is ready before it is needed

    before, mark, after = text.partition("#")
    if mark and _is_packed(before) and _is_packed(after):
        parts: Any = [before, mark, after]  # segno takes a list, and its types do not say so
        drawn = segno.make_qr(parts, error=level, boost_error=False)
    elif _is_packed(text):
        drawn = segno.make_qr(text, error=level, boost_error=False)
    else:
        drawn = segno.make_qr(text, error=level, boost_error=False, mode="byte", encoding="utf-8")
    return tuple(tuple(bool(module) for module in row) for row in drawn.matrix)


_PACKED = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")


def _is_packed(text: str) -> bool:
    return bool(text) and _PACKED.issuperset(text)
