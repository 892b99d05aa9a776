"""A simulated table as a demo station, for tests: hands, seats' screens and the public states on a virtual clock."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from pi_app.displays.describe import describe
from pi_app.game import events as ev
from pi_app.journal import read
from pi_app.play.build import GameOptions, Outputs, TableBuilder
from pi_app.play.first_event import fair_pick
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.phones import TablePages
from pi_app.report.pictures import SeatPicture
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated.build import simulated_table
from pi_app.simulated.wall_clock import simulated_stamps
from pi_app.station.build import end_interrupted, station_journal, station_settings, station_table
from pi_app.station.public.state import PublicState
from pi_app.station.service.health import StationHealth
from pi_app.station.staff.staff import StationStaff
from pi_app.station.table import Hooks
from pi_app.station.visits.visit import State
from tests.pi_app.playing import settings
from tests.twin_games import Everything

SECOND_NS = 1_000_000_000
STRIDE_NS = 200_000_000


class AtStation:
    """A station in play. `pictures` and `screens`: what each seat's screen shows, as a value and in English words;
    `public`: every state that was published; `rolls`: what the device rolls next, then fours."""

    def __init__(
        self,
        journal: Path,
        used: Settings,
        pages: TablePages | None = None,
        hooks: Hooks | None = None,
        heard: Everything | None = None,
        pick: Callable[[int], int] | None = None,
        staffed: Callable[[AtStation], StationStaff] | None = None,
    ):
        """`heard` gets all that every viewer is given; `pick` deals the trap tables; `staffed` makes the staff's side
        once the clock is there."""
        self.path, self.settings = journal, station_settings(used)
        self.pictures: dict[str, SeatPicture] = {}
        self.screens: dict[str, str] = {}
        self.public: list[PublicState] = []
        self.healths: list[StationHealth] = []
        self.log: list[str] = []
        self.rolls: deque[int] = deque()
        self._heard = heard
        self.open, self.trouble = True, dict[str, str]()
        self.table = simulated_table(self.settings)
        self._opened = contextlib.ExitStack()
        stamp, clock = simulated_stamps(lambda: self.table.clock), self.table.clock
        opening = station_journal(journal, self.settings, stamp, now_ns=clock.now_ns)
        self.journal, self.records = self._opened.enter_context(opening)
        self.interrupted = end_interrupted(self.journal, str)
        self.builder = TableBuilder(self.settings, self.table)
        self.staff = None if staffed is None else staffed(self)
        hooks = hooks or Hooks(
            open_now=lambda: self.open,
            trouble=lambda: self.trouble,
            published=self.public.append,
            healthy=self.healths.append,
            said=self.log.append,
        )
        self.station = station_table(
            self.builder,
            self.journal,
            hooks=hooks,
            outputs=Outputs([heard] if heard is not None else [], tap=heard, shown=self._shown),
            game=GameOptions(
                roll=lambda: self.rolls.popleft() if self.rolls else 4, pick=pick or fair_pick, lamp_pick=lambda n: 0
            ),
            pages=pages,
            records=self.records,
            staff=self.staff,
        )

    def _shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        if self._heard is not None:
            self._heard.shown(seat, picture, at_ns)
        self.pictures[seat], self.screens[seat] = picture, describe(picture, str)

    @property
    def state(self) -> State:
        return self.station.visit.state

    @property
    def now_s(self) -> float:
        return self.table.clock.now_ns() / SECOND_NS

    def run(self, seconds: float) -> None:
        until_ns = self.table.clock.now_ns() + round(seconds * SECOND_NS)
        while self.table.clock.now_ns() < until_ns:
            self.station.step()

    def wait(self, seconds: float) -> None:
        """Let time pass while no hand moves, in few rounds."""
        until_ns = self.table.clock.now_ns() + round(seconds * SECOND_NS)
        while (left_ns := until_ns - self.table.clock.now_ns()) > 0:
            self._rest(min(left_ns, STRIDE_NS))

    def _rest(self, ns: int) -> None:
        """A round after so long a pause."""
        self.table.clock.advance(ns)
        self.station.step()

    def until(self, state: State, most_s: float = 300) -> None:
        """Let time pass until a state begins."""
        until_ns = self.table.clock.now_ns() + round(most_s * SECOND_NS)
        while self.state is not state:
            assert self.table.clock.now_ns() < until_ns, f"{self.state} and not {state} after {most_s} s"
            self._rest(STRIDE_NS)

    def tap(self, seat: str) -> None:
        self.table.press(seat)
        self.run(0.12)
        self.table.release(seat)
        self.run(0.05)

    def press(self, seat: str, seconds: float = 0.6) -> None:
        self.table.press(seat)
        self.run(seconds)

    def let_go(self, seat: str) -> None:
        self.table.release(seat)
        self.run(0.1)

    def turn(self, square: str, clicks: int) -> None:
        gaps_ms = tuple(200.0 for _ in range(abs(clicks) - 1))
        self.table.tiles[square].hand.turn(self.table.clock.now_ns(), clicks, gaps_ms or None)
        self.run(abs(clicks) * 0.2 + 1)

    def events(self) -> list[ev.AnyEvent]:
        return [entry.event for entry in read(self.path, MAGE_KNIGHT)]

    def close(self) -> None:
        self.builder.close()
        self._opened.close()


def a_station(used: Settings | None = None, station: StationSettings | None = None) -> Settings:
    """The small table with a [station]."""
    return replace(used or settings(), station=station or StationSettings())


@contextmanager
def station(
    folder: Path,
    used: Settings | None = None,
    *,
    pages: TablePages | None = None,
    staffed: Callable[[AtStation], StationStaff] | None = None,
) -> Iterator[AtStation]:
    at = AtStation(folder / "journal.db", used or a_station(), pages, staffed=staffed)
    try:
        at.run(1.5)
        yield at
    finally:
        at.close()


NAMES: Mapping[str, str] = MappingProxyType({"ANN": "P1", "BEN": "P2"})
