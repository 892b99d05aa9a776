"""A real page process that is really killed (SIGKILL) in the middle of a visit, again and again.

    python -m tests.station.page_kills --kills 20
    python -m tests.station.page_kills --kills 3 --plant    # a phone that nobody lets come back, and is found

The table is simulated, in real time. A phone over real HTTP claims a turn, holds, and sees its face; at a random moment
of that the page process dies. The game must go on, another process must serve the same port, and the phone must be back
within 15 s; all faces that were seen are in the record. A process that dies on and on within a minute is started after
ever longer pauses, up to 30 s: so each visit has a table of its own, and a few kills.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_app.pages.link import ProcessLink
from pi_app.simulated.demo_pages import open_port, setup_of
from pi_app.simulated.page_stream import PageError
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.simulated.station_pages import RobotPhone, StationPages
from pi_app.simulated.wall_clock import WallClock
from pi_app.station.visits.visit import PLAYED
from tests.station.groups import settings
from tests.station.told import Told, recorded

MOST_S: Final = 15.0
SQUARE: Final = "T01"
KILLS_A_VISIT: Final = 5


@dataclass
class KillsTally:
    """What the kills came to. `back_s`: how long each phone was away; `red`: what a station must not do."""

    visits: int = 0
    kills: int = 0
    faces: int = 0
    back_s: list[float] = field(default_factory=list)
    red: list[str] = field(default_factory=list)


class PageKills:
    """A station in a visit, with one phone. `plant`: the phone does not come back."""

    def __init__(
        self,
        at: SimulatedStation,
        phones: StationPages,
        link: ProcessLink,
        told: Told,
        tally: KillsTally,
        *,
        plant: bool,
    ) -> None:
        self.at, self._phones, self._link, self._plant = at, phones, link, plant
        self._told, self.tally = told, tally
        self._seat = tuple(at.settings.seats)[-1]

    def _run(self, seconds: float) -> None:
        """Let so much time pass at the table, and read the phone."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self.at.station.step()
            self._phones.step(self.at)

    def begin(self) -> RobotPhone:
        """Wake the station, begin a game, and join with a phone."""
        self._run(1)
        first = self.at.seats[0]
        for held_s in (0.15, 1.0):  # a tap wakes it, a hold takes the language
            self.at.table.press(first)
            self._run(held_s)
            self.at.table.release(first)
            self._run(0.5)
        phone = self._phones.open(f"#{self._phones.code}")
        assert phone is not None, "the page process serves nobody"
        self._until(lambda: phone.joined, "the phone was not admitted", 10)
        self.game = self.at.station.loop.session.game_id
        return phone

    def _until(self, done: object, otherwise: str, most_s: float = MOST_S) -> float:
        """Let time pass until this is so; return for how long."""
        assert callable(done)
        began_s = time.monotonic()
        while not done():
            if time.monotonic() - began_s > most_s:
                self.tally.red.append(otherwise)
                break
            self._run(0.05)
        return time.monotonic() - began_s

    def kill(self, phone: RobotPhone, draw: random.Random) -> None:
        """Kill the page process at a random step of a turn, and wait until the phone is back."""
        at = draw.randrange(4)
        for number, _ in enumerate(self._turn(phone, draw)):
            self._see(phone)
            if number == at:
                break
        before = self._link.process_id
        assert before is not None, "no page process runs"
        os.kill(before, signal.SIGKILL)
        self.tally.kills += 1
        self._until(lambda: self._link.process_id not in (None, before), "no other page process was started")
        if not self._plant:
            frames = phone.phone.frames
            self.tally.back_s.append(self._until(lambda: self._back(phone, frames), "the phone did not come back"))
        elif phone.phone.over:
            self.tally.red.append("the phone did not come back")
        session = self.at.station.loop.session
        if (self.at.state not in PLAYED, session.playing, session.game_id) != (False, True, self.game):
            self.tally.red.append(f"the game did not go on: {self.at.state.value}")

    def _turn(self, phone: RobotPhone, draw: random.Random) -> Iterator[None]:
        """Claim, turn, hold: the face is on the phone at the third step."""
        if not phone.phone.shown["mine"]["claim"]:
            phone.tap()
        self._run(draw.uniform(0.1, 0.5))
        yield
        rests_ns = self.at.table.tiles[SQUARE].hand.turn(self.at.now_ns(), draw.choice((-1, 1)), None)
        self._run((rests_ns - self.at.now_ns()) / 1e9 + draw.uniform(0.1, 0.9))
        yield
        phone.hold()
        self._run(draw.uniform(0.4, 0.9))
        yield
        phone.let_go()
        self._run(0.2)
        yield

    def _see(self, phone: RobotPhone) -> None:
        shown = phone.phone.shown
        if (shown.get("picture") or {}).get("kind") == "face":
            self._told.faces.add((shown["seat"], shown["picture"]["label"], shown["picture"]["symbol"]))
            self.tally.faces += 1

    def _back(self, phone: RobotPhone, frames: int) -> bool:
        """Try to come back, as a page does."""
        if phone.phone.over:
            with contextlib.suppress(PageError, OSError):
                phone.phone.come_back()
        return phone.phone.frames > frames and not phone.phone.over

    def end(self, path: Path) -> None:
        """Compare the faces with the record."""
        self.tally.red += self._told.missing_in(recorded(path, self.game))


def run(folder: Path, kills: int, seed: int = 0, *, plant: bool = False) -> KillsTally:
    """Kill page processes so often, a few in each visit. Runs in real time, some five seconds for each."""
    tally = KillsTally()
    while tally.kills < kills and not tally.red:
        path = folder / f"journal-{tally.visits}.db"
        _visit(path, min(KILLS_A_VISIT, kills - tally.kills), f"page kills {seed} {tally.visits}", tally, plant=plant)
        tally.visits += 1
    return tally


def _visit(path: Path, kills: int, seed: str, tally: KillsTally, *, plant: bool) -> None:
    draw, told, used = random.Random(seed), Told(), settings()
    with contextlib.ExitStack() as closing:
        opened = closing.enter_context(open_port(None))
        link = ProcessLink(setup_of(opened.address), opened.listeners)
        phones = closing.enter_context(contextlib.closing(StationPages(opened, tuple(used.seats)[-1], link=link)))
        at = closing.enter_context(SimulatedStation(used, path, doors=StationDoors(pages=phones.pages, shown=told.see)))
        at.table.clock.pace = WallClock()
        lane = PageKills(at, phones, link, told, tally, plant=plant)
        phone = lane.begin()
        for _ in range(kills):
            if not tally.red:
                lane.kill(phone, draw)
        lane.end(path)


def main() -> None:
    """Print the figures."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--kills", type=int, default=20)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--plant", action="store_true")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(Path(folder), asked.kills, asked.seed, plant=asked.plant)
    longest = max(tally.back_s, default=0.0)
    sys.stdout.write(
        f"{tally.kills} page processes killed in {tally.visits} visits: the phone was back after {longest:.1f} s at "
        f"most; {tally.faces} times it saw a face, {len(tally.red)} red\n"
    )
    sys.stdout.writelines(f"RED: {each}\n" for each in tally.red)
    raise SystemExit(bool(tally.red))


if __name__ == "__main__":
    main()
