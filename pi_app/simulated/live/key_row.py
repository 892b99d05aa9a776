"""Draws the bottom row: the keys that do something now. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import Canvas, StyledLine
from pi_app.simulated.live.keys import Key
from pi_app.text.language import Words

Spots = tuple[tuple[int, int, str], ...]
"""The range of x of each key, with its action."""


def draw_keys(width: int, keys: Sequence[Key], words: Words, glowing: str = "") -> tuple[StyledLine, Spots]:
    """Return the row and where its keys are. `glowing`: the action of the key to press next."""
    canvas = Canvas(width, 1, "dim@bar")
    spots = []
    x = 1
    for key in _fitting(width, keys, words):
        glows = bool(glowing) and key.action == glowing
        end = canvas.put(x, 0, key.shown, "black@simulated" if glows else "key@bar")
        end = canvas.put(end, 0, f" {words(key.label)}", "black@simulated" if glows else "dim@bar")
        if glows:
            canvas.put(x - 1, 0, "▸", "black@simulated")
            canvas.put(end, 0, "◂", "black@simulated")
        spots.append((x, end, key.action))
        x = end + 2
    return canvas.lines()[0], tuple(spots)


def _fitting(width: int, keys: Sequence[Key], words: Words) -> Sequence[Key]:
    """Return the most important keys that fit, in the order of the list."""
    kept: list[Key] = []
    room = width - 1
    for key in sorted(keys, key=lambda key: key.rank):
        needed = cells.width_of(f"{key.shown} {words(key.label)}") + 2
        if needed <= room:
            kept.append(key)
            room -= needed
    return [key for key in keys if key in kept]
