"""The golden screens: every state of the display at 80x25, as text.

`python -m tests.pi_app.station.display.golden` writes them; look at what changed before you commit it."""

from __future__ import annotations

from pathlib import Path

from pi_app.station.display.boards import DisplayOptions, draw, draw_lost
from pi_app.station.display.canvas import ColouredLine
from pi_app.station.public.scene import LOST, scene
from tests.station.states import SHOWN, state

FOLDER = Path(__file__).with_name("golden")
SIZE = (80, 25)
MOMENT_MS = 2_000
STATES = (*SHOWN, "lost", "never heard")


def text(lines: tuple[ColouredLine, ...]) -> str:
    """The screen without colours, and without blanks at the ends of lines."""
    return "".join("".join(part for part, _, _ in line).rstrip() + "\n" for line in lines)


def drawn(name: str, *, half: bool = True) -> tuple[ColouredLine, ...]:
    options = DisplayOptions(half=half)
    if name == "never heard":
        return draw_lost(LOST, *SIZE, MOMENT_MS, options)
    shown = scene(state("free" if name == "lost" else name))
    return draw(shown, *SIZE, MOMENT_MS, options, lost=name == "lost")


def file(name: str) -> Path:
    return FOLDER / f"{name.replace(' ', '_')}.txt"


if __name__ == "__main__":
    for each in STATES:
        file(each).write_text(text(drawn(each)), encoding="utf-8")
