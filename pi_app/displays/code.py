"""Draw the code with which a phone takes a seat, and the head of a record: the QR code on the left, short words beside
it.

A camera needs dark modules on a light ground, so its light modules and the quiet zone around it are lit.
"""

from __future__ import annotations

from typing import Final

from pi_app.displays import letters
from pi_app.displays.canvas import HEIGHT, LINE, WIDTH, PixelCanvas, area, block_of
from pi_app.displays.frame import CannotDraw
from pi_app.report.pictures import ShowCode, ShowHead

MODULE: Final = 2
"""Pixels of one module."""
QUIET: Final = 3
"""Lit pixels around the code, at least: the screen's height leaves no more for 29 modules."""
MOST_MODULES: Final = (HEIGHT - 2 * QUIET) // MODULE
_GAP: Final = 6
"""Between the code and the words."""
_RIGHT: Final = WIDTH - 6
MOST_HEAD_MODULES: Final = HEIGHT - 2 * QUIET
"""A head has more modules than fit at two pixels each: they are one pixel each, for a camera that is near."""


def code_canvas(code: ShowCode) -> PixelCanvas:
    """The picture without its frame."""
    modules = len(code.modules)
    if not 0 < modules <= MOST_MODULES:
        raise CannotDraw(f"A code of {modules} modules does not fit a seat's screen: use a shorter address in [pages].")
    return _beside(code.modules, MODULE, (*code.lines, *_parts(code.address)))


def head_canvas(head: ShowHead) -> PixelCanvas:
    """The picture of a record's head without its frame."""
    modules = len(head.modules)
    if not 0 < modules <= MOST_HEAD_MODULES:
        raise CannotDraw(f"A head of {modules} modules does not fit a seat's screen.")
    return _beside(head.modules, MODULE if modules <= MOST_MODULES else 1, head.lines)


def _beside(modules: tuple[tuple[bool, ...], ...], module: int, words: tuple[str, ...]) -> PixelCanvas:
    """A QR code in the middle of the left edge, with words beside it."""
    size, canvas = module * len(modules) + 2 * QUIET, PixelCanvas()
    canvas.put(0, (HEIGHT - size) // 2, size, size, block_of(_rows(modules, module, size)))
    left = size + _GAP
    lines = [line for text in words for line in letters.wrapped(text, _RIGHT - left)][: HEIGHT // LINE]
    y = (HEIGHT - len(lines) * LINE) // 2
    canvas.kept = area(left - _GAP // 2, y - 1, _RIGHT + 2, HEIGHT - y + 1) | area(0, 0, size, HEIGHT)
    for line in lines:
        canvas.text(left, y, line)
        y += LINE
    return canvas


def _rows(modules: tuple[tuple[bool, ...], ...], pixels: int, size: int) -> list[int]:
    """The rows of pixels of the code with its quiet zone."""
    lit = (1 << size) - 1
    rows = [lit] * QUIET
    for row in modules:
        dark = 0
        for module in row:
            dark = dark << pixels | ((1 << pixels) - 1) * module
        rows += [lit & ~(dark << QUIET)] * pixels
    return rows + [lit] * QUIET


def _parts(address: str) -> tuple[str, ...]:
    """An address in figures on two lines, each of which fits: `192.168.` and `178.20:8080`."""
    figures = address.split(".")
    return (address,) if len(figures) != 4 else (f"{figures[0]}.{figures[1]}.", f"{figures[2]}.{figures[3]}")
