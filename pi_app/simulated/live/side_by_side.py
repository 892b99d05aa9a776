"""All seats' screens side by side: the chosen one pixel for pixel, the others as large as there is room. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import BRAILLE_COLUMNS, BRAILLE_ROWS, Canvas
from pi_app.simulated.live.drawing import LAMP_WORDS, SCREEN_WORDS, SHADES, draw_log
from pi_app.simulated.live.lamp_panel import draw_lamp_panel
from pi_app.simulated.live.layout import CellBox
from pi_app.simulated.live.values import LiveSeat, Snapshot
from pi_app.text.language import N_, Words

SEEN: Final = N_(
    "This is what the others saw: dark screens, and the same words at the same moment for a trap and a clear square."
)
SCALES: Final = (1, 2, 4)
LEAST_COLUMNS: Final = 15
"""Of a screen at a quarter of its size; its margin may be cut off."""


@dataclass(frozen=True, slots=True)
class SmallScreen:
    """One seat's place: its title, and below it the screen, reduced by `scale`; 0 for the title alone."""

    seat: int
    box: CellBox
    scale: int


def place(width: int, height: int, seats: int, chosen: int) -> tuple[SmallScreen, ...]:
    """Return the places of all screens in this many cells: in a grid if all fit in full size, else the chosen one on
    the left and the others beside it."""
    for columns in range(seats, 0, -1):
        rows = -(-seats // columns)
        if columns * (BRAILLE_COLUMNS + 1) - 1 <= width and rows * (BRAILLE_ROWS + 1) <= height:
            return tuple(_at(n, 0, n, columns, 1) for n in range(seats))
    others = [n for n in range(seats) if n != chosen]
    left = BRAILLE_COLUMNS + 1
    first = SmallScreen(chosen, CellBox(0, 0, BRAILLE_COLUMNS, BRAILLE_ROWS + 1), 1)
    for scale in SCALES:
        columns = (width - left + 1) // (_columns(scale) + 1)
        if columns and -(-len(others) // columns) * (BRAILLE_ROWS // scale + 1) <= height:
            return (first, *(_at(n, left, seat, columns, scale) for n, seat in enumerate(others)))
    return (first, *(SmallScreen(n, CellBox(left, y, LEAST_COLUMNS, 1), 0) for y, n in enumerate(others)))


def _columns(scale: int) -> int:
    return max(LEAST_COLUMNS, BRAILLE_COLUMNS // scale) if scale < SCALES[-1] else LEAST_COLUMNS


def _at(n: int, left: int, seat: int, columns: int, scale: int) -> SmallScreen:
    wide, high = _columns(scale), BRAILLE_ROWS // scale + 1
    return SmallScreen(seat, CellBox(left + n % columns * (wide + 1), n // columns * high, wide, high), scale)


def draw_side_by_side(
    canvas: Canvas, box: CellBox, table: Snapshot, chosen: int, words: Words, *, others_saw: bool
) -> tuple[SmallScreen, ...]:
    """Draw the screens into a box, and below them what everyone read. `others_saw`: say what there is to see. Return
    the places of the screens on the canvas."""
    sentence = cells.wrap(words(SEEN), box.width - 2) if others_saw else ()
    places = tuple(
        SmallScreen(
            each.seat,
            CellBox(box.x + each.box.x, box.y + each.box.y, each.box.width, each.box.height),
            each.scale,
        )
        for each in place(box.width, box.height - len(sentence), len(table.seats), chosen)
    )
    for each in places:
        _screen(canvas, each, table.seats[each.seat], each.seat == chosen, words)
    below = max(each.box.y + each.box.height for each in places)
    for y, line in enumerate(sentence, below):
        canvas.put(box.x + 1, y, line, "name@ground")
    top = below + len(sentence)
    draw_log(canvas, CellBox(box.x, top, box.width, box.y + box.height - top), table, chosen, 0, words)
    return places


def _screen(canvas: Canvas, at: SmallScreen, seat: LiveSeat, chosen: bool, words: Words) -> None:
    box, paper = at.box, "chosen" if chosen else "panel"
    canvas.fill(box.x, box.y, box.width, 1, f"text@{paper}")
    screen = words(SCREEN_WORDS[0 if seat.lit else 1])
    lamp = "" if seat.lamp is None or box.width <= LEAST_COLUMNS else f" {'●' if seat.lamp else '○'}"
    if box.width >= BRAILLE_COLUMNS and seat.lamp is not None:
        lamp += f" {words(LAMP_WORDS[1 if seat.lamp else 2])}"
    room = box.width - cells.width_of(f"{screen}{lamp}") - 4
    x = canvas.put(box.x, box.y, f"{'▸' if chosen else ' '}{at.seat + 1} ", f"key@{paper}")
    x = canvas.put(x, box.y, cells.cut(seat.name, max(0, room)), f"name@{paper}")
    x = canvas.put(x + 1, box.y, screen, f"{'key' if seat.lit else 'dim'}@{paper}", box.x + box.width - x - 1)
    canvas.put(x, box.y, lamp, f"{'lamp' if seat.lamp else 'dim'}@{paper}", box.x + box.width - x)
    if not at.scale:
        return
    canvas.fill(box.x, box.y + 1, box.width, box.height - 1, "text@glass")
    if seat.pixels is None:
        if at.scale == 1:
            draw_lamp_panel(canvas, CellBox(box.x, box.y + 1, box.width, box.height - 1), seat, words)
        return
    shade = min(SHADES - 1, seat.contrast * SHADES // 256)
    for y, line in enumerate(cells.braille_reduced(seat.pixels, at.scale), box.y + 1):
        canvas.put(box.x, y, line, f"oled{shade}@glass", box.width)
