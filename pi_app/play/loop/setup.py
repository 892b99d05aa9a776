"""The values that a table's loop is built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hardware.clock import Clock
from pi_app.dials.fingerprint import Fingerprints
from pi_app.dials.tracker import Tracker
from pi_app.game import events as ev
from pi_app.game.conversion import SpawnFigure
from pi_app.play.feed import Feed
from pi_app.play.machine_notices import Notices
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.moment import Moment


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
