"""What a table signs with a hand-over to show that it is there now: the centre, the challenge of the centre's last
answer, and what it says of itself.

A checkpoint is public and never too old, so it shows nothing of the kind, whoever hands it over.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.record.enrolment import LONGEST_CHALLENGE, is_challenge
from pi_app.journal.record.keys import SIGNATURE_BYTES, DeviceKey, signed_by
from pi_app.journal.record.notes import VerifierKey

CHALLENGE_HEADER: Final = "trapdial-challenge"
"""Of an answer: the challenge for the next hand-over."""

PRESENCE_S: Final = 420
"""A centre takes the challenge of an answer for this long, and a table without anything new uses it after 300 s."""


class Presence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a hand-over. `signature`: in hex, by the record's device."""

    challenge: Annotated[str, Meta(max_length=LONGEST_CHALLENGE)]
    signature: Annotated[str, Meta(pattern=rf"\A[0-9a-f]{{{2 * SIGNATURE_BYTES}}}\Z")]

    def is_signed(self, device: bytes, centre: VerifierKey, more: int, checkpoint: str) -> bool:
        """Return whether this device has signed it for this centre. `more`, `checkpoint`: of the hand-over, the text of
        its note."""
        return signed_by(device, _present(centre, self.challenge, more, checkpoint), bytes.fromhex(self.signature))


def sign_presence(key: DeviceKey, centre: VerifierKey, challenge: str, more: int, checkpoint: str) -> Presence:
    """Sign that the device is there. Raises ValueError for a challenge that no centre makes."""
    if not is_challenge(challenge):
        raise ValueError("it is no challenge of a centre")
    return Presence(challenge=challenge, signature=key.sign(_present(centre, challenge, more, checkpoint)).hex())


def _present(centre: VerifierKey, challenge: str, more: int, checkpoint: str) -> bytes:
    return f"trapdial present 1\n{centre.text()}\n{challenge}\n{more}\n{checkpoint}".encode()
