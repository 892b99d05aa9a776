"""One entry of the record as bytes: a public half that the log viewer may read during the game, and a sealed half.

Both are JSON, padded with spaces after the closing brace. Within a game all sealed halves of one kind have the same
length, so it reveals nothing (S-6); the length of a public half follows from its text. `wiring_docs/journal_format.md`
describes their fields.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from pi_app.journal.record.keys import SEALED_OVERHEAD, seal, unseal
from pi_app.journal.record.limits import LONGEST_PUBLIC
from pi_app.journal.record.merkle import HASH_BYTES, LEAF_MARK
from pi_app.journal.record.sha import sha256
from pi_app.text.sealed import Sealed

FORMAT: Final = 3
"""The version of the entries: the first number of every public half."""

FIRST_BEFORE: Final = "00" * HASH_BYTES
"""The hash before the first entry."""

STARTED: Final = "started"
SETUP_CHECKED: Final = "set-up checked"
ENDED: Final = "ended"
DELETED: Final = "game deleted"
"""The record's own kinds. All others are the game's."""

PUBLIC_BYTES: Final = 512
LONG_PUBLIC_BYTES: Final = 1024
"""The size for the kinds in LONG. A longer public half has twice the size, and so on: its length is no secret."""

LONG: Final = frozenset({STARTED, SETUP_CHECKED, ENDED})

SEALED_BYTES: Final = 640
SETUP_SEALED_BYTES: Final = 4096
SEALED_SIZES: Final = (640, 1280, 2560, 5120)
"""A game whose longest possible entry needs more than 640 bytes has the next of these sizes for all its sealed halves.
Its `set-up checked` grows by the same factor."""
ROOM_STEP: Final = 1024
MOST_ROOM: Final = 2**23
"""A `started` has the length of its sealed text: a number of steps, up to this."""

SALT_BYTES: Final = 32
LONGEST_SALT: Final = "0" * 2 * SALT_BYTES

ClockSource = Literal["none", "rtc", "ntp"]
"""The source of the wall time: none since the machine started, a clock with a battery, or the network."""

CLOCK_SOURCES: Final = ("none", "rtc", "ntp")


class TooLongError(ValueError):
    """An event is longer than the size of all entries of its kind."""


class Opening(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game's commitments at its start, in hex: the signing device, the sealing key, and salted commitments to the
    rules and to each square's trap table. `room`: the bytes of the text in this entry's sealed half; `sealed`: of that
    in each later one, see `SEALED_SIZES`."""

    device: str
    key: str
    ruleset: str
    room: int
    squares: dict[str, str]
    sealed: int = SEALED_BYTES


class Continues(msgspec.Struct, frozen=True, kw_only=True):
    """The older record that this one continues: its head as text, and in hex its device's signature over that head and
    this record's device."""

    head: str
    by: str


class PublicPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The half of an entry that may be read during the game (rule section 10.1, LOG).

    `log` has the log viewer's new lines, `reports` a digest of every public report: it covers no secret, so comparing
    it with all twelve clicks reveals nothing. `before` is the leaf hash of the entry before it; `stands` commits to the
    dials' positions; `play` names the game, if it is not Mage Knight; `add_ms` corrects earlier dates;
    `witnessed` is the time of the cosignature that `wall` comes from, in POSIX seconds. `device`, `first` and `last`
    are for a deleted game. `continues` is in a record's first entry, if it continues another.
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
    witnessed: int | None = None
    key: str | None = None
    device: str | None = None
    first: int | None = None
    last: int | None = None
    continues: Continues | None = None


Salt = Annotated[str, msgspec.Meta(min_length=2 * SALT_BYTES, max_length=2 * SALT_BYTES)]
"""A salt in hex."""


class SquareContent(Sealed, msgspec.Struct, frozen=True, kw_only=True):
    """The content of a square after an event: its trap table's name, and the face at its dial's position (None:
    unknown)."""

    table: str
    face: msgspec.Raw


