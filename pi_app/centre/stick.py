"""Takes records that come on a stick, as exports: with the checks and the decision of a hand-over, and the same answer.

A running centre may take hand-overs of the same tables meanwhile: the store lets only one of the two go first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

from pi_app.centre.service.evidence import own_note, short_hand_over
from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.centre.taking.decision import CentreKey, HandoverRefusedError, LookUps, decide
from pi_app.centre.taking.newcomer import follow
from pi_app.journal.record.export_lines import ExportLines, TooMuchError
from pi_app.journal.record.exported_entries import NoHandOverError, exported_hand_overs
from pi_app.journal.record.handover import LARGEST_BODY, HandOver
from pi_app.journal.record.limits import LARGEST_EXPORT
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import open_plain, refusal

STICK: Final = "a stick"
"""Where evidence came from that no network brought."""

TRIES: Final = 3
NOT_HERE: Final = (
    "No record with this origin is enrolled here. Enrol it with --enrol NAME, or with a code at the table."
)
OTHER_NAME: Final = "Its record is enrolled here already, as {name}. Take it without --enrol."
TOO_BUSY: Final = "The table hands over by network at the same time. Try again."


@dataclass(frozen=True, slots=True)
class NewTable:
    """How a table is enrolled whose record comes on a stick."""

    name: str
    shop: str

    def is_of(self, record: KeptRecord) -> bool:
        """Whether a record is enrolled like that. Without a shop that of the record is right."""
        return self.name == record.name and self.shop in ("", record.shop)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenRecord:
    """What became of one record in an export. `size`: the entries that the centre has now; `new`: how many of them are
    new; `note`: the cosigned checkpoint, empty if `refused` says why not; `two_histories`: the record contradicts what
    is here, and what was brought is kept as evidence."""

    origin: str
    name: str
    size: int
    new: int = 0
    note: str = ""
    refused: str = ""
    two_histories: bool = False


def take_export(
    path: Path,
    centre: CentreKey,
    store: CentreStore,
    now_s: int,
    table: NewTable | None = None,
    *,
    cosigns: bool = True,
) -> Iterator[TakenRecord]:
    """Take all records in an export; yield what became of each. `table`: how to enrol one that is not enrolled;
    `cosigns`: whether the date may be signed. Raises UserFileError, before anything is taken, for a file that is no
    export for a centre; StoreError."""

    def here(origin: str) -> int:
        record = store.record(origin)
        return 0 if record is None else record.known.size

    try:
        with open_plain(path, LARGEST_EXPORT) as file:
            for _ in exported_hand_overs(ExportLines(file), centre.verifier, here):
                pass  # one record at a time is in memory
            file.seek(0)
            for handed in exported_hand_overs(ExportLines(file), centre.verifier, here):
                yield _take(handed, centre, store, now_s, table, cosigns=cosigns)
    except (NoHandOverError, TooMuchError) as error:
        raise UserFileError([f"{path} {error.place}: it {error}."]) from error
    except OSError as error:
        raise refusal(str(path), error, "Check the name, and who may read it") from error


def _take(
    handed: HandOver, centre: CentreKey, store: CentreStore, now_s: int, table: NewTable | None, *, cosigns: bool
) -> TakenRecord:
    for _ in range(TRIES):
        try:
            record = _record(handed, store, table)
        except HandoverRefusedError as refused:
            if refused.evidence and refused.about is not None:
                _keep(refused, handed, refused.about, centre, store, now_s)
            here = store.record(handed.origin)
            return _told(handed, here, refused=refused.why, two_histories=refused.evidence)
        if record is None:
            return _told(handed, None, refused=NOT_HERE)
        try:
            found = decide(handed, record, centre, LookUps.of(store, record.number), now_s, cosigns=cosigns)
        except HandoverRefusedError as refused:
            if refused.evidence:
                _keep(refused, handed, record, centre, store, now_s)
            here = None if record.is_new else record
            return _told(handed, here, refused=refused.why, two_histories=refused.evidence)
        held = found.commit is None or store.commit([found.commit]) == [True]
        now = store.record(handed.origin)
        if held and now is not None:
            return _told(handed, now, new=now.known.size - record.known.size, note=now.cosigned)
    return _told(handed, store.record(handed.origin), refused=TOO_BUSY)


def _record(handed: HandOver, store: CentreStore, table: NewTable | None) -> KeptRecord | None:
    """Return the record; one that continues another, or that a name was given for, has no number until its entries are
    committed. Raises HandoverRefusedError."""
    record = store.record(handed.origin) or follow(handed, store)
    if table is None:
        return record
    if record is None:
        return KeptRecord(number=0, origin=handed.origin, name=table.name, shop=table.shop)
    if not record.is_new and not table.is_of(record):
        raise HandoverRefusedError(HTTPStatus.CONFLICT, OTHER_NAME.format(name=record.full_name))
    return record


def _keep(
    refused: HandoverRefusedError,
    handed: HandOver,
    record: KeptRecord,
    centre: CentreKey,
    store: CentreStore,
    now_s: int,
) -> None:
    short, body = short_hand_over(handed, refused.seq), handed.written()
    sent = ForkEvidence(
        origin=record.origin,
        at_s=now_s,
        why=refused.why,
        address=STICK,
        body=body if len(body) <= LARGEST_BODY else short,
        ours=own_note(refused.ours or record.cosigned, centre.verifier),
    )
    store.evidence.keep(sent, short)


def _told(
    handed: HandOver,
    record: KeptRecord | None,
    *,
    new: int = 0,
    note: str = "",
    refused: str = "",
    two_histories: bool = False,
) -> TakenRecord:
    return TakenRecord(
        origin=handed.origin,
        name="" if record is None else record.name,
        size=0 if record is None else record.known.size,
        new=new,
        note=note,
        refused=refused,
        two_histories=two_histories,
    )
