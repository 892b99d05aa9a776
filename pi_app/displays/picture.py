"""Draw a seat's screen: 128x64 pixels, one bit each. Pillow is loaded only for a PNG.

Every picture but darkness has exactly LIT_PIXELS lit pixels (`frame`), so the glow under a hood reveals nothing (S-6):
short texts get a broad frame, long ones a thin frame. A code for a phone has more, always the same number.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Final

from pi_app.displays import letters, symbols
from pi_app.displays.canvas import (
    BLANK,
    CLEARANCE,
    HEIGHT,
    LINE,
    WIDTH,
    PixelCanvas,
    area,
    block_of,
    letter,
    packed,
    symbol_pixels,
)  # fmt: skip
from pi_app.displays.code import code_canvas, head_canvas
from pi_app.displays.frame import CODE_LIT_PIXELS, LIT_PIXELS, CannotDraw, framed, frames
from pi_app.report.face_words import effect, title
from pi_app.report.pictures import Dark, Drift, Say, SeatPicture, ShowCard, ShowCode, ShowDie, ShowFace, ShowHead
from pi_app.text.language import (
    BOTH_CHANCES,
    CLICK,
    DISARM,
    QUICK,
    SAMPLE,
    SAMPLE_SIMULATED,
    SIMULATED,
    SLOW,
    XP,
    Words,
)

_LINES: Final = HEIGHT // LINE
_LEFT: Final = 9
_RIGHT: Final = WIDTH - _LEFT
_WIDE: Final = _RIGHT - _LEFT
_WIDEST: Final = WIDTH - 8
"""Of a line that is better in one: it comes nearer to the frame than others."""
_BESIDE: Final = _LEFT + symbols.SIZE + 2
_NARROW: Final = _RIGHT - _BESIDE
_SYMBOL_LINES: Final = 4
_MOST_NAMES, _MOST_NUMBERS = 2, 3
"""Lines beside the symbol. With two above, one is always left below."""


def draw(picture: SeatPicture, words: Words) -> bytes:
    """The frame for a seat's screen: 1024 bytes, byte `page * 128 + column`, lowest bit the top row.

    `words` translates to the seat's language. Texts that do not fit are wrapped, then set smaller, and as a last resort
    end in "...".
    """
    if isinstance(picture, Dark):
        return BLANK
    if isinstance(picture, Drift):
        return packed(drift_canvas(picture).ink)
    lit = CODE_LIT_PIXELS if isinstance(picture, (ShowCode, ShowHead)) else LIT_PIXELS
    return packed(framed(canvas_of(picture, words), lit))


def drift_canvas(drift: Drift) -> PixelCanvas:
    """A few words where they are now, without a frame: they say nothing of what lies under a square."""
    canvas = PixelCanvas()
    wide = min(letters.width(drift.text), WIDTH)
    text = _shortened(drift.text, WIDTH)
    canvas.text(min(max(drift.across, 0), WIDTH - wide), min(max(drift.down, 0), HEIGHT - LINE), text)
    return canvas


def canvas_of(picture: Say | ShowDie | ShowFace | ShowCard | ShowCode | ShowHead, words: Words) -> PixelCanvas:
    """The text and symbol of a picture, without its frame."""
    match picture:
        case ShowFace():
            return _face(picture, words)
        case ShowCard():
            return _card(picture)
        case ShowCode():
            return code_canvas(picture)
        case ShowHead():
            return head_canvas(picture)
        case _:
            return _said(picture)


def png(frame: bytes) -> bytes:
    """A frame as a PNG file of 128x64 pixels, lit ones white. Raises CannotDraw."""
    try:
        from PIL import Image
    except ImportError as error:
        from hardware.host import own_environment, pip

        raise CannotDraw(
            f"Pillow, which writes pictures as PNG, cannot be loaded ({error}). "
            f"Type `{pip(own_environment())} install --force-reinstall pillow`."
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
    """Draw all symbols and letters now (about 0.1 s), so that the first face of a game is not late.

    All of them, because a trap must not take longer the first time than later.
    """
    symbol_pixels()
    frames()
    for character in letters.every():
        for bold, tall in ((False, False), (True, False), (True, True)):
            letter(character, bold, tall)


# ---------------------------------------------------------------------------------------------------- faces


def _face(face: ShowFace, words: Words) -> PixelCanvas:
    """A face: label and marks above, symbol with name and numbers beside it, chances and effect below."""
    beside = _at_most([*_numbers(face, words)], _MOST_NUMBERS, _NARROW)
    name = _at_most([*letters.wrapped(title(face, words), _NARROW, bold=True)], _MOST_NAMES, _NARROW, bold=True)
    tall = len(name) == 1 and len(beside) <= _SYMBOL_LINES - 2
    header = _header(face, words)
    middle = max(_SYMBOL_LINES, len(beside) + (2 if tall else len(name)))
    below = _below(face, words, _LINES - len(header) - middle)

    canvas = PixelCanvas()
    y = (_LINES - len(header) - middle - len(below)) * LINE // 2
    canvas.kept = area(_LEFT - CLEARANCE, y - 1, _RIGHT + CLEARANCE, HEIGHT - y + 1)
    for left, right in header:
        canvas.text(_LEFT, y, left)
        canvas.text(_RIGHT - letters.width(right), y, right)
        y += LINE
    _beside_symbol(canvas, face, y, name, beside, tall=tall, lines=middle)
    y += middle * LINE
    for line in below:
        canvas.text(min(_LEFT, (WIDTH - letters.width(line)) // 2), y, line)
        y += LINE
    return canvas


def _beside_symbol(
    canvas: PixelCanvas, face: ShowFace, y: int, name: list[str], numbers: list[str], *, tall: bool, lines: int
) -> None:
    high = lines * LINE
    symbol, size = symbol_pixels()[face.trap or face.kind], symbols.SIZE
    canvas.put(_LEFT, y + (high - size) // 2, size, size, symbol)
    used = (2 if tall else len(name)) + len(numbers)
    y += (lines - used) * LINE // 2
    for line in name:
        canvas.text(_BESIDE, y, line, bold=True, tall=tall)
        y += 2 * LINE if tall else LINE
    for line in numbers:
        canvas.text(_BESIDE, y, line)
        y += LINE


def _header(face: ShowFace, words: Words) -> list[tuple[str, str]]:
    """One or two lines of (left, right): the label, and the marks for samples and simulations."""
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
    """The width left of a text at the right end of a line."""
    return _WIDE - letters.width(right) - 2 * letters.SPACE_WIDTH


def _numbers(face: ShowFace, words: Words) -> Iterable[str]:
    """Click number and experience on one line if they fit, then the disarm number."""
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
    """Chances, a note, and as much of the effect as fits."""
    lines = [*_joined([_chances(face, words)], _WIDEST)]
    if face.note is not None:
        lines += letters.wrapped(words(face.note), _WIDE)
    lines += letters.wrapped(effect(face, words), _WIDE)
    return _at_most(lines, room, _WIDE)


def _chances(face: ShowFace, words: Words) -> str:
    quick, slow = face.quick_of_36, face.slow_of_36
    if quick is not None and slow is not None:
        return words(BOTH_CHANCES).format(quick=quick, slow=slow)
    if quick is not None:
        return words(QUICK).format(chance=quick)
    return "" if slow is None else words(SLOW).format(chance=slow)


def _joined(parts: list[str], wide: int) -> Iterable[str]:
    """The parts on one line, or each on its own lines."""
    together = "   ".join(parts)
    if letters.width(together) <= wide:
        return (together,) if together else ()
    return [line for part in parts for line in letters.wrapped(part, wide)]


def _at_most(lines: list[str], room: int, wide: int, *, bold: bool = False) -> list[str]:
    """The lines, or the first ones ending in dots."""
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

SAY_WIDE: Final = 104
SAY_HIGH: Final = 46
"""The area for neutral texts: the frame around a short one is up to nine pixels broad."""


_LONG_WIDE: Final = 6
_SHORT_WIDE: Final = 2
_BAR_HIGH: Final = 4
_BAR_GAP: Final = 3
_ROW_GAP: Final = 2
_WORD_LEFT: Final = _LEFT + 2 * _LONG_WIDE + 3 * _SHORT_WIDE + 5 * _BAR_GAP + 1
_WORD_WIDE: Final = _RIGHT - _WORD_LEFT


def _card(card: ShowCard) -> PixelCanvas:
    """A page of a lamp card: a title, then the bars of each word with its meaning beside them."""
    rows = [(bars, _at_most([*letters.wrapped(word, _WORD_WIDE)], 2, _WORD_WIDE)) for bars, word in card.rows]
    high = LINE + sum(_ROW_GAP + len(lines) * LINE for _, lines in rows)
    canvas = PixelCanvas()
    y = (HEIGHT - high) // 2
    canvas.kept = area(_LEFT - CLEARANCE, y - 1, _RIGHT + CLEARANCE, HEIGHT - y + 1)
    canvas.text(_LEFT, y, _shortened(card.title, _beside_text(card.page)))
    canvas.text(_RIGHT - letters.width(card.page), y, card.page)
    y += LINE
    for bars, lines in rows:
        y += _ROW_GAP
        _bars(canvas, y + len(lines) * LINE // 2 - _BAR_HIGH // 2, bars)
        for line in lines:
            canvas.text(_WORD_LEFT, y, line)
            y += LINE
    return canvas


def _bars(canvas: PixelCanvas, y: int, bars: Iterable[bool]) -> None:
    x = _LEFT
    for long in bars:
        wide = _LONG_WIDE if long else _SHORT_WIDE
        canvas.put(x, y, wide, _BAR_HIGH, block_of([(1 << wide) - 1] * _BAR_HIGH))
        x += wide + _BAR_GAP


def _said(say: Say | ShowDie) -> PixelCanvas:
    """A neutral text, centred, as large as possible, with the small label above it."""
    label_high = LINE + 2 if say.label else 0
    lines, bold, high = _largest(say.lines, SAY_HIGH - label_high)
    canvas = PixelCanvas()
    y = (HEIGHT - label_high - len(lines) * high) // 2
    widest = max((letters.width(line, bold=bold) for line in lines), default=0)
    left = (WIDTH - widest) // 2 - CLEARANCE
    canvas.kept = area(left, y - 1, WIDTH - left, HEIGHT - y + 1)
    if say.label:
        label = _shortened(say.label, SAY_WIDE)
        canvas.text((WIDTH - letters.width(label)) // 2, y, label)
        y += label_high
    for line in lines:
        x = (WIDTH - letters.width(line, bold=bold)) // 2
        canvas.text(x, y, line, bold=bold, tall=high >= 2 * LINE)
        y += high
    return canvas


def _largest(texts: tuple[str, ...], room: int) -> tuple[list[str], bool, int]:
    """The texts in the largest letters that fit: (lines, bold, pixels per line)."""
    for bold, high in ((True, 2 * LINE), (True, LINE + 1), (False, LINE)):
        lines = [line for text in texts for line in letters.wrapped(text, SAY_WIDE, bold=bold)]
        if len(lines) * high <= room:
            return lines, bold, high
    return _at_most(lines, room // LINE, SAY_WIDE), False, LINE