class SealedPart(Sealed, msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole event, a digest of the seats' reports after it, and the salts of its commitments."""

    event: msgspec.Raw
    seats: str
    shown: SquareContent | None = None
    salts: dict[str, Salt] = {}


_encoder = msgspec.json.Encoder()
_public_decoder = msgspec.json.Decoder(PublicPart)
_sealed_decoder = msgspec.json.Decoder(SealedPart)


def public_bytes(part: PublicPart) -> bytes:
    """Encode a public half, padded."""
    public = _grown(_encoder.encode(part), public_size(part.kind))
    if len(public) > LONGEST_PUBLIC:
        raise TooLongError(f"{len(public)} bytes where {LONGEST_PUBLIC} have room")
    return public


def public_size(kind: str) -> int:
    """Return the shortest length of a public half; longer ones have twice that, four times, and so on."""
    return LONG_PUBLIC_BYTES if kind in LONG else PUBLIC_BYTES


def public_length(kind: str, public: bytes) -> int:
    """Return the length that this public half must have; 0 if it is not exactly one object."""
    length = public.rfind(b"}") + 1
    if public[:1] != b"{" or not public.endswith(b" " * (len(public) - length)):
        return 0
    size = public_size(kind)
    while length > size:
        size *= 2
    return size


def sealed_size(kind: str, opening: Opening | None) -> int:
    """Return the length of the text in a sealed half of this kind, in a game with this opening; 0 if none is valid."""
    sealed = SEALED_BYTES if opening is None else opening.sealed
    if sealed not in SEALED_SIZES:
        return 0
    if kind == STARTED:
        room = 0 if opening is None else opening.room
        return room if 0 < room <= MOST_ROOM and room % ROOM_STEP == 0 else 0
    return SETUP_SEALED_BYTES * sealed // SEALED_BYTES if kind == SETUP_CHECKED else sealed


def sealed_for(lengths: Mapping[str, int]) -> int:
    """Return the smallest of the sizes that every later entry of a game fits into, by the longest text of each kind.
    Raises TooLongError, with the kind, if none is large enough."""
    for size in SEALED_SIZES:
        least = (SEALED_BYTES if kind != SETUP_CHECKED else SETUP_SEALED_BYTES for kind in lengths)
        if all(length <= each * size // SEALED_BYTES for length, each in zip(lengths.values(), least, strict=True)):
            return size
    kind = max(lengths, key=lambda each: lengths[each])
    raise TooLongError(
        f"the entry `{kind}` of this game could need {lengths[kind]} bytes, more than any entry may have"
    )


def room_for(part: SealedPart, expected: int) -> int:
    """Return the room of a `started`: the length expected from public facts, in whole steps; doubled until the text
    fits. Raises TooLongError."""
    room, length = -(-expected // ROOM_STEP) * ROOM_STEP, sealed_text_bytes(part)
    while room < length:
        room *= 2
    if room > MOST_ROOM:
        raise TooLongError(f"its first entry needs {length} bytes, and at most {MOST_ROOM} are possible")
    return room


def sealed_text_bytes(part: SealedPart) -> int:
    """Return the length of the text of a sealed half before it is padded."""
    return len(_encoder.encode(part))


def _grown(text: bytes, size: int) -> bytes:
    while len(text) > size:
        size *= 2
    return text.ljust(size)


def without_filling(text: bytes) -> bytes:
    """Remove the padding after the closing brace, which a decoder would read byte by byte; return anything else as it
    is."""
    length = text.rfind(b"}") + 1
    return text[:length] if text.endswith(b" " * (len(text) - length)) else text


class _Kind(msgspec.Struct, gc=False):
    """What the length of a public half depends on."""

    kind: str


_kind_decoder = msgspec.json.Decoder(_Kind)


def filled(text: bytes) -> bytes:
    """Put the padding back after a public half's text; all else about the text is left to the checks of an entry.
    Raises msgspec.MsgspecError if it has no kind."""
    try:
        kind = _kind_decoder.decode(text).kind
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error
    return _grown(text, public_size(kind))


def sealed_bytes(part: SealedPart, key: bytes, public: bytes, size: int, longest_shown: int = 0) -> bytes:
    """Encode a sealed half, padded, encrypted and bound to its public half.

    Raises TooLongError if the text has no room, or would have none with the longest content that its square could show:
    whether an event is refused must not depend on that. The message has no length, which may be a secret's.
    """
    text = _encoder.encode(part)
    spare = 0 if part.shown is None else max(0, longest_shown - len(_encoder.encode(part.shown)))
    if len(text) + spare > size:
        raise TooLongError("an event is longer than any entry of this game may be")
    return seal(key, public, text.ljust(size))


def leaf(public: bytes, sealed: bytes) -> bytes:
    """Return the leaf hash of an entry: over the public half's length (4 bytes, big-endian), the public half and the
    sealed one."""
    return sha256(leaf_text(public, sealed))


def leaf_text(public: bytes, sealed: bytes) -> bytes:
    """Return the bytes that the leaf hash of an entry is over."""
    return leaf_mark(len(public)) + public + sealed


def leaf_mark(public_length: int) -> bytes:
    """Return the bytes that are hashed before an entry's halves."""
    return LEAF_MARK + public_length.to_bytes(4, "big")


def read_public(data: bytes) -> PublicPart:
    """Decode a public half. Raises msgspec.MsgspecError."""
    if len(data) > LONGEST_PUBLIC:
        raise msgspec.DecodeError("longer than a public half may be")
    try:
        if not data.isascii():
            data.decode()  # msgspec does not check the text of unknown names
        return _public_decoder.decode(data)
    except (AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def read_sealed(data: bytes, key: bytes, public: bytes) -> SealedPart | None:
    """Decrypt and decode a sealed half; None if the key does not fit. Raises msgspec.MsgspecError."""
    text = unseal(key, public, data)
    try:
        return None if text is None else _sealed_decoder.decode(text)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def sealed_length(kind: str, opening: Opening | None) -> int:
    """Return the length of an encrypted sealed half of this kind."""
    return sealed_size(kind, opening) + SEALED_OVERHEAD


# ------------------------------------------------------------------------------------------------------ commitments


def canonical(value: object) -> bytes:
    """Encode structs, lists, texts and whole numbers as JSON with sorted names and no spaces: one value, one text."""
    plain = msgspec.to_builtins(value)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def new_salt() -> str:
    """Make a salt in hex, too long to be guessed."""
    return os.urandom(SALT_BYTES).hex()


def commitment(salt: str, value: object) -> str:
    """Commit to a value without revealing it, in hex: SHA-256 over the salt and the canonical text."""
    return sha256(bytes.fromhex(salt) + canonical(value)).hex()


def keeps(promise: str, salt: object, value: object) -> bool:
    """Return whether a commitment is to this value."""
    try:
        known = isinstance(salt, str) and len(salt) == 2 * SALT_BYTES and bytes.fromhex(salt).hex() == salt
        return known and commitment(str(salt), value) == promise
    except (ValueError, RecursionError):
        return False


def promise_of(salts: Mapping[str, str], values: Mapping[str, object]) -> dict[str, str]:
    """Commit to values by name."""
    return {name: commitment(salts[name], value) for name, value in values.items()}
