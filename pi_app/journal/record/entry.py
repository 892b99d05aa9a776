"""One entry of the record as bytes: a public half that the log viewer may read during the game, and a sealed half.

Both are JSON, filled up with spaces behind the closing brace, so that all entries of one kind are of one size and their
length says nothing (S-6). What stands in them is in `wiring_docs/journal_format.md`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from pi_app.journal.record.keys import SEALED_OVERHEAD, seal, unseal
from pi_app.journal.record.merkle import HASH_BYTES, LEAF_MARK
from pi_app.journal.record.sha import sha256
from pi_app.text.sealed import Sealed

FORMAT: Final = 3
"""Version of the entries: the first number of every public half."""

FIRST_BEFORE: Final = "00" * HASH_BYTES
"""What the first entry names as the one before it."""

STARTED: Final = "started"
SETUP_CHECKED: Final = "set-up checked"
ENDED: Final = "ended"
DELETED: Final = "game deleted"
"""Kinds that the record itself knows. All others are the game's own."""

PUBLIC_BYTES: Final = 512
LONG_PUBLIC_BYTES: Final = 1024
"""Of the kinds in LONG. A public half that is longer takes twice as much, and so on: what anybody may read may have any
length."""

LONG: Final = frozenset({STARTED, SETUP_CHECKED, ENDED})

SEALED_BYTES: Final = 640
SETUP_SEALED_BYTES: Final = 4096
ROOM_STEP: Final = 1024
MOST_ROOM: Final = 2**23
"""A `started` says how long the text of its sealed half is: a number of steps, up to this."""

SALT_BYTES: Final = 32

ClockSource = Literal["none", "rtc", "ntp"]
"""Where the wall time came from: nothing has set the clock since the machine started, a clock with a battery, or the
network."""

CLOCK_SOURCES: Final = ("none", "rtc", "ntp")


class TooLongError(ValueError):
    """An event does not fit into the size that all entries of its kind have."""


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What a game promises at its start, in hex: who signs, which key seals, and salted commitments to what it plays
    with. `squares` is one commitment for each square's trap table. `room`: bytes of the text in this entry's sealed
    half."""

    device: str
    key: str
    ruleset: str
    room: int
    squares: dict[str, str]


class PublicPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What of an entry may be read during the game (rule section 10.1, LOG).

    `log` holds the log viewer's new lines, `reports` a digest of every report that anybody may read: it covers no
    secret, so trying out twelve clicks against it tells nothing. `before` is the leaf hash of the entry before it;
    `stands` promises where the dials stood; `play` names the game, if it is another than Mage Knight; `add_ms` is by
    how much earlier dates are corrected. `device`, `first` and `last` are for a game that was taken out.
    """

    format: int
    kind: str
    seq: int
    game: str
    boot: str
    mono_ns: int
    wall: str
    clock: ClockSource
    before: str
    reports: str = ""
    log: tuple[str, ...] = ()
    square: str | None = None
    seat: str | None = None
    grade: str | None = None
    opening: Opening | None = None
    stands: str | None = None
    play: str | None = None
    add_ms: int | None = None
    key: str | None = None
    device: str | None = None
    first: int | None = None
    last: int | None = None


class Shown(Sealed, msgspec.Struct, frozen=True, kw_only=True):
    """What a square holds after an event: its trap table's name, and the face where its dial stands (None: nobody can
    tell)."""

    table: str
    face: msgspec.Raw


