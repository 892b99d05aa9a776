"""What a centre keeps, whatever database keeps it.

Everything that one hand-over changes is in one transaction, which holds only if the record still has the size that the
hand-over was checked against. So two centres on one database, or one that was restored, cannot mix two histories.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol

import msgspec

from pi_app.centre.store.clock_rows import ClockRows
from pi_app.centre.store.evidence_rows import EvidenceRows
from pi_app.centre.store.own_log_rows import OwnLogRows
from pi_app.centre.taking.known_record import KnownRecord, Taken
from pi_app.journal.record import entry as rec
from pi_app.journal.record.handover import HandedEntry
from pi_app.journal.record.runs import RawRow


class StoreError(Exception):
    """The database cannot be used. The message says what was seen and what to try."""


class StoreAwayError(StoreError):
    """The database does not answer now, and may do so later."""


class NotEnrolledHereError(Exception):
    """A code enrols no record that is enrolled under another name, or that was revoked. The code may still be used.
    `record`: as it is here."""

    def __init__(self, record: KeptRecord) -> None:
        self.record = record
        super().__init__(record.origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRecord:
    """A record that is enrolled. `number`: the store's own; `name` and `shop`: as enrolled; `cosigned`: the newest
    checkpoint with this centre's cosignature, as a note; `seen_s`: when the table itself last showed that it is there,
    POSIX seconds, 0 if never; `behind`: how many more entries the table has since then; `revoked`: it is kept, and
    nothing more is taken.

    `closed`: after how many entries another record continues it; 0 as long as none is here.

    A record without a number is enrolled by its first commit. `after`: the number of the record that it continues then;
    0 if it continues none that is enrolled."""

    number: int
    origin: str
    name: str
    shop: str = ""
    known: KnownRecord = field(default_factory=KnownRecord)
    cosigned: str = ""
    seen_s: int = 0
    behind: int = 0
    revoked: bool = False
    closed: int = 0
    after: int = 0

    @property
    def is_new(self) -> bool:
        """Whether it is not enrolled yet."""
        return self.number == 0

    @property
    def full_name(self) -> str:
        """Its name, with that of its shop if it has one."""
        return f"{self.name} of {self.shop}" if self.shop else self.name


@dataclass(frozen=True, slots=True)
class Closing:
    """The record with this origin is closed after `size` entries. It was checked with `seen` entries."""

    origin: str
    size: int
    seen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What one hand-over changes. `before`, `closed`: the size and the closing that it was checked against; `cosigned`:
    the new note, empty to leave the one that is there; `at_s`: when the table was last seen; `behind` as in
    `KeptRecord`; `enrols`: the record, if this commit enrols it; `closes`: the one that this one continues."""

    number: int
    before: int
    entries: Sequence[HandedEntry]
    taken: Taken
    cosigned: str
    at_s: int
    behind: int = 0
    closed: int = 0
    enrols: KeptRecord | None = None
    closes: Closing | None = None


def record_after(record: KeptRecord, commit: Commit) -> KeptRecord:
    """Return a record as it is after a commit that holds."""
    known, cosigned = commit.taken.known, commit.cosigned or record.cosigned
    return replace(record, known=known, cosigned=cosigned, seen_s=commit.at_s, behind=commit.behind)


