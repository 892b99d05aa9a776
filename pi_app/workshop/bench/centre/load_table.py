"""A table that hands over as the sender does: its pauses, its order and its answers to each status, without a journal.

The journal's part is a `CopiedRecord`, or bodies that were made before the measurement."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from pi_app.journal.record.checkpoints import cosigned_at, read_checkpoint
from pi_app.journal.record.handover import HandedEntry, HandOver, show_presence
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_signatures
from pi_app.sender.client import CentreReply
from pi_app.sender.outbox import MOST_ENTRIES
from pi_app.sender.pace import SendingPace
from pi_app.sender.sender import IDLE_S
from pi_app.workshop.bench.centre.checker import TableTruth
from pi_app.workshop.bench.centre.copied_record import CopiedRecord
from pi_app.workshop.bench.centre.table_connection import KeptConnection

Shows = Callable[[HandOver], HandOver]
"""Adds to a hand-over what shows the centre that the table is there."""


class Supply(Protocol):
    """Where a table's entries come from."""

    record: CopiedRecord

    @property
    def origin(self) -> str:
        """The origin of its record's checkpoints."""

    def next(self, after: int, since: str, show: Shows) -> tuple[bytes, SignedNote, int] | None:
        """Return the body of the next hand-over, its checkpoint and its last entry's number; None if there is none."""

    def truth(self, cosigned: SignedNote | None) -> TableTruth:
        """Return what a checker compares with."""


@dataclass
class HandedOver:
    """What all tables saw: seconds from an entry to its cosignature, answers by status, and what should not be."""

    waits_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    unanswered: int = 0
    bad_cosignatures: int = 0


@dataclass
class LiveSupply:
    """A table in play: entries at random moments, so many a second."""

    record: CopiedRecord
    per_s: float
    draw: random.Random
    now_s: Callable[[], float] = time.monotonic
    made_s: list[float] = field(default_factory=list)
    waiting: list[HandedEntry] = field(default_factory=list)
    first: int = 1
    """The number of the first entry in `waiting`."""
    _due_s: float | None = None
    stopped: bool = False

    @property
    def origin(self) -> str:
        return self.record.origin

    def next(self, after: int, since: str, show: Shows) -> tuple[bytes, SignedNote, int] | None:
        self._play()
        done = max(0, after + 1 - self.first)
        del self.waiting[:done], self.made_s[:done]
        self.first += done
        if not self.waiting or after + 1 < self.first:
            return None
        entries = self.waiting[:MOST_ENTRIES]
        if len(entries) < len(self.waiting):
            raise RuntimeError("a table in play fell further behind than one hand-over")
        handed = show(self.record.handed(entries, since))
        return handed.written(), handed.checkpoint, handed.last

    def _play(self) -> None:
        now_s = self.now_s()
        if self._due_s is None:
            self._due_s = now_s + self.draw.expovariate(self.per_s)
        while self._due_s <= now_s and not self.stopped:
            self.waiting += self.record.grow(1)
            self.made_s.append(self._due_s)
            self._due_s += self.draw.expovariate(self.per_s)

    def truth(self, cosigned: SignedNote | None) -> TableTruth:
        return TableTruth(self.record.leaves, cosigned)


@dataclass
class LoadTable:
    """One table. `run` hands over until it is cancelled, or until it has handed over `until` entries."""

    supply: Supply
    connection: KeptConnection
    centre: VerifierKey
    seen: HandedOver
    pace: SendingPace
    until: int | None = None
    spread_s: float | None = None
    after: int = 0
    since: str = ""
    challenge: str = ""
    cosigned: SignedNote | None = None
    history: list[SignedNote] | None = None
    """All notes that were cosigned, if a list is given."""

    async def run(self) -> None:
        """Hand over, after a pause of a table that begins."""
        spread_s = self.spread_s
        try:
            await asyncio.sleep(self.pace.began() if spread_s is None else self.pace.draw.uniform(0.0, spread_s))
            while self.until is None or self.after < self.until:
                await asyncio.sleep(await self._step())
        finally:
            self.connection.close()

    async def _step(self) -> float:
        """Hand over once, if there is something; return the pause before the next try."""
        handed = self.supply.next(self.after, self.since, self._shown)
        if handed is None:
            return IDLE_S
        body, checkpoint, last = handed
        try:
            reply = await self.connection.post("hand-over", body)
        except OSError:
            self.seen.unanswered += 1
            return self.pace.failed()
        self.challenge = reply.challenge or self.challenge
        self.seen.statuses[reply.status] = self.seen.statuses.get(reply.status, 0) + 1
        return self._answered(reply, checkpoint, last)

    def _shown(self, handed: HandOver) -> HandOver:
        if not self.challenge:
            return handed
        return show_presence(handed, self.supply.record.key, self.centre, self.challenge)

    def _answered(self, reply: CentreReply, checkpoint: SignedNote, last: int) -> float:
        """Return the pause before the next try."""
        if reply.status in (HTTPStatus.CONFLICT, HTTPStatus.ACCEPTED):
            self.after = int(reply.body)
            return self.pace.cosigned()
        if reply.status != HTTPStatus.OK:
            return self.pace.failed(reply.retry_s)
        note = SignedNote(checkpoint.text, (*checkpoint.signatures, *read_signatures(reply.body.decode())))
        if isinstance(self.supply, LiveSupply):
            now_s = self.supply.now_s()
            count = last + 1 - self.supply.first
            self.seen.waits_s += [now_s - made_s for made_s in self.supply.made_s[:count]]
        self.after, self.cosigned, self.since = last, note, note.written()
        if self.history is not None:
            self.history.append(note)
        return self.pace.cosigned()

    def check_cosignature(self) -> None:
        """Check the newest cosignature, which a real sender does after each answer."""
        if self.cosigned is not None and cosigned_at(self.cosigned, self.centre) is None:
            self.seen.bad_cosignatures += 1

    def truth(self) -> TableTruth:
        """Return what a checker compares with."""
        return self.supply.truth(self.cosigned)


@dataclass
class PreparedSupply:
    """A table that comes back with many entries. `pieces`: the bytes of the entries of each hand-over, and its
    checkpoint; made before the measurement."""

    record: CopiedRecord
    pieces: dict[int, tuple[int, int, SignedNote]]
    """By the number before the first entry: where its bytes begin and end, and the checkpoint after them."""
    stored: memoryview

    @property
    def origin(self) -> str:
        return self.record.origin

    def next(self, after: int, since: str, show: Shows) -> tuple[bytes, SignedNote, int] | None:
        found = self.pieces.get(after)
        if found is None:
            return None
        begin, end, note = found
        last = read_checkpoint(note.text).size
        empty = show(HandOver(self.origin, after + 1, (), note, since)).written()
        header, newline, tail = empty.partition(b"\n")
        header = header.replace(b'"count":0', b'"count":%d' % (last - after))
        return b"".join((header, newline, self.stored[begin:end], tail)), note, last

    def truth(self, cosigned: SignedNote | None) -> TableTruth:
        return TableTruth(self.record.leaves, cosigned)
