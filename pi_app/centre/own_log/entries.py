"""What stands in the centre's own log, and what signs it.

An entry is the newest checkpoint of a table as a signed note with exactly two signatures: that of the table's device,
and this centre's cosignature. A log's key is made from the centre's, for a key signs either a log or what others log
(C2SP tlog-cosignature).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pi_app.centre.taking.decision import CentreKey
from pi_app.journal.record.checkpoints import (
    Checkpoint,
    cosigned_at,
    device_of,
    read_checkpoint,
    record_key,
)
from pi_app.journal.record.keys import DeviceKey, device_key
from pi_app.journal.record.notes import (
    SIGNS_NOTES,
    NoteSignature,
    SignedNote,
    VerifierKey,
    read_note,
    signatures_of,
)
from pi_app.journal.record.sha import sha256

KEY_LABEL: Final = b"trapdial own log 1\n"

LONGEST_ENTRY: Final = 2**16 - 1
"""An entry's length has two bytes (C2SP tlog-tiles)."""


@dataclass(frozen=True, slots=True)
class OwnLogKey:
    """The origin of a centre's own log, and the key that signs its checkpoints."""

    origin: str
    key: DeviceKey

    @classmethod
    def of(cls, origin: str, centre: CentreKey) -> OwnLogKey:
        """Make the key from the centre's: a backup of that one is enough."""
        return cls(origin, device_key(sha256(KEY_LABEL + centre.key.seed)))

    @property
    def verifier(self) -> VerifierKey:
        """What witnesses and monitors pin."""
        return VerifierKey(self.origin, SIGNS_NOTES, self.key.public)

    def signed(self, size: int, root: bytes) -> SignedNote:
        """Return the signed checkpoint of so many entries."""
        body = Checkpoint(self.origin, size, root).body()
        own = self.verifier
        return SignedNote(body, (NoteSignature(own.name, own.key_id, self.key.sign(body.encode())),))


def entry_of(cosigned: str, centre: VerifierKey) -> bytes | None:
    """Return the entry for a table's newest cosigned checkpoint; None if this centre's key has cosigned none yet."""
    if not cosigned:
        return None
    note = read_note(cosigned.encode())
    device = device_of(read_checkpoint(note.text).origin)
    if device is None or cosigned_at(note, centre) is None:
        return None
    keys = (record_key(device), centre)
    signatures = [found[0] for key in keys if (found := signatures_of(note.signatures, key))]
    return SignedNote(note.text, tuple(signatures)).written().encode()
