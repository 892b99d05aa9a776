"""A SIMULATED table of rooms: the program over twins, with a hand that turns rooms when it is told to."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.displays.words import N_, words
from pi_app.feed import InlineFeed
from pi_app.house import House, game_id, simulated_stamps, simulated_table, version
from pi_app.journal import Journal
from pi_app.recording import period_ns
from pi_app.rooms import events as ev
from pi_app.rooms.report import ROOMS
from pi_app.rooms.settings import RoomSettings
from pi_app.rooms.table import RoomTable

EXAMPLE: Final = (
    "card ann 2",
    "reveal R3",
    "gear ann R3",
    "turn R3 1",
    "end turn",
    "card ben 3",
    "reveal R4",
    "gear ben R4 remote",
    "turn R3 1",
    "turn R3 -1",
    "end turn",
    "turn R4 -1",
    "end game",
)
"""What `trapdial rooms demo --auto` plays: words of the table, and a hand on a room."""

REST_NS: Final = 1_500_000_000
"""A simulated room is let alone for so long after each line."""


def started(settings: RoomSettings, *, simulated: bool) -> ev.Started:
    """The first event of a game at this table."""
    return ev.Started(
        version=version(),
        table_name=settings.wires.table.name,
        simulated=simulated,
        ruleset=settings.ruleset,
        players=settings.players,
        squares=settings.rooms,
    )


class RoomDemo(contextlib.ExitStack):
    """A simulated table that is being played. Use as a context manager."""

    def __init__(self, settings: RoomSettings, journal: Path, told: Callable[[str], None], *, seed: int = 0) -> None:
        super().__init__()
        self._told = told
        self.twins = simulated_table(settings.wires, seed=seed)
        self._period_ns = period_ns(settings.wires)
        house = self.enter_context(House(settings.wires, self.twins))
        record = self.enter_context(Journal(journal, ROOMS, simulated_stamps(lambda: self.twins.clock)))
        self._feed = InlineFeed(house.wires().scans, self.twins.clock)
        start = started(settings, simulated=True)
        self.table = RoomTable(self._feed, house.trackers(), record, game_id(), start, told)
        self._run()

    def say(self, line: str) -> None:
        """A line of the table's words, or `turn ROOM QUARTERS`, clockwise positive, of one or more rooms at once."""
        verb, *rest = line.split() or [""]
        if verb.lower() == "turn":
            self._turn(rest)
        elif verb:
            self.table.say(line)
        self._run()

    def _turn(self, orders: list[str]) -> None:
        pairs = [(room.upper(), quarters) for room, quarters in zip(orders[::2], orders[1::2], strict=False)]
        wanted = {room: int(quarters) for room, quarters in pairs if quarters.lstrip("+-").isdecimal()}
        if not wanted or 2 * len(wanted) != len(orders) or not wanted.keys() <= self.twins.tiles.keys():
            usage = "turn ROOM QUARTERS (SIMULATED)"
            self._told(words("en")(N_("Say it like this: {usage}")).format(usage=usage))
            return
        for room, quarters in wanted.items():
            if quarters:
                self.twins.tiles[room].hand.turn(self.twins.clock.now_ns(), -quarters)

    def _run(self) -> None:
        """Let the table run until every room rests."""
        rest_ns = max(tile.hand.at_rest_from_ns for tile in self.twins.tiles.values())
        until_ns = max(rest_ns, self.twins.clock.now_ns()) + REST_NS
        while self.twins.clock.now_ns() < until_ns:
            self.table.look()
            self._feed.rest(self.twins.clock.now_ns() + self._period_ns)
