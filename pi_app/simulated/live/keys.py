"""The keys of the live screen, for the bottom row, the help and the screen itself. Pure data."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from pi_app.simulated.live.values import Snapshot, SquareView, Stage
from pi_app.text.language import N_


class When(enum.Enum):
    """When the bottom row offers a key."""

    ALWAYS = enum.auto()
    PLAYING = enum.auto()
    """A game is on."""
    ENDED = enum.auto()
    SEATS = enum.auto()
    """There are several seats."""
    SQUARES = enum.auto()
    HUB = enum.auto()
    """The chosen square is on a hub with a board."""
    HELP = enum.auto()
    """Only the help lists it."""


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are the terminal library's names, `shown` is for people, `also` are other names of the same key.

    `rank` says which keys the bottom row keeps when it is short: lower ones longer. `enters`: during a game it only
    writes a command, which Enter confirms.
    """

    action: str
    keys: str
    shown: str
    label: str
    rank: int
    help: str
    when: When = When.ALWAYS
    also: str = ""
    enters: bool = False

    @property
    def names(self) -> str:
        """All names of the key, for the help."""
        return f"{self.shown}, {self.also}" if self.also else self.shown


P: Final = When.PLAYING

ENTER: Final = "⏎"
"""Follows a key that only writes a command."""

KEYS: Final = (
    Key("", "", "1-9", N_("seat"), 2, N_("choose a seat; or click on it"), When.SEATS),
    Key("", "", "←→", N_("square"), 2, N_("choose a square; also ↑↓, or click on it"), When.SQUARES),
    Key(
        "tap", "c", "c", N_("tap"), 1, N_("tap the seat's button: claim the next dial that moves, or take that back"), P
    ),
    Key("roll", "r", "r", N_("turn"), 1, N_("roll a die and turn the square's dial that many clicks"), P),
    Key(
        "hold",
        "l,space",
        "l",
        N_("hold"),
        1,
        N_("hold the seat's button and look; press again or release to let go"),
        P,
        also=N_("Space"),
    ),
    Key("click(1)", "plus,equals_sign", "+", N_("click"), 4, N_("turn the dial one click counter-clockwise"), also="="),
    Key("click(-1)", "minus", "-", N_("back"), 5, N_("turn the dial one click clockwise (against the rules)")),
    Key("between", "b", "b", N_("between"), 6, N_("leave the dial between two clicks; press again to seat it")),
    Key("plug", "p", "p", N_("plug"), 4, N_("pull the tile's lead; press again to plug it in")),
    Key(
        "cable",
        "u",
        "u",
        N_("USB"),
        4,
        N_("pull the hub's USB cable; press again to plug it in (demo --hub)"),
        When.HUB,
    ),
    Key("fault", "f", "f", N_("fault"), 6, N_("choose a fault for the tile; choose a lasting one again to clear it")),
    Key(
        "trigger",
        "t",
        "t",
        N_("trigger"),
        3,
        N_("enter that a Hero triggers the square; Enter confirms"),
        P,
        enters=True,
    ),
    Key(
        "disarm('quick')",
        "d",
        "d",
        N_("disarm"),
        3,
        N_("roll, and enter a quick disarm; Enter confirms"),
        P,
        enters=True,
    ),
    Key(
        "disarm('slow')", "D", "D", N_("slowly"), 7, N_("roll, and enter a slow disarm; Enter confirms"), P, enters=True
    ),
    Key(
        "expose",
        "e",
        "e",
        N_("also expose"),
        7,
        N_("enter that a second Hero exposes it too; Enter confirms"),
        P,
        enters=True,
    ),
    Key("turn_back", "0", "0", N_("to start"), 8, N_("turn the dial back to its start mark")),
    Key(
        "new_game",
        "n",
        "n",
        N_("new game"),
        3,
        N_("end the game (Enter confirms); after it, turn all dials back and begin a new one"),
        enters=True,
    ),
    Key("after_game", "a", "a", N_("story"), 1, N_("after a game: its story and its record"), When.ENDED),
    Key(
        "screens",
        "s",
        "s",
        N_("screens"),
        2,
        N_("compare the screens of all seats; press again to go back"),
        When.SEATS,
    ),
    Key("command", "slash,colon", "/", N_("command"), 3, N_("type a command of the table; Esc goes back"), also=":"),
    Key("help", "question_mark,f1", "?", N_("help"), 0, N_("this page"), also="F1"),
    Key("leave", "q,ctrl+c,ctrl+q", "q", N_("quit"), 0, N_("leave; the journal keeps the game"), also="^C, ^Q"),
    Key("scroll(-1)", "pageup", "PgUp", N_("earlier"), 9, N_("show earlier lines; PgDn: later ones"), When.HELP),
    Key("scroll(1)", "pagedown", "PgDn", N_("later"), 9, "", When.HELP),
)

TYPING_KEYS: Final = (
    Key("send_line", "", "Enter", N_("run the command"), 0, ""),
    Key("leave_line", "", "Esc", N_("back"), 0, ""),
    Key("", "", "↑↓", N_("earlier commands"), 1, ""),
)
"""While a command is typed, the other keys are letters."""

PAGE_KEYS: Final = (Key("leave", "", "Esc", N_("back"), 0, ""), Key("", "", "↑↓", N_("scroll"), 1, ""))
INTRO_KEYS: Final = (
    Key("begin", "", "Enter", N_("begin"), 0, ""),
    Key("skip", "", "Esc", N_("play without the guide"), 0, ""),
)
AFTER_KEYS: Final = (*PAGE_KEYS, Key("new_game", "", "n", N_("new game"), 0, ""))
FAULT_KEYS: Final = (
    Key("", "", "↑↓", N_("choose"), 0, ""),
    Key("", "", "Enter", N_("inject or clear"), 0, ""),
    Key("leave", "", "Esc", N_("back"), 0, ""),
)
SMALL_KEYS: Final = tuple(key for key in KEYS if key.action in ("help", "leave"))
"""In a window that is too small for the table."""


def offer_keys(table: Snapshot, square: SquareView) -> tuple[Key, ...]:
    """Return the keys that do something now, for the bottom row."""
    given = {When.ALWAYS}
    given |= {When.SEATS} if len(table.seats) > 1 else set()
    given |= {When.SQUARES} if len(table.squares) > 1 else set()
    given |= {When.PLAYING} if table.stage is Stage.PLAYING else set()
    given |= {When.ENDED} if table.after else set()
    given |= {When.HUB} if square.cabled else set()
    seats = f"1-{len(table.seats)}"
    return tuple(
        Key(key.action, key.keys, seats if key.shown == "1-9" else _shown(key, table), key.label, key.rank, key.help)
        for key in KEYS
        if key.when in given
    )


def _shown(key: Key, table: Snapshot) -> str:
    return f"{key.shown}{ENTER}" if key.enters and table.stage is Stage.PLAYING else key.shown
