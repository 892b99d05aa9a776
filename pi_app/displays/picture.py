"""What a seat's screen shows, drawn: 128x64 pixels, one bit each. Pillow is loaded for a PNG only.

Every picture but darkness has exactly LIT_PIXELS lit pixels, so that the glow under a hood tells the room
nothing (S-6). What words and symbol leave over is lit as a frame that fades inwards from the rim: few words
get a broad frame, many words a thin one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from operator import itemgetter
from typing import Final, assert_never

from pi_app.displays import letters, raster, symbols
from pi_app.game.trap_words import TRAP_NAMES
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowDie, ShowFace
from pi_app.text.errors import BrokenInstallationError
from pi_app.text.language import (
    BOTH_CHANCES,
    CLEAR,
    CLICK,
    DISARM,
    OTHER,
    OTHER_EFFECT,
    QUICK,
    SAMPLE,
    SAMPLE_SIMULATED,
    SIMULATED,
    SLOW,
    XP,
)

WIDTH: Final = 128
HEIGHT: Final = 64
LIT_PIXELS: Final = 2048
"""A quarter of the screen: the fullest face of the samples needs some 1750 for words and symbol."""
BLANK: Final = bytes(WIDTH * HEIGHT // 8)

_LINE: Final = letters.ROWS
_LINES: Final = HEIGHT // _LINE
_LEFT: Final = 9
_RIGHT: Final = WIDTH - _LEFT
_WIDE: Final = _RIGHT - _LEFT
_BESIDE: Final = _LEFT + symbols.SIZE + 2
_NARROW: Final = _RIGHT - _BESIDE
_SYMBOL_LINES: Final = 4
_MOST_NAMES, _MOST_NUMBERS = 2, 3
"""Lines beside the symbol. With two above, one is always left for what stands below."""
_CLEARANCE: Final = 2
"""Pixels that the frame keeps away from what it frames."""

Words = Callable[[str], str]


class CannotDraw(BrokenInstallationError):
    """A picture cannot be drawn: a broken installation, or texts that no screen has room for."""


def draw(picture: SeatPicture, words: Words) -> bytes:
    """The frame for a seat's screen: 1024 bytes, byte `page * 128 + column`, lowest bit the top row.

    `words` speaks the seat's language. Texts that do not fit are wrapped, then set smaller, and as a last
    resort end in "..."; nothing is cut off in silence.
    """
    match picture:
        case Dark():
            return BLANK
        case Say() | ShowDie():
            return _packed(_framed(_said(picture)))
        case ShowFace():
            return _packed(_framed(_face(picture, words)))
        case _:
            assert_never(picture)


def png(frame: bytes) -> bytes:
    """A frame as a PNG file of 128x64 pixels: lit ones white, the others black. Raises CannotDraw."""
    try:
        from PIL import Image
    except ImportError as error:
        raise CannotDraw(
            f"Pillow, which writes pictures as PNG, cannot be loaded ({error}). "
            "Install it again in Trapdial's environment: pip install --force-reinstall pillow."
        ) from error
    rows = b"".join(
        bytes(255 * (frame[page * WIDTH + x] >> row & 1) for x in range(WIDTH))
        for page in range(HEIGHT // 8)
        for row in range(8)
    )
    file = BytesIO()
    Image.frombytes("L", (WIDTH, HEIGHT), rows).convert("1").save(file, "PNG")
    return file.getvalue()


def prepare() -> None:
    """Draw all symbols and letters now (some 0.1 s), so that the first face of a game is not late.

    It is all of them or none: a trap drawn for the first time must not take longer than one seen before.
    """
    _symbols()
    _frames()
    for character in letters.every():
        for bold, tall in ((False, False), (True, False), (True, True)):
            _letter(character, bold, tall)


# -------------------------------------------------------------------------------------------------- canvas


class _Canvas:
    """Pixels as one number, the top left one in the highest bit; `near` is the area close around what was put
    here, and `kept` the area that the frame should rather leave alone."""

    __slots__ = ("ink", "kept", "near")

    def __init__(self) -> None:
        self.ink = self.near = self.kept = 0

    def put(self, x: int, y: int, wide: int, high: int, block: int) -> None:
        """A block of pixels, its top left corner at (x, y), all on the screen."""
        assert x >= 0, "left of the screen"
        assert x + wide <= WIDTH, "right of the screen"
        assert 0 <= y <= y + high <= HEIGHT, "above or below the screen"
        self.ink |= block << _place(x + wide - 1, y + high - 1)
        self.near |= _area(x - _CLEARANCE, y - 1, x + wide + _CLEARANCE, y + high + 1)

    def text(self, x: int, y: int, line: str, *, bold: bool = False, tall: bool = False) -> None:
        """A line of letters; `tall` ones are twice as high. The box of a line is 8 or 16 pixels high."""
        wide = block = 0
        for character in letters.plain(line):
            step, shape = _letter(character, bold, tall)
            block = block << step | shape
            wide += step
        if wide:
            self.put(x, y, wide - letters.GAP, 2 * _LINE if tall else _LINE, block >> letters.GAP)


_ROW: Final = (1 << WIDTH) - 1


def _place(x: int, y: int) -> int:
    """The bit of one pixel."""
    return (HEIGHT - 1 - y) * WIDTH + WIDTH - 1 - x


@cache
def _area(left: int, top: int, right: int, bottom: int) -> int:
    """All pixels of a rectangle, as far as it lies on the screen; right and bottom are not in it."""
    left, right = max(left, 0), min(right, WIDTH)
    row = (1 << right - left) - 1 << WIDTH - right
    return sum(row << (HEIGHT - 1 - y) * WIDTH for y in range(max(top, 0), min(bottom, HEIGHT)))


def _block(rows: Iterable[int]) -> int:
    """Rows of pixels as one number: moved by one bit, all of it moves by one pixel."""
    block = 0
    for row in rows:
        block = block << WIDTH | row
    return block


@cache
def _letter(character: str, bold: bool, tall: bool) -> tuple[int, int]:
    """How far a character moves the next one, and its pixels with the gap behind them."""
    wide, rows = letters.bits(character, bold=bold)
    return wide + letters.GAP, _block(row for row in rows for _ in range(1 + tall)) << letters.GAP


# --------------------------------------------------------------------------------------------------- frame

_FADE: Final = ((0, 8), (10, 2))
"""How much later each pixel of a 2x2 tile lights up: solid at the rim, then a chequered band, then dots."""
_PER_RING: Final = 2
_INTERLEAVED: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""A level lights up in eight steps, evenly spread, so that few pixels are left to be picked one by one."""


