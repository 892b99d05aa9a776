"""Draws the pages over the live screen: the first one, the help, and the end of a game. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_app.play.commands.words import USAGE
from pi_app.simulated.live import cells
from pi_app.simulated.live.cells import StyledLine
from pi_app.simulated.live.keys import KEYS
from pi_app.text.language import HELP_HOLD, HELP_TAP, HELP_TITLE, HELP_TURN, N_, Words
from pi_app.text.table_words import with_english

GAME: Final = N_(
    "In Mage Knight 3D Dungeons traps hide under dials: you turn a dial by your die's roll, and only you may know what "
    "it then shows."
)
THIS: Final = N_(
    "Trapdial reads the dial and tells that one player; this table is simulated, and you play every seat of it."
)
GUIDED: Final = N_("Three keys play a turn. In the bottom row they glow one after the other:")

_COLUMN_GAP: Final = 4
_WORD_COLUMN: Final = 46


def draw_intro(width: int, words: Words) -> tuple[StyledLine, ...]:
    """Return the first page."""
    lines: list[StyledLine] = []
    for text in (GAME, THIS):
        lines += [((line, "name@panel"),) for line in cells.wrap(words(text), width)]
        lines.append(((" ", "text@panel"),))
    lines += [((line, "text@panel"),) for line in cells.wrap(words(GUIDED), width)]
    lines.append(((" ", "text@panel"),))
    for key, told in (("c", HELP_TAP), ("r", HELP_TURN), ("l", HELP_HOLD)):
        lines += _beside(key, words(told), 5, width)
    return tuple(lines)


def draw_after(width: int, lines: Sequence[str]) -> tuple[StyledLine, ...]:
    """Return the page after a game. A QR code is never wrapped."""
    drawn: list[StyledLine] = []
    for line in lines:
        code = bool(line) and set(line) <= set(" ▀▄█")
        indent = len(line) - len(line.lstrip()) if not code else 0
        texts = [line] if code else cells.wrap(line, width - indent) or [" "]
        drawn += [((" " * indent + text, "name@panel" if indent else "text@panel"),) for text in texts]
    return tuple(drawn)


def draw_help(width: int, words: Words) -> tuple[StyledLine, ...]:
    """Return the help page, as many lines as it needs."""
    keys = [(_names(key.names, words), words(key.help)) for key in KEYS if key.help]
    aside = max(cells.width_of(names) for names, _ in keys) + _COLUMN_GAP
    lines = _heading(words(HELP_TITLE))
    for name, told in (("c", HELP_TAP), ("r", HELP_TURN), ("l", HELP_HOLD)):
        lines += _beside(name, words(told), aside, width)
    lines += _beside("", words(N_("To everyone else a trap and a clear square look the same.")), aside, width)
    lines += [*_heading(" "), *_heading(words(N_("Keys")))]
    for name, told in keys:
        lines += _beside(name, told, aside, width)
    lines += [*_heading(" "), *_heading(words(N_("Commands of the table, after /")))]
    for usage, meaning in USAGE.values():
        lines += _beside(with_english(usage, words), words(meaning), _WORD_COLUMN, width)
    lines += _heading(" ")
    lines += _beside("", words(N_("Everything here is SIMULATED: no real dial is read.")), aside, width)
    return tuple(lines)


def _names(names: str, words: Words) -> str:
    return ", ".join(words(name) for name in names.split(", "))


def _heading(text: str) -> list[StyledLine]:
    return [((text, "name@panel"),)]


def _beside(left: str, right: str, aside: int, width: int) -> list[StyledLine]:
    """Return a term with its explanation beside it, or below it if that is too narrow."""
    if width - aside < 30 or cells.width_of(left) + 3 > aside:
        texts = cells.wrap(right, width - 6)
        above = cells.wrap(left, width - 2)
        return [
            *(((f"  {text}", "key@panel"),) for text in above),
            *(((f"      {text}", "text@panel"),) for text in texts),
        ]
    first, *more = cells.wrap(right, width - aside)
    start = f"  {left}" + " " * max(1, aside - 2 - cells.width_of(left))
    return [
        ((start, "key@panel"), (first, "text@panel")),
        *(((" " * aside + text, "text@panel"),) for text in more),
    ]
