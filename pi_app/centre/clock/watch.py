"""Watches the clock of a running centre, and says in one line when it is in doubt and when it is in order again."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from hardware.host import Host
from pi_app.audit.stamps import SIMULATED
from pi_app.centre.clock.doubts import ClockDoubt, find_doubts, fits, in_doubt
from pi_app.centre.clock.machine import ClockReading, read_clock, up_s
from pi_app.centre.store.clock_rows import ClockAnchor
from pi_app.centre.store.store import CentreStore, StoreError
from pi_app.centre.taking.decision import cosigned_time
from pi_app.journal.record import entry as rec
from pi_app.journal.record.handover import HandOver
from pi_app.journal.stamps import wall_ms
from pi_app.play.power import Date

STEP_S: Final = 10.0
"""Poll interval of the clock."""

NEWEST_S: Final = 60.0
"""Poll interval of the newest cosignature in the store: another centre may share it."""

JUMP_S: Final = 5.0
"""A clock that moved by more than this since the last poll is read again before anything is signed."""

FRESH_S: Final = 600.0
"""Entries that a table made since a hand-over of all that it had are as old as that hand-over, at most."""

PLAYED_S: Final = 3_600.0
"""A table whose newest fresh entry is older than this does not play now."""

MOST_TABLES: Final = 20_000

IN_DOUBT: Final = "This centre does not cosign now: its clock is in doubt."
IN_DOUBT_S: Final = 60
"""A log that finds the clock in doubt tries again after this time."""

TOLD_S: Final = 60.0
"""What a running centre has written of its doubts counts this long: it writes every few seconds."""

IN_ORDER: Final = "The centre's clock is in order again: it cosigns."


@dataclass(frozen=True, slots=True)
class _TableSeen:
    """A table that handed over. `up_s`: when it had nothing more to hand over; `began_s`: when this machine started by
    the date of its newest fresh entry, None without one; `dated_s`: when that came; both times since the start."""

    up_s: float
    began_s: float | None = None
    dated_s: float = 0.0


class CertainClock:
    """A clock that is in no doubt, because it is simulated. `acceptances`: how often a person's word was noticed."""

    acceptances: int = 0

    def words(self) -> str:
        """Return why the centre does not cosign, as sentences; empty if it does."""
        return ""

    async def may_cosign(self) -> bool:
        """Return whether the date may be signed now. Raises StoreError."""
        return True

    def note_hand_over(self, handed: HandOver, first_new: int) -> None:
        """Note what a hand-over says of the date. `first_new`: the first entry that was not here before."""


