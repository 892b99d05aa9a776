"""Many simulated tables on one machine, each with a journal of its own, which hand over to a centre: its demo.

Each is a whole table of `pi_app.simulated.demo`: twins of chips, scripted hands, the program's own loop and journal.
Some of them are odd, so that an auditor has something to find.
"""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from pi_app.journal import Stamp, keys_of
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.notes import VerifierKey
from pi_app.play.open_sender import pin_centre
from pi_app.sender.client import CentreClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from pi_app.settings.model import Settings
from pi_app.simulated.actions import StopBetween, TableAction, TurnDial
from pi_app.simulated.demo import Demo, Twins
from pi_app.simulated.script import DemoScript, script
from pi_app.simulated.wall_clock import simulated_stamps

Oddity = Literal["", "worn", "silent", "cloned", "no clock"]
"""What is wrong with a table: a dial rests between two clicks, it falls silent, its memory card was copied and both
copies play, or its clock was never set."""

ODD: Final[dict[int, Oddity]] = {3: "worn", 7: "silent", 11: "cloned", 16: "no clock"}
"""Which tables of a fleet are odd, by number from 1."""

SHOPS: Final = ("Brass Cog", "Old Mill", "Harbour Games", "Dragon's Hoard")

SILENT_FOR: Final = datetime.timedelta(minutes=40)
"""So long ago was the silent table seen, on the clocks of the demo."""

NO_CLOCK: Final = datetime.datetime(1970, 1, 1, 0, 2, tzinfo=datetime.UTC)

CREEP_NS: Final = 150_000_000
BETWEEN: Final = -0.5


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """A table of a fleet: its number from 1, its name and its shop, and what is odd about it."""

    number: int
    name: str
    shop: str
    oddity: Oddity


def fleet_plans(tables: int) -> list[FleetPlan]:
    """Return the plans of so many tables, in shops of five."""
    return [
        FleetPlan(number, f"Table {number}", SHOPS[(number - 1) // 5 % len(SHOPS)], ODD.get(number, ""))
        for number in range(1, tables + 1)
    ]


class FleetMember:
    """A simulated table with its journal in a folder of its own. Close it in the end."""

    def __init__(self, folder: Path, plan: FleetPlan, settings: Settings, seed: int, *, resume: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.plan, self.folder, self._seed = plan, folder, seed
        self._played = 0
        named = msgspec.structs.replace(settings.table, name=plan.name)
        self.demo = Demo(
            replace(settings, table=named),
            folder / "journal.db",
            seed=seed,
            resume=resume,
            twins=Twins(stamp=self._stamps(plan.oddity)),
        )

    def _stamps(self, oddity: Oddity) -> Callable[[], Stamp]:
        """Return the dates of the journal's entries."""
        machine = simulated_stamps(lambda: self.demo.table.clock)

        def stamp() -> Stamp:
            found = replace(machine(), clock="ntp")
            if oddity == "silent":
                wall = datetime.datetime.fromisoformat(found.wall) - SILENT_FOR
                return replace(found, wall=wall.isoformat())
            if oddity == "no clock":
                wall = NO_CLOCK + datetime.timedelta(microseconds=found.mono_ns // 1000)
                return replace(found, wall=wall.isoformat(), clock="none")
            return found

        return stamp

    @property
    def key(self) -> DeviceKey:
        """The key of its record."""
        found = keys_of(self.folder / "journal.db").known_device()
        assert found is not None, "a journal that is open has its key"
        return found

    def play(self, exposes: int) -> None:
        """Let simulated players expose so many squares, as fast as possible; the game goes on after that."""
        while not self.demo.loop.ready and self.demo.loop.running:
            self.demo.step()
        self._played += 1
        known = self.demo.public_state()
        written = script(self._seed * 1_000 + self._played, known, exposes)
        if self.plan.oddity == "worn":
            written = worn(written, known.squares[0])
        self.demo.play(written)

    def sender(self, client: CentreClient, centre: VerifierKey) -> RecordSender:
        """Return what hands its record over. `journal verify` names the centre from now on, as at a real table."""
        journal = self.folder / "journal.db"
        pin_centre(journal, centre.text())
        return RecordSender(Outbox(journal, self.key), client, centre)

    def copied(self, folder: Path, settings: Settings) -> FleetMember:
        """Copy its memory card, and let the copy play on as another table with the same keys. This one must not be
        playing."""
        shutil.copytree(self.folder, folder)
        return FleetMember(folder, replace(self.plan, oddity=""), settings, self._seed + 500, resume=True)

    def close(self) -> None:
        """Close the table and its journal."""
        self.demo.close()


def worn(written: DemoScript, square: str) -> DemoScript:
    """Let the dial of one square rest between two clicks after each turn, as one whose detents are worn."""
    return DemoScript(tuple(sorted(_crept(written.actions, square), key=lambda each: each[0])), written.end_ns)


def _crept(actions: Sequence[tuple[int, TableAction]], square: str) -> Iterator[tuple[int, TableAction]]:
    for at_ns, action in actions:
        yield at_ns, action
        if isinstance(action, TurnDial) and action.square == square and action.clicks > 0:
            yield at_ns + round(sum(action.gaps_ms) * 1e6) + CREEP_NS, StopBetween(square, BETWEEN)
