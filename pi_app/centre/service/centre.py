"""Answers the requests that change something: hand-overs, enrolments, and checkpoints of foreign logs.

Every answer is decided here, and none claims what is not on disk. HTTP itself is in `app`.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, ParamSpec, TypeVar

import msgspec

from pi_app.centre.clock.watch import IN_DOUBT, IN_DOUBT_S, CertainClock
from pi_app.centre.enrolment import (
    NO_SUCH_CODE,
    NOT_FRESH,
    NOT_SIGNED,
    OTHER_NAME,
    STAYS_REVOKED,
    code_hash,
    is_fresh,
    make_challenge,
)
from pi_app.centre.service.bundles import Bundles
from pi_app.centre.service.counts import CentreCounts
from pi_app.centre.service.evidence import EvidenceKeeper, own_note, short_hand_over, short_request
from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.store import CentreStore, Commit, KeptRecord, NotEnrolledHereError, StoreError, record_after
from pi_app.centre.taking.decision import (
    NOTHING_ASKED,
    REVOKED,
    CentreKey,
    HandoverRefusedError,
    LookUps,
    StoreNeededError,
    ToCommit,
    decide,
)
from pi_app.centre.taking.known_record import Taken
from pi_app.centre.taking.newcomer import follow
from pi_app.centre.taking.presence import is_present
from pi_app.journal.record.checkpoints import cosign, device_of, read_checkpoint, record_key
from pi_app.journal.record.enrolment import read_enrolment
from pi_app.journal.record.handover import HandOver, read_handover
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note
from pi_app.journal.record.presence import CHALLENGE_HEADER
from pi_app.journal.record.sha import in_bulk
from pi_app.journal.record.witness_protocol import SIZE_TYPE, AddCheckpoint, NotCosignedError, checked, read_request

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
AWAY: Final = "The centre's database does not answer."

BUSY_S: Final = 5
"""A table that finds the database away, or another hand-over of its own under way, tries again after so long."""

CHECKS: Final = 2
"""So many large hand-overs are checked at once."""

SMALL_BODY: Final = 32 * 1024
"""A hand-over of at most so many bytes is checked at once; a larger one in a thread, while others are answered."""

P = ParamSpec("P")
R = TypeVar("R")

MOST_KNOWN: Final = 20_000
"""So many records are kept in memory; a store is asked for others."""


@dataclass(frozen=True, slots=True)
class CentreAnswer:
    """An answer over HTTP."""

    status: HTTPStatus
    body: bytes = b""
    kind: str = TEXT
    headers: tuple[tuple[str, str], ...] = ()
    table: str = ""
    """The origin of an enrolled table that has handed over new entries."""


class Centre:
    """A centre over a store. `reading`: another connection to the same store, for look-ups while `store` writes."""

    def __init__(
        self,
        key: CentreKey,
        store: CentreStore,
        reading: CentreStore,
        clock: Callable[[], float],
        logs: Sequence[VerifierKey] = (),
        says: Callable[[str], None] = lambda line: None,
        second: CentreStore | None = None,
        watch: CertainClock | None = None,
    ) -> None:
        """`logs`: keys of other programs' logs, whose checkpoints are cosigned; the name of each is its origin.
        `says`: takes a line for whoever runs the centre. `second`: one more connection for commits, while tables catch
        up; None if the store takes one writer. `watch`: says whether the date may be signed; None if it always may."""
        self.key, self._store, self._reading, self._clock = key, store, reading, clock
        self._says, self.watch = says, watch or CertainClock()
        self._logs = tuple(logs)
        in_bulk()
        self.bundles = Bundles(store, second)
        self._evidence = EvidenceKeeper(store, says)
        self._checks = ThreadPoolExecutor(CHECKS, "checks")
        self.counts = CentreCounts()
        self._known: OrderedDict[str, KeptRecord] = OrderedDict()
        self._turns: dict[tuple[str, str], asyncio.Lock] = {}
        """The hand-over that is under way, by record and address: everybody can name a record. A commit holds only if
        the record still has the size that it began with."""
        self._hashes: dict[str, str] = {}
        self._hashes_until_s = float("-inf")
        self._accepted = 0

    async def hand_over(self, body: bytes, address: str) -> CentreAnswer:
        """Answer a hand-over."""
        try:
            handed = read_handover(body) if len(body) <= SMALL_BODY else await self._checked(read_handover, body)
        except ValueError as error:
            return _said(HTTPStatus.BAD_REQUEST, f"This is no hand-over: {error}.")
        key = handed.origin, address
        turn = self._turns.setdefault(key, asyncio.Lock())
        if turn.locked():
            return later("Another hand-over of this record is under way.", HTTPStatus.TOO_MANY_REQUESTS)
        try:
            async with turn:
                return await self._take(handed, body, address)
        except StoreError as error:
            self._known.pop(handed.origin, None)
            return self._away(error)
        finally:
            if not turn.locked():
                self._turns.pop(key, None)

    async def _take(self, handed: HandOver, body: bytes, address: str) -> CentreAnswer:
        record: KeptRecord | None = None
        try:
            record = await self._record(handed)
            if record is None:
                return _said(HTTPStatus.NOT_FOUND, "No record with this origin is enrolled here.")
            present = is_present(handed, record, self.key, int(self._clock()))
            found = await self._decided(handed, record, large=len(body) > SMALL_BODY, present=present)
        except HandoverRefusedError as refused:
            return await self._refused(refused, handed, refused.about or record, body, address)
        if found.commit is not None:
            if not await self.bundles.commit(found.commit):
                self.counts.lost_races += 1
                self._known.pop(handed.origin, None)
                busy = later("Another centre was faster with this record.", HTTPStatus.TOO_MANY_REQUESTS)
                return await self._revoked(handed.origin) or busy
            self._known.pop(found.commit.closes.origin if found.commit.closes else "", None)
            if not record.is_new:
                self._remember(record_after(record, found.commit))
            self.counts.entries += len(found.commit.entries)
        elif not (present and await self._hear(record, handed.more)) and (gone := await self._revoked(handed.origin)):
            return gone
        if present:
            self.watch.note_hand_over(handed, record.known.size + 1)
        table = handed.origin if found.commit is not None and found.commit.entries else ""
        if not found.cosignature:
            self._known.pop(handed.origin, None)  # what was cosigned before may be replaced in the store
            size = record.known.size if found.commit is None else found.commit.taken.known.size
            return CentreAnswer(HTTPStatus.ACCEPTED, f"{size}\n".encode(), SIZE_TYPE, self._next(), table)
        self.counts.cosignatures += 1
        return CentreAnswer(HTTPStatus.OK, found.cosignature.encode(), TEXT, self._next(), table)

    def _next(self) -> tuple[tuple[str, str], ...]:
        """Return the header with which a table shows at its next hand-over that it is there."""
        return ((CHALLENGE_HEADER, make_challenge(self.key, int(self._clock()))),)

    async def _revoked(self, origin: str) -> CentreAnswer | None:
        """Return the answer to a table that was revoked meanwhile; None if it was not."""
        record = await _in_thread(self._reading.record, origin)
        if record is None or not record.revoked:
            return None
        self._known.pop(origin, None)
        return _said(HTTPStatus.GONE, REVOKED)

    async def _hear(self, record: KeptRecord, behind: int) -> bool:
        """Keep that a table was seen which had nothing new; return whether that holds: not if another centre took
        more of it meanwhile, or it was revoked."""
        known, now_s = record.known, int(self._clock())
        seen = Commit(
            number=record.number,
            before=known.size,
            entries=(),
            taken=Taken(known),
            cosigned="",
            at_s=now_s,
            behind=behind,
            closed=record.closed,
        )
        holds = await self.bundles.commit(seen)
        if holds:
            self._remember(record_after(record, seen))
        else:
            self._known.pop(record.origin, None)
        return holds

    async def _checked(self, call: Callable[P, R], *words: P.args, **named: P.kwargs) -> R:
        """Check in a thread of its own, of which there are few: more of them would only wait for each other."""
        work = functools.partial(call, *words, **named)
        return await asyncio.get_running_loop().run_in_executor(self._checks, work)

    async def _decided(self, handed: HandOver, record: KeptRecord, *, large: bool, present: bool) -> ToCommit:
        """Decide at once if that takes a moment, and in a thread if not. Raises HandoverRefusedError, StoreError."""
        now_s, cosigns = int(self._clock()), await self.watch.may_cosign()
        if not large:
            with contextlib.suppress(StoreNeededError):
                return decide(handed, record, self.key, NOTHING_ASKED, now_s, cosigns=cosigns, present=present)
        look = LookUps.of(self._reading, record.number)
        return await self._checked(decide, handed, record, self.key, look, now_s, cosigns=cosigns, present=present)

    async def _refused(
        self, refused: HandoverRefusedError, handed: HandOver, record: KeptRecord | None, body: bytes, address: str
    ) -> CentreAnswer:
        if refused.evidence and record is not None:
            sent = self._sent(record.origin, refused.why, body, address, refused.ours or record.cosigned)
            await self._keep(record.name, sent, short_hand_over(handed, refused.seq))
        if refused.size is not None:
            return CentreAnswer(refused.status, f"{refused.size}\n".encode(), SIZE_TYPE, self._next())
        if refused.retry_s:
            return later(refused.why, refused.status, refused.retry_s)
        return _said(refused.status, refused.why)

    async def _record(self, handed: HandOver) -> KeptRecord | None:
        """Return the record that is handed over, a new one if it continues another. Raises HandoverRefusedError."""
        if self._accepted != self.watch.acceptances:
            self._known.clear()  # cosignatures in the store were replaced
            self._accepted = self.watch.acceptances
        known = self._known.get(handed.origin)
        if known is not None:
            self._known.move_to_end(handed.origin)
            return known
        found = await _in_thread(self._reading.record, handed.origin)
        if found is None and handed.first == 1 and handed.entries:
            return await _in_thread(follow, handed, self._reading)
        if found is not None and not found.revoked:
            self._remember(found)
        return found

    def _remember(self, record: KeptRecord) -> None:
        self._known[record.origin] = record
        self._known.move_to_end(record.origin)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    async def add_checkpoint(self, body: bytes, address: str) -> CentreAnswer:
        """Answer a log that wants a checkpoint cosigned (C2SP tlog-witness). One of a table must be over exactly the
        entries that are here; then it is cosigned as its hand-over was."""
        try:
            asked = read_request(body)
            origin = read_checkpoint(asked.note.text).origin
        except ValueError as error:
            return _said(HTTPStatus.BAD_REQUEST, f"This is no request for a cosignature: {error}.")
        try:
            return await self._checkpoint(asked, origin, body, address)
        except StoreError as error:
            return self._away(error)

    async def _checkpoint(self, asked: AddCheckpoint, origin: str, body: bytes, address: str) -> CentreAnswer:
        """Cosign a checkpoint, or answer why not. Raises StoreError, also where evidence could not be kept: the log
        then asks again."""
        if not await self.watch.may_cosign():
            return later(IN_DOUBT, HTTPStatus.SERVICE_UNAVAILABLE, IN_DOUBT_S)
        try:
            record = await _in_thread(self._reading.record, origin)
            if record is not None:
                return await self._checkpoint_of_table(asked, record, body, address)
            return await self._checkpoint_of_log(asked, origin, body, address)
        except NotCosignedError as refused:
            if refused.contradicts:
                ours = record.cosigned if record else await _in_thread(self._reading.witnessed, origin)
                sent = self._sent(origin, refused.why, body, address, ours)
                await self._keep(record.name if record else origin, sent, short_request(asked, origin))
            if refused.size is not None:
                return CentreAnswer(refused.status, f"{refused.size}\n".encode(), SIZE_TYPE)
            return _said(refused.status, f"{refused.why[:1].upper()}{refused.why[1:]}.")

    async def _checkpoint_of_table(
        self, asked: AddCheckpoint, record: KeptRecord, body: bytes, address: str
    ) -> CentreAnswer:
        device = device_of(record.origin)
        latest = read_checkpoint(read_note(record.cosigned.encode()).text) if record.cosigned else None
        new = checked(asked, [] if device is None or record.revoked else [record_key(device)], latest)
        if new.size > record.known.size:
            return later(
                f"Entries up to {record.known.size} are here. Hand the others over first.",
                HTTPStatus.SERVICE_UNAVAILABLE,
            )
        handed = HandOver(record.origin, new.size + 1, (), asked.note)
        return await self.hand_over(handed.written(), address)

    async def _checkpoint_of_log(self, asked: AddCheckpoint, origin: str, body: bytes, address: str) -> CentreAnswer:
        known = await _in_thread(self._reading.witnessed, origin)
        latest = read_checkpoint(read_note(known.encode()).text) if known else None
        new = checked(asked, [key for key in self._logs if key.name == origin], latest)
        now_s = int(self._clock())
        line = cosign(self.key.key, self.key.name, asked.note.text, max(1, now_s))
        note = SignedNote(asked.note.text, (*asked.note.signatures, line)).written()
        if not await _in_thread(self._store.witness, origin, asked.old, new.size, note):
            return later("Another request for this log was faster.", HTTPStatus.TOO_MANY_REQUESTS)
        self.counts.cosignatures += 1
        return CentreAnswer(HTTPStatus.OK, line.line().encode())

    def _sent(self, origin: str, why: str, body: bytes, address: str, cosigned: str) -> ForkEvidence:
        ours, now_s = own_note(cosigned, self.key.verifier), int(self._clock())
        return ForkEvidence(origin=origin, at_s=now_s, why=why, address=address, body=body, ours=ours)

    async def _keep(self, name: str, sent: ForkEvidence, short: bytes) -> None:
        self.counts.evidence += 1
        await _in_thread(self._evidence.keep, name, sent, short)

    def challenge(self) -> CentreAnswer:
        """Answer with a challenge, which an enrolment has to sign."""
        return _said(HTTPStatus.OK, make_challenge(self.key, int(self._clock())))

    async def enrol(self, body: bytes) -> CentreAnswer:
        """Answer an enrolment: a code, signed by the device of a record for this centre and its challenge."""
        try:
            asked = read_enrolment(body)
        except ValueError as error:
            return _said(HTTPStatus.BAD_REQUEST, f"This is no enrolment: {error}.")
        now_s = int(self._clock())
        if not asked.is_signed(self.key.verifier):
            return _said(HTTPStatus.FORBIDDEN, NOT_SIGNED)
        if not is_fresh(self.key, asked.challenge, now_s):
            return _said(HTTPStatus.FORBIDDEN, NOT_FRESH)
        try:
            record = await _in_thread(self._store.enrol, code_hash(asked.code), asked.origin, now_s)
        except NotEnrolledHereError as refused:
            return self._not_enrolled(refused.record)
        except StoreError as error:
            return self._away(error)
        if record is None:
            return _said(HTTPStatus.FORBIDDEN, NO_SUCH_CODE)
        self._known.pop(record.origin, None)
        self._says(f"{record.full_name} is enrolled.")
        answer = {"name": record.name, "shop": record.shop, "size": record.known.size}
        return CentreAnswer(HTTPStatus.OK, msgspec.json.encode(answer), JSON)

    def _not_enrolled(self, record: KeptRecord) -> CentreAnswer:
        if record.revoked:
            self._says(f"{record.full_name} was revoked, and tried to enrol again.")
            return _said(HTTPStatus.GONE, STAYS_REVOKED)
        self._says(f"{record.full_name} tried a code that was made for another name.")
        return _said(HTTPStatus.CONFLICT, OTHER_NAME.format(name=record.full_name))

    async def latest(self, hashed: str) -> CentreAnswer:
        """Answer with the newest cosigned checkpoint of the log whose origin has this SHA-256, in hex (C2SP
        tlog-witness, monitoring)."""
        try:
            origin = await self._origin_of(hashed)
            record = await _in_thread(self._reading.record, origin)
            note = record.cosigned if record is not None else await _in_thread(self._reading.witnessed, origin)
        except StoreError as error:
            return self._away(error)
        if not note:
            return _said(HTTPStatus.NOT_FOUND, "Nothing of this log was cosigned here.")
        return CentreAnswer(HTTPStatus.OK, note.encode())

    async def _origin_of(self, hashed: str) -> str:
        """Return the origin with this hash; empty if it is not known. The store is asked once in some seconds."""
        now_s = self._clock()
        if hashed not in self._hashes and not 0 < self._hashes_until_s - now_s <= BUSY_S:
            records = await _in_thread(self._reading.records)
            origins = [*(each.origin for each in records), *(each.name for each in self._logs)]
            self._hashes = {hashlib.sha256(each.encode()).hexdigest(): each for each in origins}
            self._hashes_until_s = now_s + BUSY_S
        return self._hashes.get(hashed, "")

    def _away(self, error: StoreError) -> CentreAnswer:
        """Answer while the database does not. What it says of its own address is for whoever runs the centre."""
        self._says(str(error))
        return later(AWAY, HTTPStatus.SERVICE_UNAVAILABLE)


async def _in_thread(call: Callable[P, R], *words: P.args, **named: P.kwargs) -> R:
    """Ask the store without keeping other tables waiting."""
    return await asyncio.to_thread(call, *words, **named)


def _said(status: HTTPStatus, why: str) -> CentreAnswer:
    return CentreAnswer(status, f"{why}\n".encode())


def later(why: str, status: HTTPStatus, after_s: int = BUSY_S) -> CentreAnswer:
    """Answer that the table is to try again after so many seconds."""
    return CentreAnswer(status, f"{why}\n".encode(), TEXT, (("retry-after", str(after_s)),))
