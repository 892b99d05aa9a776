"""Asks one pinned witness to cosign a record, with C2SP's add-checkpoint, and keeps what it cosigns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from pi_app.journal import JournalFileError
from pi_app.journal.cosigned import keep_cosigned
from pi_app.journal.record.checkpoints import read_size
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_signatures
from pi_app.journal.record.witness_protocol import AddCheckpoint
from pi_app.sender.client import CentreClient, CentreReply, UnreachableError
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.records import cosigned_size
from pi_app.sender.sender import REFUSED_S, SenderStep
from pi_app.text.language import N_

WITNESS_EVERY_S: Final = 60.0
"""So often a witness is asked at most: it belongs to others, and one cosignature vouches for all entries before it."""

WITNESS_IDLE_S: Final = 2.0
"""So often it is looked whether there is something to cosign."""

UNKNOWN_HERE: Final = N_(
    "Witness {name} does not know this record: ask its owner to add the record, or remove the witness with "
    "`trapdial journal witness remove`."
)
CONTRADICTS: Final = N_(
    "Witness {name} saw other entries of this record than this table has: two tables have the same keys, or entries "
    "were changed."
)
OTHER_KEY: Final = N_("Witness {name} answers without its own signature: its key is not the one that is pinned.")
WITNESS_REFUSES: Final = N_("Witness {name} does not cosign: {why}")


@dataclass
class WitnessAsker:
    """Asks one witness. Call `step` again and again, after the pause that it names. `size`: how many entries are to be
    cosigned now."""

    outbox: Outbox
    client: CentreClient
    witness: VerifierKey
    size: Callable[[], int]
    pace: SendingPace = field(default_factory=SendingPace)
    _old: int | None = None

    def step(self) -> SenderStep:
        """Ask for a cosignature, if there are entries that the witness has not cosigned."""
        old = cosigned_size(self.outbox.path, self.witness) if self._old is None else self._old
        try:
            size = self.size()
            if size <= old:
                return SenderStep(WITNESS_IDLE_S, old)
            found = self.outbox.consistency(old, size)
        except JournalFileError as error:
            return SenderStep(self.pace.failed(), old, None, str(error))
        if found is None:
            return SenderStep(self.pace.failed(), old)
        note, proof = found
        try:
            reply = self.client.post("add-checkpoint", AddCheckpoint(old, proof, note).written())
        except UnreachableError as error:
            return SenderStep(self.pace.failed(), old, None, str(error))
        return self._answered(note, old, size, reply)

    def _answered(self, note: SignedNote, old: int, size: int, reply: CentreReply) -> SenderStep:
        match reply.status:
            case HTTPStatus.OK:
                return self._kept(note, size, reply)
            case HTTPStatus.CONFLICT:
                return self._elsewhere(old, size, reply)
            case HTTPStatus.NOT_FOUND:
                return self._refused(old, UNKNOWN_HERE)
            case HTTPStatus.UNPROCESSABLE_ENTITY:
                return self._refused(old, CONTRADICTS)
            case status if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT) or status >= 500:
                return SenderStep(self.pace.failed(reply.retry_s), old, None, reply.words)
        return self._refused(old, WITNESS_REFUSES, reply.words)

    def _kept(self, note: SignedNote, size: int, reply: CentreReply) -> SenderStep:
        try:
            lines = [line for line in read_signatures(reply.body.decode()) if line.is_of(self.witness)]
            whole = SignedNote(note.text, (*note.signatures, *lines))
            keep_cosigned(self.outbox.path, whole, self.witness)
        except JournalFileError as error:
            return SenderStep(self.pace.failed(), self._old or 0, None, str(error))
        except ValueError:
            return self._refused(self._old or 0, OTHER_KEY)
        self._old = size
        self.pace.cosigned()
        return SenderStep(WITNESS_EVERY_S, size)

    def _elsewhere(self, old: int, size: int, reply: CentreReply) -> SenderStep:
        """Go on from the size that the witness has cosigned. One that names the same size again is not asked at
        once."""
        try:
            there = read_size(reply.body.decode("ascii").strip())
        except ValueError:
            return self._refused(old, WITNESS_REFUSES, reply.words)
        self._old = there
        if there > size:
            return self._ahead(there)
        return SenderStep(0.0 if there != old else self.pace.failed(), there)

    def _ahead(self, there: int) -> SenderStep:
        """The witness has cosigned more than was asked: that is well, if this table has so many entries."""
        try:
            if self.outbox.last() >= there:
                return SenderStep(WITNESS_EVERY_S, there)
        except JournalFileError as error:
            return SenderStep(self.pace.failed(), there, None, str(error))
        self._old = None
        return self._refused(0, CONTRADICTS)

    def _refused(self, old: int, trouble: str, why: str = "") -> SenderStep:
        return SenderStep(self.pace.failed(REFUSED_S), old, trouble, why)
