"""A record's head as a QR code, drawn with half blocks."""

from __future__ import annotations

import io

import segno


def qr_code(letters: str) -> tuple[str, ...]:
    """Return the lines of a QR code, light on dark as a terminal shows it."""
    drawn = io.StringIO()
    segno.make_qr(letters.replace(" ", ""), error="m").terminal(drawn, compact=True, border=2)
    return tuple(drawn.getvalue().splitlines())
