"""The twins behind `trapdial play --simulated`: the same command without hardware, in real time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.cli.typed_hands import TypedHands
from pi_app.simulated.build import simulated_table, stands_of
from pi_app.simulated.text_output import TextOutput
from pi_app.simulated.wall_clock import WallClock, simulated_stamps

if TYPE_CHECKING:
    from pi_app.journal import Stamp
    from pi_app.play.loop import Loop
    from pi_app.report.moment import Moment
    from pi_app.report.pictures import SeatPicture
    from pi_app.settings.model import Settings
    from pi_app.simulated.table import SimulatedTable

SIMULATED: Final = "SIMULATED"

WELCOME: Final = (
    "no real dial is read: chips, pins and hands are simulated. Hands are typed, such as: sim tap SEAT; `sim help` "
    "lists them."
)


class SimulatedPlay:
    """One table of twins, in the place of the Pi's parts."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        """`say` prints a line."""
        self._settings, self._say = settings, say
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
        self._table.clock.pace = WallClock()
        return self._table

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        """Print what a seat's screen shows: its twin is on no table."""
        TextOutput(self._settings, self._print).shown(seat, picture, at_ns)

    def welcome(self) -> None:
        """Print first that nothing here is real, and how hands are typed."""
        self._print("everyone", WELCOME, 0)

    def hands(self, loop: Loop) -> TypedHands:
        """Return the hands of this table."""
        return TypedHands(self._settings, self.table, loop, lambda line: self._print("hands", line, 0))

    def run(self, loop: Loop, hands: TypedHands) -> None:
        """Play until a player types quit, or until the loop is stopped."""
        while loop.running:
            hands.step()
            loop.step()

    def say(self, line: str) -> None:
        """Print a line with its mark."""
        self._say(f"{SIMULATED} {line}")

    def _print(self, viewer: str, line: str, _: int) -> None:
        self.say(f"{viewer:<8} | {line}")
