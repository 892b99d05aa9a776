"""The values that the live screen is drawn from: a frozen snapshot, made in the table's own thread. Pure.

It holds what people in the room can see: tiles, leads, dials, lamps, buttons, the pixels of each seat's screen, and
the reports of the public and the referee. It never holds the game.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Claiming(enum.Enum):
    """The state of a seat's turn, as in the public report."""

    NO = enum.auto()
    OPEN = enum.auto()
    """The seat has claimed the next dial that moves."""
    BOUND = enum.auto()
    """Its dial has moved, or was named."""


class Stage(enum.Enum):
    """The stage of the game."""

    STARTING = enum.auto()
    PLAYING = enum.auto()
    ENDED = enum.auto()


@dataclass(frozen=True, slots=True)
class SquareView:
    """One tile as everyone sees it. `state` is the name of its rule state, `told` its line of the public report."""

    label: str
    state: str
    told: str
    clicks: int
    turned: float
    """The angle of the dial, in clicks counter-clockwise from the start mark; everyone in the room can see it."""
    moving: bool = False
    between: bool = False
    plugged: bool = True
    faults: tuple[str, ...] = ()
    """Its active faults."""
    turned_by: str = ""
    """The name of the player who turns this dial, or empty."""
    cabled: bool = False
    """It is on a hub with a board, whose cable can be pulled."""
    translated: tuple[tuple[str, str], ...] = ()
    """Its line in the other languages of the table: a language and a text."""

    def line_in(self, language: str) -> str:
        """Return its line of the public report in a seat's language."""
        return dict(self.translated).get(language, self.told)

    @property
    def at_start(self) -> bool:
        return not self.between and self.turned % self.clicks == 0


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """One seat's devices. `pixels` are the 1024 bytes of its screen, None without one; `lamp` is None without a lamp.
    `rolled` is a die that this player has just rolled. A seat without a screen has a `card`: each pattern of its lamp
    with the msgid of what it means, True for a long flash; `flashes` are those of the last word, as far as it has
    come."""

    seat: str
    name: str
    pixels: bytes | None
    contrast: int = 0x20
    lamp: bool | None = None
    held: bool = False
    claiming: Claiming = Claiming.NO
    square: str = ""
    rolled: int | None = None
    language: str = "en"
    card: tuple[tuple[tuple[bool, ...], str], ...] = ()
    flashes: tuple[bool, ...] = ()

    @property
    def lit(self) -> bool:
        """Whether the screen shows anything."""
        return self.pixels is not None and any(self.pixels)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One sentence for everyone, or for the referee alone. `seats`: those who read it in their own language; without
    any it is in the table's language alone."""

    at_s: int
    viewer: str
    line: str
    seats: tuple[str, ...] = ()

    def is_for(self, seat: str) -> bool:
        """Whether this seat reads it in these words. The referee's lines are always shown."""
        return not self.seats or seat in self.seats


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table at one moment."""

    table_name: str
    samples: bool
    """Whether a trap table is a SAMPLE with made-up numbers."""
    stage: Stage
    at_s: int
    samples_per_s: int
    longest_gap_ms: int
    squares: tuple[SquareView, ...]
    seats: tuple[LiveSeat, ...]
    log: tuple[LogLine, ...]
    after: tuple[str, ...] = ()
    """What follows the game that has ended: its story, and where its record lies."""
