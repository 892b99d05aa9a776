"""All seats' screens side by side: as large as all fit, else the chosen one large and the others beside it. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import BRAILLE, QUADRANTS, Canvas
from pi_app.simulated.live.drawing import LAMP_WORDS, SCREEN_WORDS, draw_log
from pi_app.simulated.live.layout import SCREENS, SMALL_SCREENS, CellBox, SeatBox, add_frame, grid
from pi_app.simulated.live.screens import SeatWords, draw_screen
from pi_app.simulated.live.values import LiveSeat, Snapshot
from pi_app.text.language import N_, Words

SEEN: Final = N_("The others saw dark screens, and the same words for a trap and a clear square.")
TITLE_WIDTH: Final = add_frame(SMALL_SCREENS[-1])[0]
LOG_LEAST: Final = 1


def place(width: int, height: int, seats: int, chosen: int) -> tuple[SeatBox, ...]:
    """Return the places of all screens in this many cells."""
    everyone = tuple(range(seats))
    others = [n for n in everyone if n != chosen]
    for screen in SCREENS:
        wide, high = add_frame(screen)
        for columns in range(seats, 0, -1) if screen is not QUADRANTS else ():
            if columns * (wide + 1) - 1 <= width and -(-seats // columns) * high <= height:
                return tuple(grid(CellBox(0, 0, width, height), everyone, columns, screen))
        first = SeatBox(chosen, CellBox(0, 0, wide, high))
        for small in SMALL_SCREENS if high <= height else ():
            small_wide, small_high = add_frame(small)
            columns = (width - wide + 1) // (small_wide + 1)
            if columns > 0 and -(-len(others) // columns) * small_high <= height:
                beside = CellBox(wide, 0, width - wide, height)
                return (first, *grid(beside, others, columns, small))
    wide, high = add_frame(BRAILLE)
    titles = (SeatBox(n, CellBox(wide, y, TITLE_WIDTH, 1)) for y, n in enumerate(others))
    return (SeatBox(chosen, CellBox(0, 0, wide, high)), *titles)


def draw_side_by_side(
    canvas: Canvas, box: CellBox, table: Snapshot, chosen: int, words: Words, *, others_saw: bool
) -> tuple[SeatBox, ...]:
    """Draw the screens into a box, and below them what everyone read. `others_saw`: say what there is to see. Return
    the places of the screens on the canvas."""
    sentence = cells.wrap(words(SEEN), box.width - 2) if others_saw else ()
    places = tuple(
        replace(each, box=replace(each.box, x=box.x + each.box.x, y=box.y + each.box.y))
        for each in place(box.width, box.height - len(sentence) - LOG_LEAST, len(table.seats), chosen)
    )
    for each in places:
        seat = table.seats[each.seat]
        title = _title(seat, each.seat, each.box.width, words)
        draw_screen(canvas, each, seat, title, chosen=each.seat == chosen, words=words)
    below = max(each.box.y + each.box.height for each in places)
    for y, line in enumerate(sentence, below):
        canvas.put(box.x + 1, y, line, "name@ground")
    top = below + len(sentence)
    draw_log(canvas, CellBox(box.x, top, box.width, box.y + box.height - top), table, chosen, 0, words)
    return places


def _title(seat: LiveSeat, number: int, width: int, words: Words) -> SeatWords:
    """Return the name, and whether the screen and the lamp shine."""
    screen = "–" if seat.pixels is None else words(SCREEN_WORDS[0 if seat.lit else 1])
    lamp = "" if seat.lamp is None or width <= TITLE_WIDTH else f" {'●' if seat.lamp else '○'}"
    if width >= add_frame(BRAILLE)[0] and seat.lamp is not None:
        lamp += f" {words(LAMP_WORDS[1 if seat.lamp else 2])}"
    room = max(0, width - cells.width_of(f"{screen}{lamp}") - 4)
    return (
        (f"{number + 1} ", "key"),
        (f"{cells.cut(seat.name, room)} ", "name"),
        (screen, "key" if seat.lit else "dim"),
        (lamp, "lamp" if seat.lamp else "dim"),
    )
