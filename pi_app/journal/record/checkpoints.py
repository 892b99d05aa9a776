"""Checkpoints: a head as a signed note (C2SP tlog-checkpoint v1.0.0), and the cosignatures of witnesses below it (C2SP
tlog-cosignature v1.1.0). A cosignature says that its witness saw the record grow to this size, and when.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final

from pi_app.journal.record.keys import DEVICE_BYTES, SIGNATURE_BYTES, DeviceKey, signed_by
from pi_app.journal.record.merkle import HASH_BYTES
from pi_app.journal.record.notes import COSIGNS, SIGNS_NOTES, NoteSignature, SignedNote, VerifierKey, signatures_of

ORIGIN: Final = "trapdial.invalid/record/"
"""A record's origin is this and its device's public key in hex. Domains that end in `.invalid` belong to no one (RFC
2606), so no other log has it."""

LARGEST_SIZE: Final = 2**63 - 1
LATEST_TIME: Final = 2**63 - 1
TIME_BYTES: Final = 8

_DECIMAL: Final = re.compile(r"(0|[1-9][0-9]{0,18})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """So many entries of a log, and the root over them (32 bytes)."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def body(self) -> str:
        """The note's text: what keys sign."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)


def read_checkpoint(text: str) -> Checkpoint:
    """Read a note's text. Raises ValueError with the reason."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 3 or not all(lines):
        raise ValueError("a checkpoint has three lines at least, and none is empty")
    origin, size, root, *extensions = lines
    return Checkpoint(origin, read_size(size), read_hash(root), tuple(extensions))


def read_size(text: str) -> int:
    """Read a number of entries. Raises ValueError with the reason."""
    if not _DECIMAL.match(text) or int(text) > LARGEST_SIZE:
        raise ValueError(f"{text[:40]!a} is no number of entries")
    return int(text)


def read_hash(text: str) -> bytes:
    """Read a hash in base64. Raises ValueError with the reason."""
    try:
        hashed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"{text[:60]!a} is no base64") from error
    if len(hashed) != HASH_BYTES or base64.b64encode(hashed).decode() != text:
        raise ValueError(f"{text[:60]!a} is no hash of {HASH_BYTES} bytes")
    return hashed


# ------------------------------------------------------------------------------------------------ a record's own key


def origin_of(device: bytes) -> str:
    """Return the origin of the record of this device."""
    return ORIGIN + device.hex()


def device_of(origin: str) -> bytes | None:
    """Return the device whose record has this origin; None for a log of another program."""
    digits = origin.removeprefix(ORIGIN)
    if origin == digits or not re.fullmatch(rf"[0-9a-f]{{{2 * DEVICE_BYTES}}}", digits):
        return None
    return bytes.fromhex(digits)


def record_key(device: bytes) -> VerifierKey:
    """Return the key with which this device signs its checkpoints."""
    return VerifierKey(origin_of(device), SIGNS_NOTES, device)


def signed_checkpoint(key: DeviceKey, size: int, root: bytes) -> SignedNote:
    """Return a checkpoint of a device's record, signed by it."""
    body = Checkpoint(origin_of(key.public), size, root).body()
    own = record_key(key.public)
    return SignedNote(body, (NoteSignature(own.name, own.key_id, key.sign(body.encode())),))


def is_signed(note: SignedNote, key: VerifierKey) -> bool:
    """Return whether a log's key has signed this note, and no signature under its name and id is wrong."""
    own = signatures_of(note.signatures, key)
    return bool(own) and all(signed_by(key.public, note.text.encode(), each.data) for each in own)


# ------------------------------------------------------------------------------------------------------- witnesses


def _cosigned(body: str, time_s: int) -> bytes:
    return f"cosignature/v1\ntime {time_s}\n{body}".encode()


def cosign(key: DeviceKey, name: str, body: str, time_s: int) -> NoteSignature:
    """Cosign a checkpoint at this time (POSIX seconds, more than 0)."""
    if not 0 < time_s <= LATEST_TIME:
        raise ValueError(f"{time_s} is no time of a cosignature")
    data = time_s.to_bytes(TIME_BYTES, "big") + key.sign(_cosigned(body, time_s))
    return NoteSignature(name, VerifierKey(name, COSIGNS, key.public).key_id, data)


def cosigned_at(note: SignedNote, witness: VerifierKey) -> int | None:
    """Return when a witness cosigned this note, in POSIX seconds: the earliest time, if it did so more than once. None
    if it did not, or if a line under its name and id is wrong."""
    times = [_time_of(note.text, each, witness) for each in signatures_of(note.signatures, witness)]
    good = [time_s for time_s in times if time_s is not None]
    return min(good) if good and len(good) == len(times) else None


def _time_of(body: str, signature: NoteSignature, witness: VerifierKey) -> int | None:
    if witness.kind != COSIGNS or len(signature.data) != TIME_BYTES + SIGNATURE_BYTES:
        return None
    time_s = int.from_bytes(signature.data[:TIME_BYTES], "big")
    sound = 0 < time_s <= LATEST_TIME
    if sound and signed_by(witness.public, _cosigned(body, time_s), signature.data[TIME_BYTES:]):
        return time_s
    return None
