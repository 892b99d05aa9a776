"""The bytes of a hand-over: the entries that a table sends to a centre, and the checkpoint over them.

One line of JSON says whose entries they are and which. Each entry follows as its two halves, each after its length in
four bytes; the spaces that fill a public half are left out, since its length follows from its text. At the end is the
checkpoint as a signed note. A deleted entry has its hash alone. With a challenge of the centre's last answer, the table
also signs that it is there now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pi_app.journal.record import entry as rec
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.limits import LONGEST_PUBLIC
from pi_app.journal.record.merkle import HASH_BYTES
from pi_app.journal.record.notes import LONGEST_NAME, LONGEST_NOTE, SignedNote, VerifierKey, read_note
from pi_app.journal.record.presence import Presence, sign_presence
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.sha import sha256_of_each

MOST_ENTRIES: Final = 2_000
LARGEST_BODY: Final = 4 * 2**20
"""What one hand-over may have. A single entry that is larger than this cannot be handed over."""

LONGEST_HEADER: Final = LONGEST_NOTE + 2_000

_LENGTH_BYTES: Final = 4
_DELETED: Final = 2**32 - 1
"""In place of the first length: the entry's hash follows, and nothing else of it is there."""


HandedEntry = tuple[bytes | None, bytes | None, bytes]
"""Public half, sealed half, leaf. The halves of a deleted entry are None."""


class _Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    handover: Literal[1] = 1
    origin: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
    first: Annotated[int, Meta(ge=1, le=2**62)]
    count: Annotated[int, Meta(ge=0, le=MOST_ENTRIES)]
    since: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""
    more: Annotated[int, Meta(ge=1, le=2**62)] | UnsetType = UNSET
    present: Presence | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class HandOver:
    """Entries of one record in a row, from number `first` on. `checkpoint` is over all entries up to the last of these.
    `since`: the newest note that this centre has cosigned for the table; empty if the table has none. `more`: how many
    entries wait at the table after these. `present`: the table was there and said this when it made it."""

    origin: str
    first: int
    entries: tuple[HandedEntry, ...]
    checkpoint: SignedNote
    since: str = ""
    more: int = 0
    present: Presence | None = None

    @property
    def last(self) -> int:
        """The number of the last entry; that of the one before `first` if there is none."""
        return self.first + len(self.entries) - 1

    def rows(self) -> Sequence[RawRow]:
        """The entries as a record has them."""
        return [(self.first + at, *entry, None) for at, entry in enumerate(self.entries)]

    def written(self) -> bytes:
        """Write the body."""
        header = _Header(
            origin=self.origin,
            first=self.first,
            count=len(self.entries),
            since=self.since,
            more=self.more or UNSET,
            present=self.present or UNSET,
        )
        parts = [_encoder.encode(header), b"\n"]
        for public, sealed, leaf in self.entries:
            if public is None or sealed is None:
                parts += [_DELETED.to_bytes(_LENGTH_BYTES, "big"), leaf]
                continue
            text = rec.without_filling(public)
            parts += [len(text).to_bytes(_LENGTH_BYTES, "big"), text]
            parts += [len(sealed).to_bytes(_LENGTH_BYTES, "big"), sealed]
        parts.append(self.checkpoint.written().encode())
        return b"".join(parts)


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(_Header)


def read_handover(body: bytes) -> HandOver:
    """Read a body. What it says is not checked yet. Raises ValueError with the reason."""
    if len(body) > LARGEST_BODY:
        raise ValueError(f"a hand-over has at most {LARGEST_BODY:,} bytes, and this is longer")
    end = body.find(b"\n", 0, LONGEST_HEADER)
    if end < 0:
        raise ValueError("its first line is missing or too long")
    try:
        header = _decoder.decode(body[:end])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"its first line is not one of a hand-over: {error}") from error
    reader = _Reader(body, end + 1)
    parts = [reader.entry(header.first + at) for at in range(header.count)]
    leaves = iter(sha256_of_each([rec.leaf_text(public, half) for public, half in parts if public is not None]))
    entries = tuple((None, None, half) if public is None else (public, half, next(leaves)) for public, half in parts)
    try:
        checkpoint = read_note(reader.rest())
    except ValueError as error:
        raise ValueError(f"its checkpoint is no signed note: {error}") from error
    return HandOver(
        header.origin, header.first, entries, checkpoint, header.since, header.more or 0, header.present or None
    )


def show_presence(handed: HandOver, key: DeviceKey, centre: VerifierKey, challenge: str) -> HandOver:
    """Return a hand-over with which the device shows this centre that it is there. Raises ValueError for a challenge
    that no centre makes."""
    return replace(handed, present=sign_presence(key, centre, challenge, handed.more, handed.checkpoint.text))


class _Reader:
    def __init__(self, body: bytes, at: int) -> None:
        self._body, self._at = body, at

    def entry(self, number: int) -> tuple[bytes | None, bytes]:
        """Take both halves of an entry; of a deleted one None and its hash."""
        first = self._part(number)
        if first is None:
            return None, self._take(HASH_BYTES, number)
        public, sealed = _filled(first, number), self._part(number)
        if sealed is None:
            raise ValueError(f"it ends in entry {number}")
        return public, sealed

    def rest(self) -> bytes:
        return self._body[self._at :]

    def _part(self, number: int) -> bytes | None:
        """Take a length and as many bytes; None for a deleted entry's length."""
        begin = self._at + _LENGTH_BYTES
        length = int.from_bytes(self._body[self._at : begin], "big")
        end = self._at = begin + length
        if length == _DELETED:
            self._at = begin
            return None
        if end > len(self._body):
            raise ValueError(f"it ends in entry {number}")
        return self._body[begin:end]

    def _take(self, length: int, number: int) -> bytes:
        found = self._body[self._at : self._at + length]
        if len(found) < length:
            raise ValueError(f"it ends in entry {number}")
        self._at += length
        return found


def _filled(text: bytes, number: int) -> bytes:
    """Put the spaces back that a public half has after its text."""
    if len(text) > LONGEST_PUBLIC:
        raise ValueError(f"the public half of entry {number} is longer than one may be")
    try:
        public = rec.filled(text)
    except msgspec.MsgspecError as error:
        raise ValueError(f"the public half of entry {number} cannot be read") from error
    if text[:1] != b"{" or text[-1:] != b"}":
        raise ValueError(f"the public half of entry {number} is not written as one is")
    return public
