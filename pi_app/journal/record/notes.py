"""Signed notes: a text, and below it a line for each key that signed it. The format is C2SP's signed-note v1.0.0, so
that a log and its witnesses understand each other without knowing each other's programs.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pi_app.journal.record.keys import DEVICE_BYTES
from pi_app.journal.record.sha import sha256

SIGNS_NOTES: Final = 0x01
"""The type of an Ed25519 key that signs a note's text."""

COSIGNS: Final = 0x04
"""The type of an Ed25519 key that cosigns checkpoints with a time (C2SP tlog-cosignature v1)."""

KEY_ID_BYTES: Final = 4
MOST_SIGNATURES: Final = 64
"""C2SP asks for 16 at least. A signature may be of a kind that is not known here: the largest have some 5 kB."""

LONGEST_NOTE: Final = 400_000
LONGEST_NAME: Final = 255

_DASH: Final = "— "
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_NAME: Final = re.compile(rf"[^\s+\x00-\x1f]{{1,{LONGEST_NAME}}}")
_KEYS_AT_HAND: Final = 20_000


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under its name. `kind`: SIGNS_NOTES or COSIGNS; `public`: 32 bytes."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that its signatures begin with."""
        return _key_id(self.name, self.kind, self.public)

    def text(self) -> str:
        """Write it as a *vkey*: name, id and key with `+` between them."""
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(bytes((self.kind,)) + self.public).decode()}"


@functools.lru_cache(_KEYS_AT_HAND)
def _key_id(name: str, kind: int, public: bytes) -> bytes:
    """Hash a key's name, kind and bytes. A centre asks for the ids of the same keys again and again."""
    return sha256(f"{name}\n".encode() + bytes((kind,)) + public)[:KEY_ID_BYTES]


def read_vkey(text: str) -> VerifierKey:
    """Read a key from its text. Raises ValueError with the reason."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    _check_name(name)
    whole = _unbase64(encoded, "the key")
    if len(whole) != 1 + DEVICE_BYTES or whole[0] not in (SIGNS_NOTES, COSIGNS):
        raise ValueError("it is no Ed25519 key: such a key has 44 letters after its second +, of type 01 or 04")
    key = VerifierKey(name, whole[0], whole[1:])
    if key.key_id.hex() != key_id:
        raise ValueError(
            f"its id is {key_id!a}, and that of this name and key is {key.key_id.hex()}: a letter is wrong"
        )
    return key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line. `data`: what follows the key's id."""

    name: str
    key_id: bytes
    data: bytes

    def line(self) -> str:
        """Write it, with its newline."""
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + self.data).decode()}\n"

    def is_of(self, key: VerifierKey) -> bool:
        """Whether it claims to be of this key. It may still be wrong."""
        return (self.name, self.key_id) == (key.name, key.key_id)


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends in a newline, and its signatures in their order, those of unknown keys too."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def written(self) -> str:
        """Write the note."""
        return f"{self.text}\n{''.join(each.line() for each in self.signatures)}"


def read_note(data: bytes) -> SignedNote:
    """Read a note. It may say anything until one of its signatures was checked. Raises ValueError with the reason."""
    if len(data) > LONGEST_NOTE:
        raise ValueError(f"a note has at most {LONGEST_NOTE:,} bytes, and this is longer")
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is no UTF-8") from error
    if _CONTROL.search(whole):
        raise ValueError("it has a control character")
    text, empty, below = whole.rpartition("\n\n")
    if not empty or not text:
        raise ValueError("no empty line stands between a text and signatures")
    return SignedNote(text + "\n", tuple(read_signatures(below)))


def read_signatures(below: str) -> list[NoteSignature]:
    """Read signature lines. Raises ValueError with the reason."""
    lines = below.split("\n")
    if lines.pop() or not lines:
        raise ValueError("its last line is no signature that ends in a newline")
    if len(lines) > MOST_SIGNATURES:
        raise ValueError(f"it has {len(lines)} signatures, and at most {MOST_SIGNATURES} are read")
    return [_signature(line) for line in lines]


def _signature(line: str) -> NoteSignature:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space:
        raise ValueError(f"a line is no signature: {line[:40]!a}")
    _check_name(name)
    whole = _unbase64(encoded, "a signature")
    if len(whole) <= KEY_ID_BYTES:
        raise ValueError("a signature is too short")
    return NoteSignature(name, whole[:KEY_ID_BYTES], whole[KEY_ID_BYTES:])


def signatures_of(signatures: Iterable[NoteSignature], key: VerifierKey) -> list[NoteSignature]:
    """Return the signatures that claim to be of this key."""
    return [each for each in signatures if each.is_of(key)]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:40]!a} is no name of a key: it is empty or too long, or it has a space or a +")


def _unbase64(text: str, what: str) -> bytes:
    """Decode base64 that has exactly one form."""
    try:
        whole = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"{what} is no base64") from error
    if base64.b64encode(whole).decode() != text:
        raise ValueError(f"{what} is no base64 as it must be written")
    return whole
