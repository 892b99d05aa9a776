"""Draws a seat's screen with its title and frame, pixel for pixel where there is room. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import Canvas
from pi_app.simulated.live.lamp_panel import LEAST_ROWS, draw_lamp_panel
from pi_app.simulated.live.layout import CellBox, SeatBox
from pi_app.simulated.live.values import LiveSeat
from pi_app.text.language import Words

SHADES: Final = 8
"""Levels of brightness of a screen, from its contrast."""

SeatWords = Sequence[tuple[str, str]]
"""Texts with their inks, from left to right."""


def draw_screen(
    canvas: Canvas, place: SeatBox, seat: LiveSeat, title: SeatWords, *, chosen: bool, words: Words
) -> None:
    """Draw the screen of a seat, or its card if it has none. The title is the upper edge of the frame."""
    box = place.box
    if place.titled:
        draw_title(canvas, CellBox(box.x, box.y, box.width, 1), title, chosen=chosen)
        box = CellBox(box.x, box.y + 1, box.width, box.height - 1)
    if not box.height:
        return
    light = f"oled{min(SHADES - 1, seat.contrast * SHADES // 256)}"
    canvas.fill(box.x, box.y, box.width, box.height, "text@glass")
    canvas.frame(box.x, box.y, box.width, box.height, f"{light if seat.lit else 'edge'}@ground")
    inner = CellBox(box.x + 1, box.y, box.width - 2, box.height - 1)
    if seat.pixels is not None:
        for y, line in enumerate(cells.screen_lines(seat.pixels, (inner.width, inner.height)), inner.y):
            canvas.put(inner.x, y, line, f"{light}@glass")
    elif inner.height >= LEAST_ROWS:
        draw_lamp_panel(canvas, inner, seat, words)


def draw_title(canvas: Canvas, box: CellBox, title: SeatWords, *, chosen: bool) -> None:
    """Draw the words of a seat in one row."""
    paper = "chosen" if chosen else "panel"
    canvas.fill(box.x, box.y, box.width, 1, f"text@{paper}")
    x = canvas.put(box.x, box.y, "▸" if chosen else " ", f"key@{paper}")
    for part, ink in title:
        x = canvas.put(x, box.y, part, f"{ink}@{paper}", box.x + box.width - x)
