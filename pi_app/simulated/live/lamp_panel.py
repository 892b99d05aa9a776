"""Draws what a seat without a screen reads: the flashes of its lamp one by one, and the card of its code. Pure."""

from __future__ import annotations

from typing import Final

from pi_app.report.lamp_code import LONG_SIGN, SHORT_SIGN, signs
from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import Canvas
from pi_app.simulated.live.lamp_reading import FLASHES
from pi_app.simulated.live.layout import CellBox
from pi_app.simulated.live.values import LiveSeat
from pi_app.text.language import N_, Words

COUNT: Final = N_("{seat} has no screen: count the flashes, then read the card.")
LONG_SHORT: Final = N_("{long} long, {short} short")
LEAST_ROWS: Final = 14
"""Of the card with its heading, and the flashes."""

_INDENT: Final = 2


def draw_lamp_panel(canvas: Canvas, box: CellBox, seat: LiveSeat, words: Words) -> None:
    """Draw the flashes of the last word and the card. The patterns that begin with these flashes are marked."""
    wide = box.width - 2 * _INDENT
    long_short = words(LONG_SHORT).format(long=LONG_SIGN, short=SHORT_SIGN)
    heading = cells.wrap(words(COUNT).format(seat=seat.name), wide)
    rows = [*((line, "text") for line in heading), (_number_flashes(seat) + long_short, "lamp")]
    rows += [("", "text")] if len(rows) + len(seat.card) < box.height else []
    for flashes, meaning in seat.card:
        fits = bool(seat.flashes) and flashes[: len(seat.flashes)] == seat.flashes
        ink = "lamp" if fits else "faint" if seat.flashes else "dim"
        rows.append((f"{'▸' if fits else ' '} {' '.join(signs(flashes))}   {words(meaning)}", ink))
    top = box.y + max(0, (box.height - len(rows)) // 2)
    for y, (line, ink) in enumerate(rows[: box.height], top):
        canvas.put(box.x + _INDENT, y, cells.cut(line, wide), f"{ink}@glass")


def _number_flashes(seat: LiveSeat) -> str:
    """Return the flashes so far by their numbers."""
    return "".join(f"{number} {sign}   " for number, sign in enumerate(f"{signs(seat.flashes):{FLASHES}}", 1))
