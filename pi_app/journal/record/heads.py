"""A head: the number of entries in a record and the root over them, signed by its device. A person who keeps one, on
paper or in a photo, is a witness: a later record with other entries up to that number does not match it.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final

from pi_app.journal.record.checkpoints import Checkpoint, device_of, is_signed, origin_of, read_checkpoint, record_key
from pi_app.journal.record.keys import DEVICE_BYTES, SIGNATURE_BYTES, DeviceKey, signed_by
from pi_app.journal.record.limits import LONGEST_HEAD
from pi_app.journal.record.merkle import HASH_BYTES
from pi_app.journal.record.notes import SignedNote, signatures_of

MARK: Final = "TRAPDIAL1"
"""The first word of a head as text."""

SIZE_BYTES: Final = 8
_WHOLE: Final = DEVICE_BYTES + SIZE_BYTES + HASH_BYTES + SIGNATURE_BYTES
_LETTERS: Final = -(-_WHOLE * 8 // 5)


def _handed_out(size: int, root: bytes) -> bytes:
    return b"trapdial head 1\n" + size.to_bytes(SIZE_BYTES, "big") + root


def _standing_last(size: int, root: bytes) -> bytes:
    return b"trapdial last 1\n" + size.to_bytes(SIZE_BYTES, "big") + root


def last_signature(key: DeviceKey, size: int, root: bytes) -> bytes:
    """Sign the last of so many entries. The text differs from a head's, so that a head cannot serve as the signature of
    a record that was cut off there."""
    return key.sign(_standing_last(size, root))


def is_last(device: bytes, size: int, root: bytes, signature: bytes) -> bool:
    """Return whether this is the device's signature of the last of so many entries."""
    return signed_by(device, _standing_last(size, root), signature)


@dataclass(frozen=True, slots=True)
class Head:
    """The device, the number of entries, the root over them (32 bytes), and the device's signature (64 bytes)."""

    device: bytes
    size: int
    root: bytes
    signature: bytes

    @classmethod
    def made(cls, key: DeviceKey, size: int, root: bytes) -> Head:
        """Sign a head."""
        return cls(key.public, size, root, key.sign(_handed_out(size, root)))

    @property
    def genuine(self) -> bool:
        """Whether its device has signed it: for a person, in a checkpoint, or in the last entry."""
        checkpoint = Checkpoint(origin_of(self.device), self.size, self.root).body().encode()
        signed = (_handed_out(self.size, self.root), checkpoint)
        return any(signed_by(self.device, each, self.signature) for each in signed) or is_last(
            self.device, self.size, self.root, self.signature
        )

    def text(self) -> str:
        """Write it in capital letters and digits, for a QR code: `TRAPDIAL1` and 218 more in groups of ten."""
        whole = self.device + self.size.to_bytes(SIZE_BYTES, "big") + self.root + self.signature
        letters = base64.b32encode(whole).decode().rstrip("=")
        groups = [letters[at : at + 10] for at in range(0, len(letters), 10)]
        return " ".join((MARK, *groups))


def head_in(note: SignedNote) -> Head:
    """Return the head in a checkpoint that its device has signed. Raises ValueError with the reason."""
    checkpoint = read_checkpoint(note.text)
    device = device_of(checkpoint.origin)
    if device is None or checkpoint.extensions:
        raise ValueError(f"it is a checkpoint of {checkpoint.origin[:80]!a}, which is no record of this program")
    key = record_key(device)
    if not is_signed(note, key):
        raise ValueError("its device has not signed it")
    return Head(device, checkpoint.size, checkpoint.root, signatures_of(note.signatures, key)[0].data)


_EACH: Final = re.compile(rf"(?={MARK})", re.IGNORECASE)
"""Before each head in a text. Its last letter, 1, is in no head: base32 has none."""


def read_heads(text: str) -> list[Head]:
    """Read the heads in a text, as a phone hands them over: each once, in any number of lines. Raises ValueError with
    the reason, and with the number of the head that cannot be read if there are several."""
    first, *others = _EACH.split(text)
    parts = [part for part in (first, *others) if part.strip()] or [""]
    heads: dict[Head, None] = {}
    for number, part in enumerate(parts, 1):
        try:
            heads[read_head(part)] = None
        except ValueError as error:
            raise ValueError(f"head {number} of {len(parts)}: {error}" if len(parts) > 1 else str(error)) from error
    return list(heads)


def read_head(text: str) -> Head:
    """Read a head from its text; spaces, line ends and small letters are allowed. Raises ValueError with the reason."""
    if len(text) > LONGEST_HEAD:
        raise ValueError(f"a head has at most {LONGEST_HEAD:,} characters, and this is longer")
    letters = "".join(text.split()).upper()
    if not letters.startswith(MARK):
        raise ValueError(f"a head begins with {MARK}")
    letters = letters.removeprefix(MARK)
    try:
        whole = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except binascii.Error as error:
        raise ValueError("a head is written with the letters A to Z and the digits 2 to 7") from error
    if len(whole) != _WHOLE:
        raise ValueError(f"a head has {_LETTERS} letters after {MARK}, not {len(letters)}")
    device, rest = whole[:DEVICE_BYTES], whole[DEVICE_BYTES:]
    size, rest = int.from_bytes(rest[:SIZE_BYTES], "big"), rest[SIZE_BYTES:]
    head = Head(device, size, rest[:HASH_BYTES], rest[HASH_BYTES:])
    if not head.genuine:
        raise ValueError("its signature does not fit: a letter is wrong, or it was made up")
    return head