@cache
def _frames() -> tuple[int, ...]:
    """Frames from nothing to the full screen, each containing the one before; the rim fills first."""
    levels: dict[tuple[int, int], int] = {}
    met: dict[int, int] = {}
    for y in range(HEIGHT):
        for x in range(WIDTH):
            across, down = min(x, WIDTH - 1 - x), min(y, HEIGHT - 1 - y)
            level = _PER_RING * min(across, down) + _FADE[down % 2][across % 2]
            met[level] = met.get(level, -1) + 1
            stage = (level, _INTERLEAVED[met[level] % len(_INTERLEAVED)])
            levels[stage] = levels.get(stage, 0) | 1 << _place(x, y)
    grown, frame = [0], 0
    for stage in sorted(levels):
        frame |= levels[stage]
        grown.append(frame)
    return tuple(grown)


def _framed(canvas: _Canvas) -> int:
    """The picture with exactly LIT_PIXELS lit, the frame as far from the words as there is room for it."""
    missing = LIT_PIXELS - canvas.ink.bit_count()
    everything = _frames()[-1]
    for kept in (canvas.kept | canvas.near, canvas.near, canvas.ink):
        free = everything & ~kept
        if 0 <= missing <= free.bit_count():
            return canvas.ink | _grown(missing, free)
    raise CannotDraw("A seat's texts are too long for its screen: shorten the square's label.")


def _grown(pixels: int, free: int) -> int:
    """The frame of so many pixels that lies in `free`."""
    frames = _frames()
    stage = bisect_left(frames, pixels, key=lambda frame: (frame & free).bit_count())
    if stage == 0:
        return 0
    whole = frames[stage - 1] & free
    return whole | _spread(frames[stage] & free & ~whole, pixels - whole.bit_count())


def _spread(places: int, count: int) -> int:
    """`count` of these pixels, evenly picked from top to bottom."""
    total, picked, passed = places.bit_count(), 0, 0
    for base in range(0, WIDTH * HEIGHT, WIDTH):  # row by row: small numbers are quick
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


