"""Enrols a table, and hands its records over in one go, for a person who waits until all is done or something fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final, Protocol

import msgspec
from msgspec import Meta

from pi_app.journal.past import past_logs
from pi_app.journal.record.enrolment import sign_enrolment
from pi_app.journal.record.keys import DeviceKey
from pi_app.journal.record.notes import VerifierKey
from pi_app.sender.client import CentreClient, CentreReply
from pi_app.sender.outbox import Outbox
from pi_app.sender.records import cosigned_size, outbox_of
from pi_app.sender.sender import CUT_OFF, TWO_HISTORIES, RecordSender
from pi_app.text.progress import Progress, no_progress

TRIES: Final = 3
"""A person learns after so many failures in a row that it does not work now."""

NO_CENTRE: Final = "its answer is not that of a centre"

LONGEST_PAUSE_S: Final = 5.0
"""Between two of them: a person waits."""


class NotHandedOverError(Exception):
    """Something was not handed over. `sentence`: an English one, with the blank `{why}`. `other_history`: whether the
    centre has other entries than this table."""

    def __init__(self, record: Path, sentence: str, why: str = "", *, other_history: bool = False) -> None:
        self.record, self.sentence, self.why, self.other_history = record, sentence, why, other_history
        super().__init__(f"{record}: {sentence.format(why=why)}")


@dataclass(frozen=True, slots=True)
class HandedRecord:
    """A record that a centre has whole. `new`: how many of its entries the centre did not have before, as far as this
    table knew."""

    path: Path
    entries: int
    new: int


def hand_over_all(
    journal: Path,
    client: CentreClient,
    centre: VerifierKey,
    seed: Callable[[Path], bytes],
    progress: Progress = no_progress,
    failed: Callable[[str], None] = lambda _: None,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[HandedRecord]:
    """Hand over the past records in order, then the journal; yield each that the centre has whole. `seed`: of the
    device's key of a record whose key files are encrypted. `failed`: is given a sentence for each try that
    failed and is followed by another. Raises NotHandedOverError and JournalFileError."""
    challenge = ("", 0.0)
    for path in (*past_logs(journal), journal):
        outbox = outbox_of(path, seed(path))
        if outbox is not None:
            before = cosigned_size(path, centre)
            sender = RecordSender(outbox, client, centre, challenge=challenge)
            size = _hand_over(outbox, sender, progress, failed, wait)
            challenge = sender.challenge
            yield HandedRecord(path, size, size - before)


def _hand_over(
    outbox: Outbox,
    sender: RecordSender,
    progress: Progress,
    failed: Callable[[str], None],
    wait: Callable[[float], None],
) -> int:
    outbox.check()
    while True:
        last = outbox.last()
        progress(f"{outbox.path.name}: handing entries over", cosigned_size(outbox.path, sender.centre), last)
        step = sender.step()
        if step.trouble is not None:
            raise NotHandedOverError(
                outbox.path, step.trouble, step.why, other_history=step.trouble in (TWO_HISTORIES, CUT_OFF)
            )
        if sender.pace.failures >= TRIES and step.error is not None:
            raise step.error
        if sender.pace.failures >= TRIES:
            raise NotHandedOverError(outbox.path, "{why}", step.why)
        if sender.pace.failures:
            failed(f"{outbox.path}: {step.why} Trying again.")
            wait(min(step.pause_s, LONGEST_PAUSE_S))
        elif step.size >= last and sender.is_seen:
            return step.size


# --------------------------------------------------------------------------------------------------------- enrolment


class EnrolmentClient(CentreClient, Protocol):
    """Whoever also gets what is below an address."""

    def get(self, path: str) -> CentreReply:
        """Get what is below the address. Raises UnreachableError."""


class _Enrolled(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(max_length=200)]
    shop: Annotated[str, Meta(max_length=200)] = ""


class NotEnrolledError(Exception):
    """The centre does not enrol the table. The message says why, in its own words."""


def enrol(code: str, key: DeviceKey, centre: VerifierKey, client: EnrolmentClient) -> str:
    """Enrol the device with this key; return the name under which the centre knows it, with its shop. The device signs
    the centre's challenge, so nobody else enrols its record. Raises NotEnrolledError, UnreachableError."""
    challenge = client.get("enrol")
    if challenge.status != HTTPStatus.OK:
        raise NotEnrolledError(challenge.words)
    try:
        asked = sign_enrolment(key, centre, code, challenge.body.decode("ascii").strip())
    except ValueError as error:
        raise NotEnrolledError(NO_CENTRE) from error
    reply = client.post("enrol", msgspec.json.encode(asked))
    if reply.status != HTTPStatus.OK:
        raise NotEnrolledError(reply.words)
    return _name_in(reply)


def _name_in(reply: CentreReply) -> str:
    try:
        enrolled = msgspec.json.decode(reply.body, type=_Enrolled)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotEnrolledError(NO_CENTRE) from error
    name = f"{enrolled.name} of {enrolled.shop}" if enrolled.shop else enrolled.name
    return "".join(letter for letter in name if letter.isprintable())
