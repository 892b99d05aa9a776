"""The twins behind `trapdial play --simulated`: the same command without hardware, in real time or as fast as the
machine computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.cli.table_output import EVERYONE, TableOutput
from pi_app.cli.typed_hands import TypedHands
from pi_app.simulated.build import simulated_table, stands_of
from pi_app.simulated.wall_clock import WallClock, simulated_stamps

if TYPE_CHECKING:
    from pi_app.journal import Stamp
    from pi_app.play.loop import Loop
    from pi_app.report.moment import Moment
    from pi_app.report.pictures import SeatPicture
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

WELCOME: Final = (
    "no real dial is read: chips, pins and hands are simulated. Hands are typed, such as: sim tap SEAT; `sim help` "
    "lists them."
)

WAIT_S: Final = 0.2
"""Between two looks for a signal while a fast table waits for a line."""


class SimulatedPlay:
    """A table of simulated parts in place of the Pi's. `fast`: its time does not follow the clock on the wall."""

    def __init__(self, settings: Settings, output: TableOutput, *, fast: bool = False) -> None:
        self._settings, self._output, self._fast = settings, output, fast
        self._table: SimulatedTable | None = None
        self.stamp: Callable[[], Stamp] = simulated_stamps(lambda: self.table.clock)
        """The dates of the record: this machine's, plus the table's virtual time."""

    @property
    def table(self) -> SimulatedTable:
        """The twins. `parts` makes them first."""
        assert self._table is not None
        return self._table

    def journal(self) -> Path:
        """Return a journal beside the real one: simulated games do not stand among a table's own."""
        path = self._settings.beside(self._settings.table.journal)
        return path.with_name(f"{path.stem}_simulated{path.suffix}")

    def parts(self, unfinished: tuple[str, Moment] | None) -> SimulatedTable:
        """Make the twins, with the dials where an unfinished game left them."""
        stands = {} if unfinished is None else stands_of(unfinished[1])
        self._table = simulated_table(self._settings, stands=stands)
        if not self._fast:
            self._table.clock.pace = WallClock()
        return self._table

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """Print what a seat's screen shows: its twin is on no table."""
        self._output.show(self._settings.seats[seat], picture, at_ns)

    def welcome(self) -> None:
        """Print first that nothing here is real, and how hands are typed."""
        self._output.tell([EVERYONE], WELCOME, 0)

    def hands(self, loop: Loop, *, echoes: bool = False) -> TypedHands:
        """Return the hands of this table. `echoes`: each line is printed when it is carried out."""
        clock = self.table.clock

        def tell(line: str) -> None:
            self._output.tell(["hands"], line, clock.now_ns())

        def echo(line: str) -> None:
            if echoes:
                self._output.echo(line, clock.now_ns())

        return TypedHands(self._settings, self.table, loop, tell, echo, paced=self._fast)

    def say(self, line: str) -> None:
        """Print a line with its mark."""
        self._output.say(line)

    def run(self, loop: Loop, hands: TypedHands) -> None:
        """Play until a player types quit, the input has ended and everything has settled, or the loop is stopped."""
        while loop.running:
            if self._fast and hands.waits and not hands.wait_for_line(WAIT_S):
                continue
            hands.step()
            loop.step()
            if hands.over:
                loop.stop()