# ---------------------------------------------------------------------------------------------------- faces


def _face(face: ShowFace, words: Words) -> _Canvas:
    """A face: label and marks above, symbol with name and numbers beside it, chances and effect below."""
    beside = _at_most([*_numbers(face, words)], _MOST_NUMBERS, _NARROW)
    name = _at_most([*letters.wrapped(_name(face, words), _NARROW, bold=True)], _MOST_NAMES, _NARROW, bold=True)
    tall = len(name) == 1 and len(beside) <= _SYMBOL_LINES - 2
    header = _header(face, words)
    middle = max(_SYMBOL_LINES, len(beside) + (2 if tall else len(name)))
    below = _below(face, words, _LINES - len(header) - middle)

    canvas = _Canvas()
    y = (_LINES - len(header) - middle - len(below)) * _LINE // 2
    canvas.kept = _area(_LEFT - _CLEARANCE, y - 1, _RIGHT + _CLEARANCE, HEIGHT - y + 1)
    for left, right in header:
        canvas.text(_LEFT, y, left)
        canvas.text(_RIGHT - letters.width(right), y, right)
        y += _LINE
    _beside_symbol(canvas, face, y, name, beside, tall=tall, lines=middle)
    y += middle * _LINE
    for line in below:
        canvas.text(_LEFT, y, line)
        y += _LINE
    return canvas


def _beside_symbol(
    canvas: _Canvas, face: ShowFace, y: int, name: list[str], numbers: list[str], *, tall: bool, lines: int
) -> None:
    high = lines * _LINE
    canvas.put(_LEFT, y + (high - symbols.SIZE) // 2, symbols.SIZE, symbols.SIZE, _symbols()[face.trap or face.kind])
    used = (2 if tall else len(name)) + len(numbers)
    y += (lines - used) * _LINE // 2
    for line in name:
        canvas.text(_BESIDE, y, line, bold=True, tall=tall)
        y += 2 * _LINE if tall else _LINE
    for line in numbers:
        canvas.text(_BESIDE, y, line)
        y += _LINE


def _name(face: ShowFace, words: Words) -> str:
    if face.trap is not None:
        return words(TRAP_NAMES[face.trap])
    return words(CLEAR if face.kind == "clear" else OTHER)


def _header(face: ShowFace, words: Words) -> list[tuple[str, str]]:
    """One or two lines of (left, right): the label, and what must always be said of these numbers."""
    marks = [
        _shortened(words(mark), _WIDE)
        for mark, stands in ((SAMPLE, face.sample), (SIMULATED, face.simulated))
        if stands
    ]
    together = " ".join(marks)
    short = words(SAMPLE_SIMULATED) if len(marks) == 2 else together
    for said in (together, short):
        if letters.width(face.label) <= _beside_text(said):
            return [(face.label, said)]
    if letters.width(together) <= _WIDE:
        label = (_shortened(face.label, _WIDE), "")
        return [label, ("", together)] if marks else [label]
    sample, simulated = marks
    return [(_shortened(face.label, _beside_text(sample)), sample), ("", simulated)]


def _beside_text(right: str) -> int:
    """The room that a line has left of a text at its right end."""
    return _WIDE - letters.width(right) - 2 * letters.SPACE_WIDTH


def _numbers(face: ShowFace, words: Words) -> Iterable[str]:
    """Click number and experience, then the disarm number: together on a line where they fit."""
    first = []
    if face.click_number is not None:
        first.append(words(CLICK).format(number=face.click_number))
    if face.xp is not None:
        first.append(words(XP).format(xp=face.xp))
    yield from _joined(first, _NARROW)
    if face.disarm is not None:
        said = words(DISARM).format(value=face.disarm)
        yield from letters.wrapped(said if letters.width(said) <= _NARROW else said.replace(" = ", "="), _NARROW)


def _below(face: ShowFace, words: Words, room: int) -> list[str]:
    """Chances, a note, and as much of the effect as there are lines for."""
    lines = [*_joined([_chances(face, words)], _WIDE)]
    if face.note is not None:
        lines += letters.wrapped(words(face.note), _WIDE)
    lines += letters.wrapped(words(OTHER_EFFECT if face.kind == "other" else face.effect), _WIDE)
    return _at_most(lines, room, _WIDE)


def _chances(face: ShowFace, words: Words) -> str:
    quick, slow = face.quick_of_36, face.slow_of_36
    if quick is not None and slow is not None:
        return words(BOTH_CHANCES).format(quick=quick, slow=slow)
    if quick is not None:
        return words(QUICK).format(chance=quick)
    return "" if slow is None else words(SLOW).format(chance=slow)


def _joined(parts: list[str], wide: int) -> Iterable[str]:
    """The parts on one line with room between them, or each on lines of its own."""
    together = "   ".join(parts)
    if letters.width(together) <= wide:
        return (together,) if together else ()
    return [line for part in parts for line in letters.wrapped(part, wide)]


def _at_most(lines: list[str], room: int, wide: int, *, bold: bool = False) -> list[str]:
    """The lines, or the first ones with dots at the end that say so."""
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], _shortened(f"{lines[room - 1]} ...", wide, bold=bold)]