@dataclass
class ClockWatch(CertainClock):
    """Judges the clock of a machine. `name`: of the centre's cosignatures; `logs`: origins of other programs' logs;
    `up`: seconds since the machine's start; `write`: prints a line for the centre's owner."""

    store: CentreStore
    name: str
    host: Host
    logs: Sequence[str] = ()
    write: Callable[[str], None] = lambda line: None
    up: Callable[[], float] = up_s
    acceptances: int = 0
    doubts: tuple[ClockDoubt, ...] = ()
    _judged: ClockReading | None = None
    _anchor: ClockAnchor | None = None
    _newest_s: int = 0
    _looked_s: float = float("-inf")
    _tables: OrderedDict[str, _TableSeen] = field(default_factory=OrderedDict)

    def words(self) -> str:
        return "" if self._judged is None else in_doubt(self.doubts, self._judged)

    def step(self) -> None:
        """Judge the clock. Raises StoreError."""
        clock, rows = read_clock(self.host, self.up), self.store.clock
        anchor = rows.anchor(clock.boot)
        if self._has_jumped() or anchor != self._anchor or not 0 <= clock.up_s - self._looked_s < NEWEST_S:
            self.acceptances += anchor != self._anchor
            self._anchor, self._looked_s = anchor, clock.up_s
            self._newest_s = newest_time(self.store, self.name, self.logs)
        doubts = find_doubts(clock, self._newest_s, anchor, self._dates(clock))
        if not doubts and clock.source in (Date.SET, Date.KEPT) and not fits(anchor, clock):
            self._anchor = ClockAnchor(clock.boot, int(clock.began_s))
            rows.keep_anchor(self._anchor)
        if doubts or self.doubts or self._judged is None:
            rows.keep_doubt(clock.boot, int(clock.now_s), in_doubt(doubts, clock))
        kinds = [each.kind for each in self.doubts]
        self.doubts, self._judged = doubts, clock
        if kinds != [each.kind for each in doubts]:
            self.write(self.words() or IN_ORDER)

    async def may_cosign(self) -> bool:
        """Return whether the date may be signed now. A clock that jumped is judged first. Raises StoreError."""
        if self._has_jumped():
            await asyncio.to_thread(self.step)
        return not self.doubts

    def _has_jumped(self) -> bool:
        return self._judged is None or abs(self.host.now_s() - self.up() - self._judged.began_s) > JUMP_S

    async def run(self) -> None:
        """Judge the clock again and again, until this is cancelled."""
        while True:
            with contextlib.suppress(StoreError):
                await asyncio.to_thread(self.step)
            await asyncio.sleep(STEP_S)

    # --------------------------------------------------------------------------------------------- dates of the tables

    def note_hand_over(self, handed: HandOver, first_new: int) -> None:
        now_up_s = self.up()
        seen = self._tables.pop(handed.origin, _TableSeen(float("-inf")))
        if now_up_s - seen.up_s <= FRESH_S and handed.last >= first_new and (date_s := _date_of(handed)) is not None:
            seen = replace(seen, began_s=date_s - now_up_s, dated_s=now_up_s)
        if not handed.more:
            self._tables[handed.origin] = replace(seen, up_s=now_up_s)
        if len(self._tables) > MOST_TABLES:
            self._tables.popitem(last=False)

    def _dates(self, clock: ClockReading) -> list[float]:
        return [
            each.began_s
            for each in list(self._tables.values())
            if each.began_s is not None and clock.up_s - each.dated_s <= PLAYED_S
        ]


def _date_of(handed: HandOver) -> float | None:
    """Return the date of the last entry, POSIX seconds; None if nothing had set the table's clock, or if its dates are
    simulated."""
    public = handed.entries[-1][0]
    if public is None:
        return None
    try:
        part = rec.read_public(public)
        return None if part.clock == "none" or part.boot.startswith(SIMULATED) else wall_ms(part.wall) / 1_000
    except (msgspec.MsgspecError, ValueError, OverflowError):
        return None


def find_doubts_now(store: CentreStore, name: str, logs: Sequence[str], clock: ClockReading) -> tuple[ClockDoubt, ...]:
    """Return the doubts about a clock without the dates of tables, which only a running centre learns. Raises
    StoreError."""
    return find_doubts(clock, newest_time(store, name, logs), store.clock.anchor(clock.boot), ())


def doubt_words(store: CentreStore, name: str, logs: Sequence[str], clock: ClockReading) -> str:
    """Return why a centre does not cosign now, as it says itself if it runs; empty if it does. Raises StoreError."""
    running = [doubt for at_s, doubt in store.clock.doubts() if abs(clock.now_s - at_s) <= TOLD_S]
    return running[-1] if running else in_doubt(find_doubts_now(store, name, logs, clock), clock)


def newest_time(store: CentreStore, name: str, logs: Sequence[str] = ()) -> int:
    """Return the latest time that a cosignature of this centre names, POSIX seconds; 0 for none. Raises StoreError."""
    return max((cosigned_time(note, name) for _, note in cosigned_notes(store, logs)), default=0)


def cosigned_notes(store: CentreStore, logs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the origin and the newest cosigned note of each record and log. Raises StoreError."""
    notes = [(record.origin, record.cosigned) for record in store.records()]
    notes += [(origin, store.witnessed(origin)) for origin in logs]
    return [(origin, note) for origin, note in notes if note]
