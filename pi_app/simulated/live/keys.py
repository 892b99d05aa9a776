"""The keys of the live screen, for the bottom row, the help and the screen itself. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.text.language import N_


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are the terminal library's names, `shown` is for people.

    `rank` says which keys the bottom row keeps when it is short: lower ones longer. Above 9 only the help lists it.
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
    Key("hold", "l,space", "l", N_("hold"), 1, N_("hold the seat's button and look; press again or release to let go")),
    Key("click(1)", "plus,equals_sign", "+", N_("click"), 4, N_("turn the dial one click counter-clockwise")),
    Key("click(-1)", "minus", "-", N_("back"), 5, N_("turn the dial one click clockwise (against the rules)")),
    Key("between", "b", "b", N_("between"), 6, N_("leave the dial between two clicks; press again to seat it")),
    Key("plug", "p", "p", N_("plug"), 4, N_("pull the tile's lead; press again to plug it in")),
    Key("cable", "u", "u", N_("USB"), 9, N_("pull the hub's USB cable; press again to plug it in (demo --hub)")),
    Key("fault", "f", "f", N_("fault"), 6, N_("choose a fault for the tile; choose a lasting one again to clear it")),
    Key("trigger", "t", "t", N_("trigger"), 3, N_("enter that a Hero triggers the square; Enter confirms")),
    Key("disarm('quick')", "d", "d", N_("disarm"), 3, N_("roll, and enter a quick disarm; Enter confirms")),
    Key("disarm('slow')", "D", "D", N_("slowly"), 7, N_("roll, and enter a slow disarm; Enter confirms")),
    Key("expose", "e", "e", N_("also expose"), 7, N_("enter that a second Hero exposes it too; Enter confirms")),
    Key("turn_back", "0", "0", N_("to start"), 8, N_("turn the dial back to its start mark")),
    Key("new_game", "n", "n", N_("new game"), 5, N_("end the game; after it, turn all dials back and begin a new one")),
    Key("zoom", "z", "z", N_("zoom"), 8, N_("show only the chosen seat's screen, as large as possible")),
    Key("command", "slash,colon", "/", N_("words"), 3, N_("type a command of the table; Esc goes back")),
    Key("help", "question_mark,f1", "?", N_("help"), 0, N_("this page")),
    Key("leave", "q,ctrl+c,ctrl+q", "q", N_("quit"), 0, N_("leave; the journal keeps the game")),
    Key("scroll(-1)", "pageup", "PgUp", N_("earlier"), 99, N_("show earlier lines; PgDn: later ones")),
    Key("scroll(1)", "pagedown", "PgDn", N_("later"), 100, ""),
)
