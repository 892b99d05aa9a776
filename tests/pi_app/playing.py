"""A simulated table for tests: presses, turns and plugs on a virtual clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from hardware.host import Host
from pi_app.displays.describe import describe
from pi_app.game import events as ev
from pi_app.game.trap_table import TrapTable
from pi_app.journal import read
from pi_app.play.build import GameOptions
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.phones import TablePages
from pi_app.report.pictures import SeatPicture
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins
from pi_app.simulated.table import SimulatedTable
from tests.pi_app.games import EVERY_KIND

SECOND_NS = 1_000_000_000

CAGE = "T01: The Cage, click 3, disarm 6+, XP 22."
UNREAD = "T01: This dial cannot be read now. Tell the table, hold later."
"""The screens of seats about T01 in the small example."""


def settings(*tables: TrapTable) -> Settings:
    """Return the small example: Ann and Ben, T01 and T02, with SAMPLE-12 or these tables."""
    loaded = st.load(st.example_path("2x2"))
    dealt = tables or (EVERY_KIND,)
    squares = {
        label: msgspec.structs.replace(square, table=dealt[n % len(dealt)])
        for n, (label, square) in enumerate(loaded.squares.items())
    }
    return replace(loaded, squares=MappingProxyType(squares))


class Played:
    """A table in play, with the lines to each viewer and the screen of each seat."""

    def __init__(self, demo: Demo, journal: Path) -> None:
        self.demo, self.journal = demo, journal
        self.lines: list[tuple[str, str]] = []
        self.screens: dict[str, str] = {}
        self.pictures: dict[str, SeatPicture] = {}

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        self.lines.append((viewer, line))

    def shown(self, seat: str, picture: SeatPicture, at_ns: int) -> None:
        self.screens[seat] = describe(picture, str)
        self.pictures[seat] = picture

    def run(self, seconds: float) -> None:
        until_ns = self.demo.table.clock.now_ns() + round(seconds * SECOND_NS)
        while self.demo.table.clock.now_ns() < until_ns:
            self.demo.step()

    def tap(self, seat: str) -> None:
        self.demo.act(actions.Press(seat))
        self.run(0.12)
        self.demo.act(actions.Release(seat))
        self.run(0.05)

    def press(self, seat: str) -> None:
        self.demo.act(actions.Press(seat))
        self.run(0.5)

    def let_go(self, seat: str) -> None:
        self.demo.act(actions.Release(seat))
        self.run(0.1)

    def turn(self, square: str, clicks: int, gap_ms: float = 200.0) -> None:
        """Turn with a coin and wait until the dial rests."""
        self.demo.act(actions.TurnDial(square, clicks, tuple(gap_ms for _ in range(max(0, abs(clicks) - 1)))))
        self.run(abs(clicks) * gap_ms / 1e3 + 0.2)

    def say(self, line: str) -> None:
        self.demo.loop.say(line)
        self.run(0.05)

    def expose(self, seat: str, square: str, clicks: int) -> None:
        """Tap. Turn. Hold."""
        self.tap(seat)
        self.turn(square, clicks)
        self.press(seat)
        self.let_go(seat)

    def rolls(self, *numbers: int) -> None:
        """Let the device roll these numbers, then sixes."""
        self.demo.planned_dice.clear()
        self.demo.planned_dice.extend([*numbers, *[6] * 100])

    def heard(self, viewer: str) -> list[str]:
        return [line for who, line in self.lines if who == viewer]

    def events(self) -> list[ev.AnyEvent]:
        return [entry.event for entry in read(self.journal, MAGE_KNIGHT)]

    def turns(self) -> list[ev.Turned]:
        return [event for event in self.events() if isinstance(event, ev.Turned)]

    def findings(self) -> list[str]:
        return [finding.rule for finding in self.demo.loop.moment.game.findings]


class Blank:
    """A chip that answers at an encoder's address with ones only."""

    address = 0x36

    def start(self, reading: bool) -> bool:
        return True

    def write(self, byte: int) -> bool:
        return True

    def read(self) -> int:
        return 0xFF

    def stop(self) -> None:
        """Nothing to end."""


@contextmanager
def table(
    folder: Path,
    used: Settings | None = None,
    *,
    resume: bool = False,
    stands: dict[str, int] | None = None,
    host: Host | None = None,
    twins: SimulatedTable | None = None,
    game: GameOptions | None = None,
    pages: TablePages | None = None,
) -> Iterator[Played]:
    """Yield a table in play. `stands` moves dials before the program starts. `twins`: an earlier table, restarted.
    `pages`: for phones at it."""
    journal = folder / "journal.db"
    simulated = Twins(table=twins, pages=pages)
    demo = Demo(used or settings(), journal, seed=5, resume=resume, host=host, twins=simulated, game=game)
    played = Played(demo, journal)
    demo.loop.session.listeners = (played,)
    for key, seat in demo.loop.session.seats.items():
        seat.display.shown = lambda picture, at_ns, key=key: played.shown(key, picture, at_ns)  # type: ignore[attr-defined]
    for label, position in (stands or {}).items():
        hand = demo.table.tiles[label].hand
        hand.turn(0, position - round(hand.motion.goal_counts * hand.clicks / 4096), 50.0)
    if stands:
        demo.table.clock.advance(2 * SECOND_NS)
    with demo:
        while not demo.loop.ready:
            demo.step()
        played.run(0.1)
        yield played
