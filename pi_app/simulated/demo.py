"""The program on a simulated table: the same loop as `play`, over twins, with hands that can be told what to do."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import assert_never

from hardware.host import Host
from pi_app.displays.describe import ON_SCREEN, describe
from pi_app.game.rules import SquareState
from pi_app.journal import Journal, Stamp
from pi_app.play.build import House
from pi_app.play.loop import Loop
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.seats_and_dials import Listener
from pi_app.play.taps import SeatTap
from pi_app.report.moment import Moment
from pi_app.report.pictures import SeatPicture
from pi_app.settings.load import Settings
from pi_app.simulated import actions as acts
from pi_app.simulated.build import simulated_table
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.script import Plan, Table
from pi_app.simulated.table import SimulatedTable, faults, find_fault
from pi_app.simulated.wall_clock import simulated_stamps
from pi_app.text.language import words


@dataclass(frozen=True, slots=True)
class Tells:
    """Hands every viewer's lines and every seat's pictures to one function, as finished text."""

    settings: Settings
    tell: Callable[[str, str, int], None]
    pause: Callable[[int], None] = lambda now_ns: None

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        self.tell(viewer, line, at_ns)

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """A seat's screen changed; told as words in that seat's language."""
        said = words(self.settings.seats[seat].language)
        self.tell(f"seat {seat}", said(ON_SCREEN).format(shown=describe(picture, said)), at_ns)


class Demo:
    """A simulated table that is being played. Close it, or use it as a context manager."""

    def __init__(
        self,
        settings: Settings,
        journal: Path,
        *,
        seed: int = 0,
        resume: bool = False,
        listeners: Sequence[Listener] = (),
        tap: SeatTap | None = None,
        shown: Callable[[str, SeatPicture, int], None] | None = None,
        pace: Callable[[int], None] | None = None,
        host: Host | None = None,
        table: SimulatedTable | None = None,
        boards: bool = False,
        hand: str = "formula",
        stamp: Callable[[], Stamp] | None = None,
        new_game_id: Callable[[], str] | None = None,
    ) -> None:
        """`table`: one that was there before, its dials where they stand; its `restart` was called. `boards`: the real
        firmware in each hub; the table then keeps pace with the wall clock. `hand`: which kind turns its dials. `stamp`
        and `new_game_id`: for a game whose record is to be the same every time."""
        self.settings = settings
        self._doing: deque[acts.Act] = deque()
        self._planned: deque[int] = deque()
        self._dice = random.Random(f"device dice {seed}")
        self._journal = Journal(journal, MAGE_KNIGHT, stamp or simulated_stamps(lambda: self.table.clock))
        unfinished = self._journal.unfinished() if resume else None
        stands = {} if unfinished is None else stands_of(unfinished[1])
        self.table = table or simulated_table(settings, seed=seed, stands=stands, boards=boards, hand=hand)
        if pace is not None:
            self.table.clock.pace = pace
        self.house = House(settings, self.table)
        self.resumed = unfinished is not None
        self._homed = False
        try:
            self.loop: Loop = self.house.loop(
                self._journal,
                resume=unfinished,
                listeners=listeners,
                tap=tap,
                shown=shown,
                host=host,
                new_game_id=new_game_id,
                roll=self._roll,
                notes=self.table.notes(),
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back."""
        try:
            self.house.close()
        finally:
            self._journal.close()

    def abandon(self) -> None:
        """Leave everything as a kill leaves it, but for what a kernel takes back: the journal's handles, and the
        threads that gpiozero has for each button."""
        self.table.sim_pins.close()
        self._journal.close()

    def _roll(self) -> int:
        """The device's die. Of a plan its hands know beforehand what they will turn, so it rolls that."""
        return self._planned.popleft() if self._planned else self._dice.randint(1, 6)

    def do(self, act: acts.Act) -> None:
        """Have somebody do this in the next step. Any thread may call."""
        self._doing.append(act)

    def step(self) -> None:
        """One round of the table's loop."""
        while self._doing:
            self.act(self._doing.popleft())
        self._home_at_the_beginning()
        self.loop.step()

    def _home_at_the_beginning(self) -> None:
        """A simulated referee homes the dials that only count steps; they stand at their start marks."""
        if self._homed or not self.loop.ready:
            return
        self._homed = True
        for label, square in self.settings.squares.items():
            if not square.kind.absolute and not self.resumed:
                self.loop.say(f"home {label}")

    def act(self, act: acts.Act) -> None:
        """Somebody at the table does something, now."""
        if isinstance(act, acts.Cable):
            self.table.cable(act.hub, plugged=act.plugged)  # waits for the board, which may be looking at a dial
            return
        with self.table.hands:
            self._act(act)

    def _act(self, act: acts.Hand) -> None:
        now_ns = self.table.clock.now_ns()
        match act:
            case acts.Press(seat):
                self.table.press(seat)
            case acts.Release(seat):
                self.table.release(seat)
            case acts.Turn(square, clicks, gaps_ms):
                self.table.tiles[square].hand.turn(now_ns, clicks, gaps_ms or None)
            case acts.Word(line):
                self.loop.say(line)
            case acts.Strike(square, fault, amount):
                faults.strike(self.table.tiles[square], fault, amount)
            case acts.Mend(square, fault):
                faults.mend(self.table.tiles[square], fault)
            case _:
                assert_never(act)

    def befall(self, wanted: Sequence[WantedFault]) -> None:
        """Let these faults strike when they are due, and mend those that end. One that is due now strikes at once.

        Raises ValueError, before anything was struck, for a name or an amount that no fault has."""
        for each in wanted:
            fault = find_fault(each.name)
            if each.amount is not None and fault.amount is None:
                raise ValueError(f"the fault '{each.name}' takes no amount")
        clock = self.table.clock
        began_ns = clock.now_ns()
        for each in wanted:
            strike = acts.Strike(each.square, each.name, each.amount)
            if each.at_s:
                clock.at(began_ns + round(each.at_s * 1e9), partial(self.act, strike))
            else:
                self.act(strike)
            if each.until_s is not None:
                mend = acts.Mend(each.square, each.name)
                clock.at(began_ns + round(each.until_s * 1e9), partial(self.act, mend))

    def play(self, plan: Plan) -> None:
        """Let everybody do what the plan says, to its end, without waiting for the wall clock."""
        clock = self.table.clock
        began_ns = clock.now_ns()
        self._planned.extend(act.clicks for _, act in plan.acts if isinstance(act, acts.Turn) and act.clicks > 0)
        for at_ns, act in plan.acts:
            clock.at(began_ns + at_ns, lambda act=act: self.act(act))  # type: ignore[misc]
        while clock.now_ns() < began_ns + plan.end_ns and self.loop.running:
            self.step()

    def known(self) -> Table:
        """What everyone at the table knows, for planning what the players do next."""
        game = self.loop.moment.game
        exposed = {
            square.label: square for square in game.squares.values() if square.state is not SquareState.CONCEALED
        }
        return Table(
            seats=tuple(self.settings.seats),
            squares=tuple(self.settings.squares),
            turned={label: square.stands or 0 for label, square in exposed.items()},
            known=frozenset((seat, label) for label, square in exposed.items() for seat in square.readers),
            claiming=tuple(claim.seat for claim in game.claims),
        )


def stands_of(moment: Moment) -> Mapping[str, int]:
    """Where the journal says that the dials stand, for hands that put the simulated ones there again."""
    return {label: square.stands or 0 for label, square in moment.game.squares.items()}
