"""Read public keys and signatures of minisign, and check them through libsodium: `minisign -V` accepts the same ones.

A public key is two letters, eight bytes that number the key, and a key of Ed25519. A signature file has four lines: a
comment, the signature of the file's BLAKE2b-512, a *trusted comment*, and a signature of both. So the trusted comment,
which names the package, can be checked before the package is read. Only signatures of the hash are taken (`ED`, which
minisign makes since version 0.10): a package then need not fit into memory.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nacl import bindings as sodium
from nacl.exceptions import BadSignatureError

SUFFIX: Final = ".minisig"
"""Behind the name of a file: the name of its signature."""
MOST_BYTES: Final = 10_000
"""Of a signature file: minisign itself takes comments of at most 9,216 bytes."""
BUILDER: Final = Path(__file__).with_name("builder.pub")
"""The builder's public key. `make deb` puts it beside this module; the source has none."""

_KEY: Final = b"Ed"
_HASHED: Final = b"ED"
_COMMENT: Final = b"untrusted comment: "
_TRUSTED: Final = b"trusted comment: "
_NUMBER_BYTES: Final = 8
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64


class NotMinisignError(ValueError):
    """This is no public key, or no signature that is taken here; the text says why, without a full stop."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A builder's public key. `number`: its number as minisign prints it."""

    number: str
    key: bytes


@dataclass(frozen=True, slots=True)
class Signature:
    """What a signature file says. `number`: of the key that it names; `signed`: the signature of the file's hash;
    `comment`: the trusted comment; `whole`: the signature of both."""

    number: str
    signed: bytes
    comment: bytes
    whole: bytes

    @property
    def file_name(self) -> str:
        """The name of the file, as minisign writes it into the trusted comment; empty if it is not there."""
        fields = self.comment.decode("utf-8", "replace").split("\t")
        return next((field.removeprefix("file:") for field in fields if field.startswith("file:")), "")


def format_number(number: bytes) -> str:
    """Write the number of a key as minisign does."""
    return f"{int.from_bytes(number, 'little'):X}"


def read_key(text: bytes) -> PublicKey:
    """Read a public key's file. Raises NotMinisignError."""
    lines = _lines(text)
    if len(lines) != 2 or not lines[0].startswith(_COMMENT):
        raise NotMinisignError("it is not a comment and a key")
    data = _decode(lines[1], _NUMBER_BYTES + _KEY_BYTES)
    if data[:2] != _KEY:
        raise NotMinisignError("it is not a public key of minisign")
    return PublicKey(format_number(data[2:10]), data[10:])


def read_signature(text: bytes) -> Signature:
    """Read a signature file. Raises NotMinisignError."""
    lines = _lines(text)
    if len(lines) != 4 or not lines[0].startswith(_COMMENT) or not lines[2].startswith(_TRUSTED):
        raise NotMinisignError("it is not a signature of minisign, which has four lines")
    data = _decode(lines[1], _NUMBER_BYTES + _SIGNATURE_BYTES)
    if data[:2] == _KEY:
        raise NotMinisignError("it is a signature of the whole file, not of its hash")
    if data[:2] != _HASHED:
        raise NotMinisignError("it is made with a method that is not known here")
    whole = _decode(lines[3], _SIGNATURE_BYTES - 2)
    return Signature(format_number(data[2:10]), data[10:], lines[2].removeprefix(_TRUSTED), whole)


def _lines(text: bytes) -> list[bytes]:
    return [line.removesuffix(b"\r") for line in text.removesuffix(b"\n").split(b"\n")]


def _decode(line: bytes, size: int) -> bytes:
    """Decode a line of `size` bytes behind two letters."""
    try:
        data = base64.b64decode(line, validate=True)
    except binascii.Error:
        raise NotMinisignError("it is damaged: a line is not in base 64") from None
    if len(data) != size + 2:
        raise NotMinisignError(f"it is damaged: a line has {len(data)} bytes, not {size + 2}")
    return data


def new_hash() -> hashlib.blake2b:
    """Begin the hash that a signature is made of: BLAKE2b with 64 bytes."""
    return hashlib.blake2b(digest_size=64)


def is_comment_signed(signature: Signature, key: PublicKey) -> bool:
    """Say whether this key signed the trusted comment together with the signature of the file."""
    return signature.number == key.number and _is_signed(signature.whole, signature.signed + signature.comment, key.key)


def is_hash_signed(signature: Signature, key: PublicKey, digest: bytes) -> bool:
    """Say whether this key signed a file with this hash."""
    return signature.number == key.number and _is_signed(signature.signed, digest, key.key)


def _is_signed(signed: bytes, text: bytes, key: bytes) -> bool:
    try:
        sodium.crypto_sign_open(signed + text, key)
    except BadSignatureError:
        return False
    return True


def builder_key(file: Path = BUILDER) -> PublicKey | None:
    """Return the key of the person who built this program; None if it was built without one."""
    try:
        return read_key(file.read_bytes())
    except (OSError, NotMinisignError):
        return None
