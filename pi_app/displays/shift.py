"""Shift a screen's picture by a few pixels from time to time, against burn-in.

Pixels that leave at one edge enter at the other, so the number of lit pixels stays the same. The shift depends on the
time alone, never on the content (S-6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.report.pictures import Drift, SeatPicture, ShowCode, ShowFace, ShowHead

STEP_NS: Final = 600_000_000_000
"""Ten minutes between steps."""

MOST_ACROSS: Final = 4
MOST_DOWN: Final = 2
"""No picture has letters closer to the edge, except a face, which may use the whole height and moves across only."""

_WIDTH, _PAGES = 128, 8


def _there_and_back(most: int) -> tuple[int, ...]:
    """One pixel at a time from the middle to both sides: 0, 1, .., most, .., 0, -1, .., -most, .., -1."""
    return (*range(most), *range(most, -most, -1), *range(-most, 0))


_ACROSS: Final = _there_and_back(MOST_ACROSS)
_DOWN: Final = _there_and_back(MOST_DOWN)


@dataclass(frozen=True, slots=True)
class Shift:
    """Pixels to the right and down."""

    across: int = 0
    down: int = 0


def shift_at(now_ns: int) -> Shift:
    """The shift at this time; it goes through all places within a day."""
    step = now_ns // STEP_NS
    return Shift(_ACROSS[step % len(_ACROSS)], _DOWN[step // len(_ACROSS) % len(_DOWN)])


def placed(frame: bytes, picture: SeatPicture, now_ns: int) -> bytes:
    """A picture's frame with the shift of this time. A QR code is shown for seconds, and stays whole; what drifts does
    so without a shift."""
    if isinstance(picture, (ShowCode, ShowHead, Drift)):
        return frame
    shift = shift_at(now_ns)
    return shifted(frame, Shift(shift.across) if isinstance(picture, ShowFace) else shift)


def shifted(frame: bytes, shift: Shift) -> bytes:
    """A frame of 1024 bytes (byte `page * 128 + column`, lowest bit the top row), shifted with wrap-around."""
    if shift.across:
        cut = -shift.across % _WIDTH
        rows = (frame[at : at + _WIDTH] for at in range(0, len(frame), _WIDTH))
        frame = b"".join(row[cut:] + row[:cut] for row in rows)
    return _down(frame, shift.down % (8 * _PAGES)) if shift.down else frame


def _down(frame: bytes, pixels: int) -> bytes:
    """All columns at once: a page gives its lowest rows to the page below."""
    pages, rows = divmod(pixels, 8)
    cut = len(frame) - pages * _WIDTH
    frame = frame[cut:] + frame[:cut]
    above = frame[-_WIDTH:] + frame[:-_WIDTH]
    kept = bytes(byte << rows & 0xFF for byte in range(256))
    given = bytes(byte << rows >> 8 for byte in range(256))
    lower, upper = frame.translate(kept), above.translate(given)
    return (int.from_bytes(lower, "big") | int.from_bytes(upper, "big")).to_bytes(len(frame), "big")
