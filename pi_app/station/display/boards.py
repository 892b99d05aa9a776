"""What the display draws of a scene: one board for each state, from 80x25 cells to 240x67. Pure.

The same scene, size and moment give the same cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.displays import letters
from pi_app.pages.content import QrCode
from pi_app.station.display import canvas as c
from pi_app.station.display import marks
from pi_app.station.display.canvas import ColouredLine, DisplayCanvas
from pi_app.station.display.parts import (
    GAP,
    MANY_ROWS,
    CellArea,
    any_size,
    code_columns,
    code_rows,
    code_scale,
    draw_bar,
    draw_dial,
    huge,
    join_code,
    join_columns,
    letter_rows,
    middle,
    qr_code,
    sentences,
    small_line,
    small_lines,
    words_rows,
    wrapped,
)
from pi_app.station.public.scene import PublicScene, SceneFlag, ScenePlace, SceneTexts

FIGURE: Final = 5
"""Columns for a figure and its space."""

LEAST: Final = (40, 12)
"""Columns and rows below which only the sentences are written."""

LANGUAGE_MS: Final = 9_000
CLICK_MS: Final = 1_600
STEP_MS: Final = 80
WANDER_MS: Final = 20_000
FAR: Final = (7_919, 104_729)
"""Primes: so a line visits every column and row of any screen."""

WARNING_S: Final = 15
LEAST_DIAL: Final = 10

INKS: Final = {"concealed": c.GREY, "exposed": c.AQUA, "triggered": c.PINK, "withdrawn": c.PINK, "disarmed": c.LIME}


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """`still`: reduced motion. `half`: the terminal has half blocks."""

    still: bool = False
    half: bool = True


def language_at(scene: PublicScene, now_ms: int) -> str:
    """The language whose turn it is."""
    return scene.languages[now_ms // LANGUAGE_MS % len(scene.languages)]


def draw(
    scene: PublicScene, columns: int, rows: int, now_ms: int, options: DisplayOptions, *, lost: bool = False
) -> tuple[ColouredLine, ...]:
    """Return the cells of the display, `rows` lines of `columns`. `now_ms` counts since the state began."""
    canvas = DisplayCanvas(columns, rows, half=options.half)
    texts = scene.texts[language_at(scene, now_ms)]
    if scene.state == "closed" and not lost:
        _wandering(canvas, (texts.title, texts.trouble), now_ms)
        return canvas.lines()
    foot = texts.lost if lost else texts.trouble
    whole = _edges(canvas, scene, texts, foot, warns=not lost)
    if columns < LEAST[0] or rows < LEAST[1]:
        sentences(canvas, whole, (texts.title, *texts.says), c.WHITE)
    elif scene.state == "thanks":
        _thanks(canvas, scene, texts, whole)
    elif scene.state == "joining":
        _joining(canvas, scene, texts, whole)
    elif scene.warning_s is None and scene.squares and scene.state == "free":
        _free(canvas, scene, texts, whole)
    else:
        _inviting(canvas, scene, texts, whole, _step(now_ms, options))
    return canvas.lines()


def frame_at(scene: PublicScene, now_ms: int, options: DisplayOptions) -> tuple[str, int]:
    """What of a moment decides the picture of a scene: moments with the same frame look the same."""
    turn = now_ms // WANDER_MS if scene.state == "closed" else _step(now_ms, options)
    return language_at(scene, now_ms), turn


def draw_lost(text: str, columns: int, rows: int, now_ms: int, options: DisplayOptions) -> tuple[ColouredLine, ...]:
    """Return the cells of a display that has not heard from the table yet: one calm sentence that moves."""
    canvas = DisplayCanvas(columns, rows, half=options.half)
    _wandering(canvas, (text,), now_ms, c.GREY)
    return canvas.lines()


def _step(now_ms: int, options: DisplayOptions) -> int:
    """How far the dial has turned: it rests on a click, then moves on quickly. It stands still if motion is reduced."""
    if options.still:
        return now_ms // LANGUAGE_MS % marks.CLICKS * marks.STEPS
    click, rest = divmod(now_ms, CLICK_MS)
    return (click * marks.STEPS + min(rest // STEP_MS, marks.STEPS)) % (marks.CLICKS * marks.STEPS)


# -------------------------------------------------------------------------------------------------------- closed


def _wandering(canvas: DisplayCanvas, texts: tuple[str, ...], now_ms: int, ink: int = c.DIM) -> None:
    """Dim sentences on black, in another place every twenty seconds: no pixel stays lit."""
    lines = [line for text in texts if text for line in wrapped(text, max(1, min(76, canvas.columns - 4)))]
    turn = now_ms // WANDER_MS
    wide = max(map(len, lines), default=0)
    column = turn * FAR[0] % max(1, canvas.columns - wide)
    row = turn * FAR[1] % max(1, canvas.rows - len(lines))
    for number, line in enumerate(lines):
        canvas.text(column, row + number, line, ink)


# ---------------------------------------------------------------------------------------------------- the edges


def _edges(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, foot: str, *, warns: bool) -> CellArea:
    """Draw the first line and the last ones, and return what is free between them."""
    column = canvas.text(1, 0, "TRAPDIAL", c.GOLD)
    if texts.simulated:
        canvas.text(column + GAP, 0, f" {texts.simulated} ", c.BLACK, c.BROWN)
    at = canvas.columns - 1
    for player in reversed(scene.players if scene.state != "attract" else ()):
        at -= len(player.name) + 3
        canvas.text(at, 0, f" {player.name} ", *((c.BLACK, c.BROWN) if player.active else (c.GREY, c.BLACK)))
    lines = wrapped(foot, canvas.columns - 2) if foot else ()
    for number, line in enumerate(lines):
        canvas.text(1, canvas.rows - len(lines) + number, line, c.PINK if warns else c.GOLD)
    return CellArea(1, 1, canvas.columns - 2, canvas.rows - 1 - len(lines))


# -------------------------------------------------------------------------------------------------------- states


def _inviting(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, area: CellArea, step: int) -> None:
    """Huge words over the dial, what to do, and the code to join. A long sentence takes the place of the code."""
    told = scene.warning_s is not None or scene.guided
    code = None if told and area.high < MANY_ROWS else scene.join
    needed = _needed_rows(canvas, texts.title, area.wide) + 1
    lower = _lower_rows(canvas, code, texts, area.high)
    if needed <= area.high * 4 // 5:
        lower = min(lower, area.high - needed)
    head, rest = area.top(area.high - lower)
    _headline(canvas, head, texts)
    side = min(canvas.per_row * rest.high, rest.wide // canvas.unit // 2)
    if side >= LEAST_DIAL:
        dial, rest = rest.left(side * canvas.unit)
        draw_dial(canvas, dial, side, step, middle(scene))
        _, rest = rest.left(GAP)
    if code is not None:
        rest = join_code(canvas, rest, scene, texts)
    if scene.warning_s is not None:
        bar = rest._replace(row=rest.row + rest.high // 2, high=1)
        draw_bar(canvas, bar.inset(1), scene.warning_s / WARNING_S)
    else:
        _said(canvas, rest, texts)


def _needed_rows(canvas: DisplayCanvas, text: str, wide: int) -> int:
    """The rows of cells that a text takes in the smallest letters of pixels."""
    return -(-letters.ROWS * len(letters.wrapped(text, max(8, wide))) // canvas.per_row)


def _headline(canvas: DisplayCanvas, area: CellArea, texts: SceneTexts) -> None:
    if texts.step:
        line, area = area.top(1)
        canvas.text(line.column, line.row, texts.step, c.GOLD)
    huge(canvas, area, texts.title, c.WHITE)


def _lower_rows(canvas: DisplayCanvas, code: QrCode | None, texts: SceneTexts, high: int) -> int:
    """How many rows the lower part takes: for the code and the words below it, and never most of a small screen."""
    most = high * 3 // 5
    if code is None:
        return most
    needed = code_rows(canvas, code, 1) + words_rows(canvas, code, texts)
    return max(most, needed) if needed <= high * 3 // 4 else most


def _said(canvas: DisplayCanvas, area: CellArea, texts: SceneTexts) -> None:
    """The sentences, then the figures, as many as there is room for."""
    high = letter_rows(canvas)
    rows = _figures(canvas, texts, area.wide, area.high // (2 if high == 1 else 3) // high)
    upper, lower = area.top(area.high - (high * len(rows) + 1 if rows else 0))
    first, *others = texts.says or ("",)
    needed = _needed_rows(canvas, first, area.wide)
    half, upper = upper.top(max(upper.high // 2, min(needed, upper.high)) if others else upper.high)
    any_size(canvas, half, first, c.WHITE)
    if high == 1 or _needed_rows(canvas, " ".join(others), area.wide) <= upper.high:
        any_size(canvas, upper, " ".join(others), c.GREY)
    for number, (figure, word) in enumerate(rows):
        line = lower._replace(row=lower.row + 1 + high * number, high=high)
        left, right = line.left(FIGURE * (1 if high == 1 else 3))
        small_line(canvas, left, figure, c.GOLD)
        small_line(canvas, right, word, c.GREY)


def _figures(canvas: DisplayCanvas, texts: SceneTexts, wide: int, most: int) -> tuple[tuple[str, str], ...]:
    """Figures with their words as lines, without those for which there is no room."""
    lines: tuple[tuple[str, str], ...] = ()
    room = wide - FIGURE * (1 if letter_rows(canvas) == 1 else 3)
    for number, word in texts.counts:
        first, *others = small_lines(canvas, word, max(8, room))
        figure = f"{number:>{FIGURE - 1}}" if letter_rows(canvas) == 1 else str(number)
        added = ((figure, first), *(("", other) for other in others))
        if len(lines) + len(added) > most:
            break
        lines += added
    return lines


def _joining(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, area: CellArea) -> None:
    """The question, and the flags of words one below the other."""
    each = max(3, area.high * 3 // 5 // max(1, len(scene.flags)))
    head, rest = area.top(area.high - min(_joining_rows(canvas, scene, texts, each), area.high - 4))
    title, says = head.top(head.high - (2 * letter_rows(canvas) if texts.says else 0))
    huge(canvas, title, texts.title, c.WHITE)
    any_size(canvas, says, " ".join(texts.says), c.GREY)
    flags, code = rest.left(rest.wide - join_columns(canvas, scene.join, texts, rest.high))
    if scene.join is not None:
        join_code(canvas, code, scene, texts)
    names = [flag.name for flag in scene.flags]
    for number, flag in enumerate(scene.flags):
        box = flags._replace(row=flags.row + number * each, high=each, wide=max(4, flags.wide - GAP))
        if box.row + box.high <= flags.row + flags.high:
            _flag(canvas, box, flag, names, chosen=flag.language == scene.chosen)


def _joining_rows(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, each: int) -> int:
    """The rows of the flags, or of the code beside them if that is higher."""
    flags = each * len(scene.flags)
    if scene.join is None:
        return flags
    return max(flags, code_rows(canvas, scene.join, 1) + words_rows(canvas, scene.join, texts))


def _flag(canvas: DisplayCanvas, box: CellArea, flag: SceneFlag, names: list[str], *, chosen: bool) -> None:
    """A language's name, and how to take it, in whole words. `names`: of all languages, which stand in one column."""
    if chosen:
        canvas.fill(box.column, box.row * canvas.per_row, box.wide, box.high * canvas.per_row, c.BROWN)
    else:
        canvas.frame(*box, c.DIM)
    name, says = (c.BLACK, c.BLACK) if chosen else (c.WHITE, c.GREY)
    paper = c.BROWN if chosen else c.BLACK
    inner, large = box.inset(2), letter_rows(canvas) > 1 and box.high >= letter_rows(canvas) + 2
    left, right = inner.left(GAP + max(letters.width(each) if large else len(each) for each in names))
    if large:
        small_line(canvas, left._replace(row=box.row + (box.high - letter_rows(canvas)) // 2), flag.name, name)
    else:
        canvas.text(left.column, box.row + box.high // 2, flag.name, name, paper)
    canvas.text(right.column, box.row + box.high // 2, wrapped(flag.says, right.wide)[0], says, paper)


def _free(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, area: CellArea) -> None:
    """The squares and what everybody knows of them."""
    columns = _square_columns(canvas, area, texts.squares)
    lines = -(-len(scene.squares) // columns)
    high = _square_rows(canvas, area, lines)
    head, grid = area.top(max(4, area.high - high * lines))
    if scene.join is not None:
        head, code = head.left(head.wide - join_columns(canvas, scene.join, texts, head.high))
        join_code(canvas, code, scene, texts)
    said = " ".join(texts.says)
    least = len(wrapped(said, head.wide)) if said else 0
    needed = min(_needed_rows(canvas, texts.title, head.wide), head.high - least)
    title, says = head.top(max(needed, head.high * 2 // 3) if said else head.high)
    huge(canvas, title, texts.title, c.WHITE)
    any_size(canvas, says, said, c.GREY)
    for number, (place, text) in enumerate(zip(scene.squares, texts.squares, strict=True)):
        box = CellArea(
            grid.column + number % columns * (grid.wide // columns),
            grid.row + number // columns * high,
            grid.wide // columns - 1,
            high,
        )
        if box.row + box.high <= grid.row + grid.high:
            _square(canvas, box, place, text)


def _square_columns(canvas: DisplayCanvas, area: CellArea, texts: tuple[str, ...]) -> int:
    """The squares side by side: up to four in even rows, fewer where a text would not fit in letters of pixels."""
    for most in range(max(1, min(4, area.wide // 30)), 1, -1):
        lines = -(-len(texts) // most)
        columns = -(-len(texts) // lines)
        wide, high = area.wide // columns - 5, (_square_rows(canvas, area, lines) - 2) * canvas.per_row
        room = high - letters.ROWS
        if letter_rows(canvas) == 1 or all(marks.fitted(text, wide, room, 1, False)[0] for text in texts):
            return columns
    return 1


def _square_rows(canvas: DisplayCanvas, area: CellArea, lines: int) -> int:
    most = 2 + (2 if letter_rows(canvas) == 1 else 4 * letter_rows(canvas))
    return max(3, min(area.high // 2 // lines, most))


def _square(canvas: DisplayCanvas, box: CellArea, place: ScenePlace, text: str) -> None:
    ink = INKS.get(place.state, c.LIME)
    canvas.frame(*box, c.DIM if place.state == "concealed" else ink)
    if letter_rows(canvas) > 1 and box.high > 2 * letter_rows(canvas):
        label, words = box.inset(2, 1).top(letter_rows(canvas))
        small_line(canvas, label, place.label, c.WHITE)
        any_size(canvas, words, text, ink, most=1)
        return
    at = canvas.text(box.column + 2, box.row + 1, place.label, c.WHITE) + 1
    for number, line in enumerate(wrapped(text, box.column + box.wide - at - 2)[: box.high - 2]):
        canvas.text(at, box.row + 1 + number, line, ink)


def _thanks(canvas: DisplayCanvas, scene: PublicScene, texts: SceneTexts, area: CellArea) -> None:
    """Thanks, the result, and the seal of the game as a code; in letters if there is no room for one."""
    says = texts.says
    if scene.proof is not None:
        scale = code_scale(canvas, scene.proof, area.high, 0.5)
        wide = code_columns(canvas, scene.proof, scale)
        if 0 < wide <= area.wide * 2 // 3:
            area, code = area.left(area.wide - wide)
            qr_code(canvas, code, scene.proof, scale)
            area, says = area.left(area.wide - GAP)[0], (*says, texts.proof)
        else:
            area, seal = area.top(area.high * 3 // 5)
            sentences(canvas, seal, (texts.proof, scene.head), c.GREY)
    head, rest = area.top(area.high // 2)
    huge(canvas, head, texts.title, c.WHITE)
    _said(canvas, rest, SceneTexts(title="", says=says, counts=texts.counts))
