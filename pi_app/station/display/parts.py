"""The parts of the display's boards: texts of any size, QR codes, the dial, bars. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from pi_app.displays import letters
from pi_app.pages.content import QrCode
from pi_app.station.display import canvas as c
from pi_app.station.display import marks
from pi_app.station.display.canvas import DisplayCanvas
from pi_app.station.display.glyphs import console_text
from pi_app.station.public.scene import PublicScene, SceneTexts

MOST_SCALE: Final = 6
MANY_ROWS: Final = 40
MANY_COLUMNS: Final = 160
GAP: Final = 2
LEAST_FACE: Final = 9
"""Pixels below which a symbol is a blot."""
LARGE_DIAL: Final = 72
"""From so many pixels on, a dial has its eight symbols around."""


class CellArea(NamedTuple):
    """A rectangle of cells."""

    column: int
    row: int
    wide: int
    high: int

    def top(self, rows: int) -> tuple[CellArea, CellArea]:
        """The first rows, and the rest."""
        rows = max(0, min(rows, self.high))
        return self._replace(high=rows), self._replace(row=self.row + rows, high=self.high - rows)

    def left(self, columns: int) -> tuple[CellArea, CellArea]:
        """The first columns, and the rest."""
        columns = max(0, min(columns, self.wide))
        return self._replace(wide=columns), self._replace(column=self.column + columns, wide=self.wide - columns)

    def inset(self, columns: int, rows: int = 0) -> CellArea:
        return CellArea(
            self.column + columns, self.row + rows, max(0, self.wide - 2 * columns), max(0, self.high - 2 * rows)
        )


def letter_rows(canvas: DisplayCanvas) -> int:
    """The rows of a line of small text: letters of pixels where a cell is too small to be read from afar."""
    return letters.ROWS // canvas.per_row if canvas.columns >= MANY_COLUMNS and canvas.rows >= MANY_ROWS else 1


def words_rows(canvas: DisplayCanvas, code: QrCode, texts: SceneTexts) -> int:
    """Below the code: the address in one line, and the network in as many as it takes."""
    network = small_lines(canvas, "".join(texts.join[-1:]), _least_columns(canvas, code))
    return letter_rows(canvas) * (1 + len(network))


def _least_columns(canvas: DisplayCanvas, code: QrCode) -> int:
    """The columns that the words below a code have at least."""
    return max(22, (code.size + 2 * marks.QUIET) * canvas.unit) if letter_rows(canvas) == 1 else 80


def small_lines(canvas: DisplayCanvas, text: str, wide: int) -> tuple[str, ...]:
    """A small text in lines."""
    return letters.wrapped(text, max(8, wide)) if letter_rows(canvas) > 1 else wrapped(text, max(8, wide))


def small_line(canvas: DisplayCanvas, area: CellArea, text: str, ink: int, *, middle: bool = False) -> None:
    """A line of small text."""
    if letter_rows(canvas) > 1 and letters.width(text) <= area.wide:
        wide, runs = marks.line_of_text(text, 1, False)
        x = area.column + (area.wide - wide) // 2 * middle
        canvas.paint(x, area.row * canvas.per_row, runs, ink)
        return
    shown = console_text(text)[: area.wide]
    canvas.text(area.column + max(0, area.wide - len(shown)) // 2 * middle, area.row, shown, ink)


def middle(scene: PublicScene) -> str:
    """The figure in the middle of the dial: the seconds that are left. Any other number there would be read as the die
    that the visitor has rolled."""
    return "" if scene.warning_s is None else str(scene.warning_s)


def draw_dial(canvas: DisplayCanvas, area: CellArea, side: int, step: int, figure: str) -> None:
    """The dial: a rim with ticks, a mark that turns, and the symbols; a figure in its middle."""
    unit, x, y = canvas.unit, area.column, area.row * canvas.per_row
    canvas.paint(x, y, marks.ring(side, unit, 1, 0.8), c.BROWN)
    canvas.paint(x, y, marks.ticks(side, unit), c.BLACK)
    canvas.paint(x, y, marks.pointer(side, unit, step), c.GOLD)
    if side >= LARGE_DIAL:
        for left, top, name in marks.faces_around(side, unit, step):
            canvas.paint(x + left, y + top, marks.symbol_runs(name, marks.face_size(side), unit), c.WHITE)
    inner = side // 4 if side >= LARGE_DIAL else side // 2
    corner = (side - inner) // 2
    if figure:
        scale, _ = marks.fitted(figure, inner * unit, inner, MOST_SCALE, True)
        wide, runs = marks.line_of_text(figure, max(1, scale), True)
        top = y + corner + (inner - letters.ROWS * max(1, scale)) // 2
        canvas.paint(x + (side * unit - wide) // 2, top, runs, c.GOLD)
    elif inner >= LEAST_FACE and side < LARGE_DIAL:
        name = marks.FACES[step // marks.STEPS % len(marks.FACES)]
        canvas.paint(x + corner * unit, y + corner, marks.symbol_runs(name, inner, unit), c.WHITE)


def draw_bar(canvas: DisplayCanvas, area: CellArea, part: float) -> None:
    canvas.text(area.column, area.row, "█" * round(area.wide * part), c.GOLD)
    canvas.text(area.column + round(area.wide * part), area.row, "─" * (area.wide - round(area.wide * part)), c.DIM)


def join_code(canvas: DisplayCanvas, area: CellArea, scene: PublicScene, texts: SceneTexts) -> CellArea:
    """Draw the code of the address at the right edge, with the address in words below it; return what is left."""
    assert scene.join is not None
    rest, corner = area.left(area.wide - join_columns(canvas, scene.join, texts, area.high))
    scale = code_scale(canvas, scene.join, area.high - words_rows(canvas, scene.join, texts))
    high = code_rows(canvas, scene.join, scale)
    code, below = corner.top(high)
    address = scene.address.removeprefix("http://").rstrip("/")
    words = (address, *texts.join[-1:])
    if high:
        qr_code(canvas, code, scene.join, scale)
    else:
        words = (*texts.join[:1], *words)
    for word in words:
        for line in small_lines(canvas, word, corner.wide):
            place, below = below.top(letter_rows(canvas))
            if place.high == letter_rows(canvas):
                small_line(canvas, place, line, c.GOLD if word == address else c.GREY, middle=True)
    return rest.left(rest.wide - GAP)[0]


def join_columns(canvas: DisplayCanvas, code: QrCode | None, texts: SceneTexts, high: int) -> int:
    """The columns of the code to join with the words below it, in so many rows of cells."""
    if code is None:
        return 0
    scale = code_scale(canvas, code, high - words_rows(canvas, code, texts))
    least = 22 if letter_rows(canvas) == 1 else 80
    return max(least, code_columns(canvas, code, scale))


def code_scale(canvas: DisplayCanvas, code: QrCode, high: int, part: float = 0.4) -> int:
    """Pixels for each module in so many rows of cells, up to this part of the columns; 0 if there is no room."""
    modules = code.size + 2 * marks.QUIET
    return max(0, min(high * canvas.per_row // modules, max(1, int(canvas.columns * part) // (modules * canvas.unit))))


def code_rows(canvas: DisplayCanvas, code: QrCode, scale: int) -> int:
    return -(-(code.size + 2 * marks.QUIET) * scale // canvas.per_row)


def code_columns(canvas: DisplayCanvas, code: QrCode, scale: int) -> int:
    return (code.size + 2 * marks.QUIET) * scale * canvas.unit


def qr_code(canvas: DisplayCanvas, area: CellArea, code: QrCode, scale: int) -> None:
    """Draw a code dark on white, in the middle of its columns."""
    modules = code.size + 2 * marks.QUIET
    side, border = modules * scale, marks.QUIET * scale
    x = area.column + max(0, (area.wide - side * canvas.unit) // 2)
    y = area.row * canvas.per_row
    canvas.fill(x, y, side * canvas.unit, side, c.WHITE)
    canvas.paint(x + border * canvas.unit, y + border, marks.code_runs(code, scale, canvas.unit), c.BLACK)


# --------------------------------------------------------------------------------------------------------- texts


def huge(canvas: DisplayCanvas, area: CellArea, text: str, ink: int) -> None:
    """A text as large as the area allows, in letters of pixels."""
    any_size(canvas, area, text, ink, bold=True, most=MOST_SCALE)


def any_size(
    canvas: DisplayCanvas, area: CellArea, text: str, ink: int, *, bold: bool = False, most: int = MOST_SCALE // 3
) -> None:
    """A text in letters of pixels if they fit, up to `most` for each of theirs, else in plain ones."""
    if not text or area.high < 1 or area.wide < 4:
        return
    high = area.high * canvas.per_row
    scale, lines = marks.fitted(text, area.wide, high, most, bold)
    if not scale and bold:
        bold = False
        scale, lines = marks.fitted(text, area.wide, high, 1, bold)
    if not scale:
        sentences(canvas, area, (text,), ink)
        return
    high = letters.ROWS * scale
    y = area.row * canvas.per_row + (area.high * canvas.per_row - high * len(lines)) // 2
    for number, line in enumerate(lines):
        canvas.paint(area.column, y + number * high, marks.line_of_text(line, scale, bold)[1], ink)


def sentences(canvas: DisplayCanvas, area: CellArea, texts: tuple[str, ...], ink: int) -> None:
    """Plain lines in the middle of an area."""
    lines = [line for text in texts if text for line in wrapped(text, area.wide)]
    top = area.row + max(0, (area.high - len(lines)) // 2)
    for number, line in enumerate(lines[: area.high]):
        canvas.text(area.column, top + number, line, ink)


def wrapped(text: str, wide: int) -> tuple[str, ...]:
    """Lines of at most `wide` characters."""
    lines, wide = [""], max(1, wide)
    for word in map(console_text, letters.words_in(text)):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > wide:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
        while len(lines[-1]) > wide:
            lines[-1:] = [lines[-1][:wide], lines[-1][wide:]]
    return tuple(lines)
