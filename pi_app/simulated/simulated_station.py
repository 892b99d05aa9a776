"""A demo station in simulation: twins, a journal, and robot visitors who come group after group."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.journal import Stamp
from pi_app.play.build import GameOptions, Outputs, TableBuilder
from pi_app.play.first_event import fair_pick
from pi_app.report.pictures import SeatPicture
from pi_app.settings.model import Settings
from pi_app.simulated.actions import ClearFault, HandAction, InjectFault, Press, Release, TurnDial
from pi_app.simulated.build import simulated_table
from pi_app.simulated.table import faults
from pi_app.simulated.visitors import PAUSES_S, VisitorPhone, Visitors
from pi_app.simulated.wall_clock import simulated_stamps
from pi_app.station.build import end_interrupted, station_journal, station_settings, station_table
from pi_app.station.table import Hooks, StationTable
from pi_app.station.visits.visit import State
from pi_app.text.language import words

if TYPE_CHECKING:
    from pi_app.play.phones import TablePages

MOVES_NS: Final = 20_000_000
"""A dial may still swing for so long."""

BETWEEN_CLICKS_NS: Final = 50_000_000
"""The time between two rounds while a hand that turns pauses between two clicks."""

AFTER_A_HAND_NS: Final = 1_500_000_000
STRIDE_NS: Final = 200_000_000
"""The time between two rounds for so long after a hand: a press must be seen to be held."""

LONG_STRIDE_NS: Final = 900_000_000
"""The time between two rounds while everybody reads, or is gone."""


@dataclass(frozen=True, slots=True)
class StationDoors:
    """What leads out of a simulated station. `hooks`: what it tells; `pages`: for phones; `phone` opens a scanned
    address; `shown` gets what each seat's own screen shows; `free`: the number of seats left to people; `pauses_s`: how
    long robots stay away between two visits; `stamp`: the dates of the record."""

    hooks: Hooks | None = None
    pages: TablePages | None = None
    phone: Callable[[str], VisitorPhone | None] = lambda link: None
    shown: Callable[[str, SeatPicture], None] = lambda seat, picture: None
    free: int = 0
    pauses_s: tuple[float, float] = PAUSES_S
    stamp: Callable[[], Stamp] | None = None


class SimulatedStation:
    """A station with its visitors. Close it, or use it as a context manager. It is what visitors reach."""

    def __init__(self, settings: Settings, journal: Path, *, seed: int = 0, doors: StationDoors | None = None) -> None:
        self.settings, self._doors = station_settings(settings), doors or StationDoors()
        self.seats = tuple(self.settings.seats)[: len(self.settings.seats) - self._doors.free]
        self.squares = tuple(self.settings.squares)
        self._pictures: dict[str, SeatPicture] = {}
        self.table = simulated_table(self.settings, seed=seed)
        stamp = self._doors.stamp or simulated_stamps(lambda: self.table.clock)
        self._open = contextlib.ExitStack()
        self.journal, self.records = self._open.enter_context(
            station_journal(journal, self.settings, stamp, now_ns=self.now_ns)
        )
        self.interrupted = end_interrupted(self.journal, words(self.settings.table.language))
        builder = self._open.enter_context(TableBuilder(self.settings, self.table))
        self._dice = random.Random(f"device dice {seed}")
        self._deal = random.Random(f"deal {seed}")
        try:
            self.station: StationTable = station_table(
                builder,
                self.journal,
                hooks=self._doors.hooks,
                outputs=Outputs(shown=self._shown),
                game=GameOptions(
                    roll=lambda: self._dice.randint(1, 6),
                    pick=self._deal.randrange if seed else fair_pick,
                    lamp_pick=self._deal.randrange,
                ),
                pages=self._doors.pages,
                records=self.records,
            )
        except BaseException:
            self.close()
            raise
        self.visitors = Visitors(self, seed, self._doors.pauses_s)

    def __enter__(self) -> SimulatedStation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send the visitors home, and close everything."""
        if hasattr(self, "visitors"):
            self.visitors.leave()
        self._open.close()

    # ------------------------------------------------------------------------------------ what visitors reach

    @property
    def state(self) -> State:
        """What the public display shows."""
        return self.station.visit.state

    def now_ns(self) -> int:
        """Return the station's time."""
        return self.table.clock.now_ns()

    def act(self, action: HandAction) -> None:
        """Do this at the station now."""
        match action:
            case Press(seat):
                self.table.press(seat)
            case Release(seat):
                self.table.release(seat)
            case TurnDial(square, clicks, gaps_ms):
                self.table.tiles[square].hand.turn(self.now_ns(), clicks, gaps_ms or None)
            case InjectFault(square, fault, amount):
                faults.strike(self.table.tiles[square], fault, amount)
            case ClearFault(square, fault):
                faults.mend(self.table.tiles[square], fault)
            case _:
                raise TypeError("visitors type nothing")

    def creep(self, square: str, part: float) -> None:
        """Leave a dial between two clicks."""
        self.table.tiles[square].hand.stop_between(self.now_ns(), part)

    def picture(self, seat: str) -> SeatPicture | None:
        """Return what a seat's own screen shows."""
        return self._pictures.get(seat)

    def phone(self, link: str) -> VisitorPhone | None:
        """Open a scanned address."""
        return self._doors.phone(link)

    def _shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        self._pictures[seat] = picture
        self._doors.shown(seat, picture)

    # ------------------------------------------------------------------------------------------------- rounds

    def step(self) -> None:
        """Let visitors do what is due, and run one round."""
        self.visitors.step()
        self.station.step()

    def stride(self) -> None:
        """The same after a pause in which no hand moves: a rest takes few rounds."""
        self.table.clock.advance(self._pause_ns(self.now_ns()))
        self.step()

    def _pause_ns(self, now_ns: int) -> int:
        """How long nothing happens; 0 while a dial moves or swings."""
        hands = [tile.hand for tile in self.table.tiles.values()]
        if any(now_ns - MOVES_NS <= hand.at_rest_from_ns <= now_ns for hand in hands):
            return 0
        still_ns = min(hand.motion.still_until_ns(now_ns) for hand in hands) - now_ns
        if any(hand.at_rest_from_ns > now_ns for hand in hands):
            return min(BETWEEN_CLICKS_NS, still_ns)
        brief = now_ns - self.visitors.hand_ns < AFTER_A_HAND_NS or self.state is State.RESET
        most_ns, due_ns = STRIDE_NS if brief else LONG_STRIDE_NS, self.visitors.due_ns
        return max(0, most_ns if due_ns is None else min(most_ns, due_ns - now_ns))
