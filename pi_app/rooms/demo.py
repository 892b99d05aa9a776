"""A SIMULATED table of rooms: the real program over twins, and a hand that turns rooms on command."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.journal import Journal
from pi_app.play.samples_csv import period_ns
from pi_app.rooms.build import room_table
from pi_app.rooms.report import ROOMS, RoomsMoment
from pi_app.rooms.settings import RoomSettings
from pi_app.rooms.start import refuse_other_game, unfinished_game
from pi_app.rooms.table import usages
from pi_app.simulated.build import simulated_table
from pi_app.simulated.wall_clock import simulated_stamps
from pi_app.text.language import N_

if TYPE_CHECKING:
    from pi_app.simulated.table import SimulatedTable

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
    "card ann 3",
    "move goblin R3 4",
    "combat goblin ben.thief",
    "play ann",
    "4",
    "play ben",
    "2",
    "exit thief",
    "undo",
    "end turn",
    "unplug R4",
    "turn R4 -1",
    "plug R4",
    "end game",
)
"""The commands that `trapdial rooms demo --auto` plays."""

HANDS: Final[dict[str, tuple[str, str]]] = {
    "turn": ("turn ROOM QUARTERS", N_("a SIMULATED hand turns it, clockwise positive")),
    "unplug": ("unplug ROOM", N_("unplug its dial")),
    "plug": ("plug ROOM", N_("plug it in again")),
}
"""Commands of the simulated hand, beside the table's commands."""

HAND_QUARTERS_PER_S: Final = 2.5
"""The speed of the simulated hand."""

LET_ALONE_NS: Final = 800_000_000
"""The time to wait after a hand was on a room."""

AT_MOST_NS: Final = 10_000_000_000
"""The longest wait for a room to rest."""


class RoomDemo(contextlib.ExitStack):
    """A game at a simulated table. Use as a context manager."""

    def __init__(
        self,
        settings: RoomSettings,
        journal: Path,
        show_line: Callable[[str], None],
        *,
        seed: int = 0,
        resume: bool = False,
        twins: SimulatedTable | None = None,
    ) -> None:
        """`resume`: continue the unfinished game in the journal, if there is one. `twins`: those of an earlier table,
        after their `restart`; left out, the rooms stand where the journal says."""
        super().__init__()
        self._period_ns = period_ns(settings.wires)
        with contextlib.ExitStack() as opened:
            self._open(opened, settings, journal, show_line, seed=seed, resume=resume, twins=twins)
            self._run(0)
            self.push(opened.pop_all())

    def _open(
        self,
        opened: contextlib.ExitStack,
        settings: RoomSettings,
        journal: Path,
        show_line: Callable[[str], None],
        *,
        seed: int,
        resume: bool,
        twins: SimulatedTable | None,
    ) -> None:
        record = opened.enter_context(Journal(journal, ROOMS, simulated_stamps(lambda: self.twins.clock)))
        refuse_other_game(record, simulated=True)
        unfinished = unfinished_game(record, settings, simulated=True) if resume else None
        stands = {} if unfinished is None else stands_of(unfinished[1])
        self.twins = simulated_table(settings.wires, seed=seed, stands=stands) if twins is None else twins
        self.table = opened.enter_context(
            room_table(settings, self.twins, record, show_line, unfinished=unfinished, simulated=True)
        )

    def enter(self, line: str) -> None:
        """Obey a command of the table, or of HANDS. With an empty line only time passes."""
        if self.table.hides:
            self.table.enter(line)
            self._run(0)
            return
        verb, *rest = line.split() or [""]
        if verb.casefold() in HANDS:
            self._hand(verb.casefold(), rest)
        elif verb:
            self.table.enter(line)
            if verb.casefold() == "help":
                self.table.show(lambda said: usages(HANDS, said))
        self._run(0 if verb and verb.casefold() not in HANDS else LET_ALONE_NS)

    def _hand(self, verb: str, orders: list[str]) -> None:
        each = 2 if verb == "turn" else 1
        labels = {label.casefold(): label for label in self.twins.tiles}
        rooms = [labels.get(word.casefold(), "") for word in orders[::each]]
        quarters = orders[1::2] if verb == "turn" else ["0"] * len(rooms)
        known = all(rooms) and all(re.fullmatch("[+-]?[0-9]", word, re.ASCII) for word in quarters)
        if not rooms or not known or len(rooms) != len(quarters):
            self.table.show(lambda said: said(N_("Usage: {usage}")).format(usage=HANDS[verb][0]))
            return
        now_ns = self.twins.clock.now_ns()
        for room, word in zip(rooms, quarters, strict=True):
            tile = self.twins.tiles[room]
            if verb == "unplug":
                tile.unplug()
            elif verb == "plug":
                tile.plug_in()
            elif int(word):
                tile.hand.flick(now_ns, -int(word), HAND_QUARTERS_PER_S)

    def _run(self, alone_ns: int) -> None:
        """Let the table run until every room rests and everything about it is shown."""
        rest_ns = max(tile.hand.at_rest_from_ns for tile in self.twins.tiles.values())
        from_ns = self.twins.clock.now_ns()
        least_ns = max(rest_ns, from_ns) + alone_ns
        while (now_ns := self.twins.clock.now_ns()) < least_ns or not self.table.at_rest:
            if now_ns - from_ns > AT_MOST_NS:
                return
            self.step()

    def step(self) -> None:
        """Poll every room once."""
        self.table.poll()
        self.table.rest_until(self.twins.clock.now_ns() + self._period_ns)


def stands_of(moment: RoomsMoment) -> dict[str, int]:
    """Return where the rooms' dials stand by the journal."""
    return {room.label: room.stands or 0 for room in moment.game.rooms.values()}
