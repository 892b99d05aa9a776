"""The values that a table's loop is built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hardware.clock import Clock
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.tracker import Tracker
from pi_app.game import events as ev
from pi_app.game.conversion import SpawnFigure
from pi_app.play.feed import Feed
from pi_app.play.machine_notices import Notices
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.moment import Moment
from pi_app.text.sealed import Sealed


@dataclass(frozen=True, slots=True, repr=False)
class PhoneCode(Sealed):
    """A code with which a phone takes a seat: its link, the address in it, and the rows of its QR code."""

    link: str
    address: str
    modules: tuple[tuple[bool, ...], ...]


class Phones(Protocol):
    """The phones of a table, between the loop and their pages."""

    def new_code(self, seat: str) -> PhoneCode:
        """Make a new code for a seat; an older one is void."""

    def take(self) -> bool:
        """Carry out what phones have sent, a little in each round. Return whether a player did something."""

    def make(self) -> None:
        """Make a frame for every phone if anything visible has changed, or after a while."""

    def send(self) -> None:
        """Send the frames that the last round has made."""

    def forget(self) -> None:
        """Void all codes and keys, and forget what phones have shown."""


@dataclass(frozen=True, slots=True)
class TableParts:
    """The parts of a table, real or simulated: the loop cannot tell which. `notices` are the machine's troubles."""

    clock: Clock
    feed: Feed
    dials: Mapping[str, Tracker]
    seats: Sequence[TableSeat]
    fingerprints: Fingerprints = field(default_factory=lambda: Fingerprints({}))
    notices: Sequence[Notices] = ()


@dataclass(frozen=True, slots=True)
class GameStart:
    """How a game begins. `first_event` gets whether to shuffle the trap tables; None: as the settings say. `resume`: an
    unfinished game, by its id. `notes` are shown to the referee first. `lamp_pick` draws the patterns of lamps that
    have another at each look; `dealt` gets each seat's `LampCode`."""

    first_event: Callable[[bool | None], ev.Started]
    new_game_id: Callable[[], str]
    lamp_pick: Callable[[int], int]
    resume: tuple[str, Moment] | None = None
    notes: Sequence[str] = ()
    dealt: Callable[[str, str], None] | None = None
    waits: bool = False
    """Whether no game begins before `Loop.begin_game` is called."""


@dataclass(frozen=True, slots=True)
class Randomness:
    """`roll` gives a die of 1 to 6; `pick` gives 0 to n-1, each with the same probability."""

    roll: Callable[[], int]
    pick: Callable[[int], int]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options from the settings. With `device_rolls` the device rolls a die at every claim. `show_ns`: how long a
    screen shows a face. `spawn`: the owner's Mage Spawn pool."""

    language: str = "en"
    period_ns: int = 10_000_000
    show_ns: int = 8_000_000_000
    device_rolls: bool = False
    spawn: Sequence[SpawnFigure] = ()