class SealedPart(Sealed, msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole event, a digest of the seats' reports after it, and the salts of what was promised."""

    event: msgspec.Raw
    seats: str
    shown: Shown | None = None
    salts: dict[str, str] = {}


_encoder = msgspec.json.Encoder()
_public_decoder = msgspec.json.Decoder(PublicPart)
_sealed_decoder = msgspec.json.Decoder(SealedPart)


def public_bytes(part: PublicPart) -> bytes:
    """A public half in its size."""
    return _filled(_encoder.encode(part), public_size(part.kind), grows=True)


def public_size(kind: str) -> int:
    """How long a public half is at least; else it is twice as long, four times, and so on."""
    return LONG_PUBLIC_BYTES if kind in LONG else PUBLIC_BYTES


def public_length(kind: str, public: bytes) -> int:
    """How long this public half has to be: as long as what stands in it takes, 0 if that is not one object alone."""
    length = public.rfind(b"}") + 1
    if public[:1] != b"{" or not public.endswith(b" " * (len(public) - length)):
        return 0
    size = public_size(kind)
    while length > size:
        size *= 2
    return size


def sealed_size(kind: str, opening: Opening | None) -> int:
    """How long a sealed half of this kind is before it is encrypted, in a game with this opening. 0: no length is
    right."""
    if kind == STARTED:
        room = 0 if opening is None else opening.room
        return room if 0 < room <= MOST_ROOM and room % ROOM_STEP == 0 else 0
    return SETUP_SEALED_BYTES if kind == SETUP_CHECKED else SEALED_BYTES


def room_for(part: SealedPart, expected: int) -> int:
    """The room of a `started`: what the game expects from what everybody knows of it, in whole steps; twice as much,
    and so on, if more stands in it. Raises TooLongError."""
    room, length = -(-expected // ROOM_STEP) * ROOM_STEP, len(_encoder.encode(part))
    while room < length:
        room *= 2
    if room > MOST_ROOM:
        raise TooLongError(f"{length} bytes where {MOST_ROOM} have room")
    return room


def _filled(text: bytes, size: int, *, grows: bool = False) -> bytes:
    while grows and len(text) > size:
        size *= 2
    if len(text) > size:
        raise TooLongError(f"{len(text)} bytes where {size} have room")
    return text.ljust(size)


def without_filling(text: bytes) -> bytes:
    """A half without the spaces behind its closing brace, at which a decoder would look one by one; anything else as it
    is."""
    length = text.rfind(b"}") + 1
    return text[:length] if text.endswith(b" " * (len(text) - length)) else text


def sealed_bytes(part: SealedPart, key: bytes, public: bytes, size: int) -> bytes:
    """A sealed half in its size, encrypted and bound to its public half. Raises TooLongError."""
    return seal(key, public, _filled(_encoder.encode(part), size))


def leaf(public: bytes, sealed: bytes) -> bytes:
    """The hash by which the tree knows an entry: over the public half's length (4 bytes, the highest first), the public
    half and the sealed one."""
    return sha256(leaf_mark(len(public)) + public + sealed)


def leaf_mark(public_length: int) -> bytes:
    """What is hashed in front of an entry's halves."""
    return LEAF_MARK + public_length.to_bytes(4, "big")


def read_public(data: bytes) -> PublicPart:
    """A public half again. Raises msgspec.MsgspecError for anything else."""
    try:
        if not data.isascii():
            data.decode()  # msgspec does not look into names that it does not know
        return _public_decoder.decode(data)
    except (AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def read_sealed(data: bytes, key: bytes, public: bytes) -> SealedPart | None:
    """A sealed half opened; None if it does not open. Raises msgspec.MsgspecError if it holds something else."""
    text = unseal(key, public, data)
    try:
        return None if text is None else _sealed_decoder.decode(text)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def sealed_length(kind: str, opening: Opening | None) -> int:
    """How long a sealed half of this kind is as it stands in the record."""
    return sealed_size(kind, opening) + SEALED_OVERHEAD


# --------------------------------------------------------------------------------------------------------- promises


def canonical(value: object) -> bytes:
    """JSON with sorted names and no spaces, in UTF-8: one value, one text. Of structs, lists, texts, whole numbers."""
    plain = msgspec.to_builtins(value)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def new_salt() -> str:
    """A salt in hex, too long to be tried out."""
    return os.urandom(SALT_BYTES).hex()


def commitment(salt: str, value: object) -> str:
    """What promises a value without telling it, in hex: SHA-256 over the salt and the canonical text."""
    return sha256(bytes.fromhex(salt) + canonical(value)).hex()


def keeps(promise: str, salt: object, value: object) -> bool:
    """Whether a value is what was promised."""
    try:
        known = isinstance(salt, str) and len(salt) == 2 * SALT_BYTES and bytes.fromhex(salt).hex() == salt
        return known and commitment(str(salt), value) == promise
    except (ValueError, RecursionError):
        return False


def promise_of(salts: Mapping[str, str], values: Mapping[str, object]) -> dict[str, str]:
    """Commitments by name."""
    return {name: commitment(salts[name], value) for name, value in values.items()}
