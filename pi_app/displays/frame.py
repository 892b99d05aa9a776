"""The frame around a screen's content. It lights as many pixels as needed to give every picture the same number of lit
pixels (S-6): solid at the rim, fading inwards."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import Final

from pi_app.displays.canvas import HEIGHT, WIDTH, PixelCanvas, pixel
from pi_app.text.errors import BrokenInstallationError

LIT_PIXELS: Final = 2048
"""A quarter of the screen: the fullest face of the samples needs about 1750 for text and symbol."""
CODE_LIT_PIXELS: Final = 3072
"""Of a code for a phone: half of it is lit. It says nothing of what lies under a square."""
_ROW: Final = (1 << WIDTH) - 1
_FADE: Final = ((0, 8), (10, 2))
"""The delay of each pixel of a 2x2 tile: solid at the rim, then a chequered band, then dots."""
_PER_RING: Final = 2
_INTERLEAVED: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""Order of eight evenly spread steps within a level, so that few pixels are picked one by one."""


class CannotDraw(BrokenInstallationError):
    """A picture cannot be drawn: a broken installation, or texts that fit no screen."""


@cache
def frames() -> tuple[int, ...]:
    """Frames from nothing to the full screen, each containing the one before; the rim fills first."""
    levels: dict[tuple[int, int], int] = {}
    met: dict[int, int] = {}
    for y in range(HEIGHT):
        for x in range(WIDTH):
            across, down = min(x, WIDTH - 1 - x), min(y, HEIGHT - 1 - y)
            level = _PER_RING * min(across, down) + _FADE[down % 2][across % 2]
            met[level] = met.get(level, -1) + 1
            stage = (level, _INTERLEAVED[met[level] % len(_INTERLEAVED)])
            levels[stage] = levels.get(stage, 0) | 1 << pixel(x, y)
    grown, frame = [0], 0
    for stage in sorted(levels):
        frame |= levels[stage]
        grown.append(frame)
    return tuple(grown)


def framed(canvas: PixelCanvas, lit: int = LIT_PIXELS) -> int:
    """The picture with exactly so many lit pixels, the frame as far from the text as possible."""
    missing = lit - canvas.ink.bit_count()
    everything = frames()[-1]
    for kept in (canvas.kept | canvas.near, canvas.near, canvas.ink):
        free = everything & ~kept
        if 0 <= missing <= free.bit_count():
            return canvas.ink | _grown(missing, free)
    raise CannotDraw("A seat's texts are too long for its screen: shorten the square's label.")


def _grown(pixels: int, free: int) -> int:
    """A frame with this many pixels within `free`."""
    grown = frames()
    stage = bisect_left(grown, pixels, key=lambda frame: (frame & free).bit_count())
    if stage == 0:
        return 0
    whole = grown[stage - 1] & free
    return whole | _spread(grown[stage] & free & ~whole, pixels - whole.bit_count())


def _spread(places: int, count: int) -> int:
    """`count` of these pixels, evenly picked from top to bottom."""
    total, picked, passed = places.bit_count(), 0, 0
    for base in range(0, WIDTH * HEIGHT, WIDTH):  # row by row, since small numbers are faster
        row, chosen = places >> base & _ROW, 0
        while row:
            lowest = row & -row
            row ^= lowest
            passed += count
            if passed >= total:
                passed -= total
                chosen |= lowest
        picked |= chosen << base
    return picked
