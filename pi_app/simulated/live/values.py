"""What the live screen is drawn from: one frozen picture of the table, made in the table's own thread. Pure.

It holds what people in the room can see: tiles, leads, dials' rims, lamps, thumbs, each seat's glass as its chip
shows it, and the reports of the public and the referee. It never holds the game.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Claiming(enum.Enum):
    """Where a seat's turn stands, as the public report says it."""

    NO = enum.auto()
    OPEN = enum.auto()
    """The next dial that moves is this seat's to read."""
    BOUND = enum.auto()
    """Its dial has moved, or is named."""


class Stage(enum.Enum):
    """Whether there is anything to play."""

    STARTING = enum.auto()
    PLAYING = enum.auto()
    ENDED = enum.auto()


@dataclass(frozen=True, slots=True)
class SquareView:
    """One tile as everyone sees it. `state` is a rule state's name, `told` the public report's words for it."""

    label: str
    state: str
    told: str
    clicks: int
    turned: float
    """Where the rim points, in clicks counter-clockwise from the start mark; where it rests is no secret in a room."""
    moving: bool = False
    between: bool = False
    plugged: bool = True
    faults: tuple[str, ...] = ()
    """Lasting faults that somebody chose for it."""
    turned_by: str = ""
    """Whose turn this dial is in, or empty."""

    @property
    def at_start(self) -> bool:
        return not self.between and self.turned % self.clicks == 0


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat's devices. `glass` is the 1024 bytes of pixels that shine, None without a screen; `lamp` None without a
    lamp. `rolled` is a die that this player has just rolled."""

    seat: str
    name: str
    glass: bytes | None
    contrast: int = 0x20
    lamp: bool | None = None
    held: bool = False
    claiming: Claiming = Claiming.NO
    square: str = ""
    rolled: int | None = None

    @property
    def lit(self) -> bool:
        """Something is to be seen on the screen."""
        return self.glass is not None and any(self.glass)


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence for everyone, or for the referee alone."""

    at_s: int
    viewer: str
    line: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table at one moment."""

    table_name: str
    samples: bool
    """Some trap table is a SAMPLE with made-up numbers."""
    stage: Stage
    at_s: int
    looks_per_s: int
    longest_gap_ms: int
    squares: tuple[SquareView, ...]
    seats: tuple[SeatView, ...]
    told: tuple[Told, ...]
