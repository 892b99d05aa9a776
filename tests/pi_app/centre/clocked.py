"""A centre on a machine whose clock a test sets, and tables with dates of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hardware.host import Host
from pi_app import journal as jn
from pi_app.centre.clock.accepting import accept_clock
from pi_app.centre.clock.machine import read_clock
from pi_app.centre.clock.watch import ClockWatch
from pi_app.centre.enrolment import code_hash, make_challenge
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.store.store import CentreStore
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.checkpoints import cosigned_at
from pi_app.journal.record.entry import ClockSource
from pi_app.journal.record.handover import HandOver, show_presence
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_signatures
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.centre.records import CENTRE, Table, entries_of
from tests.pi_app.centre.service.asking import Replied, ask
from tests.pi_app.games import started, turned
from tests.pi_app.hosts import put

R = TypeVar("R")

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0


@dataclass
class Machine:
    """A machine whose files lie in `folder`. `network`: whether a program keeps its clock right."""

    folder: Path
    now_s: float = NOW
    up_s: float = 5_000.0
    network: bool = True
    starts: int = 0

    def __post_init__(self) -> None:
        self.host = Host(root=self.folder, now_s=lambda: self.now_s, kernel_is_set=lambda: self.network)
        self.begin()

    def begin(self, *, network: bool = True) -> None:
        """Start the machine."""
        self.up_s, self.network, self.starts = 20.0, network, self.starts + 1
        put(self.folder, "proc/sys/kernel/random/boot_id", f"boot {self.starts}\n")

    def is_a_board(self) -> None:
        """Let it be a Pi without a clock chip."""
        put(self.folder, "proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4")

    def has_a_chip(self) -> None:
        """Let the kernel have its date from a clock chip, whatever that says."""
        put(self.folder, "sys/class/rtc/rtc0/hctosys", "1")
        put(self.folder, "sys/class/rtc/rtc0/since_epoch", f"{self.now_s:.0f}")

    def passes(self, span_s: float) -> None:
        """Let time go by."""
        self.now_s, self.up_s = self.now_s + span_s, self.up_s + span_s


def dated_table(path: Path, began_s: float, source: ClockSource = "ntp") -> Table:
    """A table with a game of 30 entries, one a minute, which is on."""
    tick = 0

    def stamp() -> Stamp:
        nonlocal tick
        tick += 60
        wall = datetime.fromtimestamp(began_s, UTC) + timedelta(seconds=tick)
        return Stamp("boot", tick * 1_000_000_000, wall.isoformat(), source)

    with Journal(path, MAGE_KNIGHT, stamp) as journal:
        moment: Any = journal.append("g1", NO_GAME, started())
        for event in [turned("T01", 1 + at % 3, "ANN") for at in range(28)] + [ev.Ended()]:
            moment = journal.append("g1", moment, event)
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Table(key, entries_of(path))


@dataclass
class ClockedHall:
    """A centre on a machine, which lives until `end`. `lines`: what it wrote."""

    store: CentreStore
    machine: Machine
    logs: Sequence[VerifierKey] = ()
    lines: list[str] = field(default_factory=list)
    keys: dict[str, DeviceKey] = field(default_factory=dict)
    """Of each table that was enrolled, by its origin."""

    def __post_init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._bundles: asyncio.Task[None] | None = None
        self.begin()

    def begin(self) -> None:
        """Start the centre, also once more."""
        self._stop()
        machine = self.machine
        origins = [each.name for each in self.logs]
        self.watch = ClockWatch(
            self.store, CENTRE.name, machine.host, origins, self.lines.append, lambda: self.machine.up_s
        )
        self.centre = Centre(
            CENTRE, self.store, self.store, lambda: machine.now_s, self.logs, self.lines.append, watch=self.watch
        )
        self.app = CentreApp(self.centre)
        self._bundles = self._loop.create_task(self.centre.bundles.run())

    def _stop(self) -> None:
        if self._bundles is not None:
            self._bundles.cancel()
            self._loop.run_until_complete(asyncio.gather(self._bundles, return_exceptions=True))

    def end(self) -> None:
        """End the centre."""
        self._stop()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def run(self, work: Awaitable[R]) -> R:
        """Do some work while the centre lives."""
        return self._loop.run_until_complete(work)

    def enrol(self, *tables: Table) -> None:
        for number, table in enumerate(tables, 1):
            self.keys[table.origin] = table.key
            self.store.add_code(code_hash(table.origin), f"Table {number}", "", 1 << 40)
            assert self.store.enrol(code_hash(table.origin), table.origin, 1) is not None

    def hand_over(self, *handed: HandOver) -> list[Replied]:
        """Hand over one after the other, as tables that are there."""
        challenge = make_challenge(CENTRE, int(self.machine.now_s))
        return self.bring(*(show_presence(each, self.keys[each.origin], CENTRE.verifier, challenge) for each in handed))

    def bring(self, *handed: HandOver) -> list[Replied]:
        """Hand over as anybody who has the entries."""

        async def work() -> list[Replied]:
            return [await ask(self.app, "POST", "/hand-over", [each.written()]) for each in handed]

        return self.run(work())

    def time(self, handed: HandOver) -> int | None:
        """Hand over; return the time of the cosignature, None without one. The entries are here then."""
        (replied,) = self.hand_over(handed)
        record = self.store.record(handed.origin)
        assert record is not None
        assert record.known.size == handed.last
        if replied.status == 202:
            assert replied.body == f"{handed.last}\n".encode()
            return None
        assert replied.status == 200, replied.body
        lines = tuple(read_signatures(replied.body.decode()))
        return cosigned_at(SignedNote(handed.checkpoint.text, lines), CENTRE.verifier)

    def accept(self) -> int:
        """Accept the clock as `trapdial centre clock --accept` does; return how many cosignatures were made again."""
        clock = read_clock(self.machine.host, lambda: self.machine.up_s)
        renewed = accept_clock(self.store, CENTRE, clock, [each.name for each in self.logs]).renewed
        self.watch.step()
        return renewed
