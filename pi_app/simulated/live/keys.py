"""The keys of the live screen, once: what the bottom row shows, the help lists and the screen obeys. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.text.language import N_


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are names as the terminal library gives them, `shown` is how people read them.

    `rank` says which keys stay in the bottom row when it is short: lower ones longer. Above 9 only the help has it.
    """

    action: str
    keys: str
    shown: str
    label: str
    rank: int
    help: str


KEYS: Final = (
    Key("", "", "1-9", N_("seat"), 2, N_("choose a seat; or click on it")),
    Key("", "", "←→", N_("square"), 2, N_("choose a square; also ↑↓, or click on it")),
    Key("tap", "c", "c", N_("tap"), 1, N_("tap the seat's button: claim the next dial that moves, or take that back")),
    Key("roll", "r", "r", N_("turn"), 1, N_("roll a die and turn the square's dial that many clicks")),
    Key("hold", "l,space", "l", N_("hold"), 1, N_("hold the seat's button and look; again, or let go: dark")),
    Key("click(1)", "plus,equals_sign", "+", N_("click"), 4, N_("turn the dial one click counter-clockwise")),
    Key("click(-1)", "minus", "-", N_("back"), 5, N_("turn the dial one click clockwise (against the rules)")),
    Key("between", "b", "b", N_("between"), 6, N_("leave the dial between two clicks; again: seat it")),
    Key("plug", "p", "p", N_("plug"), 4, N_("pull the tile's lead; again: put it back")),
    Key("cable", "u", "u", N_("USB"), 9, N_("pull the USB cable of the square's hub; again: put it back (demo --hub)")),
    Key("fault", "f", "f", N_("fault"), 6, N_("choose a fault for the tile; a lasting one again: mend it")),
    Key("trigger", "t", "t", N_("trigger"), 3, N_("write that a Hero sets the square off; Enter says it")),
    Key("disarm('quick')", "d", "d", N_("disarm"), 3, N_("roll, and write a quick disarm; Enter says it")),
    Key("disarm('slow')", "D", "D", N_("slowly"), 7, N_("roll, and write a slow disarm; Enter says it")),
    Key("expose", "e", "e", N_("also expose"), 7, N_("write that a second Hero exposes the square too; Enter says it")),
    Key("turn_back", "0", "0", N_("to start"), 8, N_("turn the dial back to its start mark")),
    Key("new_game", "n", "n", N_("new game"), 5, N_("write the end of the game; then: all dials back, a new game")),
    Key("zoom", "z", "z", N_("zoom"), 8, N_("only the chosen seat's screen, as large as it goes")),
    Key("command", "slash,colon", "/", N_("words"), 3, N_("write any of the table's words; Esc goes back")),
    Key("help", "question_mark,f1", "?", N_("help"), 0, N_("this page")),
    Key("leave", "q,ctrl+c,ctrl+q", "q", N_("quit"), 0, N_("leave; the journal keeps the game")),
    Key("scroll(-1)", "pageup", "PgUp", N_("earlier"), 99, N_("what was said earlier; PgDn goes on")),
    Key("scroll(1)", "pagedown", "PgDn", N_("later"), 100, ""),
)