def _shortened(text: str, wide: int, *, bold: bool = False) -> str:
    """The text, or as much of it as fits before three dots."""
    if letters.width(text, bold=bold) <= wide:
        return text
    text = text.removesuffix(" ...")
    while text and letters.width(f"{text}...", bold=bold) > wide:
        text = text[:-1]
    return f"{text}..." if text else ""


# ---------------------------------------------------------------------------------------------------- words

_SAY_WIDE: Final = 104
_SAY_HIGH: Final = 46
"""The room for neutral words: the frame around few words is up to nine pixels broad."""


def _said(say: Say | ShowDie) -> _Canvas:
    """Plain words, centred, as large as they fit; the label small above them."""
    label_high = _LINE + 2 if say.label else 0
    lines, bold, high = _largest(say.lines, _SAY_HIGH - label_high)
    canvas = _Canvas()
    y = (HEIGHT - label_high - len(lines) * high) // 2
    widest = max((letters.width(line, bold=bold) for line in lines), default=0)
    left = (WIDTH - widest) // 2 - _CLEARANCE
    canvas.kept = _area(left, y - 1, WIDTH - left, HEIGHT - y + 1)
    if say.label:
        label = _shortened(say.label, _SAY_WIDE)
        canvas.text((WIDTH - letters.width(label)) // 2, y, label)
        y += label_high
    for line in lines:
        x = (WIDTH - letters.width(line, bold=bold)) // 2
        canvas.text(x, y, line, bold=bold, tall=high >= 2 * _LINE)
        y += high
    return canvas


def _largest(texts: tuple[str, ...], room: int) -> tuple[list[str], bool, int]:
    """The texts in the largest letters that fit: (lines, bold, pixels per line)."""
    for bold, high in ((True, 2 * _LINE), (True, _LINE + 1), (False, _LINE)):
        lines = [line for text in texts for line in letters.wrapped(text, _SAY_WIDE, bold=bold)]
        if len(lines) * high <= room:
            return lines, bold, high
    return _at_most(lines, room // _LINE, _SAY_WIDE), False, _LINE


# -------------------------------------------------------------------------------------------------- symbols


@cache
def _symbols() -> dict[str, int]:
    """The pixels of every symbol."""
    return {name: _block(raster.rows(shapes, symbols.SIZE)) for name, shapes in symbols.SYMBOLS.items()}


def _packed(pixels: int) -> bytes:
    """The pixels as the chips want them: pages of eight rows, a byte for each column of a page, its lowest bit the
    top row. Each square of eight by eight pixels is mirrored along its rising diagonal, all of them at once."""
    for distance, lower in _MIRROR:
        moved = (pixels >> distance ^ pixels) & lower
        pixels ^= moved << distance | moved
    return bytes(_COLUMNS(pixels.to_bytes(len(BLANK), "big")))


def _lower_quarters(size: int) -> int:
    """The lower right quarters of all squares of twice this size."""
    return sum(1 << _place(x, y) for y in range(HEIGHT) for x in range(WIDTH) if x & y & size)


_MIRROR: Final = tuple((size * (WIDTH + 1), _lower_quarters(size)) for size in (4, 2, 1))
"""In squares of 8, 4 and 2 the lower right quarter, so many pixels on, changes places with the upper left one."""

_COLUMNS: Final = itemgetter(
    *((page * 8 + 7 - x % 8) * (WIDTH // 8) + x // 8 for page in range(HEIGHT // 8) for x in range(WIDTH))
)
"""Takes the bytes of a mirrored picture in the order of the chips' columns."""