class GameState(Enum):
    """How far a game has come at the centre."""

    ON = "on"
    ENDED = "ended"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game of a record: its first and last entry so far. `place`: 1 for the first game of the record that ended here,
    and so on; 0 for one that has not. A game that is deleted later keeps it."""

    game: str
    first: int
    last: int
    state: GameState
    place: int = 0


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """What was learnt from the first `upto` entries of a record (`pi_app.centre.facts`), as bytes. A game that is
    deleted empties it, since its halves are gone; `emptied`: how often that was."""

    upto: int = 0
    emptied: int = 0
    data: bytes = b""


class CentreStore(Protocol):
    """A store. Each call is a transaction of its own, on disk when it returns. Raises StoreError."""

    def record(self, origin: str) -> KeptRecord | None:
        """Return the record with this origin."""

    def records(self) -> list[KeptRecord]:
        """Return all records, in the order of their enrolment."""

    def add_code(self, code: bytes, name: str, shop: str, until_s: int) -> None:
        """Let whoever has the code with this hash enrol one table until then."""

    def forget_codes(self, name: str, shop: str | None = None) -> int:
        """Let no code enrol a table under this name any more, in this shop or in any; return how many there were."""

    def enrol(self, code: bytes, origin: str, at_s: int) -> KeptRecord | None:
        """Use up a code and enrol a record; None if there is no such code, or no more. An origin that is enrolled under
        the same name already uses the code up too, and keeps what is there. Raises NotEnrolledHereError."""

    def revoke(self, origin: str) -> bool:
        """Take nothing more of a record; return whether it was enrolled."""

    def readmit(self, origin: str) -> bool:
        """Take entries of a record again that was revoked; return whether it was enrolled."""

    def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """Write what hand-overs change, all in one transaction. Return of each whether it holds: not if its record has
        another size by now, is closed, revoked or not there. One that closes another record does not hold if that has
        grown, and one that enrols its record does not if that is enrolled by now, or if the record that it continues is
        revoked."""

    def games(self, number: int, names: Collection[str] | None = None) -> list[KeptGame]:
        """Return the games of a record, or those of these names, by their first entry."""

    def rows(self, number: int, first: int = 1, last: int | None = None) -> Iterator[RawRow]:
        """Yield entries in order, as a verifier reads them; the halves of a deleted entry are None."""

    def witnessed(self, origin: str) -> str:
        """Return the newest checkpoint of a log of another program that was cosigned here, as a note; empty if none
        was."""

    def witness(self, origin: str, before: int, size: int, note: str) -> bool:
        """Keep a cosigned checkpoint of such a log in place of one of `before` entries (0: of none); return whether
        that was still the newest."""

    @property
    def evidence(self) -> EvidenceRows:
        """What contradicts the records here."""

    def facts(self, number: int) -> KeptFacts:
        """Return what was learnt from a record so far."""

    def all_facts(self) -> dict[int, KeptFacts]:
        """Return what was learnt from each record, by its number."""

    def keep_facts(self, number: int, before: KeptFacts, upto: int, data: bytes) -> bool:
        """Keep what was learnt from the entries up to this one; return whether it holds: not if the facts are others
        than `before` by now, such as after a deletion."""

    def keep_findings(self, data: bytes) -> None:
        """Keep what was found in all facts together, in place of what was found before."""

    def findings(self) -> bytes:
        """Return what was found last; empty if nothing was ever looked for."""

    @property
    def clock(self) -> ClockRows:
        """What is known of the clocks of centres on this store."""

    @property
    def own_log(self) -> OwnLogRows:
        """The rows of the centre's own log."""

    def close(self) -> None:
        """Close the store; closing twice is harmless."""


def check_enrolled(record: KeptRecord, name: str, shop: str) -> KeptRecord:
    """Return a record that a code for this name may enrol. Raises NotEnrolledHereError."""
    if record.revoked or (record.name, record.shop) != (name, shop):
        raise NotEnrolledHereError(record)
    return record


def as_stored(entry: HandedEntry) -> HandedEntry:
    """Leave out the padding of an entry's public half, a third of it, which follows from its text. A checked entry has
    nothing else after its text."""
    public, sealed, leaf = entry
    return None if public is None else public.rstrip(b" "), sealed, leaf


def as_read(row: Sequence[Any]) -> RawRow:
    """Return a stored row as a verifier reads it, with the padding; what cannot be an entry is left as it is."""
    seq, public, *others = row
    if isinstance(public, bytes):
        with contextlib.suppress(msgspec.MsgspecError):
            public = rec.filled(public)
    return (seq, public, *others, None)


def packed(known: KnownRecord) -> bytes:
    """Write what is known of a record as a store keeps it."""
    return _encoder.encode(known)


def unpacked(data: bytes) -> KnownRecord:
    """Read it again. Raises StoreError."""
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError as error:
        why = f"What is known of a record cannot be read ({error}). Restore the database from its backup."
        raise StoreError(why) from error


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(KnownRecord)
