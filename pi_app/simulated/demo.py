"""The program on a simulated table: the same loop as `play`, over twins, with scripted hands."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from hardware.host import Host
from pi_app.game.events import AnyEvent
from pi_app.game.rules import SquareState
from pi_app.game.state import Phase
from pi_app.journal import Journal, Stamp
from pi_app.play.build import GameOptions, Outputs, TableBuilder
from pi_app.play.loop import Loop
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.resuming import OTHER_FILE, another_kind, other_parts, refuse_mismatch
from pi_app.report.moment import Moment
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.build import simulated_table, stands_of
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.script import DemoScript, KnownTable
from pi_app.simulated.table import SimulatedTable, faults, find_fault
from pi_app.simulated.wall_clock import simulated_stamps

if TYPE_CHECKING:
    from pi_app.play.phones import TablePages

END_WITHIN_NS: Final = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Twins:
    """The simulated side of a demo. `table`: an earlier one that was restarted; without it a new one. `boards`: the
    real firmware in each hub, in real time. `hand`: the kind of hand on the dials. `stamp`: the dates of the record.
    `pages`: for phones at the table."""

    table: SimulatedTable | None = None
    boards: bool = False
    hand: str = "formula"
    stamp: Callable[[], Stamp] | None = None
    pages: TablePages | None = None


class Demo:
    """A simulated table in play. Close it, or use it as a context manager."""

    def __init__(
        self,
        settings: Settings,
        journal: Path,
        *,
        seed: int = 0,
        resume: bool = False,
        outputs: Outputs | None = None,
        twins: Twins | None = None,
        game: GameOptions | None = None,
        host: Host | None = None,
    ) -> None:
        """`game`: its die and its lamps' patterns are the simulated device's."""
        self.settings = settings
        self.planned_dice: deque[int] = deque()
        """What the device rolls next; then its own random numbers follow."""
        self._dice = random.Random(f"device dice {seed}")
        lamps = random.Random(f"lamps {seed}")
        twins = twins or Twins()
        self._journal = Journal(journal, MAGE_KNIGHT, twins.stamp or simulated_stamps(lambda: self.table.clock))
        try:
            unfinished = unfinished_game(self._journal, settings, resume=resume)
        except BaseException:
            self._journal.close()
            raise
        stands = {} if unfinished is None else stands_of(unfinished[1])
        self.table = twins.table or simulated_table(
            settings, seed=seed, stands=stands, boards=twins.boards, hand=twins.hand
        )
        self.builder = TableBuilder(settings, self.table)
        self.resumed = unfinished is not None
        self._homed = game is not None and game.starts == "found"
        try:
            self.loop: Loop = self.builder.loop(
                self._journal,
                resume=unfinished,
                outputs=outputs,
                game=replace(game or GameOptions(), roll=self._roll, lamp_pick=lamps.randrange),
                host=host,
                notes=self.table.notes(),
                pages=twins.pages,
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close everything."""
        try:
            self.builder.close()
        finally:
            self._journal.close()

    def abandon(self) -> None:
        """Leave everything as after a kill, but free what the kernel would: the journal's handles, and gpiozero's
        threads of the buttons."""
        self.table.sim_pins.close()
        self._journal.close()

    def _roll(self) -> int:
        """Roll the device's die. In a script it rolls the clicks that the hands will turn."""
        return self.planned_dice.popleft() if self.planned_dice else self._dice.randint(1, 6)

    def step(self) -> None:
        """Run one round of the table's loop."""
        self._home_at_the_beginning()
        self.loop.step()

    def _home_at_the_beginning(self) -> None:
        """Home the dials that count steps, as a referee would; they are at their start marks."""
        if self._homed or not self.loop.ready:
            return
        self._homed = True
        for label, square in self.settings.squares.items():
            if not square.kind.absolute and not self.resumed:
                self.loop.say(f"home {label}")

    def act(self, action: actions.TableAction) -> None:
        """Do this at the table now."""
        if isinstance(action, actions.PlugCable):
            self.table.cable(action.hub, plugged=action.plugged)  # waits for the board, which may be reading a dial
            return
        with self.table.hands:
            self._act(action)

    def _act(self, action: actions.HandAction) -> None:
        now_ns = self.table.clock.now_ns()
        match action:
            case actions.Press(seat):
                self.table.press(seat)
            case actions.Release(seat):
                self.table.release(seat)
            case actions.TurnDial(square, clicks, gaps_ms):
                self.table.tiles[square].hand.turn(now_ns, clicks, gaps_ms or None)
            case actions.StopBetween(square, part):
                self.table.tiles[square].hand.stop_between(now_ns, part)
            case actions.TypeLine(line):
                self.loop.say(line)
            case actions.InjectFault(square, fault, amount):
                faults.strike(self.table.tiles[square], fault, amount)
            case actions.ClearFault(square, fault):
                faults.mend(self.table.tiles[square], fault)
            case _:
                assert_never(action)

    def inject(self, wanted: Sequence[WantedFault]) -> None:
        """Inject these faults when they are due, and clear those that end.

        Raises ValueError, before any is injected, for a name or an amount that no fault has."""
        for each in wanted:
            fault = find_fault(each.name)
            if each.amount is not None and fault.amount is None:
                raise ValueError(f"the fault '{each.name}' takes no amount")
        clock = self.table.clock
        began_ns = clock.now_ns()
        for each in wanted:
            begin = actions.InjectFault(each.square, each.name, each.amount)
            if each.at_s:
                clock.at(began_ns + round(each.at_s * 1e9), partial(self.act, begin))
            else:
                self.act(begin)
            if each.until_s is not None:
                end = actions.ClearFault(each.square, each.name)
                clock.at(began_ns + round(each.until_s * 1e9), partial(self.act, end))

    def play(self, script: DemoScript) -> None:
        """Play a script to its end, without waiting for the wall clock."""
        clock = self.table.clock
        began_ns = clock.now_ns()
        self.planned_dice.extend(
            each.clicks for _, each in script.actions if isinstance(each, actions.TurnDial) and each.clicks > 0
        )
        for at_ns, action in script.actions:
            clock.at(began_ns + at_ns, partial(self.act, action))
        while clock.now_ns() < began_ns + script.end_ns and self.loop.running:
            self.step()

    def end(self) -> None:
        """End the game, and run until it is over. A disk that refuses it leaves the game unfinished."""
        until_ns = self.table.clock.now_ns() + END_WITHIN_NS
        self.loop.say("end")
        while self.loop.running and self.table.clock.now_ns() < until_ns:
            if self.loop.moment.game.phase is Phase.ENDED:
                return
            self.step()

    def public_state(self) -> KnownTable:
        """Return what everyone at the table knows, for the next script."""
        game = self.loop.moment.game
        exposed = {
            square.label: square for square in game.squares.values() if square.state is not SquareState.CONCEALED
        }
        return KnownTable(
            seats=tuple(self.settings.seats),
            squares=tuple(self.settings.squares),
            turned={label: square.stands or 0 for label, square in exposed.items()},
            known=frozenset((seat, label) for label, square in exposed.items() for seat in square.readers),
            claiming=tuple(claim.seat for claim in game.claims),
        )


def unfinished_game(
    journal: Journal[Moment, AnyEvent], settings: Settings, *, resume: bool
) -> tuple[str, Moment] | None:
    """Return the game that a demo resumes, or None. Raises UserFileError if its settings are of another game, and for a
    journal in which a game waits that a demo cannot play: it could not be resumed after another one."""
    if (other := journal.unfinished_of_another_kind()) is not None:
        raise another_kind(journal.path, other, OTHER_FILE)
    unfinished = journal.unfinished()
    if unfinished is None:
        return None
    if not unfinished[1].game.simulated:
        raise other_parts(journal.path, simulated=True)
    if resume:
        refuse_mismatch(journal.path, unfinished[1].game, settings, simulated=True)
    return unfinished if resume else None
