"""The marks of the display as runs of pixels: huge letters, QR codes, the eight symbols, and the dial. Pure.

Everything is drawn once for each size and kept, because a display moves for years.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from pi_app.displays import letters, raster
from pi_app.displays.symbols import SIZE as SYMBOL_SIZE
from pi_app.displays.symbols import SYMBOLS, Ellipse, Shape
from pi_app.displays.symbols import Polygon as Drawn
from pi_app.pages.content import QrCode
from pi_app.station.display.canvas import Run, Runs

FACES: Final = tuple(name for name in SYMBOLS if name not in ("clear", "other"))
"""The eight traps."""

CLICKS: Final = 12
STEPS: Final = 4
"""So many pictures show one click of the dial."""

QUIET: Final = 2
"""Light modules around a QR code. The standard asks for four; readers take two, and a console has few lines."""


def runs_of(rows: Iterable[int], wide: int, sx: int = 1, sy: int = 1) -> Runs:
    """The lit pixels of rows of bits, the leftmost in the highest bit, each `sx` by `sy` pixels large."""
    return tuple(
        (sy * y + down, sx * left, sx * right)
        for y, row in enumerate(rows)
        for left, right in _stretches(row, wide)
        for down in range(sy)
    )


def _stretches(row: int, wide: int) -> Iterator[tuple[int, int]]:
    bits = f"{row:0{wide}b}" if wide else ""
    left = bits.find("1")
    while left >= 0:
        right = bits.find("0", left)
        right = wide if right < 0 else right
        yield left, right
        left = bits.find("1", right)


def moved(runs: Runs, x: int, y: int) -> Iterator[Run]:
    """The same runs elsewhere."""
    return ((row + y, left + x, right + x) for row, left, right in runs)


# ------------------------------------------------------------------------------------------------------- letters


@lru_cache(maxsize=256)
def line_of_text(text: str, scale: int, bold: bool) -> tuple[int, Runs]:
    """A line of huge letters: its width, and its pixels, eight rows times `scale`."""
    x, made = 0, []
    for character in letters.plain(text):
        wide, rows = letters.bits(character, bold=bold)
        made += list(moved(runs_of(rows, wide, scale, scale), x, 0))
        x += scale * (wide + letters.GAP)
    return max(0, x - scale * letters.GAP), tuple(made)


@lru_cache(maxsize=256)
def fitted(text: str, wide: int, high: int, most: int, bold: bool) -> tuple[int, tuple[str, ...]]:
    """The largest scale at which a text fits, up to `most`, and its lines; 0 if none does."""
    for scale in range(most, 0, -1):
        room = wide // scale
        if max((letters.width(word, bold=bold) for word in letters.words_in(text)), default=0) > room:
            continue
        lines = letters.wrapped(text, room, bold=bold)
        if len(lines) * letters.ROWS * scale <= high:
            return scale, lines
    return 0, ()


# ------------------------------------------------------------------------------------------------- codes, symbols


@lru_cache(maxsize=8)
def code_runs(code: QrCode, scale: int, unit: int) -> Runs:
    """The dark modules of a QR code; `unit` is the width of a square one pixel high."""
    bits = int.from_bytes(base64.b64decode(code.rows), "big")
    spare = -code.size * code.size % 8
    whole = f"{bits >> spare:0{code.size * code.size}b}"
    rows = [int(whole[at : at + code.size], 2) for at in range(0, len(whole), code.size)]
    return runs_of(rows, code.size, scale * unit, scale)


@lru_cache(maxsize=64)
def symbol_runs(name: str, side: int, unit: int) -> Runs:
    """A symbol, `side` pixels high."""
    part = side / SYMBOL_SIZE
    return runs_of(raster.rows((_scaled(shape, part) for shape in SYMBOLS[name]), side), side, unit)


def _scaled(shape: Shape, part: float) -> Shape:
    if isinstance(shape, Ellipse):
        return Ellipse(shape.x * part, shape.y * part, shape.rx * part, shape.ry * part, shape.ink)
    return Drawn(tuple((x * part, y * part) for x, y in shape.points), shape.ink)


# ------------------------------------------------------------------------------------------------------ the dial


@lru_cache(maxsize=32)
def ring(side: int, unit: int, outer: float, inner: float) -> Runs:
    """A ring in a box of `side` pixels; `outer` and `inner` are parts of its half."""
    half = side / 2
    shapes = (
        Ellipse(half, half, half * outer, half * outer),
        *((Ellipse(half, half, half * inner, half * inner, False),) if inner else ()),
    )
    return runs_of(raster.rows(shapes, side), side, unit)


@lru_cache(maxsize=8)
def ticks(side: int, unit: int) -> Runs:
    """Twelve ticks on the rim."""
    return tuple(run for click in range(CLICKS) for run in _blob(side, unit, click / CLICKS, 0.9, max(1, side // 28)))


@lru_cache(maxsize=128)
def pointer(side: int, unit: int, step: int) -> Runs:
    """The mark that turns with the dial: `step` of CLICKS * STEPS, counter-clockwise from the top."""
    return tuple(_blob(side, unit, step / (CLICKS * STEPS), 0.9, max(2, side // 9)))


def _blob(side: int, unit: int, turn: float, away: float, size: int) -> Iterator[Run]:
    """A round spot, at a part of the way from the middle to the rim."""
    middle = (side - 1) / 2
    x = middle - away * (side / 2) * math.sin(2 * math.pi * turn)
    y = middle - away * (side / 2) * math.cos(2 * math.pi * turn)
    left, top = round(x - (size - 1) / 2), round(y - (size - 1) / 2)
    return moved(ring(size, unit, 1, 0), left * unit, top)


@lru_cache(maxsize=128)
def faces_around(side: int, unit: int, step: int) -> tuple[tuple[int, int, str], ...]:
    """Where the eight symbols stand on a large dial: left, top and name; they turn with it and stay upright."""
    size, middle = face_size(side), side / 2
    return tuple(
        (
            round((middle - 0.6 * middle * math.sin(_angle(n, step)) - size / 2)) * unit,
            round(middle - 0.6 * middle * math.cos(_angle(n, step)) - size / 2),
            name,
        )
        for n, name in enumerate(FACES)
    )


def _angle(number: int, step: int) -> float:
    return 2 * math.pi * (step / (CLICKS * STEPS) + number / len(FACES))


def face_size(side: int) -> int:
    """The height of each of the eight symbols on a dial."""
    return side * 5 // 24
