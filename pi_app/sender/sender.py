"""Hands one record over to a centre, one request after the other, and keeps what the centre cosigns.

It never gives up and never loses its place: the place is the newest cosigned checkpoint beside the journal, and if that
is lost too, the centre says where to go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from pi_app.journal import JournalFileError
from pi_app.journal.cosigned import cosigned, keep_cosigned
from pi_app.journal.record.checkpoints import cosigned_at, device_of, read_size
from pi_app.journal.record.enrolment import is_challenge
from pi_app.journal.record.handover import HandOver
from pi_app.journal.record.heads import head_in
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_signatures
from pi_app.journal.record.presence import PRESENCE_S
from pi_app.sender.client import CentreClient, CentreReply, UnreachableError
from pi_app.sender.outbox import MOST_ENTRIES, Outbox
from pi_app.sender.pace import SendingPace
from pi_app.text.language import N_

IDLE_S: Final = 0.5
"""So often the journal is looked at while there is nothing to hand over."""

HEARTBEAT_S: Final = 300.0
"""So often a table that has nothing to hand over shows that it is there: and a centre that was restored from a backup
hears what it lacks."""

CHALLENGE_S: Final = PRESENCE_S - 60.0
"""A challenge that is older is not used: the request may take so long too."""

SMALL_BYTES: Final = 12_000
"""A body of so many bytes passes within ten seconds over any line worth the name."""

REFUSED_S: Final = 60.0
"""A refusal is for a person to mend: it is not asked again before this time."""

NOT_ENROLLED: Final = N_(
    "The centre does not know this table. Ask for a code (`trapdial centre enrol` there), and type `trapdial journal "
    "enrol CODE` here."
)
REVOKED: Final = N_("The centre takes nothing more from this table: it was revoked.")
TWO_HISTORIES: Final = N_(
    "The centre has other entries of this record than this table: two tables have the same keys, or entries were "
    "changed. Nothing is handed over."
)
CUT_OFF: Final = N_("The centre has more entries of this record than this table: its end was cut off, or it is a copy.")
NOT_COSIGNED: Final = N_("The centre answers without its own signature: its key is not the one in the settings.")
NOT_COSIGNED_YET: Final = N_("The centre has these entries, and does not cosign them now.")
REFUSED: Final = N_("The centre does not take what this table hands over: {why}")


@dataclass(frozen=True, slots=True)
class SenderStep:
    """What one step did. `pause_s`: before the next one. `trouble`: a sentence that the caller translates, or None.
    `size`: how many entries the centre has cosigned."""

    pause_s: float
    size: int
    trouble: str | None = None
    why: str = ""
    error: JournalFileError | None = None
    """What is wrong with the journal, if that is why nothing was done."""


@dataclass
class RecordSender:
    """Hands a record over. Call `step` again and again, after the pause that each step names."""

    outbox: Outbox
    client: CentreClient
    centre: VerifierKey
    pace: SendingPace = field(default_factory=SendingPace)
    now_s: Callable[[], float] = time.monotonic
    challenge: tuple[str, float] = ("", 0.0)
    """What the centre gave last for the next hand-over, to any record, and when."""
    _seen_s: float | None = None
    _after: int | None = None
    _size: int = 0
    _since: str = ""
    _most: int = MOST_ENTRIES
    """Of one hand-over: fewer while the network is too slow for more."""

    def step(self) -> SenderStep:
        """Hand the next entries over, if there are any."""
        try:
            if self._after is None:
                self._remember()
            assert self._after is not None
            seen = self.is_seen
            if seen and self._size == self._after and self.outbox.is_quiet(self._after):
                return SenderStep(IDLE_S, self._size)
            handed = self.outbox.next(self._after, self._since, self._most)
        except JournalFileError as error:
            return SenderStep(self.pace.failed(), self._size, None, str(error), error)
        if handed is None:
            self._after = None  # read once more what was cosigned: this record may be another one by now
            return self._refused(CUT_OFF)
        if seen and not handed.entries and self._size == handed.last:
            return SenderStep(IDLE_S, self._size)
        challenge, given_s = self.challenge
        if challenge and self.now_s() - given_s < CHALLENGE_S:
            handed = self.outbox.add_presence(handed, self.centre, challenge)
        body = handed.written()
        try:
            reply = self.client.post("hand-over", body)
        except UnreachableError as error:
            if error.connected:
                self._hand_over_less(handed, body)
            return self._failed(str(error))
        if reply.status == HTTPStatus.REQUEST_TIMEOUT:
            self._hand_over_less(handed, body)
        if is_challenge(reply.challenge):
            self.challenge = (reply.challenge, self.now_s())
        return self._answered(handed, reply)

    @property
    def is_seen(self) -> bool:
        """Whether the centre has seen lately that this table is there."""
        return self._seen_s is not None and self.now_s() - self._seen_s < HEARTBEAT_S

    def _remember(self) -> None:
        """Find the newest checkpoint that this centre has cosigned of this record."""
        self._after, self._size, self._since = 0, 0, ""
        device = device_of(self.outbox.origin)
        for note in cosigned(self.outbox.path):
            if cosigned_at(note, self.centre) is not None:
                head = head_in(note)
                if head.device == device and head.size >= self._size:
                    self._after = self._size = head.size
                    self._since = note.written()

    def _answered(self, handed: HandOver, reply: CentreReply) -> SenderStep:
        match reply.status:
            case HTTPStatus.OK:
                return self._cosigned(handed, reply)
            case HTTPStatus.ACCEPTED | HTTPStatus.CONFLICT:
                return self._sent_elsewhere(handed, reply)
            case HTTPStatus.NOT_FOUND:
                return self._refused(NOT_ENROLLED)
            case HTTPStatus.GONE:
                return self._refused(REVOKED)
            case HTTPStatus.UNPROCESSABLE_ENTITY:
                return self._refused(TWO_HISTORIES)
            case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.REQUEST_TIMEOUT:
                return self._failed(reply.words, reply.retry_s)
            case status if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return self._failed(reply.words, reply.retry_s)
        return self._refused(REFUSED, reply.words)

    def _cosigned(self, handed: HandOver, reply: CentreReply) -> SenderStep:
        try:
            lines = read_signatures(reply.body.decode())
        except ValueError:
            return self._refused(NOT_COSIGNED)
        note = SignedNote(handed.checkpoint.text, (*handed.checkpoint.signatures, *lines))
        if cosigned_at(note, self.centre) is None:
            return self._refused(NOT_COSIGNED)
        own = tuple(line for line in lines if line.is_of(self.centre))
        note = SignedNote(note.text, (*handed.checkpoint.signatures, *own))
        try:
            keep_cosigned(self.outbox.path, note, self.centre)
        except (JournalFileError, ValueError) as error:
            return self._failed(str(error))
        if handed.present is not None or not is_challenge(reply.challenge):
            self._seen_s = self.now_s()  # else it is shown at once, with the challenge of this answer
        self._most = min(MOST_ENTRIES, self._most + self._most // 8 + 1)
        self._after = self._size = handed.last
        self._since = note.written()
        return SenderStep(self.pace.cosigned(), self._size)

    def _sent_elsewhere(self, handed: HandOver, reply: CentreReply) -> SenderStep:
        """Go on where the centre says. If it names the same place again, it is not asked at once."""
        try:
            size = read_size(reply.body.decode("ascii").strip())
        except ValueError:
            return self._refused(REFUSED, reply.words)
        moved = size != self._after
        self._after = size
        why = NOT_COSIGNED_YET if reply.status == HTTPStatus.ACCEPTED else reply.words
        return SenderStep(self.pace.cosigned(), self._size) if moved else self._failed(why)

    def _hand_over_less(self, handed: HandOver, body: bytes) -> None:
        """Halve the next hand-over: a body has ten seconds. With each cosignature it grows by an eighth. What is small
        was not too large for any line."""
        if len(body) > SMALL_BYTES:
            self._most = max(1, len(handed.entries) // 2)

    def _failed(self, why: str, at_least_s: float = 0.0) -> SenderStep:
        return SenderStep(self.pace.failed(at_least_s), self._size, None, why)

    def _refused(self, trouble: str, why: str = "") -> SenderStep:
        return SenderStep(self.pace.failed(REFUSED_S), self._size, trouble, why)
